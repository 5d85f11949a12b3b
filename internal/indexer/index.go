package indexer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// KeyFunc names an object: by its namespace and name, where there is one.
type KeyFunc[T any] func(obj T) string

// IndexFunc appends the values under which an object stands in an index: none,
// one or several. It must give the same for the same object, may be called by
// several goroutines at once, and may panic: then the object stands nowhere in
// the index, and is counted there.
type IndexFunc[T any] func(dst []string, obj T) []string

// Indexers are index functions by the name of their index.
type Indexers[T any] map[string]IndexFunc[T]

// NamespaceIndex is the name of the index by namespace.
const NamespaceIndex = "namespace"

// index maps values to the slots of the objects that have them.
type index[T any] struct {
	f      IndexFunc[T]
	values map[string]*set
	// epoch is of the sets that are this index's own. Any other is shared with
	// the index that this one was cloned from, and copied before it changes.
	epoch  uint32
	broken int    // objects that are left out, since f panicked on them
	said   string // what it said when it last did
	before []string
	after  []string
}

func newIndex[T any](f IndexFunc[T]) *index[T] {
	return &index[T]{f: f, values: make(map[string]*set)}
}

// clone is an index that changes on its own.
func (x *index[T]) clone() *index[T] {
	c := *x
	c.values, c.before, c.after = maps.Clone(x.values), nil, nil
	c.epoch++
	return &c
}

// call calls an index function; said is its last word if it panicked.
func call[T any](f IndexFunc[T], dst []string, obj T) (values []string, said string) {
	defer func() {
		if p := recover(); p != nil {
			values, said = dst[:0], fmt.Sprint("panic: ", p)
		}
	}()
	return f(dst, obj), ""
}

// of is the values of an object that comes or goes: broken counts those on which
// the function panicks.
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

// update moves an object from the values it had to those it has, which mostly
// are the same.
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
		x.values[strings.Clone(value)] = s // the object's own text must not be held
	case s.epoch != x.epoch:
		s = x.own(value, s)
	}
	s.add(slot)
}

func (x *index[T]) drop(value string, slot uint32) {
	s := x.values[value]
	if s == nil {
		return
	}
	if s.epoch != x.epoch {
		s = x.own(value, s)
	}
	if s.remove(slot); s.n == 0 {
		delete(x.values, value)
	}
}

// own copies a shared set, to be changed.
func (x *index[T]) own(value string, shared *set) *set {
	s := shared.clone(x.epoch)
	x.values[strings.Clone(value)] = s
	return s
}
