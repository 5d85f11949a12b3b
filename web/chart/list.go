package chart

import (
	"strings"

	"watchglass/internal/history/timeline"
	"watchglass/internal/port"
	"watchglass/internal/query"
	"watchglass/internal/view"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// List is the part with the timeline above the list: its lanes in the timeline view, and else
// the histogram alone, if the user has switched it on.
type List struct {
	host    ListHost
	browser Browser
	chart   *Chart
	object  *Chart // whose actions are the same
	focus   *Bars
	of      string // the resource that it is about
	bars    bool   // above any list
}

// NewList returns the part. Its actions are also those of the open object's chart. focus has the bars with the focus.
func NewList(h ListHost, b Browser, object *Chart, focus *Bars) *List {
	l := &List{host: h, browser: b, object: object, focus: focus, bars: b.Recall("bars") == "on"}
	l.chart = &Chart{host: h, list: l, name: listName}
	return l
}

// OnReset opens the timeline at the new hub. OnDetail handles a picture from it.
func (l *List) OnReset()               { l.chart.OnReset() }
func (l *List) OnDetail(m port.Detail) { l.chart.OnDetail(m) }

// BarChart returns the chart if it shows the bars or the lanes of a field, else nil.
func (l *List) BarChart(field string) ui.BarChart { return l.chart.BarChart(field) }

// Full reports whether the timeline view is on screen.
func (l *List) Full() bool { return l.host.Address().Resource == route.TimelineID }

// On reports whether there is a histogram above the list.
func (l *List) On() bool { return (l.Full() || l.bars) && !l.host.Framed() }

// Commands returns the commands of both charts.
func (l *List) Commands() []ui.Command {
	const next = "Timeline: next mark in a direction"
	return []ui.Command{
		{ID: ToggleBars, Keys: []string{"B"}, Title: "Toggle histogram of changes", Do: l.toggle, KeepsPopover: true},
		{ID: ToggleNoise, Run: l.toggleNoise, KeepsPopover: true},
		{ID: SetLanes, Run: func(by string) { l.host.Navigate(true, func(a *route.Address) { a.Timeline.Lanes = by }) }},
		{ID: OnlyClass, Run: l.onlyClass},
		{ID: WidenTime, Do: func() { l.chart.Between(0, 0) }},
		{ID: OpenMark, Run: l.chart.open},
		{ID: NarrowLane, Run: l.narrow},
		{Keys: []string{"ArrowLeft"}, In: ui.InLanes, Title: next, Do: l.atMark(func(c *Chart) { c.move("left") })},
		{Keys: []string{"ArrowRight"}, In: ui.InLanes, Title: next, Do: l.atMark(func(c *Chart) { c.move("right") })},
		{Keys: []string{"ArrowUp"}, In: ui.InLanes, Title: next, Do: l.atMark(func(c *Chart) { c.move("up") })},
		{Keys: []string{"ArrowDown"}, In: ui.InLanes, Title: next, Do: l.atMark(func(c *Chart) { c.move("down") })},
		{Keys: []string{"Enter"}, In: ui.InLanes, Title: "Timeline: open the object of the mark", Do: l.atMark(func(c *Chart) { c.openMark(c.at()) })},
		{Keys: []string{"h"}, In: ui.InLanes, Title: "Timeline: go back to the mark's time", Do: l.atMark(func(c *Chart) {
			if m := c.at(); m.Count > 0 {
				l.host.TravelTo(m.Time())
			}
		})},
		{Keys: []string{" "}, In: ui.InLanes, Title: "Timeline: narrow to the lane", Do: func() {
			if c := l.chart; l.focus.of == ui.BarChart(c) && c.lane > 0 {
				l.narrow(narrowsTo(c.shown.Lanes[c.lane-1]))
			}
		}},
	}
}

// atMark returns what a key does in the lanes that have the focus, where the cursor is at a mark.
func (l *List) atMark(f func(c *Chart)) func() {
	return func() {
		if c, ok := l.focus.of.(*Chart); ok {
			f(c)
			l.host.Redraw()
		}
	}
}

// onlyClass shows one class alone in a chart, or all again.
func (l *List) onlyClass(value string) {
	name, class, _ := strings.Cut(value, " ")
	c := l.chart
	if name == objectName {
		c = l.object
	}
	c.toggleClass(class)
	l.host.Redraw()
}

// narrow narrows the list to a lane.
func (l *List) narrow(to string) {
	if field, value, ok := strings.Cut(to, ":"); ok {
		l.host.Pick(field, value)
	}
}

// narrowsTo returns what narrows the list to a lane, as FIELD:VALUE; "" if nothing does.
func narrowsTo(l timeline.Lane) string {
	if l.Field == "" {
		return ""
	}
	return l.Field + ":" + l.Value
}

// toggle shows or hides the histogram above lists, and remembers that.
func (l *List) toggle() {
	l.bars = !l.bars
	l.browser.Remember("bars", map[bool]string{true: "on", false: "off"}[l.bars])
	l.host.Changed()
}

// filtered returns the only class that the filter includes; "" if there are none or several.
func filtered(filter string) timeline.Class {
	if in, _ := query.Sound(filter).Facet(view.Field(classColumn)); len(in) == 1 {
		return timeline.Class(in[0])
	}
	return ""
}

// toggleNoise switches a rule of noise on or off.
func (l *List) toggleNoise(rule string) {
	l.host.Navigate(false, func(a *route.Address) {
		off := words.SplitList(a.Timeline.Noise)
		kept := words.Without(off, []string{rule})
		if len(kept) == len(off) {
			kept = append(kept, rule)
		}
		a.Timeline.Noise = strings.Join(kept, ",")
	})
}

// Follow asks for the timeline that the address and the view show, of the hub's list with an ID. Without one the list
// has not been asked for yet.
func (l *List) Follow(list uint32, width int) {
	if !l.On() || list == 0 {
		l.chart.Close()
		return
	}
	if l.Full() {
		l.chart.only = filtered(l.host.Address().Filter)
	}
	next := l.chart.question(width)
	next.ID, next.List = listID, list
	if !l.Full() {
		next.Lanes = ""
	} else if next.Lanes == "" {
		next.Lanes = laneNames[0]
	}
	other := l.of != l.host.Address().Resource
	if l.of = l.host.Address().Resource; other && !l.Full() {
		l.chart.only = ""
	}
	l.chart.ask(next, other)
}
