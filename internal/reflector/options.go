package reflector

import (
	"context"
	"time"

	"watchglass/internal/wire"
)

// Options of a Reflector. Source, Decoder, Sink, Request, Key and Version are required.
type Options[T any] struct {
	Source  Source
	Decoder Decoder[T]
	Sink    Sink[T]
	// Request names the source: group, version, resource, namespace, selectors, encoding. The
	// Reflector sets verb and versions.
	Request wire.Request
	Key     func(T) string
	Version func(T) string
	// Transform, if set, replaces each decoded object, once, before anything else sees it. If it
	// fails, the object counts as unreadable.
	Transform func(T) (T, error)
	// Known returns the stored object of the same key, if it has the same version. That one is
	// then used again.
	Known func(T) (T, bool)
	// Checks find out whether the server that answers after an outage is still the same one.
	Checks Checks[T]
	// Earlier, if set, returns the objects of an earlier run. The run starts with them and watches
	// from their version instead of listing. It is called once, and may wait.
	Earlier func(ctx context.Context) (Earlier[T], bool)
	// Changed is called when the state or the columns have changed. It must not block.
	Changed func()
	// Failed is called with each error that costs a wait, a new watch or a new list. The normal
	// end of a watch is no error. It must not block.
	Failed func(error)
	// Resync is called every ResyncEvery once a list is complete, if both are set.
	Resync      func()
	ResyncEvery time.Duration
	Backoff     Backoff
	// BookmarkWithin is how long after the last initial event the bookmark that ends the list
	// may take (default 5 s).
	BookmarkWithin time.Duration
	// ListWithin is how long a list may be silent (default 15 s).
	ListWithin time.Duration
	// IdleAfter is how long a watch with bookmarks may be silent (default 100 s), without the time in which
	// the machine slept. A server that sends bookmarks sends one a minute.
	IdleAfter time.Duration
	// Unwatchable, if set, is why the source cannot be watched. It is then polled.
	Unwatchable *wire.Status
}

// Checks distinguish one server from another, and one history of a server from another. Each may
// be nil: then that check is skipped, and State says so.
type Checks[T any] struct {
	// Cluster returns a unique name of the cluster that answers. Its error says why that is
	// unknown.
	Cluster func(ctx context.Context) (string, error)
	// Snapshot waits until the sink's store is at rest, and returns its objects and version.
	Snapshot func(ctx context.Context) (objects []T, version string, err error)
	// Stamp identifies a version of an object: its UID and version.
	Stamp func(T) string
	// ReadStamp returns the key and the stamp of an item of a list of metadata.
	ReadStamp func(payload []byte) (key, stamp string, err error)
	// Identify reads no more of an object than its key and version, where the Decoder could not read it. Without
	// it, or with a Transform, which may change keys, no object that cannot be read has a name.
	Identify func(payload []byte) (T, error)
	// Differed is called after each comparison with the server that found a difference.
	Differed func()
	// Renewed is called before the first object of another history is decoded. No such object is
	// the same as an earlier one, even with equal UID and version.
	Renewed func()
}

// withDefaults returns the options with defaults for what is missing.
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
	} else {
		o.Checks.Identify = nil
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
