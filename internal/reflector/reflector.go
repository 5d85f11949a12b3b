package reflector

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync"
	"time"

	"watchglass/internal/wire"
)

// Options of a Reflector. All but the durations are required.
type Options[T any] struct {
	Source  Source
	Decoder Decoder[T]
	Sink    Sink[T]
	// Request says what is reflected: group, version, resource, namespace,
	// selectors, encoding. Verb and versions are the Reflector's own.
	Request wire.Request
	Key     func(T) string
	Version func(T) string
	// Known returns the object that the sink's store holds for a key, if that
	// is the same version: it is then used again.
	Known func(T) (T, bool)
	// Changed is called when the state or the columns changed. It must not block.
	Changed func()
	// BookmarkWithin is how long after the last initial event the server may
	// take to say that it was the last, or a list stay silent; 15 s.
	BookmarkWithin time.Duration
}

// Reflector keeps one source.
type Reflector[T any] struct {
	options Options[T]
	backoff backoff
	wake    chan struct{}

	// Of the goroutine that runs.
	version     string // that was reached
	unavailable bool   // the server does not have it any more, or not yet
	handed      bool   // the sink has been given something
	printed     bool   // there are objects of the columns that stand, since the list began
	listOnly    time.Time
	behind      wire.Batch // what came behind the end of the initial list, in its frame
	short       int        // watches in a row that ended at once with nothing
	denied      int        // refusals in a row

	mu     sync.Mutex
	state  State
	stream Stream
}

// New returns a Reflector that Run starts.
func New[T any](o Options[T]) *Reflector[T] {
	if o.Changed == nil {
		o.Changed = func() {}
	}
	if o.Known == nil {
		o.Known = func(obj T) (T, bool) { return obj, false }
	}
	if o.BookmarkWithin == 0 {
		o.BookmarkWithin = 15 * time.Second
	}
	return &Reflector[T]{options: o, wake: make(chan struct{}, 1), state: State{Since: time.Now()}}
}

// Wake ends a wait.
func (r *Reflector[T]) Wake() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}

// Run lists and watches until the context ends.
func (r *Reflector[T]) Run(ctx context.Context) {
	for ctx.Err() == nil {
		if err := r.listAndWatch(ctx); ctx.Err() == nil {
			r.failed(ctx, err)
		}
	}
}

// errRelist asks for a new list at once: there has been a wait, or none is due.
var errRelist = errors.New("the list has to be fetched anew")

// failed notes an error and waits before the next attempt, as long as it asks.
func (r *Reflector[T]) failed(ctx context.Context, err error) {
	if errors.Is(err, errRelist) {
		r.phase(Resuming)
		return
	}
	r.change(func(s *State) { s.Phase, s.Err = Waiting, err })
	wait := r.backoff.next(time.Now())
	if status := wire.StatusOf(err); status != nil {
		wait = max(wait, status.Wait())
	}
	sleep(ctx, wait, r.wake)
}

// listAndWatch brings in what there is, then what changes. It returns when that
// has to begin anew.
func (r *Reflector[T]) listAndWatch(ctx context.Context) error {
	stream, err := r.initial(ctx)
	if err != nil {
		r.refused(err)
		return err
	}
	r.short, r.denied = 0, 0
	for first := true; ; first = false {
		if stream == nil {
			if stream, err = r.openWatch(ctx, first); err != nil {
				return err
			}
		}
		if err := r.resumable(ctx, r.watch(ctx, stream)); err != nil {
			return err
		}
		stream = nil
	}
}

// refused drops what the user may no longer list. One refusal may come of an
// apiserver that has not read its rules yet.
func (r *Reflector[T]) refused(err error) {
	status := wire.StatusOf(err)
	if status == nil || !status.Denied() {
		r.denied = 0
		return
	}
	if r.denied++; r.denied >= 2 && r.handed {
		r.options.Sink.Replace(nil, "")
		r.version = ""
	}
}

// initial brings in what there is: by a watch-list, whose stream goes on as the
// watch, or by a list, and then there is no stream yet.
func (r *Reflector[T]) initial(ctx context.Context) (Stream, error) {
	if time.Now().After(r.listOnly) {
		stream, err := r.watchList(ctx)
		if err == nil || !r.fallBack(err) {
			return stream, err
		}
	}
	return nil, r.list(ctx)
}

// listOnlyFor is how long a server that did not manage a watch-list is asked
// for lists instead.
const listOnlyFor = 10 * time.Minute

// errNoBookmark is a watch-list that does not say where the list ends, because
// the server does not know the parameter or something on the way dropped the
// bookmark. client-go waits forever.
var errNoBookmark = errors.New("the server did not say where the initial events end")

// fallBack reports whether a list is tried where a watch-list failed.
func (r *Reflector[T]) fallBack(err error) bool {
	status := wire.StatusOf(err)
	switch {
	case errors.Is(err, errNoBookmark), status != nil && status.Unsupported():
		r.listOnly = time.Now().Add(listOnlyFor)
		return true
	case errors.Is(err, errRelist), status == nil, status.Origin != wire.FromAPIServer, status.TooManyRequests():
		return false
	}
	return true
}

// Watches are asked to last a random time, so that those of many tabs do not
// end together.
func watchSeconds() int64 { return 300 + rand.Int64N(300) }

func (r *Reflector[T]) request(verb wire.Verb, o wire.ListOptions) wire.Request {
	q := r.options.Request
	o.LabelSelector, o.FieldSelector = q.LabelSelector, q.FieldSelector
	q.Verb, q.ListOptions = verb, o
	return q
}

// relistVersion is the least version that a new list may have: what was
// reached, unless the server no longer has it.
func (r *Reflector[T]) relistVersion() string {
	if r.unavailable {
		return ""
	}
	return r.version
}

// versionGone notes that the server does not have the version that was asked,
// and asks for whatever it has.
func (r *Reflector[T]) versionGone(err error) error {
	status := wire.StatusOf(err)
	if status == nil || !status.Expired() && !status.VersionTooLarge() {
		return err
	}
	if r.unavailable {
		return err // any version was asked for: wait
	}
	r.unavailable = true
	return fmt.Errorf("%w: %w", errRelist, err)
}

// openWatch asks for what changes from the version that was reached on, however
// long it takes to get through.
func (r *Reflector[T]) openWatch(ctx context.Context, first bool) (Stream, error) {
	for {
		if !first {
			r.phase(Resuming)
		}
		stream, err := r.options.Source.Open(ctx, r.request(wire.Watch, wire.ListOptions{
			ResourceVersion: r.version, AllowWatchBookmarks: true, TimeoutSeconds: watchSeconds(),
		}))
		if err == nil {
			if !first {
				r.change(func(s *State) { s.Resumes++ })
			}
			return stream, nil
		}
		if err := r.resumable(ctx, err); err != nil {
			return nil, err
		}
	}
}

// A watch that ends at once with nothing, or that is refused, is opened again a
// few times before the list is fetched anew.
const (
	shortWatches   = 5
	refusedWatches = 2
)

// errShort is a watch that ended at once, with nothing.
var errShort = errors.New("the watch ended at once")

// resumable returns nil if the watch may go on from the version that was
// reached, after whatever wait the error asks for. client-go lists anew at most
// errors; here only what a list can mend makes one.
func (r *Reflector[T]) resumable(ctx context.Context, err error) error {
	status := wire.StatusOf(err)
	again := true
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, io.EOF):
		r.short = 0
		return nil
	case errors.Is(err, errShort):
		r.short++
		again = r.short < shortWatches
	case status == nil:
		return err
	case status.Expired():
		return fmt.Errorf("%w: %w", errRelist, err)
	case status.Origin == wire.FromSocket && status.Transient():
		return nil // Open waits for the connection
	case status.Denied():
		r.denied++
		again = r.denied < refusedWatches
	default:
		again = status.Transient() || status.TooManyRequests() || status.NotFound()
	}
	r.failed(ctx, err)
	if !again && ctx.Err() == nil {
		return fmt.Errorf("%w: %w", errRelist, err)
	}
	return ctx.Err()
}

// watch hands over what changes until the stream ends.
func (r *Reflector[T]) watch(ctx context.Context, stream Stream) error {
	r.hold(stream)
	defer r.hold(nil)
	defer stream.Close()
	r.denied = 0
	r.phase(Watching)
	began, events := time.Now(), len(r.behind.Events)
	batch := r.behind
	r.behind = wire.Batch{}
	for {
		err := r.hand(batch)
		if batch.Bytes > 0 {
			r.options.Sink.Bookmark(r.version)
			bytes := batch.Bytes
			r.options.Sink.Applied(func() { stream.Credit(bytes) })
		}
		if err != nil {
			return err
		}
		if batch, err = stream.Next(ctx); err != nil {
			if errors.Is(err, io.EOF) && events == 0 && time.Since(began) < time.Second {
				return errShort
			}
			return err
		}
		r.count(batch)
		events += len(batch.Events)
	}
}

// hand hands the events of a watch to the sink.
func (r *Reflector[T]) hand(batch wire.Batch) error {
	for _, e := range batch.Events {
		switch e.Type {
		case wire.Added, wire.Modified, wire.Deleted:
			obj, err := r.options.Decoder.Decode(e.Payload)
			if err != nil {
				return r.reject(err)
			}
			r.handOne(e.Type, obj)
			r.version = r.options.Version(obj)
		case wire.Bookmark:
			version, _, err := r.options.Decoder.Bookmark(e.Payload)
			if err != nil || version == "" {
				return r.reject(errors.Join(err, errors.New("a bookmark without a version")))
			}
			r.version = version
		case wire.Error:
			return statusOf(e.Payload)
		case wire.Columns:
			if err := r.columns(e.Payload); err != nil {
				return err
			}
		default:
			return r.reject(fmt.Errorf("%w: %q in a watch", wire.ErrFrame, e.Type))
		}
	}
	r.reach(r.version)
	return nil
}

func (r *Reflector[T]) handOne(t wire.EventType, obj T) {
	r.handed, r.printed = true, true
	switch t {
	case wire.Added:
		r.options.Sink.Add(obj)
	case wire.Modified:
		r.options.Sink.Update(obj)
	case wire.Deleted:
		r.options.Sink.Delete(obj)
	}
}

// reject counts an object that cannot be kept. The version never goes on past
// one: the list is fetched anew, where client-go would skip it.
func (r *Reflector[T]) reject(err error) error {
	r.change(func(s *State) { s.Rejected++; s.LastBad = err })
	return fmt.Errorf("an event cannot be read: %w", err)
}

// columns takes the columns of the rows that follow. Those that came before print
// others, and are fetched anew.
func (r *Reflector[T]) columns(payload []byte) error {
	changed, err := r.options.Decoder.SetColumns(payload)
	if changed {
		r.change(func(s *State) { s.Encoding = wire.EncodingTable })
	}
	if changed && r.printed {
		return fmt.Errorf("%w: its columns changed", errRelist)
	}
	return err
}
