package focus

import (
	"context"
	"sync"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/document"
	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/pane"
	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// live is one object of a cluster, by its name, kept up to date. Its methods are for the loop.
type live struct {
	cluster *cluster.Cluster
	page    Host
	named   detail.Ref // as the page named it

	ctx     context.Context // ends when the object is closed
	end     context.CancelFunc
	kind    object.Kind
	printed int          // the kinds.Set.Printings that kind was last checked against
	finding bool         // its kind
	absent  *wire.Status // says that the server has no such kind, if it has answered that
	tracked *trackedObject
	object  *object.Object // current or last version; nil until it is known
	gone    bool
	goneAt  time.Time                      // when it was seen to be deleted; zero if that was not seen
	broke   bool                           // its source has not been live since it was lost
	lost    time.Time                      // when its source was last not live; zero if it has been since it was opened
	body    func() (document.Value, error) // parses the object
}

func newLive(c *cluster.Cluster, page Host, named detail.Ref) live {
	o := live{cluster: c, page: page, named: named}
	o.ctx, o.end = context.WithCancel(c.Ctx)
	return o
}

// release releases what the object holds. Its sources linger, unless atOnce is set.
func (o *live) release(atOnce bool) {
	o.end()
	switch {
	case o.tracked == nil:
	case atOnce:
		o.tracked.CloseAtOnce()
	default:
		o.tracked.Close()
	}
	o.tracked = nil
}

// ref names the object.
func (o *live) ref() detail.Ref {
	return detail.Ref{Group: o.kind.Group, Kind: o.kind.Name, Resource: o.kind.ID(), Namespace: o.named.Namespace, Name: o.named.Name}
}

// step reads what is new of the object, and reports whether it has a source and whether the object
// changed.
func (o *live) step(now time.Time) (there, changed bool) {
	if o.cluster.Client.Link().Welcome == nil || o.cluster.UserChanged() || !o.knowKind() {
		return false, false
	}
	if o.named.Name == "" {
		return true, false // a kind as a whole has no object
	}
	o.track()
	changed = o.read(now)
	if o.object != nil {
		o.object.Show()
	}
	o.noteBreak(now)
	o.poll(now)
	return true, changed
}

// noteBreak notes whether the source was lost since it was last live. If its first list was not complete then, the
// next attempt may be without the object, and says so only at its end.
func (o *live) noteBreak(now time.Time) {
	switch source.StatusOf(o.tracked.Lease, o.cluster.Link(), now).Fresh {
	case informer.Live:
		o.broke = false
	case informer.Stale, informer.Offline:
		o.broke, o.lost = true, now
	}
}

// caughtUp is how long after a break deletions may come that happened during it.
const caughtUp = 10 * time.Second

// read updates the object from its source, and reports whether it changed.
func (o *live) read(now time.Time) (changed bool) {
	followed := !o.tracked.unsure && !o.broke && (o.lost.IsZero() || now.Sub(o.lost) > caughtUp)
	last, there, changed := o.tracked.read()
	if !changed {
		return false
	}
	o.noteGone(!there, followed)
	if last != nil && last != o.object {
		o.object = last
		kind := o.kind
		o.body = sync.OnceValues(func() (document.Value, error) { return pane.ParseBody(kind, last) })
	}
	return true
}

// noteGone notes whether the object is deleted, and when if that was seen. It was deleted earlier if it was gone
// when it was opened, or when its source could be followed again, and in the past maybe long before the moment
// that is shown.
func (o *live) noteGone(gone, followed bool) {
	seen := followed && o.object != nil && !o.gone && o.cluster.Relay == nil
	if o.gone = gone; !gone {
		o.goneAt = time.Time{}
	} else if seen {
		o.goneAt = o.cluster.Now()
	}
}

// knowKind finds out which kind the object is of, as the server has it now, and reports whether that is known.
func (o *live) knowKind() bool {
	printed := o.cluster.Kinds.Printings()
	switch {
	case o.kind.Name == "":
		kind, ok := o.cluster.Kinds.Find(o.named.Resource)
		if !ok {
			o.findKind()
			return false
		}
		o.kind = kind
	case printed != o.printed:
		o.kind = o.cluster.Kinds.Current(o.kind, o.named.Resource)
	}
	o.printed = printed
	return true
}

// track finds a source for the object, whose kind is known. It finds another when the list that the
// object came from has left the screen, or when the kind has moved to another version.
func (o *live) track() {
	t := o.tracked
	if t != nil && t.serves(&o.kind) {
		return
	}
	next := o.follow()
	if o.tracked = next; t != nil {
		next.unsure = true
		t.Close()
	}
}

// findKind repeats discovery until the object's kind is known.
func (o *live) findKind() {
	if !o.finding {
		o.finding = true
		o.cluster.FindKind(o.ctx, func(err error) bool {
			_, ok := o.cluster.Kinds.Find(o.named.Resource)
			if o.absent = nil; !ok && err == nil {
				o.absent = &wire.Status{Origin: wire.FromAPIServer, Code: 404, Message: "the server has no resource " + o.named.Resource}
			}
			return ok
		})
	}
}

// follow leases a source of the object and begins to follow it.
func (o *live) follow() *trackedObject {
	t := &trackedObject{key: o.ref().Key()}
	last := o.page.LastVersion(o.cluster, o.kind, t.key)
	lease, from := o.page.Borrow(o.cluster, o.kind, func(_ string, list *source.Lease) bool {
		found, ok := list.Store().Get(t.key) // a list that is still coming in will do
		if ok = ok && o.kind.Whole(found); ok {
			last = found
		}
		return ok
	})
	if t.from = from; lease == nil {
		t.kind = o.kind
		lease = o.cluster.Factory.LeaseVariant(source.One(o.kind, o.named.Namespace, o.named.Name), source.Variant(&o.kind, nil))
	}
	t.Feed = source.Follow(lease, func(found *object.Object) bool { return found.Key() == t.key }, o.cluster.RequestStep)
	if last != nil && t.Pending() == 0 { // it left the list just as it was opened
		if t.set(last); t.unread().IsZero() {
			t.set(nil)
		}
	}
	return t
}

// poll reads an object that may not be watched, since reading it may be allowed.
func (o *live) poll(now time.Time) {
	t := o.tracked
	if o.cluster.Local.Of(o.kind) != nil || t.polling.asking || now.Sub(t.polling.at) < PollEvery || source.StatusOf(t.Lease, o.cluster.Link(), now).Fresh != informer.Denied {
		return
	}
	if t.polling.asking, t.polling.at = true, now; t.polling.read.IsZero() {
		t.polling.read = now
	}
	kind, r := o.kind, source.Request(o.kind, o.named.Namespace)
	if r.Verb, r.Name = wire.Get, o.named.Name; r.Encoding != wire.EncodingDefault {
		r.Encoding = wire.EncodingJSON
	}
	c := o.cluster
	c.Start(func() {
		payload, err := c.Client.Get(c.Ctx, r)
		c.Post(c.Ctx, func() { t.polled(kind, payload, err) })
	})
}

// state returns the state of the object, and its cause.
func (o *live) state(now time.Time) (detail.State, *wire.Status) {
	t := o.tracked
	s := source.StatusOf(t.Lease, o.cluster.Link(), now)
	switch there := o.object != nil && !o.gone; {
	case o.object != nil && o.gone:
		return detail.Deleted, nil
	case s.Fresh == informer.Live && !t.unread().IsZero():
		return detail.Unread, nil
	case s.Fresh == informer.Denied && there && !o.cluster.Link().Connected:
		return detail.Stale, informer.Unreachable(o.cluster.Link().Err)
	case s.Fresh == informer.Denied && there && t.polling.recent(now): // it may be got, but not watched
		return detail.Polled, s.Cause
	case s.Fresh == informer.Denied && there && !t.polling.denied():
		return detail.Stale, t.polling.refused
	case s.Polled() && there:
		return detail.Polled, s.Cause
	case s.Fresh == informer.Gone && !there, s.Polled():
		return detail.Missing, s.Cause
	case s.Refused():
		return detail.Denied, s.Cause
	case s.Fresh == informer.Live && there:
		return detail.Live, nil
	case s.Fresh == informer.Live && !t.Has(t.key):
		return detail.Missing, nil
	case there && s.Fresh == informer.Syncing && !o.broke: // of the first list, which is still coming in
		return detail.Live, nil
	case there:
		return detail.Stale, s.Cause
	}
	return detail.Loading, s.Cause
}

// version returns the object for a pane.
func (o *live) version(gone bool) pane.Version {
	return pane.Version{Object: o.object, Gone: gone, GoneAt: o.goneAt, Partly: object.OnlyMetadata(o.object), Body: o.body, Cells: o.cells}
}

// cells returns the cells that the object has in its list.
func (o *live) cells() []detail.Cell {
	var out []detail.Cell
	columns := o.tracked.Decoder().Columns()
	for i, column := range columns {
		if column.Kind == object.NameCell || column.OfLabel() {
			continue
		}
		c := o.object.Cell(columns, i)
		cell := detail.Cell{Name: column.Name, Text: c.Text, At: c.At}
		if c.Kind == object.SpanCell && c.End != 0 || c.Kind == object.AgeCell && c.Text != "" && !c.Approximate() {
			cell.At, cell.Text = 0, string(c.Append(nil, time.Time{}))
		}
		out = append(out, cell)
	}
	return out
}
