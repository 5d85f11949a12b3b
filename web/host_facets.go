package web

import (
	"watchglass/internal/view"
	"watchglass/web/facets"
)

var _ facets.Host = (*page)(nil)

// HideKinds hides the sidebar, if it is open over the list.
func (p *page) HideKinds() { p.sidebar.Hide() }

// Folded reports whether a group's default, open or folded, was changed.
func (p *page) Folded(group string) bool { return p.sidebar.Folded(group) }

// Rights returns what is known of namespaces.
func (p *page) Rights() facets.Rights {
	ac := p.access
	return facets.Rights{Known: ac.Known(), Partial: ac.Partial(), Denied: ac.Denied(), Remembered: ac.Remembered()}
}

// AddNamespace adds a namespace to those that are shown.
func (p *page) AddNamespace(name string) { p.access.Add(name) }

// Note returns what is missing of a column.
func (p *page) Note(gap view.Gap) string { return p.sidebar.Note(gap) }
