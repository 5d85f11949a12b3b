package view

import (
	"slices"
	"strings"

	"watchglass/internal/object"
	"watchglass/internal/query"
)

// NamespaceColumn is the name of the first column of namespaced kinds. The apiserver's Table
// does not have it.
const NamespaceColumn = "Namespace"

// Column is a column of the window.
type Column struct {
	Name     string
	Kind     uint8 // an object.CellKind
	Priority int
	Gap      Gap  // why its cells are empty or may be old, if it is derived
	Sums     bool // it can be summed
}

// Compares returns how a filter compares the column's values.
func (c Column) Compares() query.Kind { return compares(c.Name, object.CellKind(c.Kind)) }

// Aged reports whether the column shows the time since an instant.
func (c Column) Aged() bool { return object.CellKind(c.Kind) == object.AgeCell }

// Derived reports whether the column shows what does not come from the objects themselves.
func (c Column) Derived() bool { return object.CellKind(c.Kind) == object.AmountCell }

// Chosen reports whether the column shows only because the user asked for it: by -o wide, by
// its name, or by adding a label, an annotation or a path.
func (c Column) Chosen() bool { return c.Priority != 0 || query.Added(c.Name) }

// Heading returns the column's heading. For an added column, it is the last part of the label,
// annotation or path, as in kubectl -L.
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

// Row is a row of the window: an object as the user sees it.
type Row struct {
	Key   string
	UID   string
	Cells []string
	// Instants are the instants from which the cells of aged columns are printed, in Unix
	// seconds, one for each aged column in order; 0 if not known exactly.
	Instants []int64
	Health   string // the object's tone.Tone, where its cells need not show it
}

// FacetValue is a value and the number of objects that choosing it would leave.
type FacetValue struct {
	Value string
	Count int
	// Sum is the sum of Query.Sum of these objects, as its column prints it. If not all of them have
	// a value, it says how many do: "1500m (3 of 4)". It is empty if none has.
	Sum    string
	amount float64
}

// Facet is a property with few values by which objects can be filtered.
type Facet struct {
	Name   string
	Values []FacetValue
	More   int // number of values that are not listed
}

// Patch turns the window that the page has into the one it should have.
type Patch struct {
	Seq     uint32
	Columns []Column // if they changed
	Known   []Column // sent with Columns: all columns, in the server's order
	Total   int      // number of rows: of matching objects, or of groups of them
	Of      int      // number of all objects
	Group   string   // facet by which the rows are grouped; "": they are not
	Matched int      // number of matching objects
	Offset  int      // of the window's first row
	// Order has, for each row of the new window, its index in the old one, or -1 for the next
	// row of Rows.
	Order []int
	Rows  []Row
	// Above is the number of rows by which the anchor moved down in the list.
	Above  int
	Facets []Facet // if they changed
	// Waiting is the number of objects that have changed since the view was paused.
	Waiting int
	// Located is the index of Query.Locate's row among the matching rows, or Hidden, or
	// Absent.
	Located int
	// Held reports that the last part of the filter, which the user is still typing, is left
	// out.
	Held bool
	// Gaps are what the filter or the order rests on and that is not known: other objects may match.
	Gaps []Gap
	// Problems are the errors in the query. Each says what applies instead of its part.
	Problems Problems
}

// Values of Located for a row without an index: Hidden if the object does not match, Absent
// if no object has the key.
const (
	Hidden = -1
	Absent = -2
)

// Problems are the errors in a query, at most one for each part: an error in one part never hides that in another.
type Problems []Problem

// Of returns the error in a part; the zero value if there is none.
func (all Problems) Of(part Part) Problem {
	for _, p := range all {
		if p.Part == part {
			return p
		}
	}
	return Problem{}
}

// Problem is an error in a part of a query. An empty Text means there is none.
type Problem struct {
	Part     Part
	Text     string
	InForce  string // the filter, label selector or group that applies instead; "": none
	From, To int    // position in the filter, in bytes
	// Incomplete means that the filter is valid so far but unfinished. It need not be reported
	// while the user is still typing.
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
	PartGroup
	PartSum
)

// Window is what the page shows. It is the state to which patches are applied.
type Window struct {
	Columns  []Column
	Known    []Column // all columns, visible or not
	Total    int
	Of       int
	Group    string
	Matched  int
	Offset   int
	Rows     []Row
	Facets   []Facet
	Waiting  int
	Located  int
	Held     bool
	Gaps     []Gap
	Problems Problems
}

// Apply returns the window after a patch. Unchanged rows are reused.
func (w Window) Apply(p Patch) Window {
	w.Group, w.Matched, w.Gaps = p.Group, p.Matched, p.Gaps
	w.Total, w.Of, w.Offset, w.Waiting, w.Located, w.Held, w.Problems = p.Total, p.Of, p.Offset, p.Waiting, p.Located, p.Held, p.Problems
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

// empty reports whether a patch changes nothing.
func (p Patch) empty(w Window) bool {
	if p.Columns != nil || p.Facets != nil || len(p.Rows) > 0 || p.Above != 0 {
		return false
	}
	if p.Total != w.Total || p.Of != w.Of || p.Group != w.Group || p.Matched != w.Matched || p.Offset != w.Offset || p.Waiting != w.Waiting || p.Located != w.Located || p.Held != w.Held || !slices.Equal(p.Problems, w.Problems) || !slices.Equal(p.Gaps, w.Gaps) || len(p.Order) != len(w.Rows) {
		return false
	}
	return slices.IsSorted(p.Order) && (len(p.Order) == 0 || p.Order[0] == 0)
}
