// Package schema is a noun: what the messages of the Kubernetes API are, field by field.
//
// In: schema.txt, which is generated from the Go types of the API. Out: the Message of a kind, which gives the number
// of each field of its JSON, and its type. The text is constant, and each message is parsed when it is first needed.
package schema

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// schemaText lists every message of the built-in kinds, one field per line: number, JSON name
// ("-" for a field that JSON inlines), type, and "!" if JSON writes the value even when it is
// zero. TestSchema of package object generates and checks it.
//
//go:embed schema.txt
var schemaText string

// A Type is how a field's value is encoded.
type Type uint8

// The types.
const (
	Nested Type = iota // a message
	String
	Bytes
	Bool
	Int
	Float
	// The rest are messages with a JSON format of their own.
	Time
	MicroTime
	Duration
	Quantity
	IntOrString
	Raw       // field 1 is JSON, verbatim
	Strings   // field 1 repeated, a list
	OrBool    // JSONSchemaPropsOrBool
	OrArray   // JSONSchemaPropsOrArray
	OrStrings // JSONSchemaPropsOrStringArray
	types     = iota
)

var typeNames = [types]string{
	String: "string", Bytes: "bytes", Bool: "bool", Int: "int", Float: "float",
	Time: "Time", MicroTime: "MicroTime", Duration: "Duration", Quantity: "Quantity",
	IntOrString: "IntOrString", Raw: "Raw", Strings: "Strings",
	OrBool: "OrBool", OrArray: "OrArray", OrStrings: "OrStrings",
}

// A Field of a message.
type Field struct {
	Number   int
	Name     string // in JSON; empty if JSON inlines its fields
	Repeated bool
	Map      bool // a map from strings to the type
	Always   bool // JSON writes it even when it is zero

	Type    Type
	message *reference // nil: the field is no message
}

// Message returns the type of a field that is a message, or nil.
func (f *Field) Message() *Message {
	if f.message == nil {
		return nil
	}
	m := f.message.to.Load()
	if m == nil {
		m = messageNamed(f.message.name)
		f.message.to.Store(m)
	}
	return m
}

// reference is the type of a field by its name, and once somebody has asked for it, by itself.
type reference struct {
	name string
	to   atomic.Pointer[Message]
}

// A Message is one protobuf type.
type Message struct {
	Name     string
	Fields   []Field
	Self     Field   // a field of this type, for what is in no other message
	byNumber []int16 // field number → index into Fields + 1
}

// Field returns the field with a number, or nil.
func (m *Message) Field(number int) *Field {
	if i := m.Index(number); i >= 0 {
		return &m.Fields[i]
	}
	return nil
}

// Index returns which of the fields has a number; -1 if none has.
func (m *Message) Index(number int) int {
	if number <= 0 || number >= len(m.byNumber) {
		return -1
	}
	return int(m.byNumber[number]) - 1
}

// Reaches reports whether a field with one of the names, or JSON, may be in the message or in those within it.
func (m *Message) Reaches(names []string) bool { return m.reaches(names, make(map[*Message]bool)) }

func (m *Message) reaches(names []string, seen map[*Message]bool) bool {
	if seen[m] {
		return false
	}
	seen[m] = true
	return slices.ContainsFunc(m.Fields, func(f Field) bool {
		within := f.Message()
		return f.Type == Raw || slices.Contains(names, f.Name) || within != nil && within.reaches(names, seen)
	})
}

// Lookup resolves a JSON name to the chain of fields that leads to it. There are several where
// JSON inlines what protobuf nests.
func (m *Message) Lookup(name string) []*Field {
	for i := range m.Fields {
		f := &m.Fields[i]
		if f.Name == name {
			return []*Field{f}
		}
		if f.Name == "" {
			if rest := f.Message().Lookup(name); rest != nil {
				return append([]*Field{f}, rest...)
			}
		}
	}
	return nil
}

// Has reports whether a message has a field of a JSON name, or inlines one.
func (m *Message) Has(name string) bool {
	return slices.ContainsFunc(m.Fields, func(f Field) bool { return f.Name == name || f.Name == "" && f.Message().Has(name) })
}

// FieldNumber returns the number of the last field of a path without lists: FieldNumber("v1",
// "Secret", "metadata.managedFields"). The path must exist.
func FieldNumber(apiVersion, kind, path string) int {
	m, ok := Of(apiVersion, kind)
	number := 0
	for name := range strings.SplitSeq(path, ".") {
		if !ok || m == nil {
			panic("no schema for " + apiVersion + " " + kind + " " + path)
		}
		chain := m.Lookup(name)
		ok = len(chain) == 1
		if ok {
			number, m = chain[0].Number, chain[0].Message()
		}
	}
	if !ok {
		panic("no schema for " + apiVersion + " " + kind + " " + path)
	}
	return number
}

// schema caches what was parsed from schemaText: the offset of every message, and the messages
// that were requested.
var schema struct {
	once     sync.Once
	mu       sync.Mutex
	kinds    map[string]string // "v1 Pod" → message
	offsets  map[string]int
	messages map[string]*Message
}

// Of returns the message of a built-in kind: Of("apps/v1", "Deployment").
func Of(apiVersion, kind string) (*Message, bool) {
	schema.once.Do(indexSchema)
	name, ok := schema.kinds[apiVersion+" "+kind]
	if !ok {
		return nil, false
	}
	return messageNamed(name), true
}

// Known reports whether a kind is built in.
func Known(apiVersion, kind string) bool {
	schema.once.Do(indexSchema)
	_, ok := schema.kinds[apiVersion+" "+kind]
	return ok
}

// indexSchema records where each message begins. A message's header is a line that does not
// begin with a digit: its name, then its kinds.
func indexSchema() {
	schema.kinds = make(map[string]string)
	schema.offsets = make(map[string]int)
	schema.messages = make(map[string]*Message)
	for at := 0; at < len(schemaText); {
		end := at + strings.IndexByte(schemaText[at:], '\n')
		line := schemaText[at:end]
		at = end + 1
		if line == "" || line[0] == '#' || line[0] >= '0' && line[0] <= '9' {
			continue
		}
		name, kinds, _ := strings.Cut(line, " ")
		schema.offsets[name] = at
		for kind := range strings.SplitSeq(kinds, ",") {
			if kind != "" {
				schema.kinds[kind] = name
			}
		}
	}
}

func messageNamed(name string) *Message {
	if name == "" {
		return nil
	}
	schema.once.Do(indexSchema)
	schema.mu.Lock()
	defer schema.mu.Unlock()
	if m, ok := schema.messages[name]; ok {
		return m
	}
	at, ok := schema.offsets[name]
	if !ok {
		panic(fmt.Sprintf("schema has no message %q", name)) // TestMessages
	}
	var fields []Field
	for line := range strings.Lines(schemaText[at:]) {
		if line[0] < '0' || line[0] > '9' {
			break
		}
		fields = append(fields, parseField(line[:len(line)-1]))
	}
	m := newMessage(name, fields...)
	schema.messages[name] = m
	return m
}

func newMessage(name string, fields ...Field) *Message {
	m := &Message{Name: name, Fields: fields, Self: Field{message: &reference{name: name}}}
	for i, f := range fields {
		for len(m.byNumber) <= f.Number {
			m.byNumber = append(m.byNumber, 0)
		}
		m.byNumber[f.Number] = int16(i + 1)
	}
	return m
}

// parseField parses "14 containers []core/v1.Container !".
func parseField(line string) Field {
	number, rest, _ := strings.Cut(line, " ")
	name, rest, _ := strings.Cut(rest, " ")
	typ, always, _ := strings.Cut(rest, " ")
	f := Field{Name: name, Always: always == "!"}
	if name == "-" {
		f.Name = ""
	}
	f.Number, _ = strconv.Atoi(number) // TestMessages
	if t, ok := strings.CutPrefix(typ, "[]"); ok {
		f.Repeated, typ = true, t
	}
	if t, ok := strings.CutPrefix(typ, "{}"); ok {
		f.Map, typ = true, t
	}
	if t := slices.Index(typeNames[:], typ); t > 0 {
		f.Type = Type(t)
	}
	switch f.Type {
	case Nested:
		f.message = &reference{name: typ}
	case OrBool, OrArray, OrStrings:
		f.message = ofSchema
	}
	return f
}

// Inner returns the message of a type with a JSON format of its own that has texts in it; nil for the others.
func (f *Field) Inner() *Message {
	switch f.Type {
	case IntOrString:
		return intOrString
	case Strings:
		return listOfStrings
	case OrBool, OrArray:
		return orSchemas
	case OrStrings:
		return orStrings
	}
	return nil
}

// The messages of Inner. JSON has no names for their fields, except that the elements of a list of lists are named in
// the path of an edit.
var (
	intOrString   = newMessage("", Field{Number: 1, Name: "type", Type: Int}, Field{Number: 2, Name: "intVal", Type: Int}, Field{Number: 3, Type: String})
	listOfStrings = newMessage("", Field{Number: 1, Name: "[]", Repeated: true, Type: String})
	orSchemas     = newMessage("", Field{Number: 1, message: ofSchema}, Field{Number: 2, Repeated: true, message: ofSchema})
	orStrings     = newMessage("", Field{Number: 1, message: ofSchema}, Field{Number: 2, Repeated: true, Type: String})
	ofSchema      = &reference{name: "apiextensions/v1.JSONSchemaProps"}
)
