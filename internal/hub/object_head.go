package hub

import (
	"encoding/json"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/port"
	"watchglass/internal/wire"
)

// headSent is what the last head was made from: if it is the same, so is the head.
type headSent struct {
	uid, version string
	state        detail.State
	said         string
	at           time.Time
}

// sendHead sends the object's identity and state, if they are new.
func (o *Object) sendHead(now time.Time) {
	state, said := o.state(now)
	next := headSent{state: state, at: o.head.at}
	if o.object != nil {
		next.uid, next.version = o.object.UID(), o.object.Version()
	}
	if said != nil {
		next.said = said.Error()
	}
	before := o.head
	if before.version = next.version; next == o.head {
		return
	}
	if due := o.head.at.Add(reportEvery); next == before && now.Before(due) { // another version, and nothing else
		o.cluster.wakeAtOnLoop(due)
		return
	}
	o.head = next
	o.head.at = now
	h := detail.Head{
		Resource: o.kind.ID(), Kind: o.kind.Name, APIVersion: o.kind.APIVersion(), Namespaced: o.kind.Namespaced,
		Namespace: o.asked.Namespace, Name: o.asked.Name, State: state, Said: said,
	}
	if x := o.object; x != nil {
		h.UID, h.Version, h.Created, h.Deleting = x.UID(), x.Version(), x.Created(), x.Deleting()
		if v, err := o.body(); err == nil {
			h.Describe(v)
		}
	}
	if doc, err := json.Marshal(h); err == nil {
		o.page.Send(port.Detail{ID: o.id, Seq: o.asked.Seq, Part: port.HeadPart, Doc: doc})
	}
}

// state returns the state of the object, and its cause.
func (o *Object) state(now time.Time) (detail.State, *wire.Status) {
	t := o.tracked
	s := source.StatusOf(t.Lease, o.cluster.link(), now)
	switch there := o.object != nil && !o.gone; {
	case o.object != nil && o.gone:
		return detail.Deleted, nil
	case s.Fresh == informer.Denied && there && t.polling.refused == nil: // it may be got, but not watched
		return detail.Polled, s.Cause
	case s.Fresh == informer.Denied && there && !t.polling.refused.Denied():
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
	case there && s.Fresh == informer.Syncing: // of a list that is still coming in
		return detail.Live, nil
	case there:
		return detail.Stale, s.Cause
	}
	return detail.Loading, s.Cause
}
