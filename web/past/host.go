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
	// Navigate changes the address, and sets its moment to Past.MomentFor; with step, Back undoes the change. NavigateTyped
	// changes it to match a field: all changes in one go are one step. Amend changes it as part of the last step.
	Navigate(step bool, change func(a *route.Address))
	NavigateTyped(field string, change func(a *route.Address))
	Amend(change func(a *route.Address))
	// BeforeTravel is called before the worker is asked for another moment. It ends what holds for one moment only, such
	// as a pause.
	BeforeTravel()
	// ShowState sets the document's state and title.
	ShowState()
	// Redraw draws the page soon. RedrawSoon shares a redraw with others.
	Redraw()
	RedrawSoon()
	// Locked calls f with the page's lock; for callbacks from other goroutines.
	Locked(f func())
	// Send sends the worker a message. Ask sends it a request, and calls then with the answer.
	Send(m port.Message)
	Ask(method string, args json.RawMessage, then func(port.Answer))
	// Transfer sends a request for something long, whose ID it returns, and calls then with the answer, which ends it.
	// Cancel ends it without an answer, unless it has ended.
	Transfer(method string, args json.RawMessage, t port.Transfer, then func(port.Answer)) (id uint32)
	Cancel(id uint32)
	// Notify shows a notice.
	Notify(text string)
	// KeyOf returns the key of an action, as the page shows it. Tip returns the tooltip of an action that has a key.
	KeyOf(action ui.Action) string
	Tip(action ui.Action, value string) string
}

// Browser is what going back in time needs of the browser.
type Browser interface {
	// Focus moves the focus to the element with an ID. SetField sets the value of a field.
	Focus(id string)
	SetField(id, value string)
	ui.Memory
	// Alone reports whether the page connects to no cluster, and whether the browser fetches a recording.
	Alone() (alone, fetches bool)
	// PickFile lets the user choose a recording to open.
	PickFile()
}
