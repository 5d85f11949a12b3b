package disk

import (
	"context"
	"slices"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/recording"
	"watchglass/internal/object"
	"watchglass/internal/sorting"
	"watchglass/internal/wire"
)

// Record is the history of a Store, including its segments in the Archive. Reading may wait for the Disk,
// except in Span, Streams, Gaps and Count.
type Record struct {
	ctx     context.Context
	archive *Archive
	store   *history.Store
}

var _ history.Record = (*Record)(nil)

// Record returns the history of a store. Its methods don't wait once the context has ended.
func (a *Archive) Record(ctx context.Context, s *history.Store) *Record { return &Record{ctx, a, s} }

// segments returns the segments of a stream, the oldest first; -1: of all.
func (t *Record) segments(stream int) (all []*segment) {
	t.archive.mu.Lock()
	defer t.archive.mu.Unlock()
	for _, c := range t.archive.segments {
		if c.store == t.store && (stream < 0 || c.stream == stream) && !c.forbidden() {
			all = append(all, c)
		}
	}
	return all
}

// Span is history.Record's.
func (t *Record) Span() (from, to time.Time) {
	from, to = t.store.Span()
	for _, c := range t.segments(-1) {
		if c.from.Before(from) {
			from = c.from
		}
	}
	return from, to
}

// Streams is history.Record's.
func (t *Record) Streams() []history.Stream { return t.store.Streams() }

// Count is history.Record's.
func (t *Record) Count() uint64 { return t.store.Count() }

// Versions is history.Record's. It returns only versions in memory, because its callers can't wait.
func (t *Record) Versions(kind object.Kind, key, uid string, at time.Time, most int) []history.Version {
	return t.store.Versions(kind, key, uid, at, most)
}

// Gaps is history.Record's. A time that memory has dropped is a gap only if no segment has it.
func (t *Record) Gaps(stream int) (all []history.Gap) {
	from, _ := t.Span()
	memory, _ := t.store.Span()
	opened, known, _ := t.store.Known(stream)
	add := func(g history.Gap) {
		if g.From.Before(from) {
			g.From = from
		}
		if g.From.Before(g.To) {
			all = append(all, g)
		}
	}
	segments := t.segments(stream)
	if !opened.IsZero() {
		add(history.Gap{From: from, To: opened, Why: history.Closed})
		for _, g := range holes(opened, known, segments) {
			add(g)
		}
	}
	for _, c := range segments {
		for _, g := range gapsWithin(c.gaps, c.from, earlier(c.to, known)) {
			add(g)
		}
	}
	for _, g := range t.store.Gaps(stream) {
		switch {
		case opened.IsZero() && g.From.Equal(memory):
			g.From = from
		case g.Why == history.Dropped || !g.To.After(opened):
			continue
		case g.From.Before(known):
			g.From = known
		}
		add(g)
	}
	sorting.By(all, func(a, b history.Gap) int { return a.From.Compare(b.From) })
	return all
}

// holes returns the times between two moments that no segment has.
func holes(from, to time.Time, segments []*segment) (all []history.Gap) {
	for _, c := range segments {
		if c.from.After(from) && from.Before(to) {
			all = append(all, history.Gap{From: from, To: earlier(c.from, to), Why: history.Dropped})
		}
		if c.to.After(from) {
			from = c.to
		}
	}
	if from.Before(to) {
		all = append(all, history.Gap{From: from, To: to, Why: history.Dropped})
	}
	return all
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// gapsWithin returns the parts of gaps between two moments, except times that memory has dropped.
func gapsWithin(gaps []history.Gap, from, to time.Time) (all []history.Gap) {
	for _, g := range gaps {
		g.From, g.To = later(g.From, from), earlier(g.To, to)
		if g.Why != history.Dropped && g.From.Before(g.To) {
			all = append(all, g)
		}
	}
	return all
}

// segmentAt returns the segment that has a moment; nil if memory has it, or none does.
func (t *Record) segmentAt(stream int, at time.Time) *segment {
	if opened, known, _ := t.store.Known(stream); opened.IsZero() || !at.Before(known) {
		return nil
	}
	for _, c := range t.segments(stream) {
		if !at.Before(c.from) && !at.After(c.to) {
			return c
		}
	}
	return nil
}

// Load loads the segment that has a stream's moment, if there is one, so that later reads find it in the
// cache.
func (t *Record) Load(stream int, at time.Time) error {
	_, err := t.load(stream, at)
	return err
}

// load returns the recording that has a moment; nil if memory has it, or none does.
func (t *Record) load(stream int, at time.Time) (*recording.Recording, error) {
	c := t.segmentAt(stream, at)
	if c == nil {
		return nil, nil
	}
	return t.archive.load(t.ctx, c)
}

// At is history.Record's.
func (t *Record) At(stream int, at time.Time, yield func(history.Object) bool) {
	switch r, err := t.load(stream, at); {
	case err != nil: // Load has reported it
	case r != nil:
		r.At(0, at, yield)
	default:
		t.store.At(stream, at, yield)
	}
}

// Find is history.Record's.
func (t *Record) Find(stream int, key string, at time.Time) (history.Object, bool) {
	switch r, err := t.load(stream, at); {
	case err != nil:
		return history.Object{}, false
	case r != nil:
		return r.Find(0, key, at)
	}
	return t.store.Find(stream, key, at)
}

// Between is history.Record's.
func (t *Record) Between(stream int, from, to time.Time, yield func(history.Change) bool) {
	_, known, _ := t.store.Known(stream)
	more := true
	for _, c := range t.segments(stream) {
		low, high := later(from, c.from), earlier(earlier(to, c.to), known)
		if !low.Before(high) {
			continue
		}
		r, err := t.archive.load(t.ctx, c)
		if err != nil {
			continue
		}
		r.Between(0, low, high, func(change history.Change) bool {
			more = yield(change)
			return more
		})
		if !more {
			return
		}
	}
	t.store.Between(stream, later(from, known), to, yield)
}

// Moved is history.Record's.
func (t *Record) Moved(stream int, from, to time.Time, first func(key string) bool, yield func(history.Change) bool) {
	a, b := t.segmentAt(stream, from), t.segmentAt(stream, to)
	switch {
	case a == nil && b == nil:
		t.store.Moved(stream, from, to, first, yield)
	case a == b:
		if r, err := t.archive.load(t.ctx, a); err == nil {
			r.Moved(0, from, to, first, yield)
		}
	default:
		t.compare(stream, from, to, first, yield)
	}
}

// compare yields the differences between two moments that are in different segments.
func (t *Record) compare(stream int, from, to time.Time, first func(key string) bool, yield func(history.Change) bool) {
	var all []history.Change
	before := make(map[string]history.Object)
	t.At(stream, from, func(o history.Object) bool {
		o.Payload = slices.Clone(o.Payload)
		before[o.Key] = o
		return true
	})
	t.At(stream, to, func(o history.Object) bool {
		c := history.Change{At: to, Type: wire.Added, Key: o.Key, UID: o.UID}
		if was, there := before[o.Key]; there {
			c.Type, c.Before = wire.Modified, was.Payload
		}
		delete(before, o.Key)
		if c.Before == nil || string(c.Before) != string(o.Payload) {
			c.After = slices.Clone(o.Payload)
			all = append(all, c)
		}
		return true
	})
	for key, was := range before {
		all = append(all, history.Change{At: to, Type: wire.Deleted, Key: key, UID: was.UID, Before: was.Payload})
	}
	for _, c := range history.WantedFirst(all, first, func(c history.Change) string { return c.Key }) {
		if !yield(c) {
			return
		}
	}
}
