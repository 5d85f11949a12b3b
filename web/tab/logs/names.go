package logs

import (
	"slices"
	"strconv"
	"strings"

	"watchglass/internal/detail/log"
	"watchglass/web/grid"
)

// name gives each source the shortest name that tells it apart.
func (l *state) name() {
	l.names, l.gutter = shortNames(l.doc.Sources), 0
	for _, n := range l.names {
		l.gutter = max(l.gutter, grid.Width([]grid.Span{{Text: n}}))
	}
	if l.names == nil {
		l.gutter = max(len(strconv.Itoa(l.doc.Rows)), 4)
	}
}

// longestSource is how many characters of a source's name are shown.
const longestSource = 24

// shortNames returns names that tell sources apart: pods without their common prefix, and
// containers if there are several. A single source has no name.
func shortNames(all []log.State) (names []string) {
	if len(all) < 2 {
		return nil
	}
	same, containers := all[0].Pod, false
	for _, s := range all {
		for !strings.HasPrefix(s.Pod, same) {
			same = same[:max(strings.LastIndexByte(same[:len(same)-1], '-')+1, 0)]
		}
		containers = containers || s.Container != all[0].Container
	}
	if same == all[0].Pod && !slices.ContainsFunc(all, func(s log.State) bool { return s.Pod != same }) {
		for _, s := range all {
			names = append(names, grid.Cut(s.Container, longestSource))
		}
		return names
	}
	same = same[:strings.LastIndexByte(same, '-')+1]
	for _, s := range all {
		n := s.Pod[len(same):]
		if containers {
			n += "/" + s.Container
		}
		names = append(names, grid.Cut(n, longestSource))
	}
	return names
}
