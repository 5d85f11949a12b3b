package object

import "sync"

// A code is a number for a namespace or the text of a cell, the same in all objects of all
// kinds that have it in the same place: what has been found out of one text need not be found
// out of it again a hundred thousand times. Each place counts from 1, so that a slice by code
// is as long as the place has texts. 0 is no code: the text has to be read.

// codedCells is how many of an object's columns of text have codes, the first ones.
const codedCells = 5

// mostCodes is how many texts a column may bring in. Of one with more nearly every
// object has another.
const mostCodes = 2000

// longestCoded is how many bytes a text with a code has at most: they are kept.
const longestCoded = 64

// codes are those that were given out. They are not taken back: there are few.
var codes struct {
	mu  sync.Mutex
	all [codedCells + 1]map[string]uint16 // by place
}

// newCode gives a text its code in a place; none when all are given out.
func newCode(place int, text string) uint16 {
	codes.mu.Lock()
	defer codes.mu.Unlock()
	given := codes.all[place]
	if code, ok := given[text]; ok {
		return code
	}
	if given == nil {
		given = make(map[string]uint16)
		codes.all[place] = given
	}
	if len(given) == 1<<16-1 {
		return 0
	}
	code := uint16(len(given) + 1)
	given[text] = code
	return code
}

// coder knows the codes of a decoder's columns.
type coder struct {
	known  [codedCells]map[string]coded
	last   [codedCells]coded // the one before: they come in runs
	place  []int8            // of each cell after the name: its code's, or -1
	spaces map[string]uint16
}

// coded is a text with its code.
type coded struct {
	text string
	code uint16
}

// namespace is the code of a namespace.
func (c *coder) namespace(name []byte) uint16 {
	if len(name) == 0 {
		return 0
	}
	code, ok := c.spaces[string(name)]
	if !ok && len(c.spaces) < mostCodes {
		if c.spaces == nil {
			c.spaces = make(map[string]uint16)
		}
		word := string(name)
		code = newCode(NamespaceCode, word)
		c.spaces[word] = code
	}
	return code
}

// begin takes the columns.
func (c *coder) begin(columns []Column) {
	next := int8(0)
	c.known, c.last, c.place = [codedCells]map[string]coded{}, [codedCells]coded{}, c.place[:0]
	for _, column := range columns {
		switch {
		case column.Kind == NameCell || column.label != "":
		case column.Kind == TextCell && next < codedCells:
			c.known[next] = make(map[string]coded)
			c.place = append(c.place, next)
			next++
		default:
			c.place = append(c.place, -1)
		}
	}
}

// note notes the code of the cell's text in an object.
func (c *coder) note(o *Object, cell int, text []byte) {
	if cell >= len(c.place) || c.place[cell] < 0 {
		return
	}
	at := c.place[cell]
	known, last := c.known[at], &c.last[at]
	if last.text == string(text) {
		o.codes[at] = last.code
		return
	}
	if known == nil || len(text) > longestCoded {
		return // it has too many, or few have it
	}
	found, ok := known[string(text)]
	if !ok {
		word := string(text)
		found = coded{word, newCode(int(at), word)}
		known[word] = found
		if len(known) == mostCodes {
			c.known[at] = nil
		}
	}
	*last = found
	o.codes[at] = found.code
}

// NamespaceCode is the place of the code of the namespace, for Code.
const NamespaceCode = codedCells

// Codes are the places of the codes of columns, for Code: -1 is none.
func Codes(columns []Column) []int {
	places, next := make([]int, len(columns)), 0
	for i, c := range columns {
		if places[i] = -1; c.Kind == TextCell && c.label == "" && next < codedCells {
			places[i] = next
			next++
		}
	}
	return places
}

// Code is the code of the text that the object prints in a column, by the code's
// place; or 0.
func (o *Object) Code(place int) uint16 {
	if place < 0 {
		return 0
	}
	return o.codes[place]
}
