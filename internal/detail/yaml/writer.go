package yaml

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
)

// Write writes an object in JSON as kubectl prints it, in at most so many bytes.
func Write(doc []byte, most int) (*YAML, error) {
	d, err := parse(doc)
	if err != nil {
		return nil, err
	}
	w := newWriter(d, most)
	if w.all(); w.err != nil {
		return nil, w.err
	}
	y := w.YAML // without what writing took
	y.text = string(w.out)
	y.identify()
	return &y, nil
}

// writer writes a document. It keeps the same state of the current line as libyaml's emitter, and
// notes where lines, nodes and tokens begin.
type writer struct {
	*document
	YAML
	out      []byte
	column   int   // in characters
	indent   int   // of the current map or list; -1 outside of all
	spaced   bool  // the line is empty or ends with a space
	indented bool  // the line has nothing but indentation
	within   role  // of what goes on in the next line
	node     int32 // the innermost that has not ended

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

func newWriter(d *document, most int) *writer {
	w := &writer{document: d, YAML: *blank(), most: most, out: make([]byte, 0, min(most, len(d.json)+len(d.json)/4))}
	w.indent, w.spaced, w.indented = -1, true, true
	w.lines = append(w.lines, line{fold: -1})
	return w
}

// all writes the document.
func (w *writer) all() {
	if w.json[w.start] == 'n' {
		w.empty("{}")
	} else {
		w.value(w.start, 0, false)
	}
	w.line()
	w.full()
	w.lines = w.lines[:w.lastLine()+1]
	w.end()
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
		s := w.unquote(w.json[i:stringEnd(w.json, i)])
		w.styled(s, styleOf(s, traitsOf(s), false), true, plainRole, quotedRole)
	case 't', 'f', 'n':
		w.plain(w.json[i:tokenEnd(w.json, i)], false, wordRole)
	default:
		number, ok := appendNumber(w.buffer[:0], w.json[i:tokenEnd(w.json, i)])
		if w.buffer = number; !ok {
			w.err = fmt.Errorf("%w: a number out of range", ErrMalformed)
		}
		w.plain(number, false, numberRole)
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
		w.indicator(markRole, "-", true)
		if w.full() {
			return
		}
		w.begin(len(w.out)+1, true)
		w.value(i, next, false)
		w.end()
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
		w.end()
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
	var spare []member
	if len(members) > few {
		spare = make([]member, len(members)/2)
	}
	sortBy(members, spare, func(a, b *member) int {
		return cmp.Or(bytes.Compare(a.key, b.key), cmp.Compare(b.value, a.value))
	})
	members = slices.CompactFunc(members, func(a, b member) bool { return bytes.Equal(a.key, b.key) })
	sortBy(members, spare, func(a, b *member) int { return compare(a.key, b.key) })
	return members
}

// few is how many members are sorted by insertion.
const few = 16

// sortBy sorts members, most of which are in order already, by merging their halves. spare has room for
// half of them. The sort of the standard library swaps by reflection, or is compiled for each type, which
// every visitor downloads.
func sortBy(members, spare []member, order func(a, b *member) int) {
	if len(members) <= few {
		for i := range members {
			for ; i > 0 && order(&members[i], &members[i-1]) < 0; i-- {
				members[i], members[i-1] = members[i-1], members[i]
			}
		}
		return
	}
	half := len(members) / 2
	left, right := members[:half], members[half:]
	sortBy(left, spare, order)
	sortBy(right, spare, order)
	if order(&left[half-1], &right[0]) <= 0 {
		return
	}
	left = spare[:copy(spare, left)]
	for at := 0; len(left) > 0; at++ {
		if len(right) > 0 && order(&right[0], &left[0]) < 0 {
			members[at], right = right[0], right[1:]
		} else {
			members[at], left = left[0], left[1:]
		}
	}
}

// key begins the node of a key, and writes the key and the indicator between it and its value.
func (w *writer) key(key []byte) {
	t := traitsOf(key)
	if !t.breaks && len(key) <= maxSimpleKey {
		w.begin(len(w.out), false)
		w.styled(key, styleOf(key, t, true), false, keyRole, keyRole)
		w.nodes[w.node].nameEnd = uint32(len(w.out))
		w.put(markRole)
		w.sign(":")
		return
	}
	w.indicator(markRole, "?", true)
	w.begin(len(w.out)+1, false)
	w.styled(key, styleOf(key, t, false), true, keyRole, quotedRole)
	w.nodes[w.node].nameEnd = uint32(len(w.out))
	w.line()
	w.indicator(markRole, ":", true)
}

// begin begins a node inside the current one, at a position of the text.
func (w *writer) begin(at int, item bool) {
	w.nodes[w.node].children++
	w.nodes = append(w.nodes, node{parent: w.node, first: int32(len(w.lines) - 1), at: uint32(at), item: item})
	w.node = int32(len(w.nodes) - 1)
}

// end ends the current node.
func (w *writer) end() {
	n := &w.nodes[w.node]
	n.last, n.end = w.lastLine(), int32(len(w.nodes))
	if n.last > n.first && n.parent >= 0 {
		w.lines[n.first].fold = w.node // the outermost ends last
	}
	w.node = n.parent
}

// lastLine returns the number of the last line on which something was written.
func (w *writer) lastLine() int32 {
	last := len(w.lines) - 1
	if last > 0 && int(w.lines[last].at) == len(w.out) {
		last--
	}
	return int32(last)
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
func (w *writer) empty(brackets string) { w.indicator(markRole, brackets, false) }

// line moves to the place of the next item, on a new line unless the current one is empty.
func (w *writer) line() {
	indent := max(w.indent, 0)
	if !w.indented || w.column > indent || w.column == indent && !w.spaced {
		w.newline(lineFeed)
	}
	for w.column < indent {
		n := min(indent-w.column, len(blanks))
		w.out = append(w.out, blanks[:n]...)
		w.column += n
	}
	w.spaced, w.indented = true, true
}

const blanks = "                                                                "

// lineFeed is the usual line break.
var lineFeed = []byte("\n")

// newline breaks the line. YAML has several line breaks; those other than \n are visible, and stay
// in the line.
func (w *writer) newline(as []byte) {
	w.out = append(w.out, as...)
	last := &w.lines[len(w.lines)-1]
	last.size = uint32(len(w.out)) - last.at
	if len(as) == len(lineFeed) {
		last.size--
	}
	w.column = 0
	w.lines = append(w.lines, line{at: uint32(len(w.out)), token: int32(len(w.tokens)), fold: -1})
	if w.within != plainRole {
		w.put(w.within)
	}
}

// indicator writes an indicator of YAML, or begins a text. After some indicators a line still
// counts as empty.
func (w *writer) indicator(as role, sign string, opening bool) {
	if !w.spaced {
		w.out = append(w.out, ' ')
		w.column++
	}
	indented := w.indented && opening
	w.put(as)
	w.sign(sign)
	w.indented = indented
}

// sign writes a sign of YAML right behind what was written.
func (w *writer) sign(sign string) {
	w.out = append(w.out, sign...)
	w.column += len(sign)
	w.spaced, w.indented = false, false
}
