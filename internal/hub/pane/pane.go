package pane

import (
	"context"
	"encoding/json"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/document"
	"watchglass/internal/hub/kinds"
	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/problem"
	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// Pane is one tab of an open object. All methods are called on the hub's loop, and none may
// block it.
type Pane interface {
	// Object reports another version of the object. It is called before the first Update if
	// the object is known by then.
	Object(v Version)
	// Options sets the tab's options, which may be empty: at the start and when they change.
	Options(raw json.RawMessage)
	// Update returns the document to show if it has changed, else nil.
	Update(now time.Time) []byte
	// Close releases what the pane holds.
	Close()
}

// Open opens a pane.
type Open func(h Host, s Subject) Pane

// Subject names the object that a pane is about.
type Subject struct {
	Kind            object.Kind
	Namespace, Name string
	// Since returns since when changes of it are remembered; zero if that is not known.
	Since func() time.Time
}

// Version is the object as it is, or last was.
type Version struct {
	Object *object.Object // not nil
	Gone   bool           // it was deleted; Object is what it was last
	GoneAt time.Time      // when that was seen; zero if it was not
	Partly bool           // only its metadata and the cells of its list are known
	// Body parses the object's JSON when it is first called.
	Body func() (document.Value, error)
	// Cells returns what the list prints of the object.
	Cells func() []detail.Cell
}

// OtherObject is another object that a pane follows. Its methods are for the hub's loop.
type OtherObject interface {
	// Kind returns the kind of the object; the zero Kind while it is not known.
	Kind() object.Kind
	// Version returns the object as it is, or last was. It has no Object while that is not known.
	Version() Version
	// State returns the state of the object, and its cause.
	State(now time.Time) (detail.State, *wire.Status)
	// Close releases the object.
	Close()
}

// Host is all that a pane knows of the hub. Stir may be called from any goroutine; the
// other methods are for the hub's loop, except that Get and Open are for the goroutines
// that Go starts.
type Host interface {
	// Kinds returns what is known about the server's kinds.
	Kinds() *kinds.Set
	// Now returns the time in the cluster: of the moment that is shown, if that is of the past.
	Now() time.Time
	// Link returns the state of the connection to the proxy.
	Link() informer.Link
	// State returns the state of the object, and its cause.
	State(now time.Time) (detail.State, *wire.Status)
	// History returns the versions of an object that were seen, oldest first.
	History(uid string) []detail.Observation
	// Problems returns the rows of the list of problems that are about an object, as far as that list
	// is being read.
	Problems(resource, namespace, name string) []problem.Row
	// UsedAgain returns when the overview saw a stored revision used again, in unix seconds; 0 if it did not.
	UsedAgain(resource, namespace, name string) int64
	// Used returns what a pod or a node used in the last 15 minutes, in thousandths, by its key. Steps
	// of which nothing is known are series.Unknown.
	Used(key string, now time.Time) (cpu, memory []float32)
	// Lease leases a source of its own for a selection. A proxy that serves one namespace
	// only is asked for that one instead of all.
	Lease(kind object.Kind, s source.Selection) *source.Lease
	// LeaseHeld leases the list of all objects of a kind, if some view holds it and all of it
	// is there; else it returns nil. Its objects may have lost their bodies.
	LeaseHeld(kind object.Kind) *source.Lease
	// Restore gives objects of a list back the bodies that they have lost, and then runs a function on the hub's
	// loop, with the reason if they could not be read.
	Restore(list *source.Lease, kind object.Kind, objects []*object.Object, then func(err error))
	// Follow follows another object, by its context, resource, namespace and name, until it is
	// closed. The empty context is that of the pane's own object. Update is called when it changes.
	Follow(context string, of detail.Ref) OtherObject
	// Get reads a document.
	Get(ctx context.Context, r wire.Request) ([]byte, error)
	// Open opens a stream. Like Lease, it asks a proxy that serves one namespace only for
	// that one where a request names none.
	Open(ctx context.Context, r wire.Request) (reflector.Stream, error)
	// Go runs f in a goroutine, with a context that ends with the pane, or when end is called. Then it runs what f
	// returned on the hub's loop, unless the context has ended by then.
	Go(f func(ctx context.Context) (then func())) (end context.CancelFunc)
	// Post runs f on the hub's loop, unless the context, or the pane, ends first. It waits for its turn on
	// the loop, so only goroutines that Go started may call it.
	Post(ctx context.Context, f func())
	// RequestUpdate schedules an Update soon.
	RequestUpdate()
	// WakeAt schedules an Update at a time, once however often it is called for that time.
	WakeAt(at time.Time)
}
