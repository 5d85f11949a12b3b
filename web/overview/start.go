package overview

import (
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/port"
	"watchglass/web/route"
)

// The start pages. The empty one is the overview.
const lastStart = "last"

// startName and lastName are the names under which the browser remembers the start page, and the
// last view of a user in a context. Another user may sign in to this browser: a view has names of objects.
func (o *Overview) startName() string { return "start" + o.base }
func (o *Overview) lastName() string {
	return "last" + o.base + " " + o.host.Address().Context + "\n" + o.user
}

// startsLast reports whether the page starts with the last view.
func (o *Overview) startsLast() bool { return o.browser.Recall(o.startName()) == lastStart }

func (o *Overview) setStart(start string) {
	o.browser.Remember(o.startName(), start)
	o.Keep()
	o.host.Redraw()
}

// Keep remembers the view, if the page is to start with it.
func (o *Overview) Keep() {
	if !o.host.Framed() && o.startsLast() {
		o.browser.Remember(o.lastName(), o.host.Address().String(""))
	}
}

// Start returns the last view of the context, if the address names nothing else and the page is to start with that.
func (o *Overview) Start() (to route.Address, last bool) {
	o.user = o.browser.User()
	bare := route.Address{Resource: port.Problems, Overview: true, Context: o.host.Address().Context}
	if o.host.Framed() || !o.startsLast() {
		return to, false
	}
	if last := o.browser.Recall(o.lastName()); last != "" && o.host.Address().String("") == bare.String("") {
		path, query, _ := strings.Cut(last, "?")
		to = route.Parse("", path, query)
		to.Context, to.Embed, to.Hosted = bare.Context, "", false
		return to, true
	}
	return to, false
}

// DrawStart draws the choice of the start page in a menu.
func (o *Overview) DrawStart() app.UI {
	last := o.startsLast()
	way := func(value, text string, is bool) app.UI {
		return app.Button().Class("shape").DataSet("action", setStart).DataSet("value", value).Attr("aria-pressed", is).Text(text)
	}
	return app.Div().Class("density").Attr("role", "group").Attr("aria-label", "Start page").Body(
		app.Span().Class("dim").Text("Start page"), way("", "Overview", !last), way(lastStart, "Last view", last),
	)
}
