package pane

import (
	"slices"
	"sort"
	"strings"
	"time"

	"watchglass/internal/detail/related"
	"watchglass/internal/hub/source"
	"watchglass/internal/wire"
)

// presence returns a function that says whether an object is missing, still coming in or
// unknown, judging by the lists that would have it.
func (n *neighbours) presence(now time.Time) related.PresenceFunc {
	return func(id related.ID) (related.Presence, *wire.Status) {
		if _, ok := n.host.Kinds().Find(id.Resource); !ok {
			return related.Unknown, n.host.Kinds().Unknown(id.Resource)
		}
		if n.unwatched[id] {
			return related.Unknown, &wire.Status{Origin: wire.FromTab, Reason: wire.ReasonTooManyRequests, Message: "too many objects to watch at once"}
		}
		best, cause := related.Coming, (*wire.Status)(nil)
		for need, l := range n.lists {
			if need.OwnersOnly || need.Resource != id.Resource || need.Namespace != "" && need.Namespace != id.Namespace || need.Fields != "" && need.Fields != related.ByName+id.Name {
				continue
			}
			switch s := n.status(l, now); {
			case s.Failing():
				best, cause = related.Unknown, s.Cause
			case s.State.Unread > 0: // it may be one of them
				best, cause = related.Unknown, &wire.Status{Origin: wire.FromTab, Message: "some objects of its kind can't be read"}
			case s.Whole():
				return related.Missing, nil
			}
		}
		return best, cause
	}
}

// status returns the state of a list.
func (n *neighbours) status(l *neighbourList, now time.Time) source.Status {
	return source.StatusOf(l.Lease, n.host.Link(), now)
}

// stateKey returns the states of all lists as text, for comparison.
func (n *neighbours) stateKey(now time.Time) string {
	var all []string
	for need, l := range n.lists {
		mark := "-"
		switch s := n.status(l, now); {
		case s.Failing():
			mark = "x"
		case s.State.Unread > 0:
			mark = "?"
		case s.Whole():
			mark = "+"
		case s.Verdict() >= source.Old:
			mark = "="
		}
		if need.OwnersOnly {
			mark += "~"
		}
		all = append(all, mark+need.Resource+"/"+need.Namespace+"/"+need.Fields)
	}
	if n.finder != nil {
		all = append(all, n.finder.stateKey())
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// failures returns the lists that cannot be read, as nodes that say why, and whether a list
// is still coming in. The finder reports its own lists.
func (n *neighbours) failures(now time.Time) (nodes []related.Node, coming bool) {
	for need, l := range n.lists {
		if need.OwnersOnly {
			continue
		}
		switch s := n.status(l, now); {
		case s.Failing() && strings.HasPrefix(need.Fields, related.ByName): // presence reports it
		case s.Failing():
			nodes = append(nodes, related.Node{ID: related.ID{Resource: need.Resource, Namespace: need.Namespace}, Kind: l.kind.Name, Presence: related.Unknown, Error: message(s.Cause)})
		case s.Verdict() == source.Coming:
			coming = true
		}
	}
	sort.Slice(nodes, func(i, j int) bool { return nodes[i].Compare(nodes[j].ID) < 0 })
	return nodes, coming
}
