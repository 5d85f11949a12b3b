package compare

import (
	"watchglass/internal/port"
	"watchglass/web/route"
	"watchglass/web/tab"
)

// Host is what the tab needs of the page, beside what all tabs need.
type Host interface {
	tab.Host
	// Marked returns the object that is marked to compare with. It has no name if there is none, and no context if that
	// is the page's own.
	Marked() route.Object
	// Mark marks an object, as one step.
	Mark(o route.Object)
	// Contexts returns the contexts that objects may be of.
	Contexts() Contexts
	// KindName returns the name of a kind.
	KindName(resource string) string
	// AsOf returns the moment that the page's own objects are of; "" if that is now.
	AsOf() string
	// Send sends a message to the worker.
	Send(m port.Message)
}

// Contexts are the contexts of the page.
type Contexts struct {
	Here   string   // the page's own
	All    []string // those to choose from, the page's own among them
	Framed bool     // the page is in a frame, and can't connect to another
}

// Browser is what the tab needs of the browser, beside what all tabs need.
type Browser interface {
	// Trusts reports whether the user has opened a context in this browser before.
	Trusts(context string) bool
	// Reach lets the worker connect to another context, which the user trusts from now on, or renews the session there. It
	// then calls done, with the reason if that failed.
	Reach(context string, done func(why string))
}
