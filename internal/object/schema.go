package object

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
// zero. TestSchema generates and checks it.
//
//go:embed schema.txt
var schemaText string

// scalar is how a field's value is encoded.
type scalar uint8

const (
	isMessage scalar = iota
	isString
	isBytes
	isBool
	isInt
	isFloat
	// The rest are messages with a JSON format of their own.
	isTime
	isMicroTime
	isDuration
	isQuantity
	isIntOrString
	isRaw         // field 1 is JSON, verbatim
	isStrings     // field 1 repeated, a list
	isOrBool      // JSONSchemaPropsOrBool
	isOrArray     // JSONSchemaPropsOrArray
	isOrStrings   // JSONSchemaPropsOrStringArray
	numberOfKinds = iota
)

var scalarNames = [numberOfKinds]string{
	isString: "string", isBytes: "bytes", isBool: "bool", isInt: "int", isFloat: "float",
	isTime: "Time", isMicroTime: "MicroTime", isDuration: "Duration", isQuantity: "Quantity",
	isIntOrString: "IntOrString", isRaw: "Raw", isStrings: "Strings",
	isOrBool: "OrBool", isOrArray: "OrArray", isOrStrings: "OrStrings",
}

// A Field of a message.
type Field struct {
	Number   int
	Name     string // in JSON; empty if JSON inlines its fields
	Repeated bool
	Map      bool // a map from strings to the type
	Always   bool // JSON writes it even when it is zero

	scalar  scalar
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
	Name   string
	Fields []Field

	byNumber []int16 // field number → index into Fields + 1
	alone    Field   // a field of this type
}

// Field returns the field with a number, or nil.
func (m *Message) Field(number int) *Field {
	if number <= 0 || number >= len(m.byNumber) || m.byNumber[number] == 0 {
		return nil
	}
	return &m.Fields[m.byNumber[number]-1]
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
		return f.scalar == isRaw || slices.Contains(names, f.Name) || within != nil && within.reaches(names, seen)
	})
}

// find resolves a JSON name to the chain of fields that leads to it. There are several where
// JSON inlines what protobuf nests.
func (m *Message) find(name string) []*Field {
	for i := range m.Fields {
		f := &m.Fields[i]
		if f.Name == name {
			return []*Field{f}
		}
		if f.Name == "" {
			if rest := f.Message().find(name); rest != nil {
				return append([]*Field{f}, rest...)
			}
		}
	}
	return nil
}

// FieldNumber returns the number of the last field of a path without lists: FieldNumber("v1",
// "Secret", "metadata.managedFields"). The path must exist.
func FieldNumber(apiVersion, kind, path string) int {
	m, ok := MessageOf(apiVersion, kind)
	number := 0
	for name := range strings.SplitSeq(path, ".") {
		if !ok || m == nil {
			panic("object: no schema for " + apiVersion + " " + kind + " " + path)
		}
		chain := m.find(name)
		ok = len(chain) == 1
		if ok {
			number, m = chain[0].Number, chain[0].Message()
		}
	}
	if !ok {
		panic("object: no schema for " + apiVersion + " " + kind + " " + path)
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

// MessageOf returns the message of a built-in kind: MessageOf("apps/v1", "Deployment").
func MessageOf(apiVersion, kind string) (*Message, bool) {
	schema.once.Do(indexSchema)
	name, ok := schema.kinds[apiVersion+" "+kind]
	if !ok {
		return nil, false
	}
	return messageNamed(name), true
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
		panic(fmt.Sprintf("object: schema has no message %q", name)) // TestSchema
	}
	m := &Message{Name: name, alone: Field{message: &reference{name: name}}}
	for line := range strings.Lines(schemaText[at:]) {
		if line[0] < '0' || line[0] > '9' {
			break
		}
		m.Fields = append(m.Fields, parseField(line[:len(line)-1]))
	}
	for i, f := range m.Fields {
		for len(m.byNumber) <= f.Number {
			m.byNumber = append(m.byNumber, 0)
		}
		m.byNumber[f.Number] = int16(i + 1)
	}
	schema.messages[name] = m
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
	f.Number, _ = strconv.Atoi(number) // TestSchema
	if t, ok := strings.CutPrefix(typ, "[]"); ok {
		f.Repeated, typ = true, t
	}
	if t, ok := strings.CutPrefix(typ, "{}"); ok {
		f.Map, typ = true, t
	}
	if s := slices.Index(scalarNames[:], typ); s > 0 {
		f.scalar = scalar(s)
	}
	switch f.scalar {
	case isMessage:
		f.message = &reference{name: typ}
	case isOrBool, isOrArray, isOrStrings:
		f.message = &reference{name: "apiextensions/v1.JSONSchemaProps"}
	}
	return f
}
