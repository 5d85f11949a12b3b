package reflector

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"watchglass/internal/wire"
)

// errNoBookmark is a watch-list that does not say where the list ends, because the server does not
// know the parameter or something on the way dropped the bookmark. client-go waits forever.
var errNoBookmark = errors.New("the server sent no bookmark at the end of the initial events")

// errCutShort is a watch-list that the server ended before the end of the list. An apiserver ends a
// watch for which it has to keep more than a thousand events, and it keeps all that happen while
// the list is read. A large list of a busy cluster, or a slow reader, never gets to the end that
// way. client-go tries forever.
var errCutShort = errors.New("the server ended the watch within its initial list")

// watchList requests a watch that begins with the list, and reads the list. The watch that it returns
// is past the bookmark that ends the list.
func (r *Reflector[T]) watchList(ctx context.Context, c *collector[T]) (w watching, err error) {
	r.setPhase(Connecting)
	w.watchRequest = r.newWatchRequest()
	options := wire.InitialWatch("", "", "", "").ListOptions
	options.ResourceVersion, options.TimeoutSeconds = r.position.minVersion(), w.seconds()
	if w.stream, err = r.requestStream(ctx, wire.Watch, options); err != nil {
		return watching{}, r.versionGone(err)
	}
	r.setStream(w.stream)
	r.setPhase(Listing)
	if w.rest, err = r.readInitial(ctx, w.stream, c); err != nil {
		r.setStream(nil)
		w.stream.Close()
		return watching{}, r.versionGone(err)
	}
	return w, nil
}

// readInitial reads up to the bookmark that ends the list. That is due some time after the last event of
// the list. What is added after the first change or deletion is no part of the list: on a busy cluster,
// new objects would otherwise put it off forever. It returns the events that follow that
// bookmark in the same frame, with the bytes of the whole frame.
func (r *Reflector[T]) readInitial(ctx context.Context, stream Stream, c *collector[T]) (wire.Batch, error) {
	due, changed, slept := time.Now().Add(bookmarkWithin), false, false
	for {
		batch, err := r.next(ctx, stream, time.Until(due), errNoBookmark)
		if late := time.Since(due); errors.Is(err, errNoBookmark) && !slept && late > wakeLate {
			slept, due = true, time.Now().Add(bookmarkWithin) // what came meanwhile may not have been read
			continue
		}
		if errors.Is(err, io.EOF) {
			return wire.Batch{}, errCutShort
		}
		if err != nil {
			r.server.pages.failed(err, c.bytes)
			return wire.Batch{}, err
		}
		r.countEvents(len(batch.Events))
		rest, added, err := r.addInitial(c, batch.Events)
		if err != nil {
			return wire.Batch{}, err
		}
		if added && !changed {
			due = time.Now().Add(bookmarkWithin)
		}
		changed = changed || slices.ContainsFunc(batch.Events, isChange)
		if rest != nil {
			return wire.Batch{Events: rest, Bytes: batch.Bytes}, nil
		}
		c.credit(stream, batch)
	}
}

// bookmarkWithin is how long after the last initial event the bookmark that ends the list may take.
const bookmarkWithin = 5 * time.Second

// wakeLate is how late a timer is only if the machine slept, or had no time for the tab.
const wakeLate = time.Second

// isChange reports that an event is no part of an initial list.
func isChange(e wire.Event) bool { return e.Type == wire.Modified || e.Type == wire.Deleted }

// addInitial adds events to the list, up to the bookmark that ends it. If that came, rest is what
// follows it, and not nil. No version is reached before: the events of a list are in no order.
func (r *Reflector[T]) addInitial(c *collector[T], events []wire.Event) (rest []wire.Event, added bool, err error) {
	for i, e := range events {
		switch e.Type {
		case wire.Added, wire.Modified, wire.Deleted:
			added = added || e.Type == wire.Added
			c.read(e)
		case wire.Bookmark:
			version, end, err := r.bookmark(e.Payload)
			if err != nil {
				return nil, added, r.reject(err)
			}
			if end && r.position.behind(version) {
				return nil, added, errBehind
			}
			if end {
				c.done(version)
				return events[i+1:], added, nil
			}
		case wire.Error:
			return nil, added, statusOf(e.Payload)
		case wire.Columns:
			if err := r.setColumns(e.Payload); err != nil {
				return nil, added, err
			}
		default:
			return nil, added, r.reject(fmt.Errorf("%w: %q in a watch-list", wire.ErrFrame, e.Type))
		}
	}
	return nil, added, nil
}
