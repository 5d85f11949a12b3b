package route

import (
	"net/url"
	"slices"
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
	a.Context, a.Labels, a.Filter = q.Get("c"), strings.Join(given(q["l"]), ","), q.Get("q")
	if all := given(q["q"]); len(all) > 1 {
		a.Filter = "(" + strings.Join(all, ") (") + ")"
	}
	for n := range strings.SplitSeq(strings.Join(q["n"], ","), ",") {
		if n != "" && !slices.Contains(a.Namespaces, n) {
			a.Namespaces = append(a.Namespaces, n)
		}
	}
	a.Sort, a.Descending = strings.CutPrefix(q.Get("sort"), "-")
	a.Descending = a.Descending && a.Sort != ""
	a.At = ParseTime(q.Get("at"))
	a.Group, a.Sum = q.Get("group"), q.Get("sum")
	a.Columns = canonical(strings.Join(given(q["cols"]), ","))
	a.Selected, a.Tab, a.Container = q.Get("sel"), q.Get("tab"), q.Get("ct")
	a.Previous = q.Get("previous") == "true"
	a.Access = Access{Verb: q.Get("verb"), Text: q.Get("who")}
	a.Log = Log{Filter: q.Get("lq"), Since: q.Get("since"), Wrap: q.Get("wrap") == "true", Raw: q.Get("raw") == "true", From: ParseTime(q.Get("from")), To: ParseTime(q.Get("to")), Unbarred: q.Get("histogram") == "false"}
	a.Timeline = Timeline{Lanes: q.Get("lanes"), Noise: q.Get("noise"), From: ParseTime(q.Get("tfrom")), To: ParseTime(q.Get("tto"))}
	a.Revisions, a.Expanded = q.Get("rev"), q.Get("expand")
	a.With, a.Flip = ParseObject(q.Get("with"), q.Get("wc")), q.Get("flip") == "true"
	a.Hosted = a.Embed != "" && q.Has("hosted")
	return a
}

// given returns the values of a parameter that are not empty. One that is repeated means all of them: objects of any of the
// namespaces, which match every filter and every selector.
func given(values []string) []string {
	return slices.DeleteFunc(values, func(v string) bool { return v == "" })
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
