package object

import "sync"

// A code is a number for a namespace or for the text of a cell. Objects of all kinds that
// share a CodeTable and have the same text in the same place have the same code, so that what
// is found out about a text is not found out again for a hundred thousand objects. Each place
// counts from 1, so a slice indexed by code is as long as the place has texts. 0 is no code:
// the text must be read.

// codedCells is how many text columns of an object have codes: the first ones.
const codedCells = 5

// mostCodes is how many texts of a column get codes. If there are more, nearly every object
// has its own.
const mostCodes = 2000

// longestCoded is the length in bytes of the longest text that gets a code, since such texts
// are kept.
const longestCoded = 64

// CodeTable holds the codes of objects that are compared with each other, like those of a
// cluster. It never frees one: there are few. The zero value is ready for use, by any
// goroutine.
type CodeTable struct {
	mu  sync.Mutex
	all [codedCells + 1]map[string]uint16 // by place

	excerpts excerpts
}

// code returns the code of a text in a place, and makes one if needed; 0 if none are left.
func (t *CodeTable) code(place int, text string) uint16 {
	t.mu.Lock()
	defer t.mu.Unlock()
	given := t.all[place]
	if code, ok := given[text]; ok {
		return code
	}
	if given == nil {
		given = make(map[string]uint16)
		t.all[place] = given
	}
	if len(given) == 1<<16-1 {
		return 0
	}
	code := uint16(len(given) + 1)
	given[text] = code
	return code
}

// Share has the decoder give its objects codes and excerpts from a table, from the first object
// on. Without a table they have none.
func (d *Decoder) Share(t *CodeTable) *Decoder {
	d.row.coder.table = t
	if d.kind.excerpt != nil && d.message != nil {
		d.source = &source{excerpter: &excerpter{kind: &d.kind, message: d.message, root: mustPlan(d.message, d.kind.excerpt...).root, table: t}}
	}
	return d
}

// coder knows the codes of a decoder's columns.
type coder struct {
	table  *CodeTable // nil: no codes
	known  [codedCells]map[string]coded
	last   [codedCells]coded // the previous one: equal texts come in runs
	place  []int8            // of each cell after the name: its code's, or -1
	number int               // the cell after the name with the first number; -1: there is none
	spaces map[string]uint16
}

// coded is a text with its code.
type coded struct {
	text string
	code uint16
}

// namespace returns the code of a namespace.
func (c *coder) namespace(name []byte) uint16 {
	if len(name) == 0 || c.table == nil {
		return 0
	}
	code, ok := c.spaces[string(name)]
	if !ok && len(c.spaces) < mostCodes {
		if c.spaces == nil {
			c.spaces = make(map[string]uint16)
		}
		word := string(name)
		code = c.table.code(NamespaceCode, word)
		c.spaces[word] = code
	}
	return code
}

// begin sets the columns.
func (c *coder) begin(columns []Column) {
	next := int8(0)
	c.number = -1
	if i := FirstNumberColumn(columns); i >= 0 {
		c.number, _ = places(columns, i)
	}
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

// note stores the code of a cell's text in an object.
func (c *coder) note(o *Object, cell int, text []byte) {
	if cell == c.number {
		o.number = smallNumber(text)
	}
	if c.table == nil || cell >= len(c.place) || c.place[cell] < 0 {
		return
	}
	at := c.place[cell]
	known, last := c.known[at], &c.last[at]
	if last.text == string(text) {
		o.codes[at] = last.code
		return
	}
	if known == nil || len(text) > longestCoded {
		return // the column has too many texts, or the text is long
	}
	found, ok := known[string(text)]
	if !ok {
		word := string(text)
		found = coded{word, c.table.code(int(at), word)}
		known[word] = found
		if len(known) == mostCodes {
			c.known[at] = nil
		}
	}
	*last = found
	o.codes[at] = found.code
}

// smallNumber returns the number of a text, plus one; 0 if the text is anything but a few digits.
func smallNumber(text []byte) uint16 {
	if len(text) == 0 || len(text) > 4 {
		return 0
	}
	n := uint16(0)
	for _, c := range text {
		if c < '0' || c > '9' {
			return 0
		}
		n = 10*n + uint16(c-'0')
	}
	return n + 1
}

// FirstNumberColumn returns the index of the first column that prints numbers; -1 if there is none.
//
//go:noinline
func FirstNumberColumn(columns []Column) int {
	for i := range columns {
		if c := &columns[i]; (c.Kind == NumberCell || c.Kind == CountedCell) && c.computed == notComputed && c.derived == 0 {
			return i
		}
	}
	return -1
}

// FirstNumber returns the number in that column, if it is small.
func (o *Object) FirstNumber() (n int64, ok bool) { return int64(o.number) - 1, o.number > 0 }

// NamespaceCode is the place of the namespace's code, for Code.
const NamespaceCode = codedCells

// factsCode is the place of the number of an object's excerpt, from which the texts of some computed
// columns follow; or of quietExcerpt. ExcerptCode is always of the number.
const (
	factsCode   = NamespaceCode + 1
	ExcerptCode = NamespaceCode + 2
)

// Codes returns the places of the columns' codes, for Code; -1 is none.
func Codes(columns []Column) []int {
	places, next := make([]int, len(columns)), 0
	for i, c := range columns {
		switch places[i] = -1; {
		case c.FromExcerpts():
			places[i] = ExcerptCode
		case c.computed >= exits:
			places[i] = factsCode
		case c.computed == notComputed && c.Kind == TextCell && c.label == "" && next < codedCells:
			places[i] = next
			next++
		}
	}
	return places
}

// PrintedCode returns the code of a text that was printed at decode, or of the namespace, by the
// code's place. It is Code for whoever asks it of many objects.
func (o *Object) PrintedCode(place int) uint16 { return o.codes[place] }

// Code returns the code of the text that the object prints in a column, by the code's place;
// 0 is none.
func (o *Object) Code(place int) uint16 {
	switch {
	case place < 0:
		return 0
	case place == factsCode && o.quiet:
		return quietExcerpt
	case place >= factsCode:
		if number := o.Excerpt(); number < 1<<16 {
			return uint16(number)
		}
		return 0
	}
	return o.codes[place]
}
