package web

import (
	"watchglass/internal/quote"
	"watchglass/web/route"
	"watchglass/web/tab/compare"
	"watchglass/web/tab/whocan"
)

// The tabs' Hosts have these methods beside those of tab.Host (host_tab.go).
var (
	_ compare.Host = tabHost{}
	_ whocan.Host  = tabHost{}
)

// Marked returns the object that is marked to compare with.
func (p *page) Marked() route.Object { return p.marked.object() }

// Mark marks an object, as one step.
func (p *page) Mark(o route.Object) { p.marked.mark(o, true) }

// Contexts returns the contexts that objects may be of.
func (p *page) Contexts() compare.Contexts {
	return compare.Contexts{Here: p.session.context(), All: p.session.contexts(), Framed: p.frame.on()}
}

// KindName returns the name of a kind.
func (p *page) KindName(resource string) string { return p.sidebar.KindName(resource) }

// AsOf returns the moment that the page's objects are of; "" if that is now.
func (p *page) AsOf() string { return p.past.AsOf() }

// Shell returns the shell that commands are quoted for.
func (p *page) Shell() quote.Shell { return p.commands.Shell() }
