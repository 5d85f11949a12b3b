package columns

import (
	"watchglass/internal/object"
	"watchglass/internal/slots"
)

// Table holds objects by slot. An object keeps its slot for as long as it is in the table, also when
// another version of it takes its place. The zero value is empty.
type Table struct {
	objects []*object.Object // by slot; nil is free
	free    []uint32
	live    slots.Bits
	texts   []*Text
}

// Len returns the number of slots: those of all objects are below it.
func (t *Table) Len() int { return len(t.objects) }

// At returns the object of a slot.
func (t *Table) At(slot uint32) *object.Object { return t.objects[slot] }

// Live returns the slots of all objects. It must not be changed.
func (t *Table) Live() *slots.Bits { return &t.live }

// Add gives an object a slot.
func (t *Table) Add(o *object.Object) (slot uint32) {
	if n := len(t.free); n > 0 {
		slot, t.free = t.free[n-1], t.free[:n-1]
		t.objects[slot] = o
	} else {
		slot = uint32(len(t.objects))
		t.objects = append(t.objects, o)
	}
	t.live.Add(slot)
	for _, x := range t.texts {
		x.set(slot, o)
	}
	return slot
}

// Set replaces the object of a slot by another version of it.
func (t *Table) Set(slot uint32, o *object.Object) {
	t.objects[slot] = o
	for _, x := range t.texts {
		x.set(slot, o)
	}
}

// Remove removes an object. Its slot is free for another.
func (t *Table) Remove(slot uint32) {
	t.objects[slot] = nil
	t.free = append(t.free, slot)
	t.live.Remove(slot)
	for _, x := range t.texts {
		x.drop(slot)
	}
}

// Keep has the table keep a column from now on.
func (t *Table) Keep(x *Text) { t.texts = append(t.texts, x) }

// Forget drops all columns.
func (t *Table) Forget() { t.texts = nil }

// Build reads cells that columns lack, about as many as given, and reports whether all columns are whole.
func (t *Table) Build(cells int) (whole bool) {
	var lacking []*Text
	slot := len(t.objects)
	for _, x := range t.texts {
		if !x.over && x.next < slot {
			slot = x.next
		}
		if !x.over && x.next < len(t.objects) {
			lacking = append(lacking, x)
		}
	}
	for ; slot < len(t.objects); slot++ { // one object after the other: its texts are near each other
		if cells <= 0 {
			return false
		}
		for _, x := range lacking {
			if x.next == slot && !x.over {
				cells -= x.read(t.objects[slot])
			}
		}
	}
	return true
}

// Finish reads what a column lacks.
func (t *Table) Finish(x *Text) {
	for !x.over && x.next < len(t.objects) {
		x.read(t.objects[x.next])
	}
}
