package commands

import (
	"watchglass/web/kubectl"
	"watchglass/web/ui"
)

// Host is what the commands need of the page.
type Host interface {
	// OpenObject returns the object that is open, if one is.
	OpenObject() (of kubectl.Object, open bool)
	// Target returns the object that keys act on: the open one, else that of the active row.
	Target() kubectl.Object
	// Caution says what commands act on, if that may not be what is on screen; else it is "".
	Caution() string
	// Copy copies a text to the clipboard, and shows a notice.
	Copy(text, said string)
	// Notify shows a notice.
	Notify(text string)
	// Redraw draws the page soon.
	Redraw()
}

// Browser is what the commands need of the browser.
type Browser interface {
	ui.Memory
	// Windows reports whether the browser runs on Windows.
	Windows() bool
}
