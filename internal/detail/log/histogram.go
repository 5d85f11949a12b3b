package log

import (
	"slices"
	"time"

	"watchglass/internal/detail/log/line"
)

// histogram counts lines by time. It has at most mostBuckets buckets: as the lines span a longer
// time, neighbours become one. Its memory does not depend on the number of lines.
type histogram struct {
	width   int64    // of a bucket, in nanoseconds
	first   int64    // the first bucket's time, in widths since 1970
	buckets []bucket // of the times in between
	added   int      // lines since it was last made
}

// bucket is how many lines there are of a time.
type bucket struct{ lines, warn, fail int32 }

// mostBuckets is how many buckets are kept. A window of them has fewer.
const mostBuckets = 512

const finest = int64(10 * time.Millisecond)

// wider returns the next width of buckets. Each is a multiple of the one before, so that whole
// buckets become one.
func wider(width int64) int64 {
	for _, w := range [...]time.Duration{50 * time.Millisecond, 100 * time.Millisecond, 500 * time.Millisecond, time.Second, 5 * time.Second, 10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 10 * time.Minute, 30 * time.Minute, time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour} {
		if int64(w) > width {
			return int64(w)
		}
	}
	return 2 * width
}

// reset forgets all lines.
func (h *histogram) reset() { *h = histogram{width: finest, buckets: h.buckets[:0]} }

// add adds lines of one time, or removes them if n is negative.
func (h *histogram) add(at int64, level line.Level, n int32) {
	i := at/h.width - h.first
	if i < 0 || i >= int64(len(h.buckets)) {
		i = h.reach(at)
	}
	b := &h.buckets[i]
	b.lines += n
	switch level {
	case line.Error:
		b.fail += n
	case line.Warn:
		b.warn += n
	}
	h.added++
}

// reach makes a bucket for a time, and returns its index.
func (h *histogram) reach(at int64) int64 {
	h.trim()
	if len(h.buckets) == 0 {
		h.first = at / h.width
	}
	low, high := min(h.first, at/h.width), max(h.first+int64(len(h.buckets)), at/h.width+1)
	for high-low > mostBuckets {
		h.merge()
		low, high = min(h.first, at/h.width), max(h.first+int64(len(h.buckets)), at/h.width+1)
	}
	if more := int(h.first - low); more > 0 {
		h.buckets = slices.Insert(h.buckets, 0, make([]bucket, more)...)
		h.first = low
	}
	for h.first+int64(len(h.buckets)) < high {
		h.buckets = append(h.buckets, bucket{})
	}
	return at/h.width - h.first
}

// merge makes the buckets wider.
func (h *histogram) merge() {
	width := wider(h.width)
	by := width / h.width
	first := h.first / by
	out := h.buckets[:0] // it never has more than were read
	for i, b := range h.buckets {
		to := int((h.first+int64(i))/by - first)
		if to == len(out) {
			out = append(out, bucket{})
			out[to] = b
			continue
		}
		out[to].add(b)
	}
	h.width, h.first, h.buckets = width, first, out
}

func (b *bucket) add(other bucket) {
	b.lines += other.lines
	b.warn += other.warn
	b.fail += other.fail
}

// trim drops empty buckets at both ends, as after the oldest lines were dropped.
func (h *histogram) trim() {
	from, to := 0, len(h.buckets)
	for from < to && h.buckets[from].lines == 0 {
		from++
	}
	for to > from && h.buckets[to-1].lines == 0 {
		to--
	}
	h.buckets = slices.Delete(h.buckets[:to], 0, from)
	h.first += int64(from)
}

// coarse reports whether the buckets are much wider than the lines of a time need them to be.
func (h *histogram) coarse(from, to int64) bool {
	return h.width > finest && (to-from)/h.width < mostBuckets/32
}

// Histogram is how many lines are shown of each time. A trace counts once, at its first line.
type Histogram struct {
	From  int64 // of the first bar, in nanoseconds
	Width int64 // of a bar
	Bars  []Bar
}

// Bar is the lines of a time, and of them those with the levels warn and error.
type Bar struct {
	Lines, Warn, Fail int
	Gap               bool // lines are missing in this time
	Unknown           bool // there is no line, and nobody knows whether there was any
}

// SameBars reports whether both have as many bars, as wide.
func (h *Histogram) SameBars(other *Histogram) bool {
	if h == nil || other == nil {
		return h == other
	}
	return h.Width == other.Width && len(h.Bars) == len(other.Bars)
}

// To returns when a bar ends.
func (h *Histogram) To(bar int) int64 { return h.From + int64(bar+1)*h.Width }

// Histogram returns at most so many bars; nil if no line has a time. They are of the time that the
// query asks for, else of all lines that are held, so that a filter does not move them.
func (v *View) Histogram(bars int) *Histogram {
	from, to, ok := v.span()
	if !ok || bars <= 0 {
		return nil
	}
	s := v.store
	if s.shown.coarse(from, to) && s.shown.added >= s.Len() {
		s.remake()
		from, to, _ = v.span()
	}
	h := &s.shown
	width := h.width
	for to/width-from/width >= int64(bars) {
		width = wider(width)
	}
	first := from / width
	out := &Histogram{From: first * width, Width: width, Bars: make([]Bar, to/width-first+1)}
	for i, b := range h.buckets {
		if at := (h.first+int64(i))/(width/h.width) - first; at >= 0 && at < int64(len(out.Bars)) {
			bar := &out.Bars[at]
			bar.Lines, bar.Warn, bar.Fail = bar.Lines+int(b.lines), bar.Warn+int(b.warn), bar.Fail+int(b.fail)
		}
	}
	for i := range out.Bars {
		bar := &out.Bars[i]
		bar.Gap, bar.Unknown = s.missing(out.To(i-1), out.To(i)), bar.Lines == 0 && s.unknown(out.To(i))
	}
	return out
}

// remake counts all lines that are shown again, in buckets that are no wider than needed. It costs a
// look at each line that is held, and there were as many since the last time.
func (s *Store) remake() {
	s.shown.reset()
	for p := s.first; p < s.end; p++ {
		if r := s.at(p); r.is(isShown) {
			s.shown.add(r.time, r.level(), 1)
		}
	}
	s.shown.added = 0
}

// mostUndated is how many lines without a time are skipped at either end.
const mostUndated = 100

// span returns the times of the first and the last line, as far as the query asks for them.
func (v *View) span() (from, to int64, ok bool) {
	s := v.store
	for p := s.first; p < min(s.end, s.first+mostUndated) && from == 0; p++ {
		from = max(s.at(p).time, 0)
	}
	for p := s.end; p > max(s.first, s.end-min(s.end, mostUndated)) && to == 0; p-- {
		to = max(s.at(p-1).time, 0)
	}
	from, to = min(from, to), max(from, to) // a clock may be wrong
	if h := &s.shown; from > 0 {
		h.trim()
		if end := h.first + int64(len(h.buckets)); end > h.first {
			if (h.first+1)*h.width <= from {
				from = max(h.first*h.width, 1)
			}
			if (end-1)*h.width > to {
				to = end*h.width - 1
			}
		}
	}
	if from == 0 {
		return 0, 0, false
	}
	low, high := max(from, v.query.From), to
	if v.query.To > 0 {
		high = min(to, v.query.To-1)
	}
	if low > high { // of what is no longer held, or not yet
		low, high = max(v.query.From, 1), v.query.To-1
	}
	return low, high, low <= high
}
