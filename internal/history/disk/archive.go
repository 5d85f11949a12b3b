package disk

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/timeslice"
)

// Archive moves the history of several Stores to a Disk. It is off by default. Its methods are safe for
// concurrent use; only Run and the Records wait for the Disk.
type Archive struct {
	disk  Disk
	timer timeslice.Timer // for writing or reading a segment
	wake  chan struct{}   // capacity 1

	mu       sync.Mutex
	on       bool
	opened   bool
	era      int // incremented when all segments are dropped
	stores   []*history.Store
	segments []*segment // the oldest first
	bytes    int64
	room     int64
	dropped  bool
	failed   string
	last     uint64 // the ID of the last segment
	cache    cache
}

// segment is a part of a stream on disk.
type segment struct {
	id        uint64
	store     *history.Store
	stream    int
	from, to  time.Time
	forgotten int // the stream's count when the segment was written
	gaps      []history.Gap
	size      int64
}

// Status is the state of an Archive.
type Status struct {
	On      bool
	Bytes   int64
	Room    int64
	Dropped bool   // older segments did not fit
	Failed  string // why nothing more is stored; "" if storing works
}

// New returns an Archive that is off. It rests regularly while it writes or reads.
func New(s Disk, rest timeslice.Rest) *Archive {
	a := &Archive{disk: s, timer: timeslice.Timer{For: workFor, Rest: rest}, wake: make(chan struct{}, 1)}
	a.cache.reading = make(chan struct{}, 1)
	return a
}

// Set turns the archive on or off. Turning it off removes all segments.
func (a *Archive) Set(on bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.on == on {
		return
	}
	a.on = on
	if !on {
		a.clear()
	}
	a.opened, a.dropped, a.failed = false, false, ""
}

// clear drops all segments.
func (a *Archive) clear() {
	a.era++
	a.segments, a.bytes = nil, 0
	a.cache.clear()
	a.disk.Clear()
}

// Keep adds a store, unless it was added before.
func (a *Archive) Keep(s *history.Store) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !slices.Contains(a.stores, s) {
		a.stores = append(a.stores, s)
	}
}

// Leave removes a store and drops its segments.
func (a *Archive) Leave(s *history.Store) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stores = slices.DeleteFunc(a.stores, func(other *history.Store) bool { return other == s })
	a.drop(func(c *segment) bool { return c.store == s })
}

// drop drops the segments that gone selects.
func (a *Archive) drop(gone func(c *segment) bool) {
	a.segments = slices.DeleteFunc(a.segments, func(c *segment) bool {
		if !gone(c) {
			return false
		}
		a.bytes -= c.size
		a.cache.drop(c.id)
		a.disk.Drop(c.id)
		return true
	})
}

// Status returns the state of the archive.
func (a *Archive) Status() Status {
	a.mu.Lock()
	defer a.mu.Unlock()
	return Status{On: a.on, Bytes: a.bytes, Room: a.room, Dropped: a.dropped, Failed: a.failed}
}

// Wake makes Run look for history that memory will drop next. It has to be called regularly.
func (a *Archive) Wake() {
	select {
	case a.wake <- struct{}{}:
	default:
	}
}

// Run moves history until the context ends.
func (a *Archive) Run(ctx context.Context) {
	for {
		select {
		case <-a.wake:
			a.Work(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// Work moves the history that memory will drop next, once. Only one goroutine may call it.
func (a *Archive) Work(ctx context.Context) {
	a.forget()
	if !a.open(ctx) {
		return
	}
	a.mu.Lock()
	stores := slices.Clone(a.stores)
	a.mu.Unlock()
	for _, s := range stores {
		for stream := range s.Streams() {
			if from, to, ok := s.Ripe(stream, a.stored(s, stream)); ok && ctx.Err() == nil {
				a.write(ctx, &segment{store: s, stream: stream, from: from, to: to})
			}
		}
	}
}

// forget drops the segments that may no longer be read.
func (a *Archive) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.drop((*segment).forbidden)
}

// forbidden reports whether all of the stream was forgotten since the segment was written: permission to read it was
// lost, or the segment's rows have other columns.
func (c *segment) forbidden() bool {
	_, _, forgotten := c.store.Known(c.stream)
	return forgotten != c.forgotten
}

// open opens the disk, and reports whether segments can be written.
func (a *Archive) open(ctx context.Context) bool {
	a.mu.Lock()
	on, opened, failed, era := a.on, a.opened, a.failed, a.era
	a.mu.Unlock()
	if !on || opened || failed != "" {
		return on && failed == ""
	}
	room, err := a.disk.Open(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.era != era || !a.on {
		return false
	}
	if a.room, a.opened = room, err == nil; err != nil {
		a.failed = err.Error()
	}
	return err == nil
}

// stored returns the end of a stream's last segment.
func (a *Archive) stored(s *history.Store, stream int) (to time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.segments {
		if c.store == s && c.stream == stream && c.to.After(to) {
			to = c.to
		}
	}
	return to
}

// write writes a segment, and drops the oldest segments that no longer fit. It discards the new segment if,
// meanwhile, memory has dropped part of it, permission to read it was lost, or all segments were dropped.
func (a *Archive) write(ctx context.Context, c *segment) {
	a.mu.Lock()
	era := a.era
	a.last++
	c.id = a.last
	a.mu.Unlock()
	_, _, c.forgotten = c.store.Known(c.stream)
	c.gaps = gapsWithin(c.store.Gaps(c.stream), c.from, c.to)
	data, err := c.encode(ctx, a.timer)
	if err == nil && c.overtaken() {
		return // the next call of Work writes the rest
	}
	if err == nil {
		c.size, err = a.disk.Put(ctx, c.id, data)
	}
	if ctx.Err() != nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if err == nil && c.size > a.room {
		err = errNoRoom
	}
	switch {
	case a.era != era || c.forbidden() || !slices.Contains(a.stores, c.store):
		a.disk.Drop(c.id)
	case err != nil:
		a.failed = err.Error()
		a.disk.Drop(c.id)
	default:
		a.add(c)
	}
}

var errNoRoom = errors.New("the browser allows this page too little storage")

// overtaken reports whether memory has dropped the beginning of a segment.
func (c *segment) overtaken() bool {
	_, known, _ := c.store.Known(c.stream)
	return known.IsZero() || known.After(c.from)
}

// add adds a segment, and drops the oldest ones that no longer fit.
func (a *Archive) add(c *segment) {
	for len(a.segments) > 0 && a.bytes+c.size > a.room {
		oldest := a.segments[0]
		for _, other := range a.segments {
			if other.to.Before(oldest.to) {
				oldest = other
			}
		}
		a.dropped = true
		a.drop(func(other *segment) bool { return other == oldest })
	}
	a.segments, a.bytes = append(a.segments, c), a.bytes+c.size
}
