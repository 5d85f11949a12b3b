package inspect

import (
	"runtime"
	"strings"
	"time"

	"watchglass/internal/hub/kinds"
	"watchglass/internal/informer"
	"watchglass/internal/inspection"
	"watchglass/internal/object"
	"watchglass/internal/sorting"
	"watchglass/internal/wire"
)

// relistings returns the last relistings.
func relistings(s informer.State) []inspection.Relisting {
	out := make([]inspection.Relisting, 0, len(s.Relistings))
	for _, r := range s.Relistings {
		out = append(out, inspection.Relisting{At: r.At.UTC(), Cause: string(r.Cause)})
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
func (all Sources) ReadMeters(m *Meters, now time.Time) []inspection.Source {
	return all.each(now, func(out *inspection.Source, i *informer.Informer[*object.Object]) {
		for _, o := range i.Store().List() {
			out.Packed += len(o.Packed())
		}
		out.Meter = m.show(i, out.Packed, now)
	})
}

// Read returns the state of all sources, by resource and namespace.
func (all Sources) Read(now time.Time) []inspection.Source {
	return all.each(now, func(*inspection.Source, *informer.Informer[*object.Object]) {})
}

// each returns the state of all sources, and calls more to add to each.
func (all Sources) each(now time.Time, more func(*inspection.Source, *informer.Informer[*object.Object])) []inspection.Source {
	sources := []inspection.Source{}
	all.Factory.Each(func(r wire.Request, i *informer.Informer[*object.Object]) {
		one := all.one(r, i, now)
		more(&one, i)
		sources = append(sources, one)
	})
	sorting.By(sources, func(a, b inspection.Source) int {
		return strings.Compare(a.Resource+"\x00"+a.Namespace, b.Resource+"\x00"+b.Namespace)
	})
	return sources
}

func (all Sources) one(r wire.Request, i *informer.Informer[*object.Object], now time.Time) inspection.Source {
	s := i.State(now)
	f, age, cause := informer.Fresh(s, all.Link, now)
	kind := all.Kinds.Of(r)
	out := inspection.Source{
		Resource: kind.ID(), Namespace: r.Namespace, Selector: strings.Trim(r.LabelSelector+" "+r.FieldSelector, " "), Encoding: string(s.Encoding),
		State: string(f), Phase: s.Phase.String(), Since: s.Since.UTC(), Objects: s.Objects,
		ResourceVersion: s.Settled, UpstreamAge: age.Milliseconds(), Events: s.Events, Bytes: s.Bytes,
		Resumes: s.Resumes, Relists: s.Relists, Idles: s.Idles, Rejected: s.Rejected, Unread: s.Unread, LastRejected: Words(s.LastBad),
		Checks: inspection.Checks{Cluster: s.Cluster, Probes: s.Probes, Audits: s.Audits, Rewinds: s.Rewinds, Differences: s.Differences, Audited: s.Audited.UTC(), Unaudited: Words(s.Unaudited)}, Queue: s.Queue, Coalesced: s.Coalesced,
		Indexes: []inspection.Index{}, Stalls: s.Stalls, Relistings: relistings(s),
	}
	for _, x := range i.Store().Indexes() {
		out.Indexes = append(out.Indexes, inspection.Index(x))
	}
	if s.Unchecked != nil {
		out.Checks.Cluster = "skipped: " + s.Unchecked.Error()
	}
	if cause != nil {
		out.Error = cause.Error()
	}
	return out
}

// Words returns an error's message, or "" for nil.
func Words(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Heap returns how many bytes of heap are in use.
func Heap(collect bool) uint64 {
	if collect {
		runtime.GC()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
