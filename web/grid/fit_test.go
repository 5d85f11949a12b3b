package grid

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"watchglass/internal/object"
	"watchglass/internal/view"
)

// ofKind returns columns from a list of names and widths in characters, each as wide as its cells
// need. Names link to objects; an added column has a "+" before its name.
func ofKind(text string) []Column {
	var all []Column
	for i, field := range strings.Fields(text) {
		name, width, _ := strings.Cut(field, ":")
		name, added := strings.CutPrefix(name, "+")
		n, _ := strconv.Atoi(width)
		all = append(all, Column{Name: name, At: i, Width: n, Added: added, Link: name == "Name", Mono: name == "Name", Wide: name == "Name" || name == "Message" || name == "Problem", Prefix: -1})
	}
	return all
}

// TestFit checks which columns are hidden in a narrow list, and how wide names stay.
func TestFit(t *testing.T) {
	const problems = "Namespace:12 Severity:9 Kind:12 Name:32 Reason:20 Problem:60 Count:7 Since:6"
	const pods, wide = "Namespace:12 Name:40 Ready:7 Status:20 Restarts:13 Age:6", " +IP:12 +Node:20"
	for _, c := range []struct {
		columns, sorted string
		width           int // in characters of 10 px, without the gaps of six columns
		want            string
	}{
		{pods, "", 0, "Namespace Name Ready Status Restarts Age"}, // unknown
		{pods, "", 98, "Namespace Name Ready Status Restarts Age"},
		{pods, "", 90, "Namespace Name=31 Ready Status Restarts Age"},
		{pods, "", 87, "Namespace Name=28 Ready Status Restarts Age"},
		{pods, "", 86, "Namespace/Name=40 Ready Status Restarts Age"},
		{pods, "", 75, "Namespace/Name=29 Ready Status Restarts Age"},
		{pods, "", 70, "Namespace/Name=32 Status Restarts Age"},
		{pods, "", 62, "Namespace/Name=32 Status Restarts"},
		{pods, "", 50, "Namespace/Name=34 Status"},
		{pods, "", 40, "Namespace/Name=24 Status"}, // nothing else can be hidden
		{pods, "", 5, "Namespace/Name=12 Status"},
		{pods, "Age", 40, "Namespace/Name=18 Status Age"},
		{pods, "Ready", 62, "Namespace/Name=30 Ready Status Age"},
		{pods, "Namespace", 50, "Namespace Name=21 Status"},
		{pods + wide, "", 82, "Namespace/Name=31 Status +IP +Node"},
		{pods + wide, "", 68, "Namespace/Name=31 Status Age +IP"},
		{pods + wide, "Restarts", 68, "Namespace/Name=30 Status Restarts Age"},
		{pods + " +label.app:10", "", 60, "Namespace/Name=33 Status +label.app"},
		{"Name:20 Status:10 Roles:20 Age:6 Version:9", "", 60, "Name Status Roles Age"},                               // a name needs no more
		{"Namespace:12 Name:30 Ready:9 Up-To-Date:12 Age:6", "", 50, "Namespace/Name=32 Ready Up-To-Date"},            // its state
		{"Namespace:10 Name:20 Type:10 Address:30 Ports:30 Age:6", "", 77, "Namespace/Name Type Address Age"},         // Age instead of Ports
		{"Namespace:12 Seen:11 Type:10 Reason:20 Object:30 Message:70", "", 90, "Namespace Seen Type Reason Message"}, // events have no name
		{problems, "", 180, "Namespace Severity Kind Name Reason Problem Count Since"},
		{problems, "", 130, "Namespace Severity Kind Name=30 Problem Since"}, // the words say the rest
		{problems, "", 100, "Severity Kind Namespace/Name=28 Problem Since"},
		{problems, "Reason", 140, "Namespace Severity Kind Name=28 Reason Problem Since"},
		{problems, "", 50, "Severity Namespace/Name=21 Problem Since"},
		{problems + " +label.app:10", "", 96, "Severity Namespace/Name=28 Problem Since +label.app"},
	} {
		columns := ofKind(c.columns)
		room := Room{Font: Font{Digit: 10}}
		if c.width > 0 {
			room.Width = c.width*10 + 7*columnGap
		}
		var got []string
		for _, shown := range fit(columns, c.sorted, room) {
			text := shown.Name
			if shown.Added {
				text = "+" + text
			}
			if shown.Prefix >= 0 {
				text = columns[shown.Prefix].Name + "/" + text
			}
			if shown.Cut > 0 {
				text += "=" + strconv.Itoa(shown.Cut)
			}
			got = append(got, text)
		}
		if text := strings.Join(got, " "); text != c.want {
			t.Errorf("%s, sorted by %q, in %d:\nwant %s\ngot  %s", c.columns, c.sorted, c.width, c.want, text)
		}
	}
}

// TestPrefix checks that a row's namespace precedes its name in a narrow list, and the positions of
// the other columns among all columns.
func TestPrefix(t *testing.T) {
	p := newPage()
	g := New(p)
	w := view.Window{Columns: []view.Column{{Name: "Namespace"}, {Name: "Name", Kind: uint8(object.NameCell)}, {Name: "Ready"}, {Name: "Status"}}, Total: 1}
	show := func(width int, namespace, name string) []Cell {
		t.Helper()
		w.Rows = []view.Row{{Key: namespace + "/" + name, UID: namespace, Cells: []string{namespace, name, "1/1", "Running"}}}
		g.Show(w, Objects{}, Sort{}, Marks{}, Room{Width: width, Font: Font{Digit: 10}})
		var out []Cell
		for i := range p.columns {
			out = append(out, p.rows[0].cells[i])
		}
		return out
	}
	all := show(900, "team-a", "web-1")
	if len(all) != 4 || all[1] != (Cell{Text: "web-1"}) || p.columns[3].At != 3 {
		t.Errorf("wide: %+v", all)
	}
	const narrow = 260
	if got := show(narrow, "team-a", "web-1"); len(got) != 2 || got[0] != (Cell{Prefix: "team-a/", Text: "web-1"}) || got[1].Text != "Running" || got[1].Tone != OK || p.columns[0].At != 1 || p.columns[1].At != 3 || p.all != 4 {
		t.Errorf("narrow: %+v of %+v", got, p.columns)
	}
	if got := show(narrow, "team-b", "web-1"); got[0].Prefix != "team-b/" {
		t.Errorf("the same name in another namespace: %+v", got)
	}
	if got := show(narrow, "a-team-with-a-long-name", "web-5d9c7b8f4-x2x1q"); got[0].Title != "a-team-with-a-long-name/web-5d9c7b8f4-x2x1q" || len(seen(got[0].Prefix)+seen(got[0].Text)) > p.columns[0].Cut+2*len("…") {
		t.Errorf("long: %+v in %d characters", got, p.columns[0].Cut)
	}
	if got := show(900, "team-a", "web-1"); len(got) != 4 || got[0].Text != "team-a" || got[1].Prefix != "" {
		t.Errorf("wide again: %+v", got)
	}
}

// TestGlyph checks that a narrow list of problems shows a severity as its glyph, with the word for
// assistive technology, and that other lists and groups keep the word.
func TestGlyph(t *testing.T) {
	p := newPage()
	g := New(p)
	w := view.Window{Columns: []view.Column{{Name: "Severity"}, {Name: "Name", Kind: uint8(object.NameCell)}, {Name: "Problem"}}, Total: 1,
		Rows: []view.Row{{Key: "a", UID: "a", Cells: []string{"Error", "web", "2 of 3 pods: OOMKilled"}}}}
	for _, c := range []struct {
		width, digits int
		group         string
		glyph         bool
	}{{leastForWords, 10, "", false}, {leastForWords - 1, glyph, "", true}, {leastForWords, 10, "", false}} {
		g.Show(w, Objects{}, Sort{}, Marks{}, Room{Width: c.width, Font: Font{Digit: 7.5}})
		column, cell := p.columns[0], p.rows[0].cells[0]
		if column.Glyph != c.glyph || column.Width != c.digits || cell.Text != "Error" || cell.Tone != Failed || (cell.Title == "Error") != c.glyph {
			t.Errorf("%d px: %+v, %+v", c.width, column, cell)
		}
	}
	if shown := fit(ofKind("Severity:10 Name:40"), "", Room{Width: 300, Font: Font{Digit: 7.5}}); shown[0].Glyph {
		t.Errorf("a list of other objects: %+v", shown[0])
	}
}

// seen returns what is seen of a text.
func seen(text string) string {
	for {
		head, rest, folded := strings.Cut(text, betweenParts)
		if !folded {
			return text
		}
		_, tail, _ := strings.Cut(rest, betweenParts)
		text = head + "…" + tail
	}
}

func TestCutBoth(t *testing.T) {
	for _, c := range []struct {
		namespace, name string
		most            int
		want            string
	}{
		{"", "abcdefghij", 5, "ab…ij"}, {"team-a/", "web", 10, "team-a/web"}, {"team-a/", "web-front-x2x1q", 30, "team-a/web-front-x2x1q"},
		{"checkout/", "web-5d9c7b8f4-x2x1q", 18, "ch…ut/web-5…-x2x1q"}, {"a-long-namespace/", "web", 12, "a-l…pace/web"}, {"ns/", "abcdefghijklmnop", 12, "ns/abcd…mnop"},
	} {
		namespace, name := cutBoth(c.namespace, c.name, c.most)
		if whole := strings.ReplaceAll(namespace+name, betweenParts, ""); whole != c.namespace+c.name {
			t.Errorf("%s%s: the page has %s", c.namespace, c.name, whole)
		}
		if namespace, name = seen(namespace), seen(name); namespace+name != c.want {
			t.Errorf("%s%s to %d: want %s, got %s%s", c.namespace, c.name, c.most, c.want, namespace, name)
		}
	}
}

// TestFont checks that a narrower font shows more characters of a name in the same space.
func TestFont(t *testing.T) {
	columns := ofKind("Name:60 Status:20")
	for _, c := range []struct {
		font      Font
		width     int // in pixels
		name, cut int
	}{
		{Font{Digit: 8, Mono: 8}, 482, 35, 34}, {Font{Digit: 8, Mono: 6}, 482, 35, 45}, {Font{Digit: 8, Mono: 6}, 962, 45, 0}, {Font{Digit: 8, Mono: 6}, 378, 22, 28}, {Font{}, 482, 35, 34},
	} {
		shown := fit(columns, "", Room{Width: c.width, Font: c.font})
		if len(shown) != 2 || shown[0].Width != c.name || shown[0].Cut != c.cut {
			t.Errorf("%+v: %+v", c, shown)
		}
	}
}

// ofCells returns the columns of a list with a row, as wide as its cells need.
func ofCells(extra bool, cells ...string) []Column {
	var w view.Window
	for _, c := range cells {
		name, text, _ := strings.Cut(c, "=")
		name, wide := strings.CutPrefix(name, "+")
		column := view.Column{Name: name}
		switch {
		case name == "Name":
			column.Kind = uint8(object.NameCell)
		case name == "Restarts" || name == "Age":
			column.Kind = uint8(object.AgeCell)
		}
		if wide {
			column.Priority = 1
		}
		w.Columns = append(w.Columns, column)
		if w.Rows == nil {
			w.Rows = make([]view.Row, 1)
		}
		w.Rows[0].Cells = append(w.Rows[0].Cells, text)
	}
	return layout(w, nil, Room{Extra: extra})
}

// TestSortedShows shows the column that a list on a phone is sorted by, beside a long status.
func TestSortedShows(t *testing.T) {
	room := Room{Width: 390, Font: Font{Digit: 7.5, Mono: 7.8}}
	for _, status := range []string{"Running", "Init:CreateContainerConfigError"} {
		for _, sorted := range []string{"Restarts", "Age", "Namespace", "Node"} {
			columns := ofCells(true, "Namespace=checkout-production", "Name=web-5d9c7b8f4-x2x1q-with-a-long-name", "Ready=1/1", "Status="+status, "Restarts=14 (3m ago)", "Age=3d", "+IP=10.0.0.1", "+Node=ip-10-0-3-7.eu-west-1.compute.internal")
			shown := fit(columns, sorted, room)
			if room.spare(shown, tiniestName) < 0 || !slices.ContainsFunc(shown, func(c Column) bool { return c.Name == sorted }) {
				t.Errorf("%s, sorted by %s: %+v", status, sorted, shown)
			}
			for _, c := range shown {
				if (c.Elided || c.Brief) != (c.Width < columns[c.At].Width) && !c.Wide {
					t.Errorf("%s, sorted by %s: %+v", status, sorted, c)
				}
			}
		}
	}
}

// TestBrief checks that a phone shows how often a container restarted, and when in the title, so
// that names stay readable.
func TestBrief(t *testing.T) {
	columns := ofCells(true, "Namespace=checkout", "Name=web-5d9c7b8f4-x2x1q-with-a-long-name", "Ready=1/1", "Status=CrashLoopBackOff", "Restarts=14 (3m ago)", "Age=3d")
	shown := fit(columns, "Restarts", Room{Width: 390, Font: Font{Digit: 7.5, Mono: 7.8}})
	name, restarts := shown[0], shown[len(shown)-1]
	for width, brief := range map[int]bool{leastForWords - 1: true, leastForWords: false} { // names are cut, and have their least
		for _, c := range fit(columns, "Restarts", Room{Width: width, Font: Font{Digit: 7.5, Mono: 7.8}}) {
			if c.Name == "Restarts" && c.Brief != brief {
				t.Errorf("%d px: %+v", width, c)
			}
		}
	}
	if got := restarts.cell("", "14 (3m ago)", Plain, 0, false); got.Text != "14" || got.Title != "14 (3m ago)" {
		t.Errorf("%+v", got)
	}
	if name.Cut < smallestName {
		t.Errorf("names have %d characters", name.Cut)
	}
}

// TestElided has the whole of a text in the title of a cell that may end before it.
func TestElided(t *testing.T) {
	c := Column{Name: "Status", Width: 12, Elided: true, Tone: true, Prefix: -1}
	if got := c.cell("", "CrashLoopBackOff", Failed, 0, false); got.Text != "CrashLoopBackOff" || got.Title != "CrashLoopBackOff" {
		t.Errorf("%+v", got)
	}
}

// TestSpread shows who gets what a wide screen leaves: texts that were cut, then texts that are
// not before a number.
func TestSpread(t *testing.T) {
	const node = "ip-10-0-3-7.eu-central-1.compute.internal.example.com"
	cells := []string{"Namespace=checkout", "Name=web-5d9c7b8f4-x2x1q", "Ready=1/1", "Status=Running", "Restarts=14 (3m ago)", "Age=3d", "+IP=10.0.0.1", "+Node=" + node, "+Nominated=<none>"}
	for width, want := range map[int]string{
		3400: "Namespace +20, Name +1, Ready +20, Status +0, Restarts +0, Age +0, IP +20, Node +37, Nominated +0",
		1700: "Namespace +3, Name +1, Ready +3, Status +0, Restarts +0, Age +0, IP +3, Node +20, Nominated +0",
		1400: "Namespace +0, Name +1, Ready +0, Status +0, Restarts +0, Age +0, IP +0, Node +0, Nominated +0",
		1280: "Namespace +0, Name +1, Ready +0, Status +0, Restarts +0, Age +0",
		960:  "Namespace +0, Name +1, Ready +0, Status +0, Restarts +0, Age +0",
	} {
		columns := ofCells(true, cells...)
		room := Room{Width: width, Font: Font{Digit: 7.5, Mono: 7.8}}
		var got []string
		all := 0
		for _, c := range fit(columns, "", room) {
			got = append(got, c.Name+" +"+strconv.Itoa(c.Width-columns[c.At].Width))
			all += c.Width
			if c.Name == "Node" && c.Width > columns[c.At].Width && Cut(node, c.most()) != node {
				t.Errorf("%d: the node is cut to %d", width, c.most())
			}
		}
		if text := strings.Join(got, ", "); text != want {
			t.Errorf("%d:\nwant %s\ngot  %s", width, want, text)
		}
		if float64(all)*7.5 > float64(width) {
			t.Errorf("%d: %d digits do not fit", width, all)
		}
	}
}

// TestExtra has wide columns that nobody asked for leave first.
func TestExtra(t *testing.T) {
	room := Room{Width: 90*10 + 7*columnGap, Font: Font{Digit: 10}}
	cells := []string{"Namespace=checkout-eu", "Name=web-5d9c7b8f4-x2x1q-0123456789", "Status=Running", "+Node=ip-10-0-3-7.internal"}
	has := func(columns []Column, name string) bool {
		return slices.ContainsFunc(columns, func(c Column) bool { return c.Name == name })
	}
	room.Width -= 300
	if shown := fit(ofCells(true, cells...), "", room); has(shown, "Node") || !has(shown, "Namespace") {
		t.Errorf("nobody asked: %+v", shown)
	}
	if shown := fit(ofCells(false, cells...), "", room); !has(shown, "Node") || has(shown, "Namespace") {
		t.Errorf("asked for: %+v", shown)
	}
}
