package slots

import (
	"iter"
	"math/bits"
	"slices"
)

// Bits is a set as a bitmap, for sets that are combined with others. The zero value is empty. Bitmaps
// of different lengths can be combined and compared: what is beyond the end of one is not in it.
type Bits struct{ words []uint64 }

// Grow makes room for the slots below n, so that adding them does not allocate.
func (b *Bits) Grow(n int) {
	if more := (n+63)>>6 - len(b.words); more > 0 {
		b.words = append(b.words, make([]uint64, more)...)
	}
}

// Add adds a slot.
func (b *Bits) Add(slot uint32) {
	if int(slot>>6) >= len(b.words) {
		b.Grow(int(slot) + 1)
	}
	b.words[slot>>6] |= 1 << (slot & 63)
}

// Remove removes a slot.
func (b *Bits) Remove(slot uint32) {
	if i := int(slot >> 6); i < len(b.words) {
		b.words[i] &^= 1 << (slot & 63)
	}
}

// Has reports whether a slot is in the set.
func (b *Bits) Has(slot uint32) bool {
	i := int(slot >> 6)
	return i < len(b.words) && b.words[i]&(1<<(slot&63)) != 0
}

// Clear removes all slots, and keeps the memory.
func (b *Bits) Clear() { clear(b.words) }

// Or adds the slots of another set.
func (b *Bits) Or(other *Bits) {
	b.Grow(len(other.words) << 6)
	words := b.words[:len(other.words)]
	for i, w := range other.words {
		words[i] |= w
	}
}

// And keeps only the slots that are in another set, too.
func (b *Bits) And(other *Bits) {
	n := min(len(b.words), len(other.words))
	words := b.words[:n]
	for i, w := range other.words[:n] {
		words[i] &= w
	}
	clear(b.words[n:])
}

// AndNot removes the slots of another set.
func (b *Bits) AndNot(other *Bits) {
	n := min(len(b.words), len(other.words))
	words := b.words[:n]
	for i, w := range other.words[:n] {
		words[i] &^= w
	}
}

// Len returns how many slots are in the set. It counts them each time.
func (b *Bits) Len() (n int) {
	for _, w := range b.words {
		n += bits.OnesCount64(w)
	}
	return n
}

// LenAnd returns how many slots are in both sets, without building the set of them.
func (b *Bits) LenAnd(other *Bits) (n int) {
	both := min(len(b.words), len(other.words))
	words := b.words[:both]
	for i, w := range other.words[:both] {
		n += bits.OnesCount64(words[i] & w)
	}
	return n
}

// All yields the slots in order.
func (b *Bits) All() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i, w := range b.words {
			for ; w != 0; w &= w - 1 {
				if !yield(uint32(i<<6 + bits.TrailingZeros64(w))) {
					return
				}
			}
		}
	}
}

// Equal reports whether both sets have the same slots.
func (b *Bits) Equal(other *Bits) bool {
	short, long := b.words, other.words
	if len(short) > len(long) {
		short, long = long, short
	}
	if !slices.Equal(short, long[:len(short)]) {
		return false
	}
	for _, w := range long[len(short):] {
		if w != 0 {
			return false
		}
	}
	return true
}

// Clone returns a copy that can change independently.
func (b *Bits) Clone() Bits { return Bits{slices.Clone(b.words)} }

// Select returns the slots whose codes are chosen: of slot i, that is chosen[codes[i]].
func Select[C uint8 | uint16](codes []C, chosen []bool) *Bits {
	b := &Bits{make([]uint64, (len(codes)+63)>>6)}
	for i := range b.words {
		var w uint64
		for at, code := range codes[i<<6 : min(i<<6+64, len(codes))] {
			if chosen[code] {
				w |= 1 << at
			}
		}
		b.words[i] = w
	}
	return b
}
