package overview

import (
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// Host is what the overview needs of the page. Its methods are called with the page's lock.
type Host interface {
	// Address returns what the page shows. Href returns an address as a link has it.
	Address() route.Address
	Href(a route.Address) string
	// State returns the state of the list's source. ShowState sets the document's state and title.
	State() port.State
	ShowState()
	// Framed reports whether the page is in a frame.
	Framed() bool
	// Context returns the name of the context on screen.
	Context() string
	// InPast reports whether a moment of the past is on screen, and Now returns the time that ages count from.
	InPast() bool
	Now() time.Time
	// ActiveRow returns the key of the marked row.
	ActiveRow() string
	// StarredKinds returns the favourites that are kinds, and Served the kind of a resource, as far as it is known.
	StarredKinds() []string
	Served(resource string) string
	// NoteGaps notes what the problems lack. Gaps returns what the list lacks, and DrawMissing draws it.
	NoteGaps(gaps []view.Gap)
	Gaps() []words.Gap
	DrawMissing(gaps []words.Gap) []app.UI
	// Redraw draws the page soon. RedrawSoon shares a redraw with others.
	Redraw()
	RedrawSoon()
	// Send sends the worker a message.
	Send(m port.Message)
}

// Browser is what the overview needs of the browser.
type Browser interface {
	ui.Memory
	// User returns the user of the page's session, who is known before the page connects, and Origin the page's origin.
	User() string
	Origin() string
}
