package web

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/history/timeline"
	"watchglass/internal/port"
	"watchglass/internal/query"
	"watchglass/internal/view"
	"watchglass/web/past"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// The charts of a page, as the names of their fields begin, and the hub's IDs for their timelines.
const (
	listChart   = "timeline"
	objectChart = "object-timeline"

	listTimelineID   = 4
	objectTimelineID = 5
)

// chart is a timeline on screen: what was asked for, what it shows, and the cursor in it.
type chart struct {
	*page
	name  string
	asked port.OpenTimeline // its ID is 0 while it is closed
	shown *timeline.Picture // nil until it has arrived; immutable
	brush ui.Brush
	only  timeline.Class // the class that shows alone; "" is all
	held  bool           // the pointer is at the lanes or their names, which keep their places
	lane  int            // of the mark at the cursor, from 1; 0: there is no cursor
	mark  int
}

// ask opens the timeline, unless the question is the same. A question about something else drops what
// is shown.
func (c *chart) ask(next port.OpenTimeline, other bool) {
	before := c.asked
	if next.Lanes != before.Lanes || other {
		c.shown, c.brush, c.lane = nil, ui.Brush{}, 0
	}
	if other || next.ID != before.ID || next.Lanes != before.Lanes || next.Class != before.Class || next.Bars != before.Bars || !next.From.Equal(before.From) || !next.To.Equal(before.To) || !slices.Equal(next.Unfolded, before.Unfolded) {
		c.asked = next
		c.port.Send(next)
	}
}

// close closes the timeline.
func (c *chart) close() {
	if c.asked.ID != 0 {
		c.port.Send(port.Close{ID: c.asked.ID})
		c.asked, c.shown, c.brush, c.lane = port.OpenTimeline{}, nil, ui.Brush{}, 0
	}
}

// onReset opens the timeline at the new hub.
func (c *chart) onReset() {
	if c.asked.ID != 0 {
		c.port.Send(c.asked)
	}
}

func (c *chart) onDetail(m port.Detail) {
	var next timeline.Picture
	if m.ID != c.asked.ID || json.Unmarshal(m.Doc, &next) != nil || next.Step <= 0 || next.To <= next.From {
		return
	}
	if n := len(next.Lanes) - mostLanes; n > 0 {
		next.Lanes, next.More = next.Lanes[:mostLanes], next.More+n
	}
	if c.held && c.shown != nil && next.Reading == 0 {
		next.Lanes = inPlace(c.shown.Lanes, next.Lanes)
	}
	c.lane, c.mark = c.cursorIn(&next)
	c.shown = &next
	c.redrawSoon()
}

// inPlace returns lanes in the order in which they are on screen. A lane that has gone leaves its place to one that is
// new, so that no other moves.
func inPlace(shown, next []timeline.Lane) []timeline.Lane {
	at := func(all []timeline.Lane, l timeline.Lane) int {
		return slices.IndexFunc(all, func(o timeline.Lane) bool { return o.Namespace == l.Namespace && o.Name == l.Name })
	}
	fresh := slices.DeleteFunc(slices.Clone(next), func(l timeline.Lane) bool { return at(shown, l) >= 0 })
	out := make([]timeline.Lane, 0, len(next))
	for _, was := range shown {
		if i := at(next, was); i >= 0 {
			out = append(out, next[i])
		} else if len(fresh) > 0 {
			out, fresh = append(out, fresh[0]), fresh[1:]
		}
	}
	return append(out, fresh...)
}

// cursorIn returns where the mark at the cursor is in another picture, in which lanes may have changed places and marks
// may have been joined. Lane 0 is nowhere: keys must not act on another mark.
func (c *chart) cursorIn(next *timeline.Picture) (lane, mark int) {
	at := c.at()
	if at.Count == 0 {
		return 0, 0
	}
	was := &c.shown.Lanes[c.lane-1]
	for i := range next.Lanes {
		l := &next.Lanes[i]
		if l.Namespace != was.Namespace || l.Name != was.Name {
			continue
		}
		for j, m := range l.Marks {
			if m.At <= at.At && at.At <= max(m.At, m.To) {
				return i + 1, j
			}
		}
	}
	return 0, 0
}

// question returns what the address asks of a timeline that is so many pixels wide.
func (c *chart) question(width int) port.OpenTimeline {
	at := c.address.Timeline
	o := port.OpenTimeline{Lanes: at.Lanes, Class: string(c.only), Bars: min(max(width/80*10, fewestBars), mostBars), Most: mostLanes}
	if at.From != 0 {
		o.From = time.Unix(0, at.From)
	}
	if at.To != 0 {
		o.To = time.Unix(0, at.To)
	}
	o.Unfolded = words.SplitList(at.Noise)
	return o
}

// mostLanes is how many lanes are drawn at most.
const mostLanes = 40

// Axis returns the axis of the bars: one bar while there are none.
func (c *chart) Axis() ui.Axis {
	p := c.shown
	if p == nil {
		return ui.Axis{Width: 1, Bars: 1, Zone: time.Local}
	}
	return ui.Axis{From: p.From * 1e6, Width: p.Step * 1e6, Bars: int(min((p.To-p.From+p.Step-1)/p.Step, 2*mostBars)), Zone: time.Local}
}

func (c *chart) Brushes() *ui.Brush { return &c.brush }

func (c *chart) Between(from, to int64) {
	c.visit(true, func(a *route.Address) { a.Timeline.From, a.Timeline.To = from, to })
}

func (c *chart) Widen() bool {
	narrowed := c.address.Timeline.From != 0 || c.address.Timeline.To != 0
	c.Between(0, 0)
	return narrowed
}

func (c *chart) Blur() {
	if c.name == listChart {
		c.browser.Focus("grid")
	} else {
		c.drawer.focusTab()
	}
}

// Touched points at marks, and opens them. A click on a bar narrows to it.
func (c *chart) Touched(field string, phase ui.BrushPhase, x, y float64) bool {
	lanes, before, at := strings.HasSuffix(field, lanesMark), c.lane, c.mark
	c.held = phase != ui.BrushLeaves && (lanes || strings.HasSuffix(field, namesMark))
	switch {
	case strings.HasSuffix(field, namesMark):
		c.lane, c.brush.Pointed = 0, 0
	case !lanes && phase == ui.BrushClicks:
		c.bars.narrow(c)
		return true
	case lanes && phase == ui.BrushClicks:
		c.brush = ui.Brush{}
		if c.find(x, y); c.lane > 0 {
			c.openMark(c.at())
		}
	case lanes && phase == ui.BrushPoints:
		c.brush.Pointed = 0 // the text is about the mark
		c.find(x, y)
	case lanes && phase == ui.BrushLeaves:
		c.lane = 0
	}
	return c.lane != before || c.mark != at
}

// nearMark is how far from a mark the pointer may be, as a part of the width.
const nearMark = 0.012

// find puts the cursor on the mark at a place in the lanes, if there is one.
func (c *chart) find(x, y float64) {
	lane := int(y * float64(len(c.shown.Lanes)))
	if c.lane = 0; lane < 0 || lane >= len(c.shown.Lanes) {
		return
	}
	nearest := nearMark
	for i, m := range c.shown.Lanes[lane].Marks {
		if off := max(c.part(m.At)-x, x-c.part(max(m.At, m.To))); off < nearest && c.shows(m.Class) {
			nearest, c.lane, c.mark = max(off, 0), lane+1, i
		}
	}
}

// part returns where a time is on the axis: 0 is its beginning, and 1 its end.
func (c *chart) part(at int64) float64 {
	a := c.Axis()
	return float64(at*1e6-a.From) / float64(max(a.To(a.Bars-1)-a.From, 1))
}

// at returns the mark at the cursor.
func (c *chart) at() (m timeline.Mark) {
	if c.shown == nil || c.lane == 0 || c.lane > len(c.shown.Lanes) {
		return m
	}
	if marks := c.shown.Lanes[c.lane-1].Marks; c.mark < len(marks) {
		return marks[c.mark]
	}
	return m
}

func (c *chart) shows(class timeline.Class) bool { return c.only == "" || c.only == class }

// The actions of timelines. Before the value of some is the name of the chart, and a space.
const (
	ToggleBars  ui.Action = "timeline-bars"
	ToggleNoise ui.Action = "timeline-noise" // value: CHART RULE
	SetLanes    ui.Action = "timeline-lanes" // value: what they are by
	OnlyClass   ui.Action = "timeline-class" // value: CHART CLASS
	WidenTime   ui.Action = "timeline-widen"
	MoveMark    ui.Action = "timeline-move"   // value: left, right, up or down
	OpenMark    ui.Action = "timeline-open"   // value: RESOURCE KEY and TIME, separated by spaces; none: the mark at the cursor
	TravelMark  ui.Action = "timeline-travel" // to the time of the mark at the cursor
	NarrowLane  ui.Action = "timeline-narrow" // value: FIELD:VALUE; none: the lane at the cursor
)

// lanesKeys are the keys in the lanes of a timeline.
var lanesKeys = []ui.Binding{
	{Keys: []string{"ArrowLeft"}, Action: MoveMark, Value: "left", Help: "Timeline: next mark in a direction"},
	{Keys: []string{"ArrowRight"}, Action: MoveMark, Value: "right", Help: "Timeline: next mark in a direction"},
	{Keys: []string{"ArrowUp"}, Action: MoveMark, Value: "up", Help: "Timeline: next mark in a direction"},
	{Keys: []string{"ArrowDown"}, Action: MoveMark, Value: "down", Help: "Timeline: next mark in a direction"},
	{Keys: []string{"Enter"}, Action: OpenMark, Help: "Timeline: open the object of the mark"},
	{Keys: []string{"h"}, Action: TravelMark, Help: "Timeline: go back to the mark's time"},
	{Keys: []string{" "}, Action: NarrowLane, Help: "Timeline: narrow to the lane"},
	{Keys: []string{"Escape"}, Action: ui.LeaveBars},
}

// move moves the cursor to the next mark in a direction. In another lane that is the nearest in time.
func (c *chart) move(direction string) {
	if c.shown == nil {
		return
	}
	at := c.at()
	if at.Count == 0 {
		at.At = math.MaxInt64
	}
	lanes := c.shown.Lanes
	step := map[string]int{"up": -1, "down": 1}[direction]
	for lane := max(c.lane, 1) - 1 + step; lane >= 0 && lane < len(lanes); lane += step {
		best, off := -1, int64(math.MaxInt64)
		for i, m := range lanes[lane].Marks {
			away := m.At - at.At
			if !c.shows(m.Class) || direction == "left" && away >= 0 || direction == "right" && away <= 0 {
				continue
			}
			if away = max(away, -away); away < off {
				best, off = i, away
			}
		}
		if best >= 0 {
			c.lane, c.mark, c.brush.Pointed = lane+1, best, 0
			return
		}
		if step == 0 {
			return
		}
	}
}

// target returns the resource and the key of a mark's object, separated by a space, as the list on screen
// names it. It opens beside a list of several kinds.
func (c *chart) target(m *timeline.Mark) string {
	if !c.address.Mixed() {
		return m.Resource + " " + m.Key
	}
	of := detail.Ref{Resource: m.Resource, Name: m.Key}
	if namespace, name, ok := strings.Cut(m.Key, "/"); ok {
		of.Namespace, of.Name = namespace, name
	}
	return c.address.Resource + " " + route.SelectedOf(of)
}

// openMark opens the object of a mark, and offers to go back to its time. If it is of several, it
// narrows to that.
func (c *chart) openMark(m timeline.Mark) {
	switch {
	case m.Key != "":
		text := c.markText(m) // before the chart is left
		c.drawer.goObject(c.target(&m))
		c.notices.say(notice{text: text, action: past.TravelTo, value: strconv.FormatInt(m.Time(), 10), label: "Go back to this time"})
	case m.Count > 0:
		a := c.Axis()
		c.Between(m.At*1e6, max(m.To*1e6, m.At*1e6+a.Width))
	}
}

// listTimeline is the part with the timeline above the list: its lanes in the timeline view, and else
// the histogram alone, if the user has switched it on.
type listTimeline struct {
	*page
	chart chart
	of    string // the resource that it is about
	bars  bool   // above any list
}

func newListTimeline(p *page) *listTimeline {
	return &listTimeline{page: p, chart: chart{page: p, name: listChart}, bars: p.browser.Recall("bars") == "on"}
}

// full reports whether the timeline view is on screen.
func (lt *listTimeline) full() bool { return lt.address.Resource == route.TimelineID }

// on reports whether there is a histogram above the list.
func (lt *listTimeline) on() bool { return (lt.full() || lt.bars) && !lt.frame.on() }

func (lt *listTimeline) Actions() map[ui.Action]func(string) {
	charted := func(f func(c *chart, value string)) func(string) {
		return func(value string) {
			name, value, _ := strings.Cut(value, " ")
			c := &lt.chart
			if name == objectChart {
				c = &lt.times.chart
			}
			f(c, value)
			lt.redraw()
		}
	}
	cursor := func(f func(c *chart, value string)) func(string) {
		return func(value string) {
			if c, ok := lt.page.bars.of.(*chart); ok {
				f(c, value)
				lt.redraw()
			}
		}
	}
	return map[ui.Action]func(string){
		ToggleBars: ui.IgnoreValue(lt.toggle), ToggleNoise: lt.toggleNoise,
		SetLanes:  func(by string) { lt.visit(true, func(a *route.Address) { a.Timeline.Lanes = by }) },
		OnlyClass: charted((*chart).toggleClass),
		WidenTime: ui.IgnoreValue(func() { lt.chart.Between(0, 0) }),
		MoveMark:  cursor((*chart).move),
		TravelMark: cursor(func(c *chart, _ string) {
			if m := c.at(); m.Count > 0 {
				c.past.ToMillisecond(m.Time())
			}
		}),
		OpenMark: func(value string) {
			if value == "" {
				cursor(func(c *chart, _ string) { c.openMark(c.at()) })("")
			} else {
				lt.drawer.goObject(value)
			}
		},
		NarrowLane: func(value string) {
			if c := &lt.chart; value == "" && lt.page.bars.of == ui.Brushed(c) && c.lane > 0 {
				value = narrowsTo(c.shown.Lanes[c.lane-1])
			}
			if field, value, ok := strings.Cut(value, ":"); ok {
				lt.facets.pick(field, value)
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
func (lt *listTimeline) toggle() {
	lt.bars = !lt.bars
	lt.browser.Remember("bars", map[bool]string{true: "on", false: "off"}[lt.bars])
	lt.changed()
}

// classColumn is the column with the class of the entries.
const classColumn = "What"

// toggleClass shows one class alone, or all of them again. In the timeline view that is a part of the
// filter, so that the entries follow.
func (c *chart) toggleClass(class string) {
	c.lane = 0
	was := string(c.only)
	if c.only = timeline.Class(class); class == was {
		c.only = ""
	}
	if c.name == objectChart {
		c.times.follow()
	}
	if c.name == listChart && c.timeline.full() {
		c.visit(true, func(a *route.Address) {
			field := view.Field(classColumn)
			if a.Filter = query.Clear(a.Filter, field, was); class != was {
				a.Filter = query.Include(a.Filter, field, class)
			}
		})
		c.fields()
	}
}

// filtered returns the only class that the filter includes; "" if there are none or several.
func filtered(filter string) timeline.Class {
	if in, _ := parsed(filter).Facet(view.Field(classColumn)); len(in) == 1 {
		return timeline.Class(in[0])
	}
	return ""
}

// toggleNoise switches a rule of noise on or off.
func (lt *listTimeline) toggleNoise(rule string) {
	lt.visit(false, func(a *route.Address) {
		off := words.SplitList(a.Timeline.Noise)
		kept := words.Without(off, []string{rule})
		if len(kept) == len(off) {
			kept = append(kept, rule)
		}
		a.Timeline.Noise = strings.Join(kept, ",")
	})
}

// follow asks for the timeline that the address and the view show.
func (lt *listTimeline) follow() {
	lt.times.follow()
	if !lt.on() || lt.list.asked.Seq == 0 {
		lt.chart.close()
		return
	}
	if lt.full() {
		lt.chart.only = filtered(lt.address.Filter)
	}
	next := lt.chart.question(lt.list.room.Width)
	next.ID, next.List = listTimelineID, listID
	if !lt.full() {
		next.Lanes = ""
	} else if next.Lanes == "" {
		next.Lanes = laneNames[0]
	}
	other := lt.of != lt.address.Resource
	if lt.of = lt.address.Resource; other && !lt.full() {
		lt.chart.only = ""
	}
	lt.chart.ask(next, other)
}
