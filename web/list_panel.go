package web

import (
	"cmp"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
	"watchglass/web/access"
	"watchglass/web/list"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// panel is the part that shows the list's state, what is missing of it, and why there are no rows.
type panel struct{ page *page }

// announcement is the text that screen readers announce.
func (l *panel) announcement() string {
	if l.page.past.On() {
		return l.page.past.Announcement()
	}
	switch l.page.state.Source.State {
	case port.Live:
		return l.page.address.Name() + ": live"
	case "", port.Syncing, port.Connecting:
		return ""
	}
	w, _ := l.page.explain()
	return w.Title
}

// banner shows what is wrong while the list still has rows.
func (l *panel) banner() app.UI {
	w, ok := l.page.explain()
	if wrong := l.drawWrong(); len(wrong) > 0 {
		return ui.Banner("problem").Body(wrong...)
	}
	if gaps := l.lacks(); len(gaps) > 0 && l.page.Window().Total > 0 && (!ok || l.outweighed()) {
		return l.drawIncomplete(gaps)
	}
	if limited := l.page.state.Source.Namespace; !ok && limited != "" && l.page.state.Source.Namespaced && !(l.page.address.Problems() && l.page.access.Partial()) && !(l.page.past.On() && len(l.page.address.Namespaces) > 0) {
		return ui.Banner("note").Body(app.Span().Text(l.page.past.Limits(l.page.state)))
	}
	if !ok || l.outweighed() {
		return l.clockNote()
	}
	if l.replacesList() {
		return ui.Banner("")
	}
	return ui.Banner(l.page.state.Source.State).Body(
		app.Elem("strong").Text(w.Title), app.Span().Text(words.CauseText(w)), app.Span().Text(w.Do),
		app.If(l.page.state.Source.Denied != "", ui.Way(access.Within, "Exclude "+words.Listed(l.page.state.Source.Denied)).DataSet("value", strings.Join(words.Without(words.SplitList(l.page.state.Source.Namespace), l.page.access.Denied()), ","))),
	)
}

// noneMatch says that a filter excludes all objects of a list.
func (l *panel) noneMatch() string {
	if l.page.Window().Of > 1 {
		return "None of " + words.Count(l.page.Window().Of) + " " + l.page.address.Resource + " match."
	}
	only := cmp.Or(l.page.state.Source.Kind, "one")
	if l.page.address.Problems() {
		only = "problem"
	}
	return "The only " + only + " does not match."
}

// drawNoMatch says that a filter excludes all objects of a list, or that the recording lacks those it asks for.
func (l *panel) drawNoMatch() []app.UI {
	out, all := l.page.past.LeftOut(l.page.address.Namespaces)
	if all {
		return []app.UI{app.H2().Text(words.NotInRecording), app.P().Text(out)}
	}
	return []app.UI{app.H2().Text("No matches"), app.P().Text(l.noneMatch()), app.P().Hidden(out == "").Text(out)}
}

// drawWrong draws what is wrong with each part of the query. While the user is typing the filter, its mistake
// shows below the field.
func (l *panel) drawWrong() (all []app.UI) {
	for _, p := range l.page.filter.Problems() {
		if p.Part != view.PartFilter {
			all = append(all, app.Div().Class("mistake").Attr("role", "alert").Body(app.Elem("strong").Text(words.Sentence(p.Text)+"."), app.Span().Text(words.Instead(p))))
		} else if l.page.typing != "filter" {
			all = append(all, l.page.filter.DrawMistake(p))
		}
	}
	return all
}

// outweighed reports whether the gaps say more than the state of a list that is made of others: some
// of those cannot be read, and others can.
func (l *panel) outweighed() bool {
	cause := l.page.state.Source.Cause
	if !l.page.address.Problems() || cause != nil && (cause.Unauthorized() || cause.Reason == wire.ReasonUnreachable) {
		return false
	}
	return l.page.state.Source.State == port.Denied || l.page.state.Source.State == port.Stale && cause != nil
}

// clockNote draws a banner that says that ages are wrong, or none.
func (l *panel) clockNote() app.UI {
	if l.page.state.Link.Ahead == 0 || l.page.past.On() {
		return ui.Banner("")
	}
	return ui.Banner("note").Body(app.Span().Text(words.ClockOff(l.page.state.Link.Ahead)))
}

// replacesList reports whether the panel replaces the rows.
func (l *panel) replacesList() bool {
	switch l.page.state.Source.State {
	case port.Gone:
		return true
	case port.Denied:
		return !l.page.address.Mixed() && l.page.Window().Of == 0 && l.page.state.Source.Rest == "" // else some namespaces can be listed
	case port.Connecting, port.Throttled:
		return l.page.state.Source.Cause != nil && l.page.Window().Of == 0
	}
	return false
}

// partial reports whether objects of the list are still to come.
func (l *panel) partial() bool {
	state := l.page.state.Source.State
	if state == port.Denied && l.page.state.Source.Rest != "" {
		state = l.page.state.Source.Rest // of the namespaces that may be listed
	}
	return state == port.Syncing || state == port.Connecting || state == port.Throttled || state == ""
}

// draw draws the list, or the panel that replaces it.
func (l *panel) draw() app.UI {
	busy := l.partial()
	return app.Elem("main").Class("list").Attr("aria-busy", busy).DataSet("panel", l.replacesList()).DataSet("held", l.page.Window().Held || l.page.filter.Unfinished()).DataSet("rest", l.page.state.Source.Rest).DataSet("polled", l.page.state.Source.Polled > 0).Body(
		app.H1().Class("unseen").Text(l.page.address.Name()+" in "+l.page.session.context()),
		l.page.timeline.Draw(),
		app.Div().ID("grid").Class("grid"),
		l.drawPanel(),
		app.Button().Class("chip").DataSet("action", list.ToTop).Hidden(l.page.list.Above() == 0 || l.page.past.On()).Text(words.Count(l.page.list.Above())+" new above ↑"),
	)
}

// drawPanel explains why there are no rows, and offers a way out.
func (l *panel) drawPanel() app.UI {
	var lines []app.UI
	switch w, ok := l.page.explain(); {
	case ok && l.replacesList():
		lines = append(lines, app.H2().Text(w.Title))
		if w.Message != "" {
			lines = append(lines, app.P().Class("said").Body(app.Span().Class("dim").Text(words.Sentence(w.By)), app.Elem("code").Text(w.Message)))
		}
		lines = append(lines, app.P().Text(w.Means), app.P().Text(w.Do))
		if l.page.past.On() {
			break
		}
		if l.page.state.Source.State == port.Denied {
			lines = append(lines, app.P().Class("dim").Text(l.page.session.whoami()), app.P().Class("ways").Body(l.page.access.Alternatives()...))
		} else if l.page.session.contextLost() {
			lines = append(lines, app.P().Body(ui.Way(ui.OpenPalette, "Choose context").DataSet("value", ui.Contexts)))
		} else if l.page.address.Resource != route.Home {
			lines = append(lines, app.P().Body(ui.Way(ui.GoTo, "Go to pods").DataSet("value", route.Home)))
		}
	case l.page.Window().Total > 0 || l.page.Window().Columns == nil:
		return app.Div().Class("panel").Hidden(true)
	case l.page.Window().Of > 0:
		if gaps := l.gaps(); len(gaps) > 0 {
			lines = append([]app.UI{app.H2().Text("Matches unknown")}, l.drawMissing(gaps)...)
		} else if l.partial() || !l.page.state.Source.Synced && (l.page.state.Source.State != port.Denied || l.page.state.Source.Rest != "") {
			lines = append(lines, app.H2().Text("Nothing matches so far"), app.P().Text("Not all "+l.page.address.Resource+" have loaded yet."))
		} else {
			lines = append(lines, l.drawNoMatch()...)
		}
		lines = append(lines, app.P().Body(ui.Way(ui.ClearFilters, "Clear filter")))
	case l.page.timeline.Full():
		lines = append(lines, app.H2().Text("No changes"), app.P().Text("New ones appear here."))
	case l.page.address.Problems():
		lines = l.page.overview.DrawEmpty()
	case l.page.state.Source.Synced:
		lines = append(lines, app.H2().Text("No "+l.page.address.Resource),
			app.P().Text(l.none()))
	default:
		return app.Div().Class("panel").Hidden(true)
	}
	return app.Div().Class("panel").Body(lines...)
}

// none says that there are no objects.
func (l *panel) none() string {
	if out, _ := l.page.past.LeftOut(l.page.address.Namespaces); out != "" {
		return out
	}
	if l.page.past.On() {
		return "There were none " + l.where() + " at this time."
	}
	return "There are none " + l.where() + ". New ones appear here as they are created."
}

func (l *panel) where() string {
	if l.page.state.Source.Namespace != "" {
		return "in " + strings.Join(words.Without(words.SplitList(l.page.state.Source.Namespace), l.page.access.Denied()), ", ")
	}
	return "in this cluster"
}
