package view

import (
	"slices"
	"time"

	"watchglass/internal/object"
)

// window makes the patch to the window that the query asks for.
func (v *View) window(now time.Time) Patch {
	rows := v.matched().list
	p := Patch{Seq: v.query.Seq, Total: len(rows), Of: len(v.byKey.list), Problem: v.problem}
	if v.query.Paused {
		p.Waiting = len(v.pending)
	}
	if columns := v.shown(); !slices.Equal(columns, v.sent.Columns) {
		p.Columns = columns
		v.sent.Rows, v.objects = nil, nil // their cells are others
	}
	p.Offset, p.Above = v.offset()
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
			} else if row := v.print(o, now); slices.Equal(row.Cells, v.sent.Rows[at].Cells) && row.UID == v.sent.Rows[at].UID {
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

// offset is where the window begins: where it was asked to, but that an anchor
// keeps its place in it, and says by how much it moved.
func (v *View) offset() (offset, above int) {
	offset = v.query.Offset
	if v.query.Anchor != "" {
		if v.answered {
			offset = v.sent.Offset // where it has been moved to since it was asked
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

// find is the row of an object, or of what it has become; or -1.
func (v *View) find(o *object.Object) int {
	rows := v.matched()
	if i, found := rows.index(o); found {
		return i
	}
	return slices.IndexFunc(rows.list, func(r *object.Object) bool { return r.Key() == o.Key() })
}

// shown are the columns of the window.
func (v *View) shown() []Column {
	var out []Column
	if !v.plain {
		out = append(out, Column{Name: NamespaceColumn})
	}
	for _, c := range v.columns {
		if c.Priority == 0 || v.query.Wide {
			out = append(out, Column{c.Name, uint8(c.Kind), c.Priority})
		}
	}
	return out
}

func (v *View) print(o *object.Object, now time.Time) Row {
	row := Row{Key: o.Key(), UID: o.UID()}
	if !v.plain {
		row.Cells = append(row.Cells, o.Namespace())
	}
	var text []byte
	for i, c := range v.columns {
		if c.Priority == 0 || v.query.Wide {
			text = o.Cell(v.columns, i).Append(text[:0], now)
			row.Cells = append(row.Cells, string(text))
		}
	}
	return row
}

// ticked reports whether the object prints otherwise than it did, only because
// time has passed.
func (v *View) ticked(o *object.Object, row Row, now time.Time) bool {
	at := 0
	if !v.plain {
		at = 1
	}
	var text []byte
	for i, c := range v.columns {
		if c.Priority > 0 && !v.query.Wide {
			continue
		}
		if c.Kind.Ticks() {
			if text = o.Cell(v.columns, i).Append(text[:0], now); string(text) != row.Cells[at] {
				return true
			}
		}
		at++
	}
	return false
}

// chosen are, for each facet, the values that the query chooses or leaves out.
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

// Rows returns part of what matches, in its order, as it prints now.
func (v *View) Rows(offset, limit int, now time.Time) (total int, columns []Column, rows []Row) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.columns == nil {
		return 0, nil, nil
	}
	v.settle(now)
	list := v.matched().list
	offset = min(max(offset, 0), len(list))
	for _, o := range list[offset:min(offset+max(limit, 0), len(list))] {
		rows = append(rows, v.print(o, now))
	}
	return len(list), v.shown(), rows
}

// Facets are all facets, counted to the end.
func (v *View) Facets(now time.Time) []Facet {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.columns == nil {
		return nil
	}
	v.settle(now)
	v.facets.work(len(v.facets.todo))
	return v.facets.list(v.chosen(), 0)
}
