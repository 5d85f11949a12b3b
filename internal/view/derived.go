package view

import (
	"maps"
	"slices"

	"watchglass/internal/object"
	"watchglass/internal/query"
)

// Joiner computes the cells of the derived columns, from another source than the view's.
type Joiner interface {
	// Cells returns the derived cells of an object, by their columns' numbers. They must not
	// change afterwards. The view calls it when the object changes, and after Touch.
	Cells(o *object.Object) []object.Cell
}

// derivation keeps the derived cells of a view's objects. The lists have copies of the objects
// with their cells, so that a change of the cells is like a change of the object.
type derivation struct {
	joined  Joiner // nil: derived cells are empty
	copies  map[string]*object.Object
	all     bool            // the cells of all objects may have changed
	touched map[string]bool // keys of objects whose cells may have changed
}

// Join sets what computes the derived cells; nil leaves them empty. It computes all of them
// again, even if j is the same.
func (v *View) Join(j Joiner) {
	v.mu.Lock()
	defer v.mu.Unlock()
	d := &v.derivation
	if j == nil && d.joined == nil {
		return
	}
	d.joined, d.all, d.touched = j, true, nil
}

// Touch reports that the derived cells of the objects of these keys may have changed.
func (v *View) Touch(keys ...string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	d := &v.derivation
	if d.joined == nil || d.all {
		return
	}
	if d.touched == nil {
		d.touched = make(map[string]bool)
	}
	for _, key := range keys {
		d.touched[key] = true
	}
}

// Derives reports whether a derived column of one of the wanted numbers is shown, sorted by or
// filtered by.
func (v *View) Derives(wants func(number int) bool) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, c := range v.shape.Columns {
		if c.Derived() && wants(c.DerivedNumber()) && v.uses(i) {
			return true
		}
	}
	return false
}

// SetGaps sets what is missing of that which the derived columns rest on, by their numbers.
func (v *View) SetGaps(gaps map[int]Gap) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !maps.Equal(gaps, v.gaps) {
		v.gaps, v.answered = gaps, false
	}
}

// missing returns what the filter or the order rests on and that is not known.
func (v *View) missing() (all []Gap) {
	for i, c := range v.shape.Columns {
		if !c.Derived() && !c.Computed() || v.order.column != i && !v.asked.text.Reads(query.FieldName(c.Name)) {
			continue
		}
		if n := v.unknown(c); n > 0 {
			if gap := (Gap{Resource: v.shape.ID, State: Unread, Unread: n}); !slices.Contains(all, gap) {
				all = append(all, gap)
			}
		}
		if gap, is := v.gaps[c.DerivedNumber()]; is && !slices.Contains(all, gap) {
			all = append(all, gap)
		}
	}
	return all
}

// unknown returns of how many objects the cells of a computed column are not known.
func (v *View) unknown(c object.Column) (n int) {
	if c.Computed() {
		for slot := range v.table.Live().All() {
			if !v.table.At(slot).Known(c) {
				n++
			}
		}
	}
	return n
}

// due reports whether derived cells wait to be computed.
func (d *derivation) due() bool { return d.all || len(d.touched) > 0 }

// of returns an object as the lists have it or shall have it: with its derived cells.
func (d *derivation) of(o *object.Object) *object.Object {
	if d.joined == nil {
		return o.Base()
	}
	o = o.Derive(d.joined.Cells(o.Base()))
	d.copies[o.Key()] = o
	return o
}

// deriveAll computes the derived cells of all objects.
func (v *View) deriveAll() {
	d := &v.derivation
	d.all, d.touched, d.copies = false, nil, nil
	if d.joined != nil {
		d.copies = make(map[string]*object.Object, v.byKey.Len())
	}
	for slot := range v.table.Live().All() {
		v.table.Set(slot, d.of(v.table.At(slot)))
	}
	v.stale = true
	v.facets.summed.Clear()
}

// change returns a change of the store as a change of the lists.
func (d *derivation) change(c Change) Change {
	if d.joined == nil {
		return c
	}
	if c.Before != nil {
		key := c.Before.Key()
		c.Before = d.copies[key]
		delete(d.copies, key)
	}
	if c.After != nil {
		c.After = d.of(c.After)
	}
	return c
}

// takeTouched returns the changes of the objects whose derived cells have changed.
func (d *derivation) takeTouched() (changes []Change) {
	for key := range d.touched {
		before := d.copies[key]
		if before == nil {
			continue
		}
		if cells := d.joined.Cells(before.Base()); !slices.Equal(cells, before.DerivedCells()) {
			after := before.Derive(cells)
			d.copies[key] = after
			changes = append(changes, Change{before, after})
		}
	}
	d.touched = nil
	return changes
}
