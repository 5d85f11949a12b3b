package dom

import (
	"encoding/json"
	"time"

	"watchglass/internal/port"
	"watchglass/web/grid"
	"watchglass/web/ui"
)

// Host is the page, as the browser reports to it. Its methods may be called from any goroutine.
type Host interface {
	Painted
	Pointed
	// Takes reports whether the page handles a key, and Modal whether a dialog blocks the rest of the page. Neither waits.
	// Press handles a key, Act an action, and Typed the text of a field.
	Takes(k ui.Key) bool
	Modal() bool
	Press(k ui.Key) bool
	Act(action ui.Action, value string)
	Typed(field, value string)
	// Moved reports that Back or Forward has changed the address, and Focused which element has the focus.
	Moved(path, query string)
	Focused(id string)
	// Presence reports whether the page is on screen, and whether there is a network.
	Presence(visible, online bool)
	// Stored reports that another tab has changed what the browser stores.
	Stored()
	// Import adds the views of a file. OpenFile opens a recording, and Fetched the one that was published with the page.
	Import(text, failed string)
	OpenFile(f ui.File)
	Fetched(name string, f ui.File, failed string)
	// Renewed reports that the session was renewed, by the renewal's ID, and Lost that there is none in another context
	// anymore, and why.
	Renewed(id string)
	Lost(context, why string)
	// Ask sends a request to the worker, and waits for the answer. On calls f for each event with a name, until off is
	// called. Travel goes to a moment, and Past returns the one on screen, as scripts see it.
	Ask(method string, args json.RawMessage) port.Answer
	On(event string, f func(json.RawMessage)) (off func())
	Travel(at time.Time) (doc json.RawMessage, failed string)
	Past() json.RawMessage
	// OnHostMessage hands over a message of the page around a frame.
	OnHostMessage(doc []byte)
}

// Painted is what the page paints into, and what it is told of sizes and positions, in pixels.
type Painted interface {
	// Fields writes the filter and the labels of the address into their fields.
	Fields()
	Attach(painter grid.Painter, height int)
	AttachText(painter grid.TextPainter)
	AttachGraph(painter grid.GraphPainter, narrow bool)
	Scrolled(top, height int)
	Resized(width int, font grid.Font)
	TextScrolled(top, height, columns int)
	GraphResized(narrow bool)
	// Size sets a column's width while its edge is dragged; with done the address keeps it.
	Size(name string, width int, done bool)
	// DrawerWidth returns the width that the user gave the drawer; 0 is the style sheet's. SizedDrawer reports another.
	DrawerWidth() int
	SizedDrawer(width int)
}

// Pointed is what the page is told of the pointer.
type Pointed interface {
	// Pointed reports that the pointer has entered the list or moved in it, or has left it.
	Pointed(in bool)
	// Clicked reports a click on a row, Dismissed one outside of the popovers, and ClickedElsewhere one outside of the facets.
	Clicked(key string)
	Dismissed()
	ClickedElsewhere()
	// Brushed reports what the pointer does in the bars of a field, and where: from 0, 0 at their top left to 1, 1.
	Brushed(field string, phase ui.BrushPhase, x, y float64)
}

// Shell is what go-app draws of the page, once it is in the document.
type Shell struct {
	// Redraw draws the shell with the next frame.
	Redraw func()
	// WhenDrawn draws the shell now, and then calls a function. It returns before that: both happen before the browser's
	// next event.
	WhenDrawn func(then func())
}
