package pane

import (
	"maps"
	"slices"
	"time"

	"watchglass/internal/detail/related"
	"watchglass/internal/hub/loop"
)

const (
	// lookEvery is the least time between two looks for what is related to an object, and
	// lookShare limits their cost: to 1/lookShare of the time.
	lookEvery = 200 * time.Millisecond
	lookShare = 10
	// readMost is how many changes are read before the loop goes on: each takes some
	// microseconds.
	readMost = 2000
	// lookRounds is how often a look may open further lists: the longest path from the object
	// to another.
	lookRounds = 6
)

// finder finds further lists to open, beyond those that the graph needs.
type finder interface {
	// limit closes the lists that have become too long for what they may show.
	limit()
	// needs returns the lists to open besides the wanted ones.
	needs(g related.Graph, wanted []related.Need, now time.Time) []related.Need
	// stateKey returns the finder's state as text, for comparison.
	stateKey() string
}

// neighbours holds the lists that say what is related to an object, and an index over their
// objects. It belongs to the hub's loop.
type neighbours struct {
	host       Host
	focus      related.ID
	needs      func(g related.Graph) []related.Need
	finder     finder // for what the object owns in kinds that no need lists; nil: none
	index      *related.Index
	lists      map[related.Need]*neighbourList
	unwatched  map[related.ID]bool // objects beyond namedAll, which are not watched
	generation int                 // of the kinds that the index knows
	bodiesLost bool                // lists that views hold lack bodies: own lists are leased instead
	looks      loop.Pace
	seen       string // the states of the lists at the last look
}

// newNeighbours returns neighbours without lists: the first look opens those that are needed.
func newNeighbours(h Host, s Subject) *neighbours {
	return &neighbours{
		host: h, focus: related.ID{Resource: s.Kind.ID(), Namespace: s.Namespace, Name: s.Name},
		index: related.NewIndex(h.Kinds().Find), lists: make(map[related.Need]*neighbourList),
		generation: h.Kinds().Generation(), seen: "not looked at",
	}
}

// close releases all lists.
func (n *neighbours) close() {
	for _, l := range n.lists {
		l.Close()
	}
	clear(n.lists)
}

// update reads what has changed, and returns the graph of what is related to the object if it
// may have changed: at most every lookEvery, and less often the longer a look takes.
func (n *neighbours) update(now time.Time) (g related.Graph, changed bool) {
	if n.finder != nil {
		n.finder.limit()
	}
	if !n.looks.Due(n.host, now) {
		return related.Graph{}, false
	}
	if generation := n.host.Kinds().Generation(); generation != n.generation {
		n.generation = generation
		n.reindex()
	}
	changed, more := n.read()
	if more {
		n.host.RequestUpdate()
		return related.Graph{}, false
	}
	if !changed && n.stateKey(now) == n.seen {
		return related.Graph{}, false
	}
	began := time.Now()
	g = n.refresh(now)
	n.looks.Rest(now, max(lookEvery, lookShare*time.Since(began)))
	return g, true
}

// reindex builds the index again, since newly known kinds may explain references. A list of a
// version that is no longer served is released; look opens another.
func (n *neighbours) reindex() {
	*n.index = *related.NewIndex(n.host.Kinds().Find)
	for need, l := range n.lists {
		if kind, ok := n.host.Kinds().Find(need.Resource); !ok || kind.APIVersion() != l.kind.APIVersion() {
			l.Close()
			delete(n.lists, need)
			continue
		}
		l.reset()
	}
}

// refresh builds the graph and opens the lists that it needs, and repeats both until nothing
// changes: what one list brings may need another.
func (n *neighbours) refresh(now time.Time) (g related.Graph) {
	for range lookRounds {
		n.noteSets(now)
		n.seen = n.stateKey(now) // before anything is read: what changes meanwhile is looked at again
		g = n.index.Graph(n.focus, n.presence(now), related.MaxNodes)
		before := n.unwatched
		wanted := n.needs(g)
		wanted = slices.Concat(wanted, n.byName(g, wanted))
		if n.finder != nil {
			wanted = append(wanted, n.finder.needs(g, wanted, now)...)
		}
		opened := n.open(wanted)
		changed, _ := n.read()
		if !opened && !changed && maps.Equal(before, n.unwatched) {
			break
		}
	}
	return g
}

// noteSets tells the index where ReplicaSets may not be read.
func (n *neighbours) noteSets(now time.Time) {
	for need, l := range n.lists {
		if need.Resource == "replicasets.apps" && !need.OwnersOnly {
			n.index.SetReadable(n.focus.Namespace, !n.status(l, now).Refused())
		}
	}
}

// open opens the lists that are needed and releases the others. It reports whether it
// opened one.
func (n *neighbours) open(needs []related.Need) (opened bool) {
	for need, l := range n.lists {
		if !slices.Contains(needs, need) || n.bodiesLost && l.shared && !need.OwnersOnly {
			n.unindex(l)
			l.Close()
			delete(n.lists, need)
		}
	}
	for _, need := range needs {
		if n.lists[need] != nil {
			continue
		}
		if kind, ok := n.host.Kinds().Find(need.Resource); ok {
			n.lists[need] = newNeighbourList(n.host, kind, need, need.OwnersOnly || !n.bodiesLost)
			opened = true
		}
	}
	return opened
}

// dropAtOnce closes a list that is not worth its cost. Its source does not linger.
func (n *neighbours) dropAtOnce(l *neighbourList) {
	n.unindex(l)
	l.CloseAtOnce()
	delete(n.lists, l.need)
}

// unindex removes the objects of a list from the index.
func (n *neighbours) unindex(l *neighbourList) {
	var gone []related.Change
	for _, o := range l.indexed {
		gone = append(gone, related.Change{Kind: l.kind, Before: o, OwnersOnly: l.need.OwnersOnly})
	}
	n.index.Apply(gone)
}

// read applies the changes of the lists, but no more than readMost, and reports whether
// there were any and whether there are more.
func (n *neighbours) read() (changed, more bool) {
	left := readMost
	for _, l := range n.lists {
		read, changes := l.read(left)
		if left -= read; len(changes) > 0 {
			changed = true
			n.index.Apply(changes)
		}
		more = more || l.Pending() > 0
	}
	if n.index.Unread() > 0 && !n.bodiesLost {
		for _, l := range n.lists {
			n.bodiesLost = n.bodiesLost || l.shared && !l.need.OwnersOnly
		}
	}
	return changed, more
}
