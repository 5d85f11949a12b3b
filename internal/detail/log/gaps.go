package log

import "slices"

// gaps are times in which lines are missing, in order.
type gaps []gap

type gap struct{ from, to int64 }

// mostGaps is how many gaps are kept; the two that are nearest to each other become one.
const mostGaps = 64

// add adds a gap.
func (g *gaps) add(from, to int64) {
	if from <= 0 || to <= from {
		return
	}
	i := 0
	for i < len(*g) && (*g)[i].from < from {
		i++
	}
	if *g = slices.Insert(*g, i, gap{from, to}); len(*g) <= mostGaps {
		return
	}
	nearest := 1
	for i := range *g {
		if i > 1 && (*g)[i].from-(*g)[i-1].to < (*g)[nearest].from-(*g)[nearest-1].to {
			nearest = i
		}
	}
	(*g)[nearest-1].to = max((*g)[nearest-1].to, (*g)[nearest].to)
	*g = slices.Delete(*g, nearest, nearest+1)
}

// missing reports whether lines are missing in a time: they were dropped, their stream broke off, or
// only the last lines of a source were asked for, and others began before.
func (s *Store) missing(from, to int64) bool {
	if s.dropped.Lines > 0 && s.first < s.end && s.at(s.first).time >= from {
		return true
	}
	for _, g := range s.gaps {
		if g.from < to && g.to > from {
			return true
		}
	}
	for _, source := range s.sources {
		cut := source.tail > 0 && source.lines >= source.tail && from < source.began
		if source.records > 0 && (cut || source.broken && source.last < to) {
			return true
		}
	}
	return false
}
