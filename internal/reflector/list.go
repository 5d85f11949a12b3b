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

// list brings in what there is by a list, in pages where the server makes them.
func (r *Reflector[T]) list(ctx context.Context) error {
	r.phase(Connecting)
	c := r.collect()
	options := r.firstPage()
	version := ""
	for {
		meta, err := r.page(ctx, c, options)
		if err != nil {
			return r.pageFailed(err, options)
		}
		if version == "" {
			version = meta.ResourceVersion // of the first page, which all share
		}
		if meta.Continue == "" {
			c.done(version)
			return nil
		}
		r.paged = true
		options = nextPage(options, meta.Continue)
	}
}

// pageFailed asks for a fresh list, in one piece, where the pages of one ran out
// of time.
func (r *Reflector[T]) pageFailed(err error, o wire.ListOptions) error {
	if status := wire.StatusOf(err); o.Continue != "" && status != nil && status.Expired() {
		r.inOne = true
		return fmt.Errorf("%w: %w", errRelist, err)
	}
	return r.versionGone(err)
}

// errStalled is a list that began and then neither went on nor ended.
var errStalled = &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "the list began, and then nothing more came"}

// errBrokeOff is a list whose answer ended before the list did.
var errBrokeOff = &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "the list broke off"}

// page reads one page.
func (r *Reflector[T]) page(ctx context.Context, c *collector[T], o wire.ListOptions) (meta wire.ListMeta, err error) {
	stream, err := r.options.Source.Open(ctx, r.request(wire.List, o))
	if err != nil {
		return meta, err
	}
	defer stream.Close()
	r.hold(stream)
	defer r.hold(nil)
	r.phase(Listing)
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
	}, c.credit)
	return meta, err
}

// items reads the stream of a list to its end, and gives credit for each batch.
func (r *Reflector[T]) items(ctx context.Context, stream Stream, take func(wire.Event) error, credit func(Stream, wire.Batch)) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	deadline := time.AfterFunc(r.options.BookmarkWithin, func() { cancel(errStalled) })
	defer deadline.Stop()
	for {
		batch, err := r.next(ctx, stream)
		if errors.Is(err, io.EOF) {
			return errBrokeOff
		}
		if err != nil {
			return err
		}
		deadline.Reset(r.options.BookmarkWithin)
		end := false
		for _, e := range batch.Events {
			if err := take(e); err != nil {
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
