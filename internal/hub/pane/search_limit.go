package pane

// limitSearch closes lists of the search that are too long: what they may show is not worth
// their cost.
func (n *neighbours) limitSearch() {
	total, longest := 0, (*neighbourList)(nil)
	for need, l := range n.lists {
		if !need.Slight {
			continue
		}
		if length := l.length(); length > searchObjects {
			n.giveUp(l)
		} else if total += length; longest == nil || length > longest.length() {
			longest = l
		}
	}
	if total > searchTotal {
		n.giveUp(longest)
	}
}

// giveUp closes a list of the search, and excludes its kind from then on.
func (n *neighbours) giveUp(l *neighbourList) {
	n.search.over[l.need.Resource] = true
	n.unindex(l)
	l.CloseAtOnce()
	delete(n.lists, l.need)
}
