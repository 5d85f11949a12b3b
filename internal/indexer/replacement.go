package indexer

// Replacement is a long change of the store in many transactions. Readers see none of them
// before Commit. Meanwhile it holds a second copy of the tables, but not of the objects.
type Replacement[T any] struct {
	x     *Indexer[T]
	state *state[T]
}

// Replace begins a replacement. Other writers wait until it is committed or discarded. Readers
// do not wait, and see the store as it was before.
func (x *Indexer[T]) Replace() *Replacement[T] {
	x.writing.Lock()
	return &Replacement[T]{x: x, state: x.state.clone()}
}

// Update runs one of the replacement's transactions.
func (r *Replacement[T]) Update(f func(tx Tx[T])) { f(Tx[T]{x: r.x, state: r.state}) }

// Get returns the object of a key in the new state.
func (r *Replacement[T]) Get(key string) (obj T, ok bool) { return r.state.get(key) }

// ListKeys returns all keys of the new state, in no order.
func (r *Replacement[T]) ListKeys() []string { return r.state.keys() }

// Commit makes the whole replacement visible to readers at once. If a version is given, the
// store is settled at it.
func (r *Replacement[T]) Commit(version string) {
	x := r.x
	defer x.writing.Unlock()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.state = r.state
	x.unsettle()
	if version != "" {
		x.settle(version)
	}
}

// Discard drops the replacement.
func (r *Replacement[T]) Discard() { r.x.writing.Unlock() }
