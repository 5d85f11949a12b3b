package object

import (
	"bytes"

	"google.golang.org/protobuf/encoding/protowire"
)

// known is a field of a message that was rewritten before.
type known struct {
	number protowire.Number
	Rewritten
	key  []byte // of a map entry; nil: not a map entry
	left bool   // it was left out
}

// paired are the fields of a message that was rewritten before. Edits don't see indexes, so a field's result
// applies to every field with the same number and bytes.
type paired struct {
	rewriter *Rewriter
	from, to int // in its known
	at       int // of the next one to look at
}

// pair pairs the fields of a message with their results. It returns none if the pairs are ambiguous. Map
// entries may have been left out of the result.
func (e *Rewriter) pair(m *Message, last Rewritten) paired {
	p := paired{rewriter: e, from: len(e.known)}
	p.at, p.to = p.from, p.from
	if last.Payload == nil {
		return p
	}
	ok := eachKnown(m, last.Payload, func(one known) bool {
		if n := len(e.known); n > p.from && !one.follows(e.known[n-1]) {
			return false
		}
		e.known = append(e.known, one)
		return true
	})
	i := p.from
	ok = ok && eachKnown(m, last.Out, func(out known) bool {
		for i < len(e.known) && e.known[i].leaves(out) {
			e.known[i].left = true
			i++
		}
		if i == len(e.known) || e.known[i].number != out.number || !bytes.Equal(e.known[i].key, out.key) {
			return false
		}
		e.known[i].Out = out.Payload
		i++
		return true
	})
	for ; i < len(e.known) && e.known[i].key != nil; i++ {
		e.known[i].left = true
	}
	if ok && i == len(e.known) {
		p.to = i
	}
	return p
}

// follows reports whether a field may follow another. Map entries are in order of their keys, so that each
// key occurs once.
func (k known) follows(before known) bool {
	return k.key == nil || before.key == nil || k.number != before.number || bytes.Compare(before.key, k.key) < 0
}

// leaves reports whether a map entry was left out, given the next field of the result.
func (k known) leaves(out known) bool {
	return k.key != nil && (k.number != out.number || !bytes.Equal(k.key, out.key))
}

// eachKnown calls f with each field of a message that has bytes. It returns false if f does, or if the message
// is not as the apiserver writes it.
func eachKnown(m *Message, raw []byte, f func(known) bool) bool {
	for len(raw) > 0 {
		number, typ, size := protowire.ConsumeTag(raw)
		if size < 0 {
			return false
		}
		raw = raw[size:]
		_, value, size := consume(number, typ, raw)
		if size < 0 {
			return false
		}
		raw = raw[size:]
		of := m.Field(int(number))
		if typ != protowire.BytesType || of == nil {
			continue
		}
		one := known{number: number, Rewritten: Rewritten{Payload: value}}
		if of.Map {
			if one.key = keyOf(value); one.key == nil {
				return false
			}
		}
		if !f(one) {
			return false
		}
	}
	return true
}

// keyOf returns the key of a map entry; nil if the entry has anything besides a key and a value.
func keyOf(entry []byte) []byte {
	const keyTag, valueTag = 1<<3 | byte(protowire.BytesType), 2<<3 | byte(protowire.BytesType)
	if len(entry) == 0 || entry[0] != keyTag {
		return nil
	}
	key, size := protowire.ConsumeBytes(entry[1:])
	if size < 0 {
		return nil
	}
	if entry = entry[1+size:]; len(entry) == 0 || entry[0] != valueTag {
		return nil
	}
	if _, size = protowire.ConsumeBytes(entry[1:]); size != len(entry)-1 {
		return nil
	}
	return key
}

// looksAhead is the maximum number of consecutive fields that a later version may lack.
const looksAhead = 16

// next returns the next field with a number. Versions usually have the same fields in the same order.
func (p *paired) next(number protowire.Number) known {
	for i := p.at; i < min(p.at+looksAhead, p.to); i++ {
		if one := p.rewriter.known[i]; one.number == number {
			p.at = i + 1
			return one
		}
	}
	return known{}
}

// end releases the fields.
func (p *paired) end() { p.rewriter.known = p.rewriter.known[:p.from] }
