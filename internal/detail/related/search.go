package related

import (
	"cmp"
	"sort"
	"strings"

	"watchglass/internal/object"
)

// Candidate is a kind whose objects the focus may own. Only their owner references would show it.
type Candidate struct {
	Kind       object.Kind
	Likelihood Likelihood
}

// Likelihood is how likely it is that the focus owns objects of a kind.
type Likelihood int

// The values of Likelihood.
const (
	Unlikely Likelihood = iota // nothing suggests it
	Possible                   // a custom kind, of the owner's scope or with a custom kind in the lineage
	Likely                     // near a kind of the lineage, seen to be owned, or usual for a custom owner
)

// usualKinds are the built-in kinds that controllers of custom kinds create.
var usualKinds = []string{
	deployments, statefulSets, daemonSets, replicaSets, jobs, cronJobs, pods, services, ingresses, claims, accounts, configMaps, secrets,
	roles, bindings, autoscalers, budgets, policies, endpoints, revisions, clusterRoles, clusterBinds, definitions, mutating, validating,
}

// indirectKinds are the usual kinds that a controller creates indirectly and that a cluster has
// very many of. For a cluster-scoped owner, all of them would have to be searched.
var indirectKinds = []string{pods, replicaSets, jobs, endpoints, revisions, claims}

// unowned are the kinds whose objects never have owners.
var unowned = map[string]bool{"events": true, "events.events.k8s.io": true}

// Candidates returns the kinds whose objects the focus may own, the likeliest first. The lineage is
// the kind of the focus, followed by the kinds that it is known to own; seen reports whether one
// kind was seen to own another. A controller mostly creates objects of its own API group, of a
// group in the same domain, or of the usual built-in kinds.
func Candidates(lineage, kinds []object.Kind, seen func(owner, owned string) bool) []Candidate {
	focus, custom := lineage[0], false
	for _, k := range lineage {
		custom = custom || !k.Native()
	}
	var all []Candidate
	near := make(map[string]int)
	for _, k := range kinds {
		id := k.ID()
		if unowned[id] || focus.Namespaced && !k.Namespaced { // an owner is in the same namespace, or in none
			continue
		}
		c := Candidate{Kind: k}
		near[id] = nearness(k, lineage, seen)
		switch native := k.Native(); {
		case k.Unwatched: // it would be listed again and again
		case near[id] > 0 || native && custom && contains(usualKinds, id) && (focus.Namespaced || !contains(indirectKinds, id)):
			c.Likelihood = Likely
		case !native && (focus.Namespaced == k.Namespaced || custom):
			c.Likelihood = Possible
		}
		all = append(all, c)
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := all[i], all[j]
		return cmp.Or(int(b.Likelihood-a.Likelihood), near[b.Kind.ID()]-near[a.Kind.ID()], strings.Compare(a.Kind.ID(), b.Kind.ID())) < 0
	})
	return all
}

// nearness rates how near a kind is to the nearest kind of a lineage: by the number of trailing
// labels that their groups share, if these form a domain. The same group and an ownership that
// was seen rate higher than any domain.
func nearness(k object.Kind, lineage []object.Kind, seen func(owner, owned string) bool) (most int) {
	const same, witnessed = 100, 1000
	for _, of := range lineage {
		if seen(of.ID(), k.ID()) {
			return witnessed
		}
		if k.Native() || of.Native() {
			continue
		}
		n := sharedLabels(k.Group, of.Group)
		if k.Group == of.Group {
			n = same
		}
		if n > 1 {
			most = max(most, n)
		}
	}
	return most
}

// sharedLabels returns how many trailing labels two names share.
func sharedLabels(a, b string) (n int) {
	x, y := strings.Split(a, "."), strings.Split(b, ".")
	for n < min(len(x), len(y)) && x[len(x)-1-n] == y[len(y)-1-n] {
		n++
	}
	return n
}

func contains(all []string, one string) bool {
	for _, s := range all {
		if s == one {
			return true
		}
	}
	return false
}

// SearchProgress is the progress of the search for kinds whose objects the focus may own.
type SearchProgress struct {
	Coming   int      `json:"coming,omitempty"` // kinds being searched
	Swept    int      `json:"swept,omitempty"`  // kinds that were searched once
	SweptAt  int64    `json:"sweptAt,omitempty"`
	Sweeping bool     `json:"sweeping,omitempty"`
	Unasked  []string `json:"unasked,omitempty"` // kinds that nobody has asked to search
	// Failed are the kinds whose search failed.
	Failed []SearchFailure `json:"failed,omitempty"`
}

// SearchFailure is a kind that could not be searched, and the reason.
type SearchFailure struct {
	Resource string `json:"resource"`
	Error    string `json:"error"`
}

// Options are what the page asks for.
type Options struct {
	// Sweep counts how often a search of the unasked kinds was requested.
	Sweep int `json:"sweep"`
}
