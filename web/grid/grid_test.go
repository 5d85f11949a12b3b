package grid

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"watchglass/internal/object"
	"watchglass/internal/view"
)

// page is a fake painter that keeps what has been painted, as the page would.
type page struct {
	columns []Column
	all     int // number of columns, including hidden ones
	sort    string
	length  int
	busy    bool
	rows    map[int]*paintedRow
	calls   int
	painted int // calls that have been painted
}

type paintedRow struct {
	index            int
	key, uid, link   string
	cells            map[int]Cell
	active, selected bool
	hidden           bool
}

func (p *page) Columns([]Column) {
	for _, r := range p.rows {
		r.cells = map[int]Cell{}
	}
	p.calls++
}
func (p *page) Paint() { p.painted = p.calls }
func (p *page) Head(columns []Column, _ []string, all int, sort string, descending bool) {
	p.columns, p.all, p.sort = slices.Clone(columns), all, fmt.Sprint(sort, descending)
	p.calls++
}
func (p *page) Widths(columns []Column) { p.columns = slices.Clone(columns); p.calls++ }
func (p *page) Length(rows int)         { p.length = rows; p.calls++ }
func (p *page) Busy(busy bool)          { p.busy = busy; p.calls++ }
func (p *page) Place(slot, index int, key, uid string) {
	if p.rows[slot] == nil {
		p.rows[slot] = &paintedRow{cells: map[int]Cell{}}
	}
	r := p.rows[slot]
	r.index, r.key, r.uid, r.hidden = index, key, uid, false
	p.calls++
}
func (p *page) Link(slot int, address string) { p.rows[slot].link = address; p.calls++ }
func (p *page) Cell(slot, column int, c Cell) { p.rows[slot].cells[column] = c; p.calls++ }
func (p *page) Mark(slot int, active, selected bool) {
	p.rows[slot].active, p.rows[slot].selected = active, selected
	p.calls++
}
func (p *page) Hide(slot int) {
	r := p.rows[slot]
	r.hidden, r.active, r.selected = true, false, false
	p.calls++
}

func newPage() *page { return &page{rows: map[int]*paintedRow{}} }

// TestShow paints random windows and compares the page with each.
func TestShow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	p := newPage()
	g := New(p)
	for step := range 3000 {
		w := randomWindow(r)
		sort := Sort{Column: w.Columns[r.IntN(len(w.Columns))].Name, Descending: r.IntN(2) == 0}
		marks := Marks{}
		if len(w.Rows) > 0 {
			marks.Active = w.Rows[r.IntN(len(w.Rows))].Key
			marks.Selected = w.Rows[r.IntN(len(w.Rows))].Key
		}
		room := Room{Width: r.IntN(3) * r.IntN(600)}
		g.Show(w, Objects{}, sort, marks, room)
		check(t, step, p, w, sort, marks)
		before := p.calls
		g.Show(w, Objects{}, sort, marks, room)
		if p.calls != before {
			t.Fatalf("step %d: the same window was painted again", step)
		}
	}
}

func randomWindow(r *rand.Rand) view.Window {
	w := view.Window{Columns: []view.Column{{Name: "Namespace"}, {Name: "Name"}, {Name: "Status"}, {Name: "Age", Kind: uint8(object.AgeCell)}}, Total: 100 + r.IntN(3)}
	if r.IntN(10) == 0 {
		w.Columns = append(w.Columns, view.Column{Name: "Node", Priority: 1})
	}
	w.Offset = r.IntN(80)
	for i := range r.IntN(20) {
		row := view.Row{Key: fmt.Sprint("k", w.Offset+i+r.IntN(2)*1000), UID: fmt.Sprint("u", r.IntN(3))}
		for range w.Columns {
			row.Cells = append(row.Cells, strings.Repeat("x", r.IntN(5))+fmt.Sprint(r.IntN(5)))
		}
		w.Rows = append(w.Rows, row)
	}
	return w
}

func check(t *testing.T, step int, p *page, w view.Window, sort Sort, marks Marks) {
	t.Helper()
	if p.length != w.Total || p.sort != fmt.Sprint(sort.Column, sort.Descending) || p.all != len(w.Columns) || len(p.columns) == 0 {
		t.Fatalf("step %d: length %d, sort %s, %d columns of %d", step, p.length, p.sort, len(p.columns), p.all)
	}
	shown := map[int]*paintedRow{}
	for _, r := range p.rows {
		if r.hidden {
			continue
		}
		if shown[r.index] != nil {
			t.Fatalf("step %d: row %d is shown twice", step, r.index)
		}
		shown[r.index] = r
	}
	if p.painted != p.calls {
		t.Fatalf("step %d: not all was painted", step)
	}
	if len(shown) != len(w.Rows) {
		t.Fatalf("step %d: %d rows are shown, want %d", step, len(shown), len(w.Rows))
	}
	for i, row := range w.Rows {
		got := shown[w.Offset+i]
		if got == nil || got.key != row.Key || got.uid != row.UID || got.active != (row.Key == marks.Active) || got.selected != (row.Key == marks.Selected) {
			t.Fatalf("step %d: row %d is %+v, want %+v", step, w.Offset+i, got, row)
		}
		for c, column := range p.columns {
			text, prefix := row.Cells[column.At], ""
			if column.Prefix >= 0 {
				prefix = row.Cells[column.Prefix] + "/"
			}
			if column.Name != w.Columns[column.At].Name || got.cells[c].Text != text || got.cells[c].Prefix != prefix {
				t.Fatalf("step %d: cell %d of row %d is %+v, want %q after %q", step, c, i, got.cells[c], text, prefix)
			}
		}
	}
}

// TestGlow checks that a cell glows when it changes while visible, and not when its row is new,
// scrolls in or merely ages.
func TestGlow(t *testing.T) {
	p := newPage()
	g := New(p)
	w := view.Window{Columns: []view.Column{{Name: "Name"}, {Name: "Status"}, {Name: "Age", Kind: uint8(object.AgeCell)}}, Total: 2, Rows: []view.Row{
		{Key: "a", UID: "1", Cells: []string{"a", "Pending", "1s"}}, {Key: "b", UID: "2", Cells: []string{"b", "Running", "1s"}},
	}}
	g.Show(w, Objects{}, Sort{}, Marks{}, Room{})
	for _, r := range p.rows {
		for _, c := range r.cells {
			if c.Glow {
				t.Fatal("a new row glows")
			}
		}
	}
	next := func(rows ...view.Row) { w.Rows = rows; g.Show(w, Objects{}, Sort{}, Marks{}, Room{}) }
	next(view.Row{Key: "a", UID: "1", Cells: []string{"a", "Running", "2s"}}, w.Rows[1])
	if !p.rows[0].cells[1].Glow || p.rows[0].cells[2].Glow || p.rows[0].cells[1].Tone != OK {
		t.Fatalf("%+v", p.rows[0].cells)
	}
	w.Rows = []view.Row{{Key: "a", UID: "1", Cells: []string{"a", "Pending", "1s"}}, w.Rows[1]}
	if g.Show(w, Objects{Past: true}, Sort{}, Marks{}, Room{}); p.rows[0].cells[1].Text != "Pending" || p.rows[0].cells[1].Glow {
		t.Fatal("what differs in the past glows")
	}
	next(view.Row{Key: "a", UID: "9", Cells: []string{"a", "Failed", "0s"}}, w.Rows[1])
	if p.rows[0].cells[1].Glow {
		t.Fatal("another object of the same name glows as if it had changed")
	}
}

// TestGlowOfWider checks that a cell glows which changes while texts are cut anew because another column became wider, and
// that those that are only cut anew do not.
func TestGlowOfWider(t *testing.T) {
	p := newPage()
	g := New(p)
	show := func(status string) {
		g.Show(view.Window{Columns: []view.Column{{Name: "Name"}, {Name: "Status"}, {Name: "Node"}}, Total: 1, Rows: []view.Row{
			{Key: "a", UID: "1", Cells: []string{strings.Repeat("a", 60), status, strings.Repeat("n", 60)}},
		}}, Objects{}, Sort{}, Marks{}, Room{Width: 500})
	}
	show("Pending")
	cut := p.rows[0].cells[0].Text
	show("ContainerCreating")
	cells := p.rows[0].cells
	if cells[0].Text == cut || !cells[1].Glow || cells[0].Glow || cells[2].Glow {
		t.Fatalf("%+v", cells)
	}
}

// TestGlowOfCounts checks that a count glows when it grows, but not when its age changes.
func TestGlowOfCounts(t *testing.T) {
	p := newPage()
	g := New(p)
	show := func(text string) bool {
		g.Show(view.Window{Columns: []view.Column{{Name: "Name"}, {Name: "Restarts", Kind: uint8(object.CountedCell)}}, Total: 1, Rows: []view.Row{
			{Key: "a", UID: "1", Cells: []string{"a", text}},
		}}, Objects{}, Sort{}, Marks{}, Room{})
		return p.rows[0].cells[1].Glow
	}
	show("0")
	for _, c := range []struct {
		text string
		want bool
	}{{"1 (1s ago)", true}, {"1 (2s ago)", false}, {"2 (0s ago)", true}, {"2", false}} {
		if got := show(c.text); got != c.want {
			t.Errorf("%s: %v", c.text, got)
		}
	}
}

// TestWidths checks that columns grow with their contents and never shrink.
func TestWidths(t *testing.T) {
	p := newPage()
	g := New(p)
	w := view.Window{Columns: []view.Column{{Name: "Name"}, {Name: "Node"}}, Total: 1, Rows: []view.Row{{Key: "a", Cells: []string{"short", "n1"}}}}
	g.Show(w, Objects{}, Sort{}, Marks{}, Room{})
	narrow := p.columns[1].Width
	w.Rows = []view.Row{{Key: "a", Cells: []string{"short", "a-much-longer-node-name"}}}
	g.Show(w, Objects{}, Sort{}, Marks{}, Room{})
	if p.columns[1].Width <= narrow {
		t.Fatal("it did not grow")
	}
	grown := p.columns[1].Width
	w.Rows = []view.Row{{Key: "a", Cells: []string{"short", "n1"}}}
	g.Show(w, Objects{}, Sort{}, Marks{}, Room{})
	if p.columns[1].Width != grown {
		t.Fatal("it shrank")
	}
	w.Rows = []view.Row{{Key: "b", Cells: []string{strings.Repeat("n", 300), strings.Repeat("m", 300)}}}
	g.Show(w, Objects{}, Sort{}, Marks{}, Room{})
	for i, c := range p.rows[0].cells {
		if utf8.RuneCountInString(seen(c.Text)) != p.columns[i].most() || len(c.Title) != 300 {
			t.Errorf("column %d: %d characters, title %d", i, utf8.RuneCountInString(seen(c.Text)), len(c.Title))
		}
	}
	for _, width := range []int{0, 360} { // (18)
		g.Show(view.Window{Columns: []view.Column{{Name: "label." + strings.Repeat("n", 300)}}}, Objects{}, Sort{Column: "label." + strings.Repeat("n", 300)}, Marks{}, Room{Width: width})
		if p.columns[0].Width > widest {
			t.Errorf("a column is as wide as its name: %d", p.columns[0].Width)
		}
	}
}

// TestMessageWidth checks that a message takes all of the remaining width, even beside a name.
func TestMessageWidth(t *testing.T) {
	for columns, want := range map[string]string{"Name": "minmax(9ch,72ch)", "Name Message": "minmax(9ch,9ch) minmax(9ch,1fr)", "Type Message": "9ch minmax(9ch,1fr)"} {
		var all []Column
		for name := range strings.FieldsSeq(columns) {
			all = append(all, Column{Name: name, Width: 9, Wide: name != "Type"})
		}
		s := new(script)
		s.Widths(all)
		if got := strings.Split(s.take(), betweenArgs)[1]; got != want {
			t.Errorf("%s: %s, want %s", columns, got, want)
		}
	}
}

// TestNotedHead checks that a heading says why its column is empty, from when that is known.
func TestNotedHead(t *testing.T) {
	s := new(script)
	g := New(s)
	columns := []view.Column{{Name: "Name", Kind: uint8(object.NameCell)}, {Name: "Pods"}}
	for _, note := range []string{"", "No permission."} {
		g.Show(view.Window{Columns: columns, Total: 9}, Objects{}, Sort{}, Marks{}, Room{Notes: map[string]string{"Pods": note}})
		want := map[string]string{"": "cell|2|none|PODS|Sort by Pods", "No permission.": "cell noted|2|none|PODS|No permission. Sort by Pods"}[note]
		if got := s.take(); !strings.Contains(got, strings.ReplaceAll("Pods|"+want, "|", betweenParts)) {
			t.Errorf("%q: %q", note, got)
		}
	}
}

// TestNoRoom checks that the head names the columns that do not fit, but not those that nobody asked
// for, and not the namespace, which is beside the name.
func TestNoRoom(t *testing.T) {
	s := new(script)
	g := New(s)
	columns := []view.Column{{Name: view.NamespaceColumn}, {Name: "Name", Kind: uint8(object.NameCell)}, {Name: "Status"}, {Name: "Node"}, {Name: "{.spec.host}"}, {Name: "Wide", Priority: 1}}
	row := view.Row{Key: "a/b", UID: "u", Cells: []string{"team-checkout", strings.Repeat("n", 40), "Running", "ip-10-0-3-7.example", "a", "b"}}
	for _, c := range []struct {
		width int
		want  string
	}{{400, "NAME|No room for Node, host. Sort by Name|+2"}, {2000, "NAME|Sort by Name"}} {
		g.Show(view.Window{Columns: columns, Total: 1, Rows: []view.Row{row}}, Objects{}, Sort{}, Marks{}, Room{Width: c.width, Font: Font{Digit: 8, Mono: 8}, Extra: true})
		steps := s.take()
		if want := strings.ReplaceAll(c.want, "|", betweenParts) + betweenArgs; !strings.Contains(steps, want) {
			t.Errorf("%d: no %q in %q", c.width, want, steps)
		}
	}
}

// TestNoRoomForName checks that a list without names, as Events, has the number of the columns that do not fit in the
// head of the message, where there is room for it.
func TestNoRoomForName(t *testing.T) {
	s := new(script)
	columns := []view.Column{{Name: "Last Seen", Kind: uint8(object.AgeCell)}, {Name: "Reason"}, {Name: "Object"}, {Name: "Message"}}
	row := view.Row{Key: "a/b", UID: "u", Cells: []string{"5s", "FailedScheduling", "pod/" + strings.Repeat("n", 40), strings.Repeat("no node fits ", 20)}}
	New(s).Show(view.Window{Columns: columns, Total: 1, Rows: []view.Row{row}}, Objects{}, Sort{}, Marks{}, Room{Width: 390, Font: Font{Digit: 8, Mono: 8}})
	if got := s.take(); !strings.Contains(got, strings.ReplaceAll("MESSAGE|No room for Reason, Object. Sort by Message|+2", "|", betweenParts)) {
		t.Errorf("%q", got)
	}
}

// TestScript checks the steps for a small window, as paint.js reads them.
func TestScript(t *testing.T) {
	s := new(script)
	g := New(s)
	columns := []view.Column{{Name: "Name", Kind: uint8(object.NameCell)}, {Name: "Status"}}
	of := Objects{Address: func(key string) string { return "/pods?sel=" + key }}
	g.Show(view.Window{Columns: columns, Total: 9, Offset: 3, Rows: []view.Row{
		{Key: "a/b\x1f", UID: "u", Cells: []string{"b", "Error"}},
	}}, of, Sort{Column: "Status", Descending: true}, Marks{Active: "a/b\x1f"}, Room{})
	got := strings.NewReplacer(betweenSteps, "\n", betweenArgs, "|", betweenParts, ":").Replace(s.take())
	want := strings.Join([]string{
		"columns|Name:cell mono:1:y|Status:cell:2:", "head|Drag to resize, double-click to reset|2|Name:cell mono:1:none:NAME:Sort by Name|Status:cell:2:descending:STATUS:Sort by Status", "widths|minmax(6ch,72ch) 8ch|calc(14ch + 42px)", "length|9",
		"place|0|3|a/b|u", "link|0|/pods?sel=a/b", "cell|0|0|b||||", "cell|0|1|Error||failed||", "mark|0|y|",
	}, "\n")
	if got != want {
		t.Errorf("want\n%s\ngot\n%s", want, got)
	}
	g.Show(view.Window{Columns: columns, Total: 9, Offset: 3, Rows: []view.Row{{Key: "a/b\x1f", UID: "u", Cells: []string{"b", "Ready"}}}}, of, Sort{Column: "Status", Descending: true}, Marks{Active: "a/b\x1f"}, Room{})
	if got := strings.NewReplacer(betweenSteps, "\n", betweenArgs, "|").Replace(s.take()); got != "cell|0|1|Ready||ok|900|" {
		t.Errorf("got %q", got)
	}
	g.Show(view.Window{Columns: columns, Total: 0}, of, Sort{Column: "Status", Descending: true}, Marks{}, Room{})
	if got := strings.NewReplacer(betweenSteps, "\n", betweenArgs, "|").Replace(s.take()); got != "length|0\nhide|0" {
		t.Errorf("got %q", got)
	}
	g.Busy(true)
	g.Busy(true)
	g.Busy(false)
	if got := strings.NewReplacer(betweenSteps, "\n", betweenArgs, "|").Replace(s.take()); got != "busy|true\nbusy|false" {
		t.Errorf("got %q", got)
	}
}

// TestBar checks the bars of amounts, and that a painter is told that one has gone.
func TestBar(t *testing.T) {
	for text, want := range map[string]string{"1250m (31%)": "31%", "120%": "120%", "38/110": "34%", "38": "", "…": "", "": "", "1/0": "", "2Gi": ""} {
		if got := bar(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	s := new(script)
	g := New(s)
	for _, c := range []struct{ text, want string }{{"1 (25%)", "cell|0|0|1 (25%)||||" + "|25%"}, {"…", "cell|0|0|…|||900|"}} {
		g.Show(view.Window{Columns: []view.Column{{Name: "CPU Requests", Kind: uint8(object.AmountCell)}}, Total: 1, Rows: []view.Row{{Key: "a", Cells: []string{c.text}}}}, Objects{}, Sort{}, Marks{}, Room{})
		if got := strings.NewReplacer(betweenSteps, "\n", betweenArgs, "|").Replace(s.take()); !strings.Contains(got+"\n", c.want+"\n") {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestCut(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{
		{"short", 10, "short"}, {"abcdefghij", 5, "ab…ij"}, {"abcdefghij", 6, "ab…hij"}, {"ééééé", 5, "ééééé"}, {"éééééééé", 5, "éé…éé"}, {"abc", 2, "abc"},
	} {
		if got := Cut(c.text, c.most); got != c.want {
			t.Errorf("%q to %d: want %q, got %q", c.text, c.most, c.want, got)
		}
	}
}

func TestGeometry(t *testing.T) {
	g := Geometry{RowHeight: 28, Height: 560, Scroll: 2800}
	if offset, limit := g.Window(); offset != 100-overscan || offset+limit != 120+overscan {
		t.Error(offset, limit)
	}
	if g.Page() != 20 {
		t.Error(g.Page())
	}
	for index, want := range map[int]int{100: 2800, 119: 2800, 99: 99 * 28, 120: 121*28 - 560, 0: 0} {
		if got := g.Reveal(index); got != want {
			t.Errorf("reveal %d: want %d, got %d", index, want, got)
		}
	}
	for index, want := range map[int]int{100: 2800, 119: 2800, 99: 99*28 - 266, 120: 120*28 - 266, 0: 0, 5: 0, 199: 200*28 - 560} {
		if got := g.Centre(index, 200); got != want {
			t.Errorf("centre %d: want %d, got %d", index, want, got)
		}
	}
	if offset, limit := (Geometry{}).Window(); offset != 0 || limit != 0 {
		t.Error("an empty box shows something")
	}
}

// TestLinks checks that a row links to its object. The address is computed once per row, and again
// when the row shows another object or the addresses change.
func TestLinks(t *testing.T) {
	p, made := newPage(), 0
	g := New(p)
	show := func(of string, offset int, keys ...string) int {
		before := made
		w := view.Window{Columns: []view.Column{{Name: "Status"}, {Name: "Title", Kind: uint8(object.NameCell)}}, Total: 9, Offset: offset}
		for _, k := range keys {
			w.Rows = append(w.Rows, view.Row{Key: k, UID: k, Cells: []string{"Running", k}})
		}
		g.Show(w, Objects{View: of, Address: func(key string) string { made++; return of + "?sel=" + key }}, Sort{}, Marks{}, Room{})
		for _, r := range p.rows {
			if want := of + "?sel=" + r.key; !r.hidden && r.link != want {
				t.Errorf("%s leads to %s, want %s", r.key, r.link, want)
			}
		}
		return made - before
	}
	for _, c := range []struct {
		view   string
		offset int
		keys   []string
		want   int
	}{
		{"/pods", 0, []string{"a", "b", "c"}, 3}, {"/pods", 0, []string{"a", "b", "c"}, 0}, {"/pods", 1, []string{"b", "c", "d"}, 1},
		{"/pods", 1, []string{"c", "b", "d"}, 2}, {"/services", 1, []string{"c", "b", "d"}, 3}, {"/services", 1, []string{"c"}, 0}, {"/services", 1, []string{"c", "b"}, 1},
	} {
		if got := show(c.view, c.offset, c.keys...); got != c.want {
			t.Errorf("%s from %d, %q: %d addresses, want %d", c.view, c.offset, c.keys, got, c.want)
		}
	}
	g = New(p)
	g.Show(view.Window{Columns: []view.Column{{Name: "Status"}}, Rows: []view.Row{{Key: "a", Cells: []string{"Running"}}}}, Objects{Address: func(string) string { t.Error("no column leads anywhere"); return "" }}, Sort{}, Marks{}, Room{})
}

// TestInstants checks that an age has its exact time as a title, even if only the time changes and
// not the age, and that other cells have none.
func TestInstants(t *testing.T) {
	p := newPage()
	g := New(p)
	age := uint8(object.AgeCell)
	columns := []view.Column{{Name: "Name"}, {Name: "Last Seen", Kind: age}, {Name: "Duration", Kind: uint8(object.SpanCell)}, {Name: "Age", Kind: age}}
	show := func(instants ...int64) (titles []string) {
		g.Show(view.Window{Columns: columns, Total: 1, Rows: []view.Row{{Key: "a", UID: "u", Cells: []string{"a", "5m", "1h", "2d"}, Instants: instants}}}, Objects{}, Sort{}, Marks{}, Room{})
		for i := range columns {
			titles = append(titles, p.rows[0].cells[i].Title)
		}
		return titles
	}
	at := time.Date(2026, 11, 23, 8, 0, 0, 0, time.Local)
	for _, c := range []struct {
		instants []int64
		seen     string
		age      string
	}{
		{[]int64{at.Unix(), 0}, at.Format(time.RFC3339), ""},
		{[]int64{at.Unix() + 1, at.Unix()}, at.Add(time.Second).Format(time.RFC3339), at.Format(time.RFC3339)},
		{nil, "", ""},
	} {
		if got := show(c.instants...); !slices.Equal(got, []string{"", c.seen, "", c.age}) {
			t.Errorf("%v: %q", c.instants, got)
		}
	}
}
