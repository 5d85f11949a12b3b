package reflector

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"watchglass/internal/wire"
)

// openWatch requests a watch from the version that was reached.
func (r *Reflector[T]) openWatch(ctx context.Context, n watches) (openWatch, error) {
	r.showOpening(n)
	request := r.newWatchRequest()
	stream, err := r.openStream(ctx, wire.Watch, wire.ListOptions{
		ResourceVersion: r.position.complete(), AllowWatchBookmarks: true, TimeoutSeconds: request.seconds(),
	})
	return openWatch{request, stream, n}, err
}

// showOpening sets the state of a source whose next watch is about to be requested.
func (r *Reflector[T]) showOpening(n watches) {
	switch {
	case r.learned.held != nothing && r.lastList.unfollowed && r.State().Err == nil:
		r.showBuffering()
	case n.opened > 0:
		r.setPhase(Resuming)
	}
}

// watch hands over what changes until the stream ends, and returns why it did.
func (r *Reflector[T]) watch(ctx context.Context, w watching) error {
	stream := w.stream
	if w.watches.opened > 0 {
		r.change(func(s *State) { s.Resumes++ })
	}
	r.setStream(stream)
	defer r.setStream(nil)
	defer stream.Close()
	defer r.forgetWake()
	defer func() { r.contact.seen = time.Now().Add(-stream.Age(time.Now())) }()
	r.answered()
	r.watchOpened()
	r.showOpened(w)
	checks := r.startBackground(ctx, w.backlog)
	defer checks.stop()
	w.last, w.events, w.stalls = time.Now(), len(w.rest.Events), stallsOf(stream)
	w.again = r.position.repeated()
	w.synthetic = r.position.version == "" || r.position.version == "0"
	batch := w.rest
	w.rest = wire.Batch{} // no longer needed, and the watch may last
	for {
		err := r.hand(batch, &w)
		if batch.Bytes > 0 {
			r.options.Sink.Bookmark(r.position.version)
			bytes, came, applied := batch.Bytes, w.last, w.backlog.handOver()
			r.options.Sink.Applied(func() {
				stream.Credit(bytes)
				applied()
				r.applied(came)
			})
		}
		if err != nil {
			return err
		}
		if w.backlog.reached(r.position.complete()) {
			r.caughtUp(&w)
		}
		within, late := r.patience(w)
		began := time.Now()
		batch, err = r.next(checks, stream, within, late)
		switch {
		case errors.Is(err, errHeadOnly):
			r.proven()
			continue
		case errors.Is(err, errPaused):
			if w.backlog.silent(time.Since(began), w.pause()) {
				r.caughtUp(&w)
			}
			continue
		case errors.Is(err, errIdle) && !w.addSilence(within, r.silenceLimit(w)):
			continue
		case err != nil:
			return r.ended(w, checks, err)
		}
		r.countEvents(len(batch.Events))
		w.came(batch)
		r.judge(w, batch)
	}
}

// came notes a batch that came.
func (w *watching) came(batch wire.Batch) {
	w.last, w.silent, w.marked = time.Now(), 0, bookmarked(batch)
	if w.events == 0 {
		w.first = w.last
	}
	w.events, w.bytes = w.events+len(batch.Events), w.bytes+batch.Bytes
}

// outpaced reports whether a watch may have ended early because it was read too slowly.
func (w *watching) outpaced() bool {
	return stallsOf(w.stream) > w.stalls && time.Now().Before(w.end())
}

// ended notes the end of a watch, and returns why it ended.
func (r *Reflector[T]) ended(w watching, checks background, err error) error {
	if errors.Is(err, io.EOF) {
		r.judgeEnd(w)
		if w.outpaced() {
			r.contact.raise(lagging)
		}
		w.last = time.Now()
	}
	if w.backlog == nil {
		r.change(func(s *State) {
			if s.Listed = w.last; errors.Is(err, io.EOF) { // complete, even if it was not known to be live
				s.AsOf = time.Time{}
			}
		})
	}
	if r.learned.held != nothing {
		if another := checks.settle(wire.ShortWatch); another != nil {
			return another
		}
	}
	status := wire.StatusOf(err)
	broke := status != nil && status.Origin == wire.FromNetwork && status.Transient()
	if broke {
		err = fmt.Errorf("%w: %w", errBroken, err)
	}
	if (broke || errors.Is(err, io.EOF)) && w.events == 0 && time.Since(w.at) < time.Second {
		err = fmt.Errorf("%w: %w", errShort, err)
	}
	return err
}

const (
	// overdue is how much longer than requested a watch may last.
	overdue = 30 * time.Second
	// quiet is how long a watch may be silent that lasts longer than that.
	quiet = 4 * time.Minute
)

// silenceStep is the longest single wait for events. A wait in which the machine slept, or had no time for the tab,
// counts as no more than that, so that what has come meanwhile is read before the watch is given up.
const silenceStep = 25 * time.Second

// patience returns how long to wait for something to come, and the error if nothing does.
func (r *Reflector[T]) patience(w watching) (within time.Duration, late error) {
	switch {
	case r.learned.held == heads && w.events == 0 && w.early():
		return headOnly, errHeadOnly
	case w.backlog != nil:
		return w.backlog.step(), errPaused
	}
	return min(silenceStep, r.silenceLimit(w)-w.silent), errIdle
}

// silenceLimit returns how long a watch may be silent after what came last: until a bookmark is overdue where there have
// been some, otherwise until the end that was requested is.
func (r *Reflector[T]) silenceLimit(w watching) time.Duration {
	if r.learned.bookmarks.sent {
		return r.options.IdleAfter
	}
	return max(quiet, w.end().Add(overdue).Sub(w.last))
}

// addSilence adds a wait in which nothing came, and reports whether the limit is reached.
func (w *watching) addSilence(waited, limit time.Duration) bool {
	w.silent += waited
	return w.silent >= limit
}

// hand hands the events of a watch to the sink. A version is reached when all up to it is handed
// over.
func (r *Reflector[T]) hand(batch wire.Batch, w *watching) error {
	for _, e := range batch.Events {
		switch e.Type {
		case wire.Added, wire.Modified, wire.Deleted:
			if err := r.handObject(e, w); err != nil {
				return err
			}
		case wire.Bookmark:
			version, _, err := r.readBookmark(e.Payload)
			if err != nil {
				if err = r.tolerate(err); err != nil {
					return err
				}
				continue
			}
			r.position.reach(e.Type, version, r.expires())
			r.learned.bookmarks.sent, w.synthetic = true, false
		case wire.Error:
			return statusOf(e.Payload)
		case wire.Columns:
			if err := r.columns(e.Payload); err != nil {
				return err
			}
		default:
			if err := r.tolerate(fmt.Errorf("%w: %q in a watch", wire.ErrFrame, e.Type)); err != nil {
				return err
			}
			r.noteUnread("")
		}
	}
	r.setVersion()
	return nil
}

// handObject hands one event of an object to the sink, or what is known of it if it cannot be read.
func (r *Reflector[T]) handObject(e wire.Event, w *watching) error {
	obj, err := r.decode(e.Payload)
	version := ""
	if err == nil {
		if version = r.options.Version(obj); version == "" {
			err = errNoVersion
		}
	}
	if err != nil {
		version, err = r.skip(e, err)
	} else {
		r.handOne(e.Type, obj)
		if len(r.unread.keys) > 0 { // only now: until then it is neither unread nor queued
			r.noteRead(r.options.Key(obj))
		}
	}
	if err != nil || version == "" {
		return err
	}
	if w.synthetic = w.synthetic && e.Type == wire.Added; !w.synthetic {
		if version != w.again {
			r.noteChange(e.Type)
		}
		r.position.reach(e.Type, version, r.expires())
	}
	return nil
}
