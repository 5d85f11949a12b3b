package yaml

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"watchglass/internal/sorting"
)

// writer writes a document. It keeps the same state of the current line as libyaml's emitter.
type writer struct {
	*Document
	out      []byte
	column   int  // in characters
	indent   int  // of the current map or list; -1 outside of all
	spaced   bool // the line is empty or ends with a space
	indented bool // the line has nothing but indentation

	members []member // of all open maps
	buffer  []byte   // of a text without its escapes

	most int
	err  error
}

// member is a member of a map: its key, where its value begins, and the first span that begins
// there or later.
type member struct {
	key   []byte
	value int32
	next  int32
}

func (w *writer) document() {
	w.indent, w.spaced, w.indented = -1, true, true
	if w.json[w.start] == 'n' {
		w.empty("{}")
	} else {
		w.value(w.start, 0, false)
	}
	w.line()
	w.full()
}

// full reports whether writing has ended, because of the limit or an error.
func (w *writer) full() bool {
	if w.err == nil && len(w.out) > w.most {
		w.err = fmt.Errorf("%w: more than %d bytes", ErrTooLarge, w.most)
	}
	return w.err != nil
}

// value writes the value at i. ofMap says that it follows a key.
func (w *writer) value(i int, next int32, ofMap bool) {
	switch w.json[i] {
	case '{':
		w.mapping(i, next)
	case '[':
		w.sequence(i, next, ofMap)
	case '"':
		w.text(w.unquote(w.json[i:stringEnd(w.json, i)]), false)
	case 't', 'f', 'n':
		w.word(w.json[i:tokenEnd(w.json, i)])
	default:
		number, ok := appendNumber(w.buffer[:0], w.json[i:tokenEnd(w.json, i)])
		if w.buffer = number; !ok {
			w.err = fmt.Errorf("%w: a number out of range", ErrMalformed)
		}
		w.word(number)
	}
}

// sequence writes a list. After a key, its dashes are indented like the key.
func (w *writer) sequence(i int, next int32, ofMap bool) {
	if i = space(w.json, i+1); w.json[i] == ']' {
		w.empty("[]")
		return
	}
	outer := w.indent
	w.deeper(ofMap && !w.indented)
	for next++; ; {
		w.line()
		w.indicator("-", true, true)
		if w.full() {
			return
		}
		w.value(i, next, false)
		i, next = w.skip(i, next)
		if i = space(w.json, i); w.json[i] == ']' {
			break
		}
		i = space(w.json, i+1)
	}
	w.indent = outer
}

// mapping writes a map, with its keys in kubectl's order.
func (w *writer) mapping(i int, next int32) {
	first := len(w.members)
	w.collect(i, next)
	if len(w.members) == first {
		w.empty("{}")
		return
	}
	outer := w.indent
	w.deeper(false)
	for at, last := first, len(w.members); at < last; at++ {
		m := w.members[at]
		w.line()
		if w.key(m.key); w.full() {
			return
		}
		w.value(int(m.value), m.next, true)
	}
	w.indent = outer
	w.members = w.members[:first]
}

// collect returns the members of a map, in the order in which they are written.
func (w *writer) collect(i int, next int32) {
	first := len(w.members)
	for i, next = space(w.json, i+1), next+1; w.json[i] != '}'; {
		end := stringEnd(w.json, i)
		key := w.unquote(w.json[i:end])
		if len(w.buffer) > 0 {
			key = slices.Clone(key)
		}
		i = space(w.json, space(w.json, end)+1)
		w.members = append(w.members, member{key, int32(i), next})
		i, next = w.skip(i, next)
		if i = space(w.json, i); w.json[i] == ',' {
			i = space(w.json, i+1)
		}
	}
	w.members = append(w.members[:first], inOrder(w.members[first:])...)
}

// inOrder sorts members by their keys. Of members with the same key, the last one stays.
// kubectl's comparison is not an order for some keys (a1, a01b, a001), which it prints in random
// order. Here their order depends only on the keys.
func inOrder(members []member) []member {
	sortBy(members, func(a, b member) int {
		return cmp.Or(bytes.Compare(a.key, b.key), cmp.Compare(b.value, a.value))
	})
	members = slices.CompactFunc(members, func(a, b member) bool { return bytes.Equal(a.key, b.key) })
	sortBy(members, func(a, b member) int { return compare(a.key, b.key) })
	return members
}

// sortBy sorts, unless the members are in order already, as most are.
func sortBy(members []member, order func(a, b member) int) {
	if !slices.IsSortedFunc(members, order) {
		sorting.By(members, order)
	}
}

// key writes a key, and the indicator between it and its value.
func (w *writer) key(key []byte) {
	t := traitsOf(key)
	if !t.breaks && len(key) <= maxSimpleKey {
		w.styled(key, styleOf(key, t, true), true)
		w.indicator(":", false, false)
		return
	}
	w.indicator("?", true, true)
	w.styled(key, styleOf(key, t, false), false)
	w.line()
	w.indicator(":", true, true)
}

// deeper begins a map or a list.
func (w *writer) deeper(asDeep bool) {
	switch {
	case w.indent < 0:
		w.indent = 0
	case !asDeep:
		w.indent += indentation
	}
}

// indentation is how much deeper each level stands.
const indentation = 2

// empty writes an empty map or list.
func (w *writer) empty(brackets string) { w.indicator(brackets, true, false) }

// line moves to the place of the next item, on a new line unless the current one is empty.
func (w *writer) line() {
	indent := max(w.indent, 0)
	if !w.indented || w.column > indent || w.column == indent && !w.spaced {
		w.newline()
	}
	for w.column < indent {
		n := min(indent-w.column, len(blanks))
		w.out = append(w.out, blanks[:n]...)
		w.column += n
	}
	w.spaced, w.indented = true, true
}

const blanks = "                                                                "

func (w *writer) newline() {
	w.out = append(w.out, '\n')
	w.column = 0
}

// indicator writes an indicator of YAML. After some of them a line still counts as empty.
func (w *writer) indicator(sign string, apart, opening bool) {
	if apart && !w.spaced {
		w.out = append(w.out, ' ')
		w.column++
	}
	w.out = append(w.out, sign...)
	w.column += len(sign)
	w.spaced = false
	w.indented = w.indented && opening
}
