package history

import "watchglass/internal/timeslice"

// cursor has the versions of chains at a moment, so that the next moment costs what has changed in
// between, and not all that has changed since. It belongs to whoever has taken it from the stream.
type cursor struct {
	at     int64
	era    int
	past   bool              // no more changes can arrive at its moment
	states map[uint64]*state // by the number of the chain; others are read when they are wanted
	used   int64
}

// idle is how long a cursor is kept that nobody takes, in milliseconds.
const idle = 20_000

// cursorAt takes the stream's cursor, or a new one if now is nearer, and moves it to a moment.
func (r *reading) cursorAt(at int64) *cursor {
	m := r.store.memory
	m.mu.Lock()
	k := r.stream.cursor
	if k != nil && k.at < r.stream.known {
		r.stream.cursor, k = nil, nil
	}
	if k != nil && at-k.at <= r.store.now-at {
		r.stream.cursor = nil
	} else {
		k = &cursor{at: at, era: r.stream.era, past: at < r.store.now, states: make(map[uint64]*state)}
	}
	m.mu.Unlock()
	if at != k.at {
		r.move(k, at)
	}
	return k
}

// release returns the cursor for the next reader. Of two, the one at the earlier moment is kept, which saves
// more.
func (r *reading) release(k *cursor) {
	r.store.memory.mu.Lock()
	defer r.store.memory.mu.Unlock()
	if k.used = r.store.now; k.era == r.stream.era && k.past && (r.stream.cursor == nil || k.at < r.stream.cursor.at) {
		r.stream.cursor = k
	}
}

// state returns the version of a chain. The memory is locked.
func (k *cursor) state(t *stream, c *chain) *state {
	v := k.states[c.number]
	if v == nil {
		now := t.newest(c)
		v = &now
		t.before(v, k.at)
		k.states[c.number] = v
	}
	return v
}

// visitor is called with each record that a cursor passes, its version, and the function that applies the record to that
// version.
type visitor func(c *chain, rec record, v *state, apply func())

// forward is a walk over the changes up to a moment.
type forward struct {
	*reading
	*cursor
	to    int64
	place uint64
	timer timeslice.Timer
}

// forward begins to move a cursor forward.
func (r *reading) forward(k *cursor, to int64) *forward {
	r.store.memory.mu.Lock()
	defer r.store.memory.mu.Unlock()
	k.past = to < r.store.now
	return &forward{r, k, to, r.stream.journal.since(k.at), r.store.memory.timer}
}

// some passes records until a rest is due. It returns false once all are passed and the cursor is at its
// moment.
func (w *forward) some(f visitor) bool {
	w.store.memory.mu.Lock()
	defer w.store.memory.mu.Unlock()
	t, j := w.stream, &w.stream.journal
	if t.era != w.cursor.era {
		return false
	}
	if w.place < j.start() { // the next records have been dropped
		w.place = j.start()
		clear(w.states)
	}
	for n := 0; w.place < j.end; n++ {
		rec := j.at(w.place)
		if rec.at > w.to {
			break
		}
		if n == slice || n > 0 && w.timer.Due() {
			return true
		}
		if c := t.chains[rec.chain]; c != nil && rec.at > w.cursor.at {
			w.pass(c, rec, f)
		}
		w.place = j.after(w.place, rec)
	}
	w.cursor.at = w.to
	return false
}

// pass makes one change.
func (w *forward) pass(c *chain, rec record, f visitor) {
	t, v, here := w.stream, w.state(w.stream, c), w.place+1
	f(c, rec, v, func() {
		if rec.kind != kinds[0] {
			t.step(v, rec, true)
			v.back = here
			return
		}
		t.renew(v, c) // scripts lead to an added object only when going back
		for v.back > here && t.undo(v) {
		}
	})
}
