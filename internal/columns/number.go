package columns

import (
	"math"
	"slices"

	"watchglass/internal/object"
	"watchglass/internal/sorting"
)

// Number is a column of numbers to sort by. It keeps a key for each slot: keys are in the order of the numbers, and an object
// without a number has the last.
type Number struct {
	Of func(o *object.Object) (n float64, known bool)

	small []uint32 // by slot, as long as all numbers are integers of 32 bits
	keys  []uint64 // instead
	next  int      // the first slot that has not been read
}

// Unknown is the key of objects without a number. None with a number has the key 0.
const Unknown = math.MaxUint64

// unknown is the small key of objects without a number.
const unknown = math.MaxUint32

// Key returns the key of a slot.
func (x *Number) Key(slot uint32) uint64 {
	if x.keys != nil {
		return x.keys[slot]
	}
	if key := x.small[slot]; key != unknown {
		return uint64(key)
	}
	return Unknown
}

// grow makes room for the numbers of the slots below n.
func (x *Number) grow(n int) {
	if x.keys != nil {
		x.keys = slices.Grow(x.keys, max(n-len(x.keys), 0))
	} else {
		x.small = slices.Grow(x.small, max(n-len(x.small), 0))
	}
}

// lacks returns the first slot that has not been read, and whether there is one below n.
func (x *Number) lacks(n int) (next int, is bool) { return x.next, x.next < n }

// read reads the object of the next slot; nil if that is free. It returns the cost.
func (x *Number) read(o *object.Object) (cost int) {
	x.next++
	x.put(uint32(x.next-1), o)
	return 1
}

// set reads an object that is new or has changed. Slots after the next are left to read.
func (x *Number) set(slot uint32, o *object.Object) {
	switch {
	case int(slot) == x.next:
		x.read(o)
	case int(slot) < x.next:
		x.put(slot, o)
	}
}

// drop removes the object of a slot.
func (x *Number) drop(slot uint32) {
	if int(slot) < x.next {
		x.put(slot, nil)
	}
}

// empty drops what the column has.
func (x *Number) empty() { x.small, x.keys, x.next = nil, nil, 0 }

// put sets the key of a slot.
func (x *Number) put(slot uint32, o *object.Object) {
	n, known := 0.0, false
	if o != nil {
		n, known = x.Of(o)
	}
	if x.keys == nil {
		if key, fits := smallKey(n, known); fits {
			x.small = set(x.small, slot, key)
			return
		}
		x.widen()
	}
	x.keys = set(x.keys, slot, wideKey(n, known))
}

// smallKey returns the key of a number in 32 bits, and whether it fits.
func smallKey(n float64, known bool) (key uint32, fits bool) {
	if !known {
		return unknown, true
	}
	key = uint32(int64(n) + 1<<31)
	return key, n == math.Trunc(n) && n > math.MinInt32 && n < math.MaxInt32
}

// wideKey returns the key of a number in 64 bits.
func wideKey(n float64, known bool) uint64 {
	if !known {
		return Unknown
	}
	return sorting.Key(n)
}

// widen gives all numbers keys of 64 bits.
func (x *Number) widen() {
	x.keys = make([]uint64, len(x.small), max(cap(x.small), 1))
	for slot, key := range x.small {
		x.keys[slot] = wideKey(float64(int64(key)-1<<31), key != unknown)
	}
	x.small = nil
}
