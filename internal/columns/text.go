package columns

import (
	"strings"

	"watchglass/internal/object"
	"watchglass/internal/slots"
)

// Text is a column of texts: of each slot a code, and of each code its text. A text that no object has any more leaves, and
// its code may be another's then.
type Text struct {
	// Of returns the text of an object. Place is that of its code in objects that have one; -1 if none has.
	Of    func(o *object.Object) string
	Place int
	// Most is how many texts the column may have; 0 if any number. With more it is empty, and Over.
	Most int
	// Shared says that texts are in memory anyway, and need no copy.
	Shared bool

	codes   []uint16 // by slot, the lower half; 0 has none
	upper   []uint16 // the upper half; nil as long as none is needed
	next    int      // the first slot that has not been read
	texts   []entry  // by code; the first is unused
	known   map[string]uint32
	byPlace []uint32 // codes by those of objects; 0 is not known yet
	last    uint32   // of the object before: those that come together mostly have the same
	free    []uint32
	born    uint32 // how many texts have come
	over    bool
}

// entry is a text of a column.
type entry struct {
	text  string
	count int32  // of the objects that have it
	born  uint32 // how many texts had come before
	place uint16 // the objects' code that it was found by; 0 if none
}

// Over reports whether the column has too many texts, and therefore none.
func (x *Text) Over() bool { return x.over }

// Unbound lets the column have any number of texts. If it had too many it must be built again.
func (x *Text) Unbound() {
	if x.Most = 0; x.over {
		x.over, x.next = false, 0
	}
}

// Codes returns how many codes there may be: all are below it.
func (x *Text) Codes() int { return len(x.texts) }

// Text returns the text of a code, and how many objects have it. Codes without objects have no text.
func (x *Text) Text(code uint32) (text string, count int) {
	return x.texts[code].text, int(x.texts[code].count)
}

// Born returns a number that no text before had which had the code.
func (x *Text) Born(code uint32) uint32 { return x.texts[code].born }

// Code returns the code of a slot.
func (x *Text) Code(slot uint32) uint32 {
	if x.upper == nil {
		return uint32(x.codes[slot])
	}
	return uint32(x.upper[slot])<<16 | uint32(x.codes[slot])
}

// put sets the code of a slot.
func (x *Text) put(slot, code uint32) {
	if code>>16 > 0 && x.upper == nil {
		x.upper = make([]uint16, len(x.codes))
	}
	for int(slot) >= len(x.codes) {
		x.codes = append(x.codes, 0)
	}
	x.codes[slot] = uint16(code)
	if x.upper != nil {
		for len(x.upper) < len(x.codes) {
			x.upper = append(x.upper, 0)
		}
		x.upper[slot] = uint16(code >> 16)
	}
}

// Where returns the slots whose texts something holds for. It is asked once for each text. The column must be whole.
func (x *Text) Where(is func(text string) bool) *slots.Bits {
	chosen := make([]bool, max(len(x.texts), 1))
	for code := 1; code < len(x.texts); code++ {
		if e := &x.texts[code]; e.count > 0 {
			chosen[code] = is(e.text)
		}
	}
	if x.upper == nil {
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

// Count adds to counts, by code, how many of a set have each text.
func (x *Text) Count(in *slots.Bits, counts []int) {
	for slot := range in.All() {
		counts[x.Code(slot)]++
	}
}

// read reads the object of the next slot, nil if that is free. It returns how much it read, in texts of a kilobyte.
func (x *Text) read(o *object.Object) (cost int) {
	slot := uint32(x.next)
	x.next++
	if o == nil {
		x.put(slot, 0)
		return 0
	}
	code := x.code(o)
	x.put(slot, code)
	x.texts[code].count++
	cost = 1 + len(x.texts[code].text)>>10
	x.bound()
	return cost
}

// set reads the object of a slot that is new or has changed. Slots after the next are read in their turn.
func (x *Text) set(slot uint32, o *object.Object) {
	switch {
	case x.over || int(slot) > x.next:
	case int(slot) == x.next:
		x.read(o)
	default:
		before, code := x.Code(slot), x.code(o)
		x.put(slot, code)
		x.texts[code].count++
		x.release(before)
		x.bound()
	}
}

// drop empties a slot.
func (x *Text) drop(slot uint32) {
	if !x.over && int(slot) < x.next {
		before := x.Code(slot)
		x.put(slot, 0)
		x.release(before)
	}
}

// bound empties the column if it has too many texts.
func (x *Text) bound() {
	if x.Most > 0 && len(x.known) > x.Most {
		x.over, x.codes, x.upper, x.texts, x.known, x.byPlace, x.free = true, nil, nil, nil, nil, nil, nil
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

// codeOf returns the code of a text, which is found by a code of objects, or by none.
func (x *Text) codeOf(text string, place uint16) uint32 {
	if x.last < uint32(len(x.texts)) && x.texts[x.last].text == text && x.texts[x.last].count > 0 && place == 0 {
		return x.last
	}
	code, ok := x.known[text]
	if !ok {
		code = x.take(text)
	}
	if e := &x.texts[code]; e.place == 0 {
		e.place = place
	}
	x.last = code
	return code
}

// take gives a text a code.
func (x *Text) take(text string) (code uint32) {
	if !x.Shared {
		text = strings.Clone(text) // otherwise it would keep the whole object in memory
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
	x.born++
	x.texts[code] = entry{text: text, born: x.born}
	x.known[text] = code
	return code
}

// release notes that an object does not have a text any more.
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
