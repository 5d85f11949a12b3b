package inspect

import (
	"strings"
	"time"

	"watchglass/internal/hub/kinds"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/sorting"
	"watchglass/internal/wire"
)

// Index is an index of a source.
type Index struct {
	Name   string `json:"name"`
	Values int    `json:"values"`
	Broken int    `json:"broken"`
	Said   string `json:"said,omitempty"`
}

// Checks says how it was verified, after a reconnect, that the cluster is still the
// same.
type Checks struct {
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

// Source is what scripts see of a source.
type Source struct {
	Resource        string  `json:"resource"`
	Namespace       string  `json:"namespace"`
	Selector        string  `json:"selector"`
	Encoding        string  `json:"encoding"`
	State           string  `json:"state"`
	Phase           string  `json:"phase"`
	Since           string  `json:"since"`
	Objects         int     `json:"objects"`
	ResourceVersion string  `json:"resourceVersion"`
	UpstreamAge     int64   `json:"upstreamAge"`
	Events          uint64  `json:"events"`
	Bytes           uint64  `json:"bytes"`
	Resumes         int     `json:"resumes"`
	Relists         int     `json:"relists"`
	Idles           int     `json:"idles"`
	Rejected        int     `json:"rejected"`
	Unread          int     `json:"unread"`
	LastRejected    string  `json:"lastRejected,omitempty"`
	Checks          Checks  `json:"checks"`
	Queue           int     `json:"queue"`
	Coalesced       uint64  `json:"coalesced"`
	Indexes         []Index `json:"indexes"`
	Error           string  `json:"error,omitempty"`
	// Stalls is how often a stream had to wait for credit.
	Stalls     int         `json:"stalls"`
	Relistings []Relisting `json:"relistings"`
	// Meter and Packed, the size of packed objects in bytes, are only set for the inspector.
	Meter  *Meter `json:"meter,omitempty"`
	Packed int    `json:"packed,omitempty"`
	// Elsewhere says that the source is of another context than the page; only for the inspector.
	Elsewhere bool   `json:"elsewhere,omitempty"`
	Context   string `json:"context,omitempty"`
}

// Relisting is why a list was requested anew.
type Relisting struct {
	At    string `json:"at"`
	Cause string `json:"cause"`
}

// relistings returns the last relistings.
func relistings(s informer.State) []Relisting {
	out := make([]Relisting, 0, len(s.Relistings))
	for _, r := range s.Relistings {
		out = append(out, Relisting{Time(r.At), string(r.Cause)})
	}
	return out
}

// Sources are the running sources of a cluster, with what their states are read by.
type Sources struct {
	Factory *informer.Factory[*object.Object]
	Kinds   *kinds.Set
	Link    informer.Link
}

// ReadMeters returns what Read does with data that costs more: charts, and the size of packed objects.
func (all Sources) ReadMeters(m *Meters, now time.Time) []Source {
	return all.each(now, func(out *Source, i *informer.Informer[*object.Object]) {
		for _, o := range i.Store().List() {
			out.Packed += len(o.Packed())
		}
		out.Meter = m.show(i, out.Packed, now)
	})
}

// Read returns the state of all sources, by resource and namespace.
func (all Sources) Read(now time.Time) []Source {
	return all.each(now, func(*Source, *informer.Informer[*object.Object]) {})
}

// each returns the state of all sources, and calls more to add to each.
func (all Sources) each(now time.Time, more func(*Source, *informer.Informer[*object.Object])) []Source {
	sources := []Source{}
	all.Factory.Each(func(r wire.Request, i *informer.Informer[*object.Object]) {
		one := all.one(r, i, now)
		more(&one, i)
		sources = append(sources, one)
	})
	sorting.By(sources, func(a, b Source) int {
		return strings.Compare(a.Resource+"\x00"+a.Namespace, b.Resource+"\x00"+b.Namespace)
	})
	return sources
}

func (all Sources) one(r wire.Request, i *informer.Informer[*object.Object], now time.Time) Source {
	s := i.State(now)
	f, age, cause := informer.Fresh(s, all.Link, now)
	kind := all.Kinds.Of(r)
	out := Source{
		Resource: kind.ID(), Namespace: r.Namespace, Selector: strings.Trim(r.LabelSelector+" "+r.FieldSelector, " "), Encoding: string(s.Encoding),
		State: string(f), Phase: s.Phase.String(), Since: Time(s.Since), Objects: s.Objects,
		ResourceVersion: s.Settled, UpstreamAge: age.Milliseconds(), Events: s.Events, Bytes: s.Bytes,
		Resumes: s.Resumes, Relists: s.Relists, Idles: s.Idles, Rejected: s.Rejected, Unread: s.Unread, LastRejected: Words(s.LastBad),
		Checks: Checks{Cluster: s.Cluster, Probes: s.Probes, Audits: s.Audits, Rewinds: s.Rewinds, Differences: s.Differences, Unaudited: Words(s.Unaudited)}, Queue: s.Queue, Coalesced: s.Coalesced,
		Indexes: []Index{}, Stalls: s.Stalls, Relistings: relistings(s),
	}
	if !s.Audited.IsZero() {
		out.Checks.Audited = Time(s.Audited)
	}
	for _, x := range i.Store().Indexes() {
		out.Indexes = append(out.Indexes, Index(x))
	}
	if s.Unchecked != nil {
		out.Checks.Cluster = "skipped: " + s.Unchecked.Error()
	}
	if cause != nil {
		out.Error = cause.Error()
	}
	return out
}

// Cluster is what scripts see of a cluster.
type Cluster struct {
	Context   string `json:"context"`
	Server    string `json:"server"`
	Connected bool   `json:"connected"`
	Sources   int    `json:"sources"`
	Objects   int    `json:"objects"`
	// Unsaved is why the last save for the next visit failed.
	Unsaved string `json:"unsaved,omitempty"`
}

// Count adds how many sources and objects a cluster holds.
func (c *Cluster) Count(f *informer.Factory[*object.Object]) {
	f.Each(func(_ wire.Request, i *informer.Informer[*object.Object]) {
		c.Sources++
		c.Objects += i.Store().Len()
	})
}

// Time prints a time for scripts.
func Time(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// Words returns an error's message, or "" for nil.
func Words(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
