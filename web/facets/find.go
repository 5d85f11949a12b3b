package facets

import (
	"slices"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/web/route"
	"watchglass/web/ui"
)

// FindField is the field that finds a namespace.
const FindField = "find"

// Typed finds the namespaces with a text in their names.
func (fp *Pane) Typed(text string) {
	fp.find = strings.TrimSpace(text)
	fp.host.Redraw()
}

// ClearFind empties the field.
func (fp *Pane) ClearFind() {
	fp.find = ""
	fp.browser.SetField(FindField, "")
}

// enter handles Enter in the namespace search. It chooses the exact or only match, or adds the
// name if the cluster's namespaces are not known.
func (fp *Pane) enter() {
	rights := fp.host.Rights()
	found := slices.DeleteFunc(slices.Clone(rights.Known), func(name string) bool { return !strings.Contains(name, fp.find) })
	switch {
	case fp.find == "":
	case slices.Contains(found, fp.find):
		fp.choose(fp.find, false)
	case rights.Partial:
		fp.host.AddNamespace(fp.find)
	case len(found) == 1:
		fp.choose(found[0], false)
	}
}

// drawAdding draws the button that adds the typed namespace, or says why it can't be added.
func (fp *Pane) drawAdding(rights Rights) app.UI {
	switch {
	case !rights.Partial || fp.find == "" || slices.Contains(rights.Known, fp.find):
		return app.P().Class("dim").Hidden(true)
	case !route.IsNamespace(fp.find):
		return app.P().Class("dim").Text("Not a valid namespace name.")
	}
	return app.Button().Class("more dim").DataSet("action", ui.AddNamespace).DataSet("value", fp.find).Text("Add " + fp.find + " ↵")
}
