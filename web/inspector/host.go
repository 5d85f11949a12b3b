package inspector

import (
	"encoding/json"

	"watchglass/internal/port"
)

// Host is what the inspector needs of the page.
type Host interface {
	// Ask sends a request to the worker, and calls then with the answer.
	Ask(method string, args json.RawMessage, then func(port.Answer))
	// Locked calls a function with the page's lock.
	Locked(f func())
	// Version returns the version of the proxy that serves the page; "" if it isn't known.
	Version() string
	// Copy copies a text to the clipboard, and shows a notice.
	Copy(text, said string)
	// Redraw draws the page soon.
	Redraw()
}
