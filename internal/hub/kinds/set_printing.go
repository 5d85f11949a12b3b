package kinds

import "watchglass/internal/object"

// Print sets a kind to print as the server does, as far as that is known.
func (s *Set) Print(k *object.Kind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.printings.apply(k)
}

// Table returns what is known about a Table, and how many definitions have changed so far.
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

// Printings returns a number that changes whenever a kind may print differently, or be served differently.
func (s *Set) Printings() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.printings.version
}

// Minor returns the server's minor version; 0 if it is not known.
func (s *Set) Minor() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.printings.minor
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
