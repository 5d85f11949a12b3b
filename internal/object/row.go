package object

import (
	"encoding/binary"
	"strconv"
	"unicode/utf8"
)

// row builds one object's blob. Its memory is used again for the next.
type row struct {
	text  []byte // key and cells
	times []byte
	plain []bool // which cells always show
	cells int
	shown int // length of text behind the last that does
}

// begin starts with the key. It stands as the server wrote it, since it is the
// identity; the cell that prints it is cleaned.
func (r *row) begin(o *Object, namespace, name []byte) {
	r.text, r.times, r.cells = r.text[:0], r.times[:0], 0
	if len(namespace) > 0 {
		r.text = append(append(r.text, namespace...), '/')
	}
	o.nameAt = uint32(len(r.text))
	r.text = append(r.text, name...)
	o.keyLen = uint32(len(r.text))
	r.shown = len(r.text)
}

// next begins the next cell.
func (r *row) next() {
	r.note()
	r.text = append(r.text, separator)
	r.cells++
}

// note notes where the cell that was written last ends, if it always shows.
func (r *row) note() {
	if r.cells > 0 && r.cells <= len(r.plain) && r.plain[r.cells-1] {
		r.shown = len(r.text)
	}
}

// cell adds a text.
func (r *row) cell(text []byte) {
	r.next()
	r.text = appendPlain(r.text, text)
}

// cellOr adds a text, or another where there is none.
func (r *row) cellOr(text []byte, none string) {
	if len(text) == 0 {
		r.next()
		r.text = append(r.text, none...)
		return
	}
	r.cell(text)
}

// number adds a number.
func (r *row) number(n int64) {
	r.next()
	r.text = strconv.AppendInt(r.text, n, 10)
}

// instant adds an age: an empty text, and the instant at the end.
func (r *row) instant(at int64) {
	r.next()
	r.times = binary.LittleEndian.AppendUint64(r.times, uint64(at))
}

// counted adds a number that last grew at an instant.
func (r *row) counted(n, at int64) {
	r.number(n)
	r.times = binary.LittleEndian.AppendUint64(r.times, uint64(at))
}

// fraction adds "1/2".
func (r *row) fraction(n, of int) {
	r.next()
	r.text = strconv.AppendInt(r.text, int64(n), 10)
	r.text = strconv.AppendInt(append(r.text, '/'), int64(of), 10)
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
	o.blob = string(r.text)
}

// appendPlain adds text with every control character, and every byte that is
// not UTF-8, replaced: nothing from a cluster can break a row apart.
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
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			r = utf8.RuneError
		}
		dst = utf8.AppendRune(dst, r)
		text = text[size:]
	}
	return dst
}
