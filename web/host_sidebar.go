package web

import (
	"watchglass/internal/port"
	"watchglass/web/sidebar"
)

var _ sidebar.Host = (*page)(nil)

// SavedColumns returns the columns that the user saved for a list.
func (p *page) SavedColumns(resource string) string { return p.columns.SavedFor(resource) }

// Clear reports whether there are known to be no problems.
func (p *page) Clear() bool { return p.overview.Clear() }

// InPast reports whether a moment of the past is on screen.
func (p *page) InPast() bool { return p.past.On() }

// Denied reports whether the user may not list a kind at all.
func (p *page) Denied(kind string) bool { return p.access.Refused()[kind].State == port.Denied }

// HideFacets hides the facets, if they are open over the list.
func (p *page) HideFacets() { p.facets.Hide() }

// FollowFavourites asks for the overview of the favourites, too.
func (p *page) FollowFavourites() { p.overview.Follow() }
