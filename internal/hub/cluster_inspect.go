package hub

import (
	"strings"
	"time"

	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/sorting"
	"watchglass/internal/wire"
)

type inspectedIndex struct {
	Name   string `json:"name"`
	Values int    `json:"values"`
	Broken int    `json:"broken"`
	Said   string `json:"said,omitempty"`
}

// inspectedChecks says how it was verified, after a reconnect, that the cluster is still the
// same.
type inspectedChecks struct {
	// Cluster is kube-system's UID, or why it was not checked.
	Cluster string `json:"cluster"`
	Probes  int    `json:"probes"`
	Audits  int    `json:"audits"`
	Rewinds int    `json:"rewinds"`
	// Audited is when the last audit ended, and Differences the number of audits in which store and
	// server differed.
	Audited     string `json:"audited,omitempty"`
	Differences int    `json:"differences"`
	// Unaudited says why the last audit failed, or what it found.
	Unaudited string `json:"unaudited,omitempty"`
}

// inspected is what scripts see of a source.
type inspected struct {
	Resource        string           `json:"resource"`
	Namespace       string           `json:"namespace"`
	Selector        string           `json:"selector"`
	Encoding        string           `json:"encoding"`
	State           string           `json:"state"`
	Phase           string           `json:"phase"`
	Since           string           `json:"since"`
	Objects         int              `json:"objects"`
	ResourceVersion string           `json:"resourceVersion"`
	UpstreamAge     int64            `json:"upstreamAge"`
	Events          uint64           `json:"events"`
	Bytes           uint64           `json:"bytes"`
	Resumes         int              `json:"resumes"`
	Relists         int              `json:"relists"`
	Idles           int              `json:"idles"`
	Rejected        int              `json:"rejected"`
	Unread          int              `json:"unread"`
	LastRejected    string           `json:"lastRejected,omitempty"`
	Checks          inspectedChecks  `json:"checks"`
	Queue           int              `json:"queue"`
	Coalesced       uint64           `json:"coalesced"`
	Indexes         []inspectedIndex `json:"indexes"`
	Error           string           `json:"error,omitempty"`
	// Stalls is how often a stream had to wait for credit.
	Stalls     int         `json:"stalls"`
	Relistings []relisting `json:"relistings"`
	// Meter and Packed, the size of packed objects in bytes, are only set for the inspector.
	Meter  *metered `json:"meter,omitempty"`
	Packed int      `json:"packed,omitempty"`
	// Elsewhere says that the source is of another context than the page; only for the inspector.
	Elsewhere bool   `json:"elsewhere,omitempty"`
	Context   string `json:"context,omitempty"`
}

// inspectMeters returns inspect's result with data that costs more: charts, and the size of packed objects.
func (c *Cluster) inspectMeters(now time.Time) []inspected {
	return c.inspectEach(now, func(out *inspected, i *informer.Informer[*object.Object]) {
		for _, o := range i.Store().List() {
			out.Packed += len(o.Packed())
		}
		out.Meter = c.meters.show(i, out.Packed, now)
	})
}

// inspectedCluster is what scripts see of a cluster.
type inspectedCluster struct {
	Context   string `json:"context"`
	Server    string `json:"server"`
	Connected bool   `json:"connected"`
	Sources   int    `json:"sources"`
	Objects   int    `json:"objects"`
	// Unsaved is why the last save for the next visit failed.
	Unsaved string `json:"unsaved,omitempty"`
}

// inspect returns the state of all sources, by resource and namespace.
func (c *Cluster) inspect(now time.Time) []inspected {
	return c.inspectEach(now, func(*inspected, *informer.Informer[*object.Object]) {})
}

// inspectEach returns the state of all sources, and calls more to add to each.
func (c *Cluster) inspectEach(now time.Time, more func(*inspected, *informer.Informer[*object.Object])) []inspected {
	sources, link := []inspected{}, c.link()
	c.factory.Each(func(r wire.Request, i *informer.Informer[*object.Object]) {
		one := c.inspectOne(r, i, link, now)
		more(&one, i)
		sources = append(sources, one)
	})
	sorting.By(sources, func(a, b inspected) int {
		return strings.Compare(a.Resource+"\x00"+a.Namespace, b.Resource+"\x00"+b.Namespace)
	})
	return sources
}

func (c *Cluster) inspectOne(r wire.Request, i *informer.Informer[*object.Object], link informer.Link, now time.Time) inspected {
	s := i.State(now)
	f, age, cause := informer.Fresh(s, link, now)
	kind := c.kinds.Of(r)
	out := inspected{
		Resource: kind.ID(), Namespace: r.Namespace, Selector: strings.Trim(r.LabelSelector+" "+r.FieldSelector, " "), Encoding: string(s.Encoding),
		State: string(f), Phase: s.Phase.String(), Since: rfc3339(s.Since), Objects: s.Objects,
		ResourceVersion: s.Settled, UpstreamAge: age.Milliseconds(), Events: s.Events, Bytes: s.Bytes,
		Resumes: s.Resumes, Relists: s.Relists, Idles: s.Idles, Rejected: s.Rejected, Unread: s.Unread, LastRejected: words(s.LastBad),
		Checks: inspectedChecks{Cluster: s.Cluster, Probes: s.Probes, Audits: s.Audits, Rewinds: s.Rewinds, Differences: s.Differences, Unaudited: words(s.Unaudited)}, Queue: s.Queue, Coalesced: s.Coalesced,
		Indexes: []inspectedIndex{}, Stalls: s.Stalls, Relistings: relistings(s),
	}
	if !s.Audited.IsZero() {
		out.Checks.Audited = rfc3339(s.Audited)
	}
	for _, x := range i.Store().Indexes() {
		out.Indexes = append(out.Indexes, inspectedIndex(x))
	}
	if s.Unchecked != nil {
		out.Checks.Cluster = "skipped: " + s.Unchecked.Error()
	}
	if cause != nil {
		out.Error = cause.Error()
	}
	return out
}

// summary returns the state of the cluster's connection, and how many sources and objects it
// holds.
func (c *Cluster) summary() inspectedCluster {
	link := c.client.Link()
	out := inspectedCluster{Context: c.context, Connected: link.Connected, Unsaved: words(c.visits.failed)}
	if link.Welcome != nil {
		out.Server = link.Welcome.Server
	}
	c.factory.Each(func(_ wire.Request, i *informer.Informer[*object.Object]) {
		out.Sources++
		out.Objects += i.Store().Len()
	})
	return out
}

func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// words returns an error's message, or "" for nil.
func words(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
