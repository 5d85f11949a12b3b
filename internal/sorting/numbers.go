package sorting

import "math"

// Number is a number to sort by, as bits that are in the same order.
type Number struct {
	At   uint32 // whose number it is
	bits uint64
}

// NewNumber returns the number of an element, by its index. NaN comes before all others.
func NewNumber(n float64, at uint32) Number {
	bits := math.Float64bits(n + 0) // +0 makes -0 equal to 0
	switch {
	case n != n:
		bits = 0
	case bits>>63 == 1:
		bits = ^bits
	default:
		bits |= 1 << 63
	}
	return Number{at, bits}
}

// Numbers sorts numbers with a radix sort, a pass for each byte from the last; equal ones keep their order. Bytes that are the
// same in all keys, which are most, take no pass.
func Numbers(keys []Number) []Number {
	var counts [8][256]int
	for _, k := range keys {
		for at := range counts {
			counts[at][byte(k.bits>>(8*at))]++
		}
	}
	other := make([]Number, len(keys))
	for at := range counts {
		starts, shift := &counts[at], 8*at
		if len(keys) == 0 || starts[byte(keys[0].bits>>shift)] == len(keys) {
			continue
		}
		next := 0
		for i, n := range starts {
			starts[i], next = next, next+n
		}
		for _, k := range keys {
			at := &starts[byte(k.bits>>shift)]
			other[*at] = k
			*at++
		}
		keys, other = other, keys
	}
	return keys
}
