package reflector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"watchglass/internal/wire"
)

// lastList is what is known of the last complete list.
type lastList struct {
	objects int // with those that came and went since
	// unfollowed: no watch has been open since. The user may list, and perhaps not watch.
	unfollowed bool
	// cause is why the next one is requested. The first cause of several counts.
	cause Cause
}

// listed notes that a list is complete. There is no doubt about its server: the objects in the sink
// are from that one, however long it was out of sight before.
func (r *Reflector[T]) listed() {
	r.answered()
	r.contact.doubt = sure
	r.contact.heard(time.Now())
}

// pageFailed returns errRelist if a list has to begin again at once: in larger pages or in one
// piece if its pages expired, at any version if its own is gone.
func (r *Reflector[T]) pageFailed(err error, o wire.ListOptions) error {
	status := wire.StatusOf(err)
	if refusedForNow(err) || byGateway(status) {
		r.learned.bypass.listed()
	}
	if o.Continue != "" && status != nil && status.Expired() {
		r.learned.pages.expired()
		return listAgain(err)
	}
	return r.versionGone(err)
}

// errStalled is a list that began and then neither went on nor ended.
var errStalled = &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "the list stalled"}

// errBrokeOff is a list that ended before its last page was whole.
var errBrokeOff = &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "the list was interrupted"}

// page reads one page.
func (r *Reflector[T]) page(ctx context.Context, c *collector[T], o wire.ListOptions) (meta wire.ListMeta, err error) {
	stream, err := r.openStream(ctx, wire.List, o)
	if err != nil {
		return meta, err
	}
	defer stream.Close()
	r.setStream(stream)
	defer r.setStream(nil)
	r.setPhase(Listing)
	err = r.items(ctx, stream, func(e wire.Event) error {
		switch e.Type {
		case wire.Item:
			c.read(wire.Event{Type: wire.Added, Payload: e.Payload})
			return nil
		case wire.Columns:
			return r.columns(e.Payload)
		case wire.ListEnd:
			return json.Unmarshal(e.Payload, &meta)
		}
		return r.reject(fmt.Errorf("%w: %q in a list", wire.ErrFrame, e.Type))
	}, func(s Stream, b wire.Batch) {
		r.countEvents(len(b.Events))
		c.credit(s, b)
	})
	return meta, err
}

// items reads the stream of a list to its end, and gives credit for each batch.
func (r *Reflector[T]) items(ctx context.Context, stream Stream, each func(wire.Event) error, credit func(Stream, wire.Batch)) error {
	for {
		batch, err := r.next(ctx, stream, r.options.ListWithin, errStalled)
		if errors.Is(err, io.EOF) {
			return errBrokeOff
		}
		if err != nil {
			return err
		}
		end := false
		for _, e := range batch.Events {
			if err := each(e); err != nil {
				return err
			}
			end = end || e.Type == wire.ListEnd
		}
		credit(stream, batch)
		if end {
			return nil
		}
	}
}
