package indexer

import (
	"maps"
	"slices"
)

// state contains the objects and the indexes over them. An object keeps its slot for as long as
// it is in the store. Indexes refer to slots.
type state[T any] struct {
	slots   map[string]uint32
	objects []T // by slot
	free    []uint32
	indexes map[string]*index[T]
}

// clone returns a copy of the state that can change independently. It is cheap: the set of each
// index value is shared until it changes.
func (s *state[T]) clone() *state[T] {
	c := &state[T]{slots: maps.Clone(s.slots), objects: slices.Clone(s.objects), free: slices.Clone(s.free), indexes: make(map[string]*index[T], len(s.indexes))}
	for name, index := range s.indexes {
		c.indexes[name] = index.clone()
	}
	return c
}

func (s *state[T]) get(key string) (obj T, ok bool) {
	slot, ok := s.slots[key]
	if ok {
		obj = s.objects[slot]
	}
	return obj, ok
}

func (s *state[T]) set(key string, obj T) (old T, existed bool) {
	slot, existed := s.slots[key]
	if existed {
		old = s.objects[slot]
		s.objects[slot] = obj
		for _, index := range s.indexes {
			index.update(slot, old, obj)
		}
	} else {
		slot = s.take(obj)
		for _, index := range s.indexes {
			index.add(slot, obj)
		}
	}
	s.slots[key] = slot // also for an old slot: the key's text is now part of the new object
	return old, existed
}

func (s *state[T]) delete(key string) (old T, existed bool) {
	slot, existed := s.slots[key]
	if !existed {
		return old, false
	}
	var none T
	old, s.objects[slot] = s.objects[slot], none
	delete(s.slots, key)
	s.free = append(s.free, slot)
	for _, index := range s.indexes {
		index.remove(slot, old)
	}
	return old, true
}

// take stores an object in a free slot and returns the slot.
func (s *state[T]) take(obj T) uint32 {
	if n := len(s.free); n > 0 {
		slot := s.free[n-1]
		s.free = s.free[:n-1]
		s.objects[slot] = obj
		return slot
	}
	s.objects = append(s.objects, obj)
	return uint32(len(s.objects) - 1)
}

// all returns the objects in the order of their slots: mostly that in which they came, which is that
// of their memory.
func (s *state[T]) all() []T {
	if len(s.free) == 0 {
		return slices.Clone(s.objects)
	}
	gone := make([]bool, len(s.objects))
	for _, slot := range s.free {
		gone[slot] = true
	}
	out := make([]T, 0, len(s.slots))
	for slot, obj := range s.objects {
		if !gone[slot] {
			out = append(out, obj)
		}
	}
	return out
}

func (s *state[T]) keys() []string { return slices.Collect(maps.Keys(s.slots)) }

// under returns the objects of a set.
func (s *state[T]) under(set *set) []T {
	if set == nil {
		return nil
	}
	out := make([]T, 0, set.Len())
	for slot := range set.All() {
		out = append(out, s.objects[slot])
	}
	return out
}
