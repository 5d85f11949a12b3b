package sidebar

import (
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/route"
	"watchglass/web/tools"
	"watchglass/web/ui"
)

// Host is what the sidebar needs of the page. Its methods are called with the page's lock.
type Host interface {
	// Address returns what the page shows, and Here the resource of its list. Href returns an address as a link has it.
	Address() route.Address
	Here() string
	Href(a route.Address) string
	// Navigate changes the address; with step, Back undoes the change. GoTo goes to another list. Resume ends the list's
	// pause before that, and SavedColumns returns the columns that the user saved for it.
	Navigate(step bool, change func(a *route.Address))
	GoTo(to route.Address)
	Resume()
	SavedColumns(resource string) string
	// State returns the state of the list's source, and Window what the list shows. It is to be read only.
	State() port.State
	Window() *view.Window
	// ShowsPanel reports whether a panel with a message replaces the rows, and Clear whether there are known to be no problems.
	ShowsPanel() bool
	Clear() bool
	// InPast reports whether a moment of the past is on screen, and Denied whether the user may not list a kind at all.
	InPast() bool
	Denied(kind string) bool
	// HideFacets hides the facets, if they are open over the list.
	HideFacets()
	// FollowFavourites is called when the favourites have changed.
	FollowFavourites()
	// Redraw draws the page soon. RedrawSoon shares a redraw with others.
	Redraw()
	RedrawSoon()
	// Send sends the worker a message.
	Send(m port.Message)
}

// Views are the saved views, which the browser stores as it does the favourites.
type Views interface {
	// Saved returns the views, and Current the address of the view on screen, as they have it.
	Saved() []tools.View
	Current() string
	// Stores reports whether the browser stores what the user saves. NoteStored notes whether it has done so, and SaySaved
	// says what was saved.
	Stores() bool
	NoteStored(stored bool)
	SaySaved(text string)
}

// Browser is what the sidebar needs of the browser.
type Browser interface {
	ui.Memory
}
