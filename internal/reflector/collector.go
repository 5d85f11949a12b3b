package reflector

import (
	"maps"
	"slices"
	"time"

	"watchglass/internal/wire"
)

// collector collects the objects of a list. The first list goes straight to the sink, so that its
// first rows show at once and there is no second copy of it. A later one is collected, and replaces
// the contents of the sink at once when it is complete. Until one was complete, a later one also
// shows as it comes; what is no longer in it goes when it is complete.
type collector[T any] struct {
	r        *Reflector[T]
	had      contents  // of the sink, when the list began
	streamed int       // objects of the abandoned watch-list before this list
	unread   unread    // objects that could not be read
	objects  int       // the others
	added    int       // of these, from ADDED events
	bytes    int       // of all batches of the list
	asOf     time.Time // when the objects were saved; zero for a list from the server
	list     []T
	at       map[string]int // key → place in list
	lost     map[string]T   // objects that could not be read
}

func (r *Reflector[T]) collect() *collector[T] {
	c := &collector[T]{r: r, had: r.delivery.contents, unread: unread{keys: make(map[string]time.Time)}}
	r.delivery.printed = false
	if !c.through() {
		c.at, c.lost = make(map[string]int), make(map[string]T)
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
	obj, err := c.r.decode(e.Payload)
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
		if e.Type = lost; !c.through() {
			c.lost[key] = obj
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
		c.r.handOne(t, obj)
		return
	}
	if known, ok := c.r.options.Known(obj); ok {
		obj = known
	}
	if c.shows() {
		c.r.handOne(t, obj)
	}
	key := c.r.options.Key(obj)
	i, listed := c.at[key]
	gone := t == wire.Deleted || t == lost
	if t != lost {
		delete(c.lost, key)
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
		r.options.Sink.Replace(c.list, version, slices.Collect(maps.Values(c.lost))...)
	}
	back := r.position.listed(version)
	r.learned.bypass.listed()
	r.learned.pages.listed()
	r.delayWatch()
	if r.onlyBookmarkLost(c.streamed, c.objects) {
		r.learned.held = nothing
	}
	r.delivery.contents = complete
	cause := r.lastList.cause
	r.lastList = lastList{objects: c.objects, unfollowed: true}
	r.identity = identity{}
	r.tally = Tally{Since: version}
	r.change(func(s *State) {
		if s.Synced {
			s.relisted(cause)
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
