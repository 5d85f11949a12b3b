package object

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"unicode/utf8"
)

// row builds one object's blob. Its memory is used again for the next. What every
// printer calls is not inlined, for the size of them all.
type row struct {
	text  []byte // key and cells
	times []byte
	plain []bool // which cells always show
	cells int
	at    int // where in text the cell begins
	shown int // length of text behind the last that does
	coder coder
	made  *Object // that it is of
}

// begin starts with the key. It stands as the server wrote it, since it is the
// identity; the cell that prints it is cleaned.
func (r *row) begin(o *Object, namespace, name []byte) {
	r.text, r.times, r.cells, r.made = r.text[:0], r.times[:0], 0, o
	o.codes[NamespaceCode] = r.coder.namespace(namespace)
	if len(namespace) > 0 {
		r.text = append(append(r.text, namespace...), '/')
	}
	o.nameAt = uint32(len(r.text))
	r.text = append(r.text, name...)
	o.keyLen = uint32(len(r.text))
	r.shown = len(r.text)
}

// next begins the next cell.
//
//go:noinline
func (r *row) next() {
	r.note()
	r.text = append(r.text, separator)
	r.at = len(r.text)
	r.cells++
}

// add adds a text of the cluster's to the cell.
//
//go:noinline
func (r *row) add(text []byte) { r.text = appendPlain(r.text, text) }

// lower adds a text of the cluster's in lower case.
func (r *row) lower(text []byte) {
	begin := len(r.text)
	r.add(text)
	for i, c := range r.text[begin:] {
		if c >= 0x80 {
			r.text = append(r.text[:begin], bytes.ToLower(r.text[begin:])...)
			return
		}
		if c >= 'A' && c <= 'Z' {
			r.text[begin+i] = c | 0x20
		}
	}
}

// put adds a text of ours to the cell.
//
//go:noinline
func (r *row) put(text string) { r.text = append(r.text, text...) }

// then adds a text of ours, and one of the cluster's behind it.
//
//go:noinline
func (r *row) then(mark string, text []byte) {
	r.put(mark)
	r.add(text)
}

// or fills a cell that has nothing in it.
//
//go:noinline
func (r *row) or(text string) {
	if len(r.text) == r.at {
		r.put(text)
	}
}

// also adds the n-th text of a list to the cell.
func (r *row) also(n int, text []byte) {
	if n > 0 {
		r.put(",")
	}
	r.add(text)
}

// shownOfList is how much of a list that may be long kubectl shows.
const shownOfList = 3

// more says how many of a list do not show, if any.
func (r *row) more(hidden int) {
	if hidden > 0 {
		r.put(" + ")
		r.integer(int64(hidden))
		r.put(" more...")
	}
}

// list adds texts to the cell, with commas between.
func (r *row) list(texts [][]byte) {
	for i, text := range texts {
		r.also(i, text)
	}
}

// all is list, of what a path picked.
func (r *row) all(values []Value) {
	for i, v := range values {
		r.also(i, v.Bytes)
	}
}

// integer adds a number to the cell.
//
//go:noinline
func (r *row) integer(n int64) { r.text = strconv.AppendInt(r.text, n, 10) }

// quantity adds a quantity, whose only field is its text.
func (r *row) quantity(message []byte) {
	text, _, _ := mapPair(message)
	r.add(text)
}

// note notes where the cell that was written last ends, if it always shows, and what
// code it has.
func (r *row) note() {
	if r.cells == 0 {
		return
	}
	if r.cells <= len(r.plain) && r.plain[r.cells-1] {
		r.shown = len(r.text)
	}
	r.coder.note(r.made, r.cells-1, r.text[r.at:])
}

// cell adds a text.
//
//go:noinline
func (r *row) cell(text []byte) {
	r.next()
	r.add(text)
}

// cellOr adds a text, or another where there is none.
func (r *row) cellOr(text []byte, none string) {
	r.cell(text)
	r.or(none)
}

// number adds a number.
func (r *row) number(n int64) {
	r.next()
	r.integer(n)
}

// none and unknown stand, as kubectl writes them, for what is not there.
const (
	none    = "<none>"
	unknown = "<unknown>"
)

// instant adds an age: an empty text, and the instant at the end.
func (r *row) instant(at int64) { r.instantOr(at, unknown) }

// instantOr adds an age, or a text where there is no instant.
func (r *row) instantOr(at int64, none string) {
	r.next()
	if at == 0 {
		r.or(none)
	}
	r.time(at)
}

// span adds the time between two instants, of which the second may be to come.
func (r *row) span(from, to int64) {
	r.next()
	r.time(from)
	r.time(to)
}

func (r *row) time(at int64) { r.times = binary.LittleEndian.AppendUint64(r.times, uint64(at)) }

// counted adds a number that last grew at an instant.
func (r *row) counted(n, at int64) {
	r.number(n)
	r.time(at)
}

// fraction adds "1/2".
func (r *row) fraction(n, of int64) {
	r.number(n)
	r.put("/")
	r.integer(of)
}

// finish lays the object's own text out and measures it into o.
func (r *row) finish(o *Object, uid, version []byte) {
	r.note()
	o.plainLen, o.textLen = uint32(r.shown), uint32(len(r.text))
	r.text = append(r.text, uid...)
	o.versionAt = uint32(len(r.text))
	r.text = append(r.text, version...)
	o.timesAt = uint32(len(r.text))
	r.text = append(r.text, r.times...)
	o.blob, r.made = string(r.text), nil
}

// appendPlain adds text with every control character, and every byte that is
// not UTF-8, replaced: nothing from a cluster can break a row apart. What breaks or
// indents lines, as in the messages of events, is a space.
func appendPlain(dst, text []byte) []byte {
	for i, c := range text {
		if c < ' ' || c >= 0x7f {
			return appendCleaned(append(dst, text[:i]...), text[i:])
		}
	}
	return append(dst, text...)
}

func appendCleaned(dst, text []byte) []byte {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			r = ' '
		case r < ' ' || r >= 0x7f && r < 0xa0:
			r = utf8.RuneError
		}
		dst = utf8.AppendRune(dst, r)
		text = text[size:]
	}
	return dst
}
