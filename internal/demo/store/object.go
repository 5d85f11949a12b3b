//go:build !js

package store

import "cmp"

// Key identifies an object within its resource. Keys sort as in etcd.
type Key struct{ Namespace, Name string }

// Compare orders keys by namespace, then by name.
func (k Key) Compare(other Key) int {
	if c := cmp.Compare(k.Namespace, other.Namespace); c != 0 {
		return c
	}
	return cmp.Compare(k.Name, other.Name)
}

// Object is one object at one version, encoded. It is immutable.
type Object struct {
	Key
	Version int64
	Raw     []byte
}

// Type is what happened to an object.
type Type byte

// The types of events.
const (
	Added Type = iota
	Modified
	Deleted
)

// Event is one write. For a deletion, Object is the deleted object's last state, at the version
// of the deletion.
type Event struct {
	Type     Type
	Object   *Object
	Previous *Object // nil if the object was added
}
