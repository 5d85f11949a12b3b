package history

import (
	"slices"
	"time"

	"watchglass/internal/object"
)

// Store is the Record of a cluster that is watched. It keeps what its Feeds report, within its Memory.
type Store struct {
	memory  *Memory
	streams []*stream // also those that are apart
	closed  bool
	count   uint64
	begun   int64 // the first time that was told
	now     int64
	settled int64 // when the memory was last settled
}

var _ Record = (*Store)(nil)

// NewStore returns a Store with a share in a Memory, until Close.
func NewStore(m *Memory) *Store {
	s := &Store{memory: m}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.stores = append(m.stores, s)
	return s
}

// Close forgets everything. Nothing is remembered afterwards.
func (s *Store) Close() {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	s.closed = true
	for _, t := range s.streams {
		t.reset()
	}
	s.memory.stores = slices.DeleteFunc(s.memory.stores, func(other *Store) bool { return other == s })
	s.memory.settle()
}

// shown returns the streams of the Record.
func (s *Store) shown() []*stream {
	out := make([]*stream, 0, len(s.streams))
	for _, t := range s.streams {
		if !t.apart {
			out = append(out, t)
		}
	}
	return out
}

// locked calls f with a stream of the Record, locked.
func (s *Store) locked(number int, f func(t *stream)) {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	if all := s.shown(); number >= 0 && number < len(all) {
		f(all[number])
	}
}

// Span is Record's.
func (s *Store) Span() (from, to time.Time) {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	first := int64(0)
	for _, t := range s.streams {
		if since := t.since(); since > 0 && !t.apart && (first == 0 || since < first) {
			first = since
		}
	}
	if first == 0 {
		first = s.begun
	}
	return moment(first), moment(s.now)
}

// since returns the first moment that is known; 0: there is none.
func (t *stream) since() int64 { return max(t.opened, t.known) }

func moment(at int64) time.Time {
	if at == 0 {
		return time.Time{}
	}
	return time.UnixMilli(at)
}

// Streams is Record's.
func (s *Store) Streams() (all []Stream) {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	for _, t := range s.shown() {
		all = append(all, t.about)
	}
	return all
}

// Count is Record's.
func (s *Store) Count() uint64 {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	return s.count
}

// Gaps is Record's.
func (s *Store) Gaps(number int) (all []Gap) {
	from, to := s.Span()
	s.locked(number, func(t *stream) {
		begin := moment(t.opened)
		if t.opened == 0 {
			begin = to
		}
		if begin.After(from) && !t.denied() {
			all = append(all, Gap{From: from, To: begin, Why: Closed})
		}
		if t.known > t.opened {
			all = append(all, Gap{From: begin, To: moment(t.known), Why: Dropped})
		}
		for _, g := range t.gaps {
			if g.To.IsZero() {
				g.To = to
			}
			if g.From.Before(from) {
				g.From = from
			}
			if g.From.Before(g.To) {
				all = append(all, g)
			}
		}
	})
	return all
}

// reading is a walk over a stream that lets changes in between.
type reading struct {
	store   *Store
	stream  *stream
	wrapped [2][]byte
	steps   []step
	era     int
}

// read begins to read a stream. It returns the objects of the source without a chain, and the chains.
func (s *Store) read(number int) (r *reading, source *Input, objects []*object.Object, chains []*chain) {
	for {
		s.locked(number, func(t *stream) { r, source = &reading{store: s, stream: t, era: t.era}, t.lead() })
		if r == nil {
			return nil, nil, nil, nil
		}
		if source == nil {
			s.locked(number, func(t *stream) {
				if t.lead() == nil {
					chains, r.era = t.all(), t.era
				}
			})
			return r, nil, nil, chains
		}
		same := false
		source.held(func(held Objects) {
			s.locked(number, func(t *stream) {
				if same = t.lead() == source; !same {
					return
				}
				objects, chains, r.era = held.List(), t.all(), t.era
				objects = slices.DeleteFunc(objects, func(o *object.Object) bool { return t.byKey[o.Key()] != nil })
			})
		})
		if same {
			return r, source, objects, chains
		}
	}
}

func (t *stream) lead() *Input {
	if len(t.inputs) == 0 {
		return nil
	}
	return t.inputs[0]
}

func (t *stream) all() []*chain {
	all := make([]*chain, 0, len(t.chains))
	for _, c := range t.chains {
		all = append(all, c)
	}
	return all
}

// wrap returns the payload of a version, in memory that the next but one call reuses.
func (r *reading) wrap(raw []byte, ok bool) []byte {
	if !ok {
		return nil
	}
	if raw[0] == '{' {
		return raw
	}
	r.wrapped[0], r.wrapped[1] = r.wrapped[1], r.stream.kind.Wrap(r.wrapped[0][:0], raw)
	return r.wrapped[1]
}

// slice is how many chains are read before changes are let in.
const slice = 64

// each calls f for chains, some at a time with the stream locked, and then yields for those. It returns
// false once a yield has, or when all is forgotten.
func (r *reading) each(chains []*chain, f func(c *chain) (yield func() bool)) bool {
	b := r.store.memory.timer
	for len(chains) > 0 {
		b.RestIfDue()
		var yields []func() bool
		r.store.memory.mu.Lock()
		for n := 0; n < slice && len(chains) > 0 && (n == 0 || !b.Due()); n++ {
			if r.stream.era == r.era {
				if yield := f(chains[0]); yield != nil {
					yields = append(yields, yield)
				}
			}
			chains = chains[1:]
		}
		r.store.memory.mu.Unlock()
		for _, yield := range yields {
			if !yield() {
				return false
			}
		}
	}
	return true
}

// At is Record's.
func (s *Store) At(number int, at time.Time, yield func(Object) bool) {
	s.at(number, at, func(string) bool { return true }, yield)
}

// at is At of some keys. It returns false once a yield has.
func (s *Store) at(number int, at time.Time, wanted func(key string) bool, yield func(Object) bool) bool {
	r, source, objects, chains := s.read(number)
	if r == nil || r.unknown(at) {
		return true
	}
	for _, o := range objects {
		if wanted(o.Key()) && !yield(Object{Key: o.Key(), UID: o.UID(), Payload: r.wrap(source.raw(o), true)}) {
			return false
		}
	}
	k := r.cursorAt(at.UnixMilli())
	defer r.release(k)
	return r.each(chains, func(c *chain) func() bool {
		if !wanted(c.key) {
			return nil
		}
		v := k.state(r.stream, c)
		if !v.ok {
			return nil
		}
		return func() bool { return yield(Object{Key: c.key, UID: v.uid, Payload: r.wrap(v.raw, true)}) }
	})
}

// unknown reports whether a moment is before the stream was first opened, or before what was dropped: scripts
// lead back no further, so what they end at is of a later moment.
func (r *reading) unknown(at time.Time) bool {
	r.store.memory.mu.Lock()
	defer r.store.memory.mu.Unlock()
	return r.stream.opened == 0 || at.UnixMilli() < r.stream.since()
}

func (r *reading) at(c *chain, at time.Time) state {
	v := r.stream.newest(c)
	r.stream.before(&v, at.UnixMilli())
	return v
}

// Find is Record's.
func (s *Store) Find(number int, key string, at time.Time) (out Object, ok bool) {
	r, source := s.find(number)
	if r == nil || r.unknown(at) {
		return out, false
	}
	found := func(t *stream) bool {
		c := t.byKey[key]
		if c == nil {
			return false
		}
		v := r.at(c, at)
		if ok = v.ok; ok {
			out = Object{Key: c.key, UID: v.uid, Payload: r.wrap(v.raw, true)}
		}
		return true
	}
	if source == nil {
		s.locked(number, func(t *stream) { found(t) })
		return out, ok
	}
	source.held(func(held Objects) {
		s.locked(number, func(t *stream) {
			if found(t) || t.lead() != source {
				return
			}
			var o *object.Object
			if o, ok = held.Get(key); ok {
				out = Object{Key: o.Key(), UID: o.UID(), Payload: r.wrap(source.raw(o), true)}
			}
		})
	})
	return out, ok
}

// find begins to read one object.
func (s *Store) find(number int) (r *reading, source *Input) {
	s.locked(number, func(t *stream) { r, source = &reading{store: s, stream: t, era: t.era}, t.lead() })
	return r, source
}

// Moved is Record's.
func (s *Store) Moved(number int, from, to time.Time, first func(key string) bool, yield func(Change) bool) {
	r, _ := s.find(number)
	if r == nil {
		return
	}
	if before, after := r.unknown(from), r.unknown(to); before || after {
		if before != after {
			s.appear(number, max(from.UnixMilli(), to.UnixMilli()), to, after, first, yield)
		}
		return
	}
	k, late := r.cursorAt(from.UnixMilli()), to.UnixMilli()
	j := r.jump(min(k.at, late), max(k.at, late))
	var before [slice][]byte // used again for each slice
	n := 0
	done := r.each(WantedFirst(j.chains, first, func(c *chain) string { return c.key }), func(c *chain) func() bool {
		is := k.state(r.stream, c)
		was := *is
		was.raw = append(before[n%slice][:0], is.raw...)
		before[n%slice] = was.raw
		n++
		r.moveTo(k, j, c, is, late)
		change, ok := difference(c.key, to, was, *is)
		if !ok {
			return nil
		}
		return func() bool {
			change.Before, change.After = r.wrap(was.raw, was.ok), r.wrap(is.raw, is.ok)
			return yield(change)
		}
	})
	if done { // otherwise the cursor is between two moments
		r.arrive(k, late)
		r.release(k)
	}
}

// appear yields all objects of a moment as added, or as deleted, those that are wanted first before the others.
func (s *Store) appear(number int, at int64, to time.Time, gone bool, first func(key string) bool, yield func(Change) bool) {
	each := func(wanted func(key string) bool) bool {
		return s.at(number, moment(at), wanted, func(o Object) bool {
			c := Change{At: to, Type: kinds[0], Key: o.Key, UID: o.UID, After: o.Payload}
			if gone {
				c.Type, c.Before, c.After = kindsDeleted, o.Payload, nil
			}
			return yield(c)
		})
	}
	if first == nil {
		first = func(string) bool { return true }
	}
	if each(first) {
		each(func(key string) bool { return !first(key) })
	}
}

// difference returns the change between two versions of an object, without their payloads.
func difference(key string, at time.Time, early, late state) (c Change, differs bool) {
	c = Change{At: at, Type: kindsModified, Key: key, UID: late.uid}
	switch {
	case !early.ok && !late.ok, early.ok && late.ok && string(early.raw) == string(late.raw):
		return c, false
	case !early.ok:
		c.Type = kinds[0]
	case !late.ok:
		c.Type, c.UID = kindsDeleted, early.uid
	}
	return c, true
}

// Between is Record's.
func (s *Store) Between(number int, from, to time.Time, yield func(Change) bool) {
	r, _ := s.find(number)
	if r == nil || !from.Before(to) {
		return
	}
	k := r.cursorAt(from.UnixMilli())
	w := r.forward(k, to.UnixMilli())
	for more := true; more; {
		var some []Change
		w.timer.Reset() // whoever reads the changes rests as it wants
		more = w.some(func(c *chain, rec record, v *state, apply func()) {
			out := Change{At: moment(rec.at), Type: rec.kind, Key: c.key, UID: v.uid}
			if rec.kind != kinds[0] {
				out.Before = r.stream.payload(v.raw)
			}
			if apply(); v.ok {
				out.UID, out.After = v.uid, r.stream.payload(v.raw)
			}
			some = append(some, out)
		})
		for _, c := range some {
			if !yield(c) {
				return // with the cursor, which is between two moments
			}
		}
	}
	r.release(k)
}

// Dropped returns how many of the changes were dropped, or forgotten.
func (s *Store) Dropped() int {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	kept := 0
	for _, t := range s.streams {
		kept += t.journal.count
	}
	return int(s.count) - kept
}
