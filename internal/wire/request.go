package wire

import (
	"encoding/json"
	"fmt"
)

// Verb is what a request asks of the apiserver. There is no verb that writes.
type Verb string

// The verbs.
const (
	List     Verb = "list"
	Watch    Verb = "watch"
	Get      Verb = "get"
	Discover Verb = "discover"
	Review   Verb = "review"
	Log      Verb = "log"
)

// Request asks for one stream: a list, a watch, an object, what the server has,
// who is asking, or what a container wrote. Its fields become a URL in the relay,
// by parts.
type Request struct {
	Verb        Verb   `json:"verb"`
	Group       string `json:"group,omitempty"`
	Version     string `json:"version,omitempty"`
	Resource    string `json:"resource,omitempty"`
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name,omitempty"`
	Subresource string `json:"subresource,omitempty"`

	// Encoding asks for what the default, protobuf and else Table, will not do
	// for: EncodingJSON, EncodingTable for what the tab cannot print itself,
	// EncodingWhole for that and the objects, EncodingMetadata, or EncodingYAML.
	Encoding Encoding `json:"encoding,omitempty"`
	// ManagedFields of a Get are kept.
	ManagedFields bool `json:"managedFields,omitempty"`
	// Access is what an access review asks about.
	Access *Access `json:"access,omitempty"`
	// Log is how a Log is asked for.
	Log *LogOptions `json:"log,omitempty"`

	// Now says that somebody waits for the answer: what is to be tried again at some
	// time is tried now.
	Now bool `json:"now,omitempty"`

	ListOptions
}

// ServerVersion asks which release the server is.
var ServerVersion = Request{Verb: Discover, Resource: "version"}

// Follows reports whether a request is for a log that goes on.
func (r Request) Follows() bool { return r.Verb == Log && r.Log != nil && r.Log.Follow }

// Access is what a user may or may not do, in the apiserver's words.
type Access struct {
	Namespace string `json:"namespace,omitempty"`
	Verb      string `json:"verb,omitempty"`
	Group     string `json:"group,omitempty"`
	Version   string `json:"version,omitempty"`
	Resource  string `json:"resource,omitempty"`
	Name      string `json:"name,omitempty"`

	Subresource string `json:"subresource,omitempty"`
}

// ListOptions are those of the apiserver, under its own names.
type ListOptions struct {
	LabelSelector        string `json:"labelSelector,omitempty"`
	FieldSelector        string `json:"fieldSelector,omitempty"`
	ResourceVersion      string `json:"resourceVersion,omitempty"`
	ResourceVersionMatch string `json:"resourceVersionMatch,omitempty"`
	Limit                int64  `json:"limit,omitempty"`
	Continue             string `json:"continue,omitempty"`
	TimeoutSeconds       int64  `json:"timeoutSeconds,omitempty"`
	AllowWatchBookmarks  bool   `json:"allowWatchBookmarks,omitempty"`
	SendInitialEvents    bool   `json:"sendInitialEvents,omitempty"`
}

// LogOptions are those of the apiserver, under its own names. Without a container
// it is the pod's only one.
type LogOptions struct {
	Container  string `json:"container,omitempty"`
	Follow     bool   `json:"follow,omitempty"`
	Previous   bool   `json:"previous,omitempty"`
	Timestamps bool   `json:"timestamps,omitempty"`
	// SinceSeconds or SinceTime, which is RFC 3339: one of them at most.
	SinceSeconds int64  `json:"sinceSeconds,omitempty"`
	SinceTime    string `json:"sinceTime,omitempty"`
	// TailLines may be 0: nothing but what is still to come.
	TailLines  *int64 `json:"tailLines,omitempty"`
	LimitBytes int64  `json:"limitBytes,omitempty"`
}

// Encoding is how the objects of a source are written.
type Encoding string

// The encodings.
const (
	EncodingDefault  Encoding = ""
	EncodingProtobuf Encoding = "protobuf"
	EncodingTable    Encoding = "table"
	EncodingJSON     Encoding = "json"
	// EncodingWhole is EncodingTable with whole objects in its rows, and not their
	// metadata alone.
	EncodingWhole Encoding = "whole"
	// EncodingMetadata asks for the metadata alone, of any kind, in a list or a watch.
	EncodingMetadata Encoding = "metadata"
	// EncodingYAML has the relay turn the object of a Get into what kubectl prints.
	EncodingYAML Encoding = "yaml"
)

// Same reports whether two requests would open the same stream. How long a
// watch may last is not part of what it is, nor who waits for it.
func (r Request) Same(o Request) bool {
	r.TimeoutSeconds, o.TimeoutSeconds, r.Now, o.Now = 0, 0, false, false
	return r == o
}

// InitialWatch is the request every source starts with: what is there, then
// what changes. The loader sends no more than the resource's name; relay and
// reflector both make the whole of it here, so that the tab can adopt a stream
// that was opened before it could ask.
func InitialWatch(group, version, resource, namespace string) Request {
	return Request{
		Verb: Watch, Group: group, Version: version, Resource: resource, Namespace: namespace,
		ListOptions: ListOptions{
			ResourceVersionMatch: "NotOlderThan",
			AllowWatchBookmarks:  true,
			SendInitialEvents:    true,
		},
	}
}

// Hello is the tab's first message, as text.
type Hello struct {
	V int `json:"v"`
	// Early names the resource the address shows ("pods", "deployments.apps");
	// the relay opens its initial watch as stream 1 at once.
	Early string `json:"early,omitempty"`
	// Proof is what the session's login was answered with: a cookie alone, which the
	// browser sends for whoever asks it to, does not do.
	Proof string `json:"proof,omitempty"`
}

// EarlyStream is the number of the stream that a Hello opened. Streams that the
// tab opens itself are numbered from the next on, and never reused.
const EarlyStream = 1

// ParseHello reads the first message.
func ParseHello(msg []byte) (Hello, error) {
	var h Hello
	if err := json.Unmarshal(msg, &h); err != nil {
		return h, fmt.Errorf("%w: hello: %v", ErrFrame, err)
	}
	if h.V != Version {
		return h, fmt.Errorf("%w: the tab speaks protocol %d, this proxy %d: reload the page", ErrFrame, h.V, Version)
	}
	return h, nil
}

// Welcome is the proxy's first message.
type Welcome struct {
	V       int    `json:"v"`
	Version string `json:"version"` // of the proxy
	Page    string `json:"page"`    // by the content of the page that it serves
	Context string `json:"context"` // as the kubeconfig names it
	Cluster string `json:"cluster"`
	User    string `json:"user"`
	Server  string `json:"server"` // host of the apiserver
	// Auth is how users say who they are: local, token, oidc or proxy.
	Auth string `json:"auth,omitempty"`
	// Bound says that the session is bound to a key of the browser. Where it is not, whoever
	// copies the browser's storage has it.
	Bound bool `json:"bound,omitempty"`
	// RenewIn is in how many milliseconds the session is to be renewed, if it ends.
	RenewIn int64 `json:"renewIn,omitempty"`
	// Namespace that -n or the kubeconfig chose; Narrow says that sources are
	// limited to it.
	Namespace string `json:"namespace,omitempty"`
	Narrow    bool   `json:"narrow,omitempty"`
	// Namespaces that --namespaces chose, with commas between, for who may not list
	// the whole cluster.
	Namespaces string `json:"namespaces,omitempty"`
	// Contexts that can be switched to, a line each.
	Contexts string `json:"contexts,omitempty"`
	// Release is what the apiserver said it was, "1.36", when the proxy last asked. It may
	// have been upgraded since.
	Release string `json:"release,omitempty"`
	// EarlyRequest is what the proxy made of the Hello's resource.
	EarlyRequest *Request `json:"earlyRequest,omitempty"`
}

// Same reports whether two proxies show the same: the same cluster, as the same
// user, as widely, in the same page.
func (w Welcome) Same(o Welcome) bool {
	w.V, w.Version, w.Release, w.EarlyRequest, w.Contexts, w.RenewIn, w.Bound = o.V, o.Version, o.Release, o.EarlyRequest, o.Contexts, o.RenewIn, o.Bound
	return w == o
}

// Opened says that the apiserver accepted a request.
type Opened struct {
	Encoding Encoding `json:"encoding"`
}

// End says that a stream is over. Without a Status the apiserver ended it as it
// ends every watch and list. After either the next watch resumes where this one
// stopped: all that came of it is whole.
type End struct {
	Status *Status `json:"status,omitempty"`
}

// ListMeta is the metadata of a list.
type ListMeta struct {
	ResourceVersion    string `json:"resourceVersion,omitempty"`
	Continue           string `json:"continue,omitempty"`
	RemainingItemCount int64  `json:"remainingItemCount,omitempty"`
}
