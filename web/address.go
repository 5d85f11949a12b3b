package web

import (
	"net/url"
	"slices"
	"strings"

	"watchglass/internal/view"
	"watchglass/web/grid"
)

// Address is the state of the page that is in its URL.
type Address struct {
	Resource   string
	Context    string
	Namespaces []string
	Labels     string
	Filter     string
	Sort       string
	Descending bool
	Columns    string // see Shown; "": kubectl's
	Selected   string // namespace/name
	Tab        string
	Container  string
	Previous   bool   // show previous logs
	Embed      string // the form for frames: list or object; "": a page of its own
	Hosted     bool   // the page around the frame uses <watch-glass>
}

// home is the kind shown if the address names none.
const home = "pods"

// ParseAddress parses a path below the base and a query string. It ignores unknown parameters.
func ParseAddress(base, path, query string) Address {
	path = strings.Trim(strings.TrimPrefix(path, base), "/")
	if path == "" {
		path = home
	}
	resource, _, _ := strings.Cut(path, "/")
	if plain, err := url.PathUnescape(resource); err == nil {
		resource = plain // else String would escape it again each time
	}
	a := Address{Resource: strings.ToLower(resource)}
	q, _ := url.ParseQuery(strings.TrimPrefix(query, "?")) // an invalid parameter does not affect the others
	a.Context, a.Labels, a.Filter = q.Get("c"), q.Get("l"), q.Get("q")
	for n := range strings.SplitSeq(q.Get("n"), ",") {
		if n != "" {
			a.Namespaces = append(a.Namespaces, n)
		}
	}
	a.Sort, a.Descending = strings.CutPrefix(q.Get("sort"), "-")
	a.Descending = a.Descending && a.Sort != ""
	a.Columns = canonical(q.Get("cols"))
	a.Selected, a.Tab, a.Container = q.Get("sel"), q.Get("tab"), q.Get("ct")
	a.Previous = q.Get("previous") == "true"
	if a.Embed = q.Get("embed"); a.Embed != "" && a.Embed != embedObject {
		a.Embed = embedList
	}
	a.Hosted = a.Embed != "" && q.Has("hosted")
	return a
}

// String returns the shortest URL for the address, below a base.
func (a Address) String(base string) string {
	var q []string
	add := func(name, value string) {
		if value != "" {
			q = append(q, name+"="+escape(value))
		}
	}
	add("c", a.Context)
	add("n", strings.Join(a.Namespaces, ","))
	add("l", a.Labels)
	add("q", a.Filter)
	sort := a.Sort
	if sort != "" && a.Descending {
		sort = "-" + sort
	}
	add("sort", sort)
	add("cols", a.Columns)
	add("sel", a.Selected)
	add("tab", a.Tab)
	add("ct", a.Container)
	if a.Previous {
		add("previous", "true")
	}
	add("embed", a.Embed)
	if a.Hosted {
		add("hosted", "1")
	}
	out := base + "/" + url.PathEscape(a.Resource)
	if len(q) > 0 {
		out += "?" + strings.Join(q, "&")
	}
	return out
}

// escape escapes a query value, but leaves characters that a URL may contain, for readability.
func escape(value string) string {
	return readable.Replace(url.QueryEscape(value))
}

var readable = strings.NewReplacer("%2C", ",", "%2F", "/", "%3D", "=", "%21", "!", "%3A", ":", "%28", "(", "%29", ")", "%2A", "*")

// Objects returns what the list shows. A row links to the same address that a click on it opens.
func (a Address) Objects(kind, base string) grid.Objects {
	a.Selected, a.Container, a.Previous, a.Embed, a.Hosted = "", "", false, "", false
	return grid.Objects{Kind: kind, View: a.String(base), Address: func(key string) string {
		a := a
		a.Selected = key
		return a.String(base)
	}}
}

// Wide reports whether kubectl's -o wide columns are shown.
func (a Address) Wide() bool {
	return slices.ContainsFunc(a.Shown(), func(s Shown) bool { return s.Name == wideColumns })
}

// sorted returns the column to sort by. Events without one are sorted by when they were last
// seen, newest first.
func (a Address) sorted() (column string, descending bool) {
	if a.Sort == "" && (a.Resource == "events" || a.Resource == "events.events.k8s.io") {
		return "Last Seen", false
	}
	return a.Sort, a.Descending
}

// Query returns the query for the worker, without the window.
func (a Address) Query() view.Query {
	column, descending := a.sorted()
	return view.Query{Namespaces: a.Namespaces, Labels: a.Labels, Text: a.Filter, Sort: column, Descending: descending, Wide: a.Wide(), Columns: a.names()}
}
