package web

import (
	"cmp"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail/diff"
	"watchglass/internal/detail/yaml"
	"watchglass/web/route"
)

// toggle marks the object that keys act on, or removes the mark from it. If another object is
// marked, it opens the comparison of the two.
func (ct *compareTab) toggle() {
	key := ct.list.target()
	of := ct.address.ObjectOf(key)
	if of.Name == "" {
		ct.notices.say(notice{text: "Select an object to compare."})
		return
	}
	if !ct.address.Mixed() {
		of.Resource = ct.here()
	}
	if !ct.drawer.applies(of.Resource, route.CompareID) {
		ct.drawer.openTab(key, route.CompareID) // says so: a mark would lead nowhere
		return
	}
	this := route.Object{Resource: of.Resource, Namespace: of.Namespace, Name: of.Name}
	switch ct.marked() {
	case route.Object{}:
		ct.mark(this)
		ct.notices.say(notice{text: "Marked " + this.Name + ". Press = on another object to compare."})
	case this:
		ct.unmark()
	default:
		ct.drawer.openTab(key, route.CompareID)
	}
}

// marked returns the object that is marked. Its context is "" if it is the page's own.
func (ct *compareTab) marked() route.Object {
	with := ct.address.With
	if with.Context == ct.address.Context || with.Context == ct.session.context() {
		with.Context = ""
	}
	return with
}

func (ct *compareTab) mark(o route.Object) {
	ct.edit(false, func(a *route.Address) { a.With, a.Flip = o, false })
}

func (ct *compareTab) unmark() { ct.mark(route.Object{}) }

// elsewhere returns what is marked, as another context names it.
func (ct *compareTab) elsewhere(context string) route.Object {
	with := ct.marked()
	switch {
	case with.Name == "":
	case with.Context == context:
		with.Context = ""
	default:
		with.Context = cmp.Or(with.Context, ct.session.context())
	}
	return with
}

// longestAddressed is how many bytes are shown of a name in an address. No object has a longer one.
const longestAddressed = 253

// addressed returns a name as the page shows it, which somebody may have written into an address that is
// given to others.
func addressed(name string) string { return yaml.Visible(diff.Cut(name, longestAddressed)) }

// drawMarked draws what is marked, with a button that removes the mark.
func (ct *compareTab) drawMarked() app.UI {
	with := ct.marked()
	title := ct.sidebar.kindName(with.Resource) + " " + addressed(with.Ref().Key())
	if with.Context != "" {
		title += " in " + addressed(with.Context)
	}
	return app.Span().ID("marked").Class("marked").Hidden(with.Name == "").Attr("role", "group").Attr("aria-label", "Marked to compare").Body(
		app.Span().Class("name").Title(title+" is marked. Press = on another object to compare.").Body(
			app.Span().Attr("aria-hidden", "true").Class("glyph").Text("="), app.Span().Text(addressed(with.Name))),
		app.Button().Class("icon").DataSet("action", Unmark).Title("Remove mark").Attr("aria-label", "Remove mark").Text("×"),
	)
}
