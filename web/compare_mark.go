package web

import (
	"cmp"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/web/drawer"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// compareMark is the part that marks an object to compare others with. The address has the object.
type compareMark struct{ page *page }

func (mk *compareMark) Commands() []ui.Command {
	return []ui.Command{
		{ID: ui.Compare, Keys: []string{"="}, Title: "Mark object, or compare with the marked one", Do: mk.toggle, OfTarget: true},
		{ID: ui.Unmark, Do: mk.unmark},
	}
}

// toggle marks the object that keys act on, or removes the mark from it. If another object is
// marked, it opens the comparison of the two.
func (mk *compareMark) toggle() {
	key := mk.page.list.Target()
	of := mk.page.address.ObjectOf(key)
	if of.Name == "" {
		mk.page.notices.say(notice{text: "Select an object to compare."})
		return
	}
	if !mk.page.address.Mixed() {
		of.Resource = mk.page.Here()
	}
	if !mk.page.drawer.Applies(of.Resource, drawer.TabOf(route.CompareID)) {
		mk.page.drawer.OpenTab(key, route.CompareID) // says so: a mark would lead nowhere
		return
	}
	this := route.Object{Resource: of.Resource, Namespace: of.Namespace, Name: of.Name}
	switch mk.object() {
	case route.Object{}:
		mk.mark(this, false)
		mk.page.notices.say(notice{text: "Marked " + this.Name + ". Press = on another object to compare."})
	case this:
		mk.unmark()
	default:
		mk.page.drawer.OpenTab(key, route.CompareID)
	}
}

// object returns the object that is marked. Its context is "" if it is the page's own.
func (mk *compareMark) object() route.Object {
	with := mk.page.address.With
	if with.Context == mk.page.address.Context || with.Context == mk.page.session.context() {
		with.Context = ""
	}
	return with
}

// mark marks an object; with step, Back undoes that.
func (mk *compareMark) mark(o route.Object, step bool) {
	mk.page.edit(step, func(a *route.Address) { a.With, a.Flip = o, false })
}

func (mk *compareMark) unmark() { mk.mark(route.Object{}, false) }

// elsewhere returns what is marked, as another context names it.
func (mk *compareMark) elsewhere(context string) route.Object {
	with := mk.object()
	switch {
	case with.Name == "":
	case with.Context == context:
		with.Context = ""
	default:
		with.Context = cmp.Or(with.Context, mk.page.session.context())
	}
	return with
}

// draw draws what is marked, with a button that removes the mark.
func (mk *compareMark) draw() app.UI {
	with := mk.object()
	title := mk.page.sidebar.KindName(with.Resource) + " " + words.Name(with.Ref().Key())
	if with.Context != "" {
		title += " in " + words.Name(with.Context)
	}
	return app.Span().ID("marked").Class("marked").Hidden(with.Name == "").Attr("role", "group").Attr("aria-label", "Marked to compare").Body(
		app.Span().Class("name").Title(title+" is marked. Press = on another object to compare.").Body(
			app.Span().Attr("aria-hidden", "true").Class("glyph").Text("="), app.Span().Text(words.Name(with.Name))),
		app.Button().Class("icon").DataSet("action", ui.Unmark).Title("Remove mark").Attr("aria-label", "Remove mark").Text("×"),
	)
}
