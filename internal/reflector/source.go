package reflector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"watchglass/internal/wire"
)

// Source opens streams. Open returns when the apiserver has accepted the request. An error that
// is a *wire.Status says why it was refused.
type Source interface {
	Open(ctx context.Context, r wire.Request) (Stream, error)
}

// Stream is an open request. One goroutine reads it. Any goroutine may call Credit and Age.
type Stream interface {
	// Next waits for events, which are valid until the next call. The error is io.EOF at a
	// clean end, and otherwise a *wire.Status. It may be called again after its context has ended: nothing is
	// lost, and the timers of the stream go on.
	Next(ctx context.Context) (wire.Batch, error)
	// Credit reports a number of bytes of events as applied.
	Credit(bytes int)
	// Encoding returns the encoding of the objects.
	Encoding() wire.Encoding
	// Age returns the time since the apiserver's last sign of life. It keeps growing after the
	// stream has ended.
	Age(now time.Time) time.Duration
	// Close ends the stream. It may be called after the stream has ended.
	Close()
}

// SourceFunc is a function that is a Source.
type SourceFunc func(ctx context.Context, r wire.Request) (Stream, error)

// Open calls the function.
func (f SourceFunc) Open(ctx context.Context, r wire.Request) (Stream, error) { return f(ctx, r) }

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
	// it, no object that cannot be read has a name.
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
	if o.Checks.Renewed == nil {
		o.Checks.Renewed = func() {}
	}
	if o.Checks.Differed == nil {
		o.Checks.Differed = func() {}
	}
	return o
}

// Decoder decodes payloads. One goroutine calls it.
type Decoder[T any] interface {
	// Decode decodes an object. An object without a name or of another kind is an error, since
	// it could not be stored under its own key.
	Decode(payload []byte) (T, error)
	// Bookmark returns the version of a bookmark, and whether it ends the initial events.
	Bookmark(payload []byte) (version string, end bool, err error)
	// SetColumns sets the columns of the rows that follow, and reports whether they changed.
	SetColumns(payload []byte) (changed bool, err error)
}

// request completes the options of a request with what is the same in all requests of a source.
func (r *Reflector[T]) request(verb wire.Verb, o wire.ListOptions) wire.Request {
	q := r.options.Request
	o.LabelSelector, o.FieldSelector = q.LabelSelector, q.FieldSelector
	q.Verb, q.ListOptions = verb, o
	return q
}

// requestStream requests a list or a watch. While it waits in the proxy, State says how many are before it.
func (r *Reflector[T]) requestStream(ctx context.Context, verb wire.Verb, o wire.ListOptions) (Stream, error) {
	before, queued := r.State().Err, false
	waiting := wire.OnQueued(ctx, func(ahead int) {
		queued = true
		r.change(func(s *State) { s.Err = wire.QueuedStatus(ahead) })
	})
	stream, err := r.options.Source.Open(waiting, r.request(verb, o))
	if queued && err == nil {
		r.change(func(s *State) { s.Err = before })
	}
	return stream, err
}

// next returns the next batch of a stream, or the error late if none comes in time. A batch that is
// there already is in time, however long nobody looked.
func (r *Reflector[T]) next(ctx context.Context, stream Stream, within time.Duration, late error) (wire.Batch, error) {
	waiting, cancel := context.WithTimeoutCause(ctx, within, late)
	defer cancel()
	batch, err := stream.Next(waiting)
	if err == nil {
		r.countBytes(batch.Bytes)
	} else if ended := waiting.Err(); ended != nil && errors.Is(err, ended) { // what else the stream says is not repeated
		err = context.Cause(waiting)
	}
	return batch, err
}

// statusOf reads the Status of an ERROR event.
func statusOf(payload []byte) error {
	var s wire.Status
	if err := json.Unmarshal(payload, &s); err != nil {
		return fmt.Errorf("an error that is no Status: %w", err)
	}
	return &s
}

// Sink receives the objects, in order, from one goroutine. Objects added before the first call of
// Populated or Replace are part of an initial list.
type Sink[T any] interface {
	// Add, Update and Delete report the server's events. They do not depend on what is stored:
	// an added key may be known, and a deleted one unknown.
	Add(obj T)
	Update(obj T)
	Delete(obj T)
	// Unread reports an object that exists, but could not be read. The store lacks it until it is added or updated.
	Unread(obj T)
	// Replace replaces everything with a complete list, at a version, and objects of it that could not be read.
	Replace(list []T, version string, unread ...T)
	// Populated reports that the objects added so far are the whole initial list.
	Populated(version string)
	// Bookmark reports that everything up to a version has been handed over.
	Bookmark(version string)
	// Applied calls done when everything that was handed over has been applied.
	Applied(done func())
}

// delivery is what the sink has been given.
type delivery struct {
	contents contents
	// printed: since the list began, objects came that were printed with the current columns.
	printed bool
}

// contents is what the sink holds.
type contents uint8

const (
	// untouched: nothing has been handed over yet. The first list goes to the sink as it comes.
	untouched contents = iota
	// partial: objects of lists that were never complete.
	partial
	// complete: a whole list, and what changed since.
	complete
	// emptied: nothing. The user may no longer list, or the resource is gone.
	emptied
)

// deliver hands an event to the sink.
func (r *Reflector[T]) deliver(t wire.EventType, obj T) {
	if r.delivery.contents == untouched {
		r.delivery.contents = partial
	}
	r.delivery.printed = true
	switch t {
	case wire.Added:
		r.options.Sink.Add(obj)
	case wire.Modified:
		r.options.Sink.Update(obj)
	case wire.Deleted:
		r.options.Sink.Delete(obj)
	case unreadable:
		r.options.Sink.Unread(obj)
	}
}

// unreadable is the type of what the sink is given for an object that exists, but could not be read.
const unreadable = wire.EventType(0xff)

// emptySink empties the sink, once. The state says so first, so that nobody takes what leaves the sink for deleted.
func (r *Reflector[T]) emptySink() {
	if r.delivery.contents == untouched || r.delivery.contents == emptied {
		return
	}
	r.delivery.contents = emptied
	r.position.version, r.position.before = "", ""
	r.change(func(s *State) {
		r.unread = unreadObjects{}
		s.Emptied, s.Version, s.AsOf, s.WasOf = true, "", time.Time{}, time.Time{}
		s.Unread = 0
	})
	r.options.Sink.Replace(nil, "")
}
