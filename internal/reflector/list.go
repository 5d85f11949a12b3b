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

// collector takes the objects of an initial list. The first list streams
// through to the sink as it comes, so that its first rows show at once and no
// second copy of it is held; any later one is gathered, and replaces what there
// is in one piece.
type collector[T any] struct {
	r       *Reflector[T]
	through bool
	list    []T
	at      map[string]int // key → place in list
}

func (r *Reflector[T]) collect() *collector[T] {
	c := &collector[T]{r: r, through: !r.handed}
	r.printed = false
	if !c.through {
		c.at = make(map[string]int)
	}
	return c
}

// take applies one event to the list in the making.
func (c *collector[T]) take(t wire.EventType, obj T) {
	if c.through {
		c.r.handOne(t, obj)
		return
	}
	c.r.printed = true
	if known, ok := c.r.options.Known(obj); ok {
		obj = known
	}
	key := c.r.options.Key(obj)
	i, listed := c.at[key]
	switch {
	case t == wire.Deleted && listed:
		last := len(c.list) - 1
		c.list[i] = c.list[last]
		c.at[c.r.options.Key(c.list[i])] = i
		c.list = c.list[:last]
		delete(c.at, key)
	case t == wire.Deleted:
	case listed:
		c.list[i] = obj
	default:
		c.at[key] = len(c.list)
		c.list = append(c.list, obj)
	}
}

// credit gives credit for a batch: when it is applied, if it streamed through.
func (c *collector[T]) credit(stream Stream, batch wire.Batch) {
	if c.through {
		c.r.options.Sink.Applied(func() { stream.Credit(batch.Bytes) })
		return
	}
	stream.Credit(batch.Bytes)
}

// done hands the list over, whole, at its version.
func (c *collector[T]) done(version string) {
	r := c.r
	if c.through {
		r.options.Sink.Populated(version)
	} else {
		r.options.Sink.Replace(c.list, version)
	}
	r.version, r.unavailable, r.handed, r.denied = version, false, true, 0
	r.change(func(s *State) {
		if s.Synced {
			s.Relists++
		}
		s.Synced, s.Version = true, version
	})
}

// watchList brings in what there is by a watch that begins with it. The stream
// that it returns is that watch, past the bookmark that ends the list.
func (r *Reflector[T]) watchList(ctx context.Context) (Stream, error) {
	r.phase(Connecting)
	request := wire.InitialWatch("", "", "", "").ListOptions
	request.ResourceVersion, request.TimeoutSeconds = r.relistVersion(), watchSeconds()
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

// next is the next batch of a list. A list whose stream ends before it did broke
// off.
func (r *Reflector[T]) next(ctx context.Context, stream Stream) (wire.Batch, error) {
	batch, err := stream.Next(ctx)
	if err == nil {
		r.count(batch)
		return batch, nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return batch, cause
	}
	if errors.Is(err, io.EOF) {
		err = &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "the list broke off"}
	}
	return batch, err
}

// takeInitial takes events up to the end bookmark; rest is what is behind it,
// and not nil, if it came.
func (r *Reflector[T]) takeInitial(c *collector[T], events []wire.Event) (rest []wire.Event, added bool, err error) {
	for i, e := range events {
		switch e.Type {
		case wire.Added, wire.Modified, wire.Deleted:
			added = added || e.Type == wire.Added
			obj, err := r.options.Decoder.Decode(e.Payload)
			if err != nil {
				_ = r.reject(err) // counted and shown; the rest of the list is good
				continue
			}
			c.take(e.Type, obj)
		case wire.Bookmark:
			version, end, err := r.options.Decoder.Bookmark(e.Payload)
			if err != nil {
				return nil, added, r.reject(err)
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

// pageSize is the server's own client's.
const pageSize = 500

// list brings in what there is by a list, in pages where the server makes them.
func (r *Reflector[T]) list(ctx context.Context) error {
	r.phase(Connecting)
	c := r.collect()
	options := wire.ListOptions{ResourceVersion: r.listVersion(), Limit: pageSize}
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
		options.Continue, options.ResourceVersion = meta.Continue, ""
	}
}

// listVersion is the version that a list asks for: first whatever the server
// has in its cache.
func (r *Reflector[T]) listVersion() string {
	if r.version == "" && !r.unavailable {
		return "0"
	}
	return r.relistVersion()
}

// pageFailed asks for a fresh list where the pages of one ran out of time.
func (r *Reflector[T]) pageFailed(err error, o wire.ListOptions) error {
	if status := wire.StatusOf(err); o.Continue != "" && status != nil && status.Expired() {
		return fmt.Errorf("%w: %w", errRelist, err)
	}
	return r.versionGone(err)
}

// errStalled is a list that began and then neither went on nor ended.
var errStalled = &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "the list began, and then nothing more came"}

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
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	deadline := time.AfterFunc(r.options.BookmarkWithin, func() { cancel(errStalled) })
	defer deadline.Stop()
	for {
		batch, err := r.next(ctx, stream)
		if err != nil {
			return meta, err
		}
		deadline.Reset(r.options.BookmarkWithin)
		for _, e := range batch.Events {
			switch e.Type {
			case wire.Item:
				if obj, err := r.options.Decoder.Decode(e.Payload); err != nil {
					_ = r.reject(err)
				} else {
					c.take(wire.Added, obj)
				}
			case wire.Columns:
				err = r.columns(e.Payload)
			case wire.ListEnd:
				c.credit(stream, batch)
				return meta, json.Unmarshal(e.Payload, &meta)
			default:
				err = r.reject(fmt.Errorf("%w: %q in a list", wire.ErrFrame, e.Type))
			}
			if err != nil {
				return meta, err
			}
		}
		c.credit(stream, batch)
	}
}

// statusOf reads the Status of an ERROR event.
func statusOf(payload []byte) error {
	var s wire.Status
	if err := json.Unmarshal(payload, &s); err != nil {
		return fmt.Errorf("an error that is no Status: %w", err)
	}
	return &s
}
