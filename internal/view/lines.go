package view

import (
	"slices"
	"strings"
	"time"

	"watchglass/internal/columns"
	"watchglass/internal/object"
)

// lines is what the rows of the window show: the matching objects or their groups, in the query's
// order.
type lines struct {
	columns []object.Column
	shows   []int         // indexes of the visible columns; may include namespaceAt
	byKey   *columns.List // all, by namespace and name
	rows    *columns.List // those that match, in the query's order
}

// lines returns the lines of the list.
func (v *View) lines() lines {
	if v.groups.name != "" {
		return v.groups.lines()
	}
	return lines{v.shape.Columns, v.shows, &v.byKey, v.matched()}
}

// find returns the row index of a line, or of the current version of it; -1 if it does not
// match.
func (l lines) find(o *object.Object) int {
	if i, found := l.rows.Index(o); found {
		return i
	}
	return slices.IndexFunc(l.rows.All(), func(slot uint32) bool { return l.rows.Table.At(slot).Key() == o.Key() })
}

// locate returns the row index of a key. It returns Hidden if the line does not match, and
// Absent if there is none.
func (l lines) locate(key string) int {
	n := nameIn(key)
	at, found := slices.BinarySearchFunc(l.byKey.Slots, n, func(slot uint32, n name) int { return nameOf(l.byKey.Table.At(slot)).compare(n) })
	if !found && (!strings.HasSuffix(n.name, ":") || at == l.byKey.Len() || l.byKey.At(at).Namespace() != n.namespace || !strings.HasPrefix(l.byKey.At(at).Name(), n.name)) {
		return Absent
	}
	if at, found = l.rows.Index(l.byKey.At(at)); !found {
		return Hidden
	}
	return at
}

// longestShown is the length in bytes of the longest text of a cell in the window: nobody reads more.
const longestShown = 1 << 10

// show returns the row of a line for the window, in which long texts are cut.
func (l lines) show(o *object.Object, now time.Time) Row { return l.print(o, now, longestShown) }

// print returns the row of a line, with at most so many bytes of each text, and … for the rest.
func (l lines) print(o *object.Object, now time.Time, most int) Row {
	row := Row{Key: o.Key(), UID: o.UID(), Health: string(o.Health()), Cells: make([]string, len(l.shows))}
	var text []byte
	for at, i := range l.shows {
		if i == namespaceAt {
			row.Cells[at] = o.Namespace()
			continue
		}
		cell := o.Cell(l.columns, i)
		if len(cell.Text) > most {
			cell.Text = strings.ToValidUTF8(cell.Text[:most], "") + "…"
		}
		text = cell.Append(text[:0], now)
		row.Cells[at] = string(text)
		if l.columns[i].Kind == object.AgeCell {
			if cell.Approximate() {
				cell.At = 0
			}
			row.Instants = append(row.Instants, cell.At)
		}
	}
	return row
}

// ticked reports whether a line's cells changed because time has passed.
func (l lines) ticked(o *object.Object, row Row, now time.Time) bool {
	var text []byte
	for at, i := range l.shows {
		if i != namespaceAt && l.columns[i].Kind.Ticks() {
			if text = o.Cell(l.columns, i).Append(text[:0], now); string(text) != row.Cells[at] {
				return true
			}
		}
	}
	return false
}
