package port

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// Message is one of the types below.
//
// A page may have any number of lists and objects at once. It gives each an ID of its own
// choice, which no other of its lists or objects has; what the hub sends about one carries
// the ID. Context names the cluster that a list or an object is of, as the kubeconfig does;
// empty is the page's own.
type Message any

// Look opens a list, or changes what it shows: a source, and a window over it.
type Look struct {
	ID      uint32
	Context string
	// Resource as the address names it: "pods", "deployments.apps".
	Resource string
	view.Query
}

// Patch is what changes in the window of a list.
type Patch struct {
	ID uint32
	view.Patch
}

// Painted says that the last Patch of a list is on screen, and that the next may come.
type Painted struct{ ID uint32 }

// Focus opens an object, or changes which it is, which tab of it shows, or the options of the
// tab.
type Focus struct {
	ID        uint32 `json:"id"`
	Context   string `json:"context,omitempty"`
	Seq       uint32 `json:"seq"`
	Resource  string `json:"resource,omitempty"` // as the address names it
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	Tab       string `json:"tab,omitempty"`
	// Options are those of the tab: each has its own.
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

// Renewed says that the session was renewed, so that the hub connects to the proxy again.
// Pages that share a session all say so, with the same ID.
type Renewed struct {
	ID string `json:"id,omitempty"`
}

// Due says that the session has to be renewed, or that the proxy no longer lets the hub in:
// the page looks after it. Doubt says that the apiserver no longer knows the user, so that
// the proxy is asked even if no renewal is due.
type Due struct {
	Doubt bool `json:"doubt,omitempty"`
}

// Reset says that the hub ended, and that another is at the other end now, which knows
// nothing of this page. The port itself gives it to the page; it never crosses.
type Reset struct{ Why string }

// WatchKinds asks for the kinds of the server and the counts of objects, from now on.
type WatchKinds struct{}

// Kinds are all kinds that the server has, as often as they change.
type Kinds struct {
	Kinds []Kind `json:"kinds"`
}

// Kind is one of them.
type Kind struct {
	ID   string `json:"id"`   // as addresses name it
	Name string `json:"name"` // "Deployment"
	// Short names by which kubectl knows it too, with commas between.
	Short string `json:"short,omitempty"`
	// Custom kinds are none of Kubernetes' own.
	Custom bool `json:"custom,omitempty"`
}

// Counts are how many objects there are of each kind that the hub holds in full, whether or
// not it is on screen.
type Counts struct {
	Kinds []Count `json:"kinds"`
}

// Count is how many there are of one kind, by its ID.
type Count struct {
	ID      string `json:"id"`
	Objects int    `json:"objects"`
}

// Remembered are the namespaces that the page remembers for the cluster and the user of the
// State. It is sent once that has come, and whenever they change.
type Remembered struct {
	Namespaces []string `json:"namespaces"`
}

// Rights are what the user may list, as far as that is of use to who may not list
// all. It is a hint: the apiserver need not tell of everything.
type Rights struct {
	// Namespaces that the cluster has, if the user may list them.
	Namespaces []string `json:"namespaces,omitempty"`
	In         []Right  `json:"in,omitempty"`
}

// Right is what may be listed in a namespace: resources, each with a dot and its
// group behind; a star is any.
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

// Ask is a question that has one answer. The ID is the question's own.
type Ask struct {
	ID     uint32          `json:"id"`
	List   uint32          `json:"list,omitempty"` // that it is about, if it is about one
	Method string          `json:"method"`
	Args   json.RawMessage `json:"args,omitempty"`
}

// Answer is the answer: a value, or what went wrong.
type Answer struct {
	ID    uint32          `json:"id"`
	Value json.RawMessage `json:"value,omitempty"`
	Error string          `json:"error,omitempty"`
}

// State is how a list stands, what it shows, and how its cluster is reached. Of a page
// without a list it has the ID 0 and no Source.
type State struct {
	ID     uint32        `json:"id,omitempty"`
	Source Source        `json:"source"`
	Link   Link          `json:"link"`
	Proxy  *wire.Welcome `json:"proxy,omitempty"`
	// User is who the apiserver says is asking, and Groups are the user's, with commas
	// between.
	User   string `json:"user,omitempty"`
	Groups string `json:"groups,omitempty"`
}

// Source is one source of objects.
type Source struct {
	Resource   string `json:"resource"` // as the address names it
	ID         string `json:"id"`       // as addresses name the kind, once it is known
	Kind       string `json:"kind"`
	Namespaced bool   `json:"namespaced"`
	Namespace  string `json:"namespace,omitempty"` // that the source is limited to, with commas between if there are several
	// Denied are those of them that the user may not list, and Rest is the worst state
	// of the others, if there are both.
	Denied string `json:"denied,omitempty"`
	Rest   string `json:"rest,omitempty"`
	// Polled is every how many milliseconds what may be listed and not watched is
	// listed anew, if that is why it is stale; PolledIn says in which namespaces, if it
	// is limited to some.
	Polled   int64  `json:"polled,omitempty"`
	PolledIn string `json:"polledIn,omitempty"`
	// State is one of the named states, and Since when it began.
	State   string       `json:"state"`
	Since   time.Time    `json:"since"`
	Cause   *wire.Status `json:"cause,omitempty"`
	Version string       `json:"version,omitempty"`
	// Age is how many milliseconds ago there was a last proof of life.
	Age      int64 `json:"age"`
	Objects  int   `json:"objects"`
	Synced   bool  `json:"synced"`
	Rejected int   `json:"rejected,omitempty"`
}

// Link is the connection between tab and proxy.
type Link struct {
	Connected bool      `json:"connected"`
	Since     time.Time `json:"since"`
	Attempts  int       `json:"attempts,omitempty"`
	Error     string    `json:"error,omitempty"`
}

// Port is one end.
type Port interface {
	// Send hands a message over. It does not wait for it to be taken.
	Send(Message)
	// Receive returns the messages of the other end, in order.
	Receive() <-chan Message
}
