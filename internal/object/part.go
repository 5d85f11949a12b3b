package object

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// Part is a message of an object, whose fields are read only when they are asked for, one message
// at a time. It is for package document, and for one goroutine.
type Part struct {
	more   []named // fields that the message does not have
	fields []partField
	depth  int
}

// partField is one occurrence of a field. The first of a list or a map holds what all of them come
// to, once that has been asked for.
type partField struct {
	*Field
	value Value
	is    any
}

// named is a value with a name.
type named struct {
	name string
	is   any
}

// Parts returns an object for document.Of: nil if the object has no packed bytes. It is a *Part; if the object came
// as JSON, it is what encoding/json reads, or a *jsonPart if it is large.
func (k Kind) Parts(o *Object) (any, error) {
	raw := o.Packed()
	if raw == nil {
		return nil, nil
	}
	switch {
	case raw[0] == '{' && len(raw) > smallJSON:
		return newJSONPart(raw, 0)
	case raw[0] == '{':
		return readJSON(raw)
	}
	m, ok := MessageOf(k.APIVersion(), k.Name)
	if !ok {
		return nil, ErrKind
	}
	p, err := newPart(m, raw, 0)
	if err != nil {
		return nil, err
	}
	p.more = []named{{"kind", k.Name}, {"apiVersion", k.APIVersion()}}
	return p, nil
}

func readJSON(raw []byte) (out any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&out)
	return out, err
}

func newPart(m *Message, raw []byte, depth int) (*Part, error) {
	if depth > maxDepth {
		return nil, fmt.Errorf("%w: nests deeper than %d", ErrMalformed, maxDepth)
	}
	n := 0
	for rest := raw; len(rest) > 0; n++ {
		_, _, _, _, size := readField(rest)
		if size < 0 {
			return nil, ErrMalformed
		}
		rest = rest[size:]
	}
	fields, err := appendFields(make([]partField, 0, n), m, raw, depth)
	if err != nil {
		return nil, err
	}
	return &Part{fields: fields, depth: depth}, nil
}

// appendFields adds the fields of a message, and of those that JSON inlines.
func appendFields(fields []partField, m *Message, raw []byte, depth int) ([]partField, error) {
	if depth > maxDepth {
		return fields, ErrMalformed
	}
	for len(raw) > 0 {
		number, typ, size := protowire.ConsumeTag(raw)
		if size < 0 {
			return fields, ErrMalformed
		}
		raw = raw[size:]
		var v Value
		if v.Num, v.Bytes, size = consume(number, typ, raw); size < 0 {
			return fields, ErrMalformed
		}
		raw = raw[size:]
		f := m.Field(int(number))
		switch {
		case f == nil:
		case f.Name != "":
			fields = append(fields, partField{Field: f, value: v})
		default:
			var err error
			if fields, err = appendFields(fields, f.Message(), v.Bytes, depth+1); err != nil {
				return fields, err
			}
		}
	}
	return fields, nil
}

// Member returns a field by its name in JSON, as encoding/json would read it, with numbers as
// json.Number and messages as *Part; nil if it is absent. Malformed parts count as absent: the
// decoder reports them.
func (p *Part) Member(name string) any {
	for _, n := range p.more {
		if n.name == name {
			return n.is
		}
	}
	at := -1
	for i := range p.fields {
		if f := p.fields[i].Field; f.Name == name {
			if at = i; f.Repeated || f.Map {
				break // the first stands for all, else the last one counts
			}
		}
	}
	if at < 0 {
		return nil
	}
	f := &p.fields[at]
	if f.is == nil {
		f.is = p.join(f, p.fields[at:])
	}
	return f.is
}

// join returns what the occurrences of a field come to.
func (p *Part) join(f *partField, all []partField) any {
	switch {
	case f.Map:
		return p.entries(f.Field, all)
	case f.Repeated:
		var list []any
		for i := range all {
			if all[i].Field == f.Field {
				list = append(list, p.one(f.Field, all[i].value))
			}
		}
		return list
	case !f.Always && f.isZero(f.value):
		return nil
	}
	return p.one(f.Field, f.value)
}

// entries returns a map.
func (p *Part) entries(f *Field, all []partField) any {
	out := make(map[string]any)
	var entry Values
	for i := range all {
		if all[i].Field != f || mapEntry.Scan(all[i].value.Bytes, &entry) != nil {
			continue
		}
		var value Value
		if entry.Has(1) {
			value = entry.All(1)[0]
		}
		out[validText(entry.Bytes(0))] = p.one(f, value)
	}
	return out
}

// one returns one value of a field.
func (p *Part) one(f *Field, v Value) any {
	switch f.scalar {
	case isString:
		return validText(v.Bytes)
	case isBytes:
		return base64.StdEncoding.EncodeToString(v.Bytes)
	case isBool:
		return v.Num != 0
	case isInt:
		return json.Number(strconv.FormatInt(int64(v.Num), 10))
	case isFloat:
		return json.Number(strconv.FormatFloat(math.Float64frombits(v.Num), 'g', -1, 64))
	case isMessage:
		inner, err := newPart(f.Message(), v.Bytes, p.depth+1)
		if err != nil {
			return nil
		}
		return inner
	}
	text, err := f.appendSpecial(nil, v.Bytes, p.depth)
	if err != nil {
		return nil
	}
	switch text[0] {
	case '"':
		return unquote(text)
	case 'n':
		return nil
	}
	out, _ := readJSON(text) // as above
	return out
}

// Names returns the names of the fields that are present, each once, in no order.
func (p *Part) Names() (all []string) {
	for _, n := range p.more {
		all = append(all, n.name)
	}
	for i := range p.fields {
		if name := p.fields[i].Name; !slices.Contains(all, name) && p.Member(name) != nil {
			all = append(all, name)
		}
	}
	return all
}

// validText returns a text with what is not UTF-8 replaced, as in JSON.
func validText(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	return unquote(AppendString(nil, string(text)))
}
