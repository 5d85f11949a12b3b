package columns

import (
	"iter"
	"math"
)

// Values numbers the values in the texts of a column, from 0. The zero value has each text as its only value.
type Values struct {
	Split func(text string) iter.Seq[string] // yields the values in a text; nil: it is the only one
	Key   func(value string) string          // values with the same key share a number; nil: only equal ones do
	Few   bool                               // few of the texts are asked for

	texts   []valueOfText // by code
	several map[uint32][]Value
	numbers map[string]uint32
	one     [1]Value
}

// Value is a value as it is written in a text, and its number.
type Value struct {
	Text   string
	Number uint32
}

// valueOfText is the value in a text.
type valueOfText struct {
	value      string
	number     uint32
	generation uint32 // of the text's code
}

// The numbers of what is not one value.
const (
	several = math.MaxUint32 - iota
	none
)

// Len returns how many numbers there are: all are below it.
func (v *Values) Len() int { return len(v.numbers) }

// Forget drops all numbers.
func (v *Values) Forget() { v.texts, v.several, v.numbers = nil, nil, nil }

// Of returns the values in the text of a code, each number once, as an object counts once. They are valid until the next
// call.
func (v *Values) Of(x *Text, code uint32) []Value {
	if n := len(v.texts); n <= int(code) {
		to := x.Codes()
		if v.Few {
			to = int(code) + 1
		}
		v.texts = append(v.texts, make([]valueOfText, to-n)...)
	}
	s := &v.texts[code]
	if generation := x.Generation(code); s.generation != generation {
		delete(v.several, code)
		text, _ := x.Text(code)
		one := v.read(text, code)
		*s = valueOfText{one.Text, one.Number, generation}
	}
	switch s.number {
	case several:
		return v.several[code]
	case none:
		return nil
	}
	v.one[0] = Value{s.value, s.number}
	return v.one[:]
}

// read returns the value in a text. Several are kept by the text's code.
func (v *Values) read(text string, code uint32) Value {
	if v.Split == nil {
		return v.Number(text)
	}
	var all []Value
	var seen map[uint32]bool
	for text := range v.Split(text) {
		one := v.Number(text)
		if len(all) > 0 && seen == nil { // mostly there is one
			seen = map[uint32]bool{all[0].Number: true}
		}
		if !seen[one.Number] {
			all = append(all, one)
			if seen != nil {
				seen[one.Number] = true
			}
		}
	}
	switch len(all) {
	case 0:
		return Value{Number: none}
	case 1:
		return all[0]
	}
	if v.several == nil {
		v.several = make(map[uint32][]Value)
	}
	v.several[code] = all
	return Value{Number: several}
}

// Number returns a value with its number, which is new if no value before had the same key.
func (v *Values) Number(text string) Value {
	key := text
	if v.Key != nil {
		key = v.Key(text)
	}
	n, ok := v.numbers[key]
	if !ok {
		if v.numbers == nil {
			v.numbers = make(map[string]uint32)
		}
		n = uint32(len(v.numbers))
		v.numbers[key] = n
	}
	return Value{text, n}
}
