package log

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/detail/log/line"
	"watchglass/internal/detail/text"
	"watchglass/internal/query"
)

func ask(t testing.TB, source string, expression bool) *query.Line {
	t.Helper()
	if source == "" {
		return nil
	}
	l, err := query.ParseLine(source, expression)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// filterOf parses a filter that must be right.
func filterOf(t testing.TB, text string) *Filter {
	t.Helper()
	f, _, wrong := ParseFilter("", text)
	if wrong != nil {
		t.Fatal(wrong)
	}
	return f
}

// unit is a line with those that continue it, and their positions.
type unit struct {
	at   []uint64
	text []string
}

// units are all lines that are held, with those that continue them, and how many there are whose
// first line was dropped. Those are units of their own only if all are shown.
func units(s *Store, raw bool) (all []unit, orphans int) {
	last := make(map[uint16]int)
	for p := s.First(); p < s.End(); p++ {
		r := s.at(p)
		text, _ := decoded(string(s.bytes(r)))
		if r.is(isMore) {
			if i, ok := last[r.source]; ok {
				all[i].at, all[i].text = append(all[i].at, p), append(all[i].text, text)
				continue
			}
			if orphans++; !raw {
				continue
			}
			all = append(all, unit{[]uint64{p}, []string{text}})
			continue
		}
		if !r.is(isNote) {
			last[r.source] = len(all)
		}
		all = append(all, unit{[]uint64{p}, []string{text}})
	}
	return all, orphans
}

// naive is what a view has to show: worked out anew from all that is held.
func naive(s *Store, c *script) (rows []string, hits int, counts [line.Levels]int) {
	v := &View{store: s, query: c.q}
	type piece struct {
		at    uint64
		shown string
	}
	var pieces []piece
	put := func(at uint64, shown string) { pieces = append(pieces, piece{at, shown}) }
	wrap := func(shown string) {
		for first := true; first || shown != ""; first = false {
			n := len(shown)
			if c.q.Columns > 0 {
				n = text.BreakWords(shown, c.q.Columns)
			}
			row, _ := text.Expand(shown[:n], 0)
			rows, shown = append(rows, row), shown[n:]
		}
	}
	all, _ := units(s, c.q.Raw)
	for _, u := range all {
		r := s.at(u.at[0])
		if !r.is(isNote) {
			matches, counted := v.match(r, nil)
			if counted && !r.is(isMore) {
				counts[r.level()]++
			}
			for _, p := range u.at[1:] {
				also, _ := v.match(s.at(p), r)
				matches = matches || also && p < c.until
			}
			if !matches {
				continue
			}
		}
		if r.is(isNote) && !c.q.within(r) {
			continue
		}
		hit := false
		for i, p := range u.at {
			if p < c.until && c.q.Search != nil && len(c.q.Search.Find(u.text[i], 1)) > 0 {
				if hit = true; c.q.Raw {
					hits++
				}
			}
		}
		if hit && !c.q.Raw {
			hits++
		}
		if u.at[0] >= c.until {
			continue
		}
		shown, _ := v.shown(r)
		put(u.at[0], strings.Clone(shown))
		if c.open[r.id()] && !r.is(isNote|isMore) {
			v.read(v.plain(r))
			for _, b := range v.branches(v.plain(r)) {
				put(u.at[0], b.text)
			}
		}
		for i, p := range u.at[1:] {
			if p < c.until && (c.q.Raw || c.open[r.id()]) {
				put(p, u.text[i+1])
			}
		}
	}
	if c.q.Raw { // lines are not folded, and stand where they are
		slices.SortStableFunc(pieces, func(a, b piece) int { return int(a.at) - int(b.at) })
	}
	for _, p := range pieces {
		wrap(p.shown)
	}
	return rows, hits, counts
}

// script is what a person and containers do at random.
type script struct {
	*rand.Rand
	t     *testing.T
	s     *Store
	v     *View
	q     Query
	now   time.Time
	until uint64
	open  map[uint64]bool
}

func (c *script) act() {
	words := []string{"error", "Warning", "\x1b[31mred error\x1b[0m", "日本", "tab\tbed", "x", "info something longer than a row is", "user=ana", `{"level":"error","msg":"saved\n","status":500,"a":{"b":[1,"two"]}}`}
	switch n := c.IntN(20); {
	case n == 0:
		filters := []string{"", "error", "W", "!o", "level>=warn", "level:info,error", "user:ana", "status>=500", "trace", "!trace level!=info", "pod:0,1"}
		c.q = Query{Filter: filterOf(c.t, filters[c.IntN(len(filters))]), Search: ask(c.t, []string{"", "in.o", "日|tab", "^x"}[c.IntN(4)], true), Columns: c.IntN(2) * (2 + c.IntN(20)), Raw: c.IntN(3) == 0}
		if c.IntN(3) == 0 {
			c.q.From = c.now.Add(-time.Duration(c.IntN(20)) * time.Second).UnixNano()
			if c.IntN(2) == 0 {
				c.q.To = c.q.From + int64(1+c.IntN(10))*int64(time.Second)
			}
		}
		c.v.Ask(c.q)
	case n == 1:
		c.s.Merge(c.now)
		on := c.IntN(2) == 0
		if c.v.Pause(on); !on {
			c.until = always
		} else if c.until == always {
			c.until = c.s.End()
		}
	case n == 2:
		c.s.sources[c.IntN(3)].Note(c.now, true, "a note, with an error")
	case n == 3 && c.IntN(10) == 0:
		c.s.Clear()
	case n == 4:
		c.expand()
	default:
		c.now = c.now.Add(time.Duration(c.IntN(400)) * time.Millisecond)
		var b strings.Builder
		for range c.IntN(30) {
			b.WriteString(stamped(c.now.Add(-time.Duration(c.IntN(3000))*time.Millisecond), words[c.IntN(len(words))]+" "+words[c.IntN(len(words))]))
			if c.IntN(6) == 0 {
				b.WriteString(strings.Repeat(stamped(c.now, "\tat trace "+words[c.IntN(len(words))]), c.IntN(4)))
			}
		}
		c.s.sources[c.IntN(3)].Write([]byte(b.String()))
	}
}

// expand expands some lines, and no others.
func (c *script) expand() {
	var ids []uint64
	c.open = make(map[uint64]bool)
	for range c.IntN(4) {
		if n := c.s.Len(); n > 0 {
			id := c.s.at(c.s.First() + uint64(c.IntN(n))).id()
			ids, c.open[id] = append(ids, id), true
		}
	}
	c.v.Expand(ids)
}

// check holds the view against all that is held.
func (c *script) check(step int) {
	if _, orphans := units(c.s, true); c.q.Raw && orphans > 0 { // what was shown with the line before is looked at for itself
		c.v.Ask(c.q)
		c.v.Step(1 << 30)
	}
	want, hits, counts := naive(c.s, c)
	if c.v.Levels() != counts {
		c.t.Fatalf("step %d: %v lines of each level, want %v", step, c.v.Levels(), counts)
	}
	_, rows, _ := c.v.Count()
	if rows != len(want) || c.v.Hits() != hits {
		c.t.Fatalf("step %d: %d rows, want %d; %d hits, want %d", step, rows, len(want), c.v.Hits(), hits)
	}
	c.checkHistogram(step)
	offset, limit := c.IntN(rows+3), c.IntN(60)
	window := c.v.Window(offset, limit)
	if n := max(min(limit, rows-offset), 0); len(window) != n {
		c.t.Fatalf("step %d: a window of %d, want %d", step, len(window), n)
	}
	for i, row := range window {
		if row.Text() != want[offset+i] {
			c.t.Fatalf("step %d: row %d is %q, want %q", step, offset+i, row.Text(), want[offset+i])
		}
		if row.Part == 0 && row.Kind == LineRow && c.v.Row(row.Position) != offset+i {
			c.t.Fatalf("step %d: row %d is said to be %d", step, offset+i, c.v.Row(row.Position))
		}
	}
	_, at := c.v.Seek(c.s.End(), false)
	for range hits {
		hit, next := c.v.Seek(at, false)
		if back, before := c.v.Seek(next+1, true); back != hit || before != next {
			c.t.Fatalf("step %d: hit %d at %d, and back %d at %d", step, hit, next, back, before)
		}
		at = next
	}
}

// TestView holds a view against all that is held, whatever is done.
func TestView(t *testing.T) {
	for seed := range uint64(4) {
		s := NewStore(Limits{Bytes: 3 << 20, Lines: 400})
		c := &script{Rand: rand.New(rand.NewPCG(seed, 9)), t: t, s: s, v: NewView(s), now: start, until: always}
		for i := range 3 {
			s.NewSource(fmt.Sprint(i), "c").Open(start.Add(time.Duration(c.IntN(60))*time.Second), false)
		}
		for step := range 700 {
			c.act()
			if c.IntN(2) == 0 {
				s.Merge(c.now)
				for c.v.Step(2000) {
				}
				c.check(step)
			}
		}
	}
}

// TestMarks shows a row in its pieces: by colour and by what was searched for.
func TestMarks(t *testing.T) {
	s := NewStore(Default)
	a := s.NewSource("p", "c")
	a.Open(start, false)
	a.Write([]byte(stamped(start, "a \x1b[31mred\x1b[0m\tred") + stamped(start, strings.Repeat("x", longest+10))))
	s.Merge(start)
	v := NewView(s)
	v.Ask(Query{Search: ask(t, "ed", false)})
	v.Step(1 << 20)
	want := []Row{
		{Position: 0, Time: start.UnixNano(), Spans: []Run{{Text: "a "}, {Text: "r", Style: 2}, {Text: "ed", Style: 2, Hit: true}, {Text: "   r"}, {Text: "ed", Hit: true}}},
		{Position: 1, Time: start.UnixNano(), More: longest - mostColumns, Spans: []Run{{Text: strings.Repeat("x", mostColumns)}}},
		{Position: 2, Time: start.UnixNano(), Spans: []Run{{Text: strings.Repeat("x", 10)}}},
	}
	got := v.Window(0, 10)
	for i := range got {
		got[i].ID = 0
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v", got)
	}
	v.Ask(Query{Columns: 9})
	v.Step(1 << 20)
	rows := v.Window(1, 2)
	if rows[0].Text() != "ed" || rows[0].Part != 1 || rows[1].Part != 0 || rows[1].Goes {
		t.Errorf("%+v", rows)
	}
	if last := v.Window(v.Row(2)-1, 1)[0]; !last.Goes || last.Position != 1 {
		t.Errorf("%+v", last)
	}
}

// TestPause shows that what is looked at stands still, and says what went of it.
func TestPause(t *testing.T) {
	s := NewStore(Limits{Bytes: 3 << 20, Lines: 100})
	a := s.NewSource("p", "c")
	a.Open(start, false)
	v, n := NewView(s), 0
	write := func(count int) {
		for range count {
			a.Write([]byte(stamped(start.Add(time.Duration(n)*time.Second), fmt.Sprint("line ", n))))
			n++
		}
		s.Merge(start)
		v.Step(1 << 20)
	}
	write(60)
	v.Pause(true)
	write(30)
	if lines, _, waiting := v.Count(); lines != 60 || waiting != 30 {
		t.Error(lines, waiting)
	}
	write(30)
	if lines, _, waiting := v.Count(); lines != 40 || waiting != 60 || v.Gone() != 20 || v.Window(0, 1)[0].Text() != "line 20" {
		t.Error(lines, waiting, v.Gone())
	}
	v.Pause(false)
	if lines, _, waiting := v.Count(); lines != 100 || waiting != 0 {
		t.Error(lines, waiting)
	}
}

func TestSave(t *testing.T) {
	s := NewStore(Default)
	a, b := s.NewSource("p", "c"), s.NewSource("q", "c")
	a.Open(start, false)
	b.Open(start, false)
	a.Write([]byte(stamped(start, "\x1b[31mred\x1b[0m\r") + stamped(start, "other")))
	b.Write([]byte(strings.TrimSuffix(stamped(start, "red"), "\n")))
	b.End()
	b.Note(start, false, "it ended")
	a.Write([]byte(stamped(start.Add(1), "last")))
	s.Merge(start)
	v := NewView(s)
	v.Ask(Query{Filter: filterOf(t, "red")})
	for _, c := range []struct {
		how  Export
		want string
	}{
		{Export{}, "red\nred\n-- it ended\n"},
		{Export{All: true, Names: true}, "p/c red\np/c other\nq/c red\nq/c -- it ended\np/c last\n"},
		{Export{Times: true}, "2026-11-22T03:00:00Z red\n2026-11-22T03:00:00Z red\n2026-11-22T03:00:00Z -- it ended\n"},
		{Export{All: true, Raw: true}, "\x1b[31mred\x1b[0m\r\nother\nred\nlast\n"},
	} {
		var all []byte
		save := v.Save(c.how)
		for more := true; more; {
			all, more = save.Next(all, 3)
		}
		if string(all) != c.want {
			t.Errorf("%+v: %q, want %q", c.how, all, c.want)
		}
	}
	if text, whole := v.Lines(0, 1, Export{All: true}, 1000); string(text) != "red\nother\n" || !whole {
		t.Errorf("%q %t", text, whole)
	}
}

// TestSaveLoses shows that a file says what went before it was written.
func TestSaveLoses(t *testing.T) {
	s := NewStore(Limits{Bytes: 3 << 20, Lines: 10})
	a := s.NewSource("p", "c")
	write := func() {
		a.Write([]byte(strings.Repeat(stamped(start, "x"), 10)))
		s.Merge(start)
	}
	write()
	save := NewView(s).Save(Export{All: true})
	file, _ := save.Next(nil, 4)
	write()
	file, more := save.Next(file, 100)
	if string(file) != "x\nx\n" || more || save.Lost != 8 {
		t.Errorf("%q, %d lost", file, save.Lost)
	}
}

func TestDocument(t *testing.T) {
	d := &Document{Head: Head{Seq: 3, Rows: 9, Dropped: Dropped{Lines: 4, From: 5, To: 6}, Sources: []State{{Pod: "p", State: "live"}}}, Window: []Row{
		{Position: 1 << 40, Time: -5, Source: 3, Part: 2, Note: true, Bad: true, More: 7, ID: 1 << 60, Level: line.Warn, Kind: TraceRow, Opens: true, Folded: 300},
		{Goes: true, Time: start.UnixNano(), Spans: []Run{{Text: "日\t", Style: Bold | 3, Hit: true}, {Text: ""}}},
	}}
	b, err := d.Append(nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseDocument(b)
	if err != nil || !reflect.DeepEqual(got, d) {
		t.Fatalf("%+v, %v", got, err)
	}
	for n := range b {
		if _, err := ParseDocument(b[:n]); err == nil {
			t.Fatalf("the first %d bytes of %d are taken for the whole", n, len(b))
		}
	}
}

// FuzzParseDocument holds that what is read is what would be written.
func FuzzParseDocument(f *testing.F) {
	b, err := (&Document{Window: []Row{{Spans: []Run{{Text: "x", Style: 3}}}}}).Append(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(b)
	f.Fuzz(func(t *testing.T, doc []byte) {
		d, err := ParseDocument(doc)
		if err != nil {
			return
		}
		again, err := d.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		if other, err := ParseDocument(again); err != nil || !reflect.DeepEqual(other.Window, d.Window) {
			t.Fatal(other, err)
		}
	})
}
