package history

// A jump moves a cursor to another moment, object by object. An object that was added or deleted on the way
// needs no scripts from the other side of that, and one text at a time stays in the processor's cache.

// jump has the records between two moments, each linked to the previous one of its chain.
type jump struct {
	steps   []step
	earlier []int32  // by step: the previous step of the chain, plus one
	last    []int32  // by chain number: the chain's last step, plus one
	chains  []*chain // in the order in which they first changed
}

// step is the place of a record, and its kind: 0 added, 1 modified, 2 deleted.
type step uint64

func stepOf(place uint64, r record) step {
	for kind, of := range kinds {
		if of == r.kind {
			place = place<<2 | uint64(kind)
			break
		}
	}
	return step(place)
}

func (s step) place() uint64  { return uint64(s >> 2) }
func (s step) kind() step     { return s & 3 }
func (s step) modifies() bool { return s.kind() == 1 }

// scan is the number of records read before the lock is released.
const scan = 4096

// jump finds the records after one moment, up to a later one.
func (r *reading) jump(after, to int64) *jump {
	j, t, place := new(jump), r.stream, uint64(0)
	b := r.store.memory.timer
	for more := true; more; b.RestIfDue() {
		r.store.memory.mu.Lock()
		if j.steps == nil {
			place = t.journal.since(after)
		}
		more = t.era == r.era && j.readSome(t, max(place, t.journal.start()), after, to, &place)
		r.store.memory.mu.Unlock()
	}
	return j
}

// readSome reads up to scan records, and reports whether there may be more.
func (j *jump) readSome(t *stream, from uint64, after, to int64, place *uint64) bool {
	*place = from
	for n := 0; *place < t.journal.end; n++ {
		rec := t.journal.at(*place)
		if rec.at > to {
			return false
		}
		if n == scan {
			return true
		}
		if rec.at > after {
			j.add(t, *place, rec)
		}
		*place = t.journal.after(*place, rec)
	}
	return false
}

func (j *jump) add(t *stream, place uint64, rec record) {
	if rec.chain >= uint64(len(j.last)) {
		j.last = append(j.last, make([]int32, t.last+1-uint64(len(j.last)))...)
	}
	last := j.last[rec.chain]
	if last == 0 {
		c := t.chains[rec.chain]
		if c == nil {
			return
		}
		j.chains = append(j.chains, c)
	}
	j.steps, j.earlier = append(j.steps, stepOf(place, rec)), append(j.earlier, last)
	j.last[rec.chain] = int32(len(j.steps))
}

// of appends the steps of a chain, the newest first.
func (j *jump) of(c *chain, to []step) []step {
	for i := j.last[c.number]; i > 0; i = j.earlier[i-1] {
		to = append(to, j.steps[i-1])
	}
	return to
}

// move moves a cursor to a moment.
func (r *reading) move(k *cursor, to int64) {
	j := r.jump(min(k.at, to), max(k.at, to))
	r.each(j.chains, func(c *chain) func() bool {
		if v := k.states[c.number]; v != nil {
			r.moveTo(k, j, c, v, to)
		}
		return nil
	})
	r.arrive(k, to)
}

// arrive notes that all states of a cursor are those of a moment.
func (r *reading) arrive(k *cursor, to int64) {
	r.store.memory.mu.Lock()
	defer r.store.memory.mu.Unlock()
	k.at, k.past = to, to < r.store.now
}

// moveTo takes a version to the moment of a jump.
func (r *reading) moveTo(k *cursor, j *jump, c *chain, v *state, to int64) {
	t := r.stream
	r.steps = j.of(c, r.steps[:0])
	switch oldest := r.steps[len(r.steps)-1].place(); {
	case oldest < t.journal.start(): // it has been dropped meanwhile
		t.renew(v, c)
		t.before(v, to)
	case to < k.at:
		t.retrace(v, r.steps)
		v.back = t.journal.previous(oldest, t.journal.at(oldest))
	default:
		t.advance(v, c, r.steps, to)
	}
}

// advance applies steps, which are in order from the newest.
func (s *stream) advance(v *state, c *chain, steps []step, to int64) {
	for _, x := range steps {
		if x.kind() == 0 { // only going back leads to what was added
			s.renew(v, c)
			s.before(v, to)
			return
		}
	}
	v.back = steps[0].place() + 1
	if steps[0].kind() == 2 {
		v.raw, v.ok = v.raw[:0], false
		return
	}
	for i := len(steps) - 1; i >= 0; i-- {
		s.step(v, s.journal.at(steps[i].place()), true)
	}
}

// retrace undoes steps, which are in order from the newest.
func (s *stream) retrace(v *state, steps []step) {
	for i := len(steps) - 1; i > 0; i-- {
		if !steps[i].modifies() { // later states do not matter
			steps = steps[i:]
			break
		}
	}
	for _, x := range steps {
		s.step(v, s.journal.at(x.place()), false)
	}
}
