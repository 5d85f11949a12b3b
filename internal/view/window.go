package view

import (
	"math"
	"slices"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/query"
)

// window returns the patch from the window sent last to the one that the query asks for.
func (v *View) window(now time.Time) Patch {
	lines := v.lines()
	rows := lines.rows
	p := Patch{Seq: v.query.Seq, Total: rows.Len(), Of: v.byKey.Len(), Group: v.groups.name, Matched: v.matched().Len(), Problems: v.problems}
	p.Held, p.Gaps = v.held, v.missing()
	if v.query.Paused {
		p.Waiting = len(v.pending)
	}
	if columns := v.shown(lines); !slices.Equal(columns, v.sent.Columns) {
		p.Columns, p.Known = columns, v.known()
		v.sent.Rows, v.objects = nil, nil // their cells belong to other columns
	} else if !v.answered { // a column that is summed, but not shown, may have another gap
		if known := v.known(); !slices.Equal(known, v.sent.Known) {
			p.Columns, p.Known = columns, known
		}
	}
	p.Offset, p.Above = v.offset(lines)
	if v.query.Locate != "" {
		p.Located = lines.locate(v.query.Locate)
	}
	window := rows.Objects(p.Offset, v.query.Limit)
	places := make(map[string]int, len(v.sent.Rows))
	for i, row := range v.sent.Rows {
		places[row.Key] = i
	}
	p.Order = make([]int, len(window))
	for i, o := range window {
		o.Show()
		at, had := places[o.Key()]
		if had {
			if row := v.sent.Rows[at]; v.objects[at] == o && !lines.ticked(o, row, now) {
				p.Order[i] = at
				continue
			} else if row := lines.show(o, now); row.equal(v.sent.Rows[at]) {
				p.Order[i] = at
				continue
			}
		}
		p.Order[i] = -1
		p.Rows = append(p.Rows, lines.show(o, now))
	}
	v.objects = window
	if v.answered {
		v.facets.work(readAtOnce)
	} else {
		v.facets.work(readBeside)
	}
	return p
}

// offset returns where the window begins. It is the query's offset, shifted so that the
// anchor row keeps its place in the window; above is the size of the shift in rows.
func (v *View) offset(lines lines) (offset, above int) {
	offset = v.query.Offset
	if v.query.Anchor != "" {
		if v.answered {
			offset = v.sent.Offset // the window may have moved since the query
		}
		was := slices.IndexFunc(v.sent.Rows, func(r Row) bool { return r.Key == v.query.Anchor })
		if was >= 0 && was < len(v.objects) {
			if is := lines.find(v.objects[was]); is >= 0 {
				above = is - (v.sent.Offset + was)
			}
		}
	}
	return min(max(offset+above, 0), lines.rows.Len()), above
}

// namespaceAt stands for the namespace column among column indexes.
const namespaceAt = query.NamespaceCode

// shown returns the indexes of the columns that a query shows. It returns an error text for each
// name that is neither a column nor a valid label, annotation or path. Valid ones may still be
// added.
func (s Shape) shown(q Query) (places []int, missing []string) {
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
				missing = append(missing, err.Error())
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
func (v *View) shown(lines lines) []Column {
	var out []Column
	for _, i := range lines.shows {
		if i == namespaceAt {
			out = append(out, Column{Name: NamespaceColumn})
			continue
		}
		c := lines.columns[i]
		if v.groups.name != "" {
			out = append(out, v.column(c, v.groups.summed(i, v.shape.Columns)))
		} else {
			out = append(out, v.column(c, c))
		}
	}
	return out
}

// column returns a column of the window. Its gap is that of the column that its cells are of.
func (v *View) column(c, of object.Column) Column {
	out := Column{Name: c.Name, Kind: uint8(c.Kind), Priority: c.Priority, Sums: c.Unit() != object.NoUnit}
	if of.Derived() {
		out.Gap = v.gaps[of.DerivedNumber()]
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
		out = append(out, v.column(c, c))
	}
	return out
}

// equal reports whether two rows with the same key look the same.
func (r Row) equal(o Row) bool {
	return r.UID == o.UID && r.Health == o.Health && slices.Equal(r.Cells, o.Cells) && slices.Equal(r.Instants, o.Instants)
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
// fit together if they have the same generation, which it keeps while the view is paused.
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
	lines := v.lines()
	for _, o := range lines.rows.Objects(offset, limit) {
		rows = append(rows, lines.print(o, now, math.MaxInt))
	}
	return lines.rows.Len(), v.shown(lines), rows
}

// Facets returns all facets, with all values and complete counts.
func (v *View) Facets(now time.Time) []Facet {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.shape.Columns == nil {
		return nil
	}
	v.settle(now)
	v.facets.work(math.MaxInt)
	return v.facets.list(v.chosen(), 0)
}
