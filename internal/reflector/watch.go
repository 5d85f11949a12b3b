package reflector

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"watchglass/internal/wire"
)

// openWatch asks for what changes from the version that was reached on, however
// long it takes to get through. Nothing of a watch is read before it is known
// that the server is the one that was left, where there is reason to doubt it.
func (r *Reflector[T]) openWatch(ctx context.Context, first bool) (Stream, error) {
	for {
		if !first {
			r.phase(Resuming)
		}
		r.asked = watchFor()
		stream, err := r.options.Source.Open(ctx, r.request(wire.Watch, wire.ListOptions{
			ResourceVersion: r.version, AllowWatchBookmarks: true, TimeoutSeconds: int64(r.asked.Seconds()),
		}))
		if err == nil {
			if err = r.verify(ctx); err != nil {
				stream.Close()
			}
		}
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

// shortWatches is how many watches may end at once, with nothing, before the list
// is fetched anew.
const shortWatches = 5

// errShort is a watch that ended at once, with nothing.
var errShort = errors.New("the watch ended at once")

// errIdle is a watch to which not even bookmarks come any more.
var errIdle = errors.New("nothing has come for longer than bookmarks are apart")

// errBroken is a watch whose connection broke: all that came of it is whole, and
// who answers next need not be who answered.
var errBroken = errors.New("the watch broke off")

// resumable returns nil if the watch may go on from the version that was
// reached, after whatever wait the error asks for. client-go lists anew at most
// errors; here only what a list can mend makes one.
func (r *Reflector[T]) resumable(ctx context.Context, err error) error {
	status := wire.StatusOf(err)
	again := true
	if errors.Is(err, errBroken) || errors.Is(err, errIdle) {
		r.doubt = max(r.doubt, broken)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errShort):
		r.short++
		again = r.short < shortWatches
	case errors.Is(err, io.EOF):
		r.short = 0
		return nil
	case errors.Is(err, errBroken):
		r.short = 0
		r.options.Failed(err)
		return nil
	case errors.Is(err, errIdle):
		r.options.Failed(err)
		r.change(func(s *State) { s.Idles++ })
		return nil
	case isAnother(err):
		return r.renew(err)
	case errors.Is(err, errRelist), status == nil:
		return err
	case status.Expired():
		return fmt.Errorf("%w: %w", errRelist, err)
	case status.Origin == wire.FromSocket && status.Transient():
		return nil // Open waits for the connection
	case status.NotFound():
		again = !r.isAbsent(time.Now()) || r.absent.times < refusals
	case status.Denied() && !status.Unauthorized():
		r.refusedWatch(status)
		if err := r.polls(); err != nil {
			return err
		}
		again = !r.isDenied(time.Now())
	default: // what was said on the way, no list mends
		again = status.Origin != wire.FromAPIServer || status.Transient() || status.TooManyRequests() || status.Unauthorized()
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
	defer func() { r.seen = time.Now().Add(-stream.Age(time.Now())) }()
	r.answered()
	r.unwatched, r.listed = unwatched{}, false
	r.phase(Watching)
	ctx, stop := r.attend(ctx)
	defer stop()
	w := watching{began: time.Now(), events: len(r.behind.Events), synthetic: r.version == "" || r.version == "0"}
	batch := r.behind
	r.behind = wire.Batch{}
	for {
		err := r.hand(batch, &w)
		if batch.Bytes > 0 {
			r.options.Sink.Bookmark(r.version)
			bytes := batch.Bytes
			r.options.Sink.Applied(func() { stream.Credit(bytes) })
		}
		if err != nil {
			return err
		}
		if batch, err = r.nextWithin(ctx, stream, w.began); err != nil {
			return w.ended(err)
		}
		r.count(batch)
		w.events += len(batch.Events)
	}
}

// watching is a watch that is open.
type watching struct {
	began  time.Time
	events int
	// synthetic: it began at no version, so it begins with what there is, in no
	// order, and no version is reached before something else comes.
	synthetic bool
}

// ended says how the watch ended, which began a while ago.
func (w *watching) ended(err error) error {
	status := wire.StatusOf(err)
	broke := status != nil && status.Origin == wire.FromNetwork && status.Transient()
	if broke {
		err = fmt.Errorf("%w: %w", errBroken, err)
	}
	if (broke || errors.Is(err, io.EOF)) && w.events == 0 && time.Since(w.began) < time.Second {
		err = fmt.Errorf("%w: %w", errShort, err)
	}
	return err
}

// overdue is how much longer than it was asked to a watch may last.
const overdue = 30 * time.Second

// nextWithin is the next batch of a watch, if one comes in the time in which
// something comes to every watch: a bookmark, where there have been some, or else
// the end that was asked for.
func (r *Reflector[T]) nextWithin(ctx context.Context, stream Stream, began time.Time) (wire.Batch, error) {
	within := r.options.IdleAfter
	if !r.bookmarks {
		within = max(within, time.Until(began.Add(r.asked+overdue)))
	}
	waiting, cancel := context.WithTimeoutCause(ctx, within, errIdle)
	defer cancel()
	batch, err := stream.Next(waiting)
	if err != nil && waiting.Err() != nil {
		err = context.Cause(waiting)
	}
	return batch, err
}

// hand hands the events of a watch to the sink. No version is reached before
// what was there at it is handed over.
func (r *Reflector[T]) hand(batch wire.Batch, w *watching) error {
	for _, e := range batch.Events {
		switch e.Type {
		case wire.Added, wire.Modified, wire.Deleted:
			obj, err := r.decode(e.Payload)
			if err == nil && r.options.Version(obj) == "" {
				err = errNoVersion
			}
			if err != nil {
				return r.reject(err)
			}
			r.handOne(e.Type, obj)
			if w.synthetic = w.synthetic && e.Type == wire.Added; !w.synthetic {
				r.version = r.options.Version(obj)
			}
		case wire.Bookmark:
			version, _, err := r.bookmark(e.Payload)
			if err != nil {
				return err
			}
			r.version, r.bookmarks, w.synthetic = version, true, false
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
