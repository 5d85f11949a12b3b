package drawer

import (
	"cmp"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// markCommands returns the commands that mark an object to compare others with. The address has the object.
func (d *Drawer) markCommands() []ui.Command {
	return []ui.Command{
		{ID: ui.Compare, Keys: []string{"="}, Title: "Mark object, or compare with the marked one", Do: d.toggleMark, OfTarget: true},
		{ID: ui.Unmark, Do: d.unmark},
	}
}

// toggleMark marks the object that keys act on, or removes the mark from it. If another object is
// marked, it opens the comparison of the two.
func (d *Drawer) toggleMark() {
	key := d.host.TargetRow()
	of := d.host.Address().ObjectOf(key)
	if of.Name == "" {
		d.host.Notify("Select an object to compare.")
		return
	}
	if !d.host.Address().Mixed() {
		of.Resource = d.host.Here()
	}
	if !d.applies(of.Resource, TabOf(route.CompareID)) {
		d.openTab(key, route.CompareID) // says so: a mark would lead nowhere
		return
	}
	this := route.Object{Resource: of.Resource, Namespace: of.Namespace, Name: of.Name}
	switch d.Marked() {
	case route.Object{}:
		d.Mark(this, false)
		d.host.Notify("Marked " + this.Name + ". Press = on another object to compare.")
	case this:
		d.unmark()
	default:
		d.openTab(key, route.CompareID)
	}
}

// Marked returns the object that is marked. Its context is "" if it is the page's own.
func (d *Drawer) Marked() route.Object {
	with := d.host.Address().With
	if with.Context == d.host.Address().Context || with.Context == d.host.Contexts().Here {
		with.Context = ""
	}
	return with
}

// Mark marks an object; with step, Back undoes that.
func (d *Drawer) Mark(o route.Object, step bool) {
	d.host.Edit(step, func(a *route.Address) { a.With, a.Flip = o, false })
}

func (d *Drawer) unmark() { d.Mark(route.Object{}, false) }

// MarkedIn returns what is marked, as another context names it.
func (d *Drawer) MarkedIn(context string) route.Object {
	with := d.Marked()
	switch {
	case with.Name == "":
	case with.Context == context:
		with.Context = ""
	default:
		with.Context = cmp.Or(with.Context, d.host.Contexts().Here)
	}
	return with
}

// DrawMark draws what is marked, with a button that removes the mark.
func (d *Drawer) DrawMark() app.UI {
	with := d.Marked()
	title := d.host.KindName(with.Resource) + " " + words.Name(with.Ref().Key())
	if with.Context != "" {
		title += " in " + words.Name(with.Context)
	}
	return app.Span().ID("marked").Class("marked").Hidden(with.Name == "").Attr("role", "group").Attr("aria-label", "Marked to compare").Body(
		app.Span().Class("name").Title(title+" is marked. Press = on another object to compare.").Body(
			app.Span().Attr("aria-hidden", "true").Class("glyph").Text("="), app.Span().Text(words.Name(with.Name))),
		app.Button().Class("icon").DataSet("action", ui.Unmark).Title("Remove mark").Attr("aria-label", "Remove mark").Text("×"),
	)
}
