package web

import (
	"net/url"
	"slices"
	"strings"

	"watchglass/internal/view"
	"watchglass/web/grid"
)

// Address is a view as the address bar holds it: all that is on the screen.
type Address struct {
	Resource   string
	Context    string
	Namespaces []string
	Labels     string
	Filter     string
	Sort       string
	Descending bool
	Columns    string // see Shown; nothing: those of kubectl
	Selected   string // namespace/name
	Tab        string
	Container  string
	Previous   bool // the log of the run before
}

// home is what is shown where the address names nothing.
const home = "pods"

// ParseAddress reads a path below the base, and a query. What it does not know
// is not kept.
func ParseAddress(base, path, query string) Address {
	path = strings.Trim(strings.TrimPrefix(path, base), "/")
	if path == "" {
		path = home
	}
	resource, _, _ := strings.Cut(path, "/")
	if plain, err := url.PathUnescape(resource); err == nil {
		resource = plain // else String would escape it once more at every step
	}
	a := Address{Resource: strings.ToLower(resource)}
	q, _ := url.ParseQuery(strings.TrimPrefix(query, "?")) // one that is broken costs no other
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
	return a
}

// String writes the address below a base, the shortest that says it.
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
	out := base + "/" + url.PathEscape(a.Resource)
	if len(q) > 0 {
		out += "?" + strings.Join(q, "&")
	}
	return out
}

// escape leaves alone what an address may hold as it is, so that people can read
// it.
func escape(value string) string {
	return readable.Replace(url.QueryEscape(value))
}

var readable = strings.NewReplacer("%2C", ",", "%2F", "/", "%3D", "=", "%21", "!", "%3A", ":", "%28", "(", "%29", ")", "%2A", "*")

// Objects are what the rows of the list show: each leads to where a click on it does.
func (a Address) Objects(kind, base string) grid.Objects {
	a.Selected, a.Container, a.Previous = "", "", false
	return grid.Objects{Kind: kind, View: a.String(base), Address: func(key string) string {
		a := a
		a.Selected = key
		return a.String(base)
	}}
}

// Wide reports whether the columns are shown that kubectl shows with -o wide.
func (a Address) Wide() bool {
	return slices.ContainsFunc(a.Shown(), func(s Shown) bool { return s.Name == wideColumns })
}

// Query is what the worker is asked for, but for the window.
func (a Address) Query() view.Query {
	return view.Query{Namespaces: a.Namespaces, Labels: a.Labels, Text: a.Filter, Sort: a.Sort, Descending: a.Descending, Wide: a.Wide(), Columns: a.names()}
}
