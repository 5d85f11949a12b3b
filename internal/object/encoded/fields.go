package encoded

import (
	"fmt"

	"google.golang.org/protobuf/encoding/protowire"
)

// MaxDepth is how deep a message may nest. The recursive types of Kubernetes nest only a few levels in practice.
const MaxDepth = 100

// Fields reads the fields of a protobuf message one after the other:
//
//	for f := encoded.FieldsOf(raw); f.Next(); { … f.Number, f.Bytes … }
//
// Next returns false at the end, and at a field that is malformed: then Err says so. A group is malformed, too: Kubernetes
// has none, and nobody who reads a field by its Bytes would look into one.
type Fields struct {
	Number int
	Type   protowire.Type
	Num    uint64 // of a varint or of 64 bits
	Bytes  []byte // of a string, bytes or a message; it aliases the message

	rest []byte // what follows the field
	raw  []byte // the field, and what follows it
	tag  int
	err  int // of protowire, below 0
}

// FieldsOf returns the fields of a message.
func FieldsOf(msg []byte) Fields { return Fields{rest: msg} }

// Next reads the next field. Short tags and lengths need no further calls, which cost much in WebAssembly.
func (f *Fields) Next() bool {
	msg := f.rest
	if len(msg) > 2 && msg[0] < 0x80 && msg[0]>>3 > 0 {
		head, size := 0, 0
		switch typ := protowire.Type(msg[0] & 7); {
		case typ == protowire.VarintType && msg[1] < 0x80:
			f.Number, f.Type, f.Num, f.Bytes = int(msg[0]>>3), typ, uint64(msg[1]), nil
			f.raw, f.rest, f.tag = msg, msg[2:], 1
			return true
		case typ != protowire.BytesType:
		case msg[1] < 0x80:
			head, size = 2, int(msg[1])
		case msg[2] < 0x80:
			head, size = 3, int(msg[1]&0x7f)|int(msg[2])<<7
		}
		if head > 0 && head+size <= len(msg) {
			f.Number, f.Type, f.Num, f.Bytes = int(msg[0]>>3), protowire.BytesType, 0, msg[head:head+size:head+size]
			f.raw, f.rest, f.tag = msg, msg[head+size:], 1
			return true
		}
	}
	return len(msg) > 0 && f.nextLong()
}

// nextLong reads a field of any size.
func (f *Fields) nextLong() bool {
	msg := f.rest
	number, typ, tag := protowire.ConsumeTag(msg)
	size := tag
	if tag > 0 {
		f.Num, f.Bytes = 0, nil
		switch value := msg[tag:]; typ {
		case protowire.VarintType:
			f.Num, size = protowire.ConsumeVarint(value)
		case protowire.BytesType:
			f.Bytes, size = protowire.ConsumeBytes(value)
		case protowire.Fixed64Type:
			f.Num, size = protowire.ConsumeFixed64(value)
		case protowire.Fixed32Type:
			_, size = protowire.ConsumeFixed32(value)
		default:
			size = protowire.ConsumeFieldValue(number, protowire.EndGroupType, nil)
		}
	}
	if size < 0 {
		f.err = size
		return false
	}
	f.Number, f.Type, f.raw, f.rest, f.tag = int(number), typ, msg, msg[tag+size:], tag
	return true
}

// Raw returns the whole field, with its tag.
func (f *Fields) Raw() []byte { return f.raw[:len(f.raw)-len(f.rest)] }

// Tag returns the tag of the field.
func (f *Fields) Tag() []byte { return f.raw[:f.tag] }

// Rest returns what follows the field.
func (f *Fields) Rest() []byte { return f.rest }

// Err returns ErrMalformed if Next has ended before the end of the message.
func (f *Fields) Err() error {
	if f.err < 0 {
		return fmt.Errorf("%w: %v", ErrMalformed, protowire.ParseError(f.err))
	}
	return nil
}

// Last returns the bytes of the last field with a number, which is the one that counts; nil if there is none.
func Last(msg []byte, number int) (found []byte) {
	f := FieldsOf(msg)
	for f.Next() {
		if f.Number == number {
			found = f.Bytes
		}
	}
	if f.err < 0 {
		return nil
	}
	return found
}

// Pair returns the two texts of an entry of a map of strings. The type of an object, and what wraps objects, have the
// same shape.
func Pair(msg []byte) (key, value []byte, err error) {
	f := FieldsOf(msg)
	for f.Next() {
		switch f.Number {
		case 1:
			key = f.Bytes
		case 2:
			value = f.Bytes
		}
	}
	return key, value, f.Err()
}
