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

	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/api/validate/content"

	"watchglass/internal/apiserver"
	"watchglass/internal/edge"
)

// options are the values of the flags.
type options struct {
	identity
	cluster  apiserver.Options
	few      string // namespaces to show where the whole cluster may not be listed
	demo     bool
	demos    apiserver.Demos
	replay   string // recording to show instead of a cluster
	page     string // folder to write a copy of the page to
	listen   string
	open     bool
	basePath string
	hosts    []string
	embeds   []string
	keyFile  string
	link     bool
	noDisk   bool // pages keep no history on disk
	logJSON  bool
	verbose  bool
	version  bool
	licenses bool
	help     bool
	shell    string // whose completion script to print
	operating

	embedders edge.Embedders // embeds, parsed
}

// standardListen is the default address to listen on.
const standardListen = "127.0.0.1:7117"

// standardPods is the default size of the demo cluster.
const standardPods = 400

// flags returns all flags, in the order of --help. They have kubectl's names where kubectl has
// the same flag.
func (o *options) flags() []flag {
	return slices.Concat(o.clusterFlags(), o.identity.flags(), o.operating.flags(), o.serveFlags())
}

func (o *options) clusterFlags() []flag {
	return []flag{
		{"kubeconfig", "", "FILE", "kubeconfig file (default: $KUBECONFIG, then ~/.kube/config, then the pod's service account)", text(&o.cluster.Kubeconfig, "")},
		{"context", "", "NAME", "kubeconfig context to open first (default: the current context). The page can switch to the others", text(&o.cluster.Context, "")},
		{"cluster", "", "NAME", "kubeconfig cluster (default: the context's)", text(&o.cluster.Cluster, "")},
		{"user", "", "NAME", "kubeconfig user (default: the context's)", text(&o.cluster.User, "")},
		{"namespace", "n", "NAME", "show only this namespace (default: the whole cluster)", text(&o.cluster.Namespace, "")},
		{"namespaces", "", "NAME,...", "namespaces to show together to users who can't list the whole cluster (default: those the page remembers, then the context's). Ignored with --namespace", text(&o.few, "")},
		{"as", "", "USER", "user to impersonate", text(&o.cluster.As, "")},
		{"as-uid", "", "UID", "UID to impersonate", text(&o.cluster.AsUID, "")},
		{"as-group", "", "GROUP", "group to impersonate; can be repeated", texts(&o.cluster.AsGroups)},
		{"demo", "", "", "show the demo cluster, a simulated cluster in memory (default: only if there is no kubeconfig)", yes(&o.demo)},
		{"replay", "", "FILE", "show a recording instead of a cluster (default: none)", text(&o.replay, "")},
		{"demo-objects", "", "N", "approximate number of pods in all demo clusters together: up to 100,000 in each, and 1,000,000 in all (default 400)", number(&o.demos.Pods, standardPods)},
		{"demo-contexts", "", "N", "number of demo clusters, each behind a context of its own, up to 50 (default 1). One is created when its context is first opened", number(&o.demos.Contexts, 1)},
		{"demo-seed", "", "N", "seed of the demo cluster; the same seed makes the same cluster (default 1)", seed(&o.demos.Seed)},
	}
}

func (o *options) serveFlags() []flag {
	return []flag{
		{"listen", "", "HOST:PORT", "address to listen on (default 127.0.0.1:7117). In local mode it must be a loopback address, and if the port is in use, the next free one is taken", text(&o.listen, standardListen)},
		{"open", "", "", "open the page in your browser", yes(&o.open)},
		{"link", "", "", "print a new address for the Watchglass running at --listen, and exit. The address works once, within 10 minutes", yes(&o.link)},
		{"base-path", "", "PATH", "serve everything below this path (default: the root)", text(&o.basePath, "")},
		{"host", "", "HOST[:PORT]", "additional host name to accept in requests, for example if a reverse proxy rewrites it, or for plain HTTP through a tunnel; can be repeated", texts(&o.hosts)},
		{"embed-origin", "", "ORIGIN", "page that may show Watchglass in a frame, such as https://portal.example.com; can be repeated (default: none). With --auth token it can also give a token to sign in with", texts(&o.embeds)},
		{"key-file", "", "FILE", "file with the key that encrypts cookies: 32 bytes, raw or base64. All replicas need the same key (default: in local mode watchglass/key in your configuration folder, which is ~/.config on Linux, ~/Library/Application Support on macOS and %AppData% on Windows; created if it does not exist. In other modes a new key at each start)", text(&o.keyFile, "")},
		{"no-disk-history", "", "", "don't let browsers store history or lists on disk, even encrypted", yes(&o.noDisk)},
		{"log-json", "", "", "log as JSON", yes(&o.logJSON)},
		{"verbose", "v", "", "log debug messages", yes(&o.verbose)},
		{"version", "", "", "print the version", yes(&o.version)},
		{"licenses", "", "", "print the licenses of the software that this program contains", yes(&o.licenses)},
		{"help", "h", "", "print this help", yes(&o.help)},
	}
}

// asides are the flags that print something and exit. They can only be set on the command line.
var asides = []string{"link", "version", "licenses", "help"}

// commands are what the first argument may be.
var commands = []struct{ name, takes, help string }{
	{"completion", " SHELL", "print the completion script for bash, zsh, fish or powershell"},
	{"page", " DIR", "write the page to a folder that any web server can serve. It opens recordings, or shows the one from --replay"},
	{"version", "", "print the version"},
	{"help", "", "print this help"},
}

// flagSet returns a flag set that sets the options.
func flagSet(o *options) *pflag.FlagSet {
	fs := pflag.NewFlagSet("watchglass", pflag.ContinueOnError)
	fs.SetOutput(io.Discard)
	fs.Usage = func() {}
	for _, f := range o.flags() {
		f.bind(fs, f)
	}
	return fs
}

// parse reads the flags. The command line overrides the environment, which overrides the file.
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
	if err := o.command(fs.Args()); err != nil {
		return nil, err
	}
	if err := o.misplaced(fs); err != nil {
		return nil, err
	}
	if o.cluster.Bare = o.bare(); !o.local() {
		o.cluster.IdleFor, o.cluster.StreamBuffer, o.cluster.Protected = idleUpstream, streamBuffer, !o.unprotected
	}
	return o, o.validate()
}

// command sets what the arguments ask for. Without arguments the program serves.
func (o *options) command(args []string) error {
	switch {
	case len(args) == 0, o.help:
	case args[0] == "completion" && (len(args) != 2 || completions[args[1]] == ""):
		return fmt.Errorf("completion: name one shell: %s", strings.Join(shells, ", "))
	case args[0] == "completion":
		o.shell = args[1]
	case args[0] == "page" && len(args) != 2:
		return errors.New("page: name one folder to write to")
	case args[0] == "page":
		o.page = args[1]
	case len(args) > 1 && (args[0] == "version" || args[0] == "help"):
		return fmt.Errorf("%s: unexpected argument %q", args[0], args[1])
	case args[0] == "version":
		o.version = true
	case args[0] == "help":
		o.help = true
	case slices.ContainsFunc(o.flags(), func(f flag) bool { return f.name == args[0] }):
		return fmt.Errorf("unexpected argument %q; did you mean --%s?", args[0], args[0])
	default:
		return fmt.Errorf("unexpected argument %q; see --help", args[0])
	}
	return nil
}

// named reports whether a flag chooses a cluster or a user.
func (o *options) named() bool {
	c := o.cluster
	return c.Kubeconfig != "" || c.Context != "" || c.Cluster != "" || c.User != "" || c.As != "" || c.AsUID != "" || len(c.AsGroups) > 0
}

// namespaces returns the namespaces to show if the whole cluster may not be listed.
func (o *options) namespaces() []string {
	var names []string
	for name := range strings.SplitSeq(o.few, ",") {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// validate returns the first error in the options.
func (o *options) validate() error {
	switch {
	case o.demo && o.named():
		return errors.New("--demo cannot be combined with flags that name a kubeconfig, a context, a cluster or a user")
	case o.demo && !o.local():
		return fmt.Errorf("--demo needs --auth local, not %s: the demo cluster has no users", o.auth)
	case o.replay != "" && (o.demo || o.named()):
		return errors.New("--replay cannot be combined with flags that select a cluster")
	case o.replay != "" && !o.local():
		return fmt.Errorf("--replay needs --auth local, not %s. Publish a recording with %s", o.auth, "watchglass page DIR --replay FILE")
	case o.cluster.As != "" && !o.local():
		return fmt.Errorf("--as needs --auth local: with --auth %s, requests are made as the user who signed in", o.auth)
	case o.link && !o.local():
		return fmt.Errorf("--link needs --auth local. With --auth %s, open %s", o.auth, o.publicURL)
	case o.demos.Contexts < 1 || o.demos.Contexts > apiserver.MostDemos:
		return fmt.Errorf("--demo-contexts %d: must be from 1 to %d", o.demos.Contexts, apiserver.MostDemos)
	case o.demos.Pods < o.demos.Contexts || o.demos.Pods > o.demos.Most():
		return fmt.Errorf("--demo-objects %d: must be from %d to %d", o.demos.Pods, o.demos.Contexts, o.demos.Most())
	}
	for _, name := range o.namespaces() {
		if wrong := content.IsDNS1123Label(name); len(wrong) > 0 {
			return fmt.Errorf("--namespaces %s: %q is not a namespace name: %s", o.few, name, wrong[0])
		}
	}
	if _, _, err := net.SplitHostPort(o.listen); err != nil {
		return fmt.Errorf("--listen %s: %w", o.listen, err)
	}
	for _, origin := range o.embeds {
		parsed, err := edge.ParseEmbedder(origin)
		if err != nil {
			return fmt.Errorf("--embed-origin %s: %w", origin, err)
		}
		o.embedders = append(o.embedders, parsed)
	}
	if err := o.validateOperation(); err != nil {
		return err
	}
	o.basePath = strings.TrimSuffix(o.basePath, "/")
	if o.basePath != "" && (!strings.HasPrefix(o.basePath, "/") || strings.ContainsAny(o.basePath, "?#%") || strings.Contains(o.basePath, "/-")) {
		return fmt.Errorf("--base-path %s: must begin with a slash and be a plain path, without /-", o.basePath)
	}
	return o.identity.validate(o.listen)
}

// usage writes --help. name is the command that the user types.
func usage(w io.Writer, name string) {
	fmt.Fprintf(w, "Watchglass shows a live view of a Kubernetes cluster in a browser tab. It is read-only.\n\nUsage:\n  %s [flags]\n", name)
	for _, c := range commands {
		fmt.Fprintf(w, "  %s %-18s %s\n", name, c.name+c.takes, c.help)
	}
	fmt.Fprint(w, "\nFlags can also be set as environment variables (--listen as WATCHGLASS_LISTEN) or in the YAML file named by --config,\nexcept --link, --version, --licenses and --help. Flags override environment variables, which override the file.\n\n")
	for _, f := range new(options).flags() {
		short := "    "
		if f.short != "" {
			short = "-" + f.short + ", "
		}
		fmt.Fprintf(w, "  %s--%s\n        %s\n", short, f.name+f.takes(), f.help)
	}
}

// table writes the table of flags in README.md.
func table(w io.Writer) {
	fmt.Fprintln(w, "| flag | environment variable | description |\n| --- | --- | --- |")
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
