package log

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

var start = time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC)

func stamped(at time.Time, text string) string {
	return at.Format(time.RFC3339Nano) + " " + text + "\n"
}

// all is what a store holds, in its order.
func all(s *Store) (out []string) {
	for p := s.First(); p < s.End(); p++ {
		out = append(out, string(s.bytes(s.at(p))))
	}
	return out
}

// TestMerge shows the order of lines: by time, of one source as they came, and of one
// time as they came.
func TestMerge(t *testing.T) {
	s := NewStore(Default)
	a, b := s.NewSource("a", "x"), s.NewSource("b", "x")
	at := func(n int) time.Time { return start.Add(time.Duration(n) * time.Second) }
	a.Open(at(100), false)
	b.Open(at(100), false)
	a.Write([]byte(stamped(at(1), "a1") + stamped(at(3), "a3") + stamped(at(2), "a2 late") + stamped(at(5), "a5")))
	s.Merge(at(100))
	b.Write([]byte(stamped(at(2), "b2") + stamped(at(3), "b3") + stamped(at(9), "b9")))
	s.Merge(at(100))
	if got, want := strings.Join(all(s), ","), "a1,a3,a2 late,b2,b3,a5,b9"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	a.Write([]byte(stamped(at(110), "a110")))
	b.Write([]byte(stamped(at(109), "b109")))
	s.Merge(at(110))
	a.Write([]byte(stamped(at(111), "a111")))
	s.Merge(at(120))
	b.Write([]byte(stamped(at(108), "b by a slow clock")))
	s.Merge(at(121))
	want := "b109,a110,b by a slow clock,a111"
	if got := strings.Join(all(s)[7:], ","); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	s.Freeze()
	b.Note(at(122), true, "it broke")
	a.Write([]byte(stamped(at(7), "a7")))
	s.Merge(at(122))
	if got, want := strings.Join(all(s)[11:], ","), "a7,it broke"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if s.Clear(); s.Len() != 0 || a.Held() != 0 || a.Lines() != 7 || s.Dropped().Lines != 0 {
		t.Error(s.Len(), a.Held(), a.Lines(), s.Dropped())
	}
}

// TestEarlier checks when lines before the first may be missing: it is later than the container's start, or nothing is
// known of that. A log of which only the last lines were asked for, or that was cleared, is not expected to be whole. While
// those lines come in, nobody knows whether there are as many; those that are followed do not count.
func TestEarlier(t *testing.T) {
	at := func(seconds int64) time.Time { return time.Unix(seconds, 0) }
	for name, c := range map[string]struct {
		lines   []int64 // their times
		started time.Time
		tail    int64
		cleared bool
		ended   bool
		ahead   int64 // the node's clock
		want    bool
	}{
		"whole":                     {lines: []int64{100, 900}, started: at(100)},
		"a slow start":              {lines: []int64{159, 900}, started: at(100)},
		"rotated":                   {lines: []int64{900}, started: at(100), want: true},
		"an unknown start":          {lines: []int64{100}, want: true},
		"no lines":                  {started: at(100)},
		"the last lines":            {lines: []int64{900, 901}, started: at(100), tail: 2},
		"the last lines, with more": {lines: []int64{900, 901, 1100}, started: at(100), tail: 2},
		"a clock that is ahead":     {lines: []int64{1098, 1099}, started: at(100), tail: 2, ahead: 100},
		"loading":                   {lines: []int64{900, 901}, started: at(100), tail: 3},
		"rotated, then followed":    {lines: []int64{900, 901, 1100}, started: at(100), tail: 3, want: true},
		"rotated, then followed on": {lines: []int64{900, 901, 1100, 1101}, started: at(100), tail: 3, want: true},
		"fewer than the last lines": {lines: []int64{900, 901}, started: at(100), tail: 3, ended: true, want: true},
		"cleared":                   {lines: []int64{900}, started: at(100), cleared: true},
	} {
		s := NewStore(Default)
		a := s.NewSource("a", "web")
		a.Tail(c.tail)
		a.Open(at(1000), false)
		a.Answered(at(1000))
		for _, line := range c.lines {
			a.Arrived(at(max(line, 1000) - c.ahead))
			a.Write([]byte(stamped(at(line), "x")))
		}
		if c.cleared {
			s.Clear()
		}
		if c.ended {
			a.End()
		}
		if got := a.Earlier(c.started); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

// model is a store, and what was written to it.
type model struct {
	t       *testing.T
	r       *rand.Rand
	s       *Store
	now     time.Time
	written [][]string // by source
	clock   []time.Time
}

// write writes lines of any length, some of them empty.
func (m *model) write() {
	i := m.r.IntN(len(m.written))
	var lines []string
	for n := range m.r.IntN(40) {
		text := ""
		if m.r.IntN(8) > 0 {
			text = fmt.Sprintf("%d:%d:%s", i, len(m.written[i])+n, strings.Repeat("x", m.r.IntN(1+m.r.IntN(2000))))
		}
		lines = append(lines, text)
	}
	m.give(i, lines...)
}

// fill writes a chunk exactly full, and an empty line behind it.
func (m *model) fill() {
	m.give(0, "")
	for m.s.used < chunkBytes {
		m.give(0, strings.Repeat("y", min(chunkBytes-m.s.used, longest)))
	}
	m.give(0, "")
}

func (m *model) give(i int, lines ...string) {
	var b strings.Builder
	for _, text := range lines {
		m.clock[i] = m.clock[i].Add(time.Duration(m.r.IntN(30)) * time.Millisecond)
		b.WriteString(stamped(m.clock[i], text))
	}
	m.s.sources[i].Write([]byte(b.String()))
	m.written[i] = append(m.written[i], lines...)
}

// check holds what must always be true: nothing is held twice or lost uncounted.
func (m *model) check(cleared []uint64) {
	m.t.Helper()
	next, notes := make([]int, len(m.written)), 0
	for i := range next {
		next[i] = len(m.written[i]) - m.s.sources[i].Held()
	}
	for p := m.s.First(); p < m.s.End(); p++ {
		r := m.s.at(p)
		if r.flags&isNote != 0 {
			notes++
			continue
		}
		source := int(r.source)
		if got, want := string(m.s.bytes(r)), m.written[source][next[source]]; got != want {
			m.t.Fatalf("line %d of %d is %.20q of %d bytes, want %.20q of %d", next[source], source, got, len(got), want, len(want))
		}
		next[source]++
	}
	total, dropped := notes, uint64(0)
	for i, s := range m.s.sources {
		if next[i] != len(m.written[i]) || s.Lines() != uint64(len(m.written[i])) || s.Lines() != uint64(s.Held())+s.Dropped().Lines+cleared[i] {
			m.t.Fatalf("source %d: %d of %d lines, %d held, %d dropped, %d cleared", i, next[i], len(m.written[i]), s.Held(), s.Dropped().Lines, cleared[i])
		}
		total += s.Held()
		dropped += s.Dropped().Lines
	}
	if total != m.s.Len() || dropped != m.s.Dropped().Lines || m.s.Held() > m.s.limits.Bytes || m.s.Len() > m.s.limits.Lines {
		m.t.Fatalf("%d lines of %d, %d dropped of %d, %d bytes", total, m.s.Len(), dropped, m.s.Dropped().Lines, m.s.Held())
	}
}

// TestStore writes at random, much more than there is room for.
func TestStore(t *testing.T) {
	for seed := range uint64(6) {
		r := rand.New(rand.NewPCG(seed, 7))
		m := &model{t: t, r: r, s: NewStore(Limits{Bytes: 2<<20 + int(seed)<<17, Lines: []int{500, 3000, 100_000}[seed%3]}), now: start}
		cleared := make([]uint64, 6)
		for i := range cleared {
			m.s.NewSource(fmt.Sprint("pod", i), "c").Open(start.Add(time.Duration(i)*time.Second), false)
			m.written, m.clock = append(m.written, nil), append(m.clock, start.Add(time.Duration(r.IntN(10_000)-5000)*time.Millisecond))
		}
		m.give(0, "")
		for step := range 800 {
			switch n := r.IntN(200); {
			case n == 0:
				m.s.Merge(m.now)
				for i, s := range m.s.sources {
					cleared[i] += uint64(s.Held())
				}
				m.s.Clear()
			case n == 1:
				m.s.sources[r.IntN(6)].Note(m.now, false, "a note")
			case n == 2:
				m.s.Freeze()
			case n == 3:
				m.fill()
			default:
				m.write()
			}
			if r.IntN(3) == 0 {
				m.now = m.now.Add(time.Duration(r.IntN(300)) * time.Millisecond)
				m.s.Merge(m.now)
				if step%40 == 0 {
					m.check(cleared)
				}
			}
		}
		m.s.Merge(m.now)
		m.check(cleared)
		if m.s.Dropped().Lines == 0 {
			t.Fatal("there was room for all")
		}
	}
}

// TestOrder holds that what was written before its stream was opened stands by its
// time, in whatever turns the sources come.
func TestOrder(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 3))
		s := NewStore(Default)
		type line struct {
			at   int64
			text string
		}
		var want []line
		chunks := make([][]string, 5)
		for i := range chunks {
			s.NewSource(fmt.Sprint(i), "c").Open(start.Add(time.Hour), false)
			at := start
			for n := range 200 {
				at = at.Add(time.Duration(1+r.IntN(50)) * time.Millisecond * 5)
				l := line{at.UnixNano() + int64(i), fmt.Sprint(i, ":", n)}
				want = append(want, l)
				chunks[i] = append(chunks[i], stamped(at.Add(time.Duration(i)), l.text))
			}
		}
		slices.SortStableFunc(want, func(a, b line) int { return int(a.at - b.at) })
		now := start.Add(time.Hour)
		for left := 1000; left > 0; {
			i := r.IntN(5)
			n := min(r.IntN(100), len(chunks[i]))
			s.sources[i].Write([]byte(strings.Join(chunks[i][:n], "")))
			chunks[i], left = chunks[i][n:], left-n
			now = now.Add(time.Second)
			s.Merge(now)
		}
		for i, text := range all(s) {
			if text != want[i].text {
				t.Fatalf("seed %d: line %d is %s, want %s", seed, i, text, want[i].text)
			}
		}
	}
}

// TestAgain breaks streams anywhere and opens them again as a server does, from the
// second on: no line is lost, and none comes twice.
func TestAgain(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 5))
		s := NewStore(Default)
		source := s.NewSource("p", "c")
		var entries []struct {
			at   time.Time
			text string
		}
		at := start
		for n := range 120 {
			if r.IntN(3) > 0 {
				at = at.Add(time.Duration(r.IntN(700)) * time.Millisecond)
			}
			entries = append(entries, struct {
				at   time.Time
				text string
			}{at, fmt.Sprint(n) + strings.Repeat("long", r.IntN(2)*r.IntN(9000)) + strings.Repeat("\ragain", r.IntN(2))})
		}
		var want strings.Builder
		for _, e := range entries {
			want.WriteString(e.text + "\n")
		}
		var since time.Time
		for try := 0; ; try++ {
			source.Open(start, try > 0)
			var b strings.Builder
			for _, e := range entries {
				if !e.at.Before(since) {
					b.WriteString(stamped(e.at, e.text))
				}
			}
			text := b.String()
			whole := try > 20 || r.IntN(10) == 0
			if !whole {
				text = text[:r.IntN(len(text)+1)]
			}
			for len(text) > 0 {
				n := min(1+r.IntN(5000), len(text))
				source.Write([]byte(text[:n]))
				text = text[n:]
			}
			if source.Missing() {
				t.Fatal("nothing is missing")
			}
			if whole {
				source.End()
				break
			}
			source.Break()
			if last, ok := source.Last(); ok {
				since = last.Truncate(time.Second)
			}
		}
		s.Merge(start)
		file, _ := NewView(s).Save(Export{Raw: true, All: true}).Next(nil, 1<<30)
		if string(file) != want.String() {
			t.Fatalf("seed %d:\n%.300s, want\n%.300s", seed, file, want.String())
		}
	}
}

// TestMissing shows that a log that no more holds the last line is told.
func TestMissing(t *testing.T) {
	s := NewStore(Default)
	source := s.NewSource("p", "c")
	source.Open(start, false)
	source.Write([]byte(stamped(start, "a")))
	source.Break()
	source.Open(start, true)
	source.Write([]byte(stamped(start.Add(time.Second), "c")))
	if !source.Missing() || source.Missing() {
		t.Error("it is told once")
	}
	if source.Lines() != 2 {
		t.Error(source.Lines())
	}
}

// TestLeave gives the numbers of sources that were left to others: more come than there
// are numbers, and what is held keeps its own.
func TestLeave(t *testing.T) {
	s := NewStore(Limits{Bytes: 2 << 20, Lines: 10})
	kept := s.NewSource("kept", "c")
	for n := range 100_000 {
		source := s.NewSource(fmt.Sprint(n), "c")
		source.Write([]byte(stamped(start, "gone")))
		source.Note(start, false, "it went")
		s.Clear()
		if !source.Empty() {
			t.Fatal("there is something of it")
		}
		source.Leave()
	}
	kept.Note(start, false, "a note")
	if kept.Empty() || s.Received() != 100_000 || len(s.Sources()) != 2 {
		t.Errorf("%t, %d lines of %d sources", kept.Empty(), s.Received(), len(s.Sources()))
	}
	for n := len(s.Sources()); n <= 1<<16; n++ {
		if source := s.NewSource("p", "c"); source == nil {
			break
		} else if source.Number() == kept.Number() {
			t.Fatal("two sources have one number")
		}
	}
	if s.NewSource("p", "c") != nil {
		t.Error("there are more sources than numbers")
	}
}
