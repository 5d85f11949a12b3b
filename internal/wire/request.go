package wire

import (
	"encoding/json"
	"fmt"
	"reflect"
)

// Verb is what a request does at the apiserver. There is no verb that writes.
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

// Request opens one stream: a list, a watch, an object, discovery, a review or a container's
// log. The relay builds the URL from its fields.
type Request struct {
	Verb        Verb   `json:"verb"`
	Group       string `json:"group,omitempty"`
	Version     string `json:"version,omitempty"`
	Resource    string `json:"resource,omitempty"`
	Namespace   string `json:"namespace,omitempty"`
	Name        string `json:"name,omitempty"`
	Subresource string `json:"subresource,omitempty"`

	// Encoding is set where the default (protobuf, else Table) is not suitable. EncodingTable
	// is for kinds that the tab cannot print itself; EncodingWhole adds their objects. The
	// others are EncodingJSON and EncodingMetadata.
	Encoding Encoding `json:"encoding,omitempty"`
	// ManagedFields keeps managedFields in the answer to a Get.
	ManagedFields bool `json:"managedFields,omitempty"`
	// Access is what an access review asks about.
	Access *Access `json:"access,omitempty"`
	// Log holds the options of a Log.
	Log *LogOptions `json:"log,omitempty"`

	// Now says that a user is waiting for the answer, so a retry planned for later happens now.
	Now bool `json:"now,omitempty"`

	ListOptions
}

// ServerVersion asks which release the server is.
var ServerVersion = Request{Verb: Discover, Resource: "version"}

// Follows reports whether the request follows a log.
func (r Request) Follows() bool { return r.Verb == Log && r.Log != nil && r.Log.Follow }

// Counts reports whether the request counts against its user's limit: it makes the apiserver list, or returns a
// document that may be large.
func (r Request) Counts() bool {
	switch r.Verb {
	case List, Get, Discover:
		return true
	case Watch:
		return r.SendInitialEvents || r.ResourceVersion == "" || r.ResourceVersion == "0"
	}
	return false
}

// Access is an action that a user may or may not be allowed, in the apiserver's terms.
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

// LogOptions are those of the apiserver, under its own names. Container may be empty only if
// the pod has a single container.
type LogOptions struct {
	Container  string `json:"container,omitempty"`
	Follow     bool   `json:"follow,omitempty"`
	Previous   bool   `json:"previous,omitempty"`
	Timestamps bool   `json:"timestamps,omitempty"`
	// At most one of SinceSeconds and SinceTime (RFC 3339) is set.
	SinceSeconds int64  `json:"sinceSeconds,omitempty"`
	SinceTime    string `json:"sinceTime,omitempty"`
	// TailLines may be 0, for new lines only.
	TailLines  *int64 `json:"tailLines,omitempty"`
	LimitBytes int64  `json:"limitBytes,omitempty"`
}

// LogGaps says which lines a recorded log lacks. It is in JSON in a Bookmark before the text. An earlier version wrote other
// gaps as "gaps" and "known", so these names are not used: either side reads the other's message as one that does not say.
type LogGaps struct {
	Gaps  []LogGap `json:"missing,omitempty"`
	Known bool     `json:"missingKnown,omitempty"` // else the recording does not say
}

// LogGap is a time in which lines are missing, in nanoseconds. From 0 is the beginning.
type LogGap struct {
	From int64  `json:"from"`
	To   int64  `json:"to"`
	UID  string `json:"uid,omitempty"` // of the pod that wrote them; "" if that is not known
}

// Encoding is how the objects of a source are written.
type Encoding string

// The encodings.
const (
	EncodingDefault  Encoding = ""
	EncodingProtobuf Encoding = "protobuf"
	EncodingTable    Encoding = "table"
	EncodingJSON     Encoding = "json"
	// EncodingWhole is EncodingTable with whole objects in its rows instead of only their
	// metadata.
	EncodingWhole Encoding = "whole"
	// EncodingMetadata requests only the metadata, of any kind, in a list or a watch.
	EncodingMetadata Encoding = "metadata"
)

// Same reports whether two requests would open the same stream. TimeoutSeconds and Now make
// no difference.
func (r Request) Same(o Request) bool {
	r.TimeoutSeconds, o.TimeoutSeconds, r.Now, o.Now = 0, 0, false, false
	return r == o
}

// InitialWatch returns the request that every source starts with: the existing objects, then
// their changes. worker.js sends only the name of the resource. Relay and reflector both build
// the request here, so that the tab can take over a stream opened before it could send a
// request.
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
	// Early names the resource that the address shows ("pods", "deployments.apps"). The relay
	// opens its initial watch at once, as stream 1.
	Early string `json:"early,omitempty"`
	// Proof shows that the hello comes from the browser that signed in: a signature by its
	// key or, without keys, the answer to its login. The cookie alone does not, since the
	// browser also sends it with requests that other pages of the same site make.
	Proof string `json:"proof,omitempty"`
	// Large says that the tab knows KindLarge. A tab of an earlier build does not, and would reconnect.
	Large bool `json:"large,omitempty"`
	// Queue says that the tab knows KindQueued.
	Queue bool `json:"queue,omitempty"`
	// Pause says that the tab knows KindPaused.
	Pause bool `json:"pause,omitempty"`
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
	Page    string `json:"page"`    // identifies the content of the page that it serves
	Context string `json:"context"` // as the kubeconfig names it
	Cluster string `json:"cluster"`
	User    string `json:"user"`
	Server  string `json:"server"` // host of the apiserver
	// Auth is the authentication mode: local, token, oidc or proxy.
	Auth string `json:"auth,omitempty"`
	// Bound says that the session is bound to a key of the browser. A session that is not bound
	// can be stolen by copying the browser's storage.
	Bound bool `json:"bound,omitempty"`
	// RenewIn is the time in milliseconds until the session must be renewed; 0 if it does not
	// end.
	RenewIn int64 `json:"renewIn,omitempty"`
	// Namespace is the one that -n or the kubeconfig chose. Narrow says that sources are
	// limited to it.
	Namespace string `json:"namespace,omitempty"`
	Narrow    bool   `json:"narrow,omitempty"`
	// Namespaces are those of --namespaces, comma-separated, for users who may not list the
	// whole cluster.
	Namespaces string `json:"namespaces,omitempty"`
	// Contexts are those that the page can switch to, one per line.
	Contexts string `json:"contexts,omitempty"`
	// Reach are kubectl's flags for this cluster and user, such as --context=prod. Without any, the
	// proxy does not know what the user's kubeconfig calls them.
	Reach []string `json:"reach,omitempty"`
	// Release is the apiserver's release ("1.36") when the proxy last asked. The server may have
	// been upgraded since.
	Release string `json:"release,omitempty"`
	// Lists is how many requests that count (Request.Counts) the user may make a second, and AtOnce how many at once; 0 is
	// no limit.
	Lists  int `json:"lists,omitempty"`
	AtOnce int `json:"atOnce,omitempty"`
	// NoDiskHistory forbids the page to store history or lists on disk.
	NoDiskHistory bool `json:"noDiskHistory,omitempty"`
	// VisitKey is the session's name, a space, and the key of what the tab keeps on disk for its next
	// visit, in base64. The proxy gives it to nobody else, so the files can't be read once the session
	// is over. socket.Client takes it out.
	VisitKey string `json:"visitKey,omitempty"`
	// EarlyRequest is the request that the proxy made for the Hello's resource.
	EarlyRequest *Request `json:"earlyRequest,omitempty"`
}

// lasting returns the welcome without what may differ between two connections of one user.
func (w Welcome) lasting() Welcome {
	w.V, w.Version, w.Release, w.EarlyRequest, w.Contexts, w.RenewIn, w.Bound, w.VisitKey = 0, "", "", nil, "", 0, false, ""
	w.Lists, w.AtOnce = 0, 0
	return w
}

// Same reports whether two welcomes are for the same cluster, user, scope and page.
func (w Welcome) Same(o Welcome) bool { return reflect.DeepEqual(w.lasting(), o.lasting()) }

// Identity is a text that is the same for welcomes that are.
func (w Welcome) Identity() string {
	doc, _ := json.Marshal(w.lasting()) // it cannot fail
	return string(doc)
}

// Opened says that the apiserver accepted a request.
type Opened struct {
	Encoding Encoding `json:"encoding"`
	// Date is the apiserver's clock when it answered, in Unix seconds; 0 if it did not say.
	Date int64 `json:"date,omitempty"`
}

// End says that a stream is over. Without a Status the apiserver ended it as it ends every
// watch and list. In either case everything received from it is complete, so the next watch
// resumes where this one stopped.
type End struct {
	Status *Status `json:"status,omitempty"`
}

// ListMeta is the metadata of a list.
type ListMeta struct {
	ResourceVersion    string `json:"resourceVersion,omitempty"`
	Continue           string `json:"continue,omitempty"`
	RemainingItemCount int64  `json:"remainingItemCount,omitempty"`
}
