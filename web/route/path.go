package route

import (
	"net/url"
	"strings"

	"watchglass/internal/port"
)

// Home is the kind to go to from a list that can't be shown.
const Home = "pods"

// OverviewID names the start page in the sidebar and the palette. Addresses with this path mean the
// start page, too.
const OverviewID = "overview"

// TimelineID names the list of what happened, in addresses and the sidebar, and the tab of an object.
const TimelineID = "timeline"

// The forms of the page for frames.
const (
	EmbedList     = "list"
	EmbedObject   = "object"   // one object, with its tabs
	EmbedOverview = "overview" // the totals
)

// viewParameter is the query parameter with the path, for a page whose web server knows only one path.
// The base of such a page ends with the parameter.
const viewParameter = "view"

// BaseOf returns the base of a page whose web server knows only one path.
func BaseOf(path string) string { return path + "?" + viewParameter + "=" }

// IsBare reports whether a URL has no path below the base, so that it does not say which list to show.
func IsBare(base, path, query string) bool {
	q, _ := url.ParseQuery(strings.TrimPrefix(query, "?"))
	return below(base, path, q) == ""
}

// below returns the path below the base, without slashes around it.
func below(base, path string, query url.Values) string {
	if strings.Contains(base, "?") {
		path = base + query.Get(viewParameter)
	}
	return strings.Trim(strings.TrimPrefix(path, base), "/")
}

// ofPath returns the address for a path and a form for frames. A frame with a list and no
// path shows pods, as it did before there was an overview.
func ofPath(resource, form string) Address {
	a := Address{Resource: resource, Embed: form}
	switch {
	case form == EmbedOverview, form == "" && resource == "", resource == OverviewID:
		a.Resource, a.Overview = port.Problems, form != EmbedObject
	case resource == "":
		a.Resource = Home
	}
	if form != "" && form != EmbedObject {
		a.Embed = map[bool]string{true: EmbedOverview, false: EmbedList}[a.Overview]
	}
	return a
}
