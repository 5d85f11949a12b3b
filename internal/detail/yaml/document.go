package yaml

import (
	"bytes"
	"errors"
	"fmt"
	"math"
)

// The errors of a document.
var (
	ErrMalformed = errors.New("not a JSON object")
	ErrTooLarge  = errors.New("too large")
)

// MaxValues is how many values a document may have. No document that etcd stores has half as
// many.
const MaxValues = 1 << 20

// document is a JSON object that can be written as YAML. It refers to the bytes it was
// parsed from.
type document struct {
	json  []byte
	start int
	spans []span // of its maps and lists, in the order in which they begin
}

// span is where a map or a list ends, and the index of the first span after it.
type span struct{ end, next int32 }

// parse checks a document, and indexes where its maps and lists end.
func parse(doc []byte) (*document, error) {
	if len(doc) > math.MaxInt32-1 {
		return nil, ErrTooLarge
	}
	p := parser{document: document{json: doc, start: space(doc, 0)}}
	if c := p.at(p.start); c != '{' && c != 'n' {
		return nil, ErrMalformed
	}
	switch end := p.all(p.start); {
	case p.values > MaxValues:
		return nil, fmt.Errorf("%w: more than %d values", ErrTooLarge, MaxValues)
	case p.tooDeep:
		return nil, fmt.Errorf("%w: more than %d levels", ErrTooLarge, maxDepth)
	case end < 0, space(doc, end) != len(doc):
		return nil, ErrMalformed
	}
	return &p.document, nil
}

// space returns the index of the first byte that is not white space.
func space(doc []byte, i int) int {
	for i < len(doc) && (doc[i] == ' ' || doc[i] == '\n' || doc[i] == '\t' || doc[i] == '\r') {
		i++
	}
	return i
}

// stringEnd returns the index after the string that begins at i.
func stringEnd(doc []byte, i int) int {
	for from := i + 1; ; {
		at := from + bytes.IndexByte(doc[from:], '"')
		escape := at
		for doc[escape-1] == '\\' {
			escape--
		}
		if from = at + 1; (at-escape)%2 == 0 {
			return from
		}
	}
}

// skip returns the index after the value at i. next is the first span that begins at i or later;
// the one returned is the first after the value.
func (d *document) skip(i int, next int32) (int, int32) {
	switch d.json[i] {
	case '{', '[':
		s := d.spans[next]
		return int(s.end), s.next
	case '"':
		return stringEnd(d.json, i), next
	}
	return tokenEnd(d.json, i), next
}

// tokenEnd returns the index after a number, true, false or null.
func tokenEnd(doc []byte, i int) int {
	for i < len(doc) {
		switch doc[i] {
		case ',', '}', ']', ' ', '\n', '\t', '\r':
			return i
		}
		i++
	}
	return i
}
