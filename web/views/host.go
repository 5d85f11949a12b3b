package views

import (
	"watchglass/web/route"
	"watchglass/web/ui"
)

// Host is what the views need of the page.
type Host interface {
	// Address returns what the page shows, and Here the resource of its list.
	Address() route.Address
	Here() string
	// GoTo goes to another list, as one step that Back undoes. Resume ends the list's pause before that.
	GoTo(to route.Address)
	Resume()
	// KindName returns the name of a kind.
	KindName(id string) string
	// ShowImport opens the dialog in which views are imported, with the reason why none were, if that is so.
	ShowImport(failed string)
	// Notify shows a notice, and NotifyWith one with the button of an action.
	Notify(text string)
	NotifyWith(text string, action ui.Action, value, label string)
	// Redraw draws the page soon.
	Redraw()
}

// Browser is what the views need of the browser.
type Browser interface {
	ui.Memory
	// Save downloads a file.
	Save(name, mime string, pieces [][]byte)
	// Focus moves the focus to the element with an ID, if there is one.
	Focus(id string)
}
