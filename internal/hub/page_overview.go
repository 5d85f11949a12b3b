package hub

import (
	"bytes"
	"encoding/json"
	"slices"
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/list"
	"watchglass/internal/hub/problems"
	"watchglass/internal/hub/source"
	"watchglass/internal/port"
)

// Overview sends a page how a cluster is, whenever that changes. Its methods are for the loop.
type Overview struct {
	id      uint32
	cluster *cluster.Cluster
	page    port.Sender
	memory  *list.Memory
	kinds   []string      // to be read besides those of the rules
	lease   *source.Lease // of the problems, which are found only while somebody reads them
	sent    []byte
	at      time.Time
}

// openOverview opens an overview, or changes the kinds that it reads.
func (p *Page) openOverview(m port.OpenOverview) {
	c := p.ClusterOf(m.Context)
	c.KeepKinds()
	i := slices.IndexFunc(p.overviews, func(o *Overview) bool { return o.id == m.ID })
	if i >= 0 && p.overviews[i].cluster != c {
		p.closeID(m.ID)
		i = -1
	}
	if i < 0 {
		i, p.overviews = len(p.overviews), append(p.overviews, &Overview{id: m.ID, cluster: c, page: p.port, memory: p.memory})
	}
	p.overviews[i].want(m.Kinds)
}

// want replaces the kinds that the overview reads besides those of the rules.
func (o *Overview) want(kinds []string) {
	o.kinds = kinds
	o.memory.NameProblems(o.cluster, o, nil, kinds)
}

// overviewEvery is the least time between two overviews that a page is sent.
const overviewEvery = 250 * time.Millisecond

// step sends the overview if it has changed.
func (o *Overview) step(now time.Time) {
	c := o.cluster
	if !c.Ready || c.UserChanged() {
		return
	}
	if o.lease == nil {
		o.lease = c.Lease(problems.Kind, "", nil)
	}
	o.want(o.kinds)
	if !c.Due(o.at, overviewEvery, now) {
		return
	}
	o.at = now
	doc, _ := json.Marshal(c.Problems.Overview(c.TimeOf(now))) // texts and numbers never fail to encode
	if !bytes.Equal(doc, o.sent) {
		o.sent = doc
		o.page.Send(port.Detail{ID: o.id, Part: port.OverviewPart, Doc: doc})
	}
}

// close releases the problems. They linger unless atOnce is set.
func (o *Overview) close(atOnce bool) {
	o.cluster.Problems.Want(o, problems.Wants{})
	switch {
	case o.lease == nil:
	case atOnce:
		o.lease.Drop()
	default:
		o.lease.Release()
	}
	o.lease = nil
}
