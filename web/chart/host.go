package chart

import (
	"watchglass/internal/port"
	"watchglass/web/route"
	"watchglass/web/ui"
)

// Host is what a chart needs of the page. Its methods are called with the page's lock.
type Host interface {
	// Address returns what the page shows. Navigate changes it; with step, Back undoes the change. GoTo goes to another
	// list, or to an object in it. Href returns an address as a link has it.
	Address() route.Address
	Navigate(step bool, change func(a *route.Address))
	GoTo(to route.Address)
	Href(a route.Address) string
	// TravelTo goes back to a time, in milliseconds since 1970. HasHistory reports whether any is remembered.
	TravelTo(milli int64)
	HasHistory() bool
	// NotifyWith shows a notice with the button of an action.
	NotifyWith(text string, action ui.Action, value, label string)
	// PopoverOpen reports whether a popover is open.
	PopoverOpen(name string) bool
	// FocusOpen moves the focus to the tab of the open object.
	FocusOpen()
	// Redraw draws the page soon. RedrawSoon shares a redraw with others.
	Redraw()
	RedrawSoon()
	// Send sends the worker a message.
	Send(m port.Message)
}

// ListHost is what the timeline above the list needs of the page.
type ListHost interface {
	Host
	// Framed reports whether the page is in a frame, which shows no timeline.
	Framed() bool
	// ShowsPanel reports whether a panel with a message replaces the rows.
	ShowsPanel() bool
	// Pick includes a value of a facet in the filter, or excludes it again.
	Pick(facet, value string)
	// SetFields sets the fields of the page from its address. Changed requests and draws what the page shows.
	SetFields()
	Changed()
}

// Browser is what the timeline above the list needs of the browser.
type Browser interface {
	// Focus moves the focus to the element with an ID.
	Focus(id string)
	ui.Memory
}
