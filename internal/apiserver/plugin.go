//go:build !js

package apiserver

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
)

// The wait after a credential plugin failed doubles from pluginFirst to pluginMost: whoever
// has to sign in may just have done so.
const (
	pluginFirst = 2 * time.Second
	pluginMost  = 30 * time.Second
	// pluginLeast is the shortest time between two runs, whoever asks.
	pluginLeast = time.Second
)

// plugin runs the credential plugin of a kubeconfig on behalf of all requests. client-go
// runs it for every request while it fails; here a failure is shared until the next run is
// due.
type plugin struct {
	run    func() error // gets the credentials, which client-go caches
	stderr *pluginStderr

	turn chan struct{} // one place: who holds it may run the plugin

	mu      sync.Mutex
	failed  *CredentialsError // the last failure; nil if there are credentials
	ran     time.Time         // when the plugin last failed
	again   pluginBackoff     // after failures
	refresh pluginBackoff     // after credentials that were not accepted
}

// pluginBackoff is the time before which the plugin is not run again.
type pluginBackoff struct {
	wait  time.Duration
	until time.Time
}

func (b *pluginBackoff) next(now time.Time) {
	b.wait = min(max(2*b.wait, pluginFirst), pluginMost)
	b.until = now.Add(b.wait)
}

// CredentialsError is a failure of a credential plugin. Its text is client-go's.
type CredentialsError struct {
	cause error
	said  string
}

func (e *CredentialsError) Error() string { return "getting credentials: " + e.cause.Error() }

func (e *CredentialsError) Unwrap() error { return e.cause }

// Credentials is what users are told: what failed, and the last lines that it wrote.
func (e *CredentialsError) Credentials() string {
	if e.said == "" {
		return e.cause.Error()
	}
	return fmt.Sprintf("%v: %s", e.cause, e.said)
}

// plugins are the plugins that run in this process, by what client-go knows each by: it
// keeps one for all kubeconfigs that name the same.
var plugins struct {
	sync.Mutex
	by map[*transport.GetCertHolder]*plugin
}

// pluginOf returns the credential plugin of a configuration, or nil if it uses none.
func pluginOf(config *rest.Config, log func(line string)) (*plugin, error) {
	if config.ExecProvider == nil {
		return nil, nil
	}
	plugins.Lock()
	defer plugins.Unlock()
	stderr, err := newPluginStderr(log)
	if err != nil {
		return nil, err
	}
	// client-go gives the plugin the standard error that there is when it first hears of
	// the plugin, and knows no other way to set it.
	terminal := os.Stderr
	os.Stderr = stderr.write
	made, err := config.TransportConfig()
	os.Stderr = terminal
	if err != nil || made.TLS.GetCertHolder == nil { // it is unusable, which connect says, or unused
		stderr.close()
		return nil, nil
	}
	holder := made.TLS.GetCertHolder
	if known := plugins.by[holder]; known != nil {
		stderr.close()
		return known, nil
	}
	p := newPlugin(func() error { _, err := holder.GetCert(); return err }, stderr)
	if plugins.by == nil {
		plugins.by = make(map[*transport.GetCertHolder]*plugin)
	}
	plugins.by[holder] = p
	go stderr.copy(terminal) // as long as client-go keeps the plugin: until the process ends
	return p, nil
}

func newPlugin(run func() error, stderr *pluginStderr) *plugin {
	return &plugin{run: run, stderr: stderr, turn: make(chan struct{}, 1)}
}

// get returns once there are credentials, with the failure that is shared, or when ctx ends:
// a plugin may wait for its user, and goes on then.
func (p *plugin) get(ctx context.Context) error {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if failed := p.shared(time.Now()); failed != nil {
		<-p.turn
		return failed
	}
	ran := make(chan error, 1)
	go func() {
		defer func() { <-p.turn }()
		ran <- p.runOnce()
	}()
	select {
	case err := <-ran:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// runOnce runs the plugin, and keeps its failure to share.
func (p *plugin) runOnce() error {
	said, err := p.stderr.during(p.run)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil {
		p.failed, p.again = nil, pluginBackoff{}
		return nil
	}
	p.ran = time.Now()
	p.failed = &CredentialsError{cause: err, said: said}
	p.again.next(p.ran)
	return p.failed
}

// shared returns the last failure, unless the plugin is due.
func (p *plugin) shared(now time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed != nil && now.Before(p.again.until) {
		return p.failed
	}
	return nil
}

// retry has the next request run the plugin, because somebody asks for it.
func (p *plugin) retry() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.again.until = p.ran.Add(pluginLeast)
	p.refresh.until = time.Time{}
}

// mayRefresh reports whether the plugin may be run because the apiserver did not accept
// what it gave.
func (p *plugin) mayRefresh(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if now.Before(p.refresh.until) {
		return false
	}
	p.refresh.next(now)
	return true
}

func (p *plugin) accepted() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refresh = pluginBackoff{}
}

// unrefreshed stands for 401 on its way past client-go, which runs the plugin for each.
const unrefreshed = -http.StatusUnauthorized

// inner is the transport below client-go's, which adds the credentials.
func (p *plugin) inner(base http.RoundTripper) http.RoundTripper {
	return roundTripperFunc(func(r *http.Request) (*http.Response, error) {
		resp, err := base.RoundTrip(r)
		switch {
		case err != nil:
		case resp.StatusCode != http.StatusUnauthorized:
			p.accepted()
		case !p.mayRefresh(time.Now()):
			resp.StatusCode = unrefreshed
		}
		return resp, err
	})
}

// outer is the transport above client-go's.
func (p *plugin) outer(base http.RoundTripper) http.RoundTripper {
	return roundTripperFunc(func(r *http.Request) (*http.Response, error) {
		if err := p.get(r.Context()); err != nil {
			return nil, err
		}
		resp, err := base.RoundTrip(r)
		if err == nil && resp.StatusCode == unrefreshed {
			resp.StatusCode = http.StatusUnauthorized
		}
		return resp, err
	})
}

// roundTripperFunc is a transport that is a function.
type roundTripperFunc func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f roundTripperFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
