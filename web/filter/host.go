package filter

import (
	"encoding/json"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/route"
)

// Host is what the bar needs of the page. Its methods are called with the page's lock.
type Host interface {
	// Address returns what the page shows. Navigate changes it; with step, Back undoes the change.
	Address() route.Address
	Navigate(step bool, change func(a *route.Address))
	// NavigateTyped changes it to match a field. What is typed in one go is one step.
	NavigateTyped(field string, change func(a *route.Address))
	// Typing returns the field that the user is typing in; "" is none. StopTyping ends that.
	Typing() string
	StopTyping()
	// SetFields sets the fields of the page from its address.
	SetFields()
	// Redraw draws the page soon.
	Redraw()
	// Window returns what the list shows. It is to be read only.
	Window() *view.Window
	// Rewind scrolls the list to its top, for a new query. SendQueries sends the query to the worker, if it changed.
	Rewind()
	SendQueries()
	// Ask sends a request about the list to the worker, and calls then with the answer.
	Ask(method string, args json.RawMessage, then func(port.Answer))
}

// Browser is what the bar needs of the browser.
type Browser interface {
	// Focus moves the focus to the element with an ID. SetField sets the value of a field.
	Focus(id string)
	SetField(id, value string)
}
