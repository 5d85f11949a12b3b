package indexer

// Replacement is a change of the store that takes its time: many transactions,
// none of which a reader sees before all are done. It holds a second set of
// tables, not of objects, for as long.
type Replacement[T any] struct {
	x     *Indexer[T]
	state *state[T]
}

// Replace begins a replacement. Whoever else writes waits until it is committed
// or discarded; readers do not, and see the store as it was.
func (x *Indexer[T]) Replace() *Replacement[T] {
	x.writing.Lock()
	return &Replacement[T]{x: x, state: x.state.clone()}
}

// Update runs one of the replacement's transactions.
func (r *Replacement[T]) Update(f func(tx Tx[T])) { f(Tx[T]{x: r.x, state: r.state}) }

// Get returns the object that there will be of a key.
func (r *Replacement[T]) Get(key string) (obj T, ok bool) { return r.state.get(key) }

// ListKeys returns all keys that there will be, in no order.
func (r *Replacement[T]) ListKeys() []string { return r.state.keys() }

// Commit has readers see all of it, at once. If a version is given, the store is
// settled there.
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

// Discard forgets all of it.
func (r *Replacement[T]) Discard() { r.x.writing.Unlock() }
