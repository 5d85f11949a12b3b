//go:build !js

package store

import "cmp"

// Key names an object within its resource. Keys sort as etcd's do.
type Key struct{ Namespace, Name string }

// Compare orders keys by namespace, then by name.
func (k Key) Compare(other Key) int {
	if c := cmp.Compare(k.Namespace, other.Namespace); c != 0 {
		return c
	}
	return cmp.Compare(k.Name, other.Name)
}

// Object is one object at one version, encoded. It never changes.
type Object struct {
	Key
	Version int64
	Raw     []byte
}

// Type says what happened to an object.
type Type byte

// The types of events.
const (
	Added Type = iota
	Modified
	Deleted
)

// Event is one write. Of a deletion, Object is the last word: what the object
// was, at the version of its deletion.
type Event struct {
	Type     Type
	Object   *Object
	Previous *Object // nil of what was added
}
