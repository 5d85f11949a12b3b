package web

import (
	"cmp"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/port"
	"watchglass/web/chart"
	"watchglass/web/columns"
	"watchglass/web/drawer"
	"watchglass/web/list"
	"watchglass/web/past"
	"watchglass/web/recording"
	"watchglass/web/share"
	"watchglass/web/sidebar"
	"watchglass/web/ui"
	"watchglass/web/views"
	"watchglass/web/words"
)

// topBar is the part at the top: the location, how current the data is, and the tools.
type topBar struct {
	page *page
	open string // the popover that is open

	seenDifferences int // when the badge's details were last opened or closed
}

// The popovers of the top bar.
const (
	statusPopover = "status"
	viewPopover   = "view"
)

func (tb *topBar) Commands() []ui.Command {
	return []ui.Command{{ID: ui.TogglePopover, Run: tb.toggle, KeepsPopover: true}}
}

// toggle opens a popover, or closes it if it is open.
func (tb *topBar) toggle(name string) {
	if tb.open == name {
		name = ""
	}
	tb.show(name)
	tb.page.redraw()
}

// show opens a popover instead of another; "" opens none.
func (tb *topBar) show(name string) {
	if statusPopover == name || statusPopover == tb.open {
		tb.seenDifferences = max(tb.seenDifferences, tb.page.state.Differences) // in the past there are none
	}
	tb.open = name
}

// dismiss closes the open popover, and reports whether there was one.
func (tb *topBar) dismiss() bool {
	was := tb.open != ""
	if tb.show(""); was {
		tb.page.redraw()
	}
	return was
}

func (tb *topBar) draw() app.UI {
	saved := tb.page.views.SavedAs() != ""
	return app.Elem("header").Class("top").Body(
		app.Button().Class("icon narrow").DataSet("action", sidebar.Toggle).Title("Kinds").Attr("aria-label", "Kinds").Attr("aria-expanded", tb.page.sidebar.Open()).Text("☰"),
		app.Span().Class("who").Body(tb.page.session.DrawContext(), tb.page.session.DrawUser()),
		tb.drawStatus(),
		tb.page.drawer.DrawMark(),
		app.Div().Class("search").Attr("role", "search").Body(
			app.Div().Class("filter").Body(tb.page.filter.DrawTerms(), tb.page.filter.DrawChips(), tb.page.filter.DrawField(), app.Span().ID("count").Class("count").Text(tb.count()), tb.page.filter.DrawBeneath()),
		),
		app.Button().Class("icon narrow").DataSet("action", ui.ToggleFacets).Title("Facets").Attr("aria-label", "Facets").Attr("aria-expanded", tb.page.facets.Open()).Text("⊟"),
		tb.tool(views.SaveAs, map[bool]string{false: "☆", true: "★"}[saved], "Save", "").Class("roomy").Attr("aria-pressed", saved),
		tb.tool(share.Open, "↗", "Share", ""),
		tb.tool(past.GoBack, "↺", "Go back", "").Class("roomy").Attr("aria-expanded", tb.page.past.Visible()),
		tb.drawPause().Hidden(tb.page.past.On()),
		tb.drawView(),
		tb.tool(ui.OpenPalette, "⌕", "Search", ""),
		tb.tool(Help, "?", "", "").ID("keys").Class("roomy"),
	)
}

// drawPause draws the button that pauses the list, or resumes it.
func (tb *topBar) drawPause() app.HTMLButton {
	if tb.page.list.Paused() {
		return tb.tool(TogglePause, "▶", "Resume", "Resume updates").Class("on")
	}
	return tb.tool(TogglePause, "‖", "Pause", "Pause updates")
}

// tool draws a button with a glyph, and with a word if there is space for it. Its tooltip says what it does, in the words
// of the command unless there are others, and names its key.
func (tb *topBar) tool(action ui.Action, glyph, word, does string) app.HTMLButton {
	does = cmp.Or(does, tb.page.table.byID[action].Title)
	return app.Button().Class("tool-button").DataSet("action", action).Title(ui.Tip(does, tb.page.KeyOf(action))).Attr("aria-label", does).Body(
		app.Span().Class("glyph").Attr("aria-hidden", "true").Text(glyph), app.Span().Class("word").Text(word),
	)
}

// drawView draws the menu with the list's display options.
func (tb *topBar) drawView() app.UI {
	entry := func(action ui.Action, words string) app.HTMLButton {
		words = cmp.Or(words, tb.page.table.byID[action].Title)
		return app.Button().Class("menu-item").DataSet("action", action).Title(ui.Tip(words, tb.page.KeyOf(action))).Body(app.Span().Text(words), app.Elem("kbd").Text(tb.page.KeyOf(action)))
	}
	var rows []app.UI
	for _, name := range list.Densities() {
		rows = append(rows, app.Button().Class("shape").DataSet("action", list.SetDensity).DataSet("value", name).Attr("aria-pressed", name == tb.page.list.Density()).Text(name))
	}
	return app.Div().Class("menu roomy").Body(
		app.Button().ID("view-menu").Class("tool-button").DataSet("action", ui.TogglePopover).DataSet("value", viewPopover).Attr("aria-expanded", tb.open == viewPopover).Attr("aria-controls", "view-popover").Title("Columns, groups, access, theme and row height").Body(
			app.Span().Text("View"), app.Span().Class("dim").Attr("aria-hidden", "true").Text(" ▾")),
		app.Div().ID("view-popover").Class("popover").Attr("role", "group").Attr("aria-label", "View").Hidden(tb.open != viewPopover).Body(
			entry(ui.ChooseColumns, ""),
			entry(ChooseGroup, ""),
			entry(columns.ToggleWide, "Wide columns").Attr("aria-pressed", tb.page.address.Wide()),
			entry(chart.ToggleBars, "Histogram of changes").Attr("aria-pressed", tb.page.timeline.On()),
			entry(drawer.WhoCan, ""),
			entry(recording.Record, tb.page.recorder.Label()).Hidden(tb.page.past.On()),
			entry(ui.SaveRecording, "").Hidden(tb.page.recorder.Running()),
			tb.page.past.DrawDisk(),
			entry(ToggleTheme, ""),
			app.Div().Class("density").Attr("role", "group").Attr("aria-label", "Row height").Body(rows...),
			tb.page.overview.DrawStart(),
		),
	)
}

// drawStatus draws the badge, which says how current the data is, and its details.
func (tb *topBar) drawStatus() app.UI {
	text, tone, more := words.Badge(tb.page.state), tb.page.stateName(), ""
	switch {
	case tb.page.past.On():
		if text, more = tb.page.past.Badge(); tb.page.panel.Partial() {
			text += ", syncing"
		}
	case tb.page.list.Paused():
		text, tone = words.Paused(tb.page.list.Window().Waiting), "paused"
	default:
		more = tb.unseenDifferences()
	}
	return app.Div().Class("menu").Body(
		app.Button().ID("badge").Class("badge").DataSet("tone", tone).DataSet("action", ui.TogglePopover).DataSet("value", statusPopover).Attr("aria-expanded", tb.open == statusPopover).Attr("aria-controls", "status-popover").Title(tb.statusTitle()).Body(app.Text(text), ui.Span("more", more), tb.page.recorder.DrawMark()),
		app.Div().ID("status-popover").Class("popover status").Attr("role", "group").Attr("aria-label", "Status").Hidden(tb.open != statusPopover).Body(tb.drawFacts()...),
	)
}

// unseenDifferences says that a list differed from the apiserver's, until the details were opened.
func (tb *topBar) unseenDifferences() string {
	n := tb.page.state.Differences
	if tb.open == statusPopover || n <= tb.seenDifferences {
		return ""
	}
	return " · " + words.CountOf(n-tb.seenDifferences, "difference") + " found"
}

// statusTitle explains the badge in a tooltip.
func (tb *topBar) statusTitle() string {
	if tb.page.past.On() {
		return tb.page.past.Announcement()
	}
	if tb.page.state.Source.State == port.Live {
		return "Resource version " + tb.page.state.Source.Version + ". Last heard from the apiserver and the proxy " + words.Seconds(tb.page.state.Source.Age) + " ago."
	}
	if w, ok := tb.page.panel.Explain(); ok {
		return w.Title + ". " + words.CauseText(w)
	}
	return ""
}

// drawFacts draws the details of the state.
func (tb *topBar) drawFacts() []app.UI {
	if tb.open != statusPopover {
		return nil
	}
	s := tb.page.state.Source
	var all []app.UI
	fact := func(name, value string) {
		if value != "" {
			all = append(all, app.Div().Class("fact").Body(app.Span().Class("dim").Text(name), app.Span().Text(value)))
		}
	}
	if tb.page.past.On() {
		tb.page.past.Facts(fact)
		return all
	}
	fact("State", words.Badge(tb.page.state))
	if !s.Since.IsZero() {
		fact("Since", s.Since.Local().Format(time.DateTime))
	}
	fact("Last heard", words.Seconds(s.Age)+" ago")
	fact("Version", s.Version)
	fact("Loaded", words.Count(s.Objects))
	if s.Polled > 0 {
		fact("Polled", "every "+words.Every(s.Polled))
	}
	fact("Self-audit", words.Audit(s, time.Now()))
	if n := tb.page.state.Differences; n > 0 {
		fact("All lists", "differences found in "+words.CountOf(n, "audit"))
	}
	fact("Denied in", words.Listed(s.Denied))
	fact("Elsewhere", s.Rest)
	if tb.page.list.Paused() {
		fact("Pending", words.Count(tb.page.list.Window().Waiting))
	}
	tb.page.past.Facts(fact)
	return append(all, ui.Way(past.GoBack, "Go back in time"))
}

// count returns the number of matching rows, or of groups of them, and the number of all rows.
func (tb *topBar) count() string {
	none := tb.page.address.Problems() && tb.page.list.Window().Of == 0 && !tb.page.overview.Clear() || tb.page.list.Window().Total == 0 && len(tb.page.panel.Gaps()) > 0
	if tb.page.panel.ReplacesList() || tb.page.list.Window().Columns == nil || none {
		return "" // not known
	}
	switch {
	case tb.page.list.Window().Group != "":
		return words.CountOf(tb.page.list.Window().Total, "group") + " of " + words.Count(tb.page.list.Window().Matched)
	case tb.page.list.Window().Held:
		return "0 of " + words.Count(tb.page.list.Window().Of)
	case tb.page.list.Window().Total == tb.page.list.Window().Of:
		return words.Count(tb.page.list.Window().Of)
	}
	return words.Count(tb.page.list.Window().Total) + " of " + words.Count(tb.page.list.Window().Of)
}
