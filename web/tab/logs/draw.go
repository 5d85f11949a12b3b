package logs

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/detail/log"
	"watchglass/internal/query"
	"watchglass/web/kubectl"
	"watchglass/web/tab"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// popover is the menu of the tab.
const popover = "logs"

// longestSince is the longest time that is written out, in seconds.
const longestSince = 1 << 32

// sinceChoices are the choices for how far back a log begins.
var sinceChoices = []struct{ value, text string }{
	{"", "Last 1,000 lines"}, {"60", "1 minute"}, {"300", "5 minutes"}, {"900", "15 minutes"}, {"3600", "1 hour"}, {"21600", "6 hours"}, {"86400", "24 hours"}, {"all", "All"},
}

// Draw draws the controls and the status above the lines.
func (t *logs) Draw() app.UI {
	l := t.shown
	if l == nil {
		return app.Div()
	}
	if l.none() {
		return app.Div().Class("logs").Body(t.drawEmptyMessage(l))
	}
	var wrong, astray *log.Wrong
	if l.doc != nil {
		wrong, astray = l.doc.Wrong, l.doc.Astray
	}
	mistake := ""
	for _, w := range []*log.Wrong{wrong, astray} {
		if w != nil {
			mistake = "At character " + strconv.Itoa(w.From+1) + ": " + query.Expected(w.Message, ", ", w.Want) + "."
		}
	}
	return app.Div().Class("logs").Body(
		app.Div().Class("bar").Attr("role", "toolbar").Attr("aria-label", "Logs").Body(t.drawContainers(), l.drawLevels(), l.drawFilter(wrong), l.drawRange(), t.drawFind(l, astray), t.drawStatus(l), t.drawMore(l)),
		app.P().Class("wrong-text").Attr("role", "status").Hidden(mistake == "").Text(mistake),
		l.drawHistogram(t.brush),
		t.drawEmptyMessage(l),
		t.drawChip(l),
	)
}

// drawMore draws the menu with everything that is used less often.
func (t *logs) drawMore(l *state) app.UI {
	open := t.Host.Popover() == popover
	item := func(action ui.Action, value, text, title string) app.HTMLButton {
		return ui.MenuItem(action, value, text, t.Host.KeyOf(action), title)
	}
	toggle := func(action ui.Action, pressed bool, text, title string) app.UI {
		return item(action, "", text, title).Attr("aria-pressed", pressed)
	}
	pause, pending := "Pause", "Pause, and count pending lines"
	if l.ask.Paused {
		pause, pending = "Resume", "Resume, and show pending lines"
	}
	return app.Div().Class("menu").Body(
		app.Button().ID("logs-menu").Class("icon").DataSet("action", ui.TogglePopover).DataSet("value", popover).Attr("aria-expanded", open).Attr("aria-controls", "logs-popover").Attr("aria-label", "More").Title("Time range, display and export").Text("⋯"),
		app.Div().ID("logs-popover").Class("popover").Attr("role", "group").Attr("aria-label", "More").Hidden(!open).Body(
			t.drawSince(l),
			toggle(Previous, l.ask.Previous, "Previous logs", "Logs from before the last restart"),
			toggle(Raw, l.ask.Raw, "Raw lines", "Show lines as received"),
			toggle(Wrap, l.wrap, "Wrap long lines", ""),
			toggle(Bars, !l.unbarred, "Histogram", "Show lines by time"),
			toggle(Times, l.times, "Timestamps", "Show dates and times"),
			item(Pause, "", pause, pending),
			item(Copy, "", "Copy", "Copy the selected lines, or all. Click line numbers to select a range."),
			item(Save, "text", "Save", "Save the shown lines as text"),
			ui.MenuItem(Save, "raw", "Save raw", "", "Save all buffered lines as received, unfiltered"),
			item(Clear, "", "Clear", "Clear the buffered lines. New lines still appear."),
		),
	)
}

// Has reports whether a kind has logs. Others have no Logs tab.
func Has(kind string) bool {
	return strings.Contains(kubectl.Runners+"cronjobs.batch services ", " "+kind+" ")
}

// none reports whether there is and was no log, as for a Service without a selector.
func (l *state) none() bool {
	return l.doc != nil && l.doc.Said != "" && l.doc.Pods == 0 && l.doc.Held == 0
}

// defaultOf names the default container as kubectl chooses it: the annotated one, or the first.
func defaultOf(h *detail.Head) string {
	switch {
	case h == nil:
	case h.Default != "":
		return h.Default + " (default)"
	case len(h.Containers) > 0 && h.Containers[0].Role == "":
		return h.Containers[0].Name + " (default)"
	}
	return "Default container"
}

// drawContainers offers the object's containers. One that failed is named as such.
func (t *logs) drawContainers() app.UI {
	chosen := t.Host.Address().Container
	option := func(value, text string) app.UI {
		return app.Elem("option").Attr("value", value).Attr("selected", value == chosen).Text(text)
	}
	failed := ""
	if d := t.shown.doc; d != nil && d.Failed {
		failed = d.Usual
	}
	var all []app.UI
	if failed == "" || chosen == "" {
		all = append(all, option("", defaultOf(t.Host.Subject().Head)))
	}
	all = append(all, option(log.AllContainers, "All containers"))
	known := chosen == "" || chosen == log.AllContainers
	if t.Host.Subject().Head != nil {
		for _, c := range t.Host.Subject().Head.Containers {
			text := c.Name
			if role := cmp.Or(map[bool]string{true: "failed"}[c.Name == failed], c.Role); role != "" {
				text += " (" + role + ")"
			}
			all, known = append(all, option(c.Name, text)), known || c.Name == chosen
		}
	}
	if !known {
		all = append(all, option(chosen, chosen))
	}
	return app.Elem("select").ID(containerField).DataSet("field", containerField).Title(ui.Tip("Container", t.Host.KeyOf(Choose))).Attr("aria-label", "Container").Body(all...)
}

func (t *logs) drawSince(l *state) app.UI {
	chosen := ""
	switch {
	case l.ask.All:
		chosen = "all"
	case l.ask.Since > 0:
		chosen = strconv.FormatInt(l.ask.Since, 10)
	}
	var all []app.UI
	known := false
	for _, s := range sinceChoices {
		known = known || s.value == chosen
		all = append(all, app.Elem("option").Attr("value", s.value).Attr("selected", s.value == chosen).Text(s.text))
	}
	if !known { // of a link
		text := (time.Duration(min(l.ask.Since, longestSince)) * time.Second).String()
		for _, zero := range []string{"m0s", "h0m"} {
			if strings.HasSuffix(text, zero) {
				text = text[:len(text)-2]
			}
		}
		all = append(all, app.Elem("option").Attr("value", chosen).Attr("selected", true).Text(text))
	}
	return app.Elem("select").DataSet("field", sinceField).Attr("aria-label", "Since").Body(all...)
}

// drawFind draws the search and, if there is one, how many matches it has.
func (t *logs) drawFind(l *state, astray *log.Wrong) app.UI {
	hits := ""
	if l.doc != nil && l.ask.Search != "" {
		hits = "no matches"
		if f := l.doc.Found; f != nil && f.Hit >= 0 && f.Hit < l.doc.Hits {
			hits = words.Count(f.Hit+1) + " of " + words.Count(l.doc.Hits)
		} else if l.doc.Hits > 0 {
			hits = words.Count(l.doc.Hits) + " matches"
		}
	}
	none := l.ask.Search == ""
	step := func(action ui.Action, text string) app.UI {
		return ui.Way(action, text).DataSet("value", "").Title(t.Host.Tip(action, "")).Hidden(none)
	}
	return app.Div().Class("finding").DataSet("on", !none).Body(
		app.Input().ID(findField).Type("search").DataSet("field", findField).Placeholder(ui.Tip("Find", t.Host.KeyOf(Find))).Title(t.Host.Tip(Find, "")).Attr("aria-label", "Find in logs").Attr("aria-invalid", astray != nil).Attr("autocomplete", "off").Attr("spellcheck", "false"),
		app.Span().ID("logs-hits").Class("dim").Attr("role", "status").Text(hits),
		step(Before, "↑"), step(Next, "↓"),
	)
}

// states are the states of sources, worst first, with their labels and explanations.
var states = []struct{ state, tone, one, text string }{
	{log.Denied, "failed", "denied", "You can't read these logs;"},
	{log.Away, "warning", "disconnected", "Disconnected and retrying;"},
	{log.Waiting, "pending", "waiting to start", "The container has not started:"},
	{log.Connecting, "pending", "connecting", ""},
	{log.Ended, "plain", "ended", ""},
	{log.Gone, "plain", "gone", ""},
	{log.Live, "ok", "live", ""},
}

// drawStatus draws one line with the state of the sources and the number of lines read,
// buffered and dropped.
func (t *logs) drawStatus(l *state) app.UI {
	if l.doc == nil {
		return app.P().Class("status").Attr("role", "status").Body(app.Span().Class("stands").DataSet("tone", "pending").Text("connecting"))
	}
	d := l.doc
	counts := map[string]int{}
	for _, s := range d.Sources {
		counts[s.State]++
	}
	var parts []app.UI
	for _, s := range states {
		if n := counts[s.state]; n > 0 {
			text, tone := s.one, s.tone
			if s.state == log.Live && t.Host.Subject().State() == detail.Stale {
				text, tone = "stale", "warning" // the stream has not broken yet, but may be silent for the same reason
			}
			switch past := t.Host.Moment().Past; {
			case past && s.state == log.Live:
				text, tone = "recorded", "plain"
			case past && s.state == log.Denied:
				text, tone = notRecorded(t.Host.Moment()), "pending"
			}
			if len(d.Sources) > 1 {
				text = words.Count(n) + " " + text
			}
			parts = append(parts, app.Span().Class("stands").DataSet("tone", tone).Text(text))
		}
	}
	add := func(text, tone string) { parts = append(parts, app.Span().DataSet("tone", tone).Text(text)) }
	lines := words.Count(d.Lines) + " lines"
	if d.Lines == 1 {
		lines = "1 line"
	}
	if d.Lines != d.Held {
		lines = words.Count(d.Lines) + " of " + words.Count(d.Held) + " lines"
	}
	add(lines, "")
	if d.More > 0 {
		add("reading "+strconv.Itoa(len(d.Sources)-counts[log.Ended]-counts[log.Gone])+" logs, the maximum; "+words.Count(d.More)+" more are not read", "warning")
	}
	l.lacks(add)
	if d.Busy {
		add("filtering…", "")
	}
	return app.P().Class("status").Attr("role", "status").Body(parts...)
}

// lacks says which lines are missing.
func (l *state) lacks(add func(text, tone string)) {
	d := l.doc
	if n := d.Dropped.Lines; n > 0 {
		text := words.Count(int(n)) + " older lines dropped"
		if d.Dropped.To != 0 {
			text += ", up to " + time.Unix(0, d.Dropped.To).UTC().Format("15:04:05") + " UTC"
		}
		add(text, "warning")
	}
	if l.lost > 0 {
		add("including lines you were viewing", "warning")
	}
	if slices.ContainsFunc(d.Sources, func(s log.State) bool { return s.Earlier }) {
		add("earlier lines may have been rotated away by the kubelet", "")
	}
}

// notRecorded says of logs that a recording has none of them, and in the past of a live cluster that logs
// are not in history.
func notRecorded(at tab.Moment) string {
	if at.Recorded {
		return "not recorded"
	}
	return words.NotInHistory
}

// emptyOf returns the same as a sentence; "" if the page is live.
func emptyOf(at tab.Moment) string {
	switch {
	case at.Recorded:
		return "This recording has no logs for this pod."
	case at.Past:
		return "Logs are " + words.NotInHistory + "."
	}
	return ""
}

// drawEmptyMessage explains why there are no lines.
func (t *logs) drawEmptyMessage(l *state) app.UI {
	tone, text := l.emptyMessage(emptyOf(t.Host.Moment()))
	return app.P().Class("standing").DataSet("tone", tone).Attr("role", "status").Hidden(text == "").Text(text)
}

func (l *state) emptyMessage(past string) (tone, text string) {
	switch d := l.doc; {
	case d == nil:
		return "pending", "Loading logs…"
	case d.Said != "":
		return "pending", d.Said
	case d.Rows > 0 || d.Busy:
		return "", ""
	case l.ask.Filter != "" && d.Held > 0:
		return "pending", "None of " + words.Count(d.Held) + " lines match the filter."
	case (l.ask.From != 0 || l.ask.To != 0) && d.Held > 0:
		return "pending", "None of " + words.Count(d.Held) + " lines are in this time range."
	case d.Pods == 0 && len(d.Sources) == 0:
		return "pending", "No pods. Logs will appear here when a pod is created."
	case len(d.Sources) == 0:
		return "pending", "No pod has a container with this name."
	default:
		for _, s := range states {
			for _, source := range d.Sources {
				if past != "" && source.State == log.Denied {
					return "pending", past
				}
				if source.State == s.state && s.text+source.Said != "" {
					return s.tone, strings.TrimSpace(s.text + " " + source.Said)
				}
			}
		}
	}
	if past != "" {
		return "pending", "No lines recorded up to this time."
	}
	return "pending", "No lines yet."
}

// drawChip draws a button with the number of lines out of view, which goes to the end.
func (t *logs) drawChip(l *state) app.UI {
	text := ""
	switch d := l.doc; {
	case d == nil || !l.ask.Paused && (l.ask.Follow || t.end() <= 0):
	case l.ask.Paused:
		text = words.Count(d.Waiting) + " pending · resume"
	case d.Rows > l.read:
		text = words.Count(d.Rows-l.read) + " new below"
	default:
		text = "Go to the end"
	}
	return app.Button().Class("chip").DataSet("action", Follow).Title(ui.Tip("Go to the end and follow", t.Host.KeyOf(Follow))).Hidden(text == "").Text(text)
}
