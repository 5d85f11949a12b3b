package sidebar

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/port"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// The groups of custom resources, of other kinds, and of an unknown kind in the address.
const (
	customGroup = "Custom"
	otherGroup  = "Other"
	hereGroup   = "Current"
)

// group is a group of the sidebar. It is a component of its own so that only changed groups
// are redrawn: a cluster may have hundreds of kinds.
type group struct {
	app.Compo
	Name  string
	Shut  bool
	Items []item
}

// item is a kind in a group.
type item struct {
	ID, Name, Count string
	Href            string
	Here, Starred   bool
}

// Draw draws the sidebar: the start page and the problems, favourites, saved views and kinds with
// their counts.
func (s *Sidebar) Draw() app.UI {
	all := s.groups()
	groups := append([]app.UI{&all[0]}, s.drawFavourites()...)
	for _, part := range all[1:] {
		groups = append(groups, &part)
	}
	return app.Elem("nav").Class("rail").DataSet("open", s.open).Attr("aria-label", "Kinds").Body(groups...)
}

// groups returns the groups that are not empty, the starts first.
func (s *Sidebar) groups() []group {
	placed, served := make(map[string]bool), map[string]bool{s.host.Here(): true}
	for _, k := range s.kinds {
		served[k.ID] = true
	}
	var out []group
	for _, part := range append([]words.KindGroup{starts}, words.KindGroups...) {
		next := group{Name: part.Name, Shut: s.folded[part.Name]}
		for _, k := range part.Kinds {
			placed[k.ID] = true
			if served[k.ID] || len(s.kinds) == 0 || part.Name == "" {
				next.Items = append(next.Items, s.item(k.ID, k.Name))
			}
		}
		out = append(out, next)
	}
	custom := group{Name: customGroup, Shut: s.folded[customGroup]}
	other := group{Name: otherGroup, Shut: !s.folded[otherGroup]} // collapsed by default
	for _, k := range s.kinds {
		if placed[k.ID] {
			continue
		}
		placed[k.ID] = true
		into := &other
		if k.Custom {
			into = &custom
		}
		into.Items = append(into.Items, s.item(k.ID, k.Name))
	}
	here := group{Name: hereGroup}
	if id := s.host.Here(); id != "" && !placed[id] {
		here.Items = []item{s.item(id, id)}
	}
	out = append(out, custom, other, here)
	return slices.DeleteFunc(out, func(part group) bool { return len(part.Items) == 0 })
}

// item returns the entry of a kind with a name.
func (s *Sidebar) item(id, name string) item {
	out := item{ID: id, Name: name, Href: s.host.Href(s.addressOf(id)), Here: id == s.current(), Starred: slices.Contains(s.starred, id)}
	shown := id == s.host.Here()
	n, held := s.held[id]
	chosen := s.host.State().Source.Namespace != "" && len(s.host.Address().Namespaces) > 0 // the list is part of what the user may list
	if shown && !chosen && (held || s.host.Window().Of > 0) {
		n, held = s.host.Window().Of, true
	}
	if id == port.Problems && n == 0 {
		held = s.host.Clear() // else there may be some
	}
	if out.Count = words.Known(n, held && !(shown && s.host.ShowsPanel())); s.host.Denied(id) {
		out.Count = "denied"
	}
	return out
}

// Render draws the group. A collapsed group shows only the current kind.
func (p *group) Render() app.UI {
	items := make([]app.UI, 0, len(p.Items))
	for _, k := range p.Items {
		if k.Here || !p.Shut {
			items = append(items, k.draw())
		}
	}
	heading := app.UI(app.Div().Hidden(true))
	if p.Name != "" {
		heading = app.H2().Body(app.Button().Class("fold").DataSet("action", ui.ToggleGroup).DataSet("value", p.Name).Attr("aria-expanded", !p.Shut).Text(p.Name))
	}
	return app.Elem("section").Class("group").Hidden(len(p.Items) == 0).Body(
		heading,
		app.Div().Body(items...),
	)
}

func (k item) draw() app.UI {
	a := app.A().Class("item").Href(k.Href).DataSet("action", ui.GoTo).DataSet("value", k.ID).Title(k.ID).Attr("aria-current", "false")
	if k.Here {
		a = a.Attr("aria-current", "page")
	}
	return app.Div().Class("entry").Body(
		a.Body(app.Span().Class("name").Text(k.Name), app.Span().Class("number").Text(k.Count)),
		k.starButton(),
	)
}

// Offers returns all kinds in the order of the sidebar.
func (s *Sidebar) Offers() []ui.Offer {
	var all []ui.Offer
	for _, part := range s.groups() {
		for _, k := range part.Items {
			plural, _, _ := strings.Cut(k.ID, ".")
			o := ui.Offer{Action: ui.GoTo, Value: k.ID, Text: k.Name, Hint: k.ID, Names: []string{plural, k.ID}}
			for _, served := range s.kinds {
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

// KindName returns the name shown for a kind.
func (s *Sidebar) KindName(id string) string {
	for _, part := range s.groups() {
		for _, k := range part.Items {
			if k.ID == id {
				return k.Name
			}
		}
	}
	return s.Called(id) // a favourite that this cluster does not serve
}
