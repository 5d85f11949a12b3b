// Package historytest is a noun for tests: Model, a naive history.Record that keeps every change whole, and
// Disk, a disk in memory. Histories are compared with a Model; replays and timelines are tested on it.
//
// In: changes in order of time, or the segments of an archive. Out: a Record, or a disk.Disk.
package historytest

import (
	"slices"
	"sync"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// Model is a naive history.Record.
type Model struct {
	mu      sync.Mutex
	streams []history.Stream
	changes [][]history.Change
	gaps    [][]history.Gap
	from    time.Time
	to      time.Time
	count   uint64
}

var _ history.Record = (*Model)(nil)

// New returns a Model that begins at a moment.
func New(from time.Time) *Model { return &Model{from: from, to: from} }

// Open adds a stream.
func (t *Model) Open(s history.Stream) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.streams, t.changes, t.gaps = append(t.streams, s), append(t.changes, nil), append(t.gaps, nil)
	return len(t.streams) - 1
}

// Relay gives a stream other columns. What it has of before is dropped.
func (t *Model) Relay(stream int, columns []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.streams[stream].Columns, t.changes[stream] = columns, nil
}

// Put adds a change: payload is the object from then on; nil if it is gone.
func (t *Model) Put(stream int, at time.Time, key, uid string, payload []byte) {
	before, _ := t.Find(stream, key, at)
	t.mu.Lock()
	defer t.mu.Unlock()
	c := history.Change{At: at, Key: key, UID: uid, Before: before.Payload, After: payload, Type: wire.Modified}
	switch {
	case before.Payload == nil && payload == nil:
		return
	case before.Payload == nil:
		c.Type = wire.Added
	case payload == nil:
		c.Type = wire.Deleted
	}
	t.changes[stream] = append(t.changes[stream], c)
	t.count++
	if at.After(t.to) {
		t.to = at
	}
}

// Miss adds a gap.
func (t *Model) Miss(stream int, g history.Gap) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.gaps[stream] = append(t.gaps[stream], g)
}

// Span is history.Record's.
func (t *Model) Span() (from, to time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.from, t.to
}

// Streams is history.Record's.
func (t *Model) Streams() []history.Stream {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.streams)
}

// Gaps is history.Record's.
func (t *Model) Gaps(stream int) []history.Gap {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.gaps[stream])
}

// Count is history.Record's.
func (t *Model) Count() uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.count
}

// at returns the objects of a moment.
func (t *Model) at(stream int, at time.Time) map[string]history.Object {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make(map[string]history.Object)
	for _, c := range t.changes[stream] {
		if c.At.After(at) {
			continue
		}
		if delete(all, c.Key); c.After != nil {
			all[c.Key] = history.Object{Key: c.Key, UID: c.UID, Payload: c.After}
		}
	}
	return all
}

// At is history.Record's.
func (t *Model) At(stream int, at time.Time, yield func(history.Object) bool) {
	for _, o := range t.at(stream, at) {
		if !yield(o) {
			return
		}
	}
}

// Find is history.Record's.
func (t *Model) Find(stream int, key string, at time.Time) (history.Object, bool) {
	o, ok := t.at(stream, at)[key]
	return o, ok
}

// Between is history.Record's.
func (t *Model) Between(stream int, from, to time.Time, yield func(history.Change) bool) {
	t.mu.Lock()
	all := slices.Clone(t.changes[stream])
	t.mu.Unlock()
	for _, c := range all {
		if c.At.After(from) && !c.At.After(to) && !yield(c) {
			return
		}
	}
}

// Moved is history.Record's.
func (t *Model) Moved(stream int, from, to time.Time, first func(key string) bool, yield func(history.Change) bool) {
	before, after := t.at(stream, from), t.at(stream, to)
	var all []history.Change
	for key, o := range before {
		c := history.Change{At: to, Type: wire.Deleted, Key: key, UID: o.UID, Before: o.Payload}
		if now, ok := after[key]; ok {
			c.Type, c.UID, c.After = wire.Modified, now.UID, now.Payload
		}
		if string(c.Before) != string(c.After) {
			all = append(all, c)
		}
	}
	for key, o := range after {
		if _, was := before[key]; !was {
			all = append(all, history.Change{At: to, Type: wire.Added, Key: key, UID: o.UID, After: o.Payload})
		}
	}
	for _, c := range history.WantedFirst(all, first, func(c history.Change) string { return c.Key }) {
		if !yield(c) {
			return
		}
	}
}

// Moved returns what differs between two moments of a record, sorted, each as text. Half of the keys are
// wanted first: those that come too late are named.
func Moved(t history.Record, stream int, from, to time.Time) (all []string) {
	first, late := func(key string) bool { return key[len(key)-1]%2 == 0 }, false
	t.Moved(stream, from, to, first, func(c history.Change) bool {
		if late = late || !first(c.Key); late && first(c.Key) {
			all = append(all, c.Key+" comes too late")
		}
		all = append(all, Text(c))
		return true
	})
	slices.Sort(all)
	return all
}

// Versions is history.Record's.
func (t *Model) Versions(kind object.Kind, key, uid string, at time.Time, most int) (all []history.Version) {
	for i, s := range t.Streams() {
		var some []history.Version
		for _, c := range t.changes[i] {
			if s.Group == kind.Group && s.Resource == kind.Resource && c.Key == key && c.UID == uid && c.After != nil && !c.At.After(at) {
				some = append(some, history.Version{At: c.At, Payload: c.After, Columns: s.Columns})
			}
		}
		all = append(all, some[max(len(some)-most, 0):]...)
	}
	return all
}

// VersionsOf returns the last five versions of an object at a moment, as text: those of a record.
func VersionsOf(t history.Record, s history.Stream, key, uid string, at time.Time) (all []string) {
	for _, v := range t.Versions(object.Kind{Group: s.Group, Resource: s.Resource}, key, uid, at, 5) {
		all = append(all, string(v.Payload))
	}
	return all
}
