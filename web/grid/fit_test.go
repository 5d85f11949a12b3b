package grid

import (
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
		all = append(all, Column{Name: name, At: i, Width: n, Added: added, Link: name == "Name", Mono: name == "Name", Wide: name == "Name" || name == "Message", Prefix: -1})
	}
	return all
}

// TestFit checks which columns are hidden in a narrow list, and how wide names stay.
func TestFit(t *testing.T) {
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
		{pods, "", 5, "Namespace/Name=18 Status"},
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
	if got := show(narrow, "a-team-with-a-long-name", "web-5d9c7b8f4-x2x1q"); got[0].Title != "a-team-with-a-long-name/web-5d9c7b8f4-x2x1q" || len(got[0].Prefix)+len(got[0].Text) > p.columns[0].Cut+2*len("…") {
		t.Errorf("long: %+v in %d characters", got, p.columns[0].Cut)
	}
	if got := show(900, "team-a", "web-1"); len(got) != 4 || got[0].Text != "team-a" || got[1].Prefix != "" {
		t.Errorf("wide again: %+v", got)
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
		if namespace+name != c.want {
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
