package recording

import (
	"encoding/json"
	"time"

	"watchglass/internal/port"
	"watchglass/web/route"
	"watchglass/web/ui"
)

// Host is what the recorder needs of the page. Its methods are called with the page's lock, except Locked.
type Host interface {
	// Address returns what the page shows. Href returns an address as a link has it.
	Address() route.Address
	Href(a route.Address) string
	// State returns the state of the list and of the connection.
	State() port.State
	// ListName returns the name of a kind's list.
	ListName(resource string) string
	// KeyOf returns the key of an action, as the page shows it.
	KeyOf(action ui.Action) string
	// Notify shows a notice, and NotifyWith one with the button of an action. What Progress shows stays, with a button
	// that stops what is going on, until another notice.
	Notify(text string)
	NotifyWith(text string, action ui.Action, value, label string)
	Progress(text string, stop ui.Action)
	// Redraw draws the page soon.
	Redraw()
	// Locked calls f with the page's lock; for callbacks from other goroutines.
	Locked(f func())
	// Send sends the worker a message. Ask sends it a request, and calls then with the answer.
	Send(m port.Message)
	Ask(method string, args json.RawMessage, then func(port.Answer))
	// Transfer sends a request for something long, whose ID it returns, and calls then with the answer, which ends it.
	// Cancel ends it without an answer, unless it has ended.
	Transfer(method string, args json.RawMessage, t port.Transfer, then func(port.Answer)) (id uint32)
	Cancel(id uint32)
}

// Past is what the recorder needs to know of the moment on screen.
type Past interface {
	// Empty reports whether there is nothing to record.
	Empty() bool
	// On reports whether the page shows the past, or a recording. Recorded returns that recording, or nil.
	On() bool
	Recorded() *port.RecordingInfo
	// Span returns the moments that are remembered.
	Span() (from, to time.Time)
	// MemoryOnly names the features that do not use the history on disk; "" if that makes no difference.
	MemoryOnly() string
}

// Browser is what the recorder needs of the browser.
type Browser interface {
	// Unsaved says whether the browser asks the user before it leaves the page: something would be lost.
	Unsaved(on bool)
	// Pack begins a compressed file; the second result says why it can't.
	Pack() (ui.Packer, string)
}
