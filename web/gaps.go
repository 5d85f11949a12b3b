package web

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/port"
	"watchglass/internal/view"
)

// gap says what some lists lack that the page rests on, and why. Lists that lack the same are named
// together. The cause is that of the first.
type gap struct {
	names        []string
	words, cause string
	comes        bool // by itself
	refused      bool // by the user's rights
}

// gapsNamed is how many lists, or namespaces, a banner names.
const gapsNamed = 5

// text says what is missing. It names the lists, or so many of them.
func (g gap) text(most int) string { return firstOf(g.names, most) + ": " + g.words + "." }

// firstOf names some, or so many of them.
func firstOf(all []string, most int) string {
	names := strings.Join(all[:min(len(all), most)], ", ")
	if more := len(all) - most; more > 0 {
		names += " and " + Count(more) + " more"
	}
	return names
}

// gapWords says what a list lacks, in the form of a gap without names.
func gapWords(g view.Gap) gap {
	out := gap{cause: g.Cause}
	switch g.State {
	case port.Denied:
		out.words, out.refused = "no permission to list", true
		if g.Only != "" {
			out.words += " in " + firstOf(splitList(g.Only), gapsNamed)
		}
	case port.Gone:
		out.words = "not served by this cluster"
	case port.Stale, port.Offline, port.Throttled:
		out.words = g.State
	case view.Unread:
		if out.words = countOf(g.Unread, "object") + " can't be read"; g.Only != "" {
			out.words, out.refused = out.words+", and only "+firstOf(splitList(g.Only), gapsNamed)+" could be", true
		}
	case view.Partial:
		out.words = "known only for namespaces on screen or chosen"
		if only := splitList(g.Only); len(only) > 0 {
			out.words, out.refused = "only "+firstOf(only, gapsNamed)+" could be read", true
		}
	case port.Connecting:
		if g.Cause != "" {
			out.words = "can't be listed"
			return out
		}
		fallthrough
	default:
		out.words, out.comes = "loading", g.Cause == ""
		if g.Unread > 0 {
			out.words = "checking " + countOf(g.Unread, "object")
		}
	}
	return out
}

// gaps returns what the list rests on and is not known: what the problems have not read, or what the
// filter and the order need. While there are any, rows may be missing.
func (l *list) gaps() []gap {
	if !l.address.Problems() {
		return append(l.sidebar.named(l.window.Gaps), l.unread()...)
	}
	if l.overview.shown == nil {
		return nil
	}
	return l.sidebar.named(l.overview.shown.Gaps)
}

// lacks returns what a banner says that the list lacks: its gaps, and those of the columns on screen.
// What comes by itself is left out, unless rows may be missing until then.
func (l *list) lacks() []gap {
	if l.address.Problems() {
		return slices.DeleteFunc(l.gaps(), func(g gap) bool { return g.comes })
	}
	return l.gapsWith(lasting)
}

// unknown returns what the rows and cells lack at this moment, also if that comes by itself: a file does not change later.
func (l *list) unknown() []gap {
	if l.address.Problems() {
		return l.gaps()
	}
	return l.gapsWith(func(g view.Gap) bool { return g.State != "" })
}

// gapsWith returns the gaps of the list, and those of the columns on screen that count.
func (l *list) gapsWith(counts func(view.Gap) bool) []gap {
	all := slices.Clone(l.window.Gaps)
	for _, c := range l.window.Columns {
		if counts(c.Gap) && !slices.Contains(all, c.Gap) {
			all = append(all, c.Gap)
		}
	}
	return append(l.sidebar.named(all), l.unread()...)
}

// unread returns what the list lacks because it could not be read.
func (l *list) unread() []gap {
	n := l.state.Source.Unread
	if n == 0 {
		return nil
	}
	return []gap{{names: []string{l.sidebar.listName(l.state.Source.ID)}, words: countOf(n, "object") + " can't be read"}}
}

// lasting reports whether cells stay empty, or may be old.
func lasting(g view.Gap) bool {
	return g.State != "" && !gapWords(g).comes && (g.State != view.Partial || g.Only != "")
}

// notes returns what the headings of derived columns say.
func (l *list) notes() (notes map[string]string) {
	for _, c := range l.window.Columns {
		if lasting(c.Gap) {
			if notes == nil {
				notes = make(map[string]string)
			}
			notes[c.Name] = l.sidebar.noteOf(c.Gap)
		}
	}
	return notes
}

// noteOf returns what is missing of a column; "" is nothing.
func (s *sidebar) noteOf(g view.Gap) (text string) {
	if g.State != "" {
		text = s.named([]view.Gap{g})[0].text(1)
	}
	return text
}

// named returns gaps with the names of their lists.
func (s *sidebar) named(gaps []view.Gap) []gap {
	var all []gap
	for _, g := range gaps {
		next := gapWords(g)
		switch {
		case !s.past.on(), g.State == view.Unread:
		case next.refused:
			next.words, next.refused = notInHistory, false
		case g.Unread > 0:
			next.words, next.comes = countOf(g.Unread, "object")+" "+notInHistory, false
		}
		at := slices.IndexFunc(all, func(other gap) bool { return other.words == next.words })
		if at < 0 {
			at, all = len(all), append(all, next)
		}
		all[at].names = append(all[at].names, s.listName(g.Resource))
	}
	return all
}

// listName returns the name of a kind, or its ID until the server's kinds are known.
func (s *sidebar) listName(id string) string {
	if strings.HasSuffix(id, ".metrics.k8s.io") {
		return "Metrics"
	}
	for _, k := range s.kinds {
		if k.ID == id && s.called(id) == id {
			if plural, _, _ := strings.Cut(id, "."); strings.HasPrefix(plural, strings.ToLower(k.Name)) {
				return k.Name + plural[len(k.Name):]
			}
			return k.Name
		}
	}
	return s.called(id)
}

// drawMissing draws what an empty list has not read, and what to do about it.
func (l *list) drawMissing(gaps []gap) (lines []app.UI) {
	refused := false
	for _, g := range gaps {
		refused = refused || g.refused
		lines = append(lines, app.P().Class("said").Body(app.Span().Text(g.text(len(g.names))), app.If(g.cause != "", app.Elem("code").Text(g.cause))))
	}
	if slices.ContainsFunc(l.window.Gaps, func(g view.Gap) bool { return g.State == view.Partial && g.Only == "" }) {
		lines = append(lines, app.P().Text("Choose a namespace to filter by usage there."))
	}
	if refused {
		lines = append(lines, app.P().Text("Ask a cluster admin for the list and watch verbs."))
	}
	if refused && l.access.partialAccess() {
		lines = append(lines, app.P().Class("ways").Body(app.Button().Class("way").DataSet("action", FocusNamespace).Text("Enter a namespace")))
	}
	return lines
}

// drawIncomplete draws a banner that says what the list lacks, while it has some rows.
func (l *list) drawIncomplete(gaps []gap) app.UI {
	all := []app.UI{app.Elem("strong").Text("Incomplete")}
	for _, g := range gaps {
		all = append(all, app.Span().Title(g.text(len(g.names))+"\n"+g.cause).Text(g.text(gapsNamed)))
	}
	return banner("note").Body(all...)
}
