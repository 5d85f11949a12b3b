// Package tree is a noun: one value in an object, as JSON has it, whether the object came in protobuf or in JSON.
//
// In: the bytes of an object and, for protobuf, the message of its kind. Out: a Node, whose parts are found by their
// names, and the differences between two of them. Nothing is decoded but what is asked for.
package tree

import (
	"errors"
	"iter"
	"strings"
	"unicode/utf8"

	"watchglass/internal/object/encoded"
	"watchglass/internal/object/schema"
)

// Kind is what a Node is in JSON.
type Kind uint8

// The kinds.
const (
	Absent Kind = iota
	Null        // in a list; elsewhere it counts as absent
	Object
	Map // an object whose names are no fields; in JSON, such objects are of kind Object
	List
	String
	Number
	Bool
)

// Node is a value in an object. It is immutable, aliases the object's bytes, and costs no memory. What is malformed
// counts as absent, and so does what the apiserver omits in JSON; the zero Node is absent.
type Node struct {
	// field is what the schema says of the value; nil: it is JSON.
	field *schema.Field
	num   uint64
	// raw is JSON, or the bytes of the value in protobuf. A list or a map begins with its first field, and ends with its
	// last.
	raw  []byte
	kind Kind
}

// FromMessage returns the object that is encoded in a message.
func FromMessage(m *schema.Message, raw []byte) Node {
	return Node{field: &m.Self, raw: raw, kind: Object}
}

// FromJSON returns the value of a JSON text.
func FromJSON(doc []byte) Node {
	n := Node{raw: doc, kind: Number}
	if len(doc) == 0 {
		return Node{}
	}
	switch doc[0] {
	case '{':
		n.kind = Object
	case '[':
		n.kind = List
	case '"':
		n.kind = String
	case 't', 'f':
		n.kind = Bool
	case 'n':
		n.kind = Null
	}
	return n
}

// FromText returns a text.
func FromText(text string) Node { return Node{field: &textField, raw: []byte(text), kind: String} }

var textField = schema.Field{Type: schema.String}

// kinds are the kinds of the types that are one value; the others are told by their bytes.
var kinds = [...]Kind{
	schema.Nested: Object, schema.String: String, schema.Bytes: String, schema.Bool: Bool, schema.Int: Number, schema.Float: Number,
	schema.Duration: String,
}

// valueOf returns one value of a field.
func valueOf(f *schema.Field, num uint64, raw []byte) Node {
	if int(f.Type) < len(kinds) && kinds[f.Type] != Absent {
		return Node{f, num, raw, kinds[f.Type]}
	}
	return special(f, raw)
}

// special returns a value of a type with a JSON format of its own.
func special(f *schema.Field, raw []byte) Node {
	if f.Type == schema.Time || f.Type == schema.MicroTime {
		if len(raw) == 0 {
			return Node{}
		}
		return Node{field: f, raw: raw, kind: String}
	}
	if f.Type == schema.Strings {
		return Node{field: f.Inner().Field(1), raw: raw, kind: List}
	}
	var num, second uint64
	var one, two, three []byte
	for all := encoded.FieldsOf(raw); all.Next(); {
		switch all.Number {
		case 1:
			num, one = all.Num, all.Bytes
		case 2:
			second, two = all.Num, all.Bytes
		case 3:
			three = all.Bytes
		}
	}
	switch f.Type {
	case schema.Quantity:
		return Node{field: f, raw: one, kind: String}
	case schema.IntOrString:
		if num == 0 {
			return Node{field: f, num: uint64(int32(second)), kind: Number}
		}
		return Node{field: f, raw: three, kind: String}
	case schema.Raw:
		return FromJSON(one)
	case schema.OrBool:
		if two == nil {
			return Node{field: f, num: num, kind: Bool}
		}
		return FromMessage(f.Message(), two)
	}
	if one != nil {
		return FromMessage(f.Message(), one)
	}
	return Node{field: f.Inner().Field(2), raw: raw, kind: List}
}

// Kind returns what the value is.
func (n Node) Kind() Kind { return n.kind }

// Exists reports whether the value is there, and is not null.
func (n Node) Exists() bool { return n.kind > Null }

// IsJSON reports whether the value is in JSON, of which Raw is the text.
func (n Node) IsJSON() bool { return n.field == nil }

// Raw returns the bytes of the value: JSON, or its encoding in protobuf.
func (n Node) Raw() []byte { return n.raw }

// Size returns about how many bytes are read to find a member.
func (n Node) Size() int { return len(n.raw) }

// At follows a path of names with dots; it is absent if any of them is.
func (n Node) At(path string) Node {
	for name := range strings.SplitSeq(path, ".") {
		n = n.Get(name)
	}
	return n
}

// Get returns the value of a name in an object.
func (n Node) Get(name string) Node {
	switch {
	case n.kind == Object && n.field == nil:
		return memberOf(n.raw, name)
	case n.kind == Object:
		return fieldOf(n.field.Message(), n.raw, name)
	case n.kind == Map:
		for key, value := range n.entries() {
			if string(key) == name {
				return value
			}
		}
	}
	return Node{}
}

// memberOf returns a member of an object in JSON.
func memberOf(doc []byte, name string) (found Node) {
	_ = encoded.Members(doc, func(key string, value []byte) error { // malformed parts count as absent
		if key != name {
			return nil
		}
		if found = FromJSON(value); found.kind == Null {
			found = Node{}
		}
		return errFound
	})
	return found
}

// fieldOf returns a field of a message by its name in JSON, which inlines what protobuf nests.
func fieldOf(m *schema.Message, raw []byte, name string) Node {
	for i := range m.Fields {
		switch f := &m.Fields[i]; {
		case f.Name == name:
			return find(f, raw)
		case f.Name == "" && f.Message().Has(name):
			return fieldOf(f.Message(), encoded.Last(raw, f.Number), name)
		}
	}
	return Node{}
}

// find returns a field of a message.
func find(f *schema.Field, raw []byte) Node {
	var last Node
	first := 0
	all := encoded.FieldsOf(raw)
	for all.Next() {
		if all.Number != f.Number {
			continue
		}
		end := len(raw) - len(all.Rest())
		if last.field == nil {
			first = end - len(all.Raw())
		}
		last = Node{field: f, num: all.Num, raw: all.Bytes}
		if f.Repeated || f.Map {
			last.raw = raw[first:end]
		}
	}
	if last.field == nil || all.Err() != nil {
		return Node{}
	}
	return last.whole()
}

// whole returns the node of a field, given all of it.
func (n Node) whole() Node {
	switch f := n.field; {
	case f.Repeated:
		n.kind = List
		return n
	case f.Map:
		n.kind = Map
		return n
	case !f.Always && n.isZero():
		return Node{}
	}
	return valueOf(n.field, n.num, n.raw)
}

// isZero reports whether omitempty omits the value: protobuf encodes even a zero scalar.
func (n Node) isZero() bool {
	switch n.field.Type {
	case schema.String, schema.Bytes, schema.Time, schema.MicroTime:
		return len(n.raw) == 0
	case schema.Bool, schema.Int, schema.Float:
		return n.num == 0
	}
	return false
}

// Elements yields the elements of a list, or the values of an object.
func (n Node) Elements() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		switch {
		case n.kind == Object && n.field != nil:
			FromJSON([]byte(n.Text())).eachElement(yield)
		default:
			n.eachElement(yield)
		}
	}
}

func (n Node) eachElement(yield func(Node) bool) {
	switch {
	case n.kind == List && n.field == nil:
		_ = encoded.Elements(n.raw, func(value []byte) error { return wants(yield(FromJSON(value))) }) // as above
	case n.kind == List:
		for all := encoded.FieldsOf(n.raw); all.Next(); {
			if all.Number == n.field.Number && !yield(valueOf(n.field, all.Num, all.Bytes)) {
				return
			}
		}
	case n.kind == Object:
		_ = encoded.Members(n.raw, func(_ string, value []byte) error { return wants(yield(FromJSON(value))) })
	case n.kind == Map:
		for _, value := range n.entries() {
			if !yield(value) {
				return
			}
		}
	}
}

// errFound ends a scan.
var errFound = errors.New("found")

func wants(more bool) error {
	if more {
		return nil
	}
	return errFound
}

// entries yields the entries of a map in protobuf.
func (n Node) entries() iter.Seq2[[]byte, Node] {
	return func(yield func([]byte, Node) bool) {
		for all := encoded.FieldsOf(n.raw); all.Next(); {
			if all.Number != n.field.Number {
				continue
			}
			if key, value, ok := n.entry(all.Bytes); !ok || !yield(key, value) {
				return
			}
		}
	}
}

// entry returns an entry of a map.
func (n Node) entry(raw []byte) (key []byte, value Node, ok bool) {
	value.field = n.field
	all := encoded.FieldsOf(raw)
	for all.Next() {
		switch all.Number {
		case 1:
			key = all.Bytes
		case 2:
			value.num, value.raw = all.Num, all.Bytes
		}
	}
	return key, valueOf(n.field, value.num, value.raw), all.Err() == nil
}

// Text returns a scalar as in JSON, without quotes, and anything else in JSON.
func (n Node) Text() string {
	if n.field == nil {
		return encoded.Unquote(n.raw)
	}
	if n.kind == String && n.isText() {
		return validText(n.raw)
	}
	doc, err := n.AppendJSON(nil)
	if err != nil {
		return ""
	}
	return encoded.Unquote(doc)
}

// isText reports whether the bytes of a string are its text.
func (n Node) isText() bool {
	return n.field.Type == schema.String || n.field.Type == schema.Quantity || n.field.Type == schema.IntOrString
}

// validText returns a text with what is not UTF-8 replaced, as in JSON.
func validText(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	return encoded.Unquote(encoded.AppendString(nil, string(text)))
}

func validName(name string) string {
	if utf8.ValidString(name) {
		return name
	}
	return validText([]byte(name))
}
