package grid

import (
	"slices"
	"testing"

	"watchglass/internal/object"
	"watchglass/internal/view"
)

// groupWindow is a window of one group.
func groupWindow(cells ...string) view.Window {
	amount := uint8(object.AmountCell)
	return view.Window{
		Group: "Status", Total: 1, Rows: []view.Row{{Key: "/Running", Cells: cells}},
		Columns: []view.Column{{Name: "Status", Kind: uint8(object.NameCell)}, {Name: view.ObjectsColumn, Kind: amount}, {Name: view.UnhealthyColumn, Kind: amount}, {Name: "Ready", Kind: amount}, {Name: "Memory Requests", Kind: amount}},
	}
}

// TestGroupCells checks that sums are brief, with their full text as title; that a group's own tone is
// only that of its value; and that a sum that comes does not glow.
func TestGroupCells(t *testing.T) {
	p := newPage()
	g := New(p)
	show := func(cells ...string) map[int]Cell {
		g.Show(groupWindow(cells...), Objects{Kind: "Pod"}, Sort{}, Marks{}, Room{})
		return p.rows[0].cells
	}
	cells := show("Running", "2958", "18", "2900/2958", "…")
	for i, want := range []Cell{{Text: "Running", Tone: OK}, {Text: "2,958", Title: "2958"}, {Text: "18", Tone: Warning}, {Text: "2900/2958", Bar: "98%"}, {Text: "…"}} {
		if cells[i] != want {
			t.Errorf("cell %d is %+v, want %+v", i, cells[i], want)
		}
	}
	cells = show("Running", "2958", "0", "2900/2958", "133568Mi (9 of 10)")
	for i, want := range map[int]Cell{2: {Text: "0", Glow: true}, 4: {Text: "130Gi (9)", Title: "133568Mi (9 of 10)"}} {
		if cells[i] != want {
			t.Errorf("cell %d is %+v, want %+v", i, cells[i], want)
		}
	}
}

// TestGroupFits checks that a phone shows the value, the number of objects and how many are unhealthy.
func TestGroupFits(t *testing.T) {
	g := New(newPage())
	g.Show(groupWindow("ip-10-0-16-12.eu-west-1.compute.internal", "329", "7", "348/363", "133568Mi"), Objects{Kind: "Pod"}, Sort{Column: view.ObjectsColumn, Descending: true}, Marks{}, Room{Width: 390})
	var names []string
	for _, c := range g.shown {
		names = append(names, c.Name)
	}
	if want := []string{"Status", view.ObjectsColumn, view.UnhealthyColumn}; !slices.Equal(names, want) {
		t.Errorf("%q, want %q", names, want)
	}
}
