package object

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"unicode/utf8"

	"watchglass/internal/object/encoded"
	"watchglass/internal/query"
)

// row builds the blob of one object, and reuses its memory for the next. Methods that every
// printer calls are not inlined, which keeps the binary small.
type row struct {
	text   []byte // key and cells
	times  []byte
	plain  []bool // which cells are always shown
	cells  int
	at     int // where the cell begins in text
	shown  int // length of text up to the end of the last cell that is always shown
	coder  coder
	object *Object    // the object being built
	work   query.Work // that may still be done for its cells
}

// begin starts with the key. It is as the server wrote it, since it identifies the object; the
// cell that prints it is cleaned.
func (r *row) begin(o *Object, namespace, name []byte) {
	r.text, r.times, r.cells, r.object, r.work = r.text[:0], r.times[:0], 0, o, query.MostWork
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
	r.recordCell()
	r.text = append(r.text, separator)
	r.at = len(r.text)
	r.cells++
}

// add adds a text from the cluster to the cell.
//
//go:noinline
func (r *row) add(text []byte) { r.text = appendPlain(r.text, text) }

// lower adds a text from the cluster in lower case.
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

// literal adds a text of our own to the cell.
//
//go:noinline
func (r *row) literal(text string) { r.text = append(r.text, text...) }

// literalThen adds a text of our own, followed by one from the cluster.
//
//go:noinline
func (r *row) literalThen(mark string, text []byte) {
	r.literal(mark)
	r.add(text)
}

// orLiteral fills the cell if it is empty.
//
//go:noinline
func (r *row) orLiteral(text string) {
	if len(r.text) == r.at {
		r.literal(text)
	}
}

// listItem adds the n-th text of a comma-separated list to the cell.
func (r *row) listItem(n int, text []byte) {
	if n > 0 {
		r.literal(",")
	}
	r.add(text)
}

// shownOfList is how many elements of a long list kubectl shows.
const shownOfList = 3

// hiddenCount adds how many elements of a list are not shown, if any.
func (r *row) hiddenCount(hidden int) {
	if hidden > 0 {
		r.literal(" + ")
		r.integer(int64(hidden))
		r.literal(" more...")
	}
}

// list adds texts to the cell, separated by commas.
func (r *row) list(texts [][]byte) {
	for i, text := range texts {
		r.listItem(i, text)
	}
}

// listValues is list for the values that a path found.
func (r *row) listValues(values []Value) {
	for i, v := range values {
		r.listItem(i, v.Bytes)
	}
}

// integer adds a number to the cell.
//
//go:noinline
func (r *row) integer(n int64) { r.text = strconv.AppendInt(r.text, n, 10) }

// quantity adds a Quantity, whose only field is its text.
func (r *row) quantity(message []byte) {
	text, _, _ := encoded.Pair(message)
	r.add(text)
}

// recordCell records where the last cell ends, if it is always shown, and stores its code.
func (r *row) recordCell() {
	if r.cells == 0 {
		return
	}
	if r.cells <= len(r.plain) && r.plain[r.cells-1] {
		r.shown = len(r.text)
	}
	r.coder.note(r.object, r.cells-1, r.text[r.at:])
}

// cell adds a cell with a text from the cluster.
//
//go:noinline
func (r *row) cell(text []byte) {
	r.next()
	r.add(text)
}

// cellOr adds a cell with a text, or with none if the text is empty.
func (r *row) cellOr(text []byte, none string) {
	r.cell(text)
	r.orLiteral(none)
}

// number adds a cell with a number.
func (r *row) number(n int64) {
	r.next()
	r.integer(n)
}

// none and unknown are what kubectl prints for missing values.
const (
	none    = "<none>"
	unknown = "<unknown>"
)

// instant adds a cell with an age: an empty text, and the instant at the end of the blob.
func (r *row) instant(at int64) { r.instantOr(at, unknown) }

// instantOr adds a cell with an age, or with a text if there is no instant.
func (r *row) instantOr(at int64, none string) {
	r.next()
	if at == 0 {
		r.orLiteral(none)
	}
	r.time(at)
}

// span adds a cell with the time between two instants. The second may not have happened yet.
func (r *row) span(from, to int64) {
	r.next()
	r.time(from)
	r.time(to)
}

func (r *row) time(at int64) { r.times = binary.LittleEndian.AppendUint64(r.times, uint64(at)) }

// counted adds a cell with a number that last grew at an instant.
func (r *row) counted(n, at int64) {
	r.number(n)
	r.time(at)
}

// fraction adds a cell like "1/2".
func (r *row) fraction(n, of int64) {
	r.number(n)
	r.literal("/")
	r.integer(of)
}

// finish appends the object's other texts and stores the blob and its offsets in o.
func (r *row) finish(o *Object, uid, version []byte) {
	r.recordCell()
	o.plainLen, o.textLen = uint32(r.shown), uint32(len(r.text))
	r.text = append(r.text, uid...)
	o.versionAt = uint32(len(r.text))
	r.text = append(r.text, version...)
	o.timesAt = uint32(len(r.text))
	r.text = append(r.text, r.times...)
	o.blob, r.object = string(r.text), nil
}

// appendPlain appends text with every control character, and every byte that is not UTF-8,
// replaced, so that nothing from a cluster can break a row. So are those that change the direction
// of text: "photo", U+202E and "gpj.exe" would read as a picture. Line breaks and tabs, as in the
// messages of events, become spaces.
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
		case r < ' ' || r >= 0x7f && r < 0xa0, r == '\u200e', r == '\u200f', r == '\u061c', '\u202a' <= r && r <= '\u202e', '\u2066' <= r && r <= '\u2069':
			r = utf8.RuneError
		}
		dst = utf8.AppendRune(dst, r)
		text = text[size:]
	}
	return dst
}
