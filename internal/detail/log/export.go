package log

import "time"

// Export says how lines are written to a file.
type Export struct {
	All   bool // all lines, not only those that match the filter
	Raw   bool // as received, without anything else
	Names bool // the pod and the container before each line
	Times bool
}

// Saving is a file being written. Each piece has the lines as they are when it is written. The
// file ends where the log ended when the saving began.
type Saving struct {
	view   *View
	how    Export
	next   uint64 // position
	until  uint64
	source int // of the previous line if it had no ending; else -1
	// Lost is how many lines were dropped for lack of room before they were written.
	Lost uint64
}

// Save begins a file of the lines a view shows, or of all lines.
func (v *View) Save(how Export) *Saving {
	s := &Saving{view: v, how: how, next: v.store.First(), until: min(v.store.End(), v.until), source: -1}
	if how.All {
		s.until = v.store.End()
	}
	v.store.Freeze() // no line may be inserted before one that was written
	return s
}

// mostWork is how much more work than the bytes of a piece it takes: where few lines are shown, a piece is shorter.
const mostWork = 4

// Next appends about the given number of bytes, or fewer after much work, and reports whether there is more.
func (s *Saving) Next(b []byte, bytes int) (out []byte, more bool) {
	store := s.view.store
	if first := store.First(); s.next < first {
		s.Lost += min(first, s.until) - min(s.next, s.until)
		s.next = first
	}
	v, from := s.view, len(b)
	for v.work = 0; s.next < s.until; s.next++ {
		if len(b)-from >= bytes || v.work/mostWork >= max(bytes, perLine) {
			return b, true
		}
		v.work += perLine
		b = s.line(b, s.next, store.at(s.next))
	}
	return b, false
}

func (s *Saving) line(b []byte, p uint64, r *record) []byte {
	v := s.view
	if s.how.Raw && r.flags&isNote != 0 || !s.how.All && !v.shows(p, r) {
		return b
	}
	if s.how.Raw {
		return s.raw(b, r)
	}
	line := v.plain(r)
	if source := v.store.sources[r.source]; s.how.Names && source.Pod != "" {
		b = append(append(append(append(b, source.Pod...), '/'), source.Container...), ' ')
	}
	if s.how.Times && r.time != 0 {
		b = append(time.Unix(0, r.time).UTC().AppendFormat(b, time.RFC3339Nano), ' ')
	}
	if r.flags&isNote != 0 {
		b = append(b, "-- "...)
	}
	return append(append(b, line...), '\n')
}

// raw appends a line as it was received. It keeps a line without an ending apart from another
// source's line.
func (s *Saving) raw(b []byte, r *record) []byte {
	if s.source >= 0 && s.source != int(r.source) {
		b = append(b, '\n')
	}
	s.source = -1
	if endings[r.ending] == "" {
		s.source = int(r.source)
	}
	return append(append(b, s.view.store.bytes(r)...), endings[r.ending]...)
}

// Lines returns the text of the lines between two positions, both included, for copying. It
// stops after about the given number of bytes; whole says whether that was all.
func (v *View) Lines(from, to uint64, how Export, most int) (text []byte, whole bool) {
	s := &Saving{view: v, how: how, next: max(from, v.store.First()), until: min(to+1, v.store.End()), source: -1}
	more := true
	for more && len(text) < most {
		text, more = s.Next(text, most-len(text))
	}
	return text, !more
}

// Each calls yield with each line kept, in order of time, without notes: the number of its source, its time, which is 0
// if it is unknown, and its bytes as they were received. Yield must not keep them.
func (s *Store) Each(yield func(source int, time int64, line []byte)) {
	for p := s.first; p < s.end; p++ {
		if r := s.at(p); !r.is(isNote) {
			yield(int(r.source), r.time, s.bytes(r))
		}
	}
}
