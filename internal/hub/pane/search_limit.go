package pane

// limit closes lists of the search that are too long: what they may show is not worth their
// cost.
func (s *search) limit() {
	total, longest := 0, (*neighbourList)(nil)
	for need, l := range s.near.lists {
		if !need.OwnersOnly {
			continue
		}
		if length := l.length(); length > sweepMost {
			s.giveUp(l)
		} else if total += length; longest == nil || length > longest.length() {
			longest = l
		}
	}
	if total > searchTotal {
		s.giveUp(longest)
	}
}

// giveUp closes a list of the search, and excludes its kind from then on.
func (s *search) giveUp(l *neighbourList) {
	s.tooLarge[l.need.Resource] = true
	s.near.dropAtOnce(l)
}
