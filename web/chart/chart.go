package chart

import (
	"cmp"
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
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// The charts of a page, as the names of their fields begin, and the hub's IDs for their timelines.
const (
	listName   = "timeline"
	objectName = "object-timeline"

	listID   = 4
	objectID = 5
)

// Chart is a timeline on screen: what was asked for, what it shows, and the cursor in it.
type Chart struct {
	host  Host
	list  *List // whose chart it is; nil: an object's
	name  string
	asked port.OpenTimeline // its ID is 0 while it is closed
	shown *timeline.Picture // nil until it has arrived; immutable
	brush ui.Brush
	only  timeline.Class // the class that shows alone; "" is all
	held  bool           // the pointer is at the lanes or their names, which keep their places
	lane  int            // of the mark at the cursor, from 1; 0: there is no cursor
	mark  int
}

// NewObject returns the chart of the open object.
func NewObject(h Host) *Chart { return &Chart{host: h, name: objectName} }

// ShowObject asks for the timeline of the hub's object with an ID, with as many bars as fit into a width, in pixels. The
// address says what lanes are by, else it is the given default.
func (c *Chart) ShowObject(object uint32, width int, lanes string) {
	next := c.question(width)
	next.ID, next.Object, next.Lanes = objectID, object, cmp.Or(next.Lanes, lanes)
	c.ask(next, false)
}

// ask opens the timeline, unless the question is the same. A question about something else drops what
// is shown.
func (c *Chart) ask(next port.OpenTimeline, other bool) {
	before := c.asked
	if next.Lanes != before.Lanes || other {
		c.shown, c.brush, c.lane = nil, ui.Brush{}, 0
	}
	if other || next.ID != before.ID || next.Lanes != before.Lanes || next.Class != before.Class || next.Bars != before.Bars || !next.From.Equal(before.From) || !next.To.Equal(before.To) || !slices.Equal(next.Unfolded, before.Unfolded) {
		c.asked = next
		c.host.Send(next)
	}
}

// Close closes the timeline.
func (c *Chart) Close() {
	if c.asked.ID != 0 {
		c.host.Send(port.Close{ID: c.asked.ID})
		c.asked, c.shown, c.brush, c.lane = port.OpenTimeline{}, nil, ui.Brush{}, 0
	}
}

// OnReset opens the timeline at the new hub.
func (c *Chart) OnReset() {
	if c.asked.ID != 0 {
		c.host.Send(c.asked)
	}
}

// OnDetail handles a picture from the hub. It ignores those of other charts.
func (c *Chart) OnDetail(m port.Detail) {
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
	c.host.RedrawSoon()
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
func (c *Chart) cursorIn(next *timeline.Picture) (lane, mark int) {
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
func (c *Chart) question(width int) port.OpenTimeline {
	at := c.host.Address().Timeline
	o := port.OpenTimeline{Lanes: at.Lanes, Class: string(c.only), Bars: min(max(width/80*10, ui.FewestBars), ui.MostBars), Most: mostLanes}
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
func (c *Chart) Axis() ui.Axis {
	p := c.shown
	if p == nil {
		return ui.Axis{Width: 1, Bars: 1, Zone: time.Local}
	}
	return ui.Axis{From: p.From * 1e6, Width: p.Step * 1e6, Bars: int(min((p.To-p.From+p.Step-1)/p.Step, 2*ui.MostBars)), Zone: time.Local}
}

// Brushes returns the brush of the bars.
func (c *Chart) Brushes() *ui.Brush { return &c.brush }

// Between shows the times from one and before another, as one step that Back undoes.
func (c *Chart) Between(from, to int64) {
	c.host.Navigate(true, func(a *route.Address) { a.Timeline.From, a.Timeline.To = from, to })
}

// Widen shows all times again, and reports whether they were narrowed.
func (c *Chart) Widen() bool {
	narrowed := c.host.Address().Timeline.From != 0 || c.host.Address().Timeline.To != 0
	c.Between(0, 0)
	return narrowed
}

// Blur moves the focus from the chart to the list, or to the tab of the open object.
func (c *Chart) Blur() {
	if c.list != nil {
		c.list.browser.Focus("grid")
	} else {
		c.host.FocusOpen()
	}
}

// Touched points at marks, and opens them. A click on a bar narrows to it.
func (c *Chart) Touched(field string, phase ui.BrushPhase, x, y float64) bool {
	lanes, before, at := strings.HasSuffix(field, ui.InLanes), c.lane, c.mark
	c.held = phase != ui.BrushLeaves && (lanes || strings.HasSuffix(field, namesMark))
	switch {
	case strings.HasSuffix(field, namesMark):
		c.lane, c.brush.Pointed = 0, 0
	case !lanes && phase == ui.BrushClicks:
		narrow(c)
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
func (c *Chart) find(x, y float64) {
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

// BarChart returns the chart if it shows the bars or the lanes of a field, else nil.
func (c *Chart) BarChart(field string) ui.BarChart {
	switch strings.TrimPrefix(field, c.name) {
	case ui.InBars, ui.InLanes, namesMark:
		return c
	}
	return nil
}

// part returns where a time is on the axis: 0 is its beginning, and 1 its end.
func (c *Chart) part(at int64) float64 {
	a := c.Axis()
	return float64(at*1e6-a.From) / float64(max(a.To(a.Bars-1)-a.From, 1))
}

// at returns the mark at the cursor.
func (c *Chart) at() (m timeline.Mark) {
	if c.shown == nil || c.lane == 0 || c.lane > len(c.shown.Lanes) {
		return m
	}
	if marks := c.shown.Lanes[c.lane-1].Marks; c.mark < len(marks) {
		return marks[c.mark]
	}
	return m
}

func (c *Chart) shows(class timeline.Class) bool { return c.only == "" || c.only == class }

// The actions of timelines. CHART is the name of a chart.
const (
	ToggleBars  ui.Action = "timeline-bars"
	ToggleNoise ui.Action = "timeline-noise" // value: the name of a rule
	SetLanes    ui.Action = "timeline-lanes" // value: what they are by
	OnlyClass   ui.Action = "timeline-class" // value: CHART CLASS
	WidenTime   ui.Action = "timeline-widen"
	OpenMark    ui.Action = "timeline-open"   // value: RESOURCE KEY
	NarrowLane  ui.Action = "timeline-narrow" // value: FIELD:VALUE
)

// move moves the cursor to the next mark in a direction. In another lane that is the nearest in time.
func (c *Chart) move(direction string) {
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
func (c *Chart) target(m *timeline.Mark) string {
	if !c.host.Address().Mixed() {
		return m.Resource + " " + m.Key
	}
	of := detail.Ref{Resource: m.Resource, Name: m.Key}
	if namespace, name, ok := strings.Cut(m.Key, "/"); ok {
		of.Namespace, of.Name = namespace, name
	}
	return c.host.Address().Resource + " " + route.SelectedOf(of)
}

// openMark opens the object of a mark, and offers to go back to its time. If it is of several, it
// narrows to that.
func (c *Chart) openMark(m timeline.Mark) {
	switch {
	case m.Key != "":
		text := c.markText(m) // before the chart is left
		c.open(c.target(&m))
		c.host.NotifyWith(text, ui.TravelTo, strconv.FormatInt(m.Time(), 10), "Go back to this time")
	case m.Count > 0:
		a := c.Axis()
		c.Between(m.At*1e6, max(m.To*1e6, m.At*1e6+a.Width))
	}
}

// open opens an object, given as its resource and its key, separated by a space.
func (c *Chart) open(target string) {
	resource, key, _ := strings.Cut(target, " ")
	c.host.GoTo(c.host.Address().ToObject(resource, key))
}

// classColumn is the column with the class of the entries.
const classColumn = "What"

// toggleClass shows one class alone, or all of them again. In the timeline view that is a part of the
// filter, so that the entries follow.
func (c *Chart) toggleClass(class string) {
	c.lane = 0
	was := string(c.only)
	if c.only = timeline.Class(class); class == was {
		c.only = ""
	}
	if c.list == nil && c.asked.ID != 0 {
		next := c.asked
		next.Class = string(c.only)
		c.ask(next, false)
	}
	if c.list != nil && c.list.Full() {
		c.host.Navigate(true, func(a *route.Address) {
			field := view.Field(classColumn)
			if a.Filter = query.Clear(a.Filter, field, was); class != was {
				a.Filter = query.Include(a.Filter, field, class)
			}
		})
		c.list.host.SetFields()
	}
}
