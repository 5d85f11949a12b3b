package log

import (
	"math"
	"time"
	"unsafe"

	"watchglass/internal/detail/log/line"
)

// Source is the log of one container in a Store. Its lines come from one stream after another.
type Source struct {
	Pod, Container string

	store   *Store
	number  uint16
	split   splitter
	opened  int64 // when the stream of its first line was opened, in nanoseconds
	key     int64 // of the last line; it never decreases
	lines   uint64
	held    int
	records int // lines kept, including notes and lines that are not sorted in yet
	dropped Dropped
	trace   line.Trace
	begun   bool // a line came that continues no other
	more    int  // lines that have continued that one
	partial bool // the last line was cut, and goes on in the next

	// Where the last stream broke off: the time of the last line, how many lines had that time,
	// and how many of those have been repeated.
	last, same, seen int64
	again            bool // lines up to there are being repeated
	missed           bool // no line of that time was repeated
	broken           bool // lines may be missing after the last one

	gaps    gaps  // where lines are missing
	cleared int64 // the time of the last line that was removed
	unknown bool  // nobody knows which lines are missing: a recording does not say

	began    int64  // the time of the first line
	tail     uint64 // how many of its last lines were requested; 0 for all
	answered int64  // when that request was answered
	arrived  int64  // when the last lines came
	loaded   bool   // the lines that there were by then have come
	tailed   bool   // they were as many as were requested, so there may be others before them
}

// Tail notes that the log begins with its last lines, at most so many.
func (s *Source) Tail(lines int64) { s.tail = uint64(lines) }

// Answered notes that the stream was answered. Later lines are no longer those that the log begins with.
func (s *Source) Answered(now time.Time) {
	if s.lines == 0 {
		s.answered = now.UnixNano()
	}
}

// Arrived notes when the lines come that are written next.
func (s *Source) Arrived(now time.Time) { s.arrived = now.UnixNano() }

// Loaded reports whether the lines that the log begins with have come. That is known once they are as many as were requested,
// a later line has come, or the log has ended.
func (s *Source) Loaded() bool { return s.loaded }

// EndLoad notes that the lines that the log begins with have come.
func (s *Source) EndLoad() { s.loaded = true }

// load notes whether the line that was added last is one of those that the log begins with. It decides once: of a log that
// is followed, there are more lines than were requested in the end. A line that came soon after the answer is one of them,
// whatever its time: the node's clock may be ahead.
func (s *Source) load(time int64) {
	late := min(time, s.arrived) > s.answered+int64(settleAfter)
	if s.lines == s.tail {
		s.tailed = !late
	}
	s.loaded = s.loaded || late || s.lines >= s.tail
}

// NewSource adds a source, reusing the number of a removed one if there is any. It returns nil
// if all numbers are in use.
func (s *Store) NewSource(pod, container string) *Source {
	source := &Source{Pod: pod, Container: container, store: s}
	switch n := len(s.left); {
	case n > 0:
		source.number, s.left = s.left[n-1], s.left[:n-1]
		s.sources[source.number] = source
	case len(s.sources) > math.MaxUint16:
		return nil
	default:
		source.number = uint16(len(s.sources))
		s.sources = append(s.sources, source)
	}
	return source
}

// Leave removes a source. It must be Empty, and nobody may write to it again.
func (s *Source) Leave() { s.store.left = append(s.store.left, s.number) }

// Empty reports whether no lines or notes of the source are left.
func (s *Source) Empty() bool { return s.records == 0 }

// Sources returns all sources by number, including removed ones whose number is not yet reused.
func (s *Store) Sources() []*Source { return s.sources }

// Number returns the number of the source in rows.
func (s *Source) Number() int { return int(s.number) }

// Lines is how many lines have arrived. Held is how many of them are kept, and Dropped
// describes those dropped for lack of room.
func (s *Source) Lines() uint64    { return s.lines }
func (s *Source) Held() int        { return s.held }
func (s *Source) Dropped() Dropped { return s.dropped }

// Opened returns when the stream of the first line was opened, in nanoseconds; 0 if none was.
func (s *Source) Opened() int64 { return s.opened }

// BeganSince reports whether the first line is of a time or later.
func (s *Source) BeganSince(t time.Time) bool {
	return s.began != 0 && s.began >= t.UnixNano()
}

// Last returns the time of the last line; false if there is none. A stream opened from that
// time on continues where the last one ended.
func (s *Source) Last() (time.Time, bool) { return time.Unix(0, s.last).UTC(), s.last != 0 }

// Open begins a stream. If the stream was opened from Last on, repeated lines are skipped.
func (s *Source) Open(now time.Time, again bool) {
	if s.lines == 0 {
		s.opened = now.UnixNano()
	}
	s.split.drop()
	s.again, s.seen = again && s.last != 0, 0
	s.missed = s.again
	if !s.again {
		s.startOver()
	}
}

// startOver makes the next line continue none before it.
func (s *Source) startOver() { s.trace, s.begun, s.more, s.partial = line.Trace{}, false, 0, false }

// Write adds a chunk of a stream. The caller may then reuse the chunk.
func (s *Source) Write(chunk []byte) { s.split.write(chunk, s.take) }

// Break ends a stream that will be reopened. It drops an incomplete line, which the next stream
// repeats.
func (s *Source) Break() {
	s.split.drop()
	s.broken = s.last != 0
}

// End ends the last stream.
func (s *Source) End() {
	s.split.flush(s.take)
	s.EndLoad()
}

// startsWithin is how long after its start a container may write its first line, for its log to count as whole.
const startsWithin = time.Minute

// Earlier reports whether the log may lack its first lines although they were requested: the first line that came is later
// than the container's start, or one of the times is not known. A kubelet rotates logs, and gives only the newest file. It is
// false until the log is Loaded.
func (s *Source) Earlier(started time.Time) bool {
	if s.lines == 0 || !s.loaded || s.tailed || s.cleared > 0 {
		return false
	}
	return started.IsZero() || s.began == 0 || time.Unix(0, s.began).Sub(started) > startsWithin
}

// Missing reports, once, that lines are missing between the last stream and this one: the new
// stream should have repeated the last line, but began with a later one.
func (s *Source) Missing() bool {
	missing := s.missed && !s.again
	if missing {
		s.missed = false
	}
	return missing
}

// take adds a line.
func (s *Source) take(time int64, text []byte, e ending) {
	if s.again && s.repeated(time) {
		return
	}
	if time == 0 {
		time = s.last
	}
	if s.lines == 0 {
		s.began = time
	}
	if s.broken {
		s.mend(time)
	}
	if time != s.last {
		s.last, s.same = time, 0
	}
	s.same++
	s.key = max(s.key, time)
	f := s.flags(text)
	s.partial = e == cut
	s.lines++
	s.load(time)
	s.store.received++
	s.held++
	s.store.add(time, s.key, s.number, text, f, e)
}

// mend ends a break with the first new line after it. Unless the last line before it was repeated,
// lines are missing in between.
func (s *Source) mend(time int64) {
	if s.broken = false; s.missed || s.seen == 0 {
		s.gaps.add(s.last, time)
		s.startOver()
	}
}

// flags returns what a line is: its level, and whether it continues the one before.
func (s *Source) flags(b []byte) (f flags) {
	text := b
	if coded(b) {
		f = isCoded
		s.store.text, s.store.spans = decode(s.store.text[:0], s.store.spans[:0], b)
		text = s.store.text
	}
	if s.partial {
		return f
	}
	level, continues := s.trace.Next(unsafe.String(unsafe.SliceData(text), len(text)))
	if continues && s.begun && s.more < longestTrace {
		s.more++
		return f | isMore
	}
	s.begun, s.more = true, 0
	return f | flags(level)<<levelShift
}

// repeated reports whether a line was already in the previous stream.
func (s *Source) repeated(time int64) bool {
	if time == 0 || time < s.last {
		return true
	}
	if time == s.last {
		s.missed = false
		if s.seen++; s.seen <= s.same {
			return true
		}
	}
	s.again = false
	return false
}

// Note adds a note from Watchglass about the stream, at the end.
func (s *Source) Note(now time.Time, bad bool, text string) {
	f := isNote
	if bad {
		f |= isBad
	}
	at := now.UnixNano()
	s.store.add(at, max(s.key, at), s.number, []byte(text[:min(len(text), longest)]), f, newline)
}
