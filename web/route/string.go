package route

import (
	"net/url"
	"strings"
)

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
	add("at", formatTime(a.At))
	add("group", a.Group)
	add("sum", a.Sum)
	add("cols", a.Columns)
	add("sel", a.Selected)
	a.addTab(add)
	add("lanes", a.Timeline.Lanes)
	add("noise", a.Timeline.Noise)
	add("tfrom", formatTime(a.Timeline.From))
	add("tto", formatTime(a.Timeline.To))
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
	case a.Tab == AccessID:
		add("verb", a.Access.Verb)
		add("who", a.Access.Text)
	case a.Tab == CompareID:
		flag("flip", "true", a.Flip)
	case a.Selected == "":
	case a.Tab == LogsID:
		add("lq", a.Log.Filter)
		add("since", a.Log.Since)
		add("from", formatTime(a.Log.From))
		add("to", formatTime(a.Log.To))
		flag("wrap", "true", a.Log.Wrap)
		flag("raw", "true", a.Log.Raw)
		flag("histogram", "false", a.Log.Unbarred)
	case a.Tab == ChangesID:
		add("rev", a.Revisions)
	case a.Tab == RelatedID:
		add("expand", a.Expanded)
	}
}

// escape escapes a query value, but leaves characters that a URL may contain, for readability.
func escape(value string) string {
	return readable.Replace(url.QueryEscape(value))
}

var readable = strings.NewReplacer("%2C", ",", "%2F", "/", "%3D", "=", "%21", "!", "%3A", ":", "%28", "(", "%29", ")", "%2A", "*")
