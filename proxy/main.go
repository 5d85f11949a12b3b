//go:build !js

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"watchglass/internal/apiserver"
	"watchglass/internal/edge"
	"watchglass/internal/edge/session"
	"watchglass/web/static"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	if err := run(ctx, arguments(os.Args), getenv, static.Built, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, commandName(os.Args[0])+":", err)
		os.Exit(1)
	}
}

// arguments returns the arguments of a command line. kubectl completes a plugin's arguments with
// a program of another name.
func arguments(line []string) []string {
	if programName(line[0]) == completerName {
		return append([]string{completeCommand}, line[1:]...)
	}
	return line[1:]
}

// run is the whole program; open returns the page to serve. The first line that it prints to
// stdout is the address to open.
func run(ctx context.Context, args []string, env func(string) string, open func() (*static.Site, error), stdout, stderr io.Writer) error {
	if len(args) > 0 && args[0] == completeCommand {
		printCompletion(args[1:], env, stdout)
		return nil
	}
	o, err := parse(args, env)
	if err != nil {
		return err
	}
	switch {
	case o.help:
		usage(stdout, commandName(os.Args[0]))
		return nil
	case o.shell != "":
		fmt.Fprint(stdout, completions[o.shell])
		return nil
	case o.version:
		fmt.Fprintln(stdout, built())
		return nil
	case o.link:
		return o.printLink(stdout)
	}
	log := o.logger(stderr)
	site, err := open()
	if err != nil {
		return err
	}
	if o.licenses {
		text, err := site.Licenses()
		if err == nil {
			_, err = stdout.Write(text)
		}
		return err
	}
	if o.page != "" {
		return o.writePage(site, stdout)
	}
	return o.run(ctx, site, env, stdout, log)
}

// run serves the page until the context ends.
func (o *options) run(ctx context.Context, site *static.Site, env func(string) string, stdout io.Writer, log *slog.Logger) error {
	o.cluster.UserAgent = "watchglass/" + version()
	if !o.local() {
		o.cluster.PluginLog = func(line string) { log.Warn("credential plugin output", "line", line) }
	}
	replayed, target, err := o.shown(env, log)
	if err != nil {
		return err
	}
	if replayed != nil {
		if site, err = site.Replaying(); err != nil {
			return err
		}
	}
	key, err := o.key(log)
	if err != nil {
		return fmt.Errorf("cookie key: %w", err)
	}
	p, err := o.operate(ctx, log)
	if err != nil {
		return err
	}
	defer p.close()
	others := 0 // browsers use a fixed address
	if o.local() {
		others = otherPorts
	}
	l, err := listen(ctx, o.listen, others, func(asked, port int) { log.Warn("port in use", "port", asked, "listening", port) })
	if err != nil {
		return err
	}
	life, end := context.WithCancel(context.WithoutCancel(ctx)) // outlives ctx until the drain is over
	defer end()
	if env("GOGC") == "" { // the user has not set it
		go gc(life)
	}
	token := session.NewSecret()
	s := &server{
		options: o, contexts: newContexts(life, target, o.switches(target)), site: site, replayed: replayed, log: log, operation: p,
		sessions: session.NewRegistry(session.Limits{Connections: o.limits.connections, Lists: float64(o.limits.lists)}),
	}
	if s.auth, err = s.newAuthenticator(l.Addr(), token, key); err != nil {
		return err
	}
	if replayed == nil {
		log.Info("authentication mode", "auth", s.auth.Mode(), "as", o.upstreamAs(target))
	}
	fmt.Fprintln(stdout, "Watchglass is at", s.address(l, token))
	go s.contexts.run()
	go s.followKubeconfig(life)
	if replayed == nil {
		go s.greet(ctx, target)
	}
	if o.open {
		defer open(s.address(l, edge.NewTicket(key, port(l.Addr()), time.Now())), log)()
	}
	return s.serve(ctx, l)
}

// upstreamAs describes the identity of requests to the apiserver.
func (o *options) upstreamAs(t *apiserver.Target) string {
	switch {
	case o.local():
		return t.User + ", from " + t.Origin
	case o.bare():
		return "each user, with their own token"
	}
	return "each user, impersonated by " + t.User + ", from " + t.Origin
}

// target returns the cluster to show. It is the demo cluster if a flag says so, or if there is
// no kubeconfig and nothing names one. A kubeconfig that cannot be used is an error.
func (o *options) target(env func(string) string, log *slog.Logger) (*apiserver.Target, error) {
	if !o.demo {
		t, err := apiserver.Load(o.cluster)
		switch {
		case err == nil:
			return t, nil
		case errors.Is(err, apiserver.ErrUnprotected):
			return nil, fmt.Errorf("%w. Use https and certificate-authority in the kubeconfig, or allow this with --allow-insecure-upstream", err)
		case !errors.Is(err, apiserver.ErrNoConfig):
			return nil, err
		case o.named() || !o.local() || env("KUBECONFIG") != "":
			return nil, fmt.Errorf("%w. Set --kubeconfig or KUBECONFIG, or show the demo cluster with --demo", err)
		}
		log.Warn("no kubeconfig found, showing the demo cluster: set --kubeconfig to show your own")
	}
	t, err := o.demos.Load(o.demos.Names()[0])
	if err != nil {
		return nil, err
	}
	t.Namespace, t.Narrow = o.cluster.Namespace, o.cluster.Namespace != ""
	return t, nil
}

// switches returns the function that loads other contexts, or nil if there are none: if a flag
// names a cluster or a user, in a single demo cluster, and with a pod's service account.
func (o *options) switches(start *apiserver.Target) loader {
	switch {
	case o.cluster.Cluster != "" || o.cluster.User != "":
		return nil
	case start.IsDemo() && len(start.Contexts) > 1:
		return o.demos.Load
	}
	return o.loadContext(start)
}

// loadContext returns the function that loads a context of the kubeconfig, or nil if the cluster
// at the start comes from elsewhere.
func (o *options) loadContext(start *apiserver.Target) loader {
	if len(start.Contexts) == 0 || start.IsDemo() {
		return nil
	}
	return func(name string) (*apiserver.Target, error) {
		other := o.cluster
		other.Context = name
		return apiserver.Load(other)
	}
}

// followKubeconfig keeps the contexts up to date until ctx ends.
func (s *server) followKubeconfig(ctx context.Context) {
	load := s.options.loadContext(s.contexts.start)
	if load == nil {
		return
	}
	s.contexts.follow(ctx, s.options.stamp, load, func(t *apiserver.Target) {
		s.log.Info("kubeconfig changed", "context", t.Context, "server", t.Base.Host, "user", t.User)
	})
}

// stamp differs after each change of the kubeconfig that is to be followed. In modes other than
// local, none is: users are signed in to the cluster that it had at the start.
func (o *options) stamp() string {
	if !o.local() {
		return ""
	}
	return o.cluster.Stamp()
}

func (o *options) logger(w io.Writer) *slog.Logger {
	level := slog.LevelInfo
	if o.verbose {
		level = slog.LevelDebug
	}
	if o.logJSON {
		return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level}))
	}
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: level}))
}

// greet logs whether the apiserver is reachable, unless the proxy is stopped meanwhile. The
// proxy goes on in either case; the page shows the same error, and retries.
func (s *server) greet(running context.Context, t *apiserver.Target) {
	attrs := []any{"context", t.Context, "server", t.Base.Host, "from", t.Origin}
	ctx, cancel := context.WithTimeout(running, 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.Base.JoinPath("version").String(), nil)
	if err != nil {
		s.log.Error("invalid apiserver address", append(attrs, "error", err)...)
		return
	}
	resp, err := t.Transport.RoundTrip(req)
	switch {
	case running.Err() != nil:
		return
	case err != nil:
		s.log.Error(unreached(err)+", retrying when a page asks", append(attrs, "error", words(err))...)
		return
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode == http.StatusUnauthorized && !s.options.bare():
		s.log.Error("credentials rejected by the apiserver: wrong or expired", attrs...)
	default:
		release, ok := releaseOf(resp)
		if !ok {
			s.log.Error("answer is not from an apiserver", append(attrs, "status", resp.Status)...)
			return
		}
		t.SetRelease(release) // saves a request before the first list of each tab
		s.log.Info("apiserver reached", attrs...)
	}
}

// releaseOf reads the answer to /version. It is ok if it may come from an apiserver, which
// answers with its version or denies access. A sign-in page or a load balancer does neither.
func releaseOf(resp *http.Response) (release string, ok bool) {
	if resp.StatusCode == http.StatusForbidden || resp.StatusCode == http.StatusUnauthorized {
		return "", true
	}
	var version struct{ Major, Minor, GitVersion string }
	err := json.NewDecoder(io.LimitReader(resp.Body, 64<<10)).Decode(&version)
	if resp.StatusCode != http.StatusOK || err != nil || version.GitVersion == "" {
		return "", false
	}
	return version.Major + "." + version.Minor, true
}

// words returns the text of an error, including the output of a credential plugin.
func words(err error) string {
	var plugin *apiserver.CredentialsError
	if errors.As(err, &plugin) {
		return plugin.Credentials()
	}
	return err.Error()
}

// unreached says what failed: the credential plugin, or the connection to the apiserver. A plugin
// that is still running has not failed.
func unreached(err error) string {
	switch plugin := strings.Contains(err.Error(), "getting credentials: "); { // client-go has no type for it
	case plugin && errors.Is(err, context.DeadlineExceeded):
		return "credential plugin has not finished"
	case plugin:
		return "credential plugin failed"
	}
	return "apiserver unreachable"
}
