package list

import (
	"slices"
	"strings"

	"watchglass/internal/view"
	"watchglass/web/route"
)

// mark is the row that keys act on. While an object is open, it is that object's row.
type mark struct {
	key   string // "" for none
	at    int    // its current or last index; -1 if unknown
	place place
	// reveal scrolls the row into view once its index is known. It is set when an address,
	// not a key or a click in the list, opened the object.
	reveal bool
	// coming is set while keys have moved to the row at index at but the window does not
	// contain it yet. Then is what a key requested for that row meanwhile.
	coming bool
	then   func()
}

// place is whether the marked row is in the list.
type place uint8

const (
	unplaced place = iota // not known yet
	inList
	hidden // filtered out
	absent
)

// Target returns the key of the object that keys act on: the open one, else the marked row.
// It is "" while that row has not arrived, or if it has left the list or is a group.
func (l *List) Target() string {
	switch {
	case l.mark.coming:
		return ""
	case l.host.Address().Selected != "":
		return l.host.Address().Selected
	case l.mark.place == hidden || l.mark.place == absent || route.IsGroup(l.mark.key):
		return ""
	}
	return l.mark.key
}

// OnTarget runs what is about the target, once the row that the mark moves to has arrived.
func (l *List) OnTarget(run func()) {
	if l.mark.coming {
		l.mark.then = run
	} else {
		run()
	}
}

// Mark returns the key of the marked row; "" if none is. Moving reports whether the mark moves to a row that has
// not arrived.
func (l *List) Mark() string { return l.mark.key }
func (l *List) Moving() bool { return l.mark.coming }

// FilteredOut reports whether the filter excludes the marked row.
func (l *List) FilteredOut() bool { return l.mark.place == hidden }

// Has reports whether the window has a row of a key.
func (l *List) Has(key string) bool { return l.rowOf(key) >= 0 }

// Stay cancels a pending move of the mark, and what waits for it.
func (l *List) Stay() {
	if l.mark.coming {
		l.mark.at, l.mark.coming, l.mark.then = -1, false, nil
	}
}

// cancelIfScrolledAway cancels a pending move when the user has scrolled its row out of the window.
// The page's own scrolling is reported by the browser too, perhaps rounded, so cancelIfScrolledAway
// checks the window instead of the scroll position.
func (l *List) cancelIfScrolledAway() {
	if offset, limit := l.geometry.Window(); l.mark.at < offset || l.mark.at >= offset+limit {
		l.Stay()
	}
}

// rowOf returns a row's index in the window; -1 if it is not there. In a list of several kinds, a key
// without a reason stands for the first row about the object.
func (l *List) rowOf(key string) int {
	if key == "" {
		return -1
	}
	about := l.host.Address().Mixed() && strings.HasSuffix(key, ":")
	return slices.IndexFunc(l.window.Rows, func(r view.Row) bool { return r.Key == key || about && strings.HasPrefix(r.Key, key) })
}

// rowKey returns the key of the row that a key stands for, if that is in the window; else the key.
func (l *List) rowKey(key string) string {
	if at := l.rowOf(key); at >= 0 {
		return l.window.Rows[at].Key
	}
	return key
}

// followSelected marks the row of the open object. If the object was not opened from the list,
// its row is scrolled into view.
func (l *List) followSelected(opened bool) {
	if key := l.host.Address().Selected; key != "" && key != l.mark.key {
		l.mark = mark{key: key, at: -1, reveal: opened}
	}
}

// keyToLocate returns the key of the marked row if it is outside the window; the worker then
// locates it.
func (l *List) keyToLocate() string {
	if l.mark.coming || l.rowOf(l.mark.key) >= 0 {
		return ""
	}
	return l.mark.key
}

// follow updates the mark's index after a patch, and reports whether its place changed.
func (l *List) follow(patch view.Patch) (news bool) {
	before := l.mark.place
	switch at := l.rowOf(l.mark.key); {
	case l.mark.coming:
		l.completeMove()
	case at >= 0:
		l.mark.at, l.mark.place = l.window.Offset+at, inList
	case l.mark.key == "" || l.asked.Locate != l.mark.key || patch.Seq < l.located:
	case patch.Located >= 0:
		l.mark.at, l.mark.place = patch.Located, inList
	case patch.Located == view.Hidden:
		l.mark.place = hidden
	default:
		l.mark.place = absent
	}
	return l.mark.place != before
}

// placed reports whether the marked row's place is known for the current query.
func (l *List) placed() bool {
	return l.mark.place != unplaced && (l.rowOf(l.mark.key) >= 0 || l.asked.Locate == l.mark.key && l.shown >= l.located)
}

// Reveal scrolls the marked row into view if that is due. It repeats until the list is
// complete, since rows may still move.
func (l *List) Reveal() {
	if !l.mark.reveal || !l.placed() {
		return
	}
	if l.mark.place == inList {
		l.scrollTo(l.geometry.Centre(l.mark.at, l.window.Total))
	}
	l.mark.reveal = !l.host.State().Source.Synced
}

// scrollTo scrolls the list.
func (l *List) scrollTo(top int) {
	if top != l.geometry.Scroll {
		l.geometry.Scroll = top
		l.browser.Scroll(top)
	}
}

// step moves the mark by some rows.
func (l *List) step(by int) { l.moveTo(l.from(by > 0) + by) }

// moveTo moves the mark to a row, or to the nearest one; an open drawer follows.
func (l *List) moveTo(at int) {
	last := l.window.Total - 1
	if last < 0 {
		return
	}
	l.mark.at, l.mark.coming, l.mark.reveal, l.mark.then = min(max(at, 0), last), true, false, nil
	l.browser.Focus("grid")
	l.scrollTo(l.geometry.Reveal(l.mark.at))
	l.completeMove()
	l.host.SendQueries()
	l.Paint()
}

// from returns the index that a step begins at. If the marked row has left the list, the row
// below has taken its index. Without a mark, the next row is the first visible one.
func (l *List) from(down bool) int {
	if at := l.rowOf(l.mark.key); at >= 0 && !l.mark.coming {
		return l.window.Offset + at
	}
	switch {
	case l.mark.key == "" && !l.mark.coming || l.mark.at < 0:
		return (l.geometry.Scroll+l.geometry.RowHeight-1)/l.geometry.RowHeight - 1
	case l.mark.place != inList && !l.mark.coming && down:
		return l.mark.at - 1
	}
	return l.mark.at
}

// completeMove completes a move of the mark once the window answers the current query and contains
// the row. It then runs the pending action.
func (l *List) completeMove() {
	if l.shown < l.querySeq {
		return
	}
	if l.window.Total == 0 {
		l.Stay()
		return
	}
	l.mark.at = min(l.mark.at, l.window.Total-1)
	at := l.mark.at - l.window.Offset
	if at < 0 || at >= len(l.window.Rows) {
		return
	}
	then := l.mark.then
	l.mark = mark{key: l.window.Rows[at].Key, at: l.mark.at, place: inList}
	if s := l.host.Address().Selected; s != "" && s != l.mark.key && !route.IsGroup(l.mark.key) {
		l.Select(l.mark.key, false)
	}
	if then != nil {
		then()
	}
}

// OnClick marks the row that was clicked, and opens its object or closes it.
func (l *List) OnClick(key string) {
	l.mark = mark{key: key, at: -1}
	if at := l.rowOf(key); at >= 0 {
		l.mark.at, l.mark.place = l.window.Offset+at, inList
	}
	l.open(key)
}

// Unmark removes the mark.
func (l *List) Unmark() {
	l.mark = mark{}
	l.host.SendQueries()
	l.Paint()
	l.browser.Focus("grid")
}

// openMarked opens the marked row.
func (l *List) openMarked() {
	if key := l.mark.key; l.host.Address().Selected == "" && route.IsGroup(key) && l.mark.place == inList {
		l.open(key)
		return
	}
	l.open(l.Target())
}

// open opens the object of a row, or closes it if it is open. A group's objects take the place of the
// groups.
func (l *List) open(key string) {
	if route.IsGroup(key) {
		l.host.OpenGroup(key)
		return
	}
	if key == l.rowKey(l.host.Address().Selected) {
		key = ""
	}
	l.Select(key, true)
}

// Select opens the object of a row; "" closes the open one. With step, it adds a history
// entry.
func (l *List) Select(key string, step bool) {
	if key == "" && l.host.Mode().Alone {
		return
	}
	l.host.Navigate(step, func(a *route.Address) {
		a.LeaveObject()
		if a.Selected = key; key == "" {
			a.Tab = ""
		}
	})
	l.host.SendQueries() // the anchor may have changed
	l.Paint()
	l.host.Opened(key)
}
