package columns

import (
	"slices"

	"watchglass/internal/object"
	"watchglass/internal/slots"
)

// Text is a column of texts: a code for each slot, and a text for each code. A text that no object has any more is
// dropped, and its code may be given to another.
type Text struct {
	// Of returns the text of an object. Place is where objects have a code for it, for object.Code; -1 if they have none.
	Of    func(o *object.Object) string
	Place int
	// Limit is the maximum number of texts; 0 if there is none. A column with more is empty, and Over.
	Limit int
	// Shared says that a text is not part of a larger object in memory, so the dictionary needs no copy.
	Shared bool
	// Dictionary has the texts; nil is one for the column alone.
	Dictionary *Dictionary

	codes   []uint16 // by slot, the lower 16 bits; code 0 is no text
	upper   []uint16 // the upper 16 bits; nil until a code needs them
	small   []uint8  // the codes instead, as long as all fit
	next    int      // the first slot that has not been read
	counts  []int32  // of the objects with each code
	texts   int      // how many of these are not 0
	byPlace []placed // codes by those of objects
	last    uint32   // the code found last: neighbours often share a text
	over    bool
}

// placed is the code of a text, and its generation then.
type placed struct{ code, generation uint32 }

// Over reports whether the column has too many texts, and therefore none.
func (x *Text) Over() bool { return x.over }

// RemoveLimit allows any number of texts. A column that was Over must be read again.
func (x *Text) RemoveLimit() {
	if x.Limit = 0; x.over {
		x.over, x.next = false, 0
	}
}

// Codes returns the number of codes, also of those that no object has: every code is below it.
func (x *Text) Codes() int { return len(x.counts) }

// Texts returns how many texts objects have; 0 if there are too many.
func (x *Text) Texts() int { return x.texts }

// Text returns the text of a code that objects have, and how many.
func (x *Text) Text(code uint32) (text string, count int) {
	return x.Dictionary.entries[code].text, int(x.counts[code])
}

// Generation returns a number that changes whenever the code is given to a text: what was computed of the text before
// is out of date then.
func (x *Text) Generation(code uint32) uint32 { return x.Dictionary.entries[code].generation }

// Code returns the code of a slot.
func (x *Text) Code(slot uint32) uint32 {
	switch {
	case x.codes == nil:
		return uint32(x.small[slot])
	case x.upper == nil:
		return uint32(x.codes[slot])
	}
	return uint32(x.upper[slot])<<16 | uint32(x.codes[slot])
}

// grow makes room for the codes of the slots below n.
func (x *Text) grow(n int) {
	switch {
	case x.over:
	case x.codes == nil:
		x.small = slices.Grow(x.small, max(n-len(x.small), 0))
	default:
		x.codes = slices.Grow(x.codes, max(n-len(x.codes), 0))
	}
}

// lacks returns the first slot that has not been read, and whether there is one below n.
func (x *Text) lacks(n int) (next int, is bool) { return x.next, x.next < n && !x.over }

// setCode sets the code of a slot.
func (x *Text) setCode(slot, code uint32) {
	if x.codes == nil && code < 1<<8 {
		x.small = set(x.small, slot, uint8(code))
		return
	}
	if x.codes == nil {
		x.codes = make([]uint16, len(x.small), max(cap(x.small), 1))
		for i, code := range x.small {
			x.codes[i] = uint16(code)
		}
		x.small = nil
	}
	if code>>16 > 0 && x.upper == nil {
		x.upper = make([]uint16, len(x.codes))
	}
	if x.codes = set(x.codes, slot, uint16(code)); x.upper != nil {
		x.upper = set(x.upper, slot, uint16(code>>16))
	}
}

// set sets the value of a slot, which may be beyond the end.
func set[T any](of []T, slot uint32, value T) []T {
	if n := int(slot) + 1 - len(of); n > 0 {
		of = append(of, make([]T, n)...)
	}
	of[slot] = value
	return of
}

// Where returns the slots whose text satisfies is, which is called once for each text. All objects must have been read.
func (x *Text) Where(is func(text string) bool) *slots.Bits {
	chosen := make([]bool, max(len(x.counts), 1))
	for code, n := range x.counts {
		if n > 0 {
			chosen[code] = is(x.Dictionary.entries[code].text)
		}
	}
	switch {
	case x.codes == nil:
		return slots.Select(x.small, chosen)
	case x.upper == nil:
		return slots.Select(x.codes, chosen)
	}
	all := new(slots.Bits)
	for slot := range uint32(len(x.codes)) {
		if chosen[x.Code(slot)] {
			all.Add(slot)
		}
	}
	return all
}

// Count adds to counts, by code, how many slots of a set have each text.
func (x *Text) Count(in *slots.Bits, counts []int) {
	for slot := range in.All() {
		counts[x.Code(slot)]++
	}
}

// read reads the object of the next slot; nil if that is free. It returns the cost: 1, and 1 more for each kilobyte of text.
func (x *Text) read(o *object.Object) (cost int) {
	slot := uint32(x.next)
	x.next++
	if o == nil {
		x.setCode(slot, 0)
		return 0
	}
	code := x.code(o)
	x.setCode(slot, code)
	x.keep(code)
	cost = 1 + len(x.Dictionary.entries[code].text)>>10
	x.enforceLimit()
	return cost
}

// set reads an object that is new or has changed. Slots after the next are left to read.
func (x *Text) set(slot uint32, o *object.Object) {
	switch {
	case x.over || int(slot) > x.next:
	case int(slot) == x.next:
		x.read(o)
	default:
		before, code := x.Code(slot), x.code(o)
		x.setCode(slot, code)
		x.keep(code)
		x.release(before)
		x.enforceLimit()
	}
}

// drop removes the object of a slot.
func (x *Text) drop(slot uint32) {
	if !x.over && int(slot) < x.next {
		before := x.Code(slot)
		x.setCode(slot, 0)
		x.release(before)
	}
}

// enforceLimit empties the column if it has too many texts.
func (x *Text) enforceLimit() {
	if x.Limit > 0 && x.texts > x.Limit {
		x.empty()
		x.over = true
	}
}

// empty drops what the column has.
func (x *Text) empty() {
	for code, n := range x.counts {
		if n > 0 {
			x.Dictionary.release(uint32(code))
		}
	}
	x.small, x.codes, x.upper, x.counts, x.texts, x.byPlace, x.last, x.next = nil, nil, nil, nil, 0, nil, 0, 0
}

// code returns the code of an object's text, which the object is about to have.
func (x *Text) code(o *object.Object) uint32 {
	place := o.Code(x.Place)
	if x.Dictionary == nil {
		x.Dictionary = new(Dictionary)
	}
	if int(place) < len(x.byPlace) {
		if at := x.byPlace[place]; at.code != 0 && x.Generation(at.code) == at.generation {
			return at.code
		}
	}
	text := x.Of(o)
	if x.last != 0 && x.counts[x.last] > 0 && x.Dictionary.entries[x.last].text == text {
		return x.last
	}
	x.last = x.Dictionary.code(text, !x.Shared)
	if place > 0 {
		x.byPlace = set(x.byPlace, uint32(place), placed{x.last, x.Generation(x.last)})
	}
	return x.last
}

// keep counts one object more for a code.
func (x *Text) keep(code uint32) {
	if int(code) >= len(x.counts) {
		x.counts = append(x.counts, make([]int32, len(x.Dictionary.entries)-len(x.counts))...)
	}
	if x.counts[code]++; x.counts[code] == 1 {
		x.texts++
		x.Dictionary.keep(code)
	}
}

// release counts one object less for a code; 0 is none.
func (x *Text) release(code uint32) {
	if code == 0 {
		return
	}
	if x.counts[code]--; x.counts[code] > 0 {
		return
	}
	x.texts--
	x.Dictionary.release(code)
}
