package object

import (
	"bytes"

	"google.golang.org/protobuf/encoding/protowire"
)

// pair is what is left of a message that was rewritten before, and of its result. Both are read in step with the
// message that is being rewritten, so that where the three agree nothing is read at all.
type pair struct {
	message      *Message
	payload, out []byte

	// The field that was read last: it is the next one to be used, unless it was taken.
	field  Rewritten
	number protowire.Number
	left   bool // it was left out
	taken  bool
	looked int // how often rest has compared in vain
}

// next returns the next field with a number, and whether it was left out. The apiserver writes fields in
// order of their numbers.
func (p *pair) next(number protowire.Number) (_ Rewritten, left bool) {
	for p.number < number || p.taken {
		if !p.read() {
			break
		}
	}
	if p.taken = p.number == number; !p.taken {
		return Rewritten{}, false
	}
	return p.field, p.left
}

// read reads the next field that has bytes, and reports whether there is one. It gives up on what Rewrite would not
// have written: then all that follows is rewritten anew.
func (p *pair) read() bool {
	for p.taken = false; len(p.payload) > 0; {
		number, typ, _, value, size := readField(p.payload)
		if size < 0 {
			break
		}
		p.payload = p.payload[size:]
		f := p.message.Field(int(number))
		if f == nil {
			continue
		}
		same, kind, _, result, size := readField(p.out)
		written := size >= 0 && same == number && kind == typ
		if f.Map && typ == protowire.BytesType {
			key := keyOf(value)
			if len(key) == 0 {
				break
			}
			written = written && bytes.Equal(key, keyOf(result))
			p.left = !written
		} else if p.left = false; !written {
			break
		}
		if written {
			p.out = p.out[size:]
		}
		if typ == protowire.BytesType {
			p.number, p.field = number, Rewritten{value, result}
			return true
		}
	}
	p.payload, p.out, p.number = nil, nil, 0
	return false
}

// looksMost limits the comparisons of rest, each of which may read all of a message.
const looksMost = 8

// rest returns the result of what follows the field that was taken, if it is the same as what is left of the message
// that is being rewritten.
func (p *pair) rest(raw []byte) ([]byte, bool) {
	if !p.taken || len(raw) != len(p.payload) || p.looked == looksMost {
		return nil, false
	}
	p.looked++
	return p.out, bytes.Equal(raw, p.payload)
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
