package pane

// limitSearch gives up lists of the search that are too long: what they may tell is not
// worth what they cost.
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

// giveUp ends a list of the search, and has its kind not searched again.
func (n *neighbours) giveUp(l *neighbourList) {
	n.search.over[l.need.Resource] = true
	n.unindex(l)
	l.CloseAtOnce()
	delete(n.lists, l.need)
}
