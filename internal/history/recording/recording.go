package recording

import (
	"bytes"
	"slices"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// Recording is the content of a file. It is immutable.
type Recording struct {
	Header
	// Damage says how far a damaged file was read, and why no further; "" if it is intact.
	Damage string

	streams []stream
	logs    []history.Log
	changes uint64
}

var _ history.LogRecord = (*Recording)(nil)

// stream is a stream of a Recording.
type stream struct {
	history.Stream
	gaps    []history.Gap
	since   int64             // when its objects are first known
	numbers map[string]uint32 // of keys
	objects []objectHistory
	changes []change // in order of time
}

// objectHistory is the history of the objects of one key.
type objectHistory struct {
	key  string
	uid  string // at the beginning
	data []byte // at the beginning; nil: it did not exist
	// changes are the indexes of its changes, in order of time.
	changes []uint32
}

// change is a change to an object: a new payload, a delta, or its deletion.
type change struct {
	at     int64 // unix microseconds
	object uint32
	kind   byte
	uid    string
	data   []byte
}

// index sets the changes of each object, which share one array.
func (s *stream) index() {
	counts := make([]uint32, len(s.objects))
	for i := range s.changes {
		counts[s.changes[i].object]++
	}
	all := make([]uint32, len(s.changes))
	for i, n := range counts {
		s.objects[i].changes, all = all[:0:n], all[n:]
	}
	for i := range s.changes {
		o := &s.objects[s.changes[i].object]
		o.changes = append(o.changes, uint32(i))
	}
}

// Span is history.Record's.
func (t *Recording) Span() (from, to time.Time) { return t.From, t.To }

// Streams is history.Record's.
func (t *Recording) Streams() []history.Stream {
	all := make([]history.Stream, len(t.streams))
	for i := range t.streams {
		all[i] = t.streams[i].Stream
	}
	return all
}

// Gaps is history.Record's.
func (t *Recording) Gaps(stream int) []history.Gap { return slices.Clone(t.streams[stream].gaps) }

// Count is history.Record's: the changes and the objects at the beginning.
func (t *Recording) Count() uint64 { return t.changes }

// Logs is history.LogRecord's.
func (t *Recording) Logs() []history.Log { return slices.Clone(t.logs) }

// At is history.Record's.
func (t *Recording) At(stream int, at time.Time, yield func(history.Object) bool) {
	s, d := &t.streams[stream], payloadBuffer{}
	for i := range s.objects {
		uid, payload := d.at(s, uint32(i), s.until(uint32(i), at))
		if payload != nil && !yield(history.Object{Key: s.objects[i].key, UID: uid, Payload: payload}) {
			return
		}
	}
}

// Find is history.Record's.
func (t *Recording) Find(stream int, key string, at time.Time) (history.Object, bool) {
	s := &t.streams[stream]
	i, known := s.numbers[key]
	if !known {
		return history.Object{}, false
	}
	var d payloadBuffer
	uid, payload := d.at(s, i, s.until(i, at))
	if payload == nil {
		return history.Object{}, false
	}
	return history.Object{Key: key, UID: uid, Payload: payload}, true
}

// Versions is history.Record's.
func (t *Recording) Versions(kind object.Kind, key, uid string, at time.Time, most int) (all []history.Version) {
	for i := range t.streams {
		s := &t.streams[i]
		object, known := s.numbers[key]
		if !known || s.Group != kind.Group || s.Resource != kind.Resource {
			continue
		}
		end := s.until(object, at)
		first := max(end-most+1, 0)
		var d payloadBuffer
		is, payload := d.at(s, object, min(first, end))
		for n := first; n <= end; n++ {
			if n > first {
				is, payload = d.advance(s, object, n-1, is, payload, n)
			}
			if payload != nil && is == uid {
				all = append(all, history.Version{At: s.changedAt(object, n), Payload: slices.Clone(payload), Columns: s.Columns})
			}
		}
	}
	return all
}

// changedAt returns the time of an object's nth change, counted from 1; zero for 0, its state at the
// beginning.
func (s *stream) changedAt(object uint32, change int) time.Time {
	if change == 0 {
		return time.Time{}
	}
	return time.UnixMicro(s.changes[s.objects[object].changes[change-1]].at).UTC()
}

// until returns the number of an object's changes up to and including a moment; -1 if nothing of the
// stream is known then.
func (s *stream) until(object uint32, at time.Time) int {
	if s.unknown(at) {
		return -1
	}
	all := s.objects[object].changes
	n, _ := slices.BinarySearchFunc(all, at.UnixMicro()+1, func(i uint32, at int64) int { return order(s.changes[i].at, at) })
	return n
}

// unknown reports whether a moment is before the stream's objects are known.
func (s *stream) unknown(at time.Time) bool { return at.UnixMicro() < s.since }

// order compares two times so that a binary search finds the first of equal ones.
func order(at, wanted int64) int {
	if at < wanted {
		return -1
	}
	return 1
}

// between returns the indexes of the changes after one moment, up to and including another.
func (s *stream) between(from, to time.Time) (begin, end int) {
	search := func(at time.Time) int {
		n, _ := slices.BinarySearchFunc(s.changes, at.UnixMicro()+1, func(c change, at int64) int { return order(c.at, at) })
		return n
	}
	return search(from), search(to)
}

// Between is history.Record's.
func (t *Recording) Between(stream int, from, to time.Time, yield func(history.Change) bool) {
	s := &t.streams[stream]
	var before, after payloadBuffer
	begin, end := s.between(from, to)
	for i := begin; i < end; i++ {
		c := &s.changes[i]
		n := indexOf(s.objects[c.object].changes, uint32(i))
		if out, ok := s.compare(c.object, &before, &after, n, n+1); ok {
			if out.At = time.UnixMicro(c.at).UTC(); !yield(out) {
				return
			}
		}
	}
}

// indexOf returns how many of an object's changes are before one of them.
func indexOf(changes []uint32, one uint32) int {
	n, _ := slices.BinarySearch(changes, one)
	return n
}

// Moved is history.Record's.
func (t *Recording) Moved(stream int, from, to time.Time, first func(key string) bool, yield func(history.Change) bool) {
	s := &t.streams[stream]
	var before, after payloadBuffer
	key := func(object uint32) string { return s.objects[object].key }
	for _, object := range history.WantedFirst(s.touched(from, to), first, key) {
		out, ok := s.compare(object, &before, &after, s.until(object, from), s.until(object, to))
		if !ok || bytes.Equal(out.Before, out.After) {
			continue
		}
		if out.At = to; !yield(out) {
			return
		}
	}
}

// touched returns the objects that may differ between two moments: those that changed between them, and all
// if the objects are known at one of the two alone.
func (s *stream) touched(from, to time.Time) (all []uint32) {
	if before, after := s.unknown(from), s.unknown(to); before != after {
		for object := range s.objects {
			all = append(all, uint32(object))
		}
		return all
	} else if before {
		return nil
	}
	begin, end := s.between(from, to)
	seen := make([]bool, len(s.objects))
	for _, c := range s.changes[min(begin, end):max(begin, end)] {
		if !seen[c.object] {
			seen[c.object], all = true, append(all, c.object)
		}
	}
	return all
}

// compare returns the change to an object between two numbers of its changes, without the time; false
// if it exists at neither.
func (s *stream) compare(object uint32, one, two *payloadBuffer, before, after int) (c history.Change, ok bool) {
	var uid, now string
	var was, is []byte
	if before <= after { // the later one goes on from the earlier
		uid, was = one.at(s, object, before)
		now, is = two.advance(s, object, before, uid, was, after)
	} else {
		now, is = two.at(s, object, after)
		uid, was = one.advance(s, object, after, now, is, before)
	}
	return s.changed(object, uid, was, now, is)
}

// changed returns the change to an object from one UID and payload to another, without the time; false if it
// exists neither before nor after.
func (s *stream) changed(object uint32, uid string, was []byte, now string, is []byte) (c history.Change, ok bool) {
	c = history.Change{Type: wire.Modified, Key: s.objects[object].key, UID: now, Before: was, After: is}
	switch {
	case was == nil:
		c.Type = wire.Added
	case is == nil:
		c.Type, c.UID = wire.Deleted, uid
	}
	return c, was != nil || is != nil
}

// payloadBuffer is reusable memory for the payload of a moment.
type payloadBuffer struct{ payload, next []byte }

// at returns the UID and the payload of an object after a number of its changes. The payload is valid
// until the next call, and nil if the object does not exist.
func (d *payloadBuffer) at(s *stream, object uint32, changes int) (uid string, payload []byte) {
	if changes < 0 {
		return "", nil
	}
	o := &s.objects[object]
	return d.advance(s, object, 0, o.uid, o.data, changes)
}

// advance is like at, but starts from the object's UID and payload after since of its changes. It does
// not modify that payload.
func (d *payloadBuffer) advance(s *stream, object uint32, since int, uid string, payload []byte, changes int) (string, []byte) {
	o := &s.objects[object]
	if since < 0 {
		return d.at(s, object, changes)
	}
	whole := changes
	for whole > since && s.changes[o.changes[whole-1]].kind == deltaChange {
		whole--
	}
	if whole > since {
		c := &s.changes[o.changes[whole-1]]
		uid, payload = c.uid, c.data
	}
	for _, i := range o.changes[whole:changes] {
		c := &s.changes[i]
		d.next, _ = history.Patch(d.next[:0], payload, c.data) // the reader has checked it
		d.payload, d.next = d.next, d.payload
		uid, payload = c.uid, d.payload
	}
	return uid, payload
}
