package list

import (
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/grid"
	"watchglass/web/route"
	"watchglass/web/ui"
)

// Host is what the list needs of the page. Its methods are called with the page's lock, except Locked.
type Host interface {
	Page
	// SendQueries asks the worker for what the page shows now. It calls List.SendQuery, and does the same for all that follows the list.
	SendQueries()
	// Mode returns how the page shows the list.
	Mode() Mode
	// Begin is called when the list of another resource begins, whose state is not known.
	Begin(resource string)
	// Recount updates what is drawn of the counts of values.
	Recount()
	// Resized reports that the height of the list or of its rows may have changed.
	Resized()
	// Columns returns the columns that the user chose.
	Columns() Columns
	// Objects returns what the grid needs to know of the objects. Notes returns the notes in the headings, by column.
	Objects() grid.Objects
	Notes() map[string]string
	// OpenGroup shows the objects of a group. Opened is called with the key of the object that was opened, or with ""
	// when it was closed.
	OpenGroup(key string)
	Opened(key string)
}

// Page is what the list needs of the page as a whole.
type Page interface {
	// Address returns what the page shows. Navigate changes it; with step, Back undoes the change.
	Address() route.Address
	Navigate(step bool, change func(a *route.Address))
	// State returns the state of the list's source.
	State() port.State
	// Send sends the worker a message.
	Send(m port.Message)
	// Redraw draws the page soon. RedrawSoon shares a redraw with others.
	Redraw()
	RedrawSoon()
	// Locked calls f with the page's lock; for callbacks from other goroutines.
	Locked(f func())
	// Notify shows a notice.
	Notify(text string)
}

// Mode is how the page shows the list.
type Mode struct {
	Past       bool // a moment of the past
	Alone      bool // one object and no list
	Held       bool // the page around a frame holds updates back
	Exporting  bool // the rows are being exported
	Suggesting bool // the filter has suggestions
}

// Columns are the columns that the user chose.
type Columns interface {
	// Widths returns how wide the columns are that have a width of their own.
	Widths() grid.Sizes
	// Reveal shows a column that the list is sorted by. Shows reports whether a column is on screen.
	Reveal(name string)
	Shows(c view.Column) bool
}

// Browser is what the list needs of the browser.
type Browser interface {
	// Scroll sets the list's scroll position, in pixels.
	Scroll(top int)
	// SetRowHeight sets the height of the list's rows. Touch reports whether a finger points at them.
	SetRowHeight(pixels int)
	Touch() bool
	// Focus moves the focus to the element with an ID.
	Focus(id string)
	// Mark sets a performance mark.
	Mark(name string)
	ui.Memory
}
