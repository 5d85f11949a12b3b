package facets

import (
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/route"
	"watchglass/web/ui"
)

// Host is what the pane needs of the page. Its methods are called with the page's lock.
type Host interface {
	// Address returns what the page shows. Navigate changes it; with step, Back undoes the change.
	Address() route.Address
	Navigate(step bool, change func(a *route.Address))
	// SetFields sets the fields of the page from its address.
	SetFields()
	// KeyOf returns the key of an action, as the page shows it.
	KeyOf(action ui.Action) string
	// Redraw draws the page soon.
	Redraw()
	// HideKinds hides the sidebar, if it is open over the list.
	HideKinds()
	// Folded reports whether a group's default, open or folded, was changed.
	Folded(group string) bool
	// State returns the state of the list's source.
	State() port.State
	// Window returns what the list shows. It is to be read only.
	Window() *view.Window
	// Rewind scrolls the list to its top, for a new query.
	Rewind()
	// ShowsPanel reports whether a panel with a message replaces the rows.
	ShowsPanel() bool
	// Rights returns what is known of namespaces. AddNamespace adds one to those that are shown.
	Rights() Rights
	AddNamespace(name string)
	// Note returns what is missing of a column; "" is nothing.
	Note(gap view.Gap) string
}

// Rights are the namespaces of a cluster, as far as its user may see them.
type Rights struct {
	Known      []string // all that the page has heard of
	Partial    bool     // there may be more, because the user may not list the whole cluster
	Denied     []string // the user may not list them
	Remembered []string // the user added them
}

// Browser is what the pane needs of the browser.
type Browser interface {
	// Focus moves the focus to the element with an ID. SetField sets the value of a field.
	Focus(id string)
	SetField(id, value string)
}
