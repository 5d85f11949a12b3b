package pane

import (
	"fmt"
	"slices"
	"sort"
	"time"

	"watchglass/internal/detail/related"
	"watchglass/internal/hub/source"
	"watchglass/internal/object"
)

const (
	// searchMost is how many kinds are searched at once for what an object owns: each
	// costs a stream.
	searchMost = 48
	// searchFound is how many more kinds are searched if a sweep found something in them.
	searchFound = 16
	// searchRest is how many kinds without any sign of ownership are searched too; if there
	// are more, none of them is.
	searchRest = 24
	// searchAtOnce is how many searches may be coming in at once, since the lists that show
	// first come before them.
	searchAtOnce = 6
	// searchTotal is how many objects of all kinds are searched; of one kind, sweepMost.
	searchTotal = 20_000
)

// search finds what an object owns in the kinds that nothing else lists, by the owner
// references in the metadata of their objects. It belongs to the hub's loop.
type search struct {
	host      Host
	near      *neighbours // which open the lists
	focus     object.Kind
	namespace string // of what the object may own; "" is all

	candidates []related.Candidate
	foundFor   string                  // what the candidates were found for
	watched    []string                // resources, in the order in which they were chosen
	tooLarge   map[string]bool         // resources with too many objects
	failed     []related.SearchFailure // as of the last look
	coming     int
	unasked    []string // resources that were not searched
	sweep      *sweep
}

// newSearch returns a search, and has neighbours open its lists.
func newSearch(near *neighbours, s Subject) *search {
	out := &search{host: near.host, near: near, focus: s.Kind, namespace: s.Namespace, tooLarge: make(map[string]bool), sweep: newSweep(near.host, s.Namespace)}
	near.finder = out
	return out
}

// needs returns the lists of metadata that show what the object owns, besides the lists that
// are wanted anyway. A list stays open until a complete list of its kind has replaced it.
func (s *search) needs(g related.Graph, wanted []related.Need, now time.Time) (needs []related.Need) {
	s.noteOwners(g)
	s.choose()
	listed := s.listed(wanted)
	s.failed, s.coming = s.failed[:0], 0
	for _, id := range s.watched {
		if s.tooLarge[id] || listed[id] == listedWhole {
			continue
		}
		need := related.Need{Resource: id, Namespace: s.scope(id), OwnersOnly: true}
		l := s.near.lists[need]
		if l == nil {
			s.coming++
		} else {
			s.count(id, s.near.status(l, now))
		}
		if l != nil || s.coming <= searchAtOnce {
			needs = append(needs, need)
		}
	}
	if s.noteRest(listed); len(s.candidates) == 0 {
		s.coming++ // the kinds themselves
	}
	return needs
}

// How completely a kind is listed by what is wanted anyway: all of its objects that matter
// are in, or not yet.
const (
	listedPartly = 1 + iota
	listedWhole
)

// listed returns how completely each kind is listed by what is wanted anyway.
func (s *search) listed(wanted []related.Need) map[string]int {
	listed := make(map[string]int)
	for _, need := range wanted {
		if need.Fields != "" || need.Namespace != "" && need.Namespace != s.namespace {
			continue
		}
		as := listedPartly
		if l := s.near.lists[need]; l != nil && l.HasSynced() {
			as = listedWhole
		}
		listed[need.Resource] = max(listed[need.Resource], as)
	}
	return listed
}

// scope returns the namespace in which objects of a kind are searched.
func (s *search) scope(resource string) string {
	if kind, ok := s.host.Kinds().Find(resource); ok && !kind.Namespaced {
		return ""
	}
	return s.namespace
}

// count counts a list as failed or as coming in. A failed one stays open and is retried, but
// does not delay another.
func (s *search) count(id string, status source.Status) {
	switch verdict := status.Verdict(); {
	case verdict <= source.Failing:
		s.failed = append(s.failed, related.SearchFailure{Resource: id, Error: message(status.Cause)})
	case verdict == source.Coming:
		s.coming++
	}
}

// noteOwners remembers which kinds own which, for every search after this.
func (s *search) noteOwners(g related.Graph) {
	for _, e := range g.Edges {
		if e.Verb == related.Owns {
			s.host.Kinds().SetOwner(g.Nodes[e.From].Resource, g.Nodes[e.To].Resource)
		}
	}
}

// choose chooses the kinds to watch: the likely ones, the ones in which a sweep has found
// something, and the possible ones if they are few.
func (s *search) choose() {
	s.findCandidates()
	var rest []string
	uids := s.near.index.Owned(s.near.focus)
	for _, c := range s.candidates {
		id := c.Kind.ID()
		switch {
		case s.sweep.found(id, uids):
			s.watch(id, searchMost+searchFound)
		case c.Likelihood == related.Likely:
			s.watch(id, searchMost)
		}
		if c.Likelihood == related.Possible {
			rest = append(rest, id)
		}
	}
	if len(rest) <= searchRest {
		for _, id := range rest {
			s.watch(id, searchMost)
		}
	}
}

// findCandidates works out the candidates again if anything they depend on has changed.
func (s *search) findCandidates() {
	kinds := s.host.Kinds()
	line := s.near.index.OwnedResources(s.near.focus)
	foundFor := fmt.Sprint(s.near.generation, kinds.Owners(), line) // no owner is ever forgotten
	if foundFor == s.foundFor {
		return
	}
	s.foundFor, s.candidates = foundFor, related.Candidates(s.kindsOf(line), kinds.All(), kinds.Owns)
	s.watched = slices.DeleteFunc(s.watched, func(id string) bool {
		return !slices.ContainsFunc(s.candidates, func(c related.Candidate) bool { return c.Kind.ID() == id })
	})
}

// watch adds a kind to the watched ones, if there are fewer than most.
func (s *search) watch(id string, most int) {
	if len(s.watched) < most && !slices.Contains(s.watched, id) {
		s.watched = append(s.watched, id)
	}
}

// kindsOf returns the kinds of a line, the object's own first.
func (s *search) kindsOf(line []string) []object.Kind {
	all := []object.Kind{s.focus}
	for _, resource := range line[1:] {
		if kind, ok := s.host.Kinds().Find(resource); ok {
			all = append(all, kind)
		}
	}
	return all
}

// noteRest records the kinds that were not searched, and those that could not be.
func (s *search) noteRest(listed map[string]int) {
	s.unasked = s.unasked[:0]
	for _, c := range s.candidates {
		id := c.Kind.ID()
		switch swept := s.sweep.kinds[id]; {
		case s.tooLarge[id]:
			s.failed = append(s.failed, related.SearchFailure{Resource: id, Error: tooMany()})
		case slices.Contains(s.watched, id), listed[id] > 0:
		case swept == nil:
			s.unasked = append(s.unasked, id)
		case swept.failure != "":
			s.failed = append(s.failed, related.SearchFailure{Resource: id, Error: swept.failure})
		}
	}
}

// beginSweep lists the kinds that were not searched, and those that were swept before. It
// does nothing, and returns false, while a sweep is under way.
func (s *search) beginSweep() bool {
	var kinds []object.Kind
	for _, c := range s.candidates {
		if id := c.Kind.ID(); s.sweep.kinds[id] != nil || slices.Contains(s.unasked, id) {
			kinds = append(kinds, c.Kind)
		}
	}
	return s.sweep.begin(kinds)
}

// report returns the progress of the search.
func (s *search) report() related.SearchProgress {
	out := related.SearchProgress{Coming: s.coming, Unasked: slices.Clone(s.unasked), Failed: slices.Clone(s.failed), Sweeping: s.sweep.left > 0}
	slices.Sort(out.Unasked)
	sort.Slice(out.Failed, func(i, j int) bool { return out.Failed[i].Resource < out.Failed[j].Resource }) // slices would be compiled anew for the type
	for id, swept := range s.sweep.kinds {
		if swept.failure == "" && !slices.Contains(s.watched, id) {
			out.Swept++
			out.SweptAt = max(out.SweptAt, swept.at.Unix())
		}
	}
	return out
}

// stateKey returns the state of the search as text, for comparison.
func (s *search) stateKey() string { return fmt.Sprint(s.tooLarge, s.sweep.left, s.sweep.listed) }
