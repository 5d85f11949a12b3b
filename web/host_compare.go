package web

import (
	"watchglass/internal/quote"
	"watchglass/web/route"
	"watchglass/web/tab/compare"
)

// What the page is to the Compare and the Access tab, beside what it is to all tabs.

// Marked returns the object that is marked to compare with.
func (p *page) Marked() route.Object { return p.marked.object() }

// Mark marks an object, as one step.
func (p *page) Mark(o route.Object) { p.marked.mark(o, true) }

// Contexts returns the contexts that objects may be of.
func (p *page) Contexts() compare.Contexts {
	return compare.Contexts{Here: p.session.context(), All: p.session.contexts(), Framed: p.frame.on()}
}

// KindName returns the name of a kind.
func (p *page) KindName(resource string) string { return p.sidebar.kindName(resource) }

// AsOf says of which moment the page's objects are; "" if that is now.
func (p *page) AsOf() string { return p.past.AsOf() }

// Shell returns the shell that commands are quoted for.
func (p *page) Shell() quote.Shell { return p.commands.Shell() }
