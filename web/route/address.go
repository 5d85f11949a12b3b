package route

import (
	"net/url"
	"strings"

	"watchglass/internal/port"
)

// Address is the state of the page that is in its URL.
type Address struct {
	Resource   string
	Overview   bool // the start page: the list of problems, with totals above it
	Context    string
	Namespaces []string
	Labels     string
	Filter     string
	Sort       string
	Descending bool
	Group      string // facet whose values the rows stand for; "": rows are objects
	Sum        string // column that the facets sum; "": they count
	Columns    string // see Column; "": kubectl's
	Selected   string // namespace/name; in a list of several kinds as ObjectOf has it
	Tab        string
	Container  string
	Previous   bool // show previous logs
	Log        Log
	Timeline   Timeline
	Expanded   string // names of the groups of related objects that are open, separated by commas
	Access     Access
	Revisions  string // those to compare, as detail.ChangesOptions has it; with a comma at the end, one is to be chosen
	With       Object // marked to compare with
	Flip       bool   // the marked object is on the right
	Embed      string // the form for frames: list or object; "": a page of its own
	At         int64  // the moment shown, in Unix nanoseconds; 0: now
	Hosted     bool   // the page around the frame uses <watch-glass>
}

// Log is the part of an address about what the Logs tab shows of a log.
type Log struct {
	Filter string
	Since  string // seconds or "all"; "": the last lines
	Wrap   bool
	Raw    bool

	From, To int64 // the times that lines are from and before, in nanoseconds; 0 for any
	Unbarred bool  // the histogram is switched off
}

// Timeline is the part of an address about what a timeline shows.
type Timeline struct {
	Lanes    string // owner, namespace, node or kind; "": the default
	Noise    string // the rules of noise that are off, separated by commas
	From, To int64  // in nanoseconds; 0: all that is remembered
}

// Access is the part of an address about what the Access tab shows.
type Access struct {
	Verb string // one of the columns of its table; "": all
	Text string
}

// Parse parses a path below the base and a query string. It ignores unknown parameters, and the first of a
// parameter that has one value counts.
func Parse(base, path, query string) Address {
	q, _ := url.ParseQuery(strings.TrimPrefix(query, "?")) // an invalid parameter does not affect the others
	resource, _, _ := strings.Cut(below(base, path, q), "/")
	if plain, err := url.PathUnescape(resource); err == nil {
		resource = plain // else String would escape it again each time
	}
	a := ofPath(strings.ToLower(resource), q.Get("embed"))
	for _, f := range fields {
		if values := q[f.name]; len(values) > 0 {
			f.parse(&a, values)
		}
	}
	if a.With.Name == "" {
		a.With = Object{} // a context alone marks nothing
	}
	return a
}

// LeaveObject removes from the address what is about one object's log, revisions or groups. How lines are
// shown stays.
func (a *Address) LeaveObject() {
	a.Revisions, a.Expanded = "", ""
	a.Container, a.Previous, a.Log.Filter, a.Log.Since = "", false, "", ""
	a.Log.From, a.Log.To = 0, 0
}

// View returns the part of an address that a saved view contains: kind, query and columns.
// It omits the context, so that a view works in every cluster, and the open object and the moment.
func (a Address) View() Address {
	a.LeaveObject()
	a.Context, a.Selected, a.Tab, a.Log, a.Embed, a.Hosted = "", "", "", Log{}, "", false
	a.With, a.At = Object{}, 0
	a.Timeline.From, a.Timeline.To = 0, 0
	return a
}

// Mixed reports whether the list has objects of several kinds.
func (a Address) Mixed() bool { return a.Problems() || a.Resource == TimelineID }

// Problems reports whether the list is that of problems.
func (a Address) Problems() bool { return a.Resource == port.Problems }

// Name returns what the list shows, in a word.
func (a Address) Name() string {
	if a.Overview {
		return OverviewID
	}
	return a.Resource
}
