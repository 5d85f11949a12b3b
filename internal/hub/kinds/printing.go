package kinds

import "watchglass/internal/object"

// printings is what is known about how the server prints kinds. The lock of its Set guards
// it.
type printings struct {
	minor   int                        // the server's minor version; 0: not known
	tables  map[string]object.Printing // by TableKey
	changes int                        // among the definitions, as far as the server tells
	version int                        // of all that is known
}

// TableKey names the Table of a kind: by its ID, which is the name of its definition, and
// its version.
func TableKey(k *object.Kind) string { return k.ID() + " " + k.Version }

// apply sets how a kind is printed, as far as that is known.
func (p *printings) apply(k *object.Kind) {
	printing := p.tables[TableKey(k)]
	printing.Release = p.minor
	k.PrintAs(printing)
}

// Print sets a kind to print as the server does, as far as that is known.
func (s *Set) Print(k *object.Kind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.printings.apply(k)
}

// Table returns what is known of a Table, and how many definitions have changed so far.
func (s *Set) Table(key string) (printing object.Printing, changes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.printings.tables[key], s.printings.changes
}

// SetTable remembers how a Table is printed.
func (s *Set) SetTable(key string, printing object.Printing) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.printings.tables == nil {
		s.printings.tables = make(map[string]object.Printing)
	}
	if s.printings.tables[key] != printing {
		s.printings.tables[key] = printing
		s.printings.version++
	}
}

// Printings returns a number that changes whenever a kind may print differently.
func (s *Set) Printings() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.printings.version
}

// SetMinor remembers the server's minor version.
func (s *Set) SetMinor(minor int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.printings.minor != minor {
		s.printings.minor = minor
		s.printings.version++
	}
}

// Redefined notes that a definition changed, or may have.
func (s *Set) Redefined() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.printings.changes++
}
