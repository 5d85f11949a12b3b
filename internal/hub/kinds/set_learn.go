package kinds

import (
	"maps"
	"slices"
)

// Learn adds all that another Set knows of the server.
func (s *Set) Learn(from *Set) {
	from.mu.Lock()
	served, answered, p, owners := from.served, from.answered, from.printings, maps.Clone(from.owners)
	p.tables = maps.Clone(p.tables)
	earlier := maps.Clone(from.earlier)
	from.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	served.Kinds, served.Stale = slices.Clone(served.Kinds), nil
	p.version += s.printings.version + 1
	s.served, s.earlier, s.answered, s.printings, s.owners = served, earlier, answered, p, owners
	s.generation++
}
