package history

import (
	"bytes"
	"strings"

	"watchglass/internal/object"
)

// stream is what is remembered of one source. An object that has not changed is with the source alone;
// of one that has, there is a chain of scripts that lead back from its newest version. Its methods are
// for whoever has locked the memory.
type stream struct {
	about  Stream
	kind   object.Kind
	apart  bool // it is of some objects of its kind only, and no part of the Record
	scope  string
	memory *Memory

	inputs    []*Input // the first is that whose changes count
	opened    int64    // zero: it was never
	known     int64    // what was before is not known any more
	looked    int64    // when it was last known to be up to date
	gaps      []Gap    // the last may be open: then its end is zero
	journal   journal
	chains    map[uint64]*chain
	byKey     map[string]*chain
	last      uint64 // the number of the last chain
	bases     map[uint64]*base
	siblings  map[string]uint64 // the base for what is deleted next, by owner
	lastBase  uint64
	own       int // bytes of chains and bases
	era       int // grows when all is forgotten
	forgotten int // how often all was forgotten, also what is on disk
	cursor    *cursor
	loose     []*chain // of a closed source, to be packed
}

// chain is an object that has changed, or whose source has closed.
type chain struct {
	key, uid string
	number   uint64
	last     uint64         // the place of its newest record, plus one; 0: it has none
	raw      []byte         // its newest version; nil: it is gone
	shared   *object.Object // whose packed bytes raw is; nil: they are the chain's
	kept     []byte         // instead of raw, once the source has closed: what farewell made of it
	counted  int            // bytes of raw or kept that are counted
	unread   bool           // the object can't be read, so that the source lacks it
}

// base is a text that those of deleted objects are stored against.
type base struct {
	text []byte
	refs int
}

func newStream(m *Memory, about Stream, kind object.Kind, apart bool) *stream {
	s := &stream{about: about, kind: kind, apart: apart, memory: m}
	s.reset()
	return s
}

// reset forgets all objects. The memory has to be settled afterwards.
func (s *stream) reset() {
	s.journal = journal{end: s.journal.end}
	s.chains, s.byKey = make(map[uint64]*chain), make(map[string]*chain)
	s.bases, s.siblings, s.own = make(map[uint64]*base), make(map[string]uint64), 0
	s.era, s.cursor, s.loose = s.era+1, nil, nil
}

func (s *stream) bytes() int { return s.journal.bytes + s.own }

// chainOf returns the chain of an object, and makes one whose newest version is raw if there is none.
func (s *stream) chainOf(key, uid string, raw []byte, o *object.Object) *chain {
	c := s.byKey[key]
	if c == nil {
		s.last++
		c = &chain{key: strings.Clone(key), number: s.last}
		s.chains[c.number], s.byKey[c.key] = c, c
		s.own += chainCost + len(c.key)
		s.hold(c, uid, raw, o)
	}
	return c
}

// unkeep gives up the packed version of a chain.
func (s *stream) unkeep(c *chain) {
	if c.kept != nil {
		s.release(c.kept)
		c.kept = nil
	}
}

// hold sets the newest version of a chain. Bytes that are an object's cost nothing while that has them.
func (s *stream) hold(c *chain, uid string, raw []byte, o *object.Object) {
	s.unkeep(c)
	s.own -= c.counted
	c.counted, c.uid, c.raw, c.shared, c.unread = 0, uid, raw, o, false
	if o == nil && raw != nil {
		c.counted = len(raw)
	}
	if o == nil {
		c.uid = strings.Clone(uid)
	}
	s.own += c.counted
}

// part makes a chain keep the newest version of an object that its source has no more.
func (s *stream) part(c *chain) {
	s.hold(c, c.uid, c.raw, nil)
	c.unread = true
}

// forget drops a chain that has no records.
func (s *stream) forget(c *chain) {
	s.unkeep(c)
	s.own -= chainCost + len(c.key) + c.counted
	delete(s.chains, c.number)
	delete(s.byKey, c.key)
}

// put records what became of an object: of one with a chain, or whose version before is given.
func (s *stream) put(at int64, key string, before, after version) {
	c := s.byKey[key]
	if c == nil {
		if before.raw == nil {
			before.uid = after.uid
		}
		c = s.chainOf(key, before.uid, before.raw, before.object)
	}
	switch {
	case c.raw != nil && after.raw != nil && c.uid != after.uid:
		s.put(at, key, version{}, version{})
		s.put(at, key, version{}, after)
		return
	case c.raw == nil && after.raw == nil:
		return
	case c.raw == nil:
		s.record(at, c, 0, nil)
	case after.raw == nil:
		s.memory.body = s.appendLast(s.memory.body[:0], c)
		s.record(at, c, 2, s.memory.body)
		s.hold(c, c.uid, nil, nil)
		return
	case bytes.Equal(c.raw, after.raw): // the server sent the same again
	default:
		s.memory.body = s.memory.differ.append(s.memory.body[:0], c.raw, after.raw, true)
		s.record(at, c, 1, s.memory.body)
	}
	s.hold(c, after.uid, after.raw, after.object)
}

func (s *stream) record(at int64, c *chain, kind int, body []byte) {
	c.last = s.journal.append(c.number, kind, c.last, at, body) + 1
}

// version is a version of an object; the zero value: there is none. Its bytes are the object's own if it
// is given.
type version struct {
	uid    string
	raw    []byte
	object *object.Object
}

// appendLast appends what is kept of an object that is gone: its last version, as the script that makes it
// of another of its family, or of its namespace.
func (s *stream) appendLast(dst []byte, c *chain) []byte {
	names := [...]string{family(c.key), c.key[:strings.IndexByte(c.key, '/')+1]}
	number := s.siblings[names[0]]
	if number == 0 {
		number = s.siblings[names[1]]
	}
	b := s.bases[number]
	var script []byte
	if b != nil {
		s.memory.script = s.memory.differ.append(s.memory.script[:0], b.text, c.raw, false)
		script = s.memory.script
	}
	if b == nil || len(script) > len(c.raw)/2 {
		s.lastBase++
		number, b, script = s.lastBase, &base{text: bytes.Clone(c.raw)}, nil
		s.bases[number] = b
		s.own += baseCost + len(b.text)
		for _, name := range names {
			if _, known := s.siblings[name]; !known {
				name = strings.Clone(name)
				s.own += len(name)
			}
			s.siblings[name] = number
		}
	}
	b.refs++
	dst = appendNumber(dst, number)
	at := bytes.Index(c.raw, []byte(c.uid)) + 1
	dst = appendNumber(appendNumber(dst, uint64(at)), uint64(len(c.uid)))
	if at == 0 {
		dst = append(dst, c.uid...)
	}
	return append(dst, script...)
}

// recall returns what farewell kept.
func (s *stream) recall(dst, body []byte) (raw []byte, uid string, ok bool) {
	var v [3]uint64
	for i := range v {
		n, size := readNumber(body)
		v[i], body = n, body[size:]
	}
	b := s.bases[v[0]]
	if b == nil {
		return dst, "", false
	}
	if v[1] == 0 {
		uid, body = string(body[:v[2]]), body[v[2]:]
	}
	raw, ok = patch(dst, b.text, body)
	if ok && v[1] > 0 {
		uid = string(raw[v[1]-1 : v[1]-1+v[2]])
	}
	return raw, uid, ok
}

// drop drops the oldest changes, or the objects of a closed source without records, and returns how many
// changes were in it.
func (s *stream) drop() (changes int) {
	if len(s.journal.blocks) == 0 {
		if len(s.inputs) == 0 {
			s.known = max(s.known, s.looked)
		}
		s.reset()
		return 0
	}
	before := s.journal.count
	s.known = s.journal.drop(func(place uint64, r record) {
		if r.kind == kindsDeleted {
			s.release(r.body)
		}
		if c := s.chains[r.chain]; c != nil && c.last == place+1 {
			if c.last = 0; c.raw == nil && c.kept == nil || len(s.inputs) > 0 && !c.unread {
				s.forget(c)
			}
		}
	})
	return before - s.journal.count
}

// number returns the base of what farewell kept.
func number(body []byte) uint64 {
	n, _ := readNumber(body)
	return n
}

// release ends a record's hold on its base.
func (s *stream) release(body []byte) {
	number := number(body)
	b := s.bases[number]
	if b == nil {
		return
	}
	if b.refs--; b.refs > 0 {
		return
	}
	delete(s.bases, number)
	s.own -= baseCost + len(b.text)
	for family, of := range s.siblings {
		if of == number {
			s.own -= len(family)
			delete(s.siblings, family)
		}
	}
}

// state is a version of a chain, and where it is in it.
type state struct {
	raw  []byte
	uid  string
	ok   bool
	back uint64 // the place of the record that made it, plus one
}

// newest returns the newest version of a chain, with bytes of its own.
func (s *stream) newest(c *chain) (v state) {
	s.renew(&v, c)
	return v
}

// renew makes a version the newest one of a chain, in the memory that it has.
func (s *stream) renew(v *state, c *chain) {
	v.raw, v.uid, v.ok, v.back = append(v.raw[:0], c.raw...), c.uid, c.raw != nil, c.last
	if c.kept != nil {
		v.raw, v.uid, v.ok = s.recall(v.raw, c.kept)
	}
}

// pack makes the newest version of a chain smaller, whose source has closed.
func (s *stream) pack(c *chain) {
	if s.byKey[c.key] != c || c.raw == nil || c.shared != nil {
		return
	}
	kept := s.appendLast(nil, c)
	s.own += len(kept) - c.counted
	c.raw, c.kept, c.counted = nil, kept, len(kept)
}

// unpack gives a chain its newest version back.
func (s *stream) unpack(c *chain) {
	if v := s.newest(c); c.kept != nil && v.ok {
		s.hold(c, v.uid, v.raw, nil)
	}
}

// undo goes back by one record. It returns false if the chain ends there.
func (s *stream) undo(v *state) bool {
	if v.back == 0 || v.back-1 < s.journal.start() {
		return false
	}
	r := s.journal.at(v.back - 1)
	v.back = s.journal.previous(v.back-1, r)
	s.step(v, r, false)
	return true
}

// step applies a record to a version: forward, or back to the version before.
func (s *stream) step(v *state, r record, forward bool) {
	switch {
	case r.kind == kindsModified:
		v.raw, v.ok = apply(v.raw, r.body, forward)
	case r.kind == kindsDeleted && !forward:
		v.raw, v.uid, v.ok = s.recall(v.raw[:0], r.body)
	case r.kind == kindsDeleted, !forward:
		v.raw, v.ok = v.raw[:0], false
	}
}

// before goes back to a moment.
func (s *stream) before(v *state, at int64) {
	steps := s.memory.steps[:0]
	for v.back > s.journal.start() {
		r := s.journal.at(v.back - 1)
		if r.at <= at {
			break
		}
		steps = append(steps, stepOf(v.back-1, r))
		v.back = s.journal.previous(v.back-1, r)
	}
	s.memory.steps = steps
	s.retrace(v, steps)
}
