package main

import (
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"watchglass/internal/detail/related"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

const (
	// gatherEvery is the least time between two looks at what belongs to an object.
	gatherEvery = 200 * time.Millisecond
	// gatherShare is the part of the time that looking may take, at most: a tenth.
	gatherShare = 10
	// gatherMost is how many changes are read in one go: each takes some microseconds.
	gatherMost = 2000
	// namedMost is how many objects of a kind are asked for by their names; of more, the
	// list is.
	namedMost = 16
	// namedAll is how many objects are asked for by their names in all: each takes a stream.
	namedAll = wire.MaxStreams / 4
)

// gathering holds the lists that tell what belongs to an object, for as long as they
// do, and an index over what they have. It belongs to the goroutine that runs.
type gathering struct {
	d      *desk
	focus  related.ID
	native bool
	needs  func(g related.Graph) []related.Need
	index  *related.Index
	feeds  map[related.Need]*feed
	beyond map[related.ID]bool // who is not asked for: there are too many
	kinds  int                 // how many were known
	narrow bool                // wide lists have lost their bytes
	at     time.Time           // of the last look
	every  time.Duration       // how long to wait then
	seen   string              // how the feeds stood then
	soon   *time.Timer
}

// feed is one list, or what of it is needed.
type feed struct {
	follow
	need related.Need
	kind object.Kind
	wide bool                      // it has more than is needed
	has  map[string]*object.Object // by key, as the index knows it

	mu    sync.Mutex
	queue []informer.Change[*object.Object]
}

func newGathering(d *desk, f *focus) *gathering {
	g := &gathering{d: d, focus: related.ID{Resource: f.kind.ID(), Namespace: f.asked.Namespace, Name: f.asked.Name}, native: f.kind.Native(), seen: "nothing", feeds: make(map[related.Need]*feed)}
	g.index, g.kinds = related.NewIndex(d.known), d.kindCount()
	return g
}

func (d *desk) kindCount() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.kinds)
}

// close lets go of all lists.
func (g *gathering) close() {
	for _, f := range g.feeds {
		f.release()
	}
	if clear(g.feeds); g.soon != nil {
		g.soon.Stop()
	}
}

// gather reads what has come, and returns what belongs to the object now if that may be
// news: at most every gatherEvery, and less often the longer it takes.
func (g *gathering) gather(now time.Time) (related.Graph, bool) {
	if wait := g.at.Add(g.every).Sub(now); wait > 0 {
		g.later(wait)
		return related.Graph{}, false
	}
	if n := g.d.kindCount(); n != g.kinds { // what a reference means may be known by now
		g.kinds = n
		*g.index = *related.NewIndex(g.d.known)
		for _, f := range g.feeds {
			clear(f.has)
			f.again()
		}
	}
	news, more := g.read()
	stands := g.stands(now)
	if more {
		g.d.stir()
		return related.Graph{}, false
	}
	if !news && stands == g.seen {
		return related.Graph{}, false
	}
	began := time.Now()
	graph := g.look(now)
	g.seen = g.stands(now)
	g.at = now
	g.every = max(gatherEvery, gatherShare*time.Since(began))
	return graph, true
}

// later has the desk look again after a while.
func (g *gathering) later(wait time.Duration) {
	if g.soon == nil {
		g.soon = time.AfterFunc(wait, g.d.stir)
	} else {
		g.soon.Reset(wait)
	}
}

// look works out what belongs to the object, and which lists tell it, until both agree:
// what one list brings may need another.
func (g *gathering) look(now time.Time) related.Graph {
	const rounds = 6 // the longest way from an object to another
	var graph related.Graph
	for range rounds {
		graph = g.index.Graph(g.focus, g.sight(now), related.Most)
		before := g.beyond
		opened := g.settle(slices.Concat(g.needs(graph), g.named(graph)))
		news, _ := g.read()
		if !opened && !news && maps.Equal(before, g.beyond) {
			break
		}
	}
	return graph
}

// named are the sources of those that no list has: one each, by name, or the list, if
// they are many.
func (g *gathering) named(graph related.Graph) []related.Need {
	wanted := g.needs(graph)
	count := make(map[related.Need]int)
	var all []related.Need
	for _, n := range graph.Nodes {
		list := related.Need{Resource: n.Resource, Namespace: n.Namespace}
		whole := related.Need{Resource: n.Resource}
		if n.Name == "" || n.More > 0 || slices.Contains(wanted, list) || slices.Contains(wanted, whole) || g.found(n, wanted) {
			continue
		}
		count[list]++
		one := list
		one.Fields = related.ByName + n.Name
		all = append(all, one)
	}
	for list, n := range count {
		if n > namedMost {
			all = slices.DeleteFunc(all, func(n related.Need) bool { return n.Resource == list.Resource && n.Namespace == list.Namespace })
			all = append(all, list)
		}
	}
	return g.few(all)
}

// few leaves away those by name that are too many.
func (g *gathering) few(all []related.Need) []related.Need {
	g.beyond = make(map[related.ID]bool)
	left := namedAll
	return slices.DeleteFunc(all, func(n related.Need) bool {
		name, ok := strings.CutPrefix(n.Fields, related.ByName)
		if ok {
			left--
		}
		if ok && left < 0 {
			g.beyond[related.ID{Resource: n.Resource, Namespace: n.Namespace, Name: name}] = true
		}
		return ok && left < 0
	})
}

// found reports whether one of the wanted lists, which has not all objects of its kind,
// has this one.
func (g *gathering) found(n related.Node, wanted []related.Need) bool {
	key := n.Name
	if n.Namespace != "" {
		key = n.Namespace + "/" + n.Name
	}
	return slices.ContainsFunc(wanted, func(need related.Need) bool {
		f := g.feeds[need]
		return f != nil && need.Resource == n.Resource && f.has[key] != nil
	})
}

// settle opens the lists that are needed and lets go of the others. It reports whether
// it opened one.
func (g *gathering) settle(needs []related.Need) (opened bool) {
	for need, f := range g.feeds {
		if !slices.Contains(needs, need) || g.narrow && f.wide {
			g.drop(f)
			f.release()
			delete(g.feeds, need)
		}
	}
	for _, need := range needs {
		if g.feeds[need] != nil {
			continue
		}
		if kind, ok := g.d.known(need.Resource); ok {
			g.feeds[need] = g.d.feed(kind, need, !g.narrow)
			opened = true
		}
	}
	return opened
}

// drop takes what a list has out of the index.
func (g *gathering) drop(f *feed) {
	var gone []related.Change
	for _, o := range f.has {
		gone = append(gone, related.Change{Kind: f.kind, Before: o})
	}
	g.index.Apply(gone)
}

// read applies what has come to the lists, or the first of it.
func (g *gathering) read() (news, more bool) {
	left := gatherMost
	for _, f := range g.feeds {
		changes := f.take(left)
		if left -= len(changes); len(changes) > 0 {
			news = true
			g.index.Apply(changes)
		}
		more = more || f.waits()
	}
	if g.index.Unread() > 0 && !g.narrow {
		g.narrow = slices.ContainsFunc(slices.Collect(maps.Values(g.feeds)), func(f *feed) bool { return f.wide })
	}
	return news, more
}

// feed leases what is needed: of a list of all that is held anyway, or, if there is
// none, by itself.
func (d *desk) feed(kind object.Kind, need related.Need, wide bool) *feed {
	f := &feed{need: need, kind: kind, has: make(map[string]*object.Object)}
	if wide {
		f.lease = d.wideLease(kind)
	}
	if f.wide = f.lease != nil; !f.wide {
		f.lease = d.beside(kind, need.Namespace, "", need.Fields)
	}
	f.begin(f.subscribe(func(changes []informer.Change[*object.Object]) {
		f.put(changes)
		d.stir()
	}))
	return f
}

// beside leases some objects that have to do with the one that is looked at, by
// themselves. A summary and logs have them in no other way: they read them whole, and a
// wide list may have lost their bytes. Of a narrow proxy it asks for its namespace
// instead of all: no more is given.
func (d *desk) beside(kind object.Kind, namespace, labels, fields string) *informer.Lease[*object.Object] {
	if namespace == "" && kind.Namespaced {
		namespace = d.scopes()[0]
	}
	if name, ok := strings.CutPrefix(fields, related.ByName); ok {
		return d.factory.Lease(byName(kind, namespace, name))
	}
	r := requestFor(kind, namespace)
	r.LabelSelector, r.FieldSelector = labels, fields
	return d.factory.Lease(r)
}

// wideLease leases the list of all objects of a kind, if all of it is there, on screen
// or not.
func (d *desk) wideLease(kind object.Kind) *informer.Lease[*object.Object] {
	if lease := d.onScreen(kind, func(namespace string, list *follow) bool { return namespace == "" && list.lease.HasSynced() }); lease != nil {
		return lease
	}
	if i, ok := d.factory.Synced(requestFor(kind, "")); ok {
		lease := d.factory.Lease(requestFor(kind, ""))
		if lease.Informer == i {
			return lease
		}
		lease.Release() // it was another variant
	}
	return nil
}

// begin puts what a list has before what has happened to it since.
func (f *feed) begin(objects []*object.Object) {
	f.mu.Lock()
	defer f.mu.Unlock()
	var first []informer.Change[*object.Object]
	for _, o := range objects {
		if f.wants(o) {
			first = append(first, informer.Change[*object.Object]{Key: o.Key(), After: o})
		}
	}
	f.queue = append(first, f.queue...)
}

// again has the index told anew of all that there is.
func (f *feed) again() {
	f.mu.Lock()
	f.queue = nil
	f.mu.Unlock()
	f.begin(f.lease.Store().List())
}

func (f *feed) put(changes []informer.Change[*object.Object]) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range changes {
		if c.After != nil && f.wants(c.After) || c.Before != nil && f.wants(c.Before) {
			f.queue = append(f.queue, c)
		}
	}
}

// wants reports whether an object is needed.
func (f *feed) wants(o *object.Object) bool {
	if f.need.Namespace != "" && o.Namespace() != f.need.Namespace {
		return false
	}
	if name, ok := strings.CutPrefix(f.need.Fields, related.ByName); ok {
		return o.Name() == name
	}
	if node, ok := strings.CutPrefix(f.need.Fields, related.OnNode); ok && f.wide {
		columns := f.decoder().Columns()
		i := slices.IndexFunc(columns, func(c object.Column) bool { return c.Name == "Node" })
		return i >= 0 && o.Cell(columns, i).Text == node
	}
	return true
}

func (f *feed) waits() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.queue) > 0
}

// take takes the next changes, as the index wants them: what the feed has, not what the
// list had, is what was before.
func (f *feed) take(most int) (out []related.Change) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := min(most, len(f.queue))
	columns := f.decoder().Columns()
	for _, c := range f.queue[:n] {
		before, after := f.has[c.Key], c.After
		if after != nil && !f.wants(after) {
			after = nil
		}
		switch {
		case after != nil:
			f.has[c.Key] = after
		case before == nil:
			continue
		default:
			delete(f.has, c.Key)
		}
		out = append(out, related.Change{Kind: f.kind, Columns: columns, Before: before, After: after})
	}
	if f.queue = f.queue[n:]; len(f.queue) == 0 {
		f.queue = nil
	}
	return out
}

// sight tells how well it is known whether there is an object.
func (g *gathering) sight(now time.Time) related.Sight {
	return func(id related.ID) (related.Standing, *wire.Status) {
		if _, ok := g.d.known(id.Resource); !ok {
			return related.Unknown, &wire.Status{Origin: wire.FromAPIServer, Message: "the server doesn't have a resource type \"" + id.Resource + "\""}
		}
		if g.beyond[id] {
			return related.Unknown, &wire.Status{Origin: wire.FromSocket, Reason: wire.ReasonTooManyRequests, Message: "it is not asked for, since there are too many to watch at once"}
		}
		best, said := related.Coming, (*wire.Status)(nil)
		for need, f := range g.feeds {
			if need.Resource != id.Resource || need.Namespace != "" && need.Namespace != id.Namespace || need.Fields != "" && need.Fields != related.ByName+id.Name {
				continue
			}
			switch s := f.stand(g.d.link(), now); {
			case s.refused():
				best, said = related.Unknown, s.cause
			case s.state.Synced:
				return related.Missing, nil
			}
		}
		return best, said
	}
}

// stands is how the lists stand, for comparison.
func (g *gathering) stands(now time.Time) string {
	var all []string
	for need, f := range g.feeds {
		s := f.stand(g.d.link(), now)
		mark := "-"
		switch {
		case s.refused():
			mark = "x"
		case s.state.Synced:
			mark = "+"
		}
		all = append(all, mark+need.Resource+"/"+need.Namespace+"/"+need.Fields)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// denied are the lists that may not be read, with what was said, and coming is whether
// one is not in yet.
func (g *gathering) denied(now time.Time) (nodes []related.Node, coming bool) {
	for need, f := range g.feeds {
		s := f.stand(g.d.link(), now)
		switch named := strings.HasPrefix(need.Fields, related.ByName); {
		case s.refused():
			if !named {
				nodes = append(nodes, related.Node{ID: related.ID{Resource: need.Resource, Namespace: need.Namespace}, Kind: f.kind.Name, Stand: related.Unknown, Said: text(statusError(s.cause))})
			}
		case !s.state.Synced:
			coming = true
		}
	}
	sort.Slice(nodes, func(i, j int) bool { return nodes[i].Compare(nodes[j].ID) < 0 })
	return nodes, coming
}

func statusError(s *wire.Status) error {
	if s == nil {
		return nil
	}
	return s
}
