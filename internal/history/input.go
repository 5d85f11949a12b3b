package history

import (
	"slices"
	"strings"
	"time"

	"watchglass/internal/object"
)

// Objects are those that a source holds.
type Objects interface {
	List() []*object.Object
	Get(key string) (*object.Object, bool)
}

// Source is what holds the objects of a stream, and reports their changes.
type Source struct {
	Kind    object.Kind
	Decoder *object.Decoder
	// Held calls f while it holds no object whose change it has not reported.
	Held func(f func(Objects))
	// Scope names the selection of a source that has only some of the objects, which is then no part
	// of the Record.
	Scope string
	// Namespace is that of its objects; "" if it has those of the whole cluster.
	Namespace string
	// Unread, if set, reports whether an object exists that the source lacks because it can't be read.
	Unread func(key string) bool
	// Partial says that the objects may lack their bodies, so that another source is better.
	Partial bool
}

// Input is a source as the Store knows it. Of several with the same objects, the changes of one count.
type Input struct {
	Source
	store  *Store
	stream *stream
	layout uint16 // of its first rows that have the stream's columns
}

// NewInput returns an Input for a source. It counts once it has joined.
func (s *Store) NewInput(of Source) *Input { return &Input{Source: of, store: s} }

func (in *Input) held(g func(Objects)) { in.Held(g) }

// raw returns an object as it is remembered.
func (in *Input) raw(o *object.Object) []byte {
	switch packed := o.Packed(); {
	case !in.Kind.Printed():
		return in.Decoder.Row(nil, o)
	case packed == nil, !in.Kind.Withheld(packed):
		return o.Stub(nil)
	default:
		return packed
	}
}

// version returns an object as it is remembered.
func (in *Input) version(o *object.Object) version {
	if o == nil {
		return version{}
	}
	o = o.Base()
	v := version{uid: o.UID(), raw: in.raw(o)}
	if packed := o.Packed(); packed != nil && &packed[0] == &v.raw[0] {
		v.object = o
	}
	return v
}

// family returns what objects have in common that are alike: the name of what made them.
func family(key string) string {
	return key[:max(strings.LastIndexAny(key, "-."), strings.IndexByte(key, '/'))+1]
}

// Join says that all objects of the source are in its store, which reports nothing meanwhile. What is
// remembered of the same objects goes on.
func (in *Input) Join(now time.Time, held Objects) {
	m := in.store.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if in.store.closed || in.stream != nil {
		return
	}
	in.stream, in.layout = in.store.streamOf(in), in.layoutOf(held)
	t, at := in.stream, in.store.tick(now)
	t.looked = at
	if t.inputs = append(t.inputs, in); len(t.inputs) > 1 {
		if !in.Partial && t.inputs[0].Partial {
			t.inputs = append([]*Input{in}, t.inputs[:len(t.inputs)-1]...)
			in.adopt(at, held)
		}
		return
	}
	t.heal(now)
	if t.opened == 0 {
		t.opened, t.about.Columns = at, in.columns()
		return
	}
	in.adopt(at, held)
}

// Joined reports whether the source has joined.
func (in *Input) Joined() bool {
	in.store.memory.mu.Lock()
	defer in.store.memory.mu.Unlock()
	return in.stream != nil
}

// streamOf returns the stream of an input's objects.
func (s *Store) streamOf(f *Input) *stream {
	about := Stream{Group: f.Kind.Group, Version: f.Kind.Version, Resource: f.Kind.Resource, Kind: f.Kind.Name, Namespaced: f.Kind.Namespaced, Namespace: f.Namespace}
	for _, t := range s.streams {
		a := t.about
		if a.Group == about.Group && a.Version == about.Version && a.Resource == about.Resource && a.Namespace == about.Namespace && t.scope == f.Scope {
			return t
		}
	}
	t := newStream(s.memory, about, f.Kind, f.Scope != "")
	t.scope = f.Scope
	s.streams = append(s.streams, t)
	return t
}

// tick notes that a time has come, and returns it in milliseconds. Time does not go back.
func (s *Store) tick(now time.Time) int64 {
	s.now = max(s.now, now.UnixMilli())
	if s.begun == 0 {
		s.begun = s.now
	}
	return s.now
}

// adopt lets the chains go on with the objects of the input, and records what differs. Rows of other columns begin anew.
func (in *Input) adopt(at int64, held Objects) {
	t := in.stream
	if in.relaid(at) {
		in.settle()
		return
	}
	for _, c := range t.chains {
		t.unpack(c)
	}
	for _, o := range held.List() {
		v := in.version(o)
		switch c := t.byKey[o.Key()]; {
		case c != nil && c.raw != nil && c.uid == v.uid && string(c.raw) == string(v.raw):
			t.hold(c, v.uid, v.raw, v.object)
		default:
			in.put(at, o.Key(), version{}, v)
		}
	}
	for _, c := range t.all() {
		if _, there := held.Get(c.key); !there && c.raw != nil {
			if in.Unread != nil && in.Unread(c.key) {
				t.part(c)
				continue
			}
			in.put(at, c.key, version{}, version{})
		}
		if c.last == 0 && c.raw != nil {
			t.forget(c)
		}
	}
	t.loose = nil // none is to be packed: it would lose the version that the next change is recorded against
	in.settle()
}

func (in *Input) put(at int64, key string, before, after version) {
	n := in.stream.journal.count
	in.stream.put(at, key, before, after)
	in.store.count += uint64(in.stream.journal.count - n)
}

// settle brings the count of bytes up to date.
func (in *Input) settle() { in.store.memory.settle() }

// Note reports that an object changed from before to after; nil: it was not there, or is gone.
func (in *Input) Note(now time.Time, before, after *object.Object) {
	m := in.store.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	t := in.stream
	if t == nil || t.lead() != in || before == after {
		return
	}
	at := in.store.tick(now)
	if in.notedRelaid(at, before, after) {
		return
	}
	key := keyOf(before, after)
	if t.byKey[key] == nil && decodedAnew(before, after) {
		return
	}
	was := t.bytes()
	in.put(at, key, in.former(key, before), in.version(after))
	if m.bytes += t.bytes() - was; m.bytes > m.limit {
		m.trim()
	}
}

// Lose reports that an object left the source because it can't be read. It is remembered as it was, and changes may be
// missing.
func (in *Input) Lose(now time.Time, before *object.Object) {
	in.Miss(now, Unread)
	m := in.store.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	if t := in.stream; t != nil && t.lead() == in {
		v := in.version(before)
		t.part(t.chainOf(before.Key(), v.uid, v.raw, v.object))
		in.settle()
	}
}

// decodedAnew reports whether both are the same version of an object. A chain has to be led to the one after all the
// same: its text may differ.
func decodedAnew(before, after *object.Object) bool {
	return before != nil && after != nil && after.Version() != "" && before.Version() == after.Version() && before.UID() == after.UID()
}

// former returns the version before a change, if there is no chain that has it.
func (in *Input) former(key string, before *object.Object) version {
	if before == nil || in.stream.byKey[key] != nil {
		return version{}
	}
	return in.version(before)
}

func keyOf(before, after *object.Object) string {
	if after != nil {
		return after.Key()
	}
	return before.Key()
}

// Leave says that the source has ended with these objects, of which no more is heard. If changes may be missing, the
// other inputs of the stream have to join again: what they have is compared with what is remembered then.
func (in *Input) Leave(now time.Time, objects []*object.Object) {
	m := in.store.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	t := in.stream
	if in.stream = nil; t == nil || in.store.closed {
		return
	}
	leads := t.lead() == in
	t.inputs = slices.DeleteFunc(t.inputs, func(other *Input) bool { return other == in })
	if !leads {
		return
	}
	at := in.store.tick(now)
	t.looked = at
	if t.misses() {
		for _, other := range t.inputs {
			other.stream = nil
		}
		t.inputs = nil
	}
	next := t.lead()
	for _, o := range objects {
		c := t.byKey[o.Key()]
		if c == nil && next == nil { // the next source has those that have not changed
			v := in.version(o)
			c = t.chainOf(o.Key(), v.uid, v.raw, nil)
		}
		if c == nil || c.raw == nil {
			continue
		}
		t.hold(c, c.uid, c.raw, nil)
		if next == nil {
			t.own, c.counted = t.own-c.counted, 0 // until it is packed: it was there before
			t.loose = append(t.loose, c)
		}
	}
	if next == nil {
		t.miss(now, Closed)
	} else {
		next.relaid(at)
	}
	in.settle()
}
