package report

import (
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/list"
	"watchglass/internal/hub/loop"
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
	docs    loop.Sender
}

// NewOverview returns an overview of a cluster under the page's ID. memory is what the page remembers of namespaces.
func NewOverview(id uint32, c *cluster.Cluster, page port.Sender, memory *list.Memory) *Overview {
	return &Overview{id: id, cluster: c, page: page, memory: memory}
}

// ID returns the ID that the page chose.
func (o *Overview) ID() uint32 { return o.id }

// Cluster returns the cluster that the overview is of.
func (o *Overview) Cluster() *cluster.Cluster { return o.cluster }

// MovedTo returns an overview of another cluster that reads the same kinds. The page closes this one.
func (o *Overview) MovedTo(c *cluster.Cluster, _ time.Time) *Overview {
	moved := NewOverview(o.id, c, o.page, o.memory)
	moved.Want(o.kinds)
	return moved
}

// Want replaces the kinds that the overview reads besides those of the rules.
func (o *Overview) Want(kinds []string) {
	o.kinds = kinds
	o.memory.NameProblems(o.cluster, o, nil, kinds)
}

// overviewEvery is the least time between two overviews that a page is sent.
const overviewEvery = 250 * time.Millisecond

// Step sends the overview if it has changed.
func (o *Overview) Step(now time.Time) {
	c := o.cluster
	if !c.Ready || c.UserChanged() {
		return
	}
	if o.lease == nil {
		o.lease = c.Lease(problems.Kind, "", nil)
	}
	o.Want(o.kinds)
	if !o.docs.Due(c, now) {
		return
	}
	o.docs.Rest(now, overviewEvery)
	if doc := o.docs.Encode(c.Problems.Overview(c.TimeOf(now))); doc != nil {
		o.page.Send(port.Detail{ID: o.id, Part: port.OverviewPart, Doc: doc})
	}
}

// Close releases the problems. They linger unless atOnce is set.
func (o *Overview) Close(atOnce bool) {
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
