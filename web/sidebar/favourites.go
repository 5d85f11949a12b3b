package sidebar

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/web/ui"
	"watchglass/web/words"
)

// The groups of the sidebar that the user fills.
const (
	starredGroup = "Favourites"
	viewsGroup   = "Views"
)

// star adds a kind to the favourites or removes it. Without a kind it takes the current one.
func (s *Sidebar) star(id string) {
	if id == "" {
		id = s.current()
	}
	s.Recall()
	message := " added to favourites."
	if slices.Contains(s.starred, id) {
		s.starred = slices.DeleteFunc(s.starred, func(s string) bool { return s == id })
		message = " removed from favourites."
	} else {
		s.starred = append(s.starred, id)
	}
	s.views.NoteStored(s.browser.Remember("starred"+s.base, strings.Join(s.starred, ",")))
	s.host.FollowFavourites()
	s.views.SaySaved(s.KindName(id) + message)
}

// Recall loads the favourites again, since another tab may have changed them.
func (s *Sidebar) Recall() {
	if s.views.Stores() {
		s.starred = recalledStarred(s.browser, s.base)
	}
}

// recalledStarred returns the favourites stored for a base path.
func recalledStarred(b Browser, base string) []string {
	return slices.DeleteFunc(strings.Split(b.Recall("starred"+base), ","), func(id string) bool { return id == "" })
}

// StarredKinds returns the favourites that are kinds: those above the kinds are pages.
func (s *Sidebar) StarredKinds() []string {
	return slices.DeleteFunc(slices.Clone(s.starred), func(id string) bool {
		return slices.ContainsFunc(starts.Kinds, func(k words.Kind) bool { return k.ID == id })
	})
}

// drawFavourites draws the favourites and the saved views. It draws both even if they are empty, so
// that the kinds below keep the focus when the first one is added.
func (s *Sidebar) drawFavourites() []app.UI {
	favourites := group{Name: starredGroup, Shut: s.folded[starredGroup]}
	for _, id := range s.starred {
		favourites.Items = append(favourites.Items, s.item(id, s.KindName(id)))
	}
	list := viewList{Shut: s.folded[viewsGroup]}
	here, context := s.views.Current(), s.host.Address().Context
	for _, k := range s.views.Saved() {
		list.Items = append(list.Items, viewItem{k.Name, k.Parse(context).String(""), s.host.Href(k.Parse(context)), k.Address == here})
	}
	return []app.UI{&favourites, &list}
}

// viewList draws the saved views in the sidebar. Like a group, it is redrawn only when it has
// changed.
type viewList struct {
	app.Compo
	Shut  bool
	Items []viewItem
}

type viewItem struct {
	Name, Address, Href string
	Here                bool
}

// Render draws the views. When collapsed, it shows only the current one.
func (l *viewList) Render() app.UI {
	var items []app.UI
	for _, k := range l.Items {
		if k.Here || !l.Shut {
			items = append(items, k.draw())
		}
	}
	return app.Elem("section").Class("group").Hidden(len(l.Items) == 0).Body(
		app.H2().Body(app.Button().Class("fold").DataSet("action", ui.ToggleGroup).DataSet("value", viewsGroup).Attr("aria-expanded", !l.Shut).Text("★ "+viewsGroup)),
		app.Div().Body(items...),
	)
}

func (k viewItem) draw() app.UI {
	link := app.A().Class("item").Href(k.Href).DataSet("action", ui.OpenView).DataSet("value", k.Name).Title(k.Name+" · "+k.Address).Attr("aria-current", current(k.Here))
	return app.Div().Class("entry").Body(
		link.Body(app.Span().Class("name").Text(k.Name)),
		app.Span().Class("tools").Body(
			app.Button().Class("tool").DataSet("action", ui.RenameView).DataSet("value", k.Name).Title("Rename").Attr("aria-label", "Rename "+k.Name).Text("✎"),
			app.Button().Class("tool").DataSet("action", ui.RemoveView).DataSet("value", k.Name).Title("Remove").Attr("aria-label", "Remove "+k.Name).Text("×"),
		),
	)
}

func current(here bool) string {
	if here {
		return "page"
	}
	return "false"
}

// starButton draws the star beside a kind, for the pointer only. The shortcut stars the
// focused kind.
func (k item) starButton() app.UI {
	glyph, label := "☆", "Add "+k.Name+" to favourites"
	if k.Starred {
		glyph, label = "★", "Remove "+k.Name+" from favourites"
	}
	return app.Button().Class("star").TabIndex(-1).DataSet("action", star).DataSet("value", k.ID).Attr("aria-pressed", k.Starred).Title(label).Attr("aria-label", label).Text(glyph)
}
