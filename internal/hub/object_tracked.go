package hub

import (
	"time"

	"watchglass/internal/hub/releases"
	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// tracked is the source of an open object: a list on screen that has the whole object, or a
// watch of its own, by name.
type tracked struct {
	*source.Feed
	key     string
	from    sharedList // the list it was borrowed from; nil if the source is its own
	variant string     // of its own source
	unsure  bool       // another list had it, and it may have been deleted since
	polling polling

	now     *object.Object // nil if it does not exist
	last    *object.Object // as it was when it last existed
	changed bool           // since it was last read
}

// polling is the state of the GETs for an object that may not be watched.
type polling struct {
	at      time.Time
	asking  bool
	refused *wire.Status // the answer, if it was a refusal
}

// pollEvery is how often an object is read that may be read but not watched.
const pollEvery = 10 * time.Second

// knowKind finds out which kind the object is of, and reports whether that is known.
func (o *Object) knowKind() bool {
	if o.kind.Name == "" {
		kind, ok := o.cluster.kinds.Find(o.asked.Resource)
		if !ok {
			o.findKind()
			return false
		}
		o.kind = kind
	}
	o.cluster.kinds.Print(&o.kind)
	return true
}

// track finds a source for the object, whose kind is known. It finds another when the list that the
// object came from has left the screen.
func (o *Object) track() {
	t := o.tracked
	if t != nil && t.serves(o) {
		return
	}
	next := o.follow()
	if o.tracked = next; t != nil {
		next.unsure = true
		t.Close()
	}
}

// serves reports whether this is still the right source for the object.
func (t *tracked) serves(o *Object) bool {
	if t.from == nil {
		return t.variant == source.Variant(&o.kind, nil)
	}
	return t.from.shows(t.Lease)
}

// findKind repeats discovery until the object's kind is known.
func (o *Object) findKind() {
	if !o.finding {
		o.finding = true
		o.cluster.findKind(o.ctx, func(error) bool {
			_, ok := o.cluster.kinds.Find(o.asked.Resource)
			return ok
		})
	}
}

// follow leases a source of the object and begins to follow it.
func (o *Object) follow() *tracked {
	t := &tracked{key: o.ref().Key()}
	last := o.lists.lastVersion(o.cluster, o.kind, t.key)
	lease, from := o.lists.borrow(o.cluster, o.kind, func(_ string, list *source.Lease) bool {
		found, ok := list.Store().Get(t.key) // a list that is still coming in will do
		if ok = ok && o.kind.Whole(found); ok {
			last = found
		}
		return ok
	})
	if t.from = from; lease == nil {
		t.variant = source.Variant(&o.kind, nil)
		lease = o.cluster.factory.LeaseVariant(source.One(o.kind, o.asked.Namespace, o.asked.Name), t.variant)
	}
	t.Feed = source.Follow(lease, func(found *object.Object) bool { return found.Key() == t.key }, o.cluster.requestStep)
	if last != nil && t.Pending() == 0 { // it was deleted just as it was opened
		t.set(last)
		t.set(nil)
	}
	return t
}

// set records the current object; nil if it does not exist.
func (t *tracked) set(o *object.Object) {
	if t.now, t.changed = o, true; o != nil {
		t.last = o
	}
}

// read returns the object as it last existed, whether it exists now, and whether either has
// changed since the last call.
func (t *tracked) read() (last *object.Object, there, changed bool) {
	for _, c := range t.Drain(0) {
		if c.Last != nil {
			t.set(c.Last)
		}
		t.set(c.Now)
	}
	if t.unsure && t.HasSynced() {
		if t.unsure = false; !t.Has(t.key) {
			t.set(nil)
		}
	}
	changed, t.changed = t.changed, false
	return t.last, t.now != nil, changed
}

// poll reads an object that may not be watched, since reading it may be allowed.
func (o *Object) poll(now time.Time) {
	t := o.tracked
	if o.kind.APIVersion() == releases.Kind.APIVersion() || // the server has none
		t.polling.asking || now.Sub(t.polling.at) < pollEvery || source.StatusOf(t.Lease, o.cluster.link(), now).Fresh != informer.Denied {
		return
	}
	t.polling.asking, t.polling.at = true, now
	kind, r := o.kind, source.Request(o.kind, o.asked.Namespace)
	if r.Verb, r.Name = wire.Get, o.asked.Name; r.Encoding != wire.EncodingDefault {
		r.Encoding = wire.EncodingJSON
	}
	c := o.cluster
	c.start(func() {
		payload, err := c.client.Get(c.ctx, r)
		c.post(c.ctx, func() { t.polled(kind, payload, err) })
	})
}

// polled handles the answer to poll.
func (t *tracked) polled(kind object.Kind, payload []byte, err error) {
	status := wire.StatusOf(err)
	t.polling.asking, t.polling.refused = false, status
	switch o, bad := object.NewDecoder(kind, true).Decode(payload); {
	case err == nil && bad == nil:
		t.set(o)
	case status != nil && status.NotFound():
		t.polling.refused = nil
		t.set(nil)
	}
}
