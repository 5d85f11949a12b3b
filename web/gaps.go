package web

import (
	"slices"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/view"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// gaps returns what the list rests on and is not known: what the problems have not read, or what the
// filter and the order need. While there are any, rows may be missing.
func (l *panel) gaps() []words.Gap {
	if !l.page.address.Problems() {
		return append(l.page.sidebar.Gaps(l.page.Window().Gaps), l.unread()...)
	}
	gaps, _ := l.page.overview.Gaps()
	return l.page.sidebar.Gaps(gaps)
}

// lacks returns what a banner says that the list lacks: its gaps, and those of the columns on screen.
// What comes by itself is left out, unless rows may be missing until then.
func (l *panel) lacks() []words.Gap {
	if l.page.address.Problems() {
		return slices.DeleteFunc(l.gaps(), func(g words.Gap) bool { return g.Comes })
	}
	return l.gapsWith(words.Lasting)
}

// unknown returns what the rows and cells lack at this moment, also if that comes by itself: a file does not change later.
func (l *panel) unknown() []words.Gap {
	if l.page.address.Problems() {
		return l.gaps()
	}
	return l.gapsWith(func(g view.Gap) bool { return g.State != "" })
}

// gapsWith returns the gaps of the list, and those of the columns on screen that count.
func (l *panel) gapsWith(counts func(view.Gap) bool) []words.Gap {
	all := slices.Clone(l.page.Window().Gaps)
	for _, c := range l.page.Window().Columns {
		if counts(c.Gap) && !slices.Contains(all, c.Gap) {
			all = append(all, c.Gap)
		}
	}
	return append(l.page.sidebar.Gaps(all), l.unread()...)
}

// unread returns what the list lacks because it could not be read.
func (l *panel) unread() []words.Gap {
	n := l.page.state.Source.Unread
	if n == 0 {
		return nil
	}
	return []words.Gap{{Names: []string{l.page.sidebar.ListName(l.page.state.Source.ID)}, Words: words.CountOf(n, "object") + " can't be read"}}
}

// notes returns what the headings of derived columns say.
func (l *panel) notes() (notes map[string]string) {
	for _, c := range l.page.Window().Columns {
		if words.Lasting(c.Gap) {
			if notes == nil {
				notes = make(map[string]string)
			}
			notes[c.Name] = l.page.sidebar.Note(c.Gap)
		}
	}
	return notes
}

// drawMissing draws what an empty list has not read, and what to do about it.
func (l *panel) drawMissing(gaps []words.Gap) (lines []app.UI) {
	refused := false
	for _, g := range gaps {
		refused = refused || g.Refused
		lines = append(lines, app.P().Class("said").Body(app.Span().Text(g.Text(len(g.Names))), app.If(g.Cause != "", app.Elem("code").Text(g.Cause))))
	}
	if slices.ContainsFunc(l.page.Window().Gaps, func(g view.Gap) bool { return g.State == view.Partial && g.Only == "" }) {
		lines = append(lines, app.P().Text("Choose a namespace to filter by usage there."))
	}
	if refused {
		lines = append(lines, app.P().Text("Ask a cluster admin for the list and watch verbs."))
	}
	if refused && l.page.access.Partial() {
		lines = append(lines, app.P().Class("ways").Body(ui.Way(ui.FocusNamespace, "Enter a namespace")))
	}
	return lines
}

// drawIncomplete draws a banner that says what the list lacks, while it has some rows.
func (l *panel) drawIncomplete(gaps []words.Gap) app.UI {
	all := []app.UI{app.Elem("strong").Text("Incomplete")}
	for _, g := range gaps {
		all = append(all, app.Span().Title(g.Text(len(g.Names))+"\n"+g.Cause).Text(g.Text(words.GapsNamed)))
	}
	return ui.Banner("note").Body(all...)
}
