package web

import (
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/web/ui"
)

// notice is a short message that disappears by itself.
type notice struct {
	text   string
	action ui.Action // of its button, if any
	value  string    // of the action
	label  string
	number int // sequence number
}

// noticeFor is how long a notice is shown.
const noticeFor = 8 * time.Second

// notices is the part with the current notice.
type notices struct {
	page   *page
	notice notice
}

// say shows a notice for a while.
func (ns *notices) say(n notice) {
	n.number = ns.notice.number + 1
	ns.notice = n
	ns.page.redraw()
	time.AfterFunc(noticeFor, func() {
		ns.page.locked(func() {
			if ns.notice.number == n.number {
				ns.hide()
				ns.page.redraw()
			}
		})
	})
}

// hide ends the current notice. It would cover the buttons of a dialog.
func (ns *notices) hide() { ns.notice = notice{number: ns.notice.number} }

func (ns *notices) draw() app.UI {
	var body []app.UI
	if ns.notice.text != "" {
		body = append(body, app.Span().Text(ns.notice.text))
		if ns.notice.action != ui.NoAction {
			body = append(body, ui.Way(ns.notice.action, ns.notice.label).DataSet("value", ns.notice.value))
		}
	}
	return app.Div().ID("notice").Class("notice").Attr("role", "status").Body(body...)
}
