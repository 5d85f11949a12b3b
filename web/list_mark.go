package web

import (
	"slices"

	"watchglass/internal/view"
)

// mark is the row that keys act on. While an object is open it is that object's row, so
// what is marked and what the drawer shows do not differ.
type mark struct {
	key   string // "" for none
	at    int    // its index, or the one it had last; -1 if that is not known
	place place
	// reveal has it scrolled into sight as soon as its index is known: an address led to
	// it, and no key or click in the list.
	reveal bool
	// coming says that keys have moved on to the row at index at, which the window does
	// not have yet. Then is what a key did to that row meanwhile.
	coming bool
	then   pendingAction
}

// pendingAction is what a key did to a row that has not come.
type pendingAction struct {
	action Action
	value  string
}

// place says whether the marked row is in the list.
type place uint8

const (
	unplaced place = iota // it is not known yet
	inList
	hidden // the filter leaves it out
	absent
)

// target is the key of the object that keys act on: the one that is open, else the
// marked row. It is nothing while the row is on its way, or is in the list no more.
func (l *list) target() string {
	switch {
	case l.mark.coming:
		return ""
	case l.address.Selected != "":
		return l.address.Selected
	case l.mark.place == hidden || l.mark.place == absent:
		return ""
	}
	return l.mark.key
}

// ofTarget reports whether an action is one on the object that keys act on.
func ofTarget(action Action) bool {
	return action == Open || action == OpenTab || action == Commands
}

// stay ends the mark's way to another row, and drops what was to be done there. The mark
// is where it was before.
func (l *list) stay() {
	if l.mark.coming {
		l.mark.at, l.mark.coming, l.mark.then = -1, false, pendingAction{}
	}
}

// stray has the mark stay when the list was scrolled away from the row that it is on its
// way to: the window will not hold that row. A scroll of the page's own comes back from
// the browser, too, which may round it; so what counts is where it leads.
func (l *list) stray() {
	if offset, limit := l.geometry.Window(); l.mark.at < offset || l.mark.at >= offset+limit {
		l.stay()
	}
}

// rowOf is where in the window a row is; -1 if it is not there.
func (l *list) rowOf(key string) int {
	if key == "" {
		return -1
	}
	return slices.IndexFunc(l.window.Rows, func(r view.Row) bool { return r.Key == key })
}

// followSelected marks the row of the object that is open. An object that was opened
// elsewhere than in the list is scrolled into sight.
func (l *list) followSelected(opened bool) {
	if key := l.address.Selected; key != "" && key != l.mark.key {
		l.mark = mark{key: key, at: -1, reveal: opened}
	}
}

// sought is the marked row while the window does not have it: the worker says where it
// is.
func (l *list) sought() string {
	if l.mark.coming || l.rowOf(l.mark.key) >= 0 {
		return ""
	}
	return l.mark.key
}

// follow notes where the marked row is now, after a patch, and reports whether it came
// into the list or left it.
func (l *list) follow(patch view.Patch) (news bool) {
	before := l.mark.place
	switch at := l.rowOf(l.mark.key); {
	case l.mark.coming:
		l.arrive()
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

// placed reports whether the window, or its answer, says where the marked row is.
func (l *list) placed() bool {
	return l.mark.place != unplaced && (l.rowOf(l.mark.key) >= 0 || l.asked.Locate == l.mark.key && l.shown >= l.located)
}

// reveal scrolls the marked row into sight if it is to be, and ends that once the list
// is whole and says where the row is in it.
func (l *list) reveal() {
	if !l.mark.reveal || !l.placed() {
		return
	}
	if l.mark.place == inList {
		l.scrollTo(l.geometry.Centre(l.mark.at, l.window.Total))
	}
	l.mark.reveal = !l.state.Source.Synced
}

// scrollTo scrolls the list.
func (l *list) scrollTo(top int) {
	if top != l.geometry.Scroll {
		l.geometry.Scroll = top
		l.browser.Scroll(top)
	}
}

// move moves the mark, and the object that is open with it.
func (l *list) move(action Action) {
	last := l.window.Total - 1
	if last < 0 {
		return
	}
	at := l.from(action)
	switch action {
	case Down:
		at++
	case Up:
		at--
	case PageDown:
		at += l.geometry.Page()
	case PageUp:
		at -= l.geometry.Page()
	case First:
		at = 0
	case Last:
		at = last
	}
	l.mark.at, l.mark.coming, l.mark.reveal, l.mark.then = min(max(at, 0), last), true, false, pendingAction{}
	l.browser.Focus("grid")
	l.scrollTo(l.geometry.Reveal(l.mark.at))
	l.arrive()
	l.look()
	l.paint()
}

// from is the index that a key moves on from. A row that has left the list has made room
// for the one below; without any the next is the first in sight.
func (l *list) from(action Action) int {
	if at := l.rowOf(l.mark.key); at >= 0 && !l.mark.coming {
		return l.window.Offset + at
	}
	switch {
	case l.mark.key == "" && !l.mark.coming || l.mark.at < 0:
		return (l.geometry.Scroll+RowHeight-1)/RowHeight - 1
	case l.mark.place != inList && !l.mark.coming && (action == Down || action == PageDown):
		return l.mark.at - 1
	}
	return l.mark.at
}

// arrive marks the row that keys have moved to, as soon as the window has it and answers
// what is asked for now, and does to it what was asked meanwhile.
func (l *list) arrive() {
	if l.shown < l.turned {
		return
	}
	if l.window.Total == 0 {
		l.stay()
		return
	}
	l.mark.at = min(l.mark.at, l.window.Total-1)
	at := l.mark.at - l.window.Offset
	if at < 0 || at >= len(l.window.Rows) {
		return
	}
	then := l.mark.then
	l.mark = mark{key: l.window.Rows[at].Key, at: l.mark.at, place: inList}
	if s := l.address.Selected; s != "" && s != l.mark.key {
		l.selectRow(l.mark.key, false)
	}
	if then.action != NoAction {
		l.act(then.action, then.value)
	}
}

// onClick marks the row that was clicked, and opens its object or closes it.
func (l *list) onClick(key string) {
	l.mark = mark{key: key, at: -1}
	if at := l.rowOf(key); at >= 0 {
		l.mark.at, l.mark.place = l.window.Offset+at, inList
	}
	l.open(key)
}

// unmark removes the mark.
func (l *list) unmark() {
	l.mark = mark{}
	l.look()
	l.paint()
	l.browser.Focus("grid")
}

// open opens the object of a row, or closes it.
func (l *list) open(key string) {
	if key == l.address.Selected {
		key = ""
	}
	l.selectRow(key, true)
}

// selectRow opens the object of a row; without a key it closes the one that is open. A
// step is one that Back takes back.
func (l *list) selectRow(key string, step bool) {
	l.visit(step, func(a *Address) {
		if a.Selected, a.Container, a.Previous = key, "", false; key == "" {
			a.Tab = ""
		}
	})
	l.look() // what it holds in its place
	l.paint()
	l.emit("select", map[string]any{"key": key})
}
