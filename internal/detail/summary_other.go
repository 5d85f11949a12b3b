package detail

import (
	"strconv"

	"watchglass/internal/document"
)

// other writes the summary of a kind without a sheet: its list's columns, its conditions, and
// its scalars as a tree.
func (w *writer) other() {
	w.run("Resource version: {metadata.resourceVersion}\nGeneration: {metadata.generation}", w.root)
	w.printed()
	w.section("Status")
	w.run(conditions, w.root)
	for _, key := range w.root.Keys() {
		switch key {
		case "apiVersion", "kind", "metadata":
			continue
		}
		v := w.root.At(key)
		if key == "status" {
			v = withoutKey(v, "conditions")
		}
		if v.Len() == 0 && v.Text() == "" {
			continue
		}
		w.section(key)
		if v.Len() == 0 {
			w.row(key, w.plain(v, "")...)
			continue
		}
		w.tree(v, 0)
		s := w.last()
		s.Folded = len(s.Rows) > 60
	}
}

// printed writes the object's cells from its list.
func (w *writer) printed() {
	w.section("Columns")
	for _, c := range w.more.Cells {
		w.row(c.Name, one(Span{Text: c.Text, At: c.At})...)
	}
}

// mostDeep is how many levels of a tree are shown. Deeper indentation is no longer readable;
// Istio's and Crossplane's kinds go to about fifteen.
const mostDeep = 24

// tree writes the scalars of a value, each under the names that lead to it.
func (w *writer) tree(v document.Value, depth int) {
	for i, e := range v.List() {
		if e.Len() == 0 {
			w.leaf("", e, depth)
			continue
		}
		w.branch("["+strconv.Itoa(i)+"]", e, depth)
	}
	for _, key := range v.Keys() {
		e := v.At(key)
		if e.Len() == 0 {
			w.leaf(key, e, depth)
			continue
		}
		if scalars(e) {
			w.rowAt(key, depth, w.plain(e, "")...)
			continue
		}
		w.branch(key, e, depth)
	}
}

// scalars reports whether a value is a non-empty list of scalars.
func scalars(v document.Value) bool {
	for _, e := range v.List() {
		if e.Len() > 0 {
			return false
		}
	}
	return len(v.List()) > 0
}

func (w *writer) leaf(name string, v document.Value, depth int) {
	if text := v.Text(); text != "" {
		w.rowAt(name, depth, Line{}.text(text))
	}
}

// branch writes a name and the tree below it. If that is too deep, it writes the number of
// scalars instead.
func (w *writer) branch(name string, v document.Value, depth int) {
	row := w.rowAt(name, depth)
	if depth < mostDeep {
		w.tree(v, depth+1)
	} else if row != nil {
		row.More = scalarsIn(v)
	}
}

// scalarsIn counts the scalars of a value that a tree would show.
func scalarsIn(v document.Value) (n int) {
	if v.Text() != "" {
		return 1
	}
	for _, e := range v.List() {
		n += scalarsIn(e)
	}
	for _, key := range v.Keys() {
		n += scalarsIn(v.At(key))
	}
	return n
}

// rowAt adds a row, which may be a heading without lines. It returns nil if there is no room.
func (w *writer) rowAt(name string, depth int, lines ...Line) *Row {
	s := w.last()
	if len(s.Rows) >= mostRows {
		s.More++
		return nil
	}
	s.Rows = append(s.Rows, Row{Name: name, Lines: filled(lines), Indent: depth})
	return &s.Rows[len(s.Rows)-1]
}
