package log

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"watchglass/internal/detail/log/line"
)

// checkHistogram holds the histogram against all lines that are shown.
func (c *script) checkHistogram(step int) {
	bars := 1 + c.IntN(100)
	h := c.v.Histogram(bars)
	if h == nil {
		if c.s.Len() > 0 && (c.q.From == 0 || c.q.To > 0) {
			c.t.Fatalf("step %d: no histogram of %d lines", step, c.s.Len())
		}
		return
	}
	if len(h.Bars) > bars {
		c.t.Fatalf("step %d: %d bars, want at most %d", step, len(h.Bars), bars)
	}
	want := make([]Bar, len(h.Bars))
	for i := range c.v.entries.len() {
		r := c.s.at(c.v.entries.at(i).position)
		at := (r.time - h.From) / h.Width
		if r.is(isNote) || r.is(isMore) && !c.q.within(r) && (at < 0 || at >= int64(len(want))) { // only the line before it is of that time
			continue
		}
		if r.time < h.From || at >= int64(len(want)) {
			c.t.Fatalf("step %d: a line of %d is in no bar from %d to %d", step, r.time, h.From, h.To(len(h.Bars)-1))
		}
		want[at].Lines++
		switch r.level() {
		case line.Error:
			want[at].Fail++
		case line.Warn:
			want[at].Warn++
		}
	}
	for i, bar := range h.Bars {
		if bar.Gap = false; bar != want[i] {
			c.t.Fatalf("step %d: bar %d of %d is %+v, want %+v", step, i, len(want), bar, want[i])
		}
	}
}

// TestBuckets counts lines of any times in buckets that are no more than mostBuckets, adds and removes
// them in any order, and loses none.
func TestBuckets(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	h := histogram{width: finest}
	var times []int64
	for i := range 20_000 {
		if len(times) > 0 && r.IntN(3) == 0 {
			at := r.IntN(len(times))
			h.add(times[at], line.Error, -1)
			times[at] = times[len(times)-1]
			times = times[:len(times)-1]
		} else {
			at := 1 + r.Int64N(int64(time.Millisecond)<<(i/480)) // up to a hundred years
			h.add(at, line.Error, 1)
			times = append(times, at)
		}
		if len(h.buckets) > mostBuckets {
			t.Fatalf("%d buckets", len(h.buckets))
		}
	}
	want := make(map[int64]int32)
	for _, at := range times {
		want[at/h.width]++
	}
	for i, b := range h.buckets {
		if at := h.first + int64(i); b.lines != want[at] || b.fail != want[at] || b.warn != 0 {
			t.Fatalf("bucket %d has %+v, want %d", at, b, want[at])
		}
		delete(want, h.first+int64(i))
	}
	if len(want) > 0 {
		t.Errorf("%d times are in no bucket", len(want))
	}
}

// dated opens a source and returns a function that writes a line of a time.
func dated(s *Store, name string) (a *Source, write func(after time.Duration, text string)) {
	a = s.NewSource(name, "c")
	a.Open(start, false)
	return a, func(after time.Duration, text string) { a.Write([]byte(stamped(start.Add(after), text))) }
}

// bars describes the bars of a view.
func bars(s *Store, v *View, most int) string {
	s.Merge(start)
	v.Step(1 << 30)
	h := v.Histogram(most)
	if h == nil {
		return "none"
	}
	out := fmt.Sprint(time.Unix(0, h.From).Sub(start), " by ", time.Duration(h.Width), ":")
	for _, b := range h.Bars {
		out += fmt.Sprintf(" %d", b.Lines)
		if b.Warn+b.Fail > 0 {
			out += fmt.Sprintf("(%d,%d)", b.Warn, b.Fail)
		}
		if b.Gap {
			out += "?"
		}
		if b.Unknown {
			out += "~"
		}
	}
	return out
}

// TestHistogram draws lines by time, the same time whatever the filter leaves, and the time that is
// asked for more finely.
func TestHistogram(t *testing.T) {
	s := NewStore(Default)
	v := NewView(s)
	_, write := dated(s, "p")
	want := func(most int, want string) {
		t.Helper()
		if got := bars(s, v, most); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	want(10, "none")
	write(0, "INFO a")
	want(10, "0s by 10ms: 1")
	write(10*time.Second, "ERROR b")
	write(10*time.Second, "\tat disk")
	write(12*time.Second, "WARN a")
	write(31*time.Second, "x a")
	want(10, "0s by 5s: 1 0 2(1,1) 0 0 0 1")
	want(4, "0s by 10s: 1 2(1,1) 0 1")
	want(0, "none")
	v.Ask(Query{Filter: filterOf(t, "level:warn")})
	want(4, "0s by 10s: 0 1(1,0) 0 0")
	v.Ask(Query{Filter: filterOf(t, "nothing")})
	want(4, "0s by 10s: 0 0 0 0")
	v.Ask(Query{From: start.Add(10 * time.Second).UnixNano(), To: start.Add(15 * time.Second).UnixNano()})
	want(5, "10s by 1s: 1(0,1) 0 1(1,0) 0 0")
	if lines, rows, _ := v.Count(); lines != 3 || rows != 2 || v.Levels() != [line.Levels]int{line.Error: 1, line.Warn: 1} {
		t.Errorf("%d lines in %d rows, levels %v", lines, rows, v.Levels())
	}
	if file, _ := v.Save(Export{}).Next(nil, 1<<20); string(file) != "ERROR b\n\tat disk\nWARN a\n" {
		t.Errorf("%q is saved", file)
	}
	v.Ask(Query{From: start.Add(time.Hour).UnixNano(), To: start.Add(2 * time.Hour).UnixNano()})
	want(2, "1h0m0s by 30m0s: 0 0")
	v.Ask(Query{})
	write(time.Hour, "late")
	want(4, "0s by 30m0s: 4(1,1) 0 1")
	s.Clear()
	want(4, "none")
}

// TestNoTimes draws nothing of lines that have no time.
func TestNoTimes(t *testing.T) {
	s := NewStore(Default)
	v := NewView(s)
	a := s.NewSource("p", "c")
	a.Open(start, false)
	a.Write([]byte("no time\nnone\n"))
	if got := bars(s, v, 10); got != "none" {
		t.Error(got)
	}
}

// TestHistogramDrops has finer buckets again after lines of long ago were dropped, and the time in
// which some were dropped is a gap.
func TestHistogramDrops(t *testing.T) {
	s := NewStore(Limits{Bytes: 3 << 20, Lines: 100})
	v := NewView(s)
	_, write := dated(s, "p")
	write(-1000*time.Hour, "long ago")
	for i := range 99 {
		write(time.Duration(i)*time.Second, "x")
	}
	if got := bars(s, v, 100); strings.Count(got, " 0") < 80 || !strings.HasSuffix(got, "99") {
		t.Error(got)
	}
	for i := range 300 {
		write(time.Duration(99+i)*time.Second, "x")
		s.Merge(start)
		v.Step(1 << 30)
	}
	if got, want := bars(s, v, 10), "4m30s by 30s: 1? 30 30 30 9"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestGaps marks the time after a stream broke off, until it is known that nothing is missing.
func TestGaps(t *testing.T) {
	s := NewStore(Default)
	v := NewView(s)
	a, write := dated(s, "p")
	_, other := dated(s, "q")
	want := func(want string) {
		t.Helper()
		if got := bars(s, v, 5); got != "0s by 1s: "+want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	write(0, "one")
	write(time.Second, "two")
	other(4*time.Second, "other")
	want("1 1 0 0 1")
	a.Break()
	want("1 1? 0? 0? 1?")
	a.Open(start, true)
	write(time.Second, "two") // repeated
	write(2*time.Second, "three")
	want("1 1 1 0 1")
	a.Break()
	a.Open(start, true)
	write(4*time.Second, "five") // and the last one is no longer there
	want("1 1 1? 0? 2")
	a.Break()
	a.Open(start, false) // the container has restarted
	write(4*time.Second+1, "six")
	want("1 1 1? 0? 3?")

	s = NewStore(Default)
	v = NewView(s)
	_, write = dated(s, "p")
	a, other = dated(s, "q")
	a.Tail(2)
	a.Answered(start.Add(3 * time.Second))
	write(0, "one")
	other(2*time.Second, "the last but one")
	other(3*time.Second, "the last")
	want("1? 0? 1 1")
	if all, known := a.Gaps(start.Add(time.Minute)); !known || fmt.Sprint(all) != fmt.Sprint([]Gap{{0, start.Add(2 * time.Second).UnixNano()}}) {
		t.Errorf("of its last lines alone: %v", all)
	}
	a.Break()
	s.Clear()
	at := start.Add(3 * time.Second).UnixNano()
	if all, _ := a.Gaps(start.Add(4 * time.Second)); fmt.Sprint(all) != fmt.Sprint([]Gap{{0, at}, {at, at + 1e9}}) {
		t.Errorf("cleared and broken off: %v", all)
	}

	var g gaps
	for i := range int64(1000) {
		g.add(1000+10*(i*7%1000), 1005+10*(i*7%1000))
	}
	for i := range g {
		if len(g) != mostGaps || g[i].from >= g[i].to || i > 0 && g[i].from < g[i-1].to {
			t.Fatalf("%d gaps: %v", len(g), g)
		}
	}
}

// TestRecordedGaps marks what a recording says of the lines that it lacks. If it says nothing, a time before the first line
// is not known to be without lines.
func TestRecordedGaps(t *testing.T) {
	for name, c := range map[string]struct {
		gaps  []Gap
		known bool
		want  string
	}{
		"known":     {nil, true, "1 0 1 0 1"},
		"its end":   {[]Gap{{0, start.Add(2 * time.Second).UnixNano()}}, true, "1? 0? 1 0 1"},
		"in it":     {[]Gap{{start.Add(2 * time.Second).UnixNano(), start.Add(3 * time.Second).UnixNano()}}, true, "1 0 1? 0 1"},
		"not known": {nil, false, "1 0~ 1 0 1"},
	} {
		s := NewStore(Default)
		v := NewView(s)
		_, write := dated(s, "p")
		b, other := dated(s, "q")
		b.Lacks(c.gaps, c.known)
		write(0, "one")
		other(2*time.Second, "first")
		other(4*time.Second, "last")
		if got := bars(s, v, 5); got != "0s by 1s: "+c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestHistogramDocument sends the histogram to the page.
func TestHistogramDocument(t *testing.T) {
	for _, h := range []*Histogram{nil, {From: 5, Width: 10, Bars: []Bar{{}, {Lines: 300, Warn: 2, Fail: 1}, {Gap: true}, {Unknown: true}}}} {
		b, err := (&Document{Histogram: h, Window: []Row{{Position: 7}}}).Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		d, err := ParseDocument(b)
		if err != nil || !reflect.DeepEqual(d.Histogram, h) || d.Window[0].Position != 7 {
			t.Errorf("%+v, %v, want %+v", d, err, h)
		}
		for n := range b {
			if _, err := ParseDocument(b[:n]); err == nil {
				t.Errorf("%d of %d bytes are a document", n, len(b))
			}
		}
	}
}
