package columns

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"sync"

	"watchglass/internal/sorting"
)

// keysPool has the memory for the keys of slots that are being sorted.
var keysPool = sync.Pool{New: func() any { return new([]uint64) }}

// keysOf returns the memory for n keys, which the caller gives back to keysPool.
func keysOf(n int) *[]uint64 {
	keys := keysPool.Get().(*[]uint64)
	*keys = slices.Grow((*keys)[:0], n)[:n]
	return keys
}

// First puts at least n of some slots in front: those whose texts come first, in order. The others, and those with equal texts,
// keep their order. It returns how many are in front. All objects must have been read.
func (x *Text) First(some []uint32, n int, descending bool) int {
	texts := make([]string, x.Codes())
	for code := range texts {
		texts[code], _ = x.Text(uint32(code))
	}
	ranks := sorting.Ranks(texts)
	if descending {
		for code, rank := range ranks {
			ranks[code] = uint32(len(ranks)) - 1 - rank
		}
	}
	counts, memory := make([]int, len(ranks)), keysOf(len(some))
	defer keysPool.Put(memory)
	keys := *memory
	for i, slot := range some {
		rank := ranks[x.Code(slot)]
		keys[i] = uint64(rank)
		counts[rank]++
	}
	last, less := 0, 0
	for less+counts[last] < n {
		less += counts[last]
		last++
	}
	return len(split(some, keys, uint64(last), less, n-less))
}

// First is as that of Text, by number. Those without a number come last, or at once if unknownFirst is set: all of them are in
// front then, or none, from begin to end.
func (x *Number) First(some []uint32, n int, descending, unknownFirst bool) (sorted, begin, end int) {
	memory, key := keysOf(len(some)), uint64(Unknown)
	defer keysPool.Put(memory)
	keys := *memory
	if unknownFirst {
		key = 0
	}
	for i, slot := range some {
		switch keys[i] = x.Key(slot); {
		case keys[i] == Unknown:
			keys[i] = key
		case descending:
			keys[i] = ^keys[i]
		}
	}
	front := first(some, keys, n, key)
	for end = len(front); end > 0 && front[end-1].Key > key; {
		end--
	}
	for begin = end; begin > 0 && front[begin-1].Key == key; {
		begin--
	}
	return len(front), begin, end
}

// first puts at least n slots in front whose keys come first, in order, and returns them with their keys. The others, and those
// with equal keys, keep their order. Of those with the key whole, all are in front, or none.
func first(some []uint32, keys []uint64, n int, whole uint64) (front []sorting.Number) {
	last := uint64(Unknown)
	if n < len(keys) {
		last = about(keys, n)
	}
	less, equal := compare(keys, last)
	if less+equal < n { // the sample misled
		last = sorting.Nth(slices.Clone(keys), n-1)
		less, equal = compare(keys, last)
	}
	if last != whole {
		equal = min(equal, max(n-less, 0))
	}
	return split(some, keys, last, less, equal)
}

// sampled is how many keys there are for each that is looked at to guess which one is the last in front.
const sampled = 64

// about returns a key that n or more keys, but not many more, are likely not to exceed.
func about(keys []uint64, n int) uint64 {
	sample := make([]uint64, 0, len(keys)/sampled+1)
	for i := 0; i < len(keys); i += sampled {
		sample = append(sample, keys[i])
	}
	at := n / sampled
	return sorting.Nth(sample, min(at+at/4+8, len(sample)-1))
}

// compare returns how many keys are less than one, and how many equal.
func compare(keys []uint64, one uint64) (less, equal int) {
	for _, key := range keys {
		if key < one {
			less++
		} else if key == one {
			equal++
		}
	}
	return less, equal
}

// split puts the slots in front whose keys are less than last, and the first few whose keys are equal, and sorts them.
func split(some []uint32, keys []uint64, last uint64, less, equal int) (front []sorting.Number) {
	front = make([]sorting.Number, 0, less+equal)
	others := some[:0]
	for i, slot := range some {
		switch key := keys[i]; {
		case key < last:
			front = append(front, sorting.Number{At: slot, Key: key})
		case key == last && equal > 0:
			front, equal = append(front, sorting.Number{At: slot, Key: key}), equal-1
		default:
			others = append(others, slot)
		}
	}
	front = sorting.Numbers(front)
	copy(some[len(front):], others)
	for i, k := range front {
		some[i] = k.At
	}
	return front
}

// run is a part of slots whose names are in order, and the name that comes first.
type run struct {
	from, to int
	name     string
}

// runs are a heap of runs that are being merged. container/heap would cost every visitor 1.5 KB.
type runs struct {
	all        []run
	descending bool
	name       func(slot uint32) string
}

// FirstNames is as First, by names, which are in order and distinct where slots with the same text follow each other.
func (x *Text) FirstNames(some []uint32, n int, descending bool, name func(slot uint32) string) {
	r := runs{descending: descending, name: name}
	for from := 0; from < len(some); {
		code := x.Code(some[from])
		to := from + sort.Search(len(some)-from, func(i int) bool { return x.Code(some[from+i]) != code })
		one := run{from: from, to: to}
		one.name = r.next(some, &one)
		r.all, from = append(r.all, one), to
	}
	for i := len(r.all) / 2; i >= 0; i-- {
		r.sink(i)
	}
	front := make([]uint32, n)
	for i := range front {
		front[i] = r.take(some)
	}
	slices.SortFunc(r.all, func(a, b run) int { return b.from - a.from })
	end := len(some)
	for _, one := range r.all { // the others go back, the last ones first
		end -= copy(some[end-(one.to-one.from):], some[one.from:one.to])
	}
	copy(some, front)
}

// next returns the name that comes first in a run.
func (r *runs) next(some []uint32, one *run) string {
	if r.descending {
		return r.name(some[one.to-1])
	}
	return r.name(some[one.from])
}

// take takes the slot that comes first in all runs.
func (r *runs) take(some []uint32) (slot uint32) {
	one := &r.all[0]
	if r.descending {
		one.to--
		slot = some[one.to]
	} else {
		slot = some[one.from]
		one.from++
	}
	if one.from < one.to {
		one.name = r.next(some, one)
	} else {
		*one = r.all[len(r.all)-1]
		r.all = r.all[:len(r.all)-1]
	}
	r.sink(0)
	return slot
}

// sink moves a run down, to after all that come before it.
func (r *runs) sink(i int) {
	for {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(r.all); child++ {
			if r.before(&r.all[child], &r.all[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		r.all[i], r.all[least] = r.all[least], r.all[i]
		i = least
	}
}

// before reports whether a run's next slot comes before another's. Equal names keep their order.
func (r *runs) before(a, b *run) bool {
	c := strings.Compare(a.name, b.name)
	if r.descending {
		c = -c
	}
	return cmp.Or(c, a.from-b.from) < 0
}
