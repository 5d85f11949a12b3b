package chart

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"watchglass/internal/detail/yaml"
	"watchglass/internal/history/timeline"
	"watchglass/internal/query"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// laneNames are what lanes are by, the default first.
var laneNames = []string{"owner", "namespace", "node", "kind"}

// sums returns how many entries of each class there are in bars, in the order of words.Classes, and how
// many in all.
func (c *Chart) sums(from, to int) (each []int, all int) {
	each = make([]int, len(words.Classes))
	for k, class := range words.Classes {
		if bars := c.shown.Bars[class.Class]; c.shows(class.Class) {
			for i := from; i <= to && i < len(bars); i++ {
				each[k] += bars[i]
				all += bars[i]
			}
		}
	}
	return each, all
}

// gapText says when something may be missing, and why: "Not watched 14:02–14:05: the tab was asleep".
func (c *Chart) gapText(g timeline.Gap) string {
	a := c.Axis()
	text := "Not watched "
	if g.Why == "unread" {
		text = "Incomplete "
	}
	if g.Kind != "" {
		text = yaml.Visible(g.Kind) + " " + strings.ToLower(text)
	}
	switch from, to := g.From*1e6 > a.From, g.To*1e6 < a.To(a.Bars-1); {
	case from && to:
		text += a.Clock(g.From*1e6) + "–" + a.Clock(g.To*1e6)
	case from:
		text += "since " + a.Clock(g.From*1e6)
	case to:
		text += "before " + a.Clock(g.To*1e6)
	default:
		text = strings.TrimSpace(text)
	}
	if why := words.GapReasons[g.Why]; why != "" && g.Why != "closed" {
		text += ": " + why
	}
	return text
}

// gapsText names the longest gap, and counts the others.
func (c *Chart) gapsText() string {
	var longest timeline.Gap
	for _, g := range c.shown.Gaps {
		if g.To-g.From > longest.To-longest.From {
			longest = g
		}
	}
	if longest.To == 0 {
		return ""
	}
	text := c.gapText(longest)
	if n := len(c.shown.Gaps) - 1; n > 0 {
		text += " and " + words.CountOf(n, "more gap")
	}
	return text
}

// missing reports whether something may be missing in a bar.
func (c *Chart) missing(bar int) bool {
	a := c.Axis()
	for _, g := range c.shown.Gaps {
		if g.From*1e6 < a.To(bar) && g.To*1e6 > a.To(bar-1) {
			return true
		}
	}
	return false
}

// barText says what happened in the bars that are shown.
func (c *Chart) barText() string {
	a := c.Axis()
	_, from, to := c.brush.Shown(a)
	each, all := c.sums(from, to)
	text := a.Span(from, to) + ": "
	if all > 0 {
		text += words.ClassCounts(each)
	}
	for bar := from; bar <= to; bar++ {
		if c.missing(bar) {
			if all > 0 {
				text += ", "
			}
			return text + "changes may be missing"
		}
	}
	switch {
	case c.shown.Reading > 0 && all > 0:
		text += " so far"
	case c.shown.Reading > 0:
		text += "none read so far"
	case all == 0 && c.only != "":
		text += "none of these changes"
	case all == 0 && c.shown.Folded > 0:
		text += "no unfolded changes"
	case all == 0:
		text += "no changes"
	}
	return text
}

// markText says what a mark is.
func (c *Chart) markText(m timeline.Mark) string {
	return c.Axis().Clock(m.Time()*1e6) + " " + c.words(m)
}

// words says what happened to what: a lane may be of many objects, such as the pods of a Deployment.
func (c *Chart) words(m timeline.Mark) string {
	of := strings.Replace(m.Of, "/", " ", 1)
	if m.Key != "" {
		of += " " + m.Key[strings.LastIndexByte(m.Key, '/')+1:]
	}
	text := yaml.Visible(m.Text)
	if of != "" {
		text = yaml.Visible(of) + ": " + text
	}
	if m.Count > 1 {
		text += " and " + strconv.Itoa(m.Count-1) + " more"
	}
	return text
}

// summary says what the chart shows, as a whole.
func (c *Chart) summary() string {
	p, a := c.shown, c.Axis()
	each, all := c.sums(0, a.Bars-1)
	parts := []string{words.ClassCounts(each)}
	if all == 0 {
		parts[0] = c.emptyText()
	}
	if p.Folded > 0 {
		parts = append(parts, words.Count(p.Folded)+" folded")
	}
	if c.list != nil && c.list.Full() {
		if p.Total > timeline.MostRows {
			parts = append(parts, "List shows only the newest "+words.Count(timeline.MostRows))
		}
		if c.listOnly() {
			parts = append(parts, "The filter applies to the list only")
		}
	}
	if gaps := c.gapsText(); gaps != "" {
		parts = append(parts, gaps)
	}
	if len(p.Partial) > 0 {
		parts = append(parts, "Not in history: "+yaml.Visible(strings.Join(p.Partial, ", ")))
	}
	return strings.Join(parts, " · ")
}

// listOnly reports whether the filter has more than the chart goes by, which is one class.
func (c *Chart) listOnly() bool {
	terms := len(query.Terms(c.host.Address().Filter))
	if c.only != "" {
		terms--
	}
	return terms > 0
}

// emptyText says since when nothing has changed.
func (c *Chart) emptyText() string {
	p := c.shown
	switch {
	case p.Reading > 0:
		return "No changes read so far"
	case c.only != "":
		return "None of these changes"
	}
	begun, kind, known := p.From, "", len(p.Partial) == 0
	for _, g := range p.Gaps {
		switch {
		case g.Why != "closed" || g.From >= p.From+p.Step || g.To >= p.To:
			known = false
		case g.To > begun:
			begun, kind = g.To, g.Kind
		}
	}
	nothing := "No watched object has changed since " // kinds that nobody reads are not watched
	if p.Folded > 0 {
		nothing = "No unfolded changes since "
	}
	switch {
	case !known: // what changed meanwhile is unknown
		return "No changes seen since " + c.Axis().Clock(p.From*1e6)
	case begun > p.From:
		return nothing + c.Axis().Clock(begun*1e6) + ", when this tab started watching " + cmp.Or(yaml.Visible(kind), "the cluster")
	}
	return nothing + c.Axis().Clock(p.From*1e6)
}

// loadingText says how much of what is remembered has been read.
func (c *Chart) loadingText() string {
	if c.shown != nil && c.shown.Reading > 0 {
		return "Reading history: " + strconv.Itoa(c.shown.Reading) + " %"
	}
	if c.shown == nil && !c.host.HasHistory() {
		return "No history yet"
	}
	return "Reading history…"
}

// rangeText returns the time that timelines are narrowed to; "" if they are not.
func (c *Chart) rangeText() string {
	at := c.host.Address().Timeline
	if at.From == 0 && at.To == 0 {
		return ""
	}
	clock := func(at int64) string {
		if at == 0 {
			return ""
		}
		return ui.SpanClock(at, c.host.Address().Timeline.From, c.host.Address().Timeline.To, int64(time.Second), time.Local)
	}
	return clock(at.From) + " – " + clock(at.To)
}
