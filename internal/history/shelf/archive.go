package shelf

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"watchglass/internal/breath"
	"watchglass/internal/history"
)

// Archive moves the history of several Stores to a Shelf. It is off by default. Its methods are safe for
// concurrent use; only Run and the Tapes wait for the Shelf.
type Archive struct {
	shelf  Shelf
	breath breath.Breath // for writing or reading a chapter
	wake   chan struct{} // capacity 1

	mu       sync.Mutex
	on       bool
	opened   bool
	era      int // incremented when all chapters are dropped
	stores   []*history.Store
	chapters []*chapter // the oldest first
	bytes    int64
	room     int64
	dropped  bool
	failed   string
	last     uint64 // the ID of the last chapter
	cache    cache
}

// chapter is a part of a stream on the shelf.
type chapter struct {
	id        uint64
	store     *history.Store
	stream    int
	from, to  time.Time
	forgotten int // the stream's count when the chapter was written
	gaps      []history.Gap
	size      int64
}

// Status is the state of an Archive.
type Status struct {
	On      bool
	Bytes   int64
	Room    int64
	Dropped bool   // older chapters did not fit
	Failed  string // why nothing more is stored; "" if storing works
}

// New returns an Archive that is off. It rests regularly while it writes or reads.
func New(s Shelf, rest breath.Rest) *Archive {
	a := &Archive{shelf: s, breath: breath.Breath{For: workFor, Rest: rest}, wake: make(chan struct{}, 1)}
	a.cache.reading = make(chan struct{}, 1)
	return a
}

// Turn turns the archive on or off. Turning it off removes all chapters.
func (a *Archive) Turn(on bool) {
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

// clear drops all chapters.
func (a *Archive) clear() {
	a.era++
	a.chapters, a.bytes = nil, 0
	a.cache.clear()
	a.shelf.Clear()
}

// Keep adds a store, unless it was added before.
func (a *Archive) Keep(s *history.Store) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !slices.Contains(a.stores, s) {
		a.stores = append(a.stores, s)
	}
}

// Leave removes a store and drops its chapters.
func (a *Archive) Leave(s *history.Store) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.stores = slices.DeleteFunc(a.stores, func(other *history.Store) bool { return other == s })
	a.drop(func(c *chapter) bool { return c.store == s })
}

// drop drops the chapters that gone selects.
func (a *Archive) drop(gone func(c *chapter) bool) {
	a.chapters = slices.DeleteFunc(a.chapters, func(c *chapter) bool {
		if !gone(c) {
			return false
		}
		a.bytes -= c.size
		a.cache.drop(c.id)
		a.shelf.Drop(c.id)
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
				a.write(ctx, &chapter{store: s, stream: stream, from: from, to: to})
			}
		}
	}
}

// forget drops the chapters that may no longer be read.
func (a *Archive) forget() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.drop((*chapter).forbidden)
}

// forbidden reports whether all of the stream was forgotten since the chapter was written: permission to read it was
// lost, or the chapter's rows have other columns.
func (c *chapter) forbidden() bool {
	_, _, forgotten := c.store.Known(c.stream)
	return forgotten != c.forgotten
}

// open opens the shelf, and reports whether chapters can be written.
func (a *Archive) open(ctx context.Context) bool {
	a.mu.Lock()
	on, opened, failed, era := a.on, a.opened, a.failed, a.era
	a.mu.Unlock()
	if !on || opened || failed != "" {
		return on && failed == ""
	}
	room, err := a.shelf.Open(ctx)
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

// stored returns the end of a stream's last chapter.
func (a *Archive) stored(s *history.Store, stream int) (to time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, c := range a.chapters {
		if c.store == s && c.stream == stream && c.to.After(to) {
			to = c.to
		}
	}
	return to
}

// write writes a chapter, and drops the oldest chapters that no longer fit. It discards the new chapter if,
// meanwhile, memory has dropped part of it, permission to read it was lost, or all chapters were dropped.
func (a *Archive) write(ctx context.Context, c *chapter) {
	a.mu.Lock()
	era := a.era
	a.last++
	c.id = a.last
	a.mu.Unlock()
	_, _, c.forgotten = c.store.Known(c.stream)
	c.gaps = gapsWithin(c.store.Gaps(c.stream), c.from, c.to)
	data, err := c.encode(ctx, a.breath)
	if err == nil && c.overtaken() {
		return // the next call of Work writes the rest
	}
	if err == nil {
		c.size, err = a.shelf.Put(ctx, c.id, data)
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
		a.shelf.Drop(c.id)
	case err != nil:
		a.failed = err.Error()
		a.shelf.Drop(c.id)
	default:
		a.add(c)
	}
}

var errNoRoom = errors.New("the browser allows this page too little storage")

// overtaken reports whether memory has dropped the beginning of a chapter.
func (c *chapter) overtaken() bool {
	_, known, _ := c.store.Known(c.stream)
	return known.IsZero() || known.After(c.from)
}

// add adds a chapter, and drops the oldest ones that no longer fit.
func (a *Archive) add(c *chapter) {
	for len(a.chapters) > 0 && a.bytes+c.size > a.room {
		oldest := a.chapters[0]
		for _, other := range a.chapters {
			if other.to.Before(oldest.to) {
				oldest = other
			}
		}
		a.dropped = true
		a.drop(func(other *chapter) bool { return other == oldest })
	}
	a.chapters, a.bytes = append(a.chapters, c), a.bytes+c.size
}
