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
func (p *Page) target() string {
	switch {
	case p.mark.coming:
		return ""
	case p.address.Selected != "":
		return p.address.Selected
	case p.mark.place == hidden || p.mark.place == absent:
		return ""
	}
	return p.mark.key
}

// ofTarget reports whether an action is one on the object that keys act on.
func ofTarget(action Action) bool {
	return action == Open || action == OpenTab || action == Commands
}

// actByKey does what a key asks for. What it asks of the marked row waits until that row
// is there.
func (p *Page) actByKey(action Action, value string) {
	if p.mark.coming && ofTarget(action) {
		p.mark.then = pendingAction{action, value}
		return
	}
	p.act(action, value)
}

// stay ends the mark's way to another row, and drops what was to be done there. The mark
// is where it was before.
func (p *Page) stay() {
	if p.mark.coming {
		p.mark.at, p.mark.coming, p.mark.then = -1, false, pendingAction{}
	}
}

// stray has the mark stay when the list was scrolled away from the row that it is on its
// way to: the window will not hold that row. A scroll of the page's own comes back from
// the browser, too, which may round it; so what counts is where it leads.
func (p *Page) stray() {
	if offset, limit := p.geometry.Window(); p.mark.at < offset || p.mark.at >= offset+limit {
		p.stay()
	}
}

// rowOf is where in the window a row is; -1 if it is not there.
func (p *Page) rowOf(key string) int {
	if key == "" {
		return -1
	}
	return slices.IndexFunc(p.window.Rows, func(r view.Row) bool { return r.Key == key })
}

// followSelected marks the row of the object that is open. An object that was opened
// elsewhere than in the list is scrolled into sight.
func (p *Page) followSelected(opened bool) {
	if key := p.address.Selected; key != "" && key != p.mark.key {
		p.mark = mark{key: key, at: -1, reveal: opened}
	}
}

// sought is the marked row while the window does not have it: the worker says where it
// is.
func (p *Page) sought() string {
	if p.mark.coming || p.rowOf(p.mark.key) >= 0 {
		return ""
	}
	return p.mark.key
}

// follow notes where the marked row is now, after a patch, and reports whether it came
// into the list or left it.
func (p *Page) follow(patch view.Patch) (news bool) {
	before := p.mark.place
	switch at := p.rowOf(p.mark.key); {
	case p.mark.coming:
		p.arrive()
	case at >= 0:
		p.mark.at, p.mark.place = p.window.Offset+at, inList
	case p.mark.key == "" || p.asked.Locate != p.mark.key || patch.Seq < p.located:
	case patch.Located >= 0:
		p.mark.at, p.mark.place = patch.Located, inList
	case patch.Located == view.Hidden:
		p.mark.place = hidden
	default:
		p.mark.place = absent
	}
	return p.mark.place != before
}

// placed reports whether the window, or its answer, says where the marked row is.
func (p *Page) placed() bool {
	return p.mark.place != unplaced && (p.rowOf(p.mark.key) >= 0 || p.asked.Locate == p.mark.key && p.shown >= p.located)
}

// reveal scrolls the marked row into sight if it is to be, and ends that once the list
// is whole and says where the row is in it.
func (p *Page) reveal() {
	if !p.mark.reveal || !p.placed() {
		return
	}
	if p.mark.place == inList {
		p.scrollTo(p.geometry.Centre(p.mark.at, p.window.Total))
	}
	p.mark.reveal = !p.state.Source.Synced
}

// scrollTo scrolls the list.
func (p *Page) scrollTo(top int) {
	if top != p.geometry.Scroll {
		p.geometry.Scroll = top
		p.browser.Scroll(top)
	}
}

// move moves the mark, and the object that is open with it.
func (p *Page) move(action Action) {
	last := p.window.Total - 1
	if last < 0 {
		return
	}
	at := p.from(action)
	switch action {
	case Down:
		at++
	case Up:
		at--
	case PageDown:
		at += p.geometry.Page()
	case PageUp:
		at -= p.geometry.Page()
	case First:
		at = 0
	case Last:
		at = last
	}
	p.mark.at, p.mark.coming, p.mark.reveal, p.mark.then = min(max(at, 0), last), true, false, pendingAction{}
	p.browser.Focus("grid")
	p.scrollTo(p.geometry.Reveal(p.mark.at))
	p.arrive()
	p.look()
	p.paint()
}

// from is the index that a key moves on from. A row that has left the list has made room
// for the one below; without any the next is the first in sight.
func (p *Page) from(action Action) int {
	if at := p.rowOf(p.mark.key); at >= 0 && !p.mark.coming {
		return p.window.Offset + at
	}
	switch {
	case p.mark.key == "" && !p.mark.coming || p.mark.at < 0:
		return (p.geometry.Scroll+RowHeight-1)/RowHeight - 1
	case p.mark.place != inList && !p.mark.coming && (action == Down || action == PageDown):
		return p.mark.at - 1
	}
	return p.mark.at
}

// arrive marks the row that keys have moved to, as soon as the window has it and answers
// what is asked for now, and does to it what was asked meanwhile.
func (p *Page) arrive() {
	if p.shown < p.turned {
		return
	}
	if p.window.Total == 0 {
		p.stay()
		return
	}
	p.mark.at = min(p.mark.at, p.window.Total-1)
	at := p.mark.at - p.window.Offset
	if at < 0 || at >= len(p.window.Rows) {
		return
	}
	then := p.mark.then
	p.mark = mark{key: p.window.Rows[at].Key, at: p.mark.at, place: inList}
	if s := p.address.Selected; s != "" && s != p.mark.key {
		p.selectRow(p.mark.key, false)
	}
	if then.action != NoAction {
		p.act(then.action, then.value)
	}
}

// Clicked tells that a row was clicked.
func (p *Page) Clicked(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.mark = mark{key: key, at: -1}
	if at := p.rowOf(key); at >= 0 {
		p.mark.at, p.mark.place = p.window.Offset+at, inList
	}
	p.open(key)
}

// open opens the object of a row, or closes it.
func (p *Page) open(key string) {
	if key == p.address.Selected {
		key = ""
	}
	p.selectRow(key, true)
}

// selectRow opens the object of a row; without a key it closes the one that is open. A
// step is one that Back takes back.
func (p *Page) selectRow(key string, step bool) {
	p.visit(step, func(a *Address) {
		if a.Selected, a.Container, a.Previous = key, "", false; key == "" {
			a.Tab = ""
		}
	})
	p.look() // what it holds in its place
	p.paint()
	p.emit("select", map[string]any{"key": key})
}
