package indexer

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"watchglass/internal/slots"
)

// KeyFunc returns an object's key: its namespace, if it has one, and its name.
type KeyFunc[T any] func(obj T) string

// IndexFunc appends the values under which an index lists an object: none, one or several. It
// must return the same values for the same object. Several goroutines may call it at once. If
// it panics, the index leaves the object out and counts it as broken.
type IndexFunc[T any] func(dst []string, obj T) []string

// Indexers maps index names to their functions.
type Indexers[T any] map[string]IndexFunc[T]

// NamespaceIndex is the name of the index by namespace.
const NamespaceIndex = "namespace"

// set has the slots of the objects with a value, and the epoch of the index that may change it.
type set struct {
	slots.Set
	epoch uint32
}

// index maps values to the slots of the objects that have them.
type index[T any] struct {
	f      IndexFunc[T]
	values map[string]*set
	// epoch marks the sets that belong to this index alone. A set with another epoch is shared
	// with the index that this one was cloned from, and is copied before it changes.
	epoch  uint32
	broken int    // objects left out because f panicked on them
	said   string // the last panic
	before []string
	after  []string
}

func newIndex[T any](f IndexFunc[T]) *index[T] {
	return &index[T]{f: f, values: make(map[string]*set)}
}

// clone returns a copy of the index that can change independently.
func (x *index[T]) clone() *index[T] {
	c := *x
	c.values, c.before, c.after = maps.Clone(x.values), nil, nil
	c.epoch++
	return &c
}

// call calls an index function. said is the panic's text, if it panicked.
func call[T any](f IndexFunc[T], dst []string, obj T) (values []string, said string) {
	defer func() {
		if p := recover(); p != nil {
			values, said = dst[:0], fmt.Sprint("panic: ", p)
		}
	}()
	return f(dst, obj), ""
}

// of returns the values of an object that is added or removed. If the function panics, it adds
// broken to the count of broken objects.
func (x *index[T]) of(dst []string, obj T, broken int) []string {
	values, said := call(x.f, dst, obj)
	if said != "" {
		x.said = said
		x.broken += broken
	}
	return values
}

func (x *index[T]) add(slot uint32, obj T) {
	x.after = x.of(x.after[:0], obj, 1)
	for _, v := range x.after {
		x.insert(v, slot)
	}
}

func (x *index[T]) remove(slot uint32, obj T) {
	x.before = x.of(x.before[:0], obj, -1)
	for _, v := range x.before {
		x.drop(v, slot)
	}
}

// update moves an object from its old values to its new ones. Mostly they are the same.
func (x *index[T]) update(slot uint32, before, after T) {
	x.before = x.of(x.before[:0], before, -1)
	x.after = x.of(x.after[:0], after, 1)
	if slices.Equal(x.before, x.after) {
		return
	}
	for _, v := range x.before {
		x.drop(v, slot)
	}
	for _, v := range x.after {
		x.insert(v, slot)
	}
}

func (x *index[T]) insert(value string, slot uint32) {
	s := x.values[value]
	switch {
	case s == nil:
		s = &set{epoch: x.epoch}
		x.values[strings.Clone(value)] = s // a copy, so that the index does not keep the object's text
	case s.epoch != x.epoch:
		s = x.own(value, s)
	}
	s.Add(slot)
}

func (x *index[T]) drop(value string, slot uint32) {
	s := x.values[value]
	if s == nil {
		return
	}
	if s.epoch != x.epoch {
		s = x.own(value, s)
	}
	if s.Remove(slot); s.Len() == 0 {
		delete(x.values, value)
	}
}

// own replaces a shared set with a copy that may be changed.
func (x *index[T]) own(value string, shared *set) *set {
	s := &set{shared.Clone(), x.epoch}
	x.values[strings.Clone(value)] = s
	return s
}
