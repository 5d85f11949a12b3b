package focus

import (
	"encoding/json"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/hub/loop"
	"watchglass/internal/port"
)

// headSent is what the last head was made from: if it is the same, so is the head.
type headSent struct {
	apiVersion   string
	uid, version string
	state        detail.State
	said         string
}

// sendHead sends the object's identity and state, if they are new.
func (o *Object) sendHead(now time.Time) {
	state, said := o.state(now)
	next := headSent{apiVersion: o.kind.APIVersion(), state: state}
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
	if next == before && !o.heads.Due(o.cluster, now) { // another version, and nothing else
		return
	}
	o.head = next
	o.heads.Rest(now, loop.ReportEvery)
	h := detail.Head{
		Resource: o.kind.ID(), Kind: o.kind.Name, APIVersion: o.kind.APIVersion(), Namespaced: o.kind.Namespaced,
		Namespace: o.asked.Namespace, Name: o.asked.Name, State: state, Said: said,
	}
	if state == detail.Unread {
		h.Since = o.tracked.unread().UnixMilli()
	}
	if x := o.object; x != nil {
		h.UID, h.Version, h.Created, h.Deleting = x.UID(), x.Version(), x.Created(), x.Deleting()
		if v, err := o.body(); err == nil {
			h.Describe(v)
		}
	}
	if doc, err := json.Marshal(h); err == nil {
		o.page.Send(port.Detail{ID: o.asked.ID, Seq: o.asked.Seq, Part: port.HeadPart, Doc: doc})
	}
}
