//go:build !js

package apiserver

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport"
)

// The wait after a failure of a credential plugin doubles from pluginFirst to pluginMost. It is
// short, since the user may just have signed in.
const (
	pluginFirst = 2 * time.Second
	pluginMost  = 30 * time.Second
	// pluginLeast is the minimum time between two runs, even after Retry.
	pluginLeast = time.Second
)

// plugin runs the credential plugin of a kubeconfig on behalf of all requests. While a plugin
// fails, client-go would run it for every request; here requests share the failure until the
// next run is due.
type plugin struct {
	run    func() error // gets the credentials, which client-go caches
	stderr *pluginStderr

	turn chan struct{} // capacity 1: its holder may run the plugin

	mu      sync.Mutex
	failed  *CredentialsError // the last failure; nil if there are credentials
	ran     time.Time         // when the plugin last failed
	again   pluginBackoff     // after failures
	refresh pluginBackoff     // after rejected credentials
}

// pluginBackoff delays the next run of the plugin.
type pluginBackoff struct {
	wait  time.Duration
	until time.Time
}

func (b *pluginBackoff) next(now time.Time) {
	b.wait = min(max(2*b.wait, pluginFirst), pluginMost)
	b.until = now.Add(b.wait)
}

// CredentialsError is a failure of a credential plugin, or says that a request ended before the
// plugin did. Error returns client-go's text of a failure.
type CredentialsError struct {
	cause error
	said  string
}

func (e *CredentialsError) Error() string { return "getting credentials: " + e.cause.Error() }

func (e *CredentialsError) Unwrap() error { return e.cause }

// Credentials returns the text for users: what failed, and the last lines of the plugin's
// output.
func (e *CredentialsError) Credentials() string {
	if e.said == "" {
		return e.cause.Error()
	}
	return fmt.Sprintf("%v: %s", e.cause, e.said)
}

// stillRunning is the cause of a CredentialsError whose plugin has not ended. It wraps the reason why
// the request ended.
type stillRunning struct{ ended error }

func (*stillRunning) Error() string { return "still running, and may be waiting for you to sign in" }

func (e *stillRunning) Unwrap() error { return e.ended }

// plugins are the plugins of this process by client-go's key, which is the same for all
// kubeconfigs that configure the same plugin.
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
	// client-go passes the plugin the os.Stderr of the time when it first sees the plugin. There
	// is no other way to set it.
	terminal := os.Stderr
	os.Stderr = stderr.write
	made, err := config.TransportConfig()
	os.Stderr = terminal
	if err != nil || made.TLS.GetCertHolder == nil { // unusable, which connect reports, or unused
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
	go stderr.copy(terminal) // until the process ends, as client-go never drops the plugin
	return p, nil
}

func newPlugin(run func() error, stderr *pluginStderr) *plugin {
	return &plugin{run: run, stderr: stderr, turn: make(chan struct{}, 1)}
}

// get returns when there are credentials, when the plugin has failed, or when ctx ends. It leaves
// the plugin running then, since it may be waiting for its user.
func (p *plugin) get(ctx context.Context) error {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return p.unfinished(ctx)
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
		return p.unfinished(ctx)
	}
}

// unfinished returns the error of a request that ended before the plugin did: the apiserver was not
// asked, so it is not to blame. It contains what the plugin has written so far, such as where to
// sign in.
func (p *plugin) unfinished(ctx context.Context) error {
	return &CredentialsError{cause: &stillRunning{context.Cause(ctx)}, said: p.stderr.soFar()}
}

// runOnce runs the plugin, and stores its failure for other requests.
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

// shared returns the last failure, or nil if the plugin may be run.
func (p *plugin) shared(now time.Time) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.failed != nil && now.Before(p.again.until) {
		return p.failed
	}
	return nil
}

// retry lets the next request run the plugin, because a user asks for it.
func (p *plugin) retry() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.again.until = p.ran.Add(pluginLeast)
	p.refresh.until = time.Time{}
}

// mayRefresh reports whether the plugin may be run again because the apiserver rejected its
// credentials.
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

// rejected replaces status 401 inside client-go, which would run the plugin within that request, for
// as long as the plugin takes.
const rejected = -http.StatusUnauthorized

// rejection marks the request within which client-go runs the plugin. It is not sent.
type rejection struct{}

// inner wraps the transport below client-go's. client-go's adds the credentials.
func (p *plugin) inner(base http.RoundTripper) http.RoundTripper {
	return roundTripperFunc(func(r *http.Request) (*http.Response, error) {
		if r.Context().Value(rejection{}) != nil {
			return &http.Response{StatusCode: http.StatusUnauthorized, Body: http.NoBody, Request: r}, nil
		}
		if complete, ok := r.Context().Value(completeKey{}).(func()); ok {
			complete()
		}
		resp, err := base.RoundTrip(r)
		switch {
		case err != nil:
		case resp.StatusCode == http.StatusUnauthorized:
			resp.StatusCode = rejected
		default:
			p.accepted()
		}
		return resp, err
	})
}

// outer wraps client-go's transport.
func (p *plugin) outer(base http.RoundTripper) http.RoundTripper {
	return roundTripperFunc(func(r *http.Request) (*http.Response, error) {
		if err := p.get(r.Context()); err != nil {
			return nil, err
		}
		resp, err := p.send(base, r)
		if err == nil && resp.StatusCode == rejected {
			resp.StatusCode = http.StatusUnauthorized
			p.replace(base, r.URL)
		}
		return resp, err
	})
}

// completeKey is the context key of a function that inner calls when a request has its credentials.
type completeKey struct{}

// send has client-go complete and send a request, and returns when it is answered or its context ends.
// client-go itself would not return then if the plugin was started after get.
func (p *plugin) send(base http.RoundTripper, r *http.Request) (*http.Response, error) {
	type answer struct {
		resp *http.Response
		err  error
	}
	ctx, complete, answered := r.Context(), make(chan struct{}), make(chan answer, 1)
	go func() { // until the request is answered, or the plugin ends
		marked := context.WithValue(ctx, completeKey{}, sync.OnceFunc(func() { close(complete) }))
		resp, err := base.RoundTrip(r.WithContext(marked))
		answered <- answer{resp, err}
	}()
	select {
	case <-complete:
	case a := <-answered:
		return a.resp, a.err
	case <-ctx.Done():
		select {
		case <-complete:
		default:
			go func() {
				if a := <-answered; a.err == nil { // it was sent after all
					a.resp.Body.Close()
				}
			}()
			return nil, p.unfinished(ctx)
		}
	}
	a := <-answered
	return a.resp, a.err
}

// replace has client-go run the plugin again because the apiserver rejected its credentials, unless
// that was done a moment ago. Requests wait for the run in get, where they can end before it.
func (p *plugin) replace(base http.RoundTripper, at *url.URL) {
	if !p.mayRefresh(time.Now()) {
		return
	}
	go func() { // until the plugin ends, as in get
		p.turn <- struct{}{}
		defer func() { <-p.turn }()
		_, _ = p.stderr.during(func() error { // client-go only logs a failure
			r := &http.Request{Method: http.MethodGet, URL: at, Header: make(http.Header)}
			_, err := base.RoundTrip(r.WithContext(context.WithValue(context.Background(), rejection{}, true)))
			return err
		})
	}()
}

// roundTripperFunc is a function as a transport.
type roundTripperFunc func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f roundTripperFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
