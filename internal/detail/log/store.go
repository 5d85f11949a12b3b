package log

import (
	"slices"
	"time"
	"unsafe"

	"watchglass/internal/detail/log/line"
)

// Limits are the limits of a Store.
type Limits struct {
	Bytes int // including all overhead
	Lines int
}

// Default are the limits in a tab.
var Default = Limits{Bytes: 32 << 20, Lines: 250_000}

const (
	chunkBits  = 18
	chunkBytes = 1 << chunkBits // bytes of lines are kept in chunks, which are reused
	blockBytes = blockLen * int(unsafe.Sizeof(record{}))
	freshBytes = mostFresh * int(unsafe.Sizeof(fresh{}))
	// settleAfter is how long a new line may still move to the place its time belongs to.
	settleAfter = 2 * time.Second
	// mostFresh is the maximum number of lines that wait to be sorted in.
	mostFresh = 1 << 14
)

// record is a line that is kept. It holds no pointer, so Go's garbage collector does not scan
// chunks and records.
type record struct {
	time   int64 // in nanoseconds; 0 if unknown
	at     uint32
	size   uint16
	source uint16
	rows   uint16 // that it takes in the view without what is expanded; 0 if that is not known
	flags  flags
	ending ending
}

// flags are properties of a line.
type flags uint16

const (
	isCoded   flags = 1 << iota // it needs decoding
	isNote                      // a note from Watchglass
	isBad                       // a note about a problem
	isMore                      // it continues the line before it of its source
	isCounted                   // it counts among those of its level
	isShown                     // it counts in the histogram

	levelShift = 6 // the level is in the bits from here on
)

func (r *record) level() line.Level { return line.Level(r.flags >> levelShift) }
func (r *record) is(f flags) bool   { return r.flags&f != 0 }

// Store keeps lines ordered by time. The lines of one source stay in their own order. When
// there is no more room, the oldest lines are dropped. Positions count lines from the first one
// ever added; a line that is inserted moves the ones after it.
type Store struct {
	limits  Limits
	sources []*Source // by their numbers
	left    []uint16  // free source numbers
	gaps    gaps      // times in which lines of sources that it has not may be missing

	chunks [][]byte // by slot
	live   []int    // number of lines in each chunk
	free   []int    // slots without lines
	slot   int      // the slot being written to
	used   int      // bytes used in it

	records deque[record]
	first   uint64 // the position of the first line
	end     uint64 // the position after the last line

	fresh   []fresh
	lowest  uint64 // the lowest position changed since the last call of Changed
	floor   uint64 // nothing moves below this position
	settled uint64
	marks   []mark

	received uint64           // lines of all sources
	dropped  Dropped          // lines dropped for lack of room
	counts   [line.Levels]int // lines that are counted, by level
	shown    histogram        // the lines that are shown, by time
	text     []byte           // scratch
	spans    []Span
}

// fresh is a line that is not sorted in yet. The keys of a source never decrease.
type fresh struct {
	record
	key int64
}

// mark records where the end was at a time.
type mark struct {
	at  time.Time
	end uint64
}

// Dropped describes lines dropped for lack of room.
type Dropped struct {
	Lines    uint64
	From, To int64 // the times of the first and the last of them, if known
}

// NewStore returns an empty store.
func NewStore(l Limits) *Store {
	return &Store{limits: l, slot: -1, used: chunkBytes, shown: histogram{width: finest}}
}

// Len is the number of lines kept. First is the position of the first line, and End the
// position after the last.
func (s *Store) Len() int      { return int(s.end - s.first) }
func (s *Store) First() uint64 { return s.first }
func (s *Store) End() uint64   { return s.end }

// Received returns how many lines have arrived from all sources, including those dropped since.
func (s *Store) Received() uint64 { return s.received }

// Dropped returns the lines dropped from all sources.
func (s *Store) Dropped() Dropped { return s.dropped }

// Held returns how many bytes are in use.
func (s *Store) Held() int {
	return len(s.chunks)*chunkBytes + s.records.bytes() + cap(s.fresh)*int(unsafe.Sizeof(fresh{}))
}

// Changed returns the lowest position whose line has changed since the last call; the end if
// there is none.
func (s *Store) Changed() uint64 {
	p := min(s.lowest, s.end)
	s.lowest = s.end
	return p
}

// Freeze prevents new lines from being inserted before existing ones.
func (s *Store) Freeze() { s.floor = s.end }

// Clear removes all lines. They do not count as dropped.
func (s *Store) Clear() {
	s.Merge(time.Time{})
	for s.first < s.end {
		s.shift(false)
	}
	s.gaps = nil
	for _, source := range s.sources {
		source.begun = false
		source.gaps, source.cleared = nil, source.last
	}
}

// add adds a line. It becomes visible with the next Merge.
func (s *Store) add(time, key int64, source uint16, line []byte, f flags, e ending) {
	at := s.write(line)
	s.live[s.slot]++
	s.sources[source].records++
	s.fresh = append(s.fresh, fresh{record{time: time, at: at, size: uint16(len(line)), source: source, flags: f, ending: e}, key})
	if len(s.fresh) == mostFresh {
		s.place()
	}
}

// write copies a line into a chunk. An empty line gets a position inside a chunk, too.
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

// chunk returns a slot to write to: a free one, a new one, or one freed by dropping the oldest
// lines.
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

// room reports whether the store may take so many more bytes. Space for fresh lines and the
// first records is reserved.
func (s *Store) room(bytes int) bool {
	return len(s.chunks)*chunkBytes+bytes+max(s.records.bytes(), blockBytes)+freshBytes <= s.limits.Bytes
}

// shift removes the oldest line.
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
	s.uncount(r)
	s.leave(r.at)
	s.first++
	s.records.shift()
}

// count counts a line among those of its level, until it is removed or no longer counted.
func (s *Store) count(r *record) {
	r.flags |= isCounted
	s.counts[r.level()]++
}

// uncount no longer counts a line, neither among those of its level nor in the histogram.
func (s *Store) uncount(r *record) {
	if r.is(isCounted) {
		r.flags &^= isCounted
		s.counts[r.level()]--
	}
	if r.is(isShown) {
		r.flags &^= isShown
		s.shown.add(r.time, r.level(), -1)
	}
}

// show counts a line in the histogram, until it is removed or no longer counted.
func (s *Store) show(r *record) {
	if r.time > 0 && !r.is(isShown|isNote) {
		r.flags |= isShown
		s.shown.add(r.time, r.level(), 1)
	}
}

func (d *Dropped) add(time int64) {
	if d.Lines++; d.From == 0 {
		d.From = time
	}
	d.To = max(d.To, time)
}

// leave records that a line is no longer in its chunk.
func (s *Store) leave(at uint32) {
	slot := int(at >> chunkBits)
	if s.live[slot]--; s.live[slot] == 0 && slot != s.slot {
		s.free = append(s.free, slot)
	}
}

// at returns the record at a position.
func (s *Store) at(p uint64) *record { return s.records.at(int(p - s.first)) }

// grow makes room for so many records at the end; it may drop the oldest lines.
func (s *Store) grow(n int) {
	for s.Len()+n > s.limits.Lines && s.first < s.end {
		s.shift(true)
	}
	for !s.records.fits(n) && s.first < s.end && !s.room(blockBytes) {
		s.shift(true)
	}
	s.records.grow(n)
}

// Merge sorts new lines in by time. A line does not move before lines that have been there for
// a while, unless it was written before its stream was opened.
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

// place sorts fresh lines in among the existing ones.
func (s *Store) place() {
	byKey := func(a, b fresh) int { // equal keys keep their order
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

// merge inserts sorted lines, from the last to the first.
func (s *Store) merge(lines []fresh) {
	i := s.end // everything above i is in place
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

// lowestFor returns the lowest position at which a line may be inserted.
func (s *Store) lowestFor(x *fresh) uint64 {
	p := max(s.first, s.floor)
	if x.key >= s.sources[x.source].opened {
		p = max(p, s.settled)
	}
	return p
}

// passes reports whether a line belongs before an existing one.
func (s *Store) passes(x *fresh, there *record) bool {
	return there.time > x.key && there.source != x.source
}

// bytes returns the bytes of a line, valid until lines are added.
func (s *Store) bytes(r *record) []byte {
	from := int(r.at & (chunkBytes - 1))
	return s.chunks[r.at>>chunkBits][from : from+int(r.size)]
}
