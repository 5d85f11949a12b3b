package indexer

import (
	"slices"
	"strings"
)

// IndexFunc appends the values under which an object stands in an index: none,
// one or several. It must give the same for the same object, and is called by
// the writer alone. One that panics gives none, and the object is counted.
type IndexFunc[T any] func(dst []string, obj T) []string

// Indexers are index functions by the name of their index.
type Indexers[T any] map[string]IndexFunc[T]

// index maps values to the slots of the objects that have them.
type index[T any] struct {
	f      IndexFunc[T]
	values map[string]*set
	broken int      // objects on which f panicked
	before []string // scratch
	after  []string
}

func newIndex[T any](f IndexFunc[T]) *index[T] {
	return &index[T]{f: f, values: make(map[string]*set)}
}

// of calls the function.
func (x *index[T]) of(dst []string, obj T) (values []string) {
	defer func() {
		if recover() != nil {
			x.broken++
			values = dst[:0]
		}
	}()
	return x.f(dst, obj)
}

func (x *index[T]) add(slot uint32, obj T) {
	x.after = x.of(x.after[:0], obj)
	for _, v := range x.after {
		x.insert(v, slot)
	}
}

func (x *index[T]) remove(slot uint32, obj T) {
	x.before = x.of(x.before[:0], obj)
	for _, v := range x.before {
		x.drop(v, slot)
	}
}

// update moves an object from the values it had to those it has, which mostly
// are the same.
func (x *index[T]) update(slot uint32, before, after T) {
	x.before = x.of(x.before[:0], before)
	x.after = x.of(x.after[:0], after)
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
	if s == nil {
		s = new(set)
		x.values[strings.Clone(value)] = s // the object's own text must not be held
	}
	s.add(slot)
}

func (x *index[T]) drop(value string, slot uint32) {
	s := x.values[value]
	if s == nil {
		return
	}
	if s.remove(slot); s.n == 0 {
		delete(x.values, value)
	}
}
