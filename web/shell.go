package web

import (
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/port"
	"watchglass/internal/query"
	"watchglass/internal/quote"
	"watchglass/internal/view"
)

// shell draws everything but the list. It has no state and no handlers of its
// own: it draws what the page says, and marks what can be done; the browser's
// events are delegated by those marks.
type shell struct {
	app.Compo
}

// thePage is what the shell draws. go-app makes components by itself, of
// nothing but their type.
var thePage *Page

// redraw and whenDrawn are set while the shell is mounted.
var (
	// redraw has the shell drawn with the next frame.
	redraw func()
	// whenDrawn draws the shell now, and then calls a function. It returns before that:
	// both happen before the browser's next event.
	whenDrawn func(then func())
)

// mounted is called once the shell stands.
var mounted func()

// OnMount tells that the shell stands.
func (s *shell) OnMount(ctx app.Context) {
	redraw = func() { ctx.Dispatch(func(app.Context) {}) }
	whenDrawn = func(then func()) {
		ctx.Dispatcher().Dispatch(app.Dispatch{Mode: app.Next, Source: s, Function: func(ctx app.Context) {
			if d, ok := ctx.Dispatcher().(app.ClientDispatcher); ok {
				d.Consume()
			}
			then()
		}})
	}
	ctx.Defer(func(app.Context) { mounted() })
}

// sight is what the shell draws: a copy, so that drawing locks nothing.
type sight struct {
	address    Address
	state      port.State
	window     view.Window
	above      int
	help       bool
	paused     bool
	palette    *palette
	chooser    *columnChooser
	labels     []query.Counted // names of
	filter     query.Filter    // of the address
	completion *completion
	sheet      string
	find       string
	kinds      []port.Kind
	held       map[string]int
	folded     map[string]bool
	rights     rights
	views      []keptView
	starred    []string
	dialog     *dialog
	notice     notice
	origin     string
	base       string
	quoteFor   quote.Shell
	drawer     drawer // of what it points at nothing is written into
	mark       mark
	typing     string // the field that is typed in
}

// Sight copies what the shell draws.
func (p *Page) Sight() sight {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sight()
}

func (p *Page) sight() sight {
	return sight{
		address: p.address, state: p.state, window: p.window, filter: parsed(p.address.Filter), rights: p.rights,
		above: p.above, help: p.help, paused: p.paused, sheet: p.sheet, find: p.find, notice: p.notice, origin: p.origin, base: p.base, quoteFor: p.quoteFor, drawer: p.drawer,
		palette: p.palette.Load(), chooser: p.chooser.Load(), completion: p.completion.Load(), dialog: p.dialog.Load(),
		kinds: p.kinds, held: p.held, folded: p.folded, labels: p.labels[""].counts, views: p.views, starred: p.starred, mark: p.mark, typing: p.typing,
	}
}

// Render draws.
func (s *shell) Render() app.UI {
	g := thePage.Sight()
	return app.Div().Class("shell").DataSet("sheet", g.sheet).Body(
		g.top(),
		g.banner(),
		app.Div().Class("panes").DataSet("drawer", g.drawer.asked.Name != "").DataSet("full", g.drawer.full).Body(g.rail(), g.facets(), g.list(), g.drawDrawer()),
		app.If(g.help, g.helpPanel()),
		g.drawPalette(),
		g.drawChooser(),
		g.drawDialog(),
		app.Div().Class("unseen").Attr("role", "status").Text(g.announcement()),
		g.drawNotice(),
	)
}

func (g sight) top() app.UI {
	return app.Header().Class("top").Body(
		app.Button().Class("icon narrow").DataSet("action", ToggleSheet).DataSet("value", "kinds").Attr("aria-label", "Kinds").Attr("aria-expanded", g.sheet == "kinds").Text("☰"),
		app.Span().Class("who").Body(
			g.contextName(),
			g.who(),
		),
		g.badge(),
		app.Div().Class("search").Attr("role", "search").Body(
			app.Div().Class("filter").Body(g.filterField(), g.beneath()),
			app.Input().ID("labels").Type("search").DataSet("field", "labels").Placeholder("labels: app=web,tier!=db").Attr("aria-label", "Label selector").Attr("aria-invalid", g.wrong(view.PartLabels)).Attr("autocomplete", "off").Attr("spellcheck", "false"),
		),
		app.Span().ID("count").Class("count").Text(g.count()),
		app.Button().Class("icon narrow").DataSet("action", ToggleSheet).DataSet("value", "facets").Attr("aria-label", "Narrow by").Attr("aria-expanded", g.sheet == "facets").Text("⊟"),
		app.Button().Class("icon roomy").DataSet("action", KeepView).Attr("aria-pressed", g.keptAs() != "").Title("Keep this view (v)").Attr("aria-label", "Keep this view").Text(map[bool]string{false: "☆", true: "★"}[g.keptAs() != ""]),
		app.Button().Class("icon").DataSet("action", Share).Title("Share and export (e)").Attr("aria-label", "Share and export").Text("↗"),
		app.Button().Class("icon").DataSet("action", TogglePause).Attr("aria-pressed", g.paused).Title("Pause (p)").Attr("aria-label", "Pause").Body(app.Span().Class("pause")),
		app.Button().Class("icon roomy").DataSet("action", ToggleWide).Attr("aria-pressed", g.address.Wide()).Title("More columns (w)").Attr("aria-label", "More columns").Text("⇔"),
		app.Button().Class("icon roomy").DataSet("action", ChooseColumns).Attr("aria-expanded", g.chooser != nil).Title("Columns (c)").Attr("aria-label", "Columns").Text("▥"),
		app.Button().Class("icon roomy").DataSet("action", ToggleTheme).Title("Light or dark (t)").Attr("aria-label", "Light or dark").Text("◐"),
		app.Button().Class("icon").DataSet("action", OpenPalette).Title("Go to, or do (:)").Attr("aria-label", "Go to, or do").Text("⌘"),
		app.Button().ID("keys").Class("icon roomy").DataSet("action", Help).Title("Keys (?)").Attr("aria-label", "Keys").Text("?"),
	)
}

func (g sight) context() string {
	if g.state.Proxy == nil || g.state.Proxy.Context == "" {
		return "Watchglass"
	}
	return g.state.Proxy.Context
}

func (g sight) server() string {
	if g.state.Proxy == nil {
		return ""
	}
	return g.state.Proxy.Cluster + " at " + g.state.Proxy.Server
}

func (g sight) user() string {
	if g.state.User != "" {
		return g.state.User
	}
	if g.state.Proxy != nil {
		return g.state.Proxy.User
	}
	return ""
}

// badge says whether it is true now; what is behind the first dot has no room on a
// narrow page.
func (g sight) badge() app.UI {
	text, tone := Badge(g.state), g.state.Source.State
	if g.paused {
		text, tone = Paused(g.window.Waiting)+" · "+text, "paused"
	}
	word, more, _ := strings.Cut(text, " · ")
	if more != "" {
		more = "· " + more
	}
	return app.Span().ID("badge").Class("badge").DataSet("tone", tone).Title(g.badgeTitle()).Body(
		app.Span().Text(word), app.Span().Class("more").Text(more),
	)
}

func (g sight) badgeTitle() string {
	if g.state.Source.State == "live" {
		return "Version " + g.state.Source.Version + ". The apiserver and the proxy were last heard " + seconds(g.state.Source.Age) + " ago."
	}
	if w, ok := Explain(g.state); ok {
		return w.Title + ". " + said(w)
	}
	return ""
}

func (g sight) count() string {
	if g.panelled() || g.window.Columns == nil {
		return "" // nobody knows
	}
	switch {
	case g.window.Held:
		return "0 of " + Count(g.window.Of)
	case g.window.Total == g.window.Of:
		return Count(g.window.Of)
	}
	return Count(g.window.Total) + " of " + Count(g.window.Of)
}

// number writes one that is known.
func number(n int, known bool) string {
	if !known {
		return ""
	}
	return Count(n)
}

// announcement is for those who hear the page: what is worth interrupting them.
func (g sight) announcement() string {
	switch g.state.Source.State {
	case "live":
		return g.address.Resource + ": live"
	case "", "syncing", "connecting":
		return ""
	}
	w, _ := Explain(g.state)
	return w.Title
}

// banner says what is wrong while there are rows to look at all the same.
func (g sight) banner() app.UI {
	w, ok := Explain(g.state)
	if wrong := g.problem(); wrong.Text != "" && wrong.Part != view.PartFilter {
		return banner("problem").Attr("role", "alert").Body(
			app.Strong().Text("The query is not understood"), app.Span().Text(wrong.Text+". What it showed before still shows."),
		)
	}
	if limited := g.state.Source.Namespace; !ok && limited != "" && g.state.Source.Namespaced {
		return banner("note").Body(app.Span().Text(limits(g.state)))
	}
	if !ok || g.panelled() {
		return banner("")
	}
	return banner(g.state.Source.State).Body(
		app.Strong().Text(w.Title), app.Span().Text(said(w)), app.Span().Text(w.Do),
		app.If(g.state.Source.Denied != "", app.Button().Class("way").DataSet("action", Within).DataSet("value", strings.Join(without(apart(g.state.Source.Namespace), g.denied()), ",")).Text("Leave out "+listed(g.state.Source.Denied))),
	)
}

func banner(tone string) app.HTMLSection {
	return app.Section().Class("banner").Attr("aria-label", "How it stands").DataSet("tone", tone)
}

// said is the words verbatim, and whose they are.
func said(w Words) string {
	if w.Said == "" {
		return w.Means
	}
	return w.By + " said: " + w.Said
}

// panelled reports that the state takes the place of the list.
func (g sight) panelled() bool {
	switch g.state.Source.State {
	case "gone":
		return true
	case "denied":
		return g.window.Of == 0 && g.state.Source.Rest == "" // else some of its namespaces may be listed
	case "connecting":
		return g.state.Source.Cause != nil
	}
	return false
}

// list is where the rows are, or what stands in their place.
func (g sight) list() app.UI {
	busy := g.state.Source.State == "syncing" || g.state.Source.State == "connecting" || g.state.Source.State == ""
	return app.Main().Class("list").Attr("aria-busy", busy).DataSet("panel", g.panelled()).DataSet("held", g.window.Held).DataSet("rest", g.state.Source.Rest).DataSet("polled", g.state.Source.Polled > 0).Body(
		app.H1().Class("unseen").Text(g.address.Resource+" in "+g.context()),
		app.Div().ID("grid").Class("grid"),
		g.panel(),
		app.Button().Class("chip").DataSet("action", ToTop).Hidden(g.above == 0).Text(Count(g.above)+" new above ↑"),
	)
}

// panel stands in the place of rows where there are none.
func (g sight) panel() app.UI {
	var lines []app.UI
	switch w, ok := Explain(g.state); {
	case ok && g.panelled():
		lines = append(lines, app.H2().Text(w.Title))
		if w.Said != "" {
			lines = append(lines, app.P().Class("said").Body(app.Span().Class("dim").Text(w.By+" said"), app.Code().Text(w.Said)))
		}
		lines = append(lines, app.P().Text(w.Means), app.P().Text(w.Do))
		if g.state.Source.State == "denied" {
			lines = append(lines, app.P().Class("dim").Text(g.whoami()), app.P().Class("ways").Body(g.ways()...))
		} else if g.contextLost() {
			lines = append(lines, app.P().Body(app.Button().Class("way").DataSet("action", OpenPalette).DataSet("value", contextWord).Text("Choose a context")))
		} else if g.address.Resource != home {
			lines = append(lines, app.P().Body(app.Button().Class("way").DataSet("action", GoTo).DataSet("value", home).Text("Go to the pods")))
		}
	case g.window.Total > 0 || g.window.Columns == nil:
		return app.Div().Class("panel").Hidden(true)
	case g.window.Of > 0:
		lines = append(lines, app.H2().Text("Nothing matches"),
			app.P().Text(Count(g.window.Of)+" "+g.address.Resource+" are there, and none of them is what was asked for."),
			app.P().Body(app.Button().Class("way").DataSet("action", ClearFilters).Text("Show all of them")))
	case g.state.Source.Synced:
		lines = append(lines, app.H2().Text("No "+g.address.Resource),
			app.P().Text("There are none "+g.where()+". When there are, they appear by themselves."))
	default:
		return app.Div().Class("panel").Hidden(true)
	}
	return app.Div().Class("panel").Body(lines...)
}

func (g sight) where() string {
	if g.state.Source.Namespace != "" {
		return "in " + strings.Join(without(apart(g.state.Source.Namespace), g.denied()), ", ")
	}
	return "in this cluster"
}

// keysOf are rows of the help; keys that do the same are in one.
func keysOf(all []binding) app.UI {
	var rows, keys []app.UI
	for i, b := range all {
		if b.help == "" {
			continue
		}
		for _, k := range b.keys {
			keys = append(keys, app.Kbd().Text(keyName(k)))
		}
		if i+1 < len(all) && all[i+1].help == b.help {
			continue
		}
		rows = append(rows, app.Div().Class("binding").Body(app.Span().Body(keys...), app.Span().Text(b.help)))
		keys = nil
	}
	return app.Div().Class("bindings").Body(rows...)
}

func (g sight) helpPanel() app.UI {
	open := drawerTab{}
	if g.drawer.asked.Name != "" {
		open = tabOf(g.drawer.asked.Tab)
	}
	return app.Div().ID("help").Class("help").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", "Keys").TabIndex(-1).Body(
		app.H1().Text("Keys"), keysOf(bindings),
		app.H1().Hidden(len(open.bindings) == 0).Text("In "+open.title), keysOf(open.bindings),
		app.H1().Text("Filters"), app.Div().Class("examples").Body(examples()...),
		app.Button().Class("way").DataSet("action", Help).Text("Close"),
	)
}

func keyName(k string) string {
	if name, ok := map[string]string{"ArrowDown": "↓", "ArrowUp": "↑", "Escape": "Esc", "PageDown": "PgDn", "PageUp": "PgUp", "ArrowLeft": "←", "ArrowRight": "→"}[k]; ok {
		return name
	}
	return k
}
