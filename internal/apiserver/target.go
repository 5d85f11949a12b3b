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

// Options are kubectl's flags of the same names. The zero value means what kubectl does without
// flags.
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
	// Bare ignores all credentials: each user brings their own.
	Bare bool
	// Protected refuses an apiserver that others on the network could impersonate: one whose
	// certificate is not checked, or which is reached over plain HTTP.
	Protected bool
	// PluginLog is called with each line that a credential plugin writes to its standard error.
	// If it is nil, the output goes to our standard error, and errors contain the end of it. Only
	// the user who started the proxy may see it.
	PluginLog func(line string)
	// StreamBuffer is how many bytes of a response are received ahead of its reader. The default, 4 MB, is best for an
	// apiserver far away. A process with many users cannot have it for each of their lists.
	StreamBuffer int
	// IdleFor is how long idle connections stay open. The default is client-go's.
	IdleFor time.Duration
}

// Target is an apiserver, and the identity of requests to it.
type Target struct {
	Base      *url.URL
	Transport http.RoundTripper
	Pulse     *Pulse

	// Origin is where the configuration was read from: files, or the pod.
	Origin string
	// The names in the kubeconfig, or fixed names for a pod.
	Context, Cluster, User string
	// Namespace is that of the flags, or else of the context. Narrow is true if a flag limits
	// the target to it.
	Namespace string
	Narrow    bool
	Contexts  []string

	release  atomic.Pointer[string]
	settings settings

	bare   bool                  // without credentials
	inPod  bool                  // with the service account of a pod
	plugin *plugin               // credential plugin; nil if there is none
	life   func(context.Context) // simulation of the demo cluster
}

// ErrNoConfig says that there is neither a kubeconfig nor a service account of a pod.
var ErrNoConfig = errors.New("no kubeconfig")

// Load resolves the options to a Target. It sends nothing.
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

// ErrUnprotected says that users' credentials could be sent to another server.
var ErrUnprotected = errors.New("users' credentials would be sent unprotected")

// protected returns an error if others on the network could read or answer requests.
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

// Names are the names in a kubeconfig, sorted.
type Names struct{ Contexts, Clusters, Users []string }

// Names returns the names in the kubeconfig, or none if it cannot be read.
func (o Options) Names() Names {
	raw, err := o.loader().RawConfig()
	if err != nil {
		return Names{}
	}
	return Names{slices.Sorted(maps.Keys(raw.Contexts)), slices.Sorted(maps.Keys(raw.Clusters)), slices.Sorted(maps.Keys(raw.AuthInfos))}
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

// restConfig resolves the kubeconfig, or else the service account of the pod.
func (o Options) restConfig(loader clientcmd.ClientConfig, raw api.Config, t *Target) (*rest.Config, error) {
	if isEmpty(raw) && o.Context == "" && o.Cluster == "" && o.User == "" {
		return o.inCluster(t)
	}
	config, err := loader.ClientConfig()
	if err != nil && !clientcmd.IsEmptyConfig(err) {
		if names := o.Names().Contexts; o.Context != "" && !slices.Contains(names, o.Context) {
			err = fmt.Errorf("%w; the kubeconfig has %s", err, strings.Join(names, ", "))
		}
		return nil, fmt.Errorf("resolve the kubeconfig: %w", err)
	}
	t.name(o, raw)
	if incomplete := t.complete(raw, err); incomplete != nil {
		return nil, fmt.Errorf("resolve the kubeconfig: %w", incomplete)
	}
	user := t.User
	if o.As != "" {
		t.User = o.As
	}
	if t.Namespace, _, err = loader.Namespace(); err != nil {
		return nil, fmt.Errorf("resolve the namespace: %w", err)
	}
	t.settings = newSettings(raw, t.Cluster, user, t.Namespace)
	return config, nil
}

// complete returns an error that says what is missing in the kubeconfig. Without a cluster,
// client-go only says that there is no configuration, and kubectl uses localhost. Without a
// user, client-go is anonymous, and kubectl prompts for a name.
func (t *Target) complete(raw api.Config, empty error) error {
	switch {
	case t.User != "" && raw.AuthInfos[t.User] == nil:
		return fmt.Errorf("context %q names the user %q, which is not in the kubeconfig", t.Context, t.User)
	case empty == nil:
		return nil
	case t.Cluster != "" && raw.Clusters[t.Cluster] == nil:
		return fmt.Errorf("context %q names the cluster %q, which is not in the kubeconfig", t.Context, t.Cluster)
	case t.Cluster != "":
		return empty
	case t.Context != "":
		return fmt.Errorf("context %q names no cluster", t.Context)
	case len(t.Contexts) > 0:
		return fmt.Errorf("no current context: choose one with --context (%s)", strings.Join(t.Contexts, ", "))
	}
	return errors.New("it has no context: choose a cluster with --cluster")
}

func isEmpty(raw api.Config) bool {
	return len(raw.Clusters) == 0 && len(raw.AuthInfos) == 0 && len(raw.Contexts) == 0
}

// name sets the names of the context, the cluster and the user.
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

// podNamespace is the file with a pod's own namespace.
const podNamespace = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

func (o Options) inCluster(t *Target) (*rest.Config, error) {
	config, err := rest.InClusterConfig()
	if errors.Is(err, rest.ErrNotInCluster) {
		return nil, fmt.Errorf("%w: not found in %s, and this is not a pod", ErrNoConfig, t.Origin)
	}
	if err != nil {
		return nil, fmt.Errorf("read the service account of the pod: %w", err)
	}
	config.Impersonate = rest.ImpersonationConfig{UserName: o.As, UID: o.AsUID, Groups: o.AsGroups}
	t.Origin, t.Context, t.Cluster, t.User = "the pod's service account", "in-cluster", "in-cluster", "service account"
	t.inPod = true
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

// http2Pings are environment variables that configure the Kubernetes transport: it sends a ping
// after three seconds of silence, and closes the connection three seconds later. Variables that
// the user has set are kept.
var http2Pings = map[string]string{"HTTP2_READ_IDLE_TIMEOUT_SECONDS": "3", "HTTP2_PING_TIMEOUT_SECONDS": "3"}

// forgetful makes connections keep as little as possible of their users. HTTP/2 keeps sent
// headers, with credentials, in a table for as long as the connection lives, in case they are
// sent again. The table is disabled. It also sets the size of the buffer of a response.
func (o Options) forgetful(rt http.RoundTripper) http.RoundTripper {
	base := rt
	for wrapper, ok := base.(utilnet.RoundTripperWrapper); ok; wrapper, ok = base.(utilnet.RoundTripperWrapper) {
		base = wrapper.WrappedRoundTripper()
	}
	if t, ok := base.(*http.Transport); ok {
		t.HTTP2 = &http.HTTP2Config{MaxEncoderHeaderTableSize: 1, MaxReceiveBufferPerStream: o.StreamBuffer} // 0 means the default size
		if o.IdleFor > 0 {
			t.IdleConnTimeout = o.IdleFor
		}
	}
	return rt
}

// connect creates the transport, which dials at the first request.
func (t *Target) connect(config *rest.Config, userAgent string) error {
	for name, value := range http2Pings {
		if os.Getenv(name) == "" {
			if err := os.Setenv(name, value); err != nil {
				return fmt.Errorf("set %s: %w", name, err)
			}
		}
	}
	config.UserAgent = userAgent // the apiserver indents JSON for browsers
	config.Dial = dial
	config.DisableCompression = true // between apiserver and proxy it costs more than it saves
	base, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return fmt.Errorf("the cluster's server is not a valid address: %w", err)
	}
	t.Base = base
	if t.Transport, err = rest.TransportFor(config); err != nil {
		return fmt.Errorf("prepare the connection to %s: %w", base.Host, err)
	}
	if t.plugin != nil {
		t.Transport = t.plugin.outer(t.Transport)
	}
	t.Transport = &heardTransport{t.Transport, t.Pulse}
	t.Pulse.probe = t.version
	return nil
}

// Release returns the apiserver's release, such as "1.36", or "" if it is not known yet.
func (t *Target) Release() string {
	if release := t.release.Load(); release != nil {
		return *release
	}
	return ""
}

// SetRelease stores the apiserver's release.
func (t *Target) SetRelease(release string) { t.release.Store(&release) }

// Retry lets the next request run a failed credential plugin again, because a user asks for it.
func (t *Target) Retry() {
	if t.plugin != nil {
		t.plugin.retry()
	}
}
