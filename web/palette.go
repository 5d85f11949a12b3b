package web

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"
)

// palette is the way to everything by its name, as k9s has it behind a colon.
type palette struct {
	text     string
	at       int  // the offer that Enter takes
	contexts bool // nothing else is looked for
}

// offer is something that the palette leads to.
type offer struct {
	action Action
	value  string
	text   string
	hint   string   // what kind of thing it is, or its key
	names  []string // by which else it is found
}

// offersShown is how many are listed: who sees more types on.
const offersShown = 12

// offers are what a text leads to, the likeliest first. "po kube-system" leads to
// the pods of a namespace.
func (g sight) offers(text string) []offer {
	text = strings.ToLower(strings.TrimSpace(text))
	if g.palette != nil && g.palette.contexts {
		all := best(text, g.contextOffers())
		return all[:min(len(all), offersShown)]
	}
	kind, namespace, two := strings.Cut(text, " ")
	var all []offer
	if two {
		all = g.kindsIn(kind, strings.TrimSpace(namespace))
	}
	all = append(all, best(text, slices.Concat(g.kindOffers(), g.viewOffers(), g.contextOffers(), g.namespaceOffers(), g.otherOffers(), g.commandOffers()))...)
	return all[:min(len(all), offersShown)]
}

// kindOffers are all kinds, those of the rail's groups first.
func (g sight) kindOffers() []offer {
	var all []offer
	for _, part := range g.groups() {
		for _, k := range part.Items {
			plural, _, _ := strings.Cut(k.ID, ".")
			o := offer{action: GoTo, value: k.ID, text: k.Name, hint: k.ID, names: []string{plural, k.ID}}
			for _, served := range g.kinds {
				if served.ID == k.ID && served.Short != "" {
					o.names = append(o.names, strings.Split(served.Short, ",")...)
					o.hint = served.Short + " · " + k.ID
				}
			}
			all = append(all, o)
		}
	}
	return all
}

// kindsIn are kinds in a namespace, the likeliest of both.
func (g sight) kindsIn(kind, namespace string) []offer {
	kinds, namespaces := best(kind, g.kindOffers()), best(namespace, g.namespaceOffers())
	var all []offer
	for _, k := range kinds[:min(len(kinds), 1)] {
		for _, n := range namespaces[:min(len(namespaces), 3)] {
			all = append(all, offer{action: GoIn, value: k.value + " " + n.value, text: k.text + " in " + n.value, hint: k.value})
		}
	}
	return all
}

func (g sight) namespaceOffers() []offer {
	var all []offer
	for _, name := range g.known() {
		all = append(all, offer{action: ChooseOnly, value: name, text: name, hint: "namespace"})
	}
	return all
}

// otherOffers are what can be done: what the keys do, and sorting.
func (g sight) otherOffers() []offer {
	var all []offer
	for _, b := range bindings {
		switch b.action {
		case ToggleWide, ChooseColumns, TogglePause, ToggleTheme, Help, FocusFilter, FocusNamespace, KeepView, Star, CopyLink, Share, Undo, Commands:
			all = append(all, offer{action: b.action, text: b.help, hint: keyName(b.keys[0])})
		}
	}
	all = append(all, offer{action: ClearFilters, text: "clear all filters"})
	all = append(all, offer{action: WhoAmI, text: "who am I", hint: g.user()})
	if g.signedIn() {
		all = append(all, offer{action: SignOut, text: "sign out", names: []string{"log out", "logout"}})
	}
	all = append(all, g.takeaways()...)
	for _, c := range g.window.Columns {
		all = append(all, offer{action: SortBy, value: c.Name, text: "sort by " + c.Name})
	}
	return all
}

// best are the offers that a text may mean, the likeliest first; all of them if
// there is no text.
func best(text string, all []offer) []offer {
	type ranked struct {
		offer
		rank int
	}
	var some []ranked
	for _, o := range all {
		rank := likely(text, strings.ToLower(o.text))
		for _, name := range o.names {
			rank = min(rank, likely(text, name))
		}
		if rank < unlikely {
			some = append(some, ranked{o, rank})
		}
	}
	slices.SortStableFunc(some, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	out := make([]offer, len(some))
	for i, o := range some {
		out[i] = o.offer
	}
	return out
}

// unlikely is the rank of what a text does not mean.
const unlikely = 4

// likely ranks a name: it is the text, begins with it, has it, or has its letters in
// their order.
func likely(text, name string) int {
	switch {
	case name == text:
		return 0
	case strings.HasPrefix(name, text):
		return 1
	case strings.Contains(name, text):
		return 2
	case inOrder(text, name):
		return 3
	}
	return unlikely
}

func inOrder(letters, name string) bool {
	for _, c := range letters {
		i := strings.IndexRune(name, c)
		if i < 0 {
			return false
		}
		name = name[i+1:]
	}
	return true
}

// takes reports whether a key is for the palette, or for nobody: the list behind it
// does not move.
func (c *palette) takes(k Key) bool {
	switch k.Name {
	case "Escape", "ArrowDown", "ArrowUp", "Enter":
		return true
	}
	return !k.Typing && !k.Command
}

// paletteKey does what a key does while the palette is open.
func (p *Page) paletteKey(k Key) {
	next := *p.palette.Load() // a sight may have it
	offers := p.sight().offers(next.text)
	n := max(len(offers), 1)
	switch k.Name {
	case "Escape":
		p.closePalette()
	case "ArrowDown":
		next.at = (next.at + 1) % n
		p.palette.Store(&next)
	case "ArrowUp":
		next.at = (next.at + n - 1) % n
		p.palette.Store(&next)
	case "Enter":
		if len(offers) == 0 {
			return
		}
		p.closePalette()
		p.actByKey(offers[next.at].action, offers[next.at].value)
	}
	p.redraw()
}

func (p *Page) openPalette(of string) {
	p.sheet, p.help = "", false
	p.palette.Store(&palette{contexts: of == contextWord})
	p.watchKinds() // its names are of use now
	p.redraw()
	p.browser.Focus("palette-text")
}

func (p *Page) closePalette() {
	p.palette.Store(nil)
	p.redraw()
	p.browser.Focus("grid")
}

func (g sight) drawPalette() app.UI {
	if g.palette == nil {
		return app.Div().Hidden(true)
	}
	var items []app.UI
	here := ""
	for i, o := range g.offers(g.palette.text) {
		id := "offer-" + strconv.Itoa(i)
		if i == g.palette.at {
			here = id
		}
		items = append(items, app.Div().ID(id).Class("offer").Attr("role", "option").Attr("aria-selected", i == g.palette.at).
			DataSet("action", o.action).DataSet("value", o.value).
			Body(app.Span().Class("name").Text(o.text), app.Span().Class("dim").Text(o.hint)))
	}
	if len(items) == 0 {
		items = append(items, app.P().Class("dim").Text("Nothing here has that name."))
	}
	return app.Div().ID("palette").Class("help palette").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", "Go to").Body(
		app.Input().ID("palette-text").Type("search").DataSet("field", "palette").Placeholder(map[bool]string{true: "a context of the kubeconfig", false: "a kind, a namespace, a view, or what to do: po kube-system"}[g.palette.contexts]).
			Attr("role", "combobox").Attr("aria-label", "Go to").Attr("aria-expanded", "true").Attr("aria-controls", "offers").Attr("aria-autocomplete", "list").Attr("aria-activedescendant", here).
			Attr("autocomplete", "off").Attr("spellcheck", "false"),
		app.Div().ID("offers").Class("offers").Attr("role", "listbox").Attr("aria-label", "What it leads to").Body(items...),
	)
}
