package view

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/query"
)

// window returns the patch from the window sent last to the one that the query asks for.
func (v *View) window(now time.Time) Patch {
	rows := v.matched().list
	p := Patch{Seq: v.query.Seq, Total: len(rows), Of: len(v.byKey.list), Problem: v.problem}
	p.Held, p.Gaps = v.held, v.missing()
	if v.query.Paused {
		p.Waiting = len(v.pending)
	}
	if columns := v.shown(); !slices.Equal(columns, v.sent.Columns) {
		p.Columns, p.Known = columns, v.known()
		v.sent.Rows, v.objects = nil, nil // their cells belong to other columns
	}
	p.Offset, p.Above = v.offset()
	if v.query.Locate != "" {
		p.Located = v.locate(v.query.Locate)
	}
	window := rows[p.Offset:min(p.Offset+max(v.query.Limit, 0), len(rows))]
	places := make(map[string]int, len(v.sent.Rows))
	for i, row := range v.sent.Rows {
		places[row.Key] = i
	}
	p.Order = make([]int, len(window))
	for i, o := range window {
		o.Show()
		at, had := places[o.Key()]
		if had {
			if row := v.sent.Rows[at]; v.objects[at] == o && !v.ticked(o, row, now) {
				p.Order[i] = at
				continue
			} else if row := v.print(o, now); row.equal(v.sent.Rows[at]) {
				p.Order[i] = at
				continue
			}
		}
		p.Order[i] = -1
		p.Rows = append(p.Rows, v.print(o, now))
	}
	v.objects = slices.Clone(window)
	if v.answered {
		v.facets.work(countAtOnce)
	} else {
		v.facets.work(countBeside)
	}
	p.Facets = v.facets.take(now, !v.answered, v.chosen())
	return p
}

// offset returns where the window begins. It is the query's offset, shifted so that the
// anchor row keeps its place in the window; above is the size of the shift in rows.
func (v *View) offset() (offset, above int) {
	offset = v.query.Offset
	if v.query.Anchor != "" {
		if v.answered {
			offset = v.sent.Offset // the window may have moved since the query
		}
		was := slices.IndexFunc(v.sent.Rows, func(r Row) bool { return r.Key == v.query.Anchor })
		if was >= 0 && was < len(v.objects) {
			if is := v.find(v.objects[was]); is >= 0 {
				above = is - (v.sent.Offset + was)
			}
		}
	}
	return min(max(offset+above, 0), len(v.matched().list)), above
}

// find returns the row index of an object, or of the current version of it; -1 if it does not
// match.
func (v *View) find(o *object.Object) int {
	rows := v.matched()
	if i, found := rows.index(o); found {
		return i
	}
	return slices.IndexFunc(rows.list, func(r *object.Object) bool { return r.Key() == o.Key() })
}

// locate returns the row index of a key. It returns Hidden if the object does not match, and
// Absent if there is none.
func (v *View) locate(key string) int {
	namespace, name, ok := strings.Cut(key, "/")
	if !ok {
		namespace, name = "", key
	}
	at, found := slices.BinarySearchFunc(v.byKey.list, key, func(o *object.Object, _ string) int {
		return cmp.Or(strings.Compare(o.Namespace(), namespace), strings.Compare(o.Name(), name))
	})
	if !found && (!strings.HasSuffix(name, ":") || at == len(v.byKey.list) || v.byKey.list[at].Namespace() != namespace || !strings.HasPrefix(v.byKey.list[at].Name(), name)) {
		return Absent
	}
	if at, found = v.matched().index(v.byKey.list[at]); !found {
		return Hidden
	}
	return at
}

// namespaceAt stands for the namespace column among column indexes.
const namespaceAt = -1

// shown returns the indexes of the columns that a query shows. It returns an error text if a
// name is neither a column nor a valid label, annotation or path. Valid ones may still be
// added.
func (s Shape) shown(q Query) (places []int, missing string) {
	names := q.Columns
	if len(names) == 0 {
		names = []string{AllColumns}
	}
	add := func(i int) {
		if !slices.Contains(places, i) {
			places = append(places, i)
		}
	}
	for _, name := range names {
		i := slices.IndexFunc(s.Columns, func(c object.Column) bool { return c.Name == name })
		switch {
		case name == AllColumns:
			s.usual(q, add)
		case name == NamespaceColumn:
			if s.Namespaced {
				add(namespaceAt)
			}
		case i >= 0:
			add(i)
		default:
			if _, err := object.ParseExtra(name); err != nil {
				missing = err.Error()
			}
		}
	}
	if len(places) == 0 {
		s.usual(q, add)
	}
	return places, missing
}

// usual adds the indexes of the columns that kubectl shows, and of the derived ones.
func (s Shape) usual(q Query, add func(int)) {
	if s.Namespaced {
		add(namespaceAt)
	}
	for i, c := range s.Columns {
		wide := q.Wide
		if c.Derived() {
			wide = q.Extra
		}
		if (c.Priority == 0 || wide && c.Priority > 0) && !query.Added(c.Name) {
			add(i)
		}
	}
}

// shown returns the columns of the window.
func (v *View) shown() []Column {
	var out []Column
	for _, i := range v.shows {
		if i == namespaceAt {
			out = append(out, Column{Name: NamespaceColumn})
			continue
		}
		c := v.shape.Columns[i]
		out = append(out, v.column(c))
	}
	return out
}

// column returns a column of the window.
func (v *View) column(c object.Column) Column {
	out := Column{Name: c.Name, Kind: uint8(c.Kind), Priority: c.Priority}
	if c.Derived() {
		out.Gap = v.gaps[c.DerivedNumber()]
	}
	return out
}

// known returns all columns, visible or not.
func (v *View) known() []Column {
	var out []Column
	if v.shape.Namespaced {
		out = append(out, Column{Name: NamespaceColumn})
	}
	for _, c := range v.shape.Columns {
		out = append(out, v.column(c))
	}
	return out
}

func (v *View) print(o *object.Object, now time.Time) Row {
	row := Row{Key: o.Key(), UID: o.UID(), Health: string(o.Health()), Cells: make([]string, len(v.shows))}
	var text []byte
	for at, i := range v.shows {
		if i == namespaceAt {
			row.Cells[at] = o.Namespace()
			continue
		}
		cell := o.Cell(v.shape.Columns, i)
		text = cell.Append(text[:0], now)
		row.Cells[at] = string(text)
		if v.shape.Columns[i].Kind == object.AgeCell {
			if cell.Approximate() {
				cell.At = 0
			}
			row.Instants = append(row.Instants, cell.At)
		}
	}
	return row
}

// equal reports whether two rows with the same key look the same.
func (r Row) equal(o Row) bool {
	return r.UID == o.UID && r.Health == o.Health && slices.Equal(r.Cells, o.Cells) && slices.Equal(r.Instants, o.Instants)
}

// ticked reports whether the object's cells changed because time has passed.
func (v *View) ticked(o *object.Object, row Row, now time.Time) bool {
	var text []byte
	for at, i := range v.shows {
		if i != namespaceAt && v.shape.Columns[i].Kind.Ticks() {
			if text = o.Cell(v.shape.Columns, i).Append(text[:0], now); string(text) != row.Cells[at] {
				return true
			}
		}
	}
	return false
}

// chosen returns, for each facet, the values that the query includes or excludes.
func (v *View) chosen() [][]string {
	chosen := make([][]string, len(v.facets.all))
	for i, f := range v.facets.all {
		included, excluded := v.filter.text.Facet(f.field)
		chosen[i] = slices.Concat(included, excluded)
		if f.name == NamespaceColumn {
			chosen[i] = append(chosen[i], v.query.Namespaces...)
		}
	}
	return chosen
}

// Generation returns the generation of the rows. Parts of a list fetched one after the other
// fit together if the view is paused and they have the same generation.
func (v *View) Generation() uint64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.generation
}

// Rows returns part of the matching rows, in the query's order, as printed now.
func (v *View) Rows(offset, limit int, now time.Time) (total int, columns []Column, rows []Row) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.shape.Columns == nil {
		return 0, nil, nil
	}
	v.settle(now)
	list := v.matched().list
	offset = min(max(offset, 0), len(list))
	for _, o := range list[offset : offset+min(max(limit, 0), len(list)-offset)] {
		rows = append(rows, v.print(o, now))
	}
	return len(list), v.shown(), rows
}

// Facets returns all facets, with all values and complete counts.
func (v *View) Facets(now time.Time) []Facet {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.shape.Columns == nil {
		return nil
	}
	v.settle(now)
	v.facets.work(len(v.facets.todo))
	return v.facets.list(v.chosen(), 0)
}
