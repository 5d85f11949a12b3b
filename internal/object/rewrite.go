package object

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// An Edit decides about one text of an object: what it becomes, and whether it stays. The path has
// the names of the members that lead to it, without the indexes of lists; that of a value of a map
// ends in its key. The text of bytes is the bytes. The path is valid only during the call.
type Edit func(path []string, text string) (now string, stays bool)

// Rewrite passes each text of a payload of the kind to an edit, and returns the payload that
// results: an object in protobuf or JSON, or a row of a Table. Fields that the schema does not know are
// left out, since nobody could decide about them.
func (k Kind) Rewrite(payload []byte, edit Edit) ([]byte, error) {
	return k.RewriteNext(Rewritten{}, payload, edit)
}

// Rewritten is a payload, and what the same edit made of it.
type Rewritten struct{ Payload, Out []byte }

// RewriteNext is Rewrite for a later version of an object, or of one that is like it: what is the same in
// both is copied, and not passed to the edit again, whose answers must depend on nothing else.
func (k Kind) RewriteNext(last Rewritten, payload []byte, edit Edit) ([]byte, error) {
	e := editor{edit: edit}
	raw, ok := bytes.CutPrefix(payload, magic)
	if !ok {
		return e.document(make([]byte, 0, len(payload)), payload)
	}
	apiVersion, kind, raw, ok := envelope(raw)
	m, known := MessageOf(k.APIVersion(), k.Name)
	if !ok || !known || string(apiVersion) != k.APIVersion() || string(kind) != k.Name {
		return nil, fmt.Errorf("%w: %q %q", ErrKind, apiVersion, kind)
	}
	out, err := e.message(make([]byte, 0, len(raw)), m, raw, last.unwrapped())
	if err != nil {
		return nil, err
	}
	return k.Wrap(nil, out), nil
}

// unwrapped returns the messages in protobuf of both; nothing if they are none.
func (w Rewritten) unwrapped() Rewritten {
	payload, one := bytes.CutPrefix(w.Payload, magic)
	out, two := bytes.CutPrefix(w.Out, magic)
	if !one || !two {
		return Rewritten{}
	}
	_, _, payload, one = envelope(payload)
	_, _, out, two = envelope(out)
	if !one || !two {
		return Rewritten{}
	}
	return Rewritten{payload, out}
}

// editor applies an Edit.
type editor struct {
	edit  Edit
	path  []string
	depth int
	known []known // of the messages that are read, the deepest last
}

// down calls f for a member.
func (e *editor) down(name string, f func() error) error {
	e.path = append(e.path, name)
	err := e.deeper(f)
	e.path = e.path[:len(e.path)-1]
	return err
}

// deeper calls f one level deeper, and limits how deep that is.
func (e *editor) deeper(f func() error) error {
	if e.depth >= maxDepth {
		return fmt.Errorf("%w: nests deeper than %d", ErrMalformed, maxDepth)
	}
	e.depth++
	err := f()
	e.depth--
	return err
}

// message appends a message.
func (e *editor) message(dst []byte, m *Message, raw []byte, last Rewritten) ([]byte, error) {
	if last.Payload != nil && bytes.Equal(raw, last.Payload) {
		return append(dst, last.Out...), nil
	}
	before := e.pair(m, last)
	defer before.end()
	for len(raw) > 0 {
		number, typ, size := protowire.ConsumeTag(raw)
		if size < 0 {
			return dst, ErrMalformed
		}
		tag := raw[:size]
		raw = raw[size:]
		var v Value
		if v.Num, v.Bytes, size = consume(number, typ, raw); size < 0 {
			return dst, ErrMalformed
		}
		value := raw[:size]
		raw = raw[size:]
		f := m.Field(int(number))
		if f == nil {
			continue
		}
		if typ != protowire.BytesType {
			dst = append(append(dst, tag...), value...)
			continue
		}
		begin := len(dst)
		dst = append(dst, tag...)
		at, stays := len(dst), true
		of := before.next(number)
		field := func() (err error) {
			dst, stays, err = e.field(dst, f, v.Bytes, of)
			return err
		}
		err := error(nil)
		if f.Name == "" { // JSON inlines it
			err = e.deeper(field)
		} else {
			err = e.down(f.Name, field)
		}
		if err != nil {
			return dst, err
		}
		if dst = prefixed(dst, at); !stays {
			dst = dst[:begin]
		}
	}
	return dst, nil
}

// prefixed puts the length of what follows an offset before it.
func prefixed(dst []byte, at int) []byte {
	var length [binary.MaxVarintLen64]byte
	return slices.Insert(dst, at, length[:binary.PutUvarint(length[:], uint64(len(dst)-at))]...)
}

// field appends the value of a field without its length, and reports whether the field stays.
func (e *editor) field(dst []byte, f *Field, raw []byte, last Rewritten) ([]byte, bool, error) {
	if f.Map {
		return e.entry(dst, f, raw)
	}
	switch f.scalar {
	case isString, isBytes:
		if last.Payload != nil && bytes.Equal(raw, last.Payload) {
			return append(dst, last.Out...), true, nil
		}
		now, stays := e.edit(e.path, string(raw))
		return append(dst, now...), stays, nil
	case isMessage:
		dst, err := e.message(dst, f.Message(), raw, last)
		return dst, true, err
	case isRaw:
		return e.raw(dst, raw)
	case isStrings:
		dst, err := e.message(dst, listOfStrings, raw, last)
		return dst, true, err
	}
	return append(dst, raw...), true, nil // times, quantities and numbers
}

// listOfStrings is the message of a list of lists of strings.
var listOfStrings = &Message{Fields: []Field{{Number: 1, Name: "[]", Repeated: true, scalar: isString}}, byNumber: []int16{0, 1}}

// entry appends an entry of a map.
func (e *editor) entry(dst []byte, f *Field, raw []byte) (_ []byte, stays bool, err error) {
	var values Values
	if err := mapEntry.Scan(raw, &values); err != nil {
		return dst, false, err
	}
	key := values.Bytes(0)
	dst = protowire.AppendBytes(protowire.AppendTag(dst, 1, protowire.BytesType), key)
	dst = protowire.AppendTag(dst, 2, protowire.BytesType)
	at, one := len(dst), *f
	one.Map = false
	err = e.down(string(key), func() (err error) {
		dst, stays, err = e.field(dst, &one, values.Bytes(1), Rewritten{})
		return err
	})
	return prefixed(dst, at), stays, err
}

// raw appends a message whose field 1 is JSON, and perhaps of another kind.
func (e *editor) raw(dst, raw []byte) ([]byte, bool, error) {
	values, err := special.split(raw)
	if err != nil {
		return dst, false, err
	}
	doc := lastOf(values[0]).Bytes
	if len(doc) == 0 {
		return dst, true, nil
	}
	dst = protowire.AppendTag(dst, 1, protowire.BytesType)
	at := len(dst)
	dst, stays, err := e.value(dst, doc)
	return prefixed(dst, at), stays, err
}

// document appends an object, or a row of a Table.
func (e *editor) document(dst, doc []byte) ([]byte, error) {
	cells, obj, err := splitRow(doc)
	if err != nil {
		return dst, err
	}
	if cells == nil {
		dst, _, err = e.value(dst, obj)
		return dst, err
	}
	dst = append(dst, `{"cells":`...)
	if err = e.down("cells", func() (err error) {
		dst, _, err = e.value(dst, cells)
		return err
	}); err != nil {
		return dst, err
	}
	dst, _, err = e.value(append(dst, `,"object":`...), obj)
	return append(dst, '}'), err
}

// value appends a value in JSON, and reports whether it stays. A text that does not stay in a list
// becomes empty, so that the others keep their places.
func (e *editor) value(dst, doc []byte) (_ []byte, stays bool, err error) {
	switch doc = doc[space(doc, 0):]; {
	case len(doc) == 0:
		return dst, false, ErrMalformed
	case doc[0] == '{':
		dst, err = e.members(dst, doc)
		return dst, true, err
	case doc[0] == '[':
		dst = append(dst, '[')
		err = e.deeper(func() error {
			return Elements(doc, func(value []byte) (err error) {
				if dst[len(dst)-1] != '[' {
					dst = append(dst, ',')
				}
				before := len(dst)
				if dst, stays, err = e.value(dst, value); !stays {
					dst = append(dst[:before], `""`...)
				}
				return err
			})
		})
		return append(dst, ']'), true, err
	case doc[0] == '"':
		now, stays := e.edit(e.path, unquote(doc))
		return AppendString(dst, now), stays, nil
	}
	return append(dst, doc...), true, nil
}

// members appends an object in JSON.
func (e *editor) members(dst, doc []byte) ([]byte, error) {
	dst = append(dst, '{')
	err := Members(doc, func(key string, value []byte) error {
		before := len(dst)
		if dst[before-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(AppendString(dst, key), ':')
		return e.down(key, func() (err error) {
			var stays bool
			if dst, stays, err = e.value(dst, value); !stays {
				dst = dst[:before]
			}
			return err
		})
	})
	return append(dst, '}'), err
}
