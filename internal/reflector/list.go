package reflector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"watchglass/internal/wire"
)

// listed notes that a list is complete. There is no doubt about its server: the objects in the sink
// are from that one, however long it was out of sight before.
func (r *Reflector[T]) listed() {
	r.clearRefusals()
	r.contact.doubt = sure
	r.contact.heard(time.Now())
}

// firstPage returns the options of the first page of a list. The first list takes whatever the
// server has in its cache. A later one has to be as new as the version that was reached, and is
// requested in one piece: a limit would take it past the cache, to etcd. Without NotOlderThan, a
// version and a limit would request exactly that version.
func (r *Reflector[T]) firstPage() wire.ListOptions {
	pages := r.server.pages
	if pages.size > 0 {
		return wire.ListOptions{Limit: pages.size}
	}
	o := wire.ListOptions{ResourceVersion: r.position.minVersion(), Limit: pageSize}
	if !r.State().Synced && r.position.availability == available {
		o.ResourceVersion = "0"
	}
	if o.ResourceVersion != "" && o.ResourceVersion != "0" {
		o.ResourceVersionMatch = "NotOlderThan"
		if !pages.byServer && !r.server.pastCache() { // past its cache, a server splits any list that has a limit
			o.Limit = 0
		}
	}
	if pages.inOne {
		o.Limit = 0
	}
	return o
}

// pageSize is that of Kubernetes' own client.
const pageSize = 500

// nextPage returns the options of the page after another. It names no version: the token stands
// for exactly that of the first page.
func nextPage(o wire.ListOptions, token string) wire.ListOptions {
	o.Continue, o.ResourceVersion, o.ResourceVersionMatch = token, "", ""
	return o
}

// collector collects the objects of a list. The first list goes straight to the sink, so that its
// first rows show at once and there is no second copy of it. A later one is collected, and replaces
// the contents of the sink at once when it is complete. Until one was complete, a later one also
// shows as it comes; what is no longer in it goes when it is complete.
type collector[T any] struct {
	r          *Reflector[T]
	had        contents      // of the sink, when the list began
	streamed   int           // objects of the abandoned watch-list before this list
	unread     unreadObjects // objects that could not be read
	objects    int           // the others
	added      int           // of these, from ADDED events
	bytes      int           // of all batches of the list
	asOf       time.Time     // when the objects were saved; zero for a list from the server
	list       []T
	at         map[string]int // key → place in list
	unreadable map[string]T   // objects that could not be read
}

func (r *Reflector[T]) newCollector() *collector[T] {
	c := &collector[T]{r: r, had: r.delivery.contents}
	r.delivery.printed = false
	if !c.through() {
		c.at, c.unreadable = make(map[string]int), make(map[string]T)
	}
	return c
}

// through reports whether objects go to the sink and nowhere else.
func (c *collector[T]) through() bool { return c.had == untouched }

// shows reports whether objects go to the sink as they come.
func (c *collector[T]) shows() bool { return c.had == untouched || c.had == partial }

// read decodes an event and adds it. One that cannot be read is counted; the rest of the list is
// good.
func (c *collector[T]) read(e wire.Event) {
	obj, err := c.r.options.Decoder.Decode(e.Payload)
	if err == nil {
		delete(c.unread.keys, c.key(obj))
		c.add(e.Type, obj)
		return
	}
	_ = c.r.reject(err)
	obj, named := c.r.identify(e.Payload)
	switch {
	case !named:
		c.unread.unnamed++
		return
	case e.Type == wire.Deleted:
		delete(c.unread.keys, c.key(obj))
	default:
		key := c.r.options.Key(obj)
		c.unread.note(key, c.r.Unread(key))
		if e.Type = unreadable; !c.through() {
			c.unreadable[key] = obj
		}
	}
	c.add(e.Type, obj)
}

// key returns the key of an object, if any could not be read.
func (c *collector[T]) key(obj T) string {
	if len(c.unread.keys) == 0 {
		return ""
	}
	return c.r.options.Key(obj)
}

// add applies one event to the list.
func (c *collector[T]) add(t wire.EventType, obj T) {
	c.objects++
	if t == wire.Added {
		c.added++
	}
	c.r.delivery.printed = true
	if c.through() {
		c.r.deliver(t, obj)
		return
	}
	if known, ok := c.r.options.Known(obj); ok {
		obj = known
	}
	if c.shows() {
		c.r.deliver(t, obj)
	}
	key := c.r.options.Key(obj)
	i, listed := c.at[key]
	gone := t == wire.Deleted || t == unreadable
	if t != unreadable {
		delete(c.unreadable, key)
	}
	switch {
	case gone && listed:
		last := len(c.list) - 1
		c.list[i] = c.list[last]
		c.at[c.r.options.Key(c.list[i])] = i
		c.list = c.list[:last]
		delete(c.at, key)
	case gone:
	case listed:
		c.list[i] = obj
	default:
		c.at[key] = len(c.list)
		c.list = append(c.list, obj)
	}
}

// credit gives credit for a batch: when it is applied, if it shows.
func (c *collector[T]) credit(stream Stream, batch wire.Batch) {
	c.bytes += batch.Bytes
	if c.shows() {
		c.r.options.Sink.Applied(func() { stream.Credit(batch.Bytes) })
		return
	}
	stream.Credit(batch.Bytes)
}

// done completes the list at its version.
func (c *collector[T]) done(version string) {
	r := c.r
	if c.through() {
		r.options.Sink.Populated(version)
	} else {
		r.options.Sink.Replace(c.list, version, slices.Collect(maps.Values(c.unreadable))...)
	}
	back := r.position.listed(version)
	r.server.listed(c.streamed, c.objects, r.lastList.unwatched)
	r.delivery.contents = complete
	cause := r.lastList.cause
	r.lastList = lastList{objects: c.objects, unwatched: true}
	r.identity = identity{}
	r.tally = Tally{Since: version}
	r.change(func(s *State) {
		if s.Synced {
			s.noteRelist(cause)
		}
		if back {
			s.Rewinds++
		}
		r.unread, s.WasOf, s.Tally = c.unread, s.AsOf, r.tally
		s.Synced, s.Emptied, s.Version, s.Unread, s.Listed, s.AsOf = true, false, version, c.unread.count(), time.Now(), c.asOf
		if !c.asOf.IsZero() {
			s.Listed = c.asOf
		}
	})
}

// fetchPage reads a page of a list, and reports whether there are more. If it fails, again reports
// that the page is requested again after a wait: any page after the first if it was refused for now,
// or, where pages are small because a list was interrupted, if it was interrupted itself. The first
// page is read only once. Read again, it would be of another version than the objects that were
// shown.
func (r *Reflector[T]) fetchPage(ctx context.Context, s *listingByPage[T]) (more, again bool, err error) {
	c, first, small := s.collector, s.page.Continue == "", r.server.pages.size > 0
	objects, unnamed := c.objects, c.unread.unnamed
	meta, err := r.collectPage(ctx, c, s.page)
	switch {
	case err == nil && first && r.position.behind(meta.ResourceVersion):
		if small { // read by quorum, since the request named no version that it must have
			return false, false, r.newHistory(errRewound)
		}
		return false, false, errBehind
	case err == nil:
		r.server.pages.pageArrived()
		if small || !first {
			r.backoff = backoff{} // there was progress
		}
		return r.pageAfter(s, meta), false, nil
	}
	r.server.pages.failed(err, c.bytes)
	if first || !tooManyRequests(err) && !(small && interrupted(err)) {
		return false, false, err
	}
	c.objects, c.unread.unnamed = objects, unnamed // keys are read again
	if small {
		s.page.Limit = r.server.pages.size
	}
	return false, true, err
}

// pageAfter makes s request the page after one that has come, and reports whether there is one.
func (r *Reflector[T]) pageAfter(s *listingByPage[T], meta wire.ListMeta) (more bool) {
	if s.version == "" {
		s.version = meta.ResourceVersion // of the first page, which all share
	}
	if meta.Continue == "" {
		return false
	}
	p := &r.server.pages
	p.byServer = p.byServer || p.size == 0 && !r.server.pastCache()
	if s.page = nextPage(s.page, meta.Continue); p.size > 0 {
		s.page.Limit = p.size
	}
	return true
}

// pageFailed returns errRelist if a list has to begin again at once: in larger pages or in one
// piece if its pages expired, at any version if its own is gone.
func (r *Reflector[T]) pageFailed(err error, o wire.ListOptions) error {
	status := wire.StatusOf(err)
	if tooManyRequests(err) || byGateway(status) {
		r.server.retryWatchLists()
	}
	if o.Continue != "" && status != nil && status.Expired() {
		r.server.pages.expired()
		return listAgain(err)
	}
	return r.versionGone(err)
}

// collectPage reads one page.
func (r *Reflector[T]) collectPage(ctx context.Context, c *collector[T], o wire.ListOptions) (meta wire.ListMeta, err error) {
	stream, err := r.requestStream(ctx, wire.List, o)
	if err != nil {
		return meta, err
	}
	defer stream.Close()
	r.setStream(stream)
	defer r.setStream(nil)
	r.setPhase(Listing)
	err = r.readItems(ctx, stream, func(e wire.Event) error {
		switch e.Type {
		case wire.Item:
			c.read(wire.Event{Type: wire.Added, Payload: e.Payload})
			return nil
		case wire.Columns:
			return r.setColumns(e.Payload)
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

// listWithin is how long a list may be silent.
const listWithin = 15 * time.Second

// errStalled is a list that began and then neither went on nor ended.
var errStalled = &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "the list stalled"}

// errBrokeOff is a list that ended before its last page was whole.
var errBrokeOff = &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "the list was interrupted"}

// readPage reads a page of a list that a check requests. State counts nothing of it but bytes.
func (r *Reflector[T]) readPage(ctx context.Context, request wire.Request, item func(payload []byte) error) (meta wire.ListMeta, err error) {
	stream, err := r.options.Source.Open(ctx, request)
	if err != nil {
		return meta, err
	}
	defer stream.Close()
	err = r.readItems(ctx, stream, func(e wire.Event) error {
		switch e.Type {
		case wire.Item:
			return item(e.Payload)
		case wire.ListEnd:
			return json.Unmarshal(e.Payload, &meta)
		case wire.Error:
			return statusOf(e.Payload)
		}
		return nil
	}, func(s Stream, b wire.Batch) { s.Credit(b.Bytes) })
	return meta, err
}

// readItems reads the stream of a list to its end, and gives credit for each batch.
func (r *Reflector[T]) readItems(ctx context.Context, stream Stream, each func(wire.Event) error, credit func(Stream, wire.Batch)) error {
	for {
		batch, err := r.next(ctx, stream, listWithin, errStalled)
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
