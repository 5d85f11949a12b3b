package web

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"
)

// The groups of the rail that a person makes.
const (
	starredGroup = "Favourites"
	viewsGroup   = "Views"
)

// star makes a kind a favourite, or no more; without one the kind on screen.
func (s *sidebar) star(id string) {
	if id == "" {
		id = s.here()
	}
	s.recallStarred()
	said := " is among the favourites."
	if slices.Contains(s.starred, id) {
		s.starred = slices.DeleteFunc(slices.Clone(s.starred), func(s string) bool { return s == id }) // a sight may have it
		said = " is no favourite any more."
	} else {
		s.starred = append(slices.Clone(s.starred), id)
	}
	s.views.forgetful = !s.browser.Remember("starred"+s.base, strings.Join(s.starred, ","))
	s.views.saySaved(s.kindName(id) + said)
}

func (s *sidebar) recallStarred() {
	if !s.views.forgetful {
		s.starred = recalledStarred(s.browser, s.base)
	}
}

// recalledStarred are the favourites that the browser keeps, for one base.
func recalledStarred(b Browser, base string) []string {
	return slices.DeleteFunc(strings.Split(b.Recall("starred"+base), ","), func(id string) bool { return id == "" })
}

// kindName is how people name a kind.
func (s *sidebar) kindName(id string) string {
	for _, part := range s.groups() {
		for _, k := range part.Items {
			if k.ID == id {
				return k.Name
			}
		}
	}
	return s.called(id) // a favourite that this server does not have
}

// shelf are the favourites and the kept views, above the kinds. They have their place
// even if there are none: what stands below keeps the focus when the first comes.
func (s *sidebar) shelf() []app.UI {
	favourites := group{Name: starredGroup, Shut: s.folded[starredGroup]}
	for _, id := range s.starred {
		favourites.Items = append(favourites.Items, s.item(id, s.kindName(id)))
	}
	list := viewList{Shut: s.folded[viewsGroup]}
	here := s.views.view()
	for _, k := range s.views.saved {
		list.Items = append(list.Items, viewItem{k.Name, k.address(s.address.Context).String(""), k.address(s.address.Context).String(s.base), k.Address == here})
	}
	return []app.UI{&favourites, &list}
}

// viewList is the kept views in the rail. Like a group it is drawn anew only when
// something in it has changed.
type viewList struct {
	app.Compo
	Shut  bool
	Items []viewItem
}

type viewItem struct {
	Name, Address, Href string
	Here                bool
}

// Render draws the views; of those that are folded the one on screen.
func (l *viewList) Render() app.UI {
	var items []app.UI
	for _, k := range l.Items {
		if k.Here || !l.Shut {
			items = append(items, k.draw())
		}
	}
	return app.Section().Class("group").Hidden(len(l.Items) == 0).Body(
		app.H2().Body(app.Button().Class("fold").DataSet("action", ToggleGroup).DataSet("value", viewsGroup).Attr("aria-expanded", !l.Shut).Text("★ "+viewsGroup)),
		app.Div().Body(items...),
	)
}

func (k viewItem) draw() app.UI {
	link := app.A().Class("item").Href(k.Href).DataSet("action", OpenView).DataSet("value", k.Name).Title(k.Name+" · "+k.Address).Attr("aria-current", current(k.Here))
	return app.Div().Class("entry").Body(
		link.Body(app.Span().Class("name").Text(k.Name)),
		app.Span().Class("tools").Body(
			app.Button().Class("tool").DataSet("action", RenameView).DataSet("value", k.Name).Title("Rename").Attr("aria-label", "Rename "+k.Name).Text("✎"),
			app.Button().Class("tool").DataSet("action", RemoveView).DataSet("value", k.Name).Title("Remove").Attr("aria-label", "Remove "+k.Name).Text("×"),
		),
	)
}

func current(here bool) string {
	if here {
		return "page"
	}
	return "false"
}

// starButton stands before a kind, for the pointer; for the keys there is one that
// stars whatever has the focus.
func (k item) starButton() app.UI {
	glyph, label := "☆", "Make "+k.Name+" a favourite"
	if k.Starred {
		glyph, label = "★", "Take "+k.Name+" out of the favourites"
	}
	return app.Button().Class("star").TabIndex(-1).DataSet("action", Star).DataSet("value", k.ID).Attr("aria-pressed", k.Starred).Title(label).Attr("aria-label", label).Text(glyph)
}

// viewOffers are the kept views, by their names and by what can be done with them.
func (v *views) offers() []offer {
	var open, change []offer
	for _, k := range v.saved {
		open = append(open, offer{action: OpenView, value: k.Name, text: "★ " + k.Name, hint: "view", names: []string{strings.ToLower(k.Name), "view " + strings.ToLower(k.Name)}})
		change = append(change,
			offer{action: RenameView, value: k.Name, text: "rename the view “" + k.Name + "”", names: []string{"rename " + strings.ToLower(k.Name)}},
			offer{action: RemoveView, value: k.Name, text: "remove the view “" + k.Name + "”", names: []string{"remove " + strings.ToLower(k.Name)}})
	}
	return append(open, change...)
}

// takeaways are what can be done with what is on screen, as the palette has it.
func (sh *share) offers() []offer {
	all := []offer{
		{action: CopyCommand, text: "copy the kubectl command"},
		{action: Export, value: asCSV, text: "export the rows as CSV"},
		{action: Export, value: asJSON, text: "export the rows as JSON"},
		{action: ImportViews, text: "import views from a file"},
	}
	if len(sh.views.saved) > 0 {
		all = append(all, offer{action: ExportViews, text: "export the views to a file"})
	}
	return all
}
