package port

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// Message is one of the types below, or a view.Patch.
type Message any

// Look is what the page wants to see: a source, and a window over it.
type Look struct {
	// Resource as the address names it: "pods", "deployments.apps".
	Resource string
	view.Query
}

// Focus is the object whose detail is on screen; without a name, none. It is sent as
// often as any of it changes.
type Focus struct {
	Seq       uint32 `json:"seq"`
	Resource  string `json:"resource,omitempty"` // as the address names it
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	Tab       string `json:"tab,omitempty"`
	// Options are of the tab, each of which has its own.
	Options json.RawMessage `json:"options,omitempty"`
}

// Detail is a part of what there is to tell of it: the head, or what a tab shows.
type Detail struct {
	Seq  uint32 // of the Focus that it answers
	Part string // HeadPart, or a tab
	Doc  []byte
}

// HeadPart is the part that is above all tabs.
const HeadPart = "head"

// Painted tells that a patch is on the screen, and that the next may come.
type Painted struct{}

// Awake tells that the page is seen again, or that the network is back.
type Awake struct {
	Online bool `json:"online"`
}

// Renewed tells that the session was renewed: the proxy is to be connected to anew,
// with the proof.
type Renewed struct {
	Proof string `json:"proof"`
}

// Due tells that the session is to be renewed, or that the proxy does not let the tab in
// any more: the page is to see how it stands with it. Doubt says that the apiserver does
// not know the user any more, so that it is to be asked whether it was due or not.
type Due struct {
	Doubt bool `json:"doubt,omitempty"`
}

// Survey asks to be told which kinds the server has, from now on.
type Survey struct{}

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

// Held are the lists that are held, whether or not they are on screen.
type Held struct {
	Lists []List `json:"lists"`
}

// List is one of them, by the kind's ID.
type List struct {
	ID      string `json:"id"`
	Objects int    `json:"objects"`
}

// Known are the namespaces that the page remembers for the cluster and the user that
// the State named. It is sent once that has come, and as often as they change.
type Known struct {
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

// Ask is a question that has one answer.
type Ask struct {
	ID     uint32          `json:"id"`
	Method string          `json:"method"`
	Args   json.RawMessage `json:"args,omitempty"`
}

// Answer is the answer: a value, or what went wrong.
type Answer struct {
	ID    uint32          `json:"id"`
	Value json.RawMessage `json:"value,omitempty"`
	Error string          `json:"error,omitempty"`
}

// State is how the source on screen stands, and what it is.
type State struct {
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
