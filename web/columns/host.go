package columns

import (
	"watchglass/internal/query"
	"watchglass/internal/view"
	"watchglass/web/route"
	"watchglass/web/ui"
)

// Host is what the chooser needs of the page. Its methods are called with the page's lock.
type Host interface {
	// Address returns what the page shows. Navigate changes it; with step, Back undoes the change.
	Address() route.Address
	Navigate(step bool, change func(a *route.Address))
	// Here returns the resource on screen.
	Here() string
	// Redraw draws the page soon.
	Redraw()
	// CloseOverlays closes what lies over the list, except dialogs.
	CloseOverlays()
	// Window returns what the list shows. It is to be read only.
	Window() *view.Window
	// Paint paints the rows again; Pixels returns how wide a column is painted, 0 if it isn't.
	Paint()
	Pixels(column string) int
	// Labels returns the names of the labels that objects of the list have, as last counted.
	// CountLabels has them counted again unless that was done lately, and redraws once they are.
	Labels() []query.ValueCount
	CountLabels()
}

// Browser is what the chooser needs of the browser.
type Browser interface {
	// Focus moves the focus to the element with an ID. SetField sets the value of a field.
	Focus(id string)
	SetField(id, value string)
	ui.Memory
}
