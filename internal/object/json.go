package object

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// maxDepth limits how deep a message may nest. The recursive Kubernetes types nest only a few
// levels in practice.
const maxDepth = 100

// JSON writes a message of a built-in kind as the apiserver would, in the schema's field order.
// It is for summaries and diffs, which should not cost a round trip. The YAML that users read
// is written from the server's own JSON.
func (m *Message) JSON(raw []byte) ([]byte, error) {
	return m.appendJSON(nil, raw, 0)
}

// appendJSON writes { ... }.
func (m *Message) appendJSON(dst, raw []byte, depth int) ([]byte, error) {
	dst, err := m.appendMembers(append(dst, '{'), raw, depth)
	return append(dst, '}'), err
}

// appendMembers writes the fields without the braces, after any members that are already in
// dst.
func (m *Message) appendMembers(dst, raw []byte, depth int) ([]byte, error) {
	if depth > maxDepth {
		return dst, fmt.Errorf("%w: nests deeper than %d", ErrMalformed, maxDepth)
	}
	values, err := m.split(raw)
	if err != nil {
		return dst, err
	}
	for i := range m.Fields {
		if len(values[i]) > 0 {
			if dst, err = m.Fields[i].appendMember(dst, values[i], depth); err != nil {
				return dst, err
			}
		}
	}
	return dst, nil
}

// split groups the values of a message by field.
func (m *Message) split(raw []byte) ([][]Value, error) {
	values := make([][]Value, len(m.Fields))
	for len(raw) > 0 {
		number, typ, size := protowire.ConsumeTag(raw)
		if size < 0 {
			return nil, ErrMalformed
		}
		raw = raw[size:]
		var v Value
		if v.Num, v.Bytes, size = consume(number, typ, raw); size < 0 {
			return nil, ErrMalformed
		}
		raw = raw[size:]
		if int(number) < len(m.byNumber) && m.byNumber[number] > 0 {
			i := m.byNumber[number] - 1
			values[i] = append(values[i], v)
		}
	}
	return values, nil
}

func (f *Field) appendMember(dst []byte, values []Value, depth int) ([]byte, error) {
	last := values[len(values)-1]
	if f.Name == "" {
		return f.Message().appendMembers(dst, last.Bytes, depth+1)
	}
	if !f.Always && !f.Repeated && !f.Map && f.isZero(last) {
		return dst, nil
	}
	if c := dst[len(dst)-1]; c != '{' {
		dst = append(dst, ',')
	}
	dst = append(AppendString(dst, f.Name), ':')
	switch {
	case f.Map:
		return f.appendMap(dst, values, depth)
	case f.Repeated:
		return f.appendList(dst, values, depth)
	}
	return f.appendValue(dst, last, depth)
}

// isZero reports whether omitempty omits the value: protobuf encodes even a zero scalar.
func (f *Field) isZero(v Value) bool {
	switch f.scalar {
	case isString, isBytes, isTime, isMicroTime:
		return len(v.Bytes) == 0
	case isBool, isInt, isFloat:
		return v.Num == 0
	}
	return false
}

func (f *Field) appendList(dst []byte, values []Value, depth int) ([]byte, error) {
	dst = append(dst, '[')
	for i, v := range values {
		if i > 0 {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = f.appendValue(dst, v, depth); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

// mapEntry is the message of every map entry: a key and a value.
var mapEntry = mustPlan(&Message{
	Fields:   []Field{{Number: 1, Name: "key", scalar: isString}, {Number: 2, Name: "value", scalar: isString}},
	byNumber: []int16{0, 1, 2},
}, "key", "value")

func mustPlan(m *Message, paths ...string) *Plan {
	p, err := NewPlan(m, paths...)
	if err != nil {
		panic("object: " + err.Error())
	}
	return p
}

func (f *Field) appendMap(dst []byte, values []Value, depth int) ([]byte, error) {
	dst = append(dst, '{')
	var entry Values
	for i, v := range values {
		if err := mapEntry.Scan(v.Bytes, &entry); err != nil {
			return dst, err
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendString(dst, string(entry.Bytes(0))), ':')
		var value Value
		if entry.Has(1) {
			value = entry.All(1)[0]
		}
		var err error
		if dst, err = f.appendValue(dst, value, depth); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

func (f *Field) appendValue(dst []byte, v Value, depth int) ([]byte, error) {
	switch f.scalar {
	case isString:
		return AppendString(dst, string(v.Bytes)), nil
	case isBytes:
		return append(base64.StdEncoding.AppendEncode(append(dst, '"'), v.Bytes), '"'), nil
	case isBool:
		return strconv.AppendBool(dst, v.Num != 0), nil
	case isInt:
		return strconv.AppendInt(dst, int64(v.Num), 10), nil
	case isFloat:
		return strconv.AppendFloat(dst, math.Float64frombits(v.Num), 'g', -1, 64), nil
	case isMessage:
		return f.Message().appendJSON(dst, v.Bytes, depth+1)
	}
	return f.appendSpecial(dst, v.Bytes, depth)
}

// appendSpecial writes the messages that have a JSON format of their own. All are small, with
// their payload in fields 1, 2 and 3.
func (f *Field) appendSpecial(dst, raw []byte, depth int) ([]byte, error) {
	values, err := special.split(raw)
	if err != nil {
		return dst, err
	}
	one, two, three := lastOf(values[0]), lastOf(values[1]), lastOf(values[2])
	switch f.scalar {
	case isTime, isMicroTime:
		return f.appendTime(dst, raw, one, two), nil
	case isDuration:
		return AppendString(dst, time.Duration(one.Num).String()), nil
	case isQuantity:
		return AppendString(dst, string(one.Bytes)), nil
	case isIntOrString:
		if one.Num == 0 {
			return strconv.AppendInt(dst, int64(int32(two.Num)), 10), nil
		}
		return AppendString(dst, string(three.Bytes)), nil
	case isRaw:
		if len(one.Bytes) == 0 {
			return append(dst, "null"...), nil
		}
		return append(dst, one.Bytes...), nil
	case isStrings:
		return (&Field{scalar: isString}).appendList(dst, values[0], depth)
	case isOrBool:
		if len(values[1]) == 0 {
			return strconv.AppendBool(dst, one.Num != 0), nil
		}
		return f.Message().appendJSON(dst, two.Bytes, depth+1)
	case isOrArray, isOrStrings:
		if len(values[0]) > 0 {
			return f.Message().appendJSON(dst, one.Bytes, depth+1)
		}
		if f.scalar == isOrStrings {
			return (&Field{scalar: isString}).appendList(dst, values[1], depth)
		}
		return (&Field{message: f.message}).appendList(dst, values[1], depth)
	}
	return dst, fmt.Errorf("%w: %s", ErrMalformed, f.Name)
}

// special is any message with up to three fields of any type.
var special = &Message{
	Fields:   []Field{{Number: 1}, {Number: 2}, {Number: 3}},
	byNumber: []int16{0, 1, 2, 3},
}

func lastOf(values []Value) Value {
	if len(values) == 0 {
		return Value{}
	}
	return values[len(values)-1]
}

func (f *Field) appendTime(dst, raw []byte, seconds, nanos Value) []byte {
	if len(raw) == 0 {
		return append(dst, "null"...)
	}
	t := time.Unix(int64(seconds.Num), int64(int32(nanos.Num))).UTC()
	layout := time.RFC3339
	if f.scalar == isMicroTime {
		layout = "2006-01-02T15:04:05.000000Z07:00"
	}
	return append(t.AppendFormat(append(dst, '"'), layout), '"')
}

const hexDigits = "0123456789abcdef"

// AppendString appends a JSON string. Bytes that are not UTF-8 become U+FFFD.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if c >= utf8.RuneSelf && (r != utf8.RuneError || size > 1) {
			i += size
			continue
		}
		dst = append(dst, s[start:i]...)
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		default:
			dst = append(dst, "\ufffd"...)
		}
		i += size
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}
