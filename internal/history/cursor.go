package history

import "slices"

// cursor has the versions of chains at a moment, so that the next moment costs what has changed in
// between, and not all that has changed since. It belongs to whoever has taken it from the stream.
type cursor struct {
	at     int64
	era    int
	states map[uint64]*state // by the number of the chain; others are read when they are wanted
	used   int64
}

// idle is how long a cursor is kept that nobody takes, in milliseconds.
const idle = 60_000

// take takes the stream's cursor, or a new one, and moves it to a moment.
func (r *reading) take(at int64) *cursor {
	m := r.store.memory
	m.mu.Lock()
	k := r.stream.cursor
	r.stream.cursor = nil
	if k == nil || k.era != r.stream.era || k.at < r.stream.known {
		k = &cursor{at: at, era: r.stream.era, states: make(map[uint64]*state)}
	}
	m.mu.Unlock()
	r.move(k, at, nil)
	return k
}

// leave gives the cursor back, for the next who reads.
func (r *reading) leave(k *cursor) {
	r.store.memory.mu.Lock()
	defer r.store.memory.mu.Unlock()
	if k.used = r.store.now; k.era == r.stream.era {
		r.stream.cursor = k
	}
}

// state returns the version of a chain. The memory is locked.
func (k *cursor) state(t *stream, c *chain) *state {
	v := k.states[c.number]
	if v == nil {
		now := c.newest()
		v = &now
		t.before(v, k.at)
		k.states[c.number] = v
	}
	return v
}

// touch is called with each version that a move is going to change, again each time.
type touch func(c *chain, v *state)

// move moves a cursor to a moment.
func (r *reading) move(k *cursor, to int64, first touch) {
	if to > k.at {
		r.forward(k, to, first)
	} else if to < k.at {
		r.back(k, to, first)
	}
	k.at = to
}

// forward makes all changes up to a moment.
func (r *reading) forward(k *cursor, to int64, first touch) {
	t, m := r.stream, r.store.memory
	m.mu.Lock()
	place := t.journal.since(k.at)
	for more := true; more; {
		if t.era != k.era || place < t.journal.start() { // what was to come has been dropped
			clear(k.states)
			break
		}
		more = false
		for n := 0; place < t.journal.end; place = t.journal.after(place, t.journal.at(place)) {
			rec := t.journal.at(place)
			if n++; rec.at > to || n > slice {
				more = rec.at <= to
				break
			}
			if c := t.chains[rec.chain]; c != nil && rec.at > k.at {
				k.redo(t, c, place, rec, first)
			}
		}
		m.mu.Unlock() // lets changes in
		m.mu.Lock()
	}
	m.mu.Unlock()
}

// redo makes one change.
func (k *cursor) redo(t *stream, c *chain, place uint64, rec record, first touch) {
	v := k.state(t, c)
	if first != nil {
		first(c, v)
	}
	if rec.kind != kinds[0] {
		t.turn(v, rec, true)
		v.back = place + 1
		return
	}
	*v = c.newest()
	for v.back > place+1 && t.undo(v) {
	}
}

// back takes back all changes since a moment.
func (r *reading) back(k *cursor, to int64, first touch) {
	t, m := r.stream, r.store.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	for slot := t.journal.slots(); t.era == k.era && slot > t.journal.first; {
		b := t.journal.blocks[slot-1-t.journal.first]
		if b.last <= to {
			return
		}
		if b.first <= k.at {
			for _, place := range slices.Backward(b.places()) {
				rec := b.at(place)
				if c := t.chains[rec.chain]; c != nil && rec.at > to && rec.at <= k.at {
					v := k.state(t, c)
					if first != nil {
						first(c, v)
					}
					t.undo(v)
				}
			}
		}
		slot = b.start >> slotBits
		m.mu.Unlock() // lets changes in
		m.mu.Lock()
	}
}
