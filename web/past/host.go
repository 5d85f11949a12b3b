package past

import (
	"encoding/json"

	"watchglass/internal/port"
	"watchglass/web/route"
	"watchglass/web/ui"
)

// Host is what going back in time needs of the page. Its methods are called with the page's lock, except Locked.
type Host interface {
	// Address returns what the page shows.
	Address() route.Address
	// Visit changes the address, and its moment to Past.Addressed; with step, Back undoes the change. VisitTyped makes
	// all changes that a field makes in one go one step. Amend changes the last step, which stays open to its field.
	Visit(step bool, change func(a *route.Address))
	VisitTyped(field string, change func(a *route.Address))
	Amend(change func(a *route.Address))
	// Traveling is called before the hub is asked for another moment: what shows only as long as the page stays where
	// it is, such as a pause, ends.
	Traveling()
	// ShowState sets the document's state and title.
	ShowState()
	// Redraw draws the page soon. RedrawSoon shares a redraw with others.
	Redraw()
	RedrawSoon()
	// Locked calls f with the page's lock; for callbacks from other goroutines.
	Locked(f func())
	// Send sends the hub a message. Ask sends it a request, and calls then with the answer.
	Send(m port.Message)
	Ask(method string, args json.RawMessage, then func(port.Answer))
	// Notify shows a short message.
	Notify(text string)
	// KeyOf returns the key of an action, as the page shows it.
	KeyOf(action ui.Action) string
}

// Browser is what going back in time needs of the browser.
type Browser interface {
	// Focus moves the focus to the element with an ID. SetField sets the value of a field.
	Focus(id string)
	SetField(id, value string)
	// Remember stores a text under a name, and reports whether that succeeded. Recall returns it.
	Remember(name, text string) bool
	Recall(name string) string
	// Alone reports whether the page connects to no cluster, and whether the browser fetches a recording.
	Alone() (alone, fetches bool)
	// PickFile lets the user choose a recording to open.
	PickFile()
}
