package reflector

import (
	"context"
	"time"

	"watchglass/internal/wire"
)

// Options of a Reflector. Source, Decoder, Sink, Request, Key and Version are
// required.
type Options[T any] struct {
	Source  Source
	Decoder Decoder[T]
	Sink    Sink[T]
	// Request says what is reflected: group, version, resource, namespace,
	// selectors, encoding. Verb and versions are the Reflector's own.
	Request wire.Request
	Key     func(T) string
	Version func(T) string
	// Transform, if set, makes of each decoded object the one that is kept, once,
	// before anybody else sees it. An object it fails at counts as one that
	// cannot be read.
	Transform func(T) (T, error)
	// Known returns the object that the sink's store holds for a key, if that
	// is the same version: it is then used again.
	Known func(T) (T, bool)
	// Checks tell whether the server that answers after an outage is the one
	// that was left.
	Checks Checks[T]
	// Changed is called when the state or the columns changed. It must not block.
	Changed func()
	// Failed is told of each error that costs a wait, a new watch or a new list;
	// the end of a watch is none. It must not block.
	Failed func(error)
	// Resync is called every ResyncEvery, if both are set, from the moment a
	// whole list is in.
	Resync      func()
	ResyncEvery time.Duration
	Backoff     Backoff
	// BookmarkWithin is how long after the last initial event the server may
	// take to say that it was the last; 5 s.
	BookmarkWithin time.Duration
	// ListWithin is how long a list may be silent; 15 s.
	ListWithin time.Duration
	// IdleAfter is how long a watch may be silent to which bookmarks have come:
	// a server that sends them sends one a minute. 100 s.
	IdleAfter time.Duration
	// Unwatchable says why the source cannot be watched, if that is known: it is
	// listed every now and then.
	Unwatchable *wire.Status
}

// Checks is what tells one server from another, and one history of a server from
// another. Each may be missing: then that check is skipped, and State says so.
type Checks[T any] struct {
	// Cluster names the cluster that answers, by something that no other has.
	// Its error says why that cannot be told.
	Cluster func(ctx context.Context) (string, error)
	// Snapshot returns what the sink's store holds, and the version it is of,
	// once it is at rest.
	Snapshot func(ctx context.Context) (objects []T, version string, err error)
	// Stamp tells versions of objects of one key apart: UID and version.
	Stamp func(T) string
	// ReadStamp reads the key and the stamp of an item of a list of metadata.
	ReadStamp func(payload []byte) (key, stamp string, err error)
	// Renewed is called before the first object of another history is decoded:
	// none of them is the same as one that was decoded before, whatever its UID
	// and version say.
	Renewed func()
}

// withDefaults fills in what was left out.
func (o Options[T]) withDefaults() Options[T] {
	if o.Changed == nil {
		o.Changed = func() {}
	}
	if o.Failed == nil {
		o.Failed = func(error) {}
	}
	if o.Known == nil {
		o.Known = func(obj T) (T, bool) { return obj, false }
	}
	if o.Transform == nil {
		o.Transform = func(obj T) (T, error) { return obj, nil }
	}
	if o.Checks.Renewed == nil {
		o.Checks.Renewed = func() {}
	}
	if o.BookmarkWithin == 0 {
		o.BookmarkWithin = 5 * time.Second
	}
	if o.ListWithin == 0 {
		o.ListWithin = 15 * time.Second
	}
	if o.IdleAfter == 0 {
		o.IdleAfter = 100 * time.Second
	}
	o.Backoff = o.Backoff.withDefaults()
	return o
}
