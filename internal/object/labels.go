package object

import (
	"iter"
	"strings"
)

// Labels are an object's labels, packed: each key and each value ends in NUL.
// Objects with the same labels share them.
type Labels string

// Lookup finds a label.
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

// Has reports whether a label is there.
func (l Labels) Has(key string) bool {
	_, ok := l.Lookup(key)
	return ok
}

// Get is a label's value, or nothing.
func (l Labels) Get(key string) string {
	v, _ := l.Lookup(key)
	return v
}

// All yields the labels in the server's order, which is by key.
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

// Owner is one owner reference.
type Owner struct {
	Kind, Name, UID string
	Controller      bool
}

// owners are packed like labels: kind, name, UID and "c" for the controller.
type owners string

func appendOwner(dst []byte, kind, name, uid []byte, controller bool) []byte {
	dst = append(append(dst, kind...), 0)
	dst = append(append(dst, name...), 0)
	dst = append(append(dst, uid...), 0)
	if controller {
		dst = append(dst, 'c')
	}
	return append(dst, 0)
}

func (o owners) all() []Owner {
	var out []Owner
	for rest := string(o); rest != ""; {
		var w Owner
		var c string
		w.Kind, rest, _ = strings.Cut(rest, "\x00")
		w.Name, rest, _ = strings.Cut(rest, "\x00")
		w.UID, rest, _ = strings.Cut(rest, "\x00")
		c, rest, _ = strings.Cut(rest, "\x00")
		w.Controller = c == "c"
		out = append(out, w)
	}
	return out
}
