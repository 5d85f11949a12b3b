package web

import (
	"cmp"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/detail/diff"
	"watchglass/internal/detail/yaml"
)

// otherObject is an object that is marked to compare others with. It is in the address.
type otherObject struct {
	Context   string // "": the page's
	Resource  string
	Namespace string
	Name      string
}

// parseOther parses RESOURCE:NAMESPACE/NAME or RESOURCE:NAME. What is not that marks nothing.
func parseOther(text, context string) otherObject {
	resource, key, _ := strings.Cut(text, ":") // names may contain colons, resources do not
	namespace, name, ok := strings.Cut(key, "/")
	if !ok {
		namespace, name = "", key
	}
	if resource == "" || name == "" {
		return otherObject{}
	}
	return otherObject{context, strings.ToLower(resource), namespace, name}
}

// String is the opposite of parseOther, without the context.
func (o otherObject) String() string {
	if o.Name == "" {
		return ""
	}
	return o.Resource + ":" + o.ref().Key()
}

func (o otherObject) ref() detail.Ref {
	return detail.Ref{Resource: o.Resource, Namespace: o.Namespace, Name: o.Name}
}

// toggle marks the object that keys act on, or removes the mark from it. If another object is
// marked, it opens the comparison of the two.
func (ct *compareTab) toggle() {
	key := ct.list.target()
	of := ct.address.objectOf(key)
	if of.Name == "" {
		ct.notices.say(notice{text: "Select an object to compare."})
		return
	}
	if !ct.address.mixed() {
		of.Resource = ct.here()
	}
	if !ct.drawer.applies(of.Resource, compareID) {
		ct.drawer.openTab(key, compareID) // says so: a mark would lead nowhere
		return
	}
	this := otherObject{Resource: of.Resource, Namespace: of.Namespace, Name: of.Name}
	switch ct.marked() {
	case otherObject{}:
		ct.mark(this)
		ct.notices.say(notice{text: "Marked " + this.Name + ". Press = on another object to compare."})
	case this:
		ct.unmark()
	default:
		ct.drawer.openTab(key, compareID)
	}
}

// marked returns the object that is marked. Its context is "" if it is the page's own.
func (ct *compareTab) marked() otherObject {
	with := ct.address.With
	if with.Context == ct.address.Context || with.Context == ct.session.context() {
		with.Context = ""
	}
	return with
}

func (ct *compareTab) mark(o otherObject) {
	ct.edit(false, func(a *Address) { a.With, a.Flip = o, false })
}

func (ct *compareTab) unmark() { ct.mark(otherObject{}) }

// elsewhere returns what is marked, as another context names it.
func (ct *compareTab) elsewhere(context string) otherObject {
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
	title := ct.sidebar.kindName(with.Resource) + " " + addressed(with.ref().Key())
	if with.Context != "" {
		title += " in " + addressed(with.Context)
	}
	return app.Span().ID("marked").Class("marked").Hidden(with.Name == "").Attr("role", "group").Attr("aria-label", "Marked to compare").Body(
		app.Span().Class("name").Title(title+" is marked. Press = on another object to compare.").Body(
			app.Span().Attr("aria-hidden", "true").Class("glyph").Text("="), app.Span().Text(addressed(with.Name))),
		app.Button().Class("icon").DataSet("action", Unmark).Title("Remove mark").Attr("aria-label", "Remove mark").Text("×"),
	)
}
