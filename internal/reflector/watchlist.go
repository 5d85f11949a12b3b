package reflector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"

	"watchglass/internal/wire"
)

// initial brings in what there is: by a watch-list, whose stream goes on as the
// watch, or by a list, and then there is no stream yet.
func (r *Reflector[T]) initial(ctx context.Context) (Stream, error) {
	if time.Now().After(r.listOnly) && r.State().Polled == 0 {
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

// errCutShort is a watch-list that the server ended before the list did. An
// apiserver ends a watch for which it has to keep more than a thousand events, and
// it keeps all that happen while the list is read: a large list of a cluster in
// which much happens, or a slow reader, never gets to the end that way, however
// often it is tried. client-go tries forever.
var errCutShort = errors.New("the server ended the watch before the list that it begins with")

// fallBack reports whether a list is tried where a watch-list failed.
func (r *Reflector[T]) fallBack(err error) bool {
	status := wire.StatusOf(err)
	switch {
	case errors.Is(err, errNoBookmark), status != nil && status.Unsupported():
		r.listOnly = time.Now().Add(listOnlyFor)
		return true
	case errors.Is(err, errCutShort):
		return true
	case errors.Is(err, errRelist), status == nil, status.Origin != wire.FromAPIServer:
		return false
	}
	if status.Denied() && !status.Unauthorized() {
		r.refusedWatch(status)
	}
	// A list would be answered the same.
	return !status.TooManyRequests() && !status.NotFound() && !status.Unauthorized()
}

// watchFor is how long a watch is asked to last: a random time, so that those of
// many tabs do not end together.
func watchFor() time.Duration { return 5*time.Minute + rand.N(5*time.Minute) }

// watchList brings in what there is by a watch that begins with it. The stream
// that it returns is that watch, past the bookmark that ends the list.
func (r *Reflector[T]) watchList(ctx context.Context) (Stream, error) {
	r.phase(Connecting)
	r.asked = watchFor()
	request := wire.InitialWatch("", "", "", "").ListOptions
	request.ResourceVersion, request.TimeoutSeconds = r.relistVersion(), int64(r.asked.Seconds())
	stream, err := r.options.Source.Open(ctx, r.request(wire.Watch, request))
	if err != nil {
		return nil, r.versionGone(err)
	}
	r.hold(stream)
	r.phase(Listing)
	if err := r.readInitial(ctx, stream); err != nil {
		r.hold(nil)
		stream.Close()
		return nil, r.versionGone(err)
	}
	return stream, nil
}

// readInitial reads up to the bookmark that ends the list.
func (r *Reflector[T]) readInitial(ctx context.Context, stream Stream) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	deadline := time.AfterFunc(r.options.BookmarkWithin, func() { cancel(errNoBookmark) })
	defer deadline.Stop()
	c := r.collect()
	for {
		batch, err := r.next(ctx, stream)
		if errors.Is(err, io.EOF) {
			return errCutShort
		}
		if err != nil {
			return err
		}
		rest, added, err := r.takeInitial(c, batch.Events)
		if err != nil {
			return err
		}
		if added {
			deadline.Reset(r.options.BookmarkWithin)
		}
		if rest != nil {
			r.behind = wire.Batch{Events: rest, Bytes: batch.Bytes}
			return nil
		}
		c.credit(stream, batch)
	}
}

// next is the next batch of what is listed.
func (r *Reflector[T]) next(ctx context.Context, stream Stream) (wire.Batch, error) {
	batch, err := stream.Next(ctx)
	if err == nil {
		r.count(batch)
		return batch, nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return batch, cause
	}
	return batch, err
}

// takeInitial takes events up to the end bookmark; rest is what is behind it,
// and not nil, if it came. The version is not reached before: the events of a list
// come in no order.
func (r *Reflector[T]) takeInitial(c *collector[T], events []wire.Event) (rest []wire.Event, added bool, err error) {
	for i, e := range events {
		switch e.Type {
		case wire.Added, wire.Modified, wire.Deleted:
			added = added || e.Type == wire.Added
			c.read(e)
		case wire.Bookmark:
			version, end, err := r.bookmark(e.Payload)
			if err != nil {
				return nil, added, err
			}
			if end {
				c.done(version)
				return events[i+1:], added, nil
			}
		case wire.Error:
			return nil, added, statusOf(e.Payload)
		case wire.Columns:
			if err := r.columns(e.Payload); err != nil {
				return nil, added, err
			}
		default:
			return nil, added, r.reject(fmt.Errorf("%w: %q in a watch-list", wire.ErrFrame, e.Type))
		}
	}
	return nil, added, nil
}

// statusOf reads the Status of an ERROR event.
func statusOf(payload []byte) error {
	var s wire.Status
	if err := json.Unmarshal(payload, &s); err != nil {
		return fmt.Errorf("an error that is no Status: %w", err)
	}
	return &s
}
