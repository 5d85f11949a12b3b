package access

import (
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// Host is what rights need of the page. Its methods are called with the page's lock.
type Host interface {
	// Address returns what the page shows, and Here the resource of its list. Navigate changes the address; with step, Back
	// undoes the change. Rewind scrolls the list to its top before that.
	Address() route.Address
	Here() string
	Navigate(step bool, change func(a *route.Address))
	Rewind()
	// State returns the state of the list's source.
	State() port.State
	// InPast reports whether a moment of the past is on screen, and InRecording whether it is one of a recording.
	InPast() bool
	InRecording() bool
	// CountedNamespaces returns the namespaces that objects were counted in. ClearFind clears the field that finds them.
	CountedNamespaces() []string
	ClearFind()
	// Called returns the name shown for a kind, and Derived reports whether the hub makes its objects. NameGaps returns gaps
	// with the names of their lists.
	Called(resource string) string
	Derived(resource string) bool
	NameGaps(gaps []view.Gap) []words.Gap
	// Redraw draws the page soon. RedrawSoon shares a redraw with others.
	Redraw()
	RedrawSoon()
	// Send sends the worker a message.
	Send(m port.Message)
}

// Browser is what rights need of the browser.
type Browser interface {
	ui.Memory
}
