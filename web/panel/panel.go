package panel

import (
	"cmp"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// Panel is the part that shows the list's state, what is missing of it, and why there are no rows.
type Panel struct {
	host     Host
	past     Past
	access   Access
	filter   Filter
	kinds    Kinds
	problems Problems
	session  Session
}

// New returns the panel of a page.
func New(h Host, p Past, a Access, f Filter, k Kinds, of Problems, s Session) *Panel {
	return &Panel{h, p, a, f, k, of, s}
}

// source returns the state of the list's source.
func (l *Panel) source() port.Source { return l.host.State().Source }

// Explain describes a state that is not live, like words.Explain. In the past, denied does not mean a missing
// permission: the kind was not watched, was dropped, or is not in the recording.
func (l *Panel) Explain() (w words.Explanation, ok bool) {
	if words.ResumingSoon(l.host.State(), time.Now()) {
		return words.Explanation{}, false
	}
	if w, ok = words.Explain(l.host.State()); !l.past.On() || l.source().State != port.Denied || l.source().Rest != "" {
		return w, ok
	}
	return words.Explanation{Title: words.Sentence(l.kinds.ListName(l.host.Here())) + " " + words.NotInHistory, Means: words.Sentence(w.Message) + ".", Do: "Choose another time, or go back to live."}, true
}

// Announcement is the text that screen readers announce.
func (l *Panel) Announcement() string {
	if l.past.On() {
		return l.past.Announcement()
	}
	switch l.source().State {
	case port.Live:
		return l.host.Address().Name() + ": live"
	case "", port.Syncing, port.Connecting:
		return ""
	}
	w, _ := l.Explain()
	return w.Title
}

// DrawBanner shows what is wrong while the list still has rows.
func (l *Panel) DrawBanner() app.UI {
	w, ok := l.Explain()
	if wrong := l.drawWrong(); len(wrong) > 0 {
		return ui.Banner("problem").Body(wrong...)
	}
	if gaps := l.lacks(); len(gaps) > 0 && l.host.Window().Total > 0 && (!ok || l.outweighed()) {
		return l.drawIncomplete(gaps)
	}
	if limited := l.source().Namespace; !ok && limited != "" && l.source().Namespaced && !(l.host.Address().Problems() && l.access.Partial()) && !(l.past.On() && len(l.host.Address().Namespaces) > 0) {
		return ui.Banner("note").Body(app.Span().Text(l.past.Limits(l.host.State())))
	}
	if !ok || l.outweighed() {
		return l.clockNote()
	}
	if l.ReplacesList() {
		return ui.Banner("")
	}
	return ui.Banner(l.source().State).Body(
		app.Elem("strong").Text(w.Title), app.Span().Text(words.CauseText(w)), app.Span().Text(w.Do),
		app.If(l.source().Denied != "", ui.Way(ui.Within, "Exclude "+words.Listed(l.source().Denied)).DataSet("value", strings.Join(words.Without(words.SplitList(l.source().Namespace), l.access.Denied()), ","))),
	)
}

// noneMatch says that a filter excludes all objects of a list.
func (l *Panel) noneMatch() string {
	if l.host.Window().Of > 1 {
		return "None of " + words.Count(l.host.Window().Of) + " " + l.host.Address().Resource + " match."
	}
	only := cmp.Or(l.source().Kind, "one")
	if l.host.Address().Problems() {
		only = "problem"
	}
	return "The only " + only + " does not match."
}

// drawNoMatch says that a filter excludes all objects of a list, or that the recording lacks those it asks for.
func (l *Panel) drawNoMatch() []app.UI {
	out, all := l.past.LeftOut(l.host.Address().Namespaces)
	if all {
		return []app.UI{app.H2().Text(words.NotInRecording), app.P().Text(out)}
	}
	return []app.UI{app.H2().Text("No matches"), app.P().Text(l.noneMatch()), app.P().Hidden(out == "").Text(out)}
}

// drawWrong draws what is wrong with each part of the query. While the user is typing the filter, its mistake
// shows below the field.
func (l *Panel) drawWrong() (all []app.UI) {
	for _, p := range l.filter.Problems() {
		if p.Part != view.PartFilter {
			all = append(all, app.Div().Class("mistake").Attr("role", "alert").Body(app.Elem("strong").Text(words.Sentence(p.Text)+"."), app.Span().Text(words.Instead(p))))
		} else if l.host.Typing() != "filter" {
			all = append(all, l.filter.DrawMistake(p))
		}
	}
	return all
}

// outweighed reports whether the gaps say more than the state of a list that is made of others: some
// of those cannot be read, and others can.
func (l *Panel) outweighed() bool {
	cause := l.source().Cause
	if !l.host.Address().Problems() || cause != nil && (cause.Unauthorized() || cause.Reason == wire.ReasonUnreachable) {
		return false
	}
	return l.source().State == port.Denied || l.source().State == port.Stale && cause != nil
}

// clockNote draws a banner that says that ages are wrong, or none.
func (l *Panel) clockNote() app.UI {
	if l.host.State().Link.Ahead == 0 || l.past.On() {
		return ui.Banner("")
	}
	return ui.Banner("note").Body(app.Span().Text(words.ClockOff(l.host.State().Link.Ahead)))
}

// ReplacesList reports whether the panel replaces the rows.
func (l *Panel) ReplacesList() bool {
	switch l.source().State {
	case port.Gone:
		return true
	case port.Denied:
		return !l.host.Address().Mixed() && l.host.Window().Of == 0 && l.source().Rest == "" // else some namespaces can be listed
	case port.Connecting, port.Throttled:
		return l.source().Cause != nil && l.host.Window().Of == 0
	}
	return false
}

// Partial reports whether objects of the list are still to come.
func (l *Panel) Partial() bool {
	state := l.source().State
	if state == port.Denied && l.source().Rest != "" {
		state = l.source().Rest // of the namespaces that may be listed
	}
	return state == port.Syncing || state == port.Connecting || state == port.Throttled || state == ""
}

// Draw explains why there are no rows, and offers a way out.
func (l *Panel) Draw() app.UI {
	var lines []app.UI
	switch w, ok := l.Explain(); {
	case ok && l.ReplacesList():
		lines = append(lines, app.H2().Text(w.Title))
		if w.Message != "" {
			lines = append(lines, app.P().Class("said").Body(app.Span().Class("dim").Text(words.Sentence(w.By)), app.Elem("code").Text(w.Message)))
		}
		lines = append(lines, app.P().Text(w.Means), app.P().Text(w.Do))
		if l.past.On() {
			break
		}
		if l.source().State == port.Denied {
			lines = append(lines, app.P().Class("dim").Text(l.session.Whoami()), app.P().Class("ways").Body(l.access.Alternatives()...))
		} else if l.session.Lost() {
			lines = append(lines, app.P().Body(ui.Way(ui.OpenPalette, "Choose context").DataSet("value", ui.Contexts)))
		} else if l.host.Address().Resource != route.Home {
			lines = append(lines, app.P().Body(ui.Way(ui.GoTo, "Go to pods").DataSet("value", route.Home)))
		}
	case l.host.Window().Total > 0 || l.host.Window().Columns == nil:
		return app.Div().Class("panel").Hidden(true)
	case l.host.Window().Of > 0:
		if gaps := l.Gaps(); len(gaps) > 0 {
			lines = append([]app.UI{app.H2().Text("Matches unknown")}, l.DrawMissing(gaps)...)
		} else if l.Partial() || !l.source().Synced && (l.source().State != port.Denied || l.source().Rest != "") {
			lines = append(lines, app.H2().Text("Nothing matches so far"), app.P().Text("Not all "+l.host.Address().Resource+" have loaded yet."))
		} else {
			lines = append(lines, l.drawNoMatch()...)
		}
		lines = append(lines, app.P().Body(ui.Way(ui.ClearFilters, "Clear filter")))
	case l.host.Address().Resource == route.TimelineID:
		lines = append(lines, app.H2().Text("No changes"), app.P().Text("New ones appear here."))
	case l.host.Address().Problems():
		lines = l.problems.DrawEmpty()
	case l.source().Synced:
		lines = append(lines, app.H2().Text("No "+l.host.Address().Resource),
			app.P().Text(l.none()))
	default:
		return app.Div().Class("panel").Hidden(true)
	}
	return app.Div().Class("panel").Body(lines...)
}

// none says that there are no objects.
func (l *Panel) none() string {
	if out, _ := l.past.LeftOut(l.host.Address().Namespaces); out != "" {
		return out
	}
	if l.past.On() {
		return "There were none " + l.where() + " at this time."
	}
	return "There are none " + l.where() + ". New ones appear here as they are created."
}

func (l *Panel) where() string {
	if l.source().Namespace != "" {
		return "in " + strings.Join(words.Without(words.SplitList(l.source().Namespace), l.access.Denied()), ", ")
	}
	return "in this cluster"
}
