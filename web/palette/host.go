package palette

import (
	"encoding/json"

	"watchglass/internal/port"
	"watchglass/web/ui"
)

// Host is what the palette needs of the page.
type Host interface {
	// Offers returns the entries that can be found, without objects: all of them, or only some, such as ui.Contexts.
	Offers(only string) []ui.Offer
	// KindOffers returns the entries of the kinds, in the order of the sidebar.
	KindOffers() []ui.Offer
	// Namespaces returns the namespaces that the page knows.
	Namespaces() []string
	// ListName returns the name of a kind's list.
	ListName(resource string) string
	// ActByKey runs the action of an entry.
	ActByKey(action ui.Action, value string)
	// CloseOverlays closes what lies over the list, except dialogs.
	CloseOverlays()
	// WatchKinds requests the names of all kinds.
	WatchKinds()
	// FocusOpen moves the focus to the open object, else to the list.
	FocusOpen()
	// Ask sends a request to the worker, and calls then with the answer.
	Ask(method string, args json.RawMessage, then func(port.Answer))
	// Notify shows a notice.
	Notify(text string)
	// Redraw draws the page soon.
	Redraw()
}

// Browser is what the palette needs of the browser.
type Browser interface {
	// Focus moves the focus to the element with an ID, if there is one.
	Focus(id string)
}
