package web

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

// paletteState is the state of the open command palette.
type paletteState struct {
	text   string
	chosen *chosenOffer // by an arrow key; nil is the first entry
	only   string       // list only contexts (contextWord), facets to group by (groupWord), or kinds (whoCanWord)
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

// palette is the part that finds everything by name, as k9s does after a colon.
type palette struct {
	*page
	state  atomic.Pointer[paletteState] // nil unless it is open; written with the lock
	from   string                       // ID of the element that had the focus before; "" if it has none
	search objectSearch
}

func (pl *palette) Actions() map[ui.Action]func(string) {
	return map[ui.Action]func(string){ui.OpenPalette: pl.show, SearchAll: func(text string) { pl.find(text, true); pl.redraw() }}
}

// typed sets the search text.
func (pl *palette) typed(text string) {
	if before := pl.state.Load(); before != nil {
		pl.state.Store(&paletteState{text: text, only: before.only})
		pl.find(strings.ToLower(text), false)
		pl.redraw()
	}
}

// offersShown limits the entries listed; typing narrows them.
const offersShown = 12

// offers returns the entries that are shown for a text.
func (pl *palette) offers(text string) []ui.Offer {
	shown, _ := pl.matches(text)
	return shown
}

// matches returns the entries that are shown for a text, best match first, and how many others match. "po kube-system"
// finds the pods of a namespace. Objects follow the entries whose names begin with the text, and come before those
// that merely contain it.
func (pl *palette) matches(text string) (shown []ui.Offer, more int) {
	text = strings.ToLower(strings.TrimSpace(text))
	if of := pl.only(); of != "" {
		all := pl.session.contextOffers()
		switch of {
		case groupWord:
			all = pl.grouping.offers()
		case whoCanWord:
			all = pl.whoCanOffers()
		}
		all, _ = tools.Best(text, all)
		return pl.cut(all, offersShown), max(len(all)-offersShown, 0)
	}
	kind, namespace, two := strings.Cut(text, " ")
	var all []ui.Offer
	if two {
		all, more = pl.kindsIn(kind, strings.TrimSpace(namespace))
	}
	rest, begin := tools.Best(text, slices.Concat(pl.kindOffers(), pl.views.offers(), pl.session.contextOffers(), namespaceOffers(pl.access.known()), pl.otherOffers(), pl.commands.offers()))
	all = append(all, rest[:begin]...)
	if objects := pl.objectOffers(text); len(objects) > 0 {
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
	search := pl.searchOffers(text)
	fit := offersShown - len(search)
	more += max(len(all)-fit, 0)
	return append(pl.cut(all, fit), search...), more
}

// drawRest says how many entries match if not all are shown, and if that is known.
func (pl *palette) drawRest(shown []ui.Offer, more int) app.UI {
	n := len(shown)
	if n > 0 && shown[n-1].Action == SearchAll {
		n--
	}
	return app.P().Class("dim").Attr("role", "status").Hidden(more == 0 || !pl.search.counted()).
		Text(words.Count(n) + " of " + words.Count(n+more) + ". Type to narrow.")
}

// cut returns the first entries. One that the user moved to stays among them.
func (pl *palette) cut(all []ui.Offer, most int) []ui.Offer {
	shown := all[:min(len(all), most)]
	if c := pl.state.Load(); c != nil {
		if at := c.chosen.of(all); at >= most {
			shown[most-1] = all[at]
		}
	}
	return shown
}

// only returns what the open palette is limited to, or "".
func (pl *palette) only() string {
	if c := pl.state.Load(); c != nil {
		return c.only
	}
	return ""
}

// kindOffers returns all kinds in the order of the sidebar.
func (pl *palette) kindOffers() []ui.Offer {
	var all []ui.Offer
	for _, part := range pl.sidebar.groups() {
		for _, k := range part.Items {
			plural, _, _ := strings.Cut(k.ID, ".")
			o := ui.Offer{Action: ui.GoTo, Value: k.ID, Text: k.Name, Hint: k.ID, Names: []string{plural, k.ID}}
			for _, served := range pl.sidebar.kinds {
				if served.ID == k.ID && served.Short != "" {
					o.Names = append(o.Names, strings.Split(served.Short, ",")...)
					o.Hint = served.Short + " · " + k.ID
				}
			}
			all = append(all, o)
		}
	}
	return all
}

// kindsIn returns the best matching kind in the best matching namespaces, and how many others there are.
func (pl *palette) kindsIn(kind, namespace string) (all []ui.Offer, more int) {
	kinds, _ := tools.Best(kind, pl.kindOffers())
	known, unlisted := pl.access.known(), pl.search.unlisted
	namespaces, _ := tools.Best(namespace, namespaceOffers(merged(known, pl.search.namespaces)))
	for _, name := range words.Without(known, pl.search.namespaces) {
		if strings.Contains(name, namespace) {
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
func (pl *palette) kindAsTyped(kind, namespace string) []ui.Offer {
	kinds, begin := tools.Best(kind, pl.kindOffers())
	if begin == 0 || !route.IsNamespace(namespace) || slices.Contains(pl.access.known(), namespace) || slices.Contains(pl.search.namespaces, namespace) {
		return nil
	}
	return []ui.Offer{{Action: ui.GoIn, Value: kinds[0].Value + " " + namespace, Text: kinds[0].Text + " in " + namespace, Hint: "namespace as typed"}}
}

func namespaceOffers(names []string) []ui.Offer {
	var all []ui.Offer
	for _, name := range names {
		all = append(all, ui.Offer{Action: ui.ChooseOnly, Value: name, Text: name, Hint: "namespace"})
	}
	return all
}

// otherOffers returns the commands: those of shortcuts, the rest and sorting.
func (pl *palette) otherOffers() []ui.Offer {
	var all []ui.Offer
	for _, b := range bindings {
		switch b.Action {
		case ToggleWide, ChooseColumns, ChooseGroup, TogglePause, ToggleTheme, Help, ui.FocusFilter, ui.FocusNamespace, KeepView, Star, CopyLink, Share, Undo, Commands, First, Last:
			all = append(all, ui.Offer{Action: b.Action, Text: b.Help, Hint: ui.KeyName(b.Keys[0])})
		case ui.OpenTab:
			if pl.drawer.applies(pl.drawer.resource(), b.Value) && (pl.list.target() != "" || pl.list.mark.coming) {
				all = append(all, ui.Offer{Action: b.Action, Value: b.Value, Text: b.Help, Hint: ui.KeyName(b.Keys[0])})
			}
		}
	}
	who := ui.Offer{Action: WhoCan, Text: whoCanWords, Names: []string{"access", "rbac", "who can"}}
	if pl.drawer.ofKind() {
		who.Hint = pl.sidebar.listName(pl.here())
	}
	all = append(all, who)
	all = append(all, ui.Offer{Action: ClearFilters, Text: "Clear all filters"})
	all = append(all, ui.Offer{Action: WhoAmI, Text: "Who am I", Hint: pl.session.user()})
	all = append(all, ui.Offer{Action: OpenInspector, Text: "Inspector", Hint: "sources and traffic"})
	if pl.session.signedIn() {
		all = append(all, ui.Offer{Action: SignOut, Text: "Sign out", Names: []string{"log out", "logout"}})
	}
	all = append(all, pl.overview.startOffers()...)
	all = append(all, pl.share.offers()...)
	all = append(all, pl.past.Offers()...)
	all = append(all, pl.recorder.offers()...)
	all = append(all, pl.logs.offers()...)
	return slices.Concat(all, pl.grouping.offers(), pl.list.sortOffers())
}

// takes reports whether the palette handles a key. It also takes keys outside its field, so
// that the list behind it does not move.
func (c *paletteState) takes(k ui.Key) bool {
	switch k.Name {
	case "Escape", "ArrowDown", "ArrowUp", "Enter":
		return true
	}
	return !k.Typing && !k.Command
}

// press handles a key while the palette is open.
func (pl *palette) press(k ui.Key) {
	state := pl.state.Load()
	offers := pl.offers(state.text)
	at := state.chosen.of(offers)
	switch k.Name {
	case "Escape":
		pl.state.Store(nil)
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
			pl.hide()
		}
		pl.actByKey(chosen.Action, chosen.Value)
	}
	pl.redraw()
}

// choose moves to an entry; beyond one end is the other.
func (pl *palette) choose(offers []ui.Offer, at int) {
	if len(offers) == 0 {
		return
	}
	next := *pl.state.Load() // takes may be reading it
	at = (at + len(offers)) % len(offers)
	next.chosen = &chosenOffer{offers[at].Action, offers[at].Value, at}
	pl.state.Store(&next)
}

func (pl *palette) show(of string) {
	pl.closeOverlays()
	pl.help.open = false
	pl.state.Store(&paletteState{only: of})
	pl.search = objectSearch{}
	pl.sidebar.watchKinds() // to list their names
	pl.redraw()
	pl.browser.Focus("palette-text")
}

func (pl *palette) onFocus(id string) {
	if pl.state.Load() == nil {
		pl.from = id
	}
}

// focusBack returns the focus to the element that had it before the palette opened. If that has
// no ID, it goes to the tab of the open object, else to the list.
func (pl *palette) focusBack() {
	switch {
	case pl.from != "":
		pl.browser.Focus(pl.from)
	case pl.drawer.isOpen():
		pl.drawer.focusTab()
	default:
		pl.browser.Focus("grid")
	}
}

func (pl *palette) hide() {
	pl.state.Store(nil)
	pl.redraw()
	pl.browser.Focus("grid")
}

func (pl *palette) draw() app.UI {
	state := pl.state.Load()
	if state == nil {
		return app.Div().Hidden(true)
	}
	var items []app.UI
	offers, more := pl.matches(state.text)
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
		app.Input().ID("palette-text").Type("search").DataSet("field", "palette").Placeholder(map[string]string{contextWord: "Context", groupWord: "Facet to group by", whoCanWord: "Who can use a kind", "": "Name, kind, namespace, view or command: po kube-system"}[pl.only()]).
			Attr("role", "combobox").Attr("aria-label", "Search").Attr("aria-expanded", "true").Attr("aria-controls", "offers").Attr("aria-autocomplete", "list").Attr("aria-activedescendant", here).
			Attr("autocomplete", "off").Attr("spellcheck", "false"),
		app.Div().ID("offers").Class("offers").Attr("role", "listbox").Attr("aria-label", "Results").Body(items...),
		pl.drawRest(offers, more),
	)
}
