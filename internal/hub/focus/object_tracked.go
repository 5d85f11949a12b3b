package focus

import (
	"time"

	"watchglass/internal/hub/kinds"
	"watchglass/internal/hub/source"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// trackedObject is the source of an open object: a list on screen that has the whole object, or a
// watch of its own, by name.
type trackedObject struct {
	*source.Feed
	key     string
	from    List        // the list it was borrowed from; nil if the source is its own
	kind    object.Kind // as its own source reads it
	unsure  bool        // it left the source, or came from another one, and may have been deleted since
	lost    time.Time   // see unread
	polling polling

	now     *object.Object // nil if it does not exist
	last    *object.Object // as it was when it last existed
	changed bool           // since it was last read
}

// polling is the state of the GETs for an object that may not be watched.
type polling struct {
	at      time.Time
	asking  bool
	read    time.Time    // when the object was last read, or first asked for
	refused *wire.Status // why the last GET failed
}

// recent reports whether the object was read lately, and at the last attempt.
func (p *polling) recent(now time.Time) bool {
	return p.refused == nil && now.Sub(p.read) < 3*PollEvery
}

// denied reports whether the user may not read the object either.
func (p *polling) denied() bool { return p.refused != nil && p.refused.Denied() }

// PollEvery is how often an object is read that may be read but not watched.
const PollEvery = 10 * time.Second

// serves reports whether this is still the right source for the object.
func (t *trackedObject) serves(kind *object.Kind) bool {
	if t.from == nil {
		return kinds.Same(t.kind, *kind) && source.Variant(&t.kind, nil) == source.Variant(kind, nil)
	}
	return t.from.Shows(t.Lease)
}

// unread returns since when the object exists but can't be read; zero if it can, or does not exist. That holds until what
// came next has been read from the store.
func (t *trackedObject) unread() time.Time {
	since := t.Unread(t.key)
	if t.Has(t.key) {
		since = time.Time{}
	}
	if !since.IsZero() || !t.lost.IsZero() && !t.State(time.Now()).Behind && t.Pending() == 0 {
		t.lost = since
	}
	return t.lost
}

// set records the current object; nil if it does not exist.
func (t *trackedObject) set(o *object.Object) {
	if t.now, t.changed = o, true; o != nil {
		t.last = o
	}
}

// read returns the object as it last existed, whether it exists now, and whether either has
// changed since the last call. An object that leaves the source because it can't be read counts as existing; so does
// one that may no longer be read, until another list is complete without it.
func (t *trackedObject) read() (last *object.Object, there, changed bool) {
	changes := t.Drain(0)
	s := t.State(time.Now()) // only now: it is emptied before its objects leave
	lost := s.Emptied && !s.Gone
	for _, c := range changes {
		if c.Last != nil {
			t.set(c.Last)
		}
		if c.Now == nil && (lost || c.Unread) {
			t.unsure = t.unsure || lost
			continue
		}
		t.lost = time.Time{} // what came next
		t.set(c.Now)
	}
	if t.unsure && t.HasSynced() && s.AsOf.IsZero() && !lost && !s.Replaced && t.unread().IsZero() {
		if t.unsure = false; !t.Has(t.key) {
			t.set(nil)
		}
	}
	changed, t.changed = t.changed, false
	return t.last, t.now != nil, changed
}

// polled handles the answer to poll.
func (t *trackedObject) polled(kind object.Kind, payload []byte, err error) {
	status := wire.StatusOf(err)
	if err != nil && status == nil {
		status = &wire.Status{Origin: wire.FromTab, Message: err.Error()}
	}
	t.polling.asking, t.polling.refused = false, status
	switch o, bad := object.NewDecoder(kind, true).Decode(payload); {
	case err == nil && bad == nil:
		t.polling.read = time.Now()
		t.set(o)
	case status != nil && status.NotFound():
		t.unsure = t.unsure || time.Since(t.polling.read) > 3*PollEvery // it may have been deleted long ago
		t.polling.refused, t.polling.read = nil, time.Now()
		t.set(nil)
	}
}
