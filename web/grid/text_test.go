package grid

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"watchglass/internal/detail/text"
)

// textPage is a fake painter of a text that keeps what has been painted, as the page would.
type textPage struct {
	length         int
	rows           map[int]*paintedLine
	calls, painted int
}

type paintedLine struct {
	index  int
	line   Line
	hidden bool
}

func (p *textPage) Length(rows int) { p.length = rows; p.calls++ }
func (p *textPage) Place(slot, index int) {
	if p.rows[slot] == nil {
		p.rows[slot] = &paintedLine{}
	}
	p.rows[slot].index, p.rows[slot].hidden = index, false
	p.calls++
}
func (p *textPage) Line(slot int, l Line) {
	l.Spans = slices.Clone(l.Spans)
	p.rows[slot].line = l
	p.calls++
}
func (p *textPage) Hide(slot int) { p.rows[slot].hidden = true; p.calls++ }
func (p *textPage) Paint()        { p.painted = p.calls }

// shown returns what is visible; a naive painter would have painted the same from scratch.
func (p *textPage) shown(t *testing.T) map[int]Line {
	t.Helper()
	out := map[int]Line{}
	for _, r := range p.rows {
		if r.hidden {
			continue
		}
		if _, twice := out[r.index]; twice {
			t.Fatalf("row %d is shown twice", r.index)
		}
		out[r.index] = r.line
	}
	return out
}

// TestText paints random windows and compares the page with each.
func TestText(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 1))
	p := &textPage{rows: map[int]*paintedLine{}}
	text := NewText(p)
	var lines []Line // owned by the caller, who changes them in place
	for step := range 3000 {
		offset, total := r.IntN(50), 100+r.IntN(3)
		lines = lines[:0]
		for range r.IntN(20) {
			lines = append(lines, randomLine(r))
		}
		text.Show(total, offset, lines)
		shown := p.shown(t)
		if p.length != total || p.painted != p.calls || len(shown) != len(lines) {
			t.Fatalf("step %d: %d rows, of %d, %d of %d calls", step, len(shown), p.length, p.painted, p.calls)
		}
		for i, l := range lines {
			if got, ok := shown[offset+i]; !ok || !got.equal(l) {
				t.Fatalf("step %d: row %d is %+v, want %+v", step, offset+i, got, l)
			}
		}
		before := p.calls
		text.Show(total, offset, lines)
		if p.calls != before {
			t.Fatalf("step %d: the same was painted again", step)
		}
		for _, l := range lines {
			for i := range l.Spans {
				l.Spans[i].Text = "of the next frame"
			}
		}
	}
}

func randomLine(r *rand.Rand) Line {
	l := Line{Gutter: fmt.Sprint(r.IntN(3)), Look: []string{"", "hit"}[r.IntN(2)]}
	for range r.IntN(3) {
		l.Spans = append(l.Spans, Span{Text: strings.Repeat("x", r.IntN(3)), Look: []string{"", "red"}[r.IntN(2)]})
	}
	return l
}

// TestTextRecycles checks that scrolling by one row paints one row.
func TestTextRecycles(t *testing.T) {
	p := &textPage{rows: map[int]*paintedLine{}}
	text := NewText(p)
	var all []Line
	for i := range 100 {
		all = append(all, Line{Spans: []Span{{Text: fmt.Sprint(i)}}})
	}
	text.Show(100, 0, all[:40])
	before := p.calls
	text.Show(100, 1, all[1:41])
	if p.calls != before+2 {
		t.Errorf("it took %d calls", p.calls-before)
	}
}

// TestTextScript checks the steps as paint.js reads them: no text breaks them apart.
func TestTextScript(t *testing.T) {
	s := new(textScript)
	text := NewText(s)
	text.Show(9, 3, []Line{
		{Gutter: "4\x1f", Look: "hit", Action: "pick", Value: "4", Spans: []Span{{"a\x1d\x1e\x1fb\t", "red"}, {"\u009bc\n", ""}}},
		{},
	})
	text.Show(9, 4, []Line{{}})
	got := strings.NewReplacer(betweenSteps, "\n", betweenArgs, "|", betweenParts, ":").Replace(s.take())
	want := "length|9\nplace|1|3|9\nline|1|hit|4␟|pick|4||||red:a␝␞␟b\t|:\ufffdc␊\nplace|0|4|9\nline|0|||||||\nhide|1"
	if got != want {
		t.Errorf("want\n%q\ngot\n%q", want, got)
	}
}

func TestClip(t *testing.T) {
	spans := []Span{{"abc", "red"}, {"defgh", ""}, {"ij", "red"}}
	if got := Clip(spans, 10); !slices.Equal(got, spans) {
		t.Error(got)
	}
	if got := Clip(spans, 5); !slices.Equal(got, []Span{{"abc", "red"}, {"de", ""}, {" … 5 more bytes", "note"}}) {
		t.Error(got)
	}
}

// FuzzWrap checks that the rows add up to the text with its tabs expanded, and are not too wide.
func FuzzWrap(f *testing.F) {
	f.Add("a\tb", "日本 wide", uint8(4))
	f.Add("e\u0301\u0301", "\u0301\t\t", uint8(9))
	f.Fuzz(func(t *testing.T, a, b string, c uint8) {
		spans, columns := []Span{{strings.ToValidUTF8(a, "?"), "a"}, {strings.ToValidUTF8(b, "?"), "b"}}, int(c%60)+2
		var all string
		for i, row := range Wrap(spans, columns) {
			if i > 0 && len(row) == 0 {
				t.Fatal("an empty row")
			}
			if w := Width(row); w > max(columns, text.Tab) {
				t.Fatalf("%q is %d wide, of %d", row, w, columns)
			}
			for _, s := range row {
				all += s.Text
			}
		}
		bare := strings.NewReplacer(" ", "", "\t", "")
		if want := spans[0].Text + spans[1].Text; bare.Replace(all) != bare.Replace(want) {
			t.Fatalf("%q became %q", want, all)
		}
	})
}
