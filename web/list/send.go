package list

import (
	"slices"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/grid"
)

// SendQuery sends the worker the query and window for the current address and scroll position,
// if they have changed. Opened says that the address has just opened an object.
func (l *List) SendQuery(opened bool) {
	mode := l.host.Mode()
	next := port.ListQuery{ID: ID, Resource: l.host.Address().Resource, Query: l.host.Address().Query()}
	if l.asked.Seq > 0 && next.Resource != l.asked.Resource {
		l.paused = mode.Held // a user's pause is of the list on screen
	}
	next.Paused, next.Typing = l.paused || mode.Exporting, mode.Suggesting
	next.Wide = next.Wide || l.extra()
	next.Extra = l.extra() && l.room.Width >= grid.RoomForExtra
	next.Offset, next.Limit = l.geometry.Window()
	if !l.first {
		next.Limit = min(next.Limit, firstRows)
	}
	if next.Resource != l.asked.Resource {
		l.begin(next.Resource)
	}
	l.followSelected(opened)
	if l.asked.Seq == 0 || !sameQuestion(next, l.asked) {
		l.querySeq = l.seq + 1
	}
	next.Anchor, next.Locate = l.anchor(), l.keyToLocate()
	if l.asked.Seq > 0 && same(next, l.asked) {
		return
	}
	l.seq++
	if next.Seq = l.seq; next.Locate != l.asked.Locate {
		l.located = l.seq
	}
	l.asked = next
	l.host.Send(next)
	l.busy()
}

// begin drops the rows and the state of the previous resource.
func (l *List) begin(resource string) {
	if l.resourceSeq = l.seq + 1; l.asked.Seq == 0 {
		return
	}
	l.window, l.mark = view.Window{}, mark{}
	l.host.Begin(resource)
}

// anchor returns the key of the row that must not move: the first visible one, while the
// pointer is over the list or a row is selected. A new query has no anchor; it starts at the
// top.
func (l *List) anchor() string {
	if l.host.Mode().Past || l.shown < l.querySeq || !l.host.State().Source.Synced || !l.pointed && l.host.Address().Selected == "" && l.mark.key == "" {
		return ""
	}
	at := (l.geometry.Scroll+l.geometry.RowHeight-1)/l.geometry.RowHeight - l.window.Offset
	if at < 0 || at >= len(l.window.Rows) {
		return ""
	}
	return l.window.Rows[at].Key
}

// sameQuestion reports whether two queries are equal except for their windows.
func sameQuestion(a, b port.ListQuery) bool {
	return a.Resource == b.Resource && slices.Equal(a.Namespaces, b.Namespaces) && a.Labels == b.Labels && a.Text == b.Text && a.From == b.From && a.Until == b.Until && a.Typing == b.Typing &&
		a.Paused == b.Paused && a.Sort == b.Sort && a.Descending == b.Descending && a.Group == b.Group && a.Sum == b.Sum && a.Wide == b.Wide && a.Extra == b.Extra && slices.Equal(a.Columns, b.Columns)
}

func same(a, b port.ListQuery) bool {
	return sameQuestion(a, b) && a.Offset == b.Offset && a.Limit == b.Limit && a.Anchor == b.Anchor && a.Locate == b.Locate
}
