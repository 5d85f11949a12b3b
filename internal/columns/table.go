package columns

import (
	"iter"
	"slices"

	"watchglass/internal/object"
	"watchglass/internal/slots"
)

// Table holds objects by slot. An object keeps its slot for as long as it is in the table, whatever its version.
// The zero value is empty.
type Table struct {
	objects []*object.Object // by slot; nil is free
	free    []uint32
	live    slots.Bits
	columns []column
}

// column is what is kept of each object, by slot. It is read slot by slot when it is first asked for, and follows changes from then.
type column interface {
	grow(slots int)
	lacks(slots int) (next int, is bool)
	read(o *object.Object) (cost int)
	set(slot uint32, o *object.Object)
	drop(slot uint32)
	empty()
}

// Len returns the number of slots, free ones included: every slot is below it.
func (t *Table) Len() int { return len(t.objects) }

// At returns the object of a slot.
func (t *Table) At(slot uint32) *object.Object { return t.objects[slot] }

// Live returns the slots of all objects. It must not be changed.
func (t *Table) Live() *slots.Bits { return &t.live }

// Grow makes room for more objects, so that adding them takes no more memory than they need.
func (t *Table) Grow(more int) { t.objects = slices.Grow(t.objects, more) }

// Add adds an object and returns its slot.
func (t *Table) Add(o *object.Object) (slot uint32) {
	if n := len(t.free); n > 0 {
		slot, t.free = t.free[n-1], t.free[:n-1]
		t.objects[slot] = o
	} else {
		slot = uint32(len(t.objects))
		t.objects = append(t.objects, o)
	}
	t.live.Add(slot)
	for _, x := range t.columns {
		x.set(slot, o)
	}
	return slot
}

// Set replaces the object of a slot with another version.
func (t *Table) Set(slot uint32, o *object.Object) {
	t.objects[slot] = o
	for _, x := range t.columns {
		x.set(slot, o)
	}
}

// Remove removes an object. Its slot may be given to another.
func (t *Table) Remove(slot uint32) {
	t.objects[slot] = nil
	t.free = append(t.free, slot)
	t.live.Remove(slot)
	for _, x := range t.columns {
		x.drop(slot)
	}
}

// AddColumn adds a column, which is up to date once Build or Finish has read all objects.
func (t *Table) AddColumn(x column) { t.columns = append(t.columns, x) }

// DropColumns drops all columns, and what they keep in dictionaries.
func (t *Table) DropColumns() {
	for _, x := range t.columns {
		x.empty()
	}
	t.columns = nil
}

// Build reads about that many of the cells that columns have not read yet, and reports whether all have been read.
func (t *Table) Build(cells int) (done bool) {
	var lacking []column
	slot := len(t.objects)
	for _, x := range t.columns {
		if next, is := x.lacks(len(t.objects)); is {
			slot, lacking = min(slot, next), append(lacking, x)
			x.grow(len(t.objects))
		}
	}
	for ; slot < len(t.objects); slot++ { // one object after the other: its texts are near each other
		if cells <= 0 {
			return false
		}
		for _, x := range lacking {
			if next, is := x.lacks(len(t.objects)); is && next == slot {
				cells -= x.read(t.objects[slot])
			}
		}
	}
	return true
}

// Finish reads the rest of a column.
func (t *Table) Finish(x column) {
	x.grow(len(t.objects))
	for next, is := x.lacks(len(t.objects)); is; next, is = x.lacks(len(t.objects)) {
		x.read(t.objects[next])
	}
}

// Where returns the slots whose text satisfies is, which is called once for each text, or for each object if the column has
// too many texts.
func (t *Table) Where(x *Text, is func(text string) bool) *slots.Bits {
	if t.Finish(x); !x.over {
		return x.Where(is)
	}
	all := new(slots.Bits)
	for slot := range t.live.All() {
		if is(x.Of(t.At(slot))) {
			all.Add(slot)
		}
	}
	return all
}

// Texts yields each text and how many objects have it, or the text of each object if the column has too many.
func (t *Table) Texts(x *Text) iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		t.Finish(x)
		for code, n := range x.counts {
			if n > 0 && !yield(x.Dictionary.entries[code].text, int(n)) {
				return
			}
		}
		for slot := range t.live.All() {
			if !x.over || !yield(x.Of(t.At(slot)), 1) {
				return
			}
		}
	}
}

// Count adds to counts, by code, how many slots of a set have each text. Those of all objects need not be looked at. All
// objects must have been read.
func (t *Table) Count(x *Text, in *slots.Bits, counts []int) {
	if !in.Equal(&t.live) {
		x.Count(in, counts)
		return
	}
	for code, n := range x.counts {
		counts[code] += int(n)
	}
}
