package rewrite

import (
	"bytes"

	"google.golang.org/protobuf/encoding/protowire"

	"watchglass/internal/object/encoded"
	"watchglass/internal/object/schema"
)

// pair is a message that was rewritten before, and its result. Both are read in step with the message that is being
// rewritten, so that where the three agree little is read at all. Places are offsets and not slices: while garbage is
// collected, storing a pointer costs more than reading a field.
type pair struct {
	message      *schema.Message
	payload, out []byte
	at, into     int // where the next fields begin

	// The field that was read last, and its result: it is the next one to be used, unless it was taken.
	number        int
	begin         int // where it begins
	value, result span
	left          bool // it was left out
	taken         bool // at the beginning, too

	unlike int // where a field begins that same has compared in vain, plus one
	looked int // how often rest has compared in vain
}

// span is a part of some bytes.
type span struct{ from, to int }

// same returns the result of a field, with its tag, if the next field of the earlier version is the same.
func (p *pair) same(f *schema.Field, field, value []byte) (result []byte, ok bool) {
	if !p.taken || p.at+len(field) > len(p.payload) {
		return nil, false
	}
	if !bytes.Equal(field, p.payload[p.at:p.at+len(field)]) {
		p.unlike = p.at + 1
		return nil, false
	}
	out := encoded.FieldsOf(p.out[p.into:])
	written := out.Next() && out.Number == f.Number
	size := len(p.out) - p.into - len(out.Rest())
	if f.Map {
		key := keyOf(value)
		if len(key) == 0 {
			return nil, false
		}
		if !written || !bytes.Equal(key, keyOf(out.Bytes)) {
			size, written = 0, true // it was left out
		}
	}
	if !written {
		return nil, false
	}
	p.number, p.at, p.into = f.Number, p.at+len(field), p.into+size
	return p.out[p.into-size : p.into], true
}

// equal reports whether a value is the same as that which next has returned.
func (p *pair) equal(value []byte) bool {
	return p.unlike != p.begin+1 && bytes.Equal(value, p.payload[p.value.from:p.value.to])
}

// next returns the next field with a number, and whether it was left out. The apiserver writes fields in order of
// their numbers.
func (p *pair) next(number int) (_ Result, left bool) {
	for p.number < number || p.taken {
		if !p.read() {
			break
		}
	}
	if p.taken = p.number == number; !p.taken {
		return Result{}, false
	}
	return Result{p.payload[p.value.from:p.value.to], p.out[p.result.from:p.result.to]}, p.left
}

// read reads the next field that has bytes, and reports whether there is one. It gives up on what Rewrite would not
// have written: then all that follows is rewritten anew.
func (p *pair) read() bool {
	for p.taken = false; p.at < len(p.payload); {
		field, out := encoded.FieldsOf(p.payload[p.at:]), encoded.FieldsOf(p.out[p.into:])
		if !field.Next() {
			break
		}
		begin := p.at
		p.at = len(p.payload) - len(field.Rest())
		f := p.message.Field(field.Number)
		if f == nil {
			continue
		}
		written := out.Next() && out.Number == field.Number && out.Type == field.Type
		if f.Map && field.Type == protowire.BytesType {
			key := keyOf(field.Bytes)
			if len(key) == 0 {
				break
			}
			written = written && bytes.Equal(key, keyOf(out.Bytes))
			p.left = !written
		} else if p.left = false; !written {
			break
		}
		p.result = span{p.into, p.into}
		if written {
			p.into = len(p.out) - len(out.Rest())
			p.result = span{p.into - len(out.Bytes), p.into}
		}
		if field.Type == protowire.BytesType {
			p.number, p.begin, p.value = field.Number, begin, span{p.at - len(field.Bytes), p.at}
			return true
		}
	}
	p.payload, p.out, p.at, p.into, p.number = nil, nil, 0, 0, 0
	return false
}

// looksMost limits the comparisons of rest, each of which may read all of a message.
const looksMost = 8

// rest returns the result of what follows the field that was taken, if it is the same as what is left of the message
// that is being rewritten.
func (p *pair) rest(raw []byte) ([]byte, bool) {
	if !p.taken || p.payload == nil || len(raw) != len(p.payload)-p.at || p.looked == looksMost {
		return nil, false
	}
	p.looked++
	return p.out[p.into:], bytes.Equal(raw, p.payload[p.at:])
}

// keyOf returns the key of a map entry; nothing if the entry has anything besides a key and a value.
func keyOf(entry []byte) []byte {
	const keyTag, valueTag = 1<<3 | byte(protowire.BytesType), 2<<3 | byte(protowire.BytesType)
	if len(entry) == 0 || entry[0] != keyTag {
		return nil
	}
	key, size := protowire.ConsumeBytes(entry[1:])
	end := 1 + size
	if size < 0 || end == len(entry) || entry[end] != valueTag {
		return nil
	}
	if _, size = protowire.ConsumeBytes(entry[end+1:]); size != len(entry)-end-1 {
		return nil
	}
	return key
}
