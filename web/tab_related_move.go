package web

import (
	"slices"
	"strconv"

	"watchglass/web/grid"
)

// move moves the focus to the nearest item in a direction. Sideways distance counts more
// than distance ahead. In a list it moves by lines.
func (rt *relatedTab) move(arrow string) {
	r := *rt.shown
	at := slices.IndexFunc(r.shown.Items, func(i grid.Item) bool { return i.Reached })
	if at < 0 {
		return
	}
	from, best, least := r.shown.Items[at], -1, 0
	for i, it := range r.shown.Items {
		dx, dy := it.X-from.X, it.Y-from.Y
		if r.tree {
			dx = 0
		}
		ahead, aside := dx, dy
		switch arrow {
		case "ArrowLeft":
			ahead = -dx
		case "ArrowUp":
			ahead, aside = -dy, dx
		case "ArrowDown":
			ahead, aside = dy, dx
		}
		if far := ahead + 3*max(aside, -aside); ahead > 0 && (best < 0 || far < least) {
			best, least = i, far
		}
	}
	if best < 0 {
		return
	}
	r.at = r.shown.Items[best].Key
	rt.shown = &r
	rt.paint()
	rt.browser.Focus("item-" + strconv.Itoa(best))
}
