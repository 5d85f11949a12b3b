package kinds

// SetOwner remembers that an object of one kind was seen to own one of another, by their
// IDs. It is never forgotten.
func (s *Set) SetOwner(owner, owned string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.owners == nil {
		s.owners = make(map[[2]string]bool)
	}
	s.owners[[2]string{owner, owned}] = true
}

// Owns reports whether a kind was seen to own objects of another.
func (s *Set) Owns(owner, owned string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.owners[[2]string{owner, owned}]
}

// Owners returns how many pairs of owner and owned are known.
func (s *Set) Owners() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.owners)
}
