package panel

import (
	"slices"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/view"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// Gaps returns what the list rests on and is not known: what the problems have not read, or what the
// filter and the order need. While there are any, rows may be missing.
func (l *Panel) Gaps() []words.Gap {
	if !l.host.Address().Problems() {
		return append(l.kinds.Gaps(l.host.Window().Gaps), l.unread()...)
	}
	gaps, _ := l.problems.Gaps()
	return l.kinds.Gaps(gaps)
}

// lacks returns what a banner says that the list lacks: its gaps, and those of the columns on screen.
// What comes by itself is left out, unless rows may be missing until then.
func (l *Panel) lacks() []words.Gap {
	if l.host.Address().Problems() {
		return slices.DeleteFunc(l.Gaps(), func(g words.Gap) bool { return g.Comes })
	}
	return l.gapsWith(words.Lasting)
}

// Unknown returns what the rows and cells lack at this moment, also if that comes by itself: a file does not change later.
func (l *Panel) Unknown() []words.Gap {
	if l.host.Address().Problems() {
		return l.Gaps()
	}
	return l.gapsWith(func(g view.Gap) bool { return g.State != "" })
}

// gapsWith returns the gaps of the list, and those of the columns on screen that count.
func (l *Panel) gapsWith(counts func(view.Gap) bool) []words.Gap {
	all := slices.Clone(l.host.Window().Gaps)
	for _, c := range l.host.Window().Columns {
		if counts(c.Gap) && !slices.Contains(all, c.Gap) {
			all = append(all, c.Gap)
		}
	}
	return append(l.kinds.Gaps(all), l.unread()...)
}

// unread returns what the list lacks because it could not be read.
func (l *Panel) unread() []words.Gap {
	n := l.source().Unread
	if n == 0 {
		return nil
	}
	return []words.Gap{{Names: []string{l.kinds.ListName(l.source().ID)}, Words: words.CountOf(n, "object") + " can't be read"}}
}

// Notes returns what the headings of derived columns say.
func (l *Panel) Notes() (notes map[string]string) {
	for _, c := range l.host.Window().Columns {
		if words.Lasting(c.Gap) {
			if notes == nil {
				notes = make(map[string]string)
			}
			notes[c.Name] = l.kinds.Note(c.Gap)
		}
	}
	return notes
}

// DrawMissing draws what an empty list has not read, and what to do about it.
func (l *Panel) DrawMissing(gaps []words.Gap) (lines []app.UI) {
	refused := false
	for _, g := range gaps {
		refused = refused || g.Refused
		lines = append(lines, app.P().Class("said").Body(app.Span().Text(g.Text(len(g.Names))), app.If(g.Cause != "", app.Elem("code").Text(g.Cause))))
	}
	if slices.ContainsFunc(l.host.Window().Gaps, func(g view.Gap) bool { return g.State == view.Partial && g.Only == "" }) {
		lines = append(lines, app.P().Text("Choose a namespace to filter by usage there."))
	}
	if refused {
		lines = append(lines, app.P().Text("Ask a cluster admin for the list and watch verbs."))
	}
	if refused && l.access.Partial() {
		lines = append(lines, app.P().Class("ways").Body(ui.Way(ui.FocusNamespace, "Enter a namespace")))
	}
	return lines
}

// drawIncomplete draws a banner that says what the list lacks, while it has some rows.
func (l *Panel) drawIncomplete(gaps []words.Gap) app.UI {
	all := []app.UI{app.Elem("strong").Text("Incomplete")}
	for _, g := range gaps {
		all = append(all, app.Span().Title(g.Text(len(g.Names))+"\n"+g.Cause).Text(g.Text(words.GapsNamed)))
	}
	return ui.Banner("note").Body(all...)
}
