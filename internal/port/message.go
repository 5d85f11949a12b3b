package port

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// Message is one of the types below.
//
// A page may have any number of lists and objects at once. It chooses an ID for each, unique
// among them, and all that the hub sends about one carries its ID. Context names the cluster
// of a list or an object, as the kubeconfig does; empty is the page's own.
type Message any

// ListQuery opens a list, or changes what it shows: a source, and a window over it.
type ListQuery struct {
	ID      uint32
	Context string
	// Resource as the address names it: "pods", "deployments.apps".
	Resource string
	view.Query
}

// Patch is a change to the window of a list.
type Patch struct {
	ID uint32
	view.Patch
}

// Painted says that the last Patch of a list is on screen, and that the next may be sent.
type Painted struct{ ID uint32 }

// Focus opens an object, or changes the object, its tab or the options of the tab.
type Focus struct {
	ID        uint32 `json:"id"`
	Context   string `json:"context,omitempty"`
	Seq       uint32 `json:"seq"`
	Resource  string `json:"resource,omitempty"` // as the address names it
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	Tab       string `json:"tab,omitempty"`
	// Options of the tab: each tab has its own.
	Options json.RawMessage `json:"options,omitempty"`
}

// Detail is a document about an object: its head, or what a tab shows.
type Detail struct {
	ID   uint32
	Seq  uint32 // of the Focus that it answers
	Part string // HeadPart, or a tab
	Doc  []byte
}

// HeadPart is the part above all tabs.
const HeadPart = "head"

// Close closes a list or an object.
type Close struct{ ID uint32 }

// Presence says whether the page is on screen, and whether the browser has a network. A page
// that is not on screen gets no patches and no details.
type Presence struct {
	Visible bool `json:"visible"`
	Online  bool `json:"online"`
}

// Renewed says that the session was renewed, and lets the hub reconnect to the proxy. All
// pages that share a session send it, with the same ID. Context is that of the session; empty is the
// page's own.
type Renewed struct {
	ID      string `json:"id,omitempty"`
	Context string `json:"context,omitempty"`
}

// Due asks the page to renew the session, because it is time, or because the proxy refuses
// the hub. Doubt says that the apiserver rejects the user, so that the proxy is asked even if
// no renewal is due. Context is that of the session; empty is the page's own.
type Due struct {
	Doubt   bool   `json:"doubt,omitempty"`
	Context string `json:"context,omitempty"`
}

// Reset says that the hub ended and was replaced by one that knows nothing of this page. It is
// produced by the page's own port and is never sent across.
type Reset struct{}

// WatchKinds requests the server's kinds and the object counts, from now on.
type WatchKinds struct{}

// Kinds lists all kinds that the server has. It is sent whenever they change.
type Kinds struct {
	Kinds []Kind `json:"kinds"`
}

// Kind is one of the server's kinds.
type Kind struct {
	ID   string `json:"id"`   // as addresses name it
	Name string `json:"name"` // "Deployment"
	// Short names that kubectl accepts too, comma-separated.
	Short string `json:"short,omitempty"`
	// Custom says that the kind is not one of Kubernetes' own.
	Custom bool `json:"custom,omitempty"`
	// Derived says that the hub makes its objects from others: the server has no such kind.
	Derived bool `json:"derived,omitempty"`
}

// Counts says how many objects there are of each kind that the hub holds in full, whether or
// not it is on screen.
type Counts struct {
	Kinds []Count `json:"kinds"`
}

// Count is the number of objects of one kind, by its ID.
type Count struct {
	ID      string `json:"id"`
	Objects int    `json:"objects"`
}

// SavedNamespaces lists the namespaces that the page remembers for a cluster and a user. It is
// sent after the first State that names them, and whenever the namespaces change.
type SavedNamespaces struct {
	Namespaces []string `json:"namespaces"`
}

// Rights says what a user who may not list everything may list. It is a hint: the apiserver's
// answer may be incomplete.
type Rights struct {
	// Namespaces that the cluster has, if the user may list them.
	Namespaces []string `json:"namespaces,omitempty"`
	In         []Right  `json:"in,omitempty"`
}

// Right says what may be listed in a namespace: resources with their group, as
// "resource.group"; a star stands for any.
type Right struct {
	Namespace string   `json:"namespace"`
	Lists     []string `json:"lists,omitempty"`
}

// May reports whether a kind may be listed, by its ID.
func (r Right) May(id string) bool {
	resource, group, _ := strings.Cut(id, ".")
	return slices.ContainsFunc(r.Lists, func(one string) bool {
		of, in, _ := strings.Cut(one, ".")
		return (of == "*" || of == resource) && (in == "*" || in == group)
	})
}

// Ask is a question with one answer. The ID is the question's own.
type Ask struct {
	ID     uint32          `json:"id"`
	List   uint32          `json:"list,omitempty"`   // the list that it is about, if any
	Object uint32          `json:"object,omitempty"` // the open object that it is about, if any
	Method string          `json:"method"`
	Args   json.RawMessage `json:"args,omitempty"`
}

// Read decodes the arguments. Missing and null ones leave their value as it is.
func (a Ask) Read(into ...any) error {
	var args []json.RawMessage
	if err := json.Unmarshal(a.Args, &args); err != nil {
		return fmt.Errorf("the arguments: %w", err)
	}
	for i, arg := range args {
		if i < len(into) && string(arg) != "null" {
			if err := json.Unmarshal(arg, into[i]); err != nil {
				return fmt.Errorf("argument %d: %w", i+1, err)
			}
		}
	}
	return nil
}

// Answer returns the answer to the question: a value, or an error message if there is an error.
func (a Ask) Answer(value any, err error) Answer {
	out := Answer{ID: a.ID}
	if err == nil {
		out.Value, err = json.Marshal(value)
	}
	if err != nil {
		out.Error = err.Error()
	}
	return out
}

// Answer answers an Ask: with a value or an error message.
type Answer struct {
	ID    uint32          `json:"id"`
	Value json.RawMessage `json:"value,omitempty"`
	Error string          `json:"error,omitempty"`
}

// State describes a list, its source and the connection to its cluster. A page without a list
// gets one with the ID 0 and no Source.
type State struct {
	ID     uint32        `json:"id,omitempty"`
	Source Source        `json:"source"`
	Link   Link          `json:"link"`
	Proxy  *wire.Welcome `json:"proxy,omitempty"`
	// Replayed says that the state, and the Proxy, are those of a recording or of the past. It may come before the Past that
	// says so.
	Replayed bool `json:"replayed,omitempty"`
	// User is the user whom the apiserver authenticated, and Groups are the user's groups,
	// comma-separated.
	User   string `json:"user,omitempty"`
	Groups string `json:"groups,omitempty"`
	// Differences is in how many comparisons any list of the cluster has differed from the apiserver's,
	// since the worker connected to it.
	Differences int `json:"differences,omitempty"`
}

// Same reports whether two states say the same.
func (s State) Same(other State) bool {
	a, b := shownStatus(s.Source.Cause), shownStatus(other.Source.Cause)
	s.Source.Cause, other.Source.Cause = nil, nil
	return s == other && a.Error() == b.Error() && a.Code == b.Code
}

// shownStatus returns the part of a status that is shown.
func shownStatus(s *wire.Status) wire.Status {
	if s == nil {
		return wire.Status{}
	}
	return wire.Status{Origin: s.Origin, Code: s.Code, Reason: s.Reason, Message: s.Message}
}

// Source is one source of objects.
type Source struct {
	Resource   string `json:"resource"` // as the address names it
	ID         string `json:"id"`       // as addresses name the kind, once it is known
	Kind       string `json:"kind"`
	Namespaced bool   `json:"namespaced"`
	Namespace  string `json:"namespace,omitempty"` // namespaces that the source is limited to, comma-separated
	// Denied names the namespaces that the user may not list, comma-separated. Rest is the worst
	// state of the others, if there are both.
	Denied string `json:"denied,omitempty"`
	Rest   string `json:"rest,omitempty"`
	// Polled is the interval in milliseconds at which the source is listed again because it
	// may not be watched. PolledIn names the namespaces, if only some are polled.
	Polled   int64  `json:"polled,omitempty"`
	PolledIn string `json:"polledIn,omitempty"`
	// State is one of the states below, or "" before the first. Since is when it began.
	State   string       `json:"state"`
	Since   time.Time    `json:"since"`
	Cause   *wire.Status `json:"cause,omitempty"`
	Version string       `json:"version,omitempty"`
	// AsOf is set while the rows are those of the last visit: they were the server's then.
	AsOf time.Time `json:"asOf,omitzero"`
	// Age is the time since the last sign of life, in milliseconds.
	Age      int64 `json:"age"`
	Objects  int   `json:"objects"`
	Synced   bool  `json:"synced"`
	Rejected int   `json:"rejected,omitempty"`
	Unread   int   `json:"unread,omitempty"` // objects that could not be read, and are missing
	// Audited is when all of the list had last been compared with the apiserver's (zero: never), and
	// Differences the number of comparisons that found a difference.
	Audited     time.Time `json:"audited,omitzero"`
	Differences int       `json:"differences,omitempty"`
}

// The states of a Source, worst first. Package informer says when a source is in which.
const (
	Denied     = "denied"
	Gone       = "gone"
	Offline    = "offline"
	Stale      = "stale"
	Throttled  = "throttled"
	Connecting = "connecting"
	Syncing    = "syncing"
	Live       = "live"
)

// Link is the connection to the proxy.
type Link struct {
	Connected bool      `json:"connected"`
	Since     time.Time `json:"since"`
	Attempts  int       `json:"attempts,omitempty"`
	Error     string    `json:"error,omitempty"`
	// Ahead is how many minutes the browser's clock is ahead of the apiserver's; negative if it is
	// behind.
	Ahead int `json:"ahead,omitempty"`
}

// Sender is the sending half of a Port.
type Sender interface {
	// Send queues a message. It does not wait for the other end to receive it.
	Send(Message)
}

// Port is one end of a connection between page and hub.
type Port interface {
	Sender
	// Receive returns the messages of the other end, in order.
	Receive() <-chan Message
}
