package object

import (
	"errors"
	"iter"

	"google.golang.org/protobuf/encoding/protowire"

	"watchglass/internal/query"
)

// messageNode is a message of a built-in kind, as paths traverse it. Malformed parts count as
// missing: the decoder reports them.
type messageNode struct {
	message *Message
	raw     []byte
}

// fieldNode is a list or a map in a message.
type fieldNode struct {
	field  *Field
	values []Value
}

// jsonNode is a value in JSON. A scalar of a message is one too.
type jsonNode []byte

var _, _, _ query.Node = messageNode{}, fieldNode{}, jsonNode(nil)

// Member returns a field by its name in JSON. A field that the apiserver would omit is missing.
func (n messageNode) Member(name string) query.Node {
	message, raw := n.message, n.raw
	chain := message.find(name)
	for i, f := range chain {
		values := valuesOf(raw, f.Number)
		if len(values) == 0 {
			return nil
		}
		if i == len(chain)-1 {
			return f.node(values)
		}
		raw = lastOf(values).Bytes
	}
	return nil
}

// valuesOf returns the values of one field of a message.
func valuesOf(raw []byte, number int) (values []Value) {
	for len(raw) > 0 {
		n, typ, size := protowire.ConsumeTag(raw)
		if size < 0 {
			return nil
		}
		raw = raw[size:]
		if int(n) != number {
			size = protowire.ConsumeFieldValue(n, typ, raw)
		} else {
			var v Value
			v.Num, v.Bytes, size = consume(n, typ, raw)
			values = append(values, v)
		}
		if size < 0 {
			return nil
		}
		raw = raw[size:]
	}
	return values
}

// node returns the node of a field that has values.
func (f *Field) node(values []Value) query.Node {
	if f.Repeated || f.Map {
		return fieldNode{f, values}
	}
	last := lastOf(values)
	if !f.Always && f.isZero(last) {
		return nil
	}
	return f.element(last)
}

// element returns the node of one value of a field.
func (f *Field) element(v Value) query.Node {
	if f.scalar == isMessage {
		return messageNode{f.Message(), v.Bytes}
	}
	doc, err := f.appendValue(nil, v, 0)
	if err != nil || string(doc) == "null" {
		return nil
	}
	return jsonNode(doc)
}

func (n messageNode) Elements() iter.Seq[query.Node] { return jsonNode(n.json()).Elements() }
func (n messageNode) Text() string                   { return string(n.json()) }
func (n messageNode) Size() int                      { return len(n.raw) }

func (n messageNode) json() []byte {
	doc, err := n.message.JSON(n.raw)
	if err != nil {
		return nil
	}
	return doc
}

// Member returns an entry of a map, or nil.
func (n fieldNode) Member(name string) query.Node {
	if !n.field.Map {
		return nil
	}
	var found query.Node
	n.entries(func(key string, v Value) bool {
		if key == name {
			found = n.field.element(v)
		}
		return key != name
	})
	return found
}

// entries calls f for each entry of a map, until f returns false or an entry is malformed.
func (n fieldNode) entries(f func(key string, v Value) bool) {
	var entry Values
	for _, v := range n.values {
		if mapEntry.Scan(v.Bytes, &entry) != nil {
			return
		}
		var value Value
		if entry.Has(1) {
			value = entry.All(1)[0]
		}
		if !f(string(entry.Bytes(0)), value) {
			return
		}
	}
}

func (n fieldNode) Elements() iter.Seq[query.Node] {
	return func(yield func(query.Node) bool) {
		if n.field.Map {
			n.entries(func(_ string, v Value) bool { return yield(n.field.element(v)) })
			return
		}
		for _, v := range n.values {
			if !yield(n.field.element(v)) {
				return
			}
		}
	}
}

// Text returns the list or the map in JSON.
func (n fieldNode) Text() string {
	write := n.field.appendList
	if n.field.Map {
		write = n.field.appendMap
	}
	doc, err := write(nil, n.values, 0)
	if err != nil {
		return ""
	}
	return string(doc)
}

// Size returns the size of the values.
func (n fieldNode) Size() (size int) {
	for _, v := range n.values {
		size += len(v.Bytes)
	}
	return size
}

// errFound stops the scan of a document.
var errFound = errors.New("found")

func (n jsonNode) Member(name string) query.Node {
	var found query.Node
	if len(n) == 0 || n[0] != '{' {
		return nil
	}
	_ = Members(n, func(key string, value []byte) error { // malformed parts count as missing
		if key != name {
			return nil
		}
		if string(value) != "null" {
			found = jsonNode(value)
		}
		return errFound
	})
	return found
}

func (n jsonNode) Elements() iter.Seq[query.Node] {
	return func(yield func(query.Node) bool) {
		each := func(value []byte) error {
			if !yield(jsonNode(value)) {
				return errFound
			}
			return nil
		}
		switch {
		case len(n) == 0:
		case n[0] == '[':
			_ = Elements(n, each) // as above
		case n[0] == '{':
			_ = Members(n, func(_ string, value []byte) error { return each(value) })
		}
	}
}

// Text returns the text of a string, and any other value as JSON.
func (n jsonNode) Text() string { return unquote(n) }
func (n jsonNode) Size() int    { return len(n) }
