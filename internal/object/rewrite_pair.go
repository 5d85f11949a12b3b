package object

import (
	"bytes"

	"google.golang.org/protobuf/encoding/protowire"
)

// known is a field of a message that was rewritten before. It has offsets instead of bytes: there are many,
// and the garbage collector need not look at them.
type known struct {
	number     protowire.Number
	left       bool // it was left out
	value, out place
	key        place // of a map entry, in the value's message; empty: not a map entry
}

// place is a part of a message.
type place struct{ from, to int32 }

func (p place) of(message []byte) []byte { return message[p.from:p.to] }

func (p place) empty() bool { return p.from == p.to }

// paired are the fields of a message that was rewritten before. Edits don't see indexes, so a field's result
// applies to every field with the same number and bytes.
type paired struct {
	Rewritten
	rewriter *Rewriter
	from, to int // in its known
	at       int // of the next one to look at
}

// pair pairs the fields of a message with their results. It returns none if the pairs are ambiguous.
func (e *Rewriter) pair(m *Message, last Rewritten) paired {
	p := paired{Rewritten: last, rewriter: e, from: len(e.known), to: len(e.known), at: len(e.known)}
	if last.Payload != nil && p.values(m) && p.results(m) {
		p.to = len(e.known)
	}
	return p
}

// values adds the fields of the message, and reports whether they are as the apiserver writes them.
func (p *paired) values(m *Message) bool {
	e := p.rewriter
	c := cursor{message: m, raw: p.Payload}
	for c.next() {
		if n := len(e.known); n > p.from && !p.follows(&c.known, &e.known[n-1]) {
			return false
		}
		e.known = append(e.known, c.known)
	}
	return !c.malformed
}

// results adds the results of the fields, and reports whether each has one. Map entries may have been left out.
func (p *paired) results(m *Message) bool {
	all := p.rewriter.known[p.from:]
	c := cursor{message: m, raw: p.Out}
	for c.next() {
		for len(all) > 0 && p.leaves(&all[0], &c.known) {
			all[0].left = true
			all = all[1:]
		}
		if len(all) == 0 || all[0].number != c.known.number || !bytes.Equal(all[0].key.of(p.Payload), c.known.key.of(p.Out)) {
			return false
		}
		all[0].out = c.known.value
		all = all[1:]
	}
	for len(all) > 0 && !all[0].key.empty() {
		all[0].left = true
		all = all[1:]
	}
	return !c.malformed && len(all) == 0
}

// follows reports whether a field may follow another. Map entries are in order of their keys, so that each
// key occurs once.
func (p *paired) follows(k, before *known) bool {
	return k.key.empty() || before.key.empty() || k.number != before.number || bytes.Compare(before.key.of(p.Payload), k.key.of(p.Payload)) < 0
}

// leaves reports whether a map entry was left out, given the next field of the result.
func (p *paired) leaves(k, out *known) bool {
	return !k.key.empty() && (k.number != out.number || !bytes.Equal(k.key.of(p.Payload), out.key.of(p.Out)))
}

// looksAhead is the maximum number of consecutive fields that a later version may lack.
const looksAhead = 16

// next returns the next field with a number, and whether it was left out. Versions usually have the same fields
// in the same order.
func (p *paired) next(number protowire.Number) (_ Rewritten, left bool) {
	for i := p.at; i < min(p.at+looksAhead, p.to); i++ {
		if one := &p.rewriter.known[i]; one.number == number {
			p.at = i + 1
			return Rewritten{one.value.of(p.Payload), one.out.of(p.Out)}, one.left
		}
	}
	return Rewritten{}, false
}

// end releases the fields.
func (p *paired) end() { p.rewriter.known = p.rewriter.known[:p.from] }

// cursor reads the fields of a message that have bytes.
type cursor struct {
	message   *Message
	raw       []byte
	at        int
	known     known // the field that was read last
	malformed bool  // the rest is not as the apiserver writes it
}

// next reads the next field, and reports whether there is one.
func (c *cursor) next() bool {
	for c.at < len(c.raw) {
		number, typ, _, value, size := readField(c.raw[c.at:])
		if size < 0 {
			break
		}
		c.at += size
		of := c.message.Field(int(number))
		if typ != protowire.BytesType || of == nil {
			continue
		}
		begin := int32(c.at - len(value))
		c.known = known{number: number, value: place{begin, int32(c.at)}}
		if of.Map {
			key := keyOf(value)
			if c.malformed = key.empty(); c.malformed {
				return false
			}
			c.known.key = place{begin + key.from, begin + key.to}
		}
		return true
	}
	c.malformed = c.at < len(c.raw)
	return false
}

// keyOf returns the place of the key in a map entry; an empty one if the entry has anything besides a key and a
// value.
func keyOf(entry []byte) (none place) {
	const keyTag, valueTag = 1<<3 | byte(protowire.BytesType), 2<<3 | byte(protowire.BytesType)
	if len(entry) == 0 || entry[0] != keyTag {
		return none
	}
	key, size := protowire.ConsumeBytes(entry[1:])
	end := 1 + size
	if size < 0 || end == len(entry) || entry[end] != valueTag {
		return none
	}
	if _, size = protowire.ConsumeBytes(entry[end+1:]); size != len(entry)-end-1 {
		return none
	}
	return place{int32(end - len(key)), int32(end)}
}
