package web

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/detail/yaml"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/grid"
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
	Columns    string // see Shown; "": kubectl's
	Selected   string // namespace/name; in a list of several kinds as objectOf has it
	Tab        string
	Container  string
	Previous   bool // show previous logs
	Log        LogAddress
	Timeline   TimelineAddress
	Expanded   string // names of the groups of related objects that are open, separated by commas
	Access     AccessAddress
	Revisions  string      // those to compare, as detail.ChangesOptions has it; with a comma at the end, one is to be chosen
	With       otherObject // marked to compare with; see tab_compare.go
	Flip       bool        // the marked object is on the right
	Embed      string      // the form for frames: list or object; "": a page of its own
	At         int64       // the moment shown, in Unix nanoseconds; 0: now
	Hosted     bool        // the page around the frame uses <watch-glass>
}

// LogAddress is the part of an address about what the Logs tab shows of a log.
type LogAddress struct {
	Filter string
	Since  string // seconds or "all"; "": the last lines
	Wrap   bool
	Raw    bool

	From, To int64 // the times that lines are from and before, in nanoseconds; 0 for any
	Unbarred bool  // the histogram is switched off
}

// timeOf parses a time of an address; 0 if it is none.
func timeOf(text string) int64 {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || at.Year() < 1970 || at.Year() > 2200 {
		return 0
	}
	return at.UnixNano()
}

// timeText returns a time as addresses have it; "" for 0.
func timeText(at int64) string {
	if at == 0 {
		return ""
	}
	return time.Unix(0, at).UTC().Format(time.RFC3339Nano)
}

// leaveObject removes from the address what is about one object's log, revisions or groups. How lines are
// shown stays.
func (a *Address) leaveObject() {
	a.Revisions, a.Expanded = "", ""
	a.Container, a.Previous, a.Log.Filter, a.Log.Since = "", false, "", ""
	a.Log.From, a.Log.To = 0, 0
}

// home is the kind to go to from a list that can't be shown.
const home = "pods"

// viewParameter is the query parameter with the path, for a page whose web server knows only one path.
// The base of such a page ends with the parameter.
const viewParameter = "view"

// baseOf returns the base of a page whose web server knows only one path.
func baseOf(path string) string { return path + "?" + viewParameter + "=" }

// below returns the path below the base, without slashes around it.
func below(base, path string, query url.Values) string {
	if strings.Contains(base, "?") {
		path = base + query.Get(viewParameter)
	}
	return strings.Trim(strings.TrimPrefix(path, base), "/")
}

// overviewID names the start page in the sidebar and the palette. Addresses with this path mean the
// start page, too.
const overviewID = "overview"

// ParseAddress parses a path below the base and a query string. It ignores unknown parameters, and the first of a
// parameter that has one value counts.
func ParseAddress(base, path, query string) Address {
	q, _ := url.ParseQuery(strings.TrimPrefix(query, "?")) // an invalid parameter does not affect the others
	resource, _, _ := strings.Cut(below(base, path, q), "/")
	if plain, err := url.PathUnescape(resource); err == nil {
		resource = plain // else String would escape it again each time
	}
	a := addressOfPath(strings.ToLower(resource), q.Get("embed"))
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
	a.At = timeOf(q.Get("at"))
	a.Group, a.Sum = q.Get("group"), q.Get("sum")
	a.Columns = canonical(strings.Join(given(q["cols"]), ","))
	a.Selected, a.Tab, a.Container = q.Get("sel"), q.Get("tab"), q.Get("ct")
	a.Previous = q.Get("previous") == "true"
	a.Access = AccessAddress{Verb: q.Get("verb"), Text: q.Get("who")}
	a.Log = LogAddress{Filter: q.Get("lq"), Since: q.Get("since"), Wrap: q.Get("wrap") == "true", Raw: q.Get("raw") == "true", From: timeOf(q.Get("from")), To: timeOf(q.Get("to")), Unbarred: q.Get("histogram") == "false"}
	a.Timeline = TimelineAddress{Lanes: q.Get("lanes"), Noise: q.Get("noise"), From: timeOf(q.Get("tfrom")), To: timeOf(q.Get("tto"))}
	a.Revisions, a.Expanded = q.Get("rev"), q.Get("expand")
	a.With, a.Flip = parseOther(q.Get("with"), q.Get("wc")), q.Get("flip") == "true"
	a.Hosted = a.Embed != "" && q.Has("hosted")
	return a
}

// invalidIn returns the parameters of a query string, with their values, that ParseAddress ignores because they are no
// time, no start of a log or no tab.
func invalidIn(query string) (all []string) {
	q, _ := url.ParseQuery(strings.TrimPrefix(query, "?"))
	for _, name := range []string{"at", "tab", "since", "from", "to", "tfrom", "tto"} {
		value := q.Get(name)
		valid := value == ""
		switch name {
		case "tab":
			valid = valid || tabOf(value).id == value
		case "since":
			seconds, _ := strconv.ParseInt(value, 10, 64)
			valid = valid || value == "all" || seconds > 0
		default:
			valid = valid || timeOf(value) != 0
		}
		if !valid {
			all = append(all, name+"="+yaml.Visible(cut(value)))
		}
	}
	return all
}

// reportInvalid says what the address asks for that the page does not show.
func (p *page) reportInvalid(query string) {
	if wrong := invalidIn(query); len(wrong) > 0 {
		p.notices.say(notice{text: "Invalid in the address: " + strings.Join(wrong, ", ") + "."})
	}
}

// given returns the values of a parameter that are not empty. One that is repeated means all of them: objects of any of the
// namespaces, which match every filter and every selector.
func given(values []string) []string {
	return slices.DeleteFunc(values, func(v string) bool { return v == "" })
}

// addressOfPath returns the address for a path and a form for frames. A frame with a list and no
// path shows pods, as it did before there was an overview.
func addressOfPath(resource, form string) Address {
	a := Address{Resource: resource, Embed: form}
	switch {
	case form == embedOverview, form == "" && resource == "", resource == overviewID:
		a.Resource, a.Overview = port.Problems, form != embedObject
	case resource == "":
		a.Resource = home
	}
	if form != "" && form != embedObject {
		a.Embed = map[bool]string{true: embedOverview, false: embedList}[a.Overview]
	}
	return a
}

// mixed reports whether the list has objects of several kinds.
func (a Address) mixed() bool { return a.problems() || a.Resource == timelineID }

// problems reports whether the list is that of problems.
func (a Address) problems() bool { return a.Resource == port.Problems }

// name returns what the list shows, in a word.
func (a Address) name() string {
	if a.Overview {
		return overviewID
	}
	return a.Resource
}

// objectOf returns the object that Selected, or the key of a row, stands for. In a list of several
// kinds that is NAMESPACE/RESOURCE:NAME:REASON.
func (a Address) objectOf(key string) detail.Ref {
	namespace, name, ok := strings.Cut(key, "/")
	if !ok {
		namespace, name = "", key
	}
	of := detail.Ref{Resource: a.Resource, Namespace: namespace, Name: name}
	if a.mixed() {
		of.Resource, of.Name, _ = strings.Cut(name, ":")
		of.Name = of.Name[:max(strings.LastIndexByte(of.Name, ':'), 0)]
	}
	return of
}

// selectedOf returns an object as addresses of a list of several kinds name it, without a reason.
func selectedOf(of detail.Ref) string {
	of.Name = of.Resource + ":" + of.Name + ":"
	return of.Key()
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
	add("at", timeText(a.At))
	add("group", a.Group)
	add("sum", a.Sum)
	add("cols", a.Columns)
	add("sel", a.Selected)
	a.addTab(add)
	add("lanes", a.Timeline.Lanes)
	add("noise", a.Timeline.Noise)
	add("tfrom", timeText(a.Timeline.From))
	add("tto", timeText(a.Timeline.To))
	add("with", a.With.String())
	add("wc", a.With.Context)
	add("embed", a.Embed)
	if a.Hosted {
		add("hosted", "1")
	}
	out := base + "/"
	if !a.Overview {
		out += url.PathEscape(a.Resource)
	}
	if len(q) > 0 {
		join := "?"
		if strings.Contains(base, join) {
			join = "&"
		}
		out += join + strings.Join(q, "&")
	}
	return out
}

// addTab adds the parameters of the tab of one object: what it has on screen, and nothing of another
// tab but the container.
func (a Address) addTab(add func(name, value string)) {
	add("tab", a.Tab)
	add("ct", a.Container)
	flag := func(name, value string, on bool) {
		if on {
			add(name, value)
		}
	}
	flag("previous", "true", a.Previous)
	switch {
	case a.Tab == accessID:
		add("verb", a.Access.Verb)
		add("who", a.Access.Text)
	case a.Tab == compareID:
		flag("flip", "true", a.Flip)
	case a.Selected == "":
	case a.Tab == logsID:
		add("lq", a.Log.Filter)
		add("since", a.Log.Since)
		add("from", timeText(a.Log.From))
		add("to", timeText(a.Log.To))
		flag("wrap", "true", a.Log.Wrap)
		flag("raw", "true", a.Log.Raw)
		flag("histogram", "false", a.Log.Unbarred)
	case a.Tab == changesID:
		add("rev", a.Revisions)
	case a.Tab == relatedID:
		add("expand", a.Expanded)
	}
}

// escape escapes a query value, but leaves characters that a URL may contain, for readability.
func escape(value string) string {
	return readable.Replace(url.QueryEscape(value))
}

var readable = strings.NewReplacer("%2C", ",", "%2F", "/", "%3D", "=", "%21", "!", "%3A", ":", "%28", "(", "%29", ")", "%2A", "*")

// Objects returns what the list shows. A row links to the same address that a click on it opens, be it
// an object or a group.
func (a Address) Objects(kind, base string) grid.Objects {
	a.leaveObject()
	a.Selected, a.Embed, a.Hosted = "", "", false
	return grid.Objects{Kind: kind, View: a.String(base), Address: func(key string) string {
		a := a
		if isGroup(key) {
			return a.within(key).String(base)
		}
		a.Selected = key
		return a.String(base)
	}}
}

// Wide reports whether kubectl's -o wide columns are shown.
func (a Address) Wide() bool {
	return slices.ContainsFunc(a.Shown(), func(s Shown) bool { return s.Name == wideColumns })
}

// sorted returns the column to sort by. Events without one are sorted by when they were last
// seen, newest first; problems by severity, worst first; groups by size, largest first.
func (a Address) sorted() (column string, descending bool) {
	if a.Sort == "" && a.Group != "" {
		return view.ObjectsColumn, true
	}
	if a.Sort == "" && a.Resource == timelineID {
		return "Time", false
	}
	if a.Sort == "" && a.mixed() {
		return "Severity", false
	}
	if a.Sort == "" && (a.Resource == "events" || a.Resource == "events.events.k8s.io") {
		return "Last Seen", false
	}
	return a.Sort, a.Descending
}

// Query returns the query for the worker, without the window.
func (a Address) Query() view.Query {
	column, descending := a.sorted()
	q := view.Query{Namespaces: a.Namespaces, Labels: a.Labels, Text: a.Filter, Sort: column, Descending: descending, Group: a.Group, Sum: a.Sum, Wide: a.Wide(), Columns: a.names()}
	if a.Resource == timelineID { // whole seconds, of which the last is shown, too
		const second = int64(time.Second)
		q.From, q.Until = a.Timeline.From/second, (a.Timeline.To+second-1)/second
	}
	return q
}
