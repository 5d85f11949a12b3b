package object

import (
	"iter"
	"strings"
)

// Labels are an object's labels, packed: each key and each value ends in NUL. Objects with
// equal labels share them.
type Labels string

// Lookup returns a label's value, and whether the label exists.
func (l Labels) Lookup(key string) (value string, ok bool) {
	for rest := string(l); rest != ""; {
		var k, v string
		k, rest, _ = strings.Cut(rest, "\x00")
		v, rest, _ = strings.Cut(rest, "\x00")
		if k == key {
			return v, true
		}
	}
	return "", false
}

// Has reports whether a label exists.
func (l Labels) Has(key string) bool {
	_, ok := l.Lookup(key)
	return ok
}

// Get returns a label's value, or "".
func (l Labels) Get(key string) string {
	v, _ := l.Lookup(key)
	return v
}

// All yields the labels in the server's order, by key.
func (l Labels) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for rest := string(l); rest != ""; {
			var k, v string
			k, rest, _ = strings.Cut(rest, "\x00")
			v, rest, _ = strings.Cut(rest, "\x00")
			if !yield(k, v) {
				return
			}
		}
	}
}
