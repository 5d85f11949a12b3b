package informer

import "slices"

// queue holds the changes that a handler has yet to receive, in order.
type queue[T any] interface {
	push(changes []Change[T]) // at least one
	pop() (Change[T], bool)
	waiting() (changes int, coalesced uint64)
}

// lossless keeps every change, without a limit. It keeps them in their original batches, which
// all listeners share.
type lossless[T any] struct {
	batches [][]Change[T]
	n       int
}

func (q *lossless[T]) push(changes []Change[T]) {
	q.batches = append(q.batches, changes)
	q.n += len(changes)
}

func (q *lossless[T]) pop() (c Change[T], ok bool) {
	if q.n == 0 {
		return c, false
	}
	first := q.batches[0]
	if q.n--; len(first) == 1 {
		q.batches[0], q.batches = nil, q.batches[1:]
	} else {
		q.batches[0] = first[1:]
	}
	return first[0], true
}

func (q *lossless[T]) waiting() (int, uint64) { return q.n, 0 }

// coalescing keeps one change of each key: the sum of all changes of that key. The mark of the
// end of the initial list keeps its position.
type coalescing[T any] struct {
	order  []*Change[T] // some are void: their object was added and deleted
	of     map[string]*Change[T]
	void   int
	folded uint64
}

func newCoalescing[T any]() *coalescing[T] {
	return &coalescing[T]{of: make(map[string]*Change[T])}
}

func (q *coalescing[T]) push(changes []Change[T]) {
	for _, c := range changes {
		if c.Type == synced {
			q.order = append(q.order, &c)
			continue
		}
		waiting := q.of[c.Key]
		if waiting == nil {
			q.order = append(q.order, &c)
			q.of[c.Key] = &c
			continue
		}
		q.folded++
		if *waiting = sum(*waiting, c); waiting.Type == 0 {
			q.folded++
			q.void++
			delete(q.of, c.Key)
		}
	}
	q.compact()
}

// compact removes void changes once they are most of the queue.
func (q *coalescing[T]) compact() {
	if 2*q.void > len(q.order) {
		q.order = slices.DeleteFunc(q.order, func(c *Change[T]) bool { return c.Type == 0 })
		q.void = 0
	}
}

func (q *coalescing[T]) pop() (c Change[T], ok bool) {
	for len(q.order) > 0 {
		first := q.order[0]
		q.order[0], q.order = nil, q.order[1:]
		if first.Type == 0 {
			q.void--
			continue
		}
		if first.Type != synced {
			delete(q.of, first.Key)
		}
		return *first, true
	}
	return c, false
}

func (q *coalescing[T]) waiting() (int, uint64) { return len(q.of), q.folded }

// sum returns the net effect of two successive changes of a key. Its type is 0 if they cancel
// out.
func sum[T any](a, b Change[T]) Change[T] {
	switch {
	case a.Type == ObjectAdded && b.Type == ObjectDeleted:
		return Change[T]{}
	case a.Type == ObjectAdded: // and updated
		a.After = b.After
		return a
	case b.Type == ObjectDeleted: // after an update
		b.Before = a.Before
		return b
	default: // updated again, or deleted and added
		return Change[T]{Type: ObjectUpdated, Key: a.Key, Before: a.Before, After: b.After, again: a.again && b.again}
	}
}
