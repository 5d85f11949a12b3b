package log

import (
	"math"
	"time"
)

// Source is one container's log, in a Store: what it writes, over one stream after
// another.
type Source struct {
	Pod, Container string

	store   *Store
	number  uint16
	split   splitter
	opened  int64 // when its first stream was, in nanoseconds
	key     int64 // the last line's, which never falls
	lines   uint64
	held    int
	records int // the same with notes, and with those that are not in their place yet
	dropped Dropped

	// Where the last stream broke off: the time of the last line, and how many lines
	// of that time there were.
	last, same, seen int64
	again            bool // lines up to there come again
	missed           bool // whether the first line that came again was a later one
}

// NewSource adds a source, with the number of one that was left if there is such. It is
// nil if there are as many as there are numbers.
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

// Leave gives up a source that is Empty, and that nobody will write to again.
func (s *Source) Leave() { s.store.left = append(s.store.left, s.number) }

// Empty reports whether there is nothing of the source, no note either.
func (s *Source) Empty() bool { return s.records == 0 }

// Sources are all that there are, by their numbers, and who left and has no successor yet.
func (s *Store) Sources() []*Source { return s.sources }

// Number is the source's in rows.
func (s *Source) Number() int { return int(s.number) }

// Lines is how many came, Held how many of them are held, and Dropped which went for
// want of room.
func (s *Source) Lines() uint64    { return s.lines }
func (s *Source) Held() int        { return s.held }
func (s *Source) Dropped() Dropped { return s.dropped }

// Last is the time of the last line, and false if none came yet: a stream that was
// opened since then goes on where the last one ended.
func (s *Source) Last() (time.Time, bool) { return time.Unix(0, s.last).UTC(), s.last != 0 }

// Open begins a stream. If it was opened since Last, what comes again is left out.
func (s *Source) Open(now time.Time, again bool) {
	if s.opened == 0 {
		s.opened = now.UnixNano()
	}
	s.split.drop()
	s.again, s.seen = again && s.last != 0, 0
	s.missed = s.again
}

// Write takes a chunk of a stream, which is the caller's again.
func (s *Source) Write(chunk []byte) { s.split.write(chunk, s.take) }

// Break ends a stream that will be opened again: a line that has not ended comes again.
func (s *Source) Break() { s.split.drop() }

// End ends the last stream.
func (s *Source) End() { s.split.flush(s.take) }

// Missing reports, once, that lines are missing between the last stream and this one:
// the last line of that one should have come again, and a later one came.
func (s *Source) Missing() bool {
	missing := s.missed && !s.again
	if missing {
		s.missed = false
	}
	return missing
}

// take takes a line.
func (s *Source) take(time int64, line []byte, e ending) {
	if s.again && s.repeated(time) {
		return
	}
	if time == 0 {
		time = s.last
	}
	if time != s.last {
		s.last, s.same = time, 0
	}
	s.same++
	s.key = max(s.key, time)
	f := flags(0)
	if coded(line) {
		f = isCoded
	}
	s.lines++
	s.store.received++
	s.held++
	s.store.add(time, s.key, s.number, line, f, e)
}

// repeated reports whether a line was seen on the stream before.
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

// Note adds a line of ours, at the end: what happened to the stream.
func (s *Source) Note(now time.Time, bad bool, text string) {
	f := isNote
	if bad {
		f |= isBad
	}
	at := now.UnixNano()
	s.store.add(at, max(s.key, at), s.number, []byte(text[:min(len(text), longest)]), f, newline)
}
