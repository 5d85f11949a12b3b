//go:build !js

package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/validate/content"

	"watchglass/internal/apiserver"
)

// options are what the command line and the environment say.
type options struct {
	identity
	cluster  apiserver.Options
	few      string // namespaces to show where the whole cluster may not be listed
	demo     bool
	pods     int
	seed     uint64
	listen   string
	open     bool
	basePath string
	hosts    []string
	keyFile  string
	link     bool
	logJSON  bool
	verbose  bool
	version  bool
	help     bool
	operating
}

// flag is one flag: the one source of the command line, the environment,
// --help, and the README's table.
type flag struct {
	name, short, value, help string
	bind                     func(*pflag.FlagSet, flag)
}

func text(into *string, standard string) func(*pflag.FlagSet, flag) {
	return func(fs *pflag.FlagSet, f flag) { fs.StringVarP(into, f.name, f.short, standard, f.help) }
}

func texts(into *[]string) func(*pflag.FlagSet, flag) {
	return func(fs *pflag.FlagSet, f flag) { fs.StringArrayVarP(into, f.name, f.short, nil, f.help) }
}

func number(into *int, standard int) func(*pflag.FlagSet, flag) {
	return func(fs *pflag.FlagSet, f flag) { fs.IntVarP(into, f.name, f.short, standard, f.help) }
}

func seed(into *uint64) func(*pflag.FlagSet, flag) {
	return func(fs *pflag.FlagSet, f flag) { fs.Uint64VarP(into, f.name, f.short, 1, f.help) }
}

func length(into *time.Duration, standard time.Duration) func(*pflag.FlagSet, flag) {
	return func(fs *pflag.FlagSet, f flag) { fs.DurationVarP(into, f.name, f.short, standard, f.help) }
}

func yes(into *bool) func(*pflag.FlagSet, flag) {
	return func(fs *pflag.FlagSet, f flag) { fs.BoolVarP(into, f.name, f.short, false, f.help) }
}

// standardListen is where it listens unless told otherwise.
const standardListen = "127.0.0.1:7117"

// The size of the demo cluster, and the largest.
const (
	standardPods = 400
	mostPods     = 100_000
)

// flags follow kubectl's names where kubectl has the same.
func (o *options) flags() []flag {
	return slices.Concat(o.clusterFlags(), o.identity.flags(), o.operating.flags(), o.serveFlags())
}

func (o *options) clusterFlags() []flag {
	return []flag{
		{"kubeconfig", "", "FILE", "the kubeconfig; else the files of KUBECONFIG, else ~/.kube/config, else the pod's own account", text(&o.cluster.Kubeconfig, "")},
		{"context", "", "NAME", "the context of the kubeconfig to begin with; else its current one. The page can switch to the others", text(&o.cluster.Context, "")},
		{"cluster", "", "NAME", "the cluster of the kubeconfig; else the context's", text(&o.cluster.Cluster, "")},
		{"user", "", "NAME", "the user of the kubeconfig; else the context's", text(&o.cluster.User, "")},
		{"namespace", "n", "NAME", "show this namespace only; else the whole cluster", text(&o.cluster.Namespace, "")},
		{"namespaces", "", "NAME,...", "where the whole cluster may not be listed, show these namespaces in one list; without them, those that the page remembers, else the context's. With -n there is that one only", text(&o.few, "")},
		{"as", "", "USER", "impersonate a user", text(&o.cluster.As, "")},
		{"as-uid", "", "UID", "impersonate the user's UID", text(&o.cluster.AsUID, "")},
		{"as-group", "", "GROUP", "impersonate a group; may be repeated", texts(&o.cluster.AsGroups)},
		{"demo", "", "", "show the demo cluster, which is in memory and lives; so it is where there is no kubeconfig at all", yes(&o.demo)},
		{"demo-objects", "", "N", "about how many pods the demo cluster has, up to 100,000; else 400", number(&o.pods, standardPods)},
		{"demo-seed", "", "N", "the seed of the demo cluster: the same makes the same", seed(&o.seed)},
	}
}

func (o *options) serveFlags() []flag {
	return []flag{
		{"listen", "", "HOST:PORT", "listen here; in local mode only this machine can be let in, and if the port is taken, the next free one is used", text(&o.listen, standardListen)},
		{"open", "", "", "open the address in the browser", yes(&o.open)},
		{"link", "", "", "print a new address for the Watchglass running at --listen, and exit. It signs in one browser, within 10 minutes", yes(&o.link)},
		{"base-path", "", "PATH", "serve everything below this path", text(&o.basePath, "")},
		{"host", "", "HOST[:PORT]", "a further name under which requests may come: of the page in plain http through a tunnel, or what a front makes of the public one; may be repeated", texts(&o.hosts)},
		{"key-file", "", "FILE", "the key that seals cookies, 32 bytes or their base64, which replicas share; else one of the user's own, made when needed, or of this launch only where users sign in", text(&o.keyFile, "")},
		{"log-json", "", "", "log JSON", yes(&o.logJSON)},
		{"verbose", "v", "", "log more", yes(&o.verbose)},
		{"version", "", "", "print the version", yes(&o.version)},
		{"help", "h", "", "print this", yes(&o.help)},
	}
}

// asides are the flags that print something and exit. Only the command line has them.
var asides = []string{"link", "version", "help"}

// variable is the environment variable of a flag.
func (f flag) variable() string {
	return "WATCHGLASS_" + strings.ToUpper(strings.ReplaceAll(f.name, "-", "_"))
}

// flagSet holds the flags, which set the options.
func flagSet(o *options) *pflag.FlagSet {
	fs := pflag.NewFlagSet("watchglass", pflag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	for _, f := range o.flags() {
		f.bind(fs, f)
	}
	return fs
}

// parse reads the command line over the environment, and that over the file.
func parse(args []string, env func(string) string) (*options, error) {
	o := new(options)
	fs := flagSet(o)
	if err := fs.Parse(args); err != nil {
		return nil, fmt.Errorf("%w; see --help", err)
	}
	for _, f := range o.flags() {
		value := env(f.variable())
		if value == "" || fs.Changed(f.name) || slices.Contains(asides, f.name) {
			continue
		}
		if err := fs.Set(f.name, value); err != nil {
			return nil, fmt.Errorf("%s: %w", f.variable(), err)
		}
	}
	if o.config != "" {
		if err := configure(o.config, fs); err != nil {
			return nil, err
		}
	}
	if fs.NArg() > 0 {
		return nil, fmt.Errorf("%q is no flag, and there are no other arguments; see --help", fs.Arg(0))
	}
	if err := o.misplaced(fs); err != nil {
		return nil, err
	}
	if o.cluster.Bare = o.bare(); !o.local() {
		o.cluster.IdleFor, o.cluster.Protected = idleUpstream, !o.unprotected
	}
	return o, o.validate()
}

// named says whether a flag names a cluster, or somebody to be there.
func (o *options) named() bool {
	c := o.cluster
	return c.Kubeconfig != "" || c.Context != "" || c.Cluster != "" || c.User != "" || c.As != "" || c.AsUID != "" || len(c.AsGroups) > 0
}

// namespaces are those that are shown where the whole cluster may not be listed.
func (o *options) namespaces() []string {
	var names []string
	for name := range strings.SplitSeq(o.few, ",") {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// validate says what cannot be done.
func (o *options) validate() error {
	switch {
	case o.demo && o.named():
		return errors.New("--demo: the demo cluster has no kubeconfig, no contexts and no users: leave out what names one")
	case o.demo && !o.local():
		return fmt.Errorf("--demo: the demo cluster knows no users, so there is no --auth %s to it", o.auth)
	case o.cluster.As != "" && !o.local():
		return fmt.Errorf("--as: with --auth %s each user comes as who they are", o.auth)
	case o.link && !o.local():
		return fmt.Errorf("--link needs --auth local, and this is --auth %s: open %s", o.auth, o.publicURL)
	case o.pods < 1 || o.pods > mostPods:
		return fmt.Errorf("--demo-objects %d: from 1 to %d", o.pods, mostPods)
	}
	for _, name := range o.namespaces() {
		if wrong := content.IsDNS1123Label(name); len(wrong) > 0 {
			return fmt.Errorf("--namespaces %s: %q is no name of a namespace: %s", o.few, name, wrong[0])
		}
	}
	if _, _, err := net.SplitHostPort(o.listen); err != nil {
		return fmt.Errorf("--listen %s: %w", o.listen, err)
	}
	if err := o.validateOperation(); err != nil {
		return err
	}
	o.basePath = strings.TrimSuffix(o.basePath, "/")
	if o.basePath != "" && (!strings.HasPrefix(o.basePath, "/") || strings.ContainsAny(o.basePath, "?#%") || strings.Contains(o.basePath, "/-")) {
		return fmt.Errorf("--base-path %s: it begins with a slash and is a plain path, without /-", o.basePath)
	}
	return o.identity.validate(o.listen)
}

// takes returns the flag's value as it stands behind its name. One in brackets may be left
// out, and then has no space before it.
func (f flag) takes() string {
	if f.value == "" || f.value[0] == '[' {
		return f.value
	}
	return " " + f.value
}

// usage writes --help.
func usage(w io.Writer) {
	fmt.Fprint(w, "Watchglass shows a Kubernetes cluster live in a browser tab. It cannot change anything.\n\nUsage: watchglass [flags]\n\nEach flag has an environment variable, WATCHGLASS_LISTEN for --listen, and its name is a key of the file of --config.\n\n")
	for _, f := range new(options).flags() {
		short := "    "
		if f.short != "" {
			short = "-" + f.short + ", "
		}
		fmt.Fprintf(w, "  %s--%s\n        %s\n", short, f.name+f.takes(), f.help)
	}
}

// table writes the README's table of flags.
func table(w io.Writer) {
	fmt.Fprintln(w, "| flag | environment | what it does |\n| --- | --- | --- |")
	for _, f := range new(options).flags() {
		name := "`--" + f.name + strings.ReplaceAll(f.takes(), "|", "\\|") + "`"
		if f.short != "" {
			name = "`-" + f.short + "`, " + name
		}
		variable := "`" + f.variable() + "`"
		if slices.Contains(asides, f.name) {
			variable = ""
		}
		fmt.Fprintf(w, "| %s | %s | %s |\n", name, variable, f.help)
	}
}

func getenv(name string) string { return os.Getenv(name) }
