package kinds

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// Set is what is known about one server's kinds. The zero Set knows the built-in kinds. It is
// safe for concurrent use.
type Set struct {
	mu         sync.Mutex
	local      []object.Kind // that the tab itself serves
	derived    []object.Kind // that it makes of others
	served     object.Discovery
	earlier    map[string]object.Kind // of all discoveries before, by TableKey
	generation int
	answered   bool
	printings  printings
	owners     map[[2]string]bool
}

// Find returns the kind that kubectl understands by a name.
func (s *Set) Find(name string) (object.Kind, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k, ok := object.Builtin(name)
	if !ok {
		k, ok = s.findLocked(func(k object.Kind) bool { return k.Answers(name) })
	}
	s.printings.apply(&k)
	return k, ok
}

// Current returns a kind, once found by a name, as the server has it now: it may have moved to another version.
// A kind that is not served any more stays as it is, and so does one whose name asks for its version.
func (s *Set) Current(k object.Kind, name string) object.Kind {
	if now, ok := s.Find(name); ok && now.ID() == k.ID() {
		return now
	}
	s.Print(&k)
	return k
}

// Serve adds a kind that the tab itself serves.
func (s *Set) Serve(k object.Kind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.local = append(s.local, k)
}

// Of returns the kind that a request reads. A request may outlast a discovery: lists of a kind that the server
// has moved to another version, or has removed, may still be open.
func (s *Set) Of(r wire.Request) object.Kind {
	is := func(k object.Kind) bool {
		return k.Group == r.Group && k.Version == r.Version && k.Resource == r.Resource
	}
	id := object.Kind{Group: r.Group, Resource: r.Resource}.ID()
	if k, ok := object.Builtin(id); ok && is(k) {
		return k
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if k, ok := s.findLocked(is); ok {
		return k
	}
	return s.earlier[TableKey(&object.Kind{Group: r.Group, Version: r.Version, Resource: r.Resource})]
}

// Derive adds a kind that the tab makes of the objects of another one. A kind of the server that has its
// name goes before it.
func (s *Set) Derive(k object.Kind, printing object.Printing) {
	s.SetTable(TableKey(&k), printing)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.derived = append(s.derived, k)
}

// Derived returns the kinds that the tab makes of others, without those whose name the server has.
func (s *Set) Derived() []object.Kind {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.derived), func(k object.Kind) bool {
		return slices.ContainsFunc(s.served.Kinds, func(served object.Kind) bool { return served.ID() == k.ID() })
	})
}

// findLocked returns the first kind that is the wanted one. The tab's own go before the server's, and
// those that it makes of others behind.
func (s *Set) findLocked(is func(object.Kind) bool) (object.Kind, bool) {
	for _, kinds := range [][]object.Kind{s.local, s.served.Kinds, s.derived} {
		if i := slices.IndexFunc(kinds, is); i >= 0 {
			return kinds[i], true
		}
	}
	return object.Kind{}, false
}

// All returns the kinds that the server said it has. The slice is replaced by each
// discovery and never written into.
func (s *Set) All() []object.Kind {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.served.Kinds
}

// Generation returns a number that changes whenever the server's kinds do.
func (s *Set) Generation() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.generation
}

// Incomplete reports whether the server of some group did not say what it has.
func (s *Set) Incomplete() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.served.Stale) > 0
}

// Awaits reports whether a kind may yet turn out to be served: the server has not said what it has, or
// that of its group does not answer.
func (s *Set) Awaits(id string) bool {
	if _, found := s.Find(id); found {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.answered || len(s.served.StaleGroups(id)) > 0
}

// Discovered replaces the kinds with what a discovery found. Kinds of a group that did not
// answer stay.
func (s *Set) Discovered(served object.Discovery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.served.Kinds
	s.answered = true
	if s.served = served.After(before); !sameKinds(before, s.served.Kinds) {
		s.generation++
		s.printings.version++
		s.rememberLocked(before)
	}
}

// rememberLocked keeps kinds for Of, each version that was ever served once.
func (s *Set) rememberLocked(before []object.Kind) {
	if s.earlier == nil {
		s.earlier = make(map[string]object.Kind)
	}
	for _, k := range before {
		s.earlier[TableKey(&k)] = k
	}
}

// sameKinds reports whether two lists hold the same kinds, served alike.
func sameKinds(a, b []object.Kind) bool { return slices.EqualFunc(a, b, Same) }

// Same reports whether two kinds are one, served alike: in the same version, for instance.
func Same(a, b object.Kind) bool {
	return a.APIVersion() == b.APIVersion() && a.Resource == b.Resource && a.Name == b.Name && a.Namespaced == b.Namespaced && a.Unwatched == b.Unwatched
}

// Unknown returns why no kind has a name: there is none, or the API server that would have it
// does not respond.
func (s *Set) Unknown(name string) *wire.Status {
	s.mu.Lock()
	groups := s.served.StaleGroups(name)
	s.mu.Unlock()
	if len(groups) == 0 {
		return &wire.Status{
			Origin: wire.FromTab, Code: 404, Reason: wire.ReasonNotFound,
			Message: fmt.Sprintf("the apiserver has no resource type %q", name),
		}
	}
	return &wire.Status{
		Origin: wire.FromTab, Code: 503,
		Message: fmt.Sprintf("the apiserver has no resource type %q, and the API server for %s is not responding", name, strings.Join(groups, ", ")),
	}
}
