package related

import (
	"cmp"
	"sort"
	"strings"

	"watchglass/internal/object"
)

// Candidate is a kind whose objects something may own, which nothing but their owner
// references tells.
type Candidate struct {
	Kind   object.Kind
	Chance Chance
}

// Chance is how likely it is that objects of a kind are owned.
type Chance int

// The chances.
const (
	Remote   Chance = iota // nothing speaks for it
	Possible               // it is a custom kind, where the owner is
	Likely                 // it has to do with a kind of the line, or was seen to be owned
)

// usual are the built-in kinds that controllers of custom kinds make.
var usual = []string{
	deployments, statefulSets, daemonSets, replicaSets, jobs, cronJobs, pods, services, ingresses, claims, accounts, configMaps, secrets,
	roles, bindings, autoscalers, budgets, policies, endpoints, revisions, clusterRoles, clusterBinds, definitions, mutating, validating,
}

// inner are those of the usual kinds that a controller makes through another, and of
// which a cluster has very many: an owner without a namespace would have all of them
// looked through.
var inner = []string{pods, replicaSets, jobs, endpoints, revisions, claims}

// unowned are the kinds of which nobody owns objects.
var unowned = map[string]bool{"events": true, "events.events.k8s.io": true}

// Candidates are the kinds whose objects one of a line may own, the likeliest first. A
// line are the kinds of the focus, which is the first, and of what it is known to own;
// seen tells whether one kind was seen to own another. What a controller makes is mostly
// of its own API group, of a group of the same domain, or of the usual built-in kinds.
func Candidates(line, kinds []object.Kind, seen func(owner, owned string) bool) []Candidate {
	focus, custom := line[0], false
	for _, k := range line {
		custom = custom || !k.Native()
	}
	var all []Candidate
	near := make(map[string]int)
	for _, k := range kinds {
		id := k.ID()
		if unowned[id] || focus.Namespaced && !k.Namespaced { // an owner is in the namespace, or in none
			continue
		}
		c := Candidate{Kind: k}
		near[id] = nearness(k, line, seen)
		switch native := k.Native(); {
		case k.Unwatched: // it would be listed over and over
		case near[id] > 0 || native && custom && contains(usual, id) && (focus.Namespaced || !contains(inner, id)):
			c.Chance = Likely
		case !native && (focus.Namespaced == k.Namespaced || custom):
			c.Chance = Possible
		}
		all = append(all, c)
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := all[i], all[j]
		return cmp.Or(int(b.Chance-a.Chance), near[b.Kind.ID()]-near[a.Kind.ID()], strings.Compare(a.Kind.ID(), b.Kind.ID())) < 0
	})
	return all
}

// nearness is how near a kind is to the nearest of a line: the labels that their groups
// end with alike, if these are a domain, or more than any have.
func nearness(k object.Kind, line []object.Kind, seen func(owner, owned string) bool) (most int) {
	const same, witnessed = 100, 1000
	for _, of := range line {
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

// sharedLabels is how many labels two names end with alike.
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

// Searched is how far the kinds were searched whose objects the focus may own.
type Searched struct {
	Coming   int      `json:"coming,omitempty"` // kinds that are being looked into
	Swept    int      `json:"swept,omitempty"`  // kinds that were looked into once
	SweptAt  int64    `json:"sweptAt,omitempty"`
	Sweeping bool     `json:"sweeping,omitempty"`
	Unasked  []string `json:"unasked,omitempty"` // kinds that nobody has asked for
	// Failed are kinds that were asked for in vain.
	Failed []Failed `json:"failed,omitempty"`
}

// Failed is a kind that could not be searched, and why.
type Failed struct {
	Resource string `json:"resource"`
	Said     string `json:"said"`
}

// Options are what the page asks for.
type Options struct {
	// Sweep counts how often the kinds were to be searched that nobody had asked for.
	Sweep int `json:"sweep"`
}
