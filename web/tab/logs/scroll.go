package logs

import (
	"watchglass/internal/detail/log"
	"watchglass/web/grid"
	"watchglass/web/ui"
)

// settle keeps the visible lines in place, or scrolls to the end if following.
func (t *logs) settle(before, d *log.Document) {
	l := t.shown
	shift := 0
	if before != nil && before.Age == d.Age {
		shift = int(d.Gone - before.Gone)
	}
	found := d.Found != nil && d.Found.Hit >= 0 && d.Found.Seq > l.left && (before == nil || before.Found == nil || before.Found.Seq != d.Found.Seq)
	switch {
	case found:
		t.update(func(l *state) { l.ask.Follow = false })
		t.Host.Text().Paint()
		t.reveal(d.Found.Row)
	case l.ask.Follow:
		t.Host.Text().Paint() // sets the new height first
		t.reveal(d.Rows - 1)
	case shift > 0:
		top := t.Host.Text().Box().Scroll - shift*ui.TextRowHeight
		t.update(func(l *state) {
			l.read -= shift
			if top < 0 {
				l.lost += uint64(-top / ui.TextRowHeight)
			}
		})
		t.Host.Text().Scroll(max(top, 0))
		t.update(func(l *state) { l.top = max(top, 0) })
		t.Host.Text().Paint()
	default:
		t.Host.Text().Paint()
	}
}

// reveal scrolls to a row and notes that the user did not. If rows were dropped, the
// browser has already scrolled back to the end, and this starts from there.
func (t *logs) reveal(row int) {
	t.Host.Text().Scrolled(min(t.Host.Text().Box().Scroll, max(t.end(), 0)))
	t.Host.Text().Show(max(row, 0))
	t.update(func(l *state) { l.top = t.Host.Text().Box().Scroll })
}

// Rows returns how many rows the log has.
func (t *logs) Rows() int {
	if l := t.shown; l != nil && l.doc != nil {
		return l.doc.Rows
	}
	return 0
}

// end returns the scroll position that shows the last row at the bottom.
func (t *logs) end() int { return t.Rows()*ui.TextRowHeight - t.Host.Text().Box().Height }

// Lines returns the rows of the window as far as they are loaded. It requests other rows if they
// are visible.
func (t *logs) Lines(offset, limit int) []grid.Line {
	t.onRows(offset, limit)
	l := t.shown
	out := make([]grid.Line, 0, max(limit, 0))
	for i := range max(limit, 0) {
		at := offset + i - l.doc.Offset
		if at < 0 || at >= len(l.doc.Window) {
			out = append(out, grid.Line{Look: "blank"})
			continue
		}
		out = append(out, l.line(l.doc.Window[at]))
	}
	return out
}

// onRows handles which rows are visible: scrolling up stops following, and reaching the end
// resumes it.
func (t *logs) onRows(offset, limit int) {
	end := t.end()
	t.keepEnd(end)
	l, box, rows := t.shown, t.Host.Text().Box(), t.Rows()
	follow := l.ask.Follow
	switch {
	case follow && box.Scroll < l.top-ui.TextRowHeight/2 && box.Scroll < end-ui.TextRowHeight/2:
		follow = false
	case !follow && !l.ask.Paused && box.Scroll > l.top && box.Scroll >= end-ui.TextRowHeight/2:
		follow = true
	}
	turned := follow != l.ask.Follow
	if turned || l.top != box.Scroll {
		t.update(func(l *state) {
			l.top = box.Scroll
			if turned {
				l.ask.Follow, l.read, l.lost = follow, rows, 0
			}
		})
	}
	if turned {
		t.Host.Redraw()
	}
	if turned || !follow && (offset < l.ask.Offset || offset+limit > l.ask.Offset+l.ask.Limit) || follow && l.ask.Limit < limit {
		t.request()
	}
}

// keepEnd scrolls to the end again after the height of the box has changed or it was hidden. In
// that case the browser has moved the text, and the user has not scrolled.
func (t *logs) keepEnd(end int) {
	box := t.Host.Text().Box()
	if t.shown.height == box.Height {
		return
	}
	t.update(func(l *state) { l.height = box.Height })
	if t.shown.ask.Follow && end > box.Scroll {
		t.Host.Text().Scroll(end)
	}
}
