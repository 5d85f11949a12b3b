package tree

import (
	"encoding/base64"
	"fmt"
	"math"
	"strconv"
	"time"

	"watchglass/internal/object/encoded"
	"watchglass/internal/object/schema"
)

// AppendJSON writes the value as the apiserver would, in the schema's field order. It is for
// summaries and diffs, which should not cost a round trip. The YAML that users read is written
// from the server's own JSON.
func (n Node) AppendJSON(dst []byte) ([]byte, error) { return n.appendJSON(dst, 0) }

func (n Node) appendJSON(dst []byte, depth int) (_ []byte, err error) {
	switch {
	case n.kind == Absent:
		return append(dst, "null"...), nil
	case n.field == nil:
		return append(dst, n.raw...), nil
	case n.kind == Object:
		dst, err = appendMessage(append(dst, '{'), n.field.Message(), n.raw, depth)
		return append(dst, '}'), err
	case n.kind == Map:
		return n.appendMap(dst, depth)
	case n.kind == List:
		return n.appendList(dst, depth)
	}
	return n.appendScalar(dst), nil
}

// appendMessage writes the fields of a message without the braces, after any members that are
// already in dst.
func appendMessage(dst []byte, m *schema.Message, raw []byte, depth int) ([]byte, error) {
	if depth > encoded.MaxDepth {
		return dst, fmt.Errorf("%w: nests deeper than %d", encoded.ErrMalformed, encoded.MaxDepth)
	}
	var few [32]place
	places := few[:]
	if len(m.Fields) > len(few) {
		places = make([]place, len(m.Fields))
	}
	all := encoded.FieldsOf(raw)
	for all.Next() {
		i := m.Index(all.Number)
		if i < 0 {
			continue
		}
		p := &places[i]
		p.to = uint32(len(raw) - len(all.Rest()))
		if p.last = p.to - uint32(len(all.Raw())); p.from == 0 {
			p.from = p.last + 1
		}
	}
	if err := all.Err(); err != nil {
		return dst, err
	}
	return appendInOrder(dst, m, raw, places, depth)
}

// place is where the fields of a number are in a message.
type place struct {
	from uint32 // where the first begins, plus one; 0: there are none
	last uint32 // where the last begins
	to   uint32 // where that ends
}

// field returns the field at a place.
func (p place) field(f *schema.Field, raw []byte) Node {
	if f.Repeated || f.Map {
		return Node{field: f, raw: raw[p.from-1 : p.to]}
	}
	one := encoded.FieldsOf(raw[p.last:p.to])
	one.Next()
	return Node{field: f, num: one.Num, raw: one.Bytes}
}

// appendInOrder writes the fields that a message has.
func appendInOrder(dst []byte, m *schema.Message, raw []byte, places []place, depth int) (_ []byte, err error) {
	for i := range m.Fields {
		if places[i].from == 0 {
			continue
		}
		f := &m.Fields[i]
		switch n := places[i].field(f, raw); {
		case f.Name == "":
			dst, err = appendMessage(dst, f.Message(), n.raw, depth+1)
		case f.Always || f.Repeated || f.Map || !n.isZero():
			if c := dst[len(dst)-1]; c != '{' {
				dst = append(dst, ',')
			}
			dst = append(encoded.AppendString(dst, f.Name), ':')
			dst, err = n.whole().appendJSON(dst, depth+1)
		}
		if err != nil {
			return dst, err
		}
	}
	return dst, nil
}

func (n Node) appendMap(dst []byte, depth int) (_ []byte, err error) {
	dst = append(dst, '{')
	for all := encoded.FieldsOf(n.raw); all.Next(); {
		if all.Number != n.field.Number {
			continue
		}
		key, value, ok := n.entry(all.Bytes)
		if !ok {
			return dst, encoded.ErrMalformed
		}
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(encoded.AppendString(dst, string(key)), ':')
		if dst, err = value.appendJSON(dst, depth); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

func (n Node) appendList(dst []byte, depth int) (_ []byte, err error) {
	dst = append(dst, '[')
	first := true
	for all := encoded.FieldsOf(n.raw); all.Next(); {
		if all.Number != n.field.Number {
			continue
		}
		if !first {
			dst = append(dst, ',')
		}
		first = false
		if dst, err = valueOf(n.field, all.Num, all.Bytes).appendJSON(dst, depth); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

// appendScalar writes a text, a number or a bool of a message.
func (n Node) appendScalar(dst []byte) []byte {
	switch {
	case n.kind == Bool:
		return strconv.AppendBool(dst, n.num != 0)
	case n.kind == Number && n.field.Type == schema.Float:
		return strconv.AppendFloat(dst, math.Float64frombits(n.num), 'g', -1, 64)
	case n.kind == Number:
		return strconv.AppendInt(dst, int64(n.num), 10)
	case n.isText():
		return encoded.AppendString(dst, string(n.raw))
	case n.field.Type == schema.Bytes:
		return append(base64.StdEncoding.AppendEncode(append(dst, '"'), n.raw), '"')
	}
	return n.appendTime(dst)
}

// appendTime writes a time or a duration.
func (n Node) appendTime(dst []byte) []byte {
	var seconds, nanos int64
	for all := encoded.FieldsOf(n.raw); all.Next(); {
		switch all.Number {
		case 1:
			seconds = int64(all.Num)
		case 2:
			nanos = int64(int32(all.Num))
		}
	}
	layout := time.RFC3339
	switch n.field.Type {
	case schema.Duration:
		return encoded.AppendString(dst, time.Duration(seconds).String())
	case schema.MicroTime:
		layout = "2006-01-02T15:04:05.000000Z07:00"
	}
	return append(time.Unix(seconds, nanos).UTC().AppendFormat(append(dst, '"'), layout), '"')
}
