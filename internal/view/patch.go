package view

import (
	"slices"
	"strings"

	"watchglass/internal/object"
	"watchglass/internal/query"
)

// NamespaceColumn is the name of the column before all others, which the
// apiserver's Table does not have.
const NamespaceColumn = "Namespace"

// Column of the window.
type Column struct {
	Name     string
	Kind     uint8 // an object.CellKind
	Priority int
}

// Compares is how a filter compares what stands in the column.
func (c Column) Compares() query.Kind { return compares(c.Name, object.CellKind(c.Kind)) }

// Aged reports that the column tells how long ago something was.
func (c Column) Aged() bool { return object.CellKind(c.Kind) == object.AgeCell }

// Chosen reports that the column shows only because the user asked for it: -o wide, a label, an
// annotation or a path.
func (c Column) Chosen() bool { return c.Priority > 0 || query.Added(c.Name) }

// Heading is what stands above the column. One that was added is named by the end
// of what it holds, as kubectl -L has it.
func (c Column) Heading() string {
	switch {
	case strings.HasPrefix(c.Name, "{"):
		if path, err := query.ParsePath(c.Name); err == nil && path.Last() != "" {
			return path.Last()
		}
	case query.Added(c.Name):
		_, key, _ := strings.Cut(c.Name, ".")
		return key[strings.LastIndexByte(key, '/')+1:]
	}
	return c.Name
}

// Row of the window: what a person sees of an object.
type Row struct {
	Key   string
	UID   string
	Cells []string
	// Instants are those that the cells of aged columns are printed from, in the order of
	// these columns, in Unix seconds; 0 if the instant is not known exactly.
	Instants []int64
}

// FacetValue is a value and how many objects a choice of it would leave.
type FacetValue struct {
	Value string
	Count int
}

// Facet is something that objects have few values of, and can be chosen by.
type Facet struct {
	Name   string
	Values []FacetValue
	More   int // how many values there are besides
}

// Patch turns the window that the page has into the one it should have.
type Patch struct {
	Seq     uint32
	Columns []Column // if they changed
	Known   []Column // with Columns: all that there are, in the server's order
	Total   int      // objects that match
	Of      int      // objects there are
	Offset  int      // of the window's first row
	// Order has, for each row of the new window, its place in the old one; or
	// -1: it is the next of Rows.
	Order []int
	Rows  []Row
	// Above is by how many rows the anchor moved down, if it had to.
	Above  int
	Facets []Facet // if they changed
	// Waiting is how many objects have changed since the view was paused.
	Waiting int
	// Located is the index of the row that Query.Locate names among those that match,
	// or Hidden, or Absent.
	Located int
	// Held says that the last part of the filter, which is still typed, is left out.
	Held bool
	// Problem is what is wrong with the query. What was in force before it stays.
	Problem Problem
}

// What Located says of a row without an index: the query leaves it out, or no object
// has its key.
const (
	Hidden = -1
	Absent = -2
)

// Problem is what is not understood of a query: nothing, if its Text is empty.
type Problem struct {
	Part     Part
	Text     string
	From, To int // where it is in a filter, in bytes
	// Incomplete says that the filter is right as far as it goes: who still types need not
	// be told.
	Incomplete bool
}

// Part is a part of a query.
type Part uint8

// The parts of a query that may be wrong.
const (
	PartFilter Part = iota
	PartLabels
	PartSort
	PartColumns
)

// Window is what the page shows. It is the state to which patches are applied.
type Window struct {
	Columns []Column
	Known   []Column // all that there are, shown or not
	Total   int
	Of      int
	Offset  int
	Rows    []Row
	Facets  []Facet
	Waiting int
	Located int
	Held    bool
	Problem Problem
}

// Apply returns the window after a patch. Rows that stay are the same rows.
func (w Window) Apply(p Patch) Window {
	w.Total, w.Of, w.Offset, w.Waiting, w.Located, w.Held, w.Problem = p.Total, p.Of, p.Offset, p.Waiting, p.Located, p.Held, p.Problem
	if p.Columns != nil {
		w.Columns, w.Known = p.Columns, p.Known
	}
	if p.Facets != nil {
		w.Facets = p.Facets
	}
	rows, fresh := make([]Row, 0, len(p.Order)), p.Rows
	for _, at := range p.Order {
		if at >= 0 && at < len(w.Rows) {
			rows = append(rows, w.Rows[at])
		} else if len(fresh) > 0 {
			rows, fresh = append(rows, fresh[0]), fresh[1:]
		}
	}
	w.Rows = rows
	return w
}

// empty reports that a patch changes nothing.
func (p Patch) empty(w Window) bool {
	if p.Columns != nil || p.Facets != nil || len(p.Rows) > 0 || p.Above != 0 {
		return false
	}
	if p.Total != w.Total || p.Of != w.Of || p.Offset != w.Offset || p.Waiting != w.Waiting || p.Located != w.Located || p.Held != w.Held || p.Problem != w.Problem || len(p.Order) != len(w.Rows) {
		return false
	}
	return slices.IsSorted(p.Order) && (len(p.Order) == 0 || p.Order[0] == 0)
}
