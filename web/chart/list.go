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

// Actions returns the handlers of the actions of both charts.
func (l *List) Actions() map[ui.Action]func(string) {
	charted := func(f func(c *Chart, value string)) func(string) {
		return func(value string) {
			name, value, _ := strings.Cut(value, " ")
			c := l.chart
			if name == objectName {
				c = l.object
			}
			f(c, value)
			l.host.Redraw()
		}
	}
	cursor := func(f func(c *Chart, value string)) func(string) {
		return func(value string) {
			if c, ok := l.focus.of.(*Chart); ok {
				f(c, value)
				l.host.Redraw()
			}
		}
	}
	return map[ui.Action]func(string){
		ToggleBars: ui.IgnoreValue(l.toggle), ToggleNoise: l.toggleNoise,
		SetLanes:  func(by string) { l.host.Visit(true, func(a *route.Address) { a.Timeline.Lanes = by }) },
		OnlyClass: charted((*Chart).toggleClass),
		WidenTime: ui.IgnoreValue(func() { l.chart.Between(0, 0) }),
		MoveMark:  cursor((*Chart).move),
		TravelMark: cursor(func(c *Chart, _ string) {
			if m := c.at(); m.Count > 0 {
				l.host.TravelTo(m.Time())
			}
		}),
		OpenMark: func(value string) {
			if value == "" {
				cursor(func(c *Chart, _ string) { c.openMark(c.at()) })("")
			} else {
				l.chart.open(value)
			}
		},
		NarrowLane: func(value string) {
			if c := l.chart; value == "" && l.focus.of == ui.BarChart(c) && c.lane > 0 {
				value = narrowsTo(c.shown.Lanes[c.lane-1])
			}
			if field, value, ok := strings.Cut(value, ":"); ok {
				l.host.Pick(field, value)
			}
		},
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
	l.host.Visit(false, func(a *route.Address) {
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
