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

// Members returns what Document writes as encoding/json would read it, with numbers as
// json.Number: nil if the object has no packed bytes. It saves writing the text, and reading it.
// Fields of a message with a name in without, at any depth, are left out.
func (k Kind) Members(o *Object, without ...string) (map[string]any, error) {
	raw := o.Packed()
	if raw == nil {
		return nil, nil
	}
	if raw[0] == '{' {
		var out map[string]any
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		return out, d.Decode(&out)
	}
	m, ok := MessageOf(k.APIVersion(), k.Name)
	if !ok {
		return nil, ErrKind
	}
	out := map[string]any{"kind": k.Name, "apiVersion": k.APIVersion()}
	r := memberReader{without}
	return out, r.members(m, out, raw, 0)
}

// memberReader reads messages without some of their fields.
type memberReader struct{ without []string }

// members adds the fields of a message to a map.
func (r *memberReader) members(m *Message, out map[string]any, raw []byte, depth int) error {
	if depth > maxDepth {
		return fmt.Errorf("%w: nests deeper than %d", ErrMalformed, maxDepth)
	}
	for len(raw) > 0 {
		number, typ, size := protowire.ConsumeTag(raw)
		if size < 0 {
			return ErrMalformed
		}
		raw = raw[size:]
		var v Value
		if v.Num, v.Bytes, size = consume(number, typ, raw); size < 0 {
			return ErrMalformed
		}
		raw = raw[size:]
		if f := m.Field(int(number)); f != nil && !slices.Contains(r.without, f.Name) {
			if err := r.member(f, out, v, depth); err != nil {
				return err
			}
		}
	}
	return nil
}

// member adds one value of a field to the members of its message.
func (r *memberReader) member(f *Field, out map[string]any, v Value, depth int) error {
	switch {
	case f.Name == "":
		return r.members(f.Message(), out, v.Bytes, depth+1)
	case f.Map:
		return r.entry(f, out, v, depth)
	case !f.Repeated && !f.Always && f.isZero(v):
		delete(out, f.Name)
		return nil
	}
	is, err := r.value(f, v, depth)
	if f.Repeated {
		list, _ := out[f.Name].([]any)
		is = append(list, is)
	}
	out[f.Name] = is
	return err
}

// entry adds an entry of a map.
func (r *memberReader) entry(f *Field, out map[string]any, v Value, depth int) error {
	var entry Values
	if err := mapEntry.Scan(v.Bytes, &entry); err != nil {
		return err
	}
	entries, ok := out[f.Name].(map[string]any)
	if !ok {
		entries = make(map[string]any)
		out[f.Name] = entries
	}
	var value Value
	if entry.Has(1) {
		value = entry.All(1)[0]
	}
	is, err := r.value(f, value, depth)
	entries[validText(entry.Bytes(0))] = is
	return err
}

// value returns one value as encoding/json would.
func (r *memberReader) value(f *Field, v Value, depth int) (any, error) {
	switch f.scalar {
	case isString:
		return validText(v.Bytes), nil
	case isBytes:
		return base64.StdEncoding.EncodeToString(v.Bytes), nil
	case isBool:
		return v.Num != 0, nil
	case isInt:
		return json.Number(strconv.FormatInt(int64(v.Num), 10)), nil
	case isFloat:
		return json.Number(strconv.FormatFloat(math.Float64frombits(v.Num), 'g', -1, 64)), nil
	case isMessage:
		out := make(map[string]any)
		return out, r.members(f.Message(), out, v.Bytes, depth+1)
	}
	text, err := f.appendSpecial(nil, v.Bytes, depth)
	if err != nil {
		return nil, err
	}
	switch text[0] {
	case '"':
		return unquote(text), nil
	case 'n':
		return nil, nil
	}
	var out any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return out, d.Decode(&out)
}

// validText returns a text with what is not UTF-8 replaced, as in JSON.
func validText(text []byte) string {
	if utf8.Valid(text) {
		return string(text)
	}
	return unquote(AppendString(nil, string(text)))
}
