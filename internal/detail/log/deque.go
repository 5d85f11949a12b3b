package log

import (
	"slices"
	"unsafe"
)

// blockLen is how many elements a block of a deque holds.
const blockLen = 1 << 12

// deque is a list that grows at its end and shrinks at both ends. It reuses its blocks, so
// elements are never copied. The garbage collector does not scan elements without pointers.
type deque[T any] struct {
	blocks [][]T
	spare  [][]T
	head   int // removed elements of the first block
	n      int
}

func (d *deque[T]) len() int { return d.n }

func (d *deque[T]) at(i int) *T {
	i += d.head
	return &d.blocks[i/blockLen][i%blockLen]
}

// fits reports whether so many more elements need no new block.
func (d *deque[T]) fits(more int) bool {
	return d.head+d.n+more <= (len(d.blocks)+len(d.spare))*blockLen
}

// grow makes the list longer; the new elements have arbitrary values.
func (d *deque[T]) grow(more int) {
	for d.n += more; d.head+d.n > len(d.blocks)*blockLen; {
		if n := len(d.spare); n > 0 {
			d.blocks, d.spare = append(d.blocks, d.spare[n-1]), d.spare[:n-1]
		} else {
			d.blocks = append(d.blocks, make([]T, blockLen))
		}
	}
}

func (d *deque[T]) push(v T) {
	d.grow(1)
	*d.at(d.n - 1) = v
}

// shift removes the first element.
func (d *deque[T]) shift() {
	d.n--
	if d.head++; d.head == blockLen {
		d.spare = append(d.spare, d.blocks[0])
		d.blocks, d.head = slices.Delete(d.blocks, 0, 1), 0
	}
}

// truncate keeps the first n elements.
func (d *deque[T]) truncate(n int) {
	d.n = n
	for most := (d.head + n + blockLen - 1) / blockLen; len(d.blocks) > most; {
		last := len(d.blocks) - 1
		d.spare, d.blocks = append(d.spare, d.blocks[last]), d.blocks[:last]
	}
}

// search returns the index of the first element for which is returns true. It must also be true
// for all elements after it.
func (d *deque[T]) search(is func(*T) bool) int {
	low, high := 0, d.n
	for low < high {
		if mid := (low + high) / 2; is(d.at(mid)) {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// bytes returns the size of all blocks.
func (d *deque[T]) bytes() int {
	return (len(d.blocks) + len(d.spare)) * blockLen * int(unsafe.Sizeof(*new(T)))
}
