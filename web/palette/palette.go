package palette

import (
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/web/route"
	"watchglass/web/tools"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// state is what the open palette shows. It is immutable.
type state struct {
	text   string
	chosen *chosenOffer // by an arrow key; nil is the first entry
	only   string       // the only entries that are listed, such as ui.Contexts; "" lists everything
}

// chosenOffer is an entry that the user moved to. It stays chosen wherever an answer of the worker moves it. It
// is immutable.
type chosenOffer struct {
	action ui.Action
	value  string
	at     int // where it was, since an entry may be there twice
}

// of returns the index of the chosen entry, or -1 if it is gone.
func (c *chosenOffer) of(offers []ui.Offer) int {
	if c == nil {
		return min(0, len(offers)-1)
	}
	is := func(o ui.Offer) bool { return o.Action == c.action && o.Value == c.value }
	if c.at < len(offers) && is(offers[c.at]) {
		return c.at
	}
	return slices.IndexFunc(offers, is)
}

// Palette finds everything by name, as k9s does after a colon. Its methods are called with the lock of the page, except
// OnKey and Open.
type Palette struct {
	host    Host
	browser Browser
	state   atomic.Pointer[state] // nil unless it is open; written with the lock
	from    string                // ID of the element that had the focus before; "" if it has none
	search  objectSearch
}

// New returns a palette that is closed.
func New(h Host, b Browser) *Palette {
	return &Palette{host: h, browser: b, search: objectSearch{host: h}}
}

// Commands returns the commands of the palette.
func (pl *Palette) Commands() []ui.Command {
	return []ui.Command{
		{ID: ui.OpenPalette, Keys: []string{":"}, Title: "Search objects, kinds, namespaces, views and commands", Run: pl.Show},
		{ID: SearchAll, Run: func(text string) { pl.search.find(text, true); pl.host.Redraw() }},
	}
}

// Typed sets the search text.
func (pl *Palette) Typed(text string) {
	if before := pl.state.Load(); before != nil {
		pl.state.Store(&state{text: text, only: before.only})
		if before.only == "" {
			pl.search.find(strings.ToLower(text), false)
		}
		pl.host.Redraw()
	}
}

// offersShown limits the entries listed; typing narrows them.
const offersShown = 12

// Matches returns the entries that are shown for a text, best match first, and how many others match. "po kube-system"
// finds the pods of a namespace. Objects follow the entries whose names begin with the text, and come before those
// that merely contain it.
func (pl *Palette) Matches(text string) (shown []ui.Offer, more int) {
	text = strings.ToLower(strings.TrimSpace(text))
	if of := pl.only(); of != "" {
		all, _ := tools.Best(text, pl.host.Offers(of))
		return pl.cut(all, offersShown), max(len(all)-offersShown, 0)
	}
	kind, namespace, two := strings.Cut(text, " ")
	var all []ui.Offer
	if two {
		all, more = pl.kindsIn(kind, strings.TrimSpace(namespace))
	}
	rest, begin := tools.Best(text, pl.host.Offers(""))
	all = append(all, rest[:begin]...)
	if objects := pl.search.offers(text); len(objects) > 0 {
		more += max(len(all)-offersShown/2, 0)
		all = append(pl.cut(all, offersShown/2), objects...)
	}
	if pl.search.text == text {
		more += pl.search.total - len(pl.search.objects)
	}
	all = append(all, rest[begin:]...)
	if two {
		all = append(all, pl.kindAsTyped(kind, strings.TrimSpace(namespace))...)
	}
	search := pl.search.more(text)
	fit := offersShown - len(search)
	more += max(len(all)-fit, 0)
	return append(pl.cut(all, fit), search...), more
}

// drawRest says how many entries match if not all are shown, and if that is known.
func (pl *Palette) drawRest(shown []ui.Offer, more int) app.UI {
	n := len(shown)
	if n > 0 && shown[n-1].Action == SearchAll {
		n--
	}
	return app.P().Class("dim").Attr("role", "status").Hidden(more == 0 || !pl.search.counted()).
		Text(words.Count(n) + " of " + words.Count(n+more) + ". Type to narrow.")
}

// cut returns the first entries. One that the user moved to stays among them.
func (pl *Palette) cut(all []ui.Offer, most int) []ui.Offer {
	shown := all[:min(len(all), most)]
	if c := pl.state.Load(); c != nil {
		if at := c.chosen.of(all); at >= most {
			shown[most-1] = all[at]
		}
	}
	return shown
}

// only returns what the open palette is limited to, or "".
func (pl *Palette) only() string {
	if c := pl.state.Load(); c != nil {
		return c.only
	}
	return ""
}

// kindsIn returns the best matching kind in the best matching namespaces, and how many others there are.
func (pl *Palette) kindsIn(kind, namespace string) (all []ui.Offer, more int) {
	kinds, _ := tools.Best(kind, pl.host.KindOffers())
	known, unlisted := pl.host.Namespaces(), pl.search.unlisted
	names := slices.Concat(known, pl.search.namespaces)
	slices.Sort(names)
	var offers []ui.Offer
	for _, name := range slices.Compact(names) {
		offers = append(offers, ui.Offer{Value: name, Text: name})
	}
	namespaces, _ := tools.Best(namespace, offers)
	for _, name := range known {
		if strings.Contains(name, namespace) && !slices.Contains(pl.search.namespaces, name) {
			unlisted-- // the worker has counted it
		}
	}
	for _, k := range kinds[:min(len(kinds), 1)] {
		shown := namespaces[:min(len(namespaces), 3)]
		more = len(namespaces) - len(shown) + max(unlisted, 0)
		for _, n := range shown {
			all = append(all, ui.Offer{Action: ui.GoIn, Value: k.Value + " " + n.Value, Text: k.Text + " in " + n.Value, Hint: k.Value})
		}
	}
	return all, more
}

// kindAsTyped returns a kind in a namespace that the page has not heard of, such as one that the user may
// not list.
func (pl *Palette) kindAsTyped(kind, namespace string) []ui.Offer {
	kinds, begin := tools.Best(kind, pl.host.KindOffers())
	if begin == 0 || !route.IsNamespace(namespace) || slices.Contains(pl.host.Namespaces(), namespace) || slices.Contains(pl.search.namespaces, namespace) {
		return nil
	}
	return []ui.Offer{{Action: ui.GoIn, Value: kinds[0].Value + " " + namespace, Text: kinds[0].Text + " in " + namespace, Hint: "namespace as typed"}}
}

// Open reports whether the palette is open.
func (pl *Palette) Open() bool { return pl.state.Load() != nil }

// OnKey returns what a key does while the palette is open, and whether it is: nothing behind it gets a key then. Other
// keys outside its field do nothing, so that the list does not move. It needs no lock.
func (pl *Palette) OnKey(k ui.Key) (press func(), open bool) {
	if !pl.Open() {
		return nil, false
	}
	switch k.Name {
	case "Escape", "ArrowDown", "ArrowUp", "Enter":
		return func() { pl.press(k.Name) }, true
	}
	if k.Typing || k.Command {
		return nil, true
	}
	return ui.Nothing, true
}

// press handles a key of the palette.
func (pl *Palette) press(key string) {
	offers, _ := pl.Matches(pl.state.Load().text)
	at := pl.state.Load().chosen.of(offers)
	switch key {
	case "Escape":
		pl.state.Store(nil)
		pl.search.stop()
		pl.focusBack()
	case "ArrowDown":
		pl.choose(offers, at+1)
	case "ArrowUp":
		pl.choose(offers, max(at, 0)-1)
	case "Enter":
		if at < 0 {
			return
		}
		chosen := offers[at]
		if chosen.Action != SearchAll { // its results show in the palette
			pl.Hide()
		}
		pl.host.ActByKey(chosen.Action, chosen.Value)
	}
	pl.host.Redraw()
}

// choose moves to an entry; beyond one end is the other.
func (pl *Palette) choose(offers []ui.Offer, at int) {
	if len(offers) == 0 {
		return
	}
	next := *pl.state.Load() // OnKey may be reading it
	at = (at + len(offers)) % len(offers)
	next.chosen = &chosenOffer{offers[at].Action, offers[at].Value, at}
	pl.state.Store(&next)
}

// Show opens the palette for everything, or only for some entries, such as ui.Contexts.
func (pl *Palette) Show(only string) {
	pl.host.CloseOverlays()
	pl.host.WatchKinds()
	pl.state.Store(&state{only: only})
	pl.search.end()
	pl.host.Redraw()
	pl.browser.Focus("palette-text")
}

// OnFocus notes which element has the focus, to return it there.
func (pl *Palette) OnFocus(id string) {
	if !pl.Open() {
		pl.from = id
	}
}

// focusBack returns the focus to the element that had it before the palette opened, if that has an ID.
func (pl *Palette) focusBack() {
	if pl.from != "" {
		pl.browser.Focus(pl.from)
	} else {
		pl.host.FocusOpen()
	}
}

// Hide closes the palette.
func (pl *Palette) Hide() {
	pl.state.Store(nil)
	pl.search.stop()
	pl.host.Redraw()
	pl.browser.Focus("grid")
}

// placeholders say in the empty field what the palette finds.
var placeholders = map[string]string{ui.Contexts: "Context", ui.Facets: "Facet to group by", ui.Kinds: "Who can use a kind", "": "Name, kind, namespace, view or command: po kube-system"}

// Draw draws the palette if it is open.
func (pl *Palette) Draw() app.UI {
	state := pl.state.Load()
	if state == nil {
		return app.Div().Hidden(true)
	}
	var items []app.UI
	offers, more := pl.Matches(state.text)
	here := ""
	at := state.chosen.of(offers)
	for i, o := range offers {
		id := "offer-" + strconv.Itoa(i)
		if i == at {
			here = id
		}
		items = append(items, app.Div().ID(id).Class("offer").Attr("role", "option").Attr("aria-selected", i == at).
			DataSet("action", o.Action).DataSet("value", o.Value).
			Body(app.Span().Class("name").Text(o.Text), app.Span().Class("dim").Text(o.Hint), app.Span().Class("state").DataSet("tone", o.Tone).Hidden(o.State == "").Text(o.State)))
	}
	if len(items) == 0 {
		items = append(items, app.P().Class("dim").Text("No matches"))
	}
	return app.Div().ID("palette").Class("help palette").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", "Search").Body(
		app.Input().ID("palette-text").Type("search").DataSet("field", "palette").Placeholder(placeholders[pl.only()]).
			Attr("role", "combobox").Attr("aria-label", "Search").Attr("aria-expanded", "true").Attr("aria-controls", "offers").Attr("aria-autocomplete", "list").Attr("aria-activedescendant", here).
			Attr("autocomplete", "off").Attr("spellcheck", "false"),
		app.Div().ID("offers").Class("offers").Attr("role", "listbox").Attr("aria-label", "Results").Body(items...),
		pl.drawRest(offers, more),
	)
}
