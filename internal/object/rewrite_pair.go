package object

import "google.golang.org/protobuf/encoding/protowire"

// known is a field of a message that was rewritten before.
type known struct {
	number protowire.Number
	of     Rewritten
}

// paired are the fields of a message that was rewritten before. An edit sees no index, so what became of
// any of them holds for every field with its number and its bytes.
type paired struct {
	editor   *editor
	from, to int // in its known
	at       int // of the next one to look at
}

// pair reads what a message was, and what became of it: nothing if that has other fields, since then nobody
// knows which became which. Entries of maps are left out, because some don't stay.
func (e *editor) pair(m *Message, last Rewritten) paired {
	p := paired{editor: e, from: len(e.known)}
	p.at, p.to = p.from, p.from
	eachKnown(m, last.Payload, func(number protowire.Number, value []byte) bool {
		e.known = append(e.known, known{number, Rewritten{Payload: value}})
		return true
	})
	p.to = len(e.known)
	i := p.from
	eachKnown(m, last.Out, func(number protowire.Number, value []byte) bool {
		if i == p.to || e.known[i].number != number {
			i = -1
			return false
		}
		e.known[i].of.Out = value
		i++
		return true
	})
	if i != p.to {
		p.to = p.from
	}
	return p
}

// eachKnown calls f with each field of a message that has bytes, until it returns false.
func eachKnown(m *Message, raw []byte, f func(number protowire.Number, value []byte) bool) {
	for len(raw) > 0 {
		number, typ, size := protowire.ConsumeTag(raw)
		if size < 0 {
			return
		}
		raw = raw[size:]
		_, value, size := consume(number, typ, raw)
		if size < 0 {
			return
		}
		raw = raw[size:]
		if of := m.Field(int(number)); typ == protowire.BytesType && of != nil && !of.Map && !f(number, value) {
			return
		}
	}
}

// looksAhead is how many fields may have been left out of the later version in one place.
const looksAhead = 16

// next returns the next field of a number. Versions mostly have the same fields in the same order.
func (p *paired) next(number protowire.Number) Rewritten {
	for i := p.at; i < min(p.at+looksAhead, p.to); i++ {
		if one := p.editor.known[i]; one.number == number {
			p.at = i + 1
			return one.of
		}
	}
	return Rewritten{}
}

// end forgets the fields.
func (p *paired) end() { p.editor.known = p.editor.known[:p.from] }
