package sorting

import "math"

// Number is an element by its index, with what it sorts by.
type Number struct {
	At  uint32
	Key uint64
}

// Key returns bits that are in the order of the numbers. NaN comes before all others. No number has the bits 0, nor all bits.
func Key(n float64) uint64 {
	bits := math.Float64bits(n + 0) // +0 makes -0 equal to 0
	switch {
	case n != n:
		return 1
	case bits>>63 == 1:
		return ^bits
	}
	return bits | 1<<63
}

// Numbers sorts numbers with a radix sort, a pass for each byte from the last; equal ones keep their order. Bytes that are the
// same in all keys, which are most, take no pass.
func Numbers(keys []Number) []Number {
	var counts [8][256]int
	for _, k := range keys {
		for at := range counts {
			counts[at][byte(k.Key>>(8*at))]++
		}
	}
	other := make([]Number, len(keys))
	for at := range counts {
		starts, shift := &counts[at], 8*at
		if len(keys) == 0 || starts[byte(keys[0].Key>>shift)] == len(keys) {
			continue
		}
		next := 0
		for i, n := range starts {
			starts[i], next = next, next+n
		}
		for _, k := range keys {
			at := &starts[byte(k.Key>>shift)]
			other[*at] = k
			*at++
		}
		keys, other = other, keys
	}
	return keys
}

// Nth returns the key that would be at an index if the keys were sorted. It changes their order, and needs time for each key
// but once or twice.
func Nth(keys []uint64, at int) uint64 {
	for len(keys) > 1 {
		pivot := middle(keys[0], keys[len(keys)/2], keys[len(keys)-1])
		i, j := 0, len(keys)-1
		for i <= j {
			for keys[i] < pivot {
				i++
			}
			for keys[j] > pivot {
				j--
			}
			if i <= j {
				keys[i], keys[j] = keys[j], keys[i]
				i, j = i+1, j-1
			}
		}
		switch { // none up to j is more than the pivot, and none from i on is less
		case at <= j:
			keys = keys[:j+1]
		case at >= i:
			keys, at = keys[i:], at-i
		default:
			return pivot
		}
	}
	return keys[0]
}

// middle returns the second of three keys.
func middle(a, b, c uint64) uint64 { return max(min(a, b), min(max(a, b), c)) }
