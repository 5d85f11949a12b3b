package hub

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"watchglass/internal/hub/problems"
	"watchglass/internal/hub/source"
	"watchglass/internal/port"
)

// Overview sends a page how a cluster is, whenever that changes. Its methods are for the loop.
type Overview struct {
	id      uint32
	cluster *Cluster
	page    sender
	memory  *memory
	lease   *source.Lease // of the problems, which are found only while somebody reads them
	sent    []byte
	at      time.Time
}

// openOverview opens an overview, or changes the kinds that it reads.
func (p *Page) openOverview(m port.OpenOverview) {
	c := p.clusterOf(m.Context)
	c.problems.SetKinds(m.Kinds)
	c.keepKinds()
	at := func(o *Overview) bool { return o.id == m.ID }
	if i := slices.IndexFunc(p.overviews, at); i >= 0 {
		if p.overviews[i].cluster == c {
			return
		}
		p.closeID(m.ID)
	}
	p.overviews = append(p.overviews, &Overview{id: m.ID, cluster: c, page: p.port, memory: &p.memory})
}

// overviewEvery is the least time between two overviews that a page is sent.
const overviewEvery = 250 * time.Millisecond

// step sends the overview if it has changed.
func (o *Overview) step(now time.Time) {
	c := o.cluster
	if !c.ready || c.userChanged() {
		return
	}
	if o.lease == nil {
		o.lease = c.lease(problems.Kind, "", nil)
	}
	o.memory.nameProblems(c, o, nil)
	if due := o.at.Add(overviewEvery); now.Before(due) {
		c.wakeAtOnLoop(due)
		return
	}
	o.at = now
	doc, _ := json.Marshal(c.problems.Overview(now)) // texts and numbers never fail to encode
	if !bytes.Equal(doc, o.sent) {
		o.sent = doc
		o.page.Send(port.Detail{ID: o.id, Part: port.OverviewPart, Doc: doc})
	}
}

// close releases the problems. They linger unless atOnce is set.
func (o *Overview) close(atOnce bool) {
	o.cluster.problems.SetNamespaces(o, nil)
	switch {
	case o.lease == nil:
	case atOnce:
		o.lease.Drop()
	default:
		o.lease.Release()
	}
	o.lease = nil
}
