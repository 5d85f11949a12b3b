package log

import (
	"slices"
	"time"
)

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

// within reports whether one of the gaps is in a time.
func (g gaps) within(from, to int64) bool {
	return slices.ContainsFunc(g, func(g gap) bool { return g.from < to && g.to > from })
}

// Miss notes that lines of sources that the store has not may be missing in a time.
func (s *Store) Miss(from, to time.Time) { s.gaps.add(from.UnixNano(), to.UnixNano()) }

// missing reports whether lines are missing in a time: they were dropped, their stream broke off, their source is not in
// the store, or only the last lines of a source were requested.
func (s *Store) missing(from, to int64) bool {
	if s.dropped.Lines > 0 && s.first < s.end && s.at(s.first).time >= from {
		return true
	}
	if s.gaps.within(from, to) {
		return true
	}
	for _, source := range s.sources {
		if source.gaps.within(from, to) {
			return true
		}
		if source.records > 0 && (source.tailed && from < source.began || source.broken && source.last < to) {
			return true
		}
	}
	return false
}

// unknown reports whether nobody knows if a source had lines in a time without any.
func (s *Store) unknown(to int64) bool {
	return slices.ContainsFunc(s.sources, func(source *Source) bool { return source.unknown && (source.lines == 0 || to <= source.began) })
}

// Gap is a time in which lines of a source are missing, in nanoseconds. From 0 is the beginning.
type Gap struct{ From, To int64 }

// Gaps returns the times in which lines of the source are missing, up to now; false if that is not known.
func (s *Source) Gaps(now time.Time) (all []Gap, known bool) {
	before := max(s.cleared, s.dropped.To)
	if s.tailed {
		before = max(before, s.began)
	}
	if before > 0 {
		all = append(all, Gap{0, before})
	}
	for _, g := range s.gaps {
		all = append(all, Gap{g.from, g.to})
	}
	if at := now.UnixNano(); s.broken && s.last < at {
		all = append(all, Gap{s.last, at})
	}
	return all, !s.unknown
}

// Lacks notes what a recording says of the lines that the source lacks. If it says nothing, none are known to be missing,
// but a time before the first line is not known to be without any.
func (s *Source) Lacks(all []Gap, known bool) {
	s.gaps, s.unknown = nil, !known
	for _, g := range all {
		s.gaps.add(max(g.From, 1), g.To)
	}
}
