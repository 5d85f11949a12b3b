//go:build !js

package apiserver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	_ "k8s.io/client-go/plugin/pkg/client/auth" // the legacy auth-provider entries
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// Options are kubectl's flags of the same names. The zero value is what kubectl
// does without flags.
type Options struct {
	Kubeconfig string
	Context    string
	Cluster    string
	User       string
	Namespace  string
	As         string
	AsUID      string
	AsGroups   []string
	UserAgent  string
	// Bare leaves all credentials out: each user brings their own.
	Bare bool
	// Protected refuses an apiserver that anybody on the network could stand in for: one
	// whose certificate is not checked, or that is reached over plain HTTP.
	Protected bool
	// PluginLog takes each line that a credential plugin writes to its standard error.
	// Without it that goes to ours, and errors say the last of it: it is for whoever
	// started the proxy, and for nobody else.
	PluginLog func(line string)
	// IdleFor is how long a connection is kept that nobody uses; else as client-go has it.
	IdleFor time.Duration
}

// Target is an apiserver as one user reaches it.
type Target struct {
	Base      *url.URL
	Transport http.RoundTripper
	Pulse     *Pulse

	// Origin says where this was read: files, or the pod.
	Origin string
	// Names as the kubeconfig has them; of a pod, what it calls itself.
	Context, Cluster, User string
	// Namespace of the flags, else of the context. Narrow says that a flag
	// asked for it.
	Namespace string
	Narrow    bool
	Contexts  []string

	release atomic.Pointer[string]

	bare   bool                  // it has no credentials
	plugin *plugin               // that gets them; nil if they are in the kubeconfig
	life   func(context.Context) // of the demo cluster
}

// ErrNoConfig says that there is no kubeconfig, and no pod around.
var ErrNoConfig = errors.New("no kubeconfig")

// Load resolves the options to a Target. Nothing is sent yet.
func Load(o Options) (*Target, error) {
	loader := o.loader()
	raw, err := loader.RawConfig()
	if err != nil {
		return nil, fmt.Errorf("read the kubeconfig: %w", err)
	}
	t := &Target{Pulse: newPulse(), Origin: o.origin(loader), Namespace: o.Namespace, Narrow: o.Namespace != ""}
	config, err := o.restConfig(loader, raw, t)
	if err != nil {
		return nil, err
	}
	if o.Bare {
		config, t.bare, t.User = rest.AnonymousClientConfig(config), true, ""
	}
	config.Wrap(o.forgetful)
	if t.plugin, err = pluginOf(config, o.PluginLog); err != nil {
		return nil, fmt.Errorf("prepare the credential plugin: %w", err)
	}
	if t.plugin != nil {
		config.Wrap(t.plugin.inner)
	}
	if err := t.connect(config, o.UserAgent); err != nil {
		return nil, err
	}
	if o.Protected {
		if err := t.protected(raw); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// ErrUnprotected says that users' credentials would go to whoever answers.
var ErrUnprotected = errors.New("users' credentials would be sent unprotected")

// protected says how others on the network could read or answer what is sent.
func (t *Target) protected(raw api.Config) error {
	cluster, via := raw.Clusters[t.Cluster], t.Base
	if cluster != nil && cluster.ProxyURL != "" {
		if proxy, err := url.Parse(cluster.ProxyURL); err == nil { // client-go has parsed it
			via = proxy
		}
	}
	switch {
	case t.Base.Scheme != "https" && !(isLoopback(t.Base.Hostname()) && isLoopback(via.Hostname())):
		return fmt.Errorf("%w: context %q reaches %s over plain HTTP", ErrUnprotected, t.Context, t.Base.Host)
	case cluster != nil && cluster.InsecureSkipTLSVerify:
		return fmt.Errorf("%w: context %q does not check the certificate of %s (insecure-skip-tls-verify)", ErrUnprotected, t.Context, t.Base.Host)
	}
	return nil
}

// isLoopback reports whether a host is this machine.
func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (o Options) loader() clientcmd.ClientConfig {
	rules := clientcmd.NewDefaultClientConfigLoadingRules()
	rules.ExplicitPath = o.Kubeconfig
	overrides := &clientcmd.ConfigOverrides{
		CurrentContext: o.Context,
		Context:        api.Context{Cluster: o.Cluster, AuthInfo: o.User, Namespace: o.Namespace},
		AuthInfo:       api.AuthInfo{Impersonate: o.As, ImpersonateUID: o.AsUID, ImpersonateGroups: o.AsGroups},
	}
	return clientcmd.NewNonInteractiveDeferredLoadingClientConfig(rules, overrides)
}

// restConfig resolves the kubeconfig, or else what a pod is given.
func (o Options) restConfig(loader clientcmd.ClientConfig, raw api.Config, t *Target) (*rest.Config, error) {
	if isEmpty(raw) && o.Context == "" && o.Cluster == "" && o.User == "" {
		return o.inCluster(t)
	}
	config, err := loader.ClientConfig()
	if err != nil && !clientcmd.IsEmptyConfig(err) {
		return nil, fmt.Errorf("resolve the kubeconfig: %w", err)
	}
	t.name(o, raw)
	if incomplete := t.complete(raw, err); incomplete != nil {
		return nil, fmt.Errorf("resolve the kubeconfig: %w", incomplete)
	}
	if o.As != "" {
		t.User = o.As
	}
	if t.Namespace, _, err = loader.Namespace(); err != nil {
		return nil, fmt.Errorf("resolve the namespace: %w", err)
	}
	return config, nil
}

// complete says what the kubeconfig lacks. Of a missing cluster client-go says
// that there is no configuration, where kubectl goes to localhost; with a
// missing user it goes on as nobody, where kubectl asks the terminal for a name.
func (t *Target) complete(raw api.Config, empty error) error {
	switch {
	case t.User != "" && raw.AuthInfos[t.User] == nil:
		return fmt.Errorf("context %q names the user %q, which the kubeconfig does not have", t.Context, t.User)
	case empty == nil:
		return nil
	case t.Cluster != "" && raw.Clusters[t.Cluster] == nil:
		return fmt.Errorf("context %q names the cluster %q, which the kubeconfig does not have", t.Context, t.Cluster)
	case t.Cluster != "":
		return empty
	case t.Context != "":
		return fmt.Errorf("context %q names no cluster", t.Context)
	case len(t.Contexts) > 0:
		return fmt.Errorf("no context is chosen: name one with --context (%s)", strings.Join(t.Contexts, ", "))
	}
	return errors.New("it has no context: name a cluster of it with --cluster")
}

func isEmpty(raw api.Config) bool {
	return len(raw.Clusters) == 0 && len(raw.AuthInfos) == 0 && len(raw.Contexts) == 0
}

// name notes what the kubeconfig calls the context and what is in it.
func (t *Target) name(o Options, raw api.Config) {
	t.Context = raw.CurrentContext
	if o.Context != "" {
		t.Context = o.Context
	}
	if c := raw.Contexts[t.Context]; c != nil {
		t.Cluster, t.User = c.Cluster, c.AuthInfo
	}
	if o.Cluster != "" {
		t.Cluster = o.Cluster
	}
	if o.User != "" {
		t.User = o.User
	}
	t.Contexts = slices.Sorted(maps.Keys(raw.Contexts))
}

// podNamespace is where a pod finds its own namespace.
const podNamespace = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

func (o Options) inCluster(t *Target) (*rest.Config, error) {
	config, err := rest.InClusterConfig()
	if errors.Is(err, rest.ErrNotInCluster) {
		return nil, fmt.Errorf("%w: %s has none, and this is no pod", ErrNoConfig, t.Origin)
	}
	if err != nil {
		return nil, fmt.Errorf("read what the pod is given: %w", err)
	}
	config.Impersonate = rest.ImpersonationConfig{UserName: o.As, UID: o.AsUID, Groups: o.AsGroups}
	t.Origin, t.Context, t.Cluster, t.User = "the pod's own account", "in-cluster", "in-cluster", "service account"
	if o.As != "" {
		t.User = o.As
	}
	if ns, err := os.ReadFile(podNamespace); err == nil && t.Namespace == "" {
		t.Namespace = strings.TrimSpace(string(ns))
	}
	return config, nil
}

func (o Options) origin(loader clientcmd.ClientConfig) string {
	if files := loader.ConfigAccess().GetLoadingPrecedence(); len(files) > 0 && o.Kubeconfig == "" {
		return strings.Join(files, string(os.PathListSeparator))
	}
	return o.Kubeconfig
}

// An upstream connection is asked for a sign of life after three seconds of
// silence, and given up three seconds later. These variables are how the
// Kubernetes transport is told; what the user has set stands.
var http2Pings = map[string]string{"HTTP2_READ_IDLE_TIMEOUT_SECONDS": "3", "HTTP2_PING_TIMEOUT_SECONDS": "3"}

// forgetful has connections keep as little as can be of who used them. A header that was
// sent is kept for as long as the connection, in case it is sent again, with what it says
// of who is asking: a table that holds nothing keeps none.
func (o Options) forgetful(rt http.RoundTripper) http.RoundTripper {
	base := rt
	for wrapper, ok := base.(utilnet.RoundTripperWrapper); ok; wrapper, ok = base.(utilnet.RoundTripperWrapper) {
		base = wrapper.WrappedRoundTripper()
	}
	if t, ok := base.(*http.Transport); ok {
		t.HTTP2 = &http.HTTP2Config{MaxEncoderHeaderTableSize: 1} // 0 is the usual size
		if o.IdleFor > 0 {
			t.IdleConnTimeout = o.IdleFor
		}
	}
	return rt
}

// connect makes the transport. It dials when the first request is sent.
func (t *Target) connect(config *rest.Config, userAgent string) error {
	for name, value := range http2Pings {
		if os.Getenv(name) == "" {
			if err := os.Setenv(name, value); err != nil {
				return fmt.Errorf("set %s: %w", name, err)
			}
		}
	}
	config.UserAgent = userAgent // a browser's makes the apiserver indent its JSON
	config.Dial = t.Pulse.dial
	config.DisableCompression = true // on the way to the proxy it costs more than it saves
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return fmt.Errorf("the cluster's server is no address: %w", err)
	}
	t.Base = base
	if t.Transport, err = rest.TransportFor(config); err != nil {
		return fmt.Errorf("prepare the connection to %s: %w", base.Host, err)
	}
	if t.plugin != nil {
		t.Transport = t.plugin.outer(t.Transport)
	}
	t.Pulse.probe = t.version
	return nil
}

// Release is what the apiserver said it is when it was last asked, "1.36"; empty until then.
func (t *Target) Release() string {
	if release := t.release.Load(); release != nil {
		return *release
	}
	return ""
}

// SetRelease remembers what the apiserver says it is.
func (t *Target) SetRelease(release string) { t.release.Store(&release) }

// Retry has what failed by itself tried again at the next request, because somebody asks
// for it.
func (t *Target) Retry() {
	if t.plugin != nil {
		t.plugin.retry()
	}
}
