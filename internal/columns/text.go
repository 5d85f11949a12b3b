package columns

import (
	"slices"
	"strings"

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
	// Shared says that a text is not part of a larger object in memory, so the column needs no copy.
	Shared bool

	codes   []uint16 // by slot, the lower 16 bits; code 0 is no text
	upper   []uint16 // the upper 16 bits; nil until a code needs them
	small   []uint8  // the codes instead, as long as all fit
	next    int      // the first slot that has not been read
	texts   []entry  // by code; the first is unused
	known   map[string]uint32
	byPlace []uint32 // codes by those of objects; 0 is not known yet
	last    uint32   // the code found last: neighbours often share a text
	free    []uint32
	given   uint32 // how many codes have been given to texts
	over    bool
}

// entry is a text of a column.
type entry struct {
	text       string
	count      int32  // how many objects have it
	generation uint32 // of the code: how many codes had been given before
	place      uint16 // the code that objects have for it; 0 if none
}

// Over reports whether the column has too many texts, and therefore none.
func (x *Text) Over() bool { return x.over }

// RemoveLimit allows any number of texts. A column that was Over must be read again.
func (x *Text) RemoveLimit() {
	if x.Limit = 0; x.over {
		x.over, x.next = false, 0
	}
}

// Codes returns the number of codes, unused ones included: every code is below it.
func (x *Text) Codes() int { return len(x.texts) }

// Texts returns how many texts objects have; 0 if there are too many.
func (x *Text) Texts() int { return len(x.known) }

// Text returns the text of a code, and how many objects have it; "" and 0 if the code is unused.
func (x *Text) Text(code uint32) (text string, count int) {
	return x.texts[code].text, int(x.texts[code].count)
}

// Generation returns a number that changes whenever the code is given to a text: what was computed of the text before
// is out of date then.
func (x *Text) Generation(code uint32) uint32 { return x.texts[code].generation }

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
	chosen := make([]bool, max(len(x.texts), 1))
	for code := 1; code < len(x.texts); code++ {
		if e := &x.texts[code]; e.count > 0 {
			chosen[code] = is(e.text)
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
	x.texts[code].count++
	cost = 1 + len(x.texts[code].text)>>10
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
		x.texts[code].count++
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
	if x.Limit > 0 && len(x.known) > x.Limit {
		x.over, x.small, x.codes, x.upper, x.texts, x.known, x.byPlace, x.free = true, nil, nil, nil, nil, nil, nil, nil
	}
}

// code returns the code of an object's text.
func (x *Text) code(o *object.Object) uint32 {
	place := o.Code(x.Place)
	if place == 0 {
		return x.codeOf(x.Of(o), 0)
	}
	if int(place) >= len(x.byPlace) {
		x.byPlace = append(x.byPlace, make([]uint32, int(place)+64-len(x.byPlace))...)
	}
	if code := x.byPlace[place]; code != 0 {
		return code
	}
	code := x.codeOf(x.Of(o), place)
	if x.texts[code].place == place {
		x.byPlace[place] = code
	}
	return code
}

// codeOf returns the code of a text. Place is the code that objects have for it; 0 if none.
func (x *Text) codeOf(text string, place uint16) uint32 {
	if x.last < uint32(len(x.texts)) && x.texts[x.last].text == text && x.texts[x.last].count > 0 && place == 0 {
		return x.last
	}
	code, ok := x.known[text]
	if !ok {
		code = x.assign(text)
	}
	if e := &x.texts[code]; e.place == 0 {
		e.place = place
	}
	x.last = code
	return code
}

// assign gives a text a code.
func (x *Text) assign(text string) (code uint32) {
	if !x.Shared {
		text = strings.Clone(text) // a substring would keep the whole object in memory
	}
	if x.known == nil {
		x.known, x.texts = make(map[string]uint32), make([]entry, 1)
	}
	if n := len(x.free); n > 0 {
		code, x.free = x.free[n-1], x.free[:n-1]
	} else {
		code = uint32(len(x.texts))
		x.texts = append(x.texts, entry{})
	}
	x.given++
	x.texts[code] = entry{text: text, generation: x.given}
	x.known[text] = code
	return code
}

// release counts one object less for a code, and frees the code with the last.
func (x *Text) release(code uint32) {
	if code == 0 {
		return
	}
	e := &x.texts[code]
	if e.count--; e.count > 0 {
		return
	}
	delete(x.known, e.text)
	if e.place != 0 {
		x.byPlace[e.place] = 0
	}
	*e = entry{}
	x.free = append(x.free, code)
}
