package session

import (
	"watchglass/internal/port"
	"watchglass/web/route"
)

// Host is what the session needs of the page. Its methods are called with the page's lock, except Locked.
type Host interface {
	// Address returns what the page shows. Href returns an address as a link has it.
	Address() route.Address
	Href(a route.Address) string
	// State returns the state of the list and of the connection.
	State() port.State
	// Framed reports whether the page is in a frame.
	Framed() bool
	// MarkedIn returns the object that is marked to compare with, as another context names it.
	MarkedIn(context string) route.Object
	// Notify shows a notice.
	Notify(text string)
	// Locked calls f with the page's lock; for callbacks from other goroutines.
	Locked(f func())
}

// Past is what the session needs to know of the moment on screen.
type Past interface {
	// On reports whether the page shows the past, or a recording. Recorded returns that recording, or nil.
	On() bool
	Recorded() *port.RecordingInfo
}

// Access says what the user may not read, as far as it is known.
type Access interface {
	Limits() string
}

// Browser is what the session needs of the browser.
type Browser interface {
	// SignOut ends the session; failed gets the reason if that fails.
	SignOut(failed func(why string))
	// Switch loads an address in another context. The user has chosen it, so the browser does not ask for confirmation.
	Switch(context, address string)
}
