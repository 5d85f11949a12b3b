package web

import (
	"watchglass/internal/view"
	"watchglass/web/access"
	"watchglass/web/words"
)

var _ access.Host = (*page)(nil)

// InRecording reports whether a moment of a recording is on screen.
func (p *page) InRecording() bool { return p.past.Recorded() != nil }

// CountedNamespaces returns the namespaces that objects were counted in.
func (p *page) CountedNamespaces() []string { return p.facets.Namespaces() }

// ClearFind clears the field that finds namespaces.
func (p *page) ClearFind() { p.facets.ClearFind() }

// Called returns the name shown for a kind.
func (p *page) Called(resource string) string { return p.sidebar.Called(resource) }

// Derived reports whether the hub makes the objects of a kind.
func (p *page) Derived(resource string) bool { return p.sidebar.Derived(resource) }

// NameGaps returns gaps with the names of their lists.
func (p *page) NameGaps(gaps []view.Gap) []words.Gap { return p.sidebar.Gaps(gaps) }
