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
}

// begin starts with the key. It stands as the server wrote it, since it is the
// identity; the cell that prints it is cleaned.
func (r *row) begin(o *Object, namespace, name []byte) {
	r.text, r.times = r.text[:0], r.times[:0]
	if len(namespace) > 0 {
		r.text = append(append(r.text, namespace...), '/')
	}
	o.nameAt = uint32(len(r.text))
	r.text = append(r.text, name...)
	o.keyLen = uint32(len(r.text))
}

// cell adds a text.
func (r *row) cell(text []byte) {
	r.text = appendPlain(append(r.text, separator), text)
}

// cellOr adds a text, or another where there is none.
func (r *row) cellOr(text []byte, none string) {
	if len(text) == 0 {
		r.text = append(append(r.text, separator), none...)
		return
	}
	r.cell(text)
}

// number adds a number.
func (r *row) number(n int64) {
	r.text = strconv.AppendInt(append(r.text, separator), n, 10)
}

// instant adds an age: an empty text, and the instant at the end.
func (r *row) instant(at int64) {
	r.text = append(r.text, separator)
	r.times = binary.LittleEndian.AppendUint64(r.times, uint64(at))
}

// counted adds a number that last grew at an instant.
func (r *row) counted(n, at int64) {
	r.number(n)
	r.times = binary.LittleEndian.AppendUint64(r.times, uint64(at))
}

// fraction adds "1/2".
func (r *row) fraction(n, of int) {
	r.text = strconv.AppendInt(append(r.text, separator), int64(n), 10)
	r.text = strconv.AppendInt(append(r.text, '/'), int64(of), 10)
}

// finish lays the object's own text out and measures it into o.
func (r *row) finish(o *Object, uid, version []byte) {
	o.textLen = uint32(len(r.text))
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
