package log

import (
	"slices"
	"time"
	"unsafe"
)

// Limits are how much a Store may hold.
type Limits struct {
	Bytes int // all told
	Lines int
}

// Default is what the tab holds.
var Default = Limits{Bytes: 32 << 20, Lines: 250_000}

const (
	chunkBits  = 18
	chunkBytes = 1 << chunkBits // bytes of lines are kept in chunks, which are used again
	blockBytes = blockLen * int(unsafe.Sizeof(record{}))
	freshBytes = mostFresh * int(unsafe.Sizeof(fresh{}))
	// settleAfter is how long a line may still move to where its time belongs.
	settleAfter = 2 * time.Second
	// mostFresh is how many lines wait to be put in order, at most.
	mostFresh = 1 << 14
)

// record is a line that is held. It holds no pointer: Go's collector passes over
// chunks and records alike.
type record struct {
	time   int64 // in nanoseconds; 0 if nobody said
	at     uint32
	size   uint16
	source uint16
	flags  flags
	ending ending
}

// flags are what is known of a line.
type flags uint8

const (
	isCoded flags = 1 << iota // it is to be decoded
	isNote                    // it is ours
	isBad                     // a note of something wrong
)

// Store holds lines in the order of their times, and in the order of their source. The
// oldest go first when there is no more room. Lines have positions, which count from
// the first line that ever came; one that is put before others moves them on.
type Store struct {
	limits  Limits
	sources []*Source // by their numbers
	left    []uint16  // numbers that are free

	chunks [][]byte // by slot
	live   []int    // how many lines are in each
	free   []int    // slots without any
	slot   int      // that is written to
	used   int      // bytes of it

	records deque[record]
	first   uint64 // the position of the first line
	end     uint64 // that of the next

	fresh   []fresh
	lowest  uint64 // above this nothing has changed since it was asked
	floor   uint64 // below this nothing moves
	settled uint64
	marks   []mark

	received uint64  // lines of all sources
	dropped  Dropped // what went for want of room
}

// fresh is a line that is not in its place yet. Keys of a source never fall.
type fresh struct {
	record
	key int64
}

// mark is where the end was at a time.
type mark struct {
	at  time.Time
	end uint64
}

// Dropped are lines that went for want of room.
type Dropped struct {
	Lines    uint64
	From, To int64 // the times of the first of them and of the last, where they are known
}

// NewStore returns an empty store.
func NewStore(l Limits) *Store {
	return &Store{limits: l, slot: -1, used: chunkBytes}
}

// Len is how many lines are held; First is the position of the first of them.
func (s *Store) Len() int      { return int(s.end - s.first) }
func (s *Store) First() uint64 { return s.first }
func (s *Store) End() uint64   { return s.end }

// Received is how many lines came of all sources, those that were left too.
func (s *Store) Received() uint64 { return s.received }

// Dropped is what went of all sources.
func (s *Store) Dropped() Dropped { return s.dropped }

// Held is how many bytes are in use.
func (s *Store) Held() int {
	return len(s.chunks)*chunkBytes + s.records.bytes() + cap(s.fresh)*int(unsafe.Sizeof(fresh{}))
}

// Changed is the lowest position at which there is another line than when that was
// last asked; the end if there is none.
func (s *Store) Changed() uint64 {
	p := min(s.lowest, s.end)
	s.lowest = s.end
	return p
}

// Freeze has no line come before those that are there.
func (s *Store) Freeze() { s.floor = s.end }

// Clear lets go of all lines. That drops none.
func (s *Store) Clear() {
	s.Merge(time.Time{})
	for s.first < s.end {
		s.shift(false)
	}
}

// add takes a line, which is not seen before the next Merge.
func (s *Store) add(time, key int64, source uint16, line []byte, f flags, e ending) {
	at := s.write(line)
	s.live[s.slot]++
	s.sources[source].records++
	s.fresh = append(s.fresh, fresh{record{time: time, at: at, size: uint16(len(line)), source: source, flags: f, ending: e}, key})
	if len(s.fresh) == mostFresh {
		s.place()
	}
}

// write copies a line into a chunk. An empty one has a place too, inside of it.
func (s *Store) write(line []byte) uint32 {
	if s.slot >= 0 && s.live[s.slot] == 0 {
		s.used = 0
	}
	if s.used+max(len(line), 1) > chunkBytes {
		s.slot, s.used = s.chunk(), 0
	}
	at := s.slot<<chunkBits | s.used
	s.used += copy(s.chunks[s.slot][s.used:], line)
	return uint32(at)
}

// chunk is a slot to write to: a free one, a new one, or one that the oldest lines
// leave.
func (s *Store) chunk() int {
	s.slot = -1
	if len(s.free) == 0 && (s.room(chunkBytes) || len(s.chunks) == 0) {
		s.chunks, s.live = append(s.chunks, make([]byte, chunkBytes)), append(s.live, 0)
		return len(s.chunks) - 1
	}
	for len(s.free) == 0 {
		if s.first == s.end {
			s.place()
		}
		s.shift(true)
	}
	slot := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	return slot
}

// room reports whether so many bytes more may be held. Fresh lines, and the first
// records, have theirs.
func (s *Store) room(bytes int) bool {
	return len(s.chunks)*chunkBytes+bytes+max(s.records.bytes(), blockBytes)+freshBytes <= s.limits.Bytes
}

// shift lets go of the oldest line.
func (s *Store) shift(dropped bool) {
	r := s.at(s.first)
	s.sources[r.source].records--
	if r.flags&isNote == 0 {
		source := s.sources[r.source]
		source.held--
		if dropped {
			s.dropped.add(r.time)
			source.dropped.add(r.time)
		}
	}
	s.leave(r.at)
	s.first++
	s.records.shift()
}

func (d *Dropped) add(time int64) {
	if d.Lines++; d.From == 0 {
		d.From = time
	}
	d.To = max(d.To, time)
}

// leave tells that a line is no more in its chunk.
func (s *Store) leave(at uint32) {
	slot := int(at >> chunkBits)
	if s.live[slot]--; s.live[slot] == 0 && slot != s.slot {
		s.free = append(s.free, slot)
	}
}

// at is the record at a position.
func (s *Store) at(p uint64) *record { return s.records.at(int(p - s.first)) }

// grow makes place for so many records at the end, for which the oldest may go.
func (s *Store) grow(n int) {
	for s.Len()+n > s.limits.Lines && s.first < s.end {
		s.shift(true)
	}
	for !s.records.fits(n) && s.first < s.end && !s.room(blockBytes) {
		s.shift(true)
	}
	s.records.grow(n)
}

// Merge puts what came in its place: where its time belongs, but not before what has
// stood for a while, unless it was written before its stream was opened.
func (s *Store) Merge(now time.Time) {
	s.place()
	if n := len(s.marks); n == 0 || s.marks[n-1].end != s.end {
		s.marks = append(s.marks, mark{now, s.end})
	}
	old := 0
	for old < len(s.marks) && now.Sub(s.marks[old].at) >= settleAfter {
		s.settled = s.marks[old].end
		old++
	}
	s.marks = slices.Delete(s.marks, 0, old)
}

// place puts fresh lines among those that are there.
func (s *Store) place() {
	byKey := func(a, b fresh) int { // equal ones stay as they came
		switch {
		case a.key < b.key:
			return -1
		case a.key > b.key:
			return 1
		}
		return 0
	}
	if !slices.IsSortedFunc(s.fresh, byKey) {
		slices.SortStableFunc(s.fresh, byKey)
	}
	for rest := s.fresh; len(rest) > 0; {
		n := min(len(rest), s.limits.Lines)
		s.grow(n)
		s.merge(rest[:n])
		rest = rest[n:]
	}
	s.fresh = s.fresh[:0]
}

// merge places sorted lines, from the last to the first.
func (s *Store) merge(lines []fresh) {
	i := s.end // above i all is in its place
	s.end += uint64(len(lines))
	for k := s.end; len(lines) > 0; k-- {
		x := &lines[len(lines)-1]
		if i > s.lowestFor(x) && s.passes(x, s.at(i-1)) {
			*s.at(k - 1) = *s.at(i - 1)
			i--
			continue
		}
		*s.at(k - 1) = x.record
		lines = lines[:len(lines)-1]
		s.lowest = min(s.lowest, k-1)
	}
}

// lowestFor is the position before which a line may not be put.
func (s *Store) lowestFor(x *fresh) uint64 {
	p := max(s.first, s.floor)
	if x.key >= s.sources[x.source].opened {
		p = max(p, s.settled)
	}
	return p
}

// passes reports whether a line belongs before one that stands there.
func (s *Store) passes(x *fresh, there *record) bool {
	return there.time > x.key && there.source != x.source
}

// bytes are those of a line, valid until lines are added.
func (s *Store) bytes(r *record) []byte {
	from := int(r.at & (chunkBytes - 1))
	return s.chunks[r.at>>chunkBits][from : from+int(r.size)]
}
