package hub

import (
	"maps"
	"slices"
	"strings"
	"time"

	"watchglass/internal/hub/loop"
	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/wire"
)

// kindsSent is what the page was last sent about the server's kinds and the number of objects
// of each.
type kindsSent struct {
	wanted bool
	all    []object.Kind // as kinds.Set.All returned them
	kinds  []port.Kind
	counts []port.Count
	pace   loop.Pace
}

// sendKinds sends the kinds and the object counts, if they are new.
func (p *Page) sendKinds(now time.Time) {
	s := &p.kinds
	if !s.wanted || !s.pace.Due(p.cluster, now) {
		return
	}
	s.pace.Rest(now, loop.ReportEvery)
	if all := p.cluster.Kinds.All(); !sameSlice(all, s.all) {
		s.all = all
		if kinds := append(described(all, false), described(p.cluster.Kinds.Derived(), true)...); !slices.Equal(kinds, s.kinds) {
			s.kinds = kinds
			p.port.Send(port.Kinds{Kinds: kinds})
		}
	}
	if counts := p.counts(now); !slices.Equal(counts, s.counts) {
		s.counts = counts
		p.port.Send(port.Counts{Kinds: counts})
	}
}

// sameSlice reports whether two slices are the same slice, not only equal.
func sameSlice(a, b []object.Kind) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

func described(kinds []object.Kind, derived bool) []port.Kind {
	out := make([]port.Kind, 0, len(kinds))
	for _, k := range kinds {
		out = append(out, port.Kind{ID: k.ID(), Name: k.Name, Short: strings.Join(k.Short, ","), Custom: !k.Native(), Derived: derived})
	}
	return out
}

// counts returns how many objects there are of each kind, where that is known. A list of one
// namespace says nothing of the others.
func (p *Page) counts(now time.Time) []port.Count {
	c := p.cluster
	link := c.Link()
	objects := make(map[string]map[string]int) // by kind and namespace; variants count once
	c.Factory.Each(func(r wire.Request, i *informer.Informer[*object.Object]) {
		if r.FieldSelector != "" || r.LabelSelector != "" || r.Encoding == wire.EncodingMetadata {
			return // part of a list, or a search
		}
		if source.StatusOf(i, link, now).Verdict() < source.Old {
			return // incomplete, or nothing there
		}
		id := object.Kind{Group: r.Group, Resource: r.Resource}.ID()
		if objects[id] == nil {
			objects[id] = make(map[string]int)
		}
		objects[id][r.Namespace] = max(objects[id][r.Namespace], i.Store().Len())
	})
	var out []port.Count
	for _, id := range slices.Sorted(maps.Keys(objects)) {
		if n, ok := p.total(id, objects[id]); ok {
			out = append(out, port.Count{ID: id, Objects: n})
		}
	}
	return out
}

// total returns how many objects of a kind there are in the whole cluster, or in all namespaces
// that show to a user who may not list the whole cluster. It adds counts by namespace, where ""
// is the whole cluster, and reports whether they suffice: chosen namespaces alone do not.
func (p *Page) total(id string, counts map[string]int) (n int, ok bool) {
	if n, ok = counts[""]; ok {
		return n, true
	}
	scopes := []string{p.cluster.Scope()} // a list of the whole cluster, or what -n says
	if p.memory.Narrowed[id] {
		scopes = p.memory.Wanted(nil, p.cluster.Client.Link().Welcome)
	}
	for _, namespace := range scopes {
		of, listed := counts[namespace]
		if !listed {
			return 0, false
		}
		n += of
	}
	return n, len(scopes) > 0
}
