package notice

import (
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/web/ui"
)

// Host is what notices need of the page. Its methods are called with the page's lock, except Locked.
type Host interface {
	// Redraw draws the page soon. RedrawSoon shares a redraw with others.
	Redraw()
	RedrawSoon()
	// Locked calls f with the page's lock; for callbacks from other goroutines.
	Locked(f func())
}

// Notice is a short message that disappears by itself.
type Notice struct {
	Text   string
	Action ui.Action // of its button, if any
	Value  string    // of the action
	Label  string
	number int // sequence number
}

// shownFor is how long a notice is shown.
const shownFor = 8 * time.Second

// Notices is the part with the current notice.
type Notices struct {
	host  Host
	shown Notice
}

// New returns Notices without one.
func New(h Host) *Notices { return &Notices{host: h} }

// Say shows a notice for a while.
func (ns *Notices) Say(n Notice) {
	n.number = ns.shown.number + 1
	ns.shown = n
	ns.host.Redraw()
	time.AfterFunc(shownFor, func() {
		ns.host.Locked(func() {
			if ns.shown.number == n.number {
				ns.Hide()
				ns.host.Redraw()
			}
		})
	})
}

// Keep shows a notice until another one replaces it.
func (ns *Notices) Keep(n Notice) {
	n.number = ns.shown.number + 1
	ns.shown = n
	ns.host.RedrawSoon()
}

// Hide ends the current notice. It would cover the buttons of a dialog.
func (ns *Notices) Hide() { ns.shown = Notice{number: ns.shown.number} }

// Draw draws the current notice, if there is one.
func (ns *Notices) Draw() app.UI {
	var body []app.UI
	if ns.shown.Text != "" {
		body = append(body, app.Span().Text(ns.shown.Text))
		if ns.shown.Action != ui.NoAction {
			body = append(body, ui.Way(ns.shown.Action, ns.shown.Label).DataSet("value", ns.shown.Value))
		}
	}
	return app.Div().ID("notice").Class("notice").Attr("role", "status").Body(body...)
}
