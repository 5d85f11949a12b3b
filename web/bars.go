package web

import (
	"strconv"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"
)

// axis is time in bars of one width, in nanoseconds.
type axis struct {
	from, width int64
	bars        int
	zone        *time.Location
}

// to returns when a bar ends.
func (a axis) to(bar int) int64 { return a.from + int64(bar+1)*a.width }

// barOf returns the bar of a time, or the nearest one.
func (a axis) barOf(at int64) int { return min(max(int((at-a.from)/a.width), 0), a.bars-1) }

// clock returns a time as precisely as the bars need it, with its date if they are of two days.
func (a axis) clock(at int64) string {
	return spanClock(at, a.from, a.to(a.bars-1), a.width, a.zone)
}

// span returns the time from one bar to another.
func (a axis) span(from, to int) string { return a.clock(a.to(from-1)) + " to " + a.clock(a.to(to)) }

// spanClock returns one of the times between two, as precisely as a width.
func spanClock(at, from, to, width int64, zone *time.Location) string {
	in := func(at int64) time.Time { return time.Unix(0, at).In(zone) }
	layout := "15:04:05"
	switch {
	case width%int64(time.Second) != 0 && width < 10*int64(time.Second):
		layout = "15:04:05.000"
	case in(from).YearDay() != in(to).YearDay():
		layout = "Jan 2 15:04"
	}
	return in(at).Format(layout)
}

// brush is what is pointed at and selected in bars. Times stay what they are while bars move. They
// are those of the beginnings of bars.
type brush struct {
	on         bool  // there is a cursor
	at, anchor int64 // the cursor, and where the selection began
	selects    bool  // the bars in between are selected
	pointed    int64 // the bar under the pointer; 0 if there is none
}

// chosen returns the first and the last bar that the cursor has selected. It is false if there is no
// cursor.
func (b brush) chosen(a axis) (from, to int, ok bool) {
	return a.barOf(min(b.at, b.anchor)), a.barOf(max(b.at, b.anchor)), b.on
}

// shown returns the bars that the text is about: the selected ones, or the one under the pointer or at
// the cursor, else the last one. At is the cursor.
func (b brush) shown(a axis) (at, from, to int) {
	at = a.bars - 1
	from, to, on := b.chosen(a)
	switch {
	case b.pointed > 0 && !b.selects:
		at = a.barOf(b.pointed)
	case on:
		return a.barOf(b.at), from, to
	}
	return at, at, at
}

// brushPhase is what the pointer does in bars.
type brushPhase uint8

const (
	brushPoints brushPhase = iota
	brushBegins
	brushMoves
	brushEnds
	brushClicks // ends without having moved
	brushLeaves
)

// point applies what the pointer does. 0 is the left edge of the bars, and 1 the right one.
func (b *brush) point(a axis, phase brushPhase, at float64) {
	here := a.from + int64(min(max(int(at*float64(a.bars)), 0), a.bars-1))*a.width
	switch phase {
	case brushPoints:
		b.pointed = here
	case brushBegins:
		*b = brush{on: true, at: here, anchor: here}
	case brushMoves:
		b.at, b.selects = here, b.selects || here != b.anchor
	case brushEnds:
		b.at, b.selects = here, true
	case brushLeaves:
		b.pointed = 0
	}
}

// step moves the cursor by some bars; extend selects those in between. It begins at the last bar.
func (b *brush) step(a axis, by int, extend bool) {
	to := a.bars - 1
	if b.on {
		to = min(max(a.barOf(b.at)+by, 0), to)
	} else {
		b.anchor = a.from + int64(to)*a.width
	}
	if b.at = a.from + int64(to)*a.width; !extend {
		b.anchor = b.at
	}
	b.on, b.selects, b.pointed = true, extend, 0
}

// brushed is what shows bars. The user narrows it to a time with its brush.
type brushed interface {
	axis() axis // without bars, none are shown
	brushes() *brush
	between(from, to int64) // shows the times from one and before another
	widen() bool            // undoes that, and reports whether there was anything to undo
	blur()                  // moves the focus to what the bars are about
	// touched is called with what the pointer does, and reports whether something else shows then.
	touched(field string, phase brushPhase, x, y float64) bool
}

// bars is the part that hands what is done to bars to those who show them.
type bars struct {
	*page
	of brushed // those that have the focus
}

// The actions in bars. Values are how many bars to move.
const (
	StepBars   Action = "bars-step"
	ExtendBars Action = "bars-extend"
	NarrowBars Action = "bars-narrow"
	LeaveBars  Action = "bars-leave"
)

// The names of fields with bars, of those with lanes below bars, and of those with the names of lanes, end in these.
const (
	barsMark  = "-histogram"
	lanesMark = "-lanes"
	namesMark = "-names"
)

// barsKeys are the keys in bars.
var barsKeys = []binding{
	{keys: []string{"ArrowLeft"}, action: StepBars, value: "-1", help: "Previous or next bar"},
	{keys: []string{"ArrowRight"}, action: StepBars, value: "1", help: "Previous or next bar"},
	{keys: []string{"Shift+ArrowLeft"}, action: ExtendBars, value: "-1", help: "Select bars"},
	{keys: []string{"Shift+ArrowRight"}, action: ExtendBars, value: "1", help: "Select bars"},
	{keys: []string{"Enter"}, action: NarrowBars, help: "Narrow to the selection"},
	{keys: []string{"Escape"}, action: LeaveBars, help: "Clear the selection or range"},
}

// ofField returns what shows the bars of a field; nil if none do.
func (bs *bars) ofField(field string) (of brushed) {
	switch field {
	case logsBarsField:
		of = bs.logs
	case listChart + barsMark, listChart + lanesMark, listChart + namesMark:
		of = &bs.timeline.chart
	case objectChart + barsMark, objectChart + lanesMark, objectChart + namesMark:
		of = &bs.times.chart
	}
	if of == nil || of.axis().bars == 0 {
		return nil
	}
	return of
}

func (bs *bars) actions() map[Action]func(string) {
	step := func(extend bool) func(string) {
		return func(by string) {
			n, _ := strconv.Atoi(by)
			bs.of.brushes().step(bs.of.axis(), n, extend)
		}
	}
	all := map[Action]func(string){
		StepBars: step(false), ExtendBars: step(true), NarrowBars: ignoreValue(func() { bs.narrow(bs.of) }),
		LeaveBars: ignoreValue(func() {
			if b := bs.of.brushes(); b.on {
				*b = brush{}
			} else if !bs.of.widen() {
				bs.of.blur()
			}
		}),
	}
	for action, f := range all {
		all[action] = func(value string) {
			if bs.of != nil {
				f(value)
				bs.redraw()
			}
		}
	}
	return all
}

// narrow narrows what shows bars to the time of those selected, as one step that Back undoes.
func (bs *bars) narrow(of brushed) {
	a := of.axis()
	if from, to, ok := of.brushes().chosen(a); ok {
		*of.brushes() = brush{}
		of.between(max(a.to(from-1), 1), a.to(to))
	}
}

// Brushed reports what the pointer does in the bars of a field, and where: 0, 0 is their top left, and
// 1, 1 their bottom right.
func (p *Page) Brushed(field string, phase brushPhase, x, y float64) {
	p.locked(func(g *page) { g.bars.onBrush(field, phase, x, y) })
}

func (bs *bars) onBrush(field string, phase brushPhase, x, y float64) {
	of := bs.ofField(field)
	if of == nil {
		return
	}
	b := of.brushes()
	before := *b
	b.point(of.axis(), phase, x)
	shows := of.touched(field, phase, x, y)
	if phase == brushEnds {
		bs.narrow(of)
	}
	if shows || before != *b || phase == brushEnds {
		bs.redraw()
	}
}

// barsHeight is the height of the highest bar, in units of the drawing, baseHeight that of the line
// below the bars, and leastBar that of a bar with little, so that nothing is too small to be seen.
const (
	barsHeight = 240
	baseHeight = 8
	leastBar   = 20
)

// barLayer is a part of the drawing of bars, and its look in the style sheet.
type barLayer struct{ look, path string }

// stack returns the drawings of what bars are made of: parts[k][i] is of bar i, and the first part is
// at the bottom. They are to be drawn over each other, in this order.
func stack(count int, looks []string, parts [][]int) []barLayer {
	sums, most := make([]int, count), 1
	for _, part := range parts {
		for i := range min(count, len(part)) {
			sums[i] += part[i]
			most = max(most, sums[i])
		}
	}
	layers := make([]barLayer, len(parts))
	below, sum := make([]int, count), make([]int, count)
	for k, part := range parts {
		var path []byte
		for i := range min(count, len(part)) {
			if part[i] > 0 {
				sum[i] += part[i]
				below[i] = min(max(below[i]+leastBar, sum[i]*barsHeight/most), barsHeight)
				path = appendBar(path, i, 1, below[i])
			}
		}
		layers[len(parts)-1-k] = barLayer{looks[k], string(path)}
	}
	return layers
}

// strokes returns the drawing of bars of which something is missing.
func strokes(count int, missing func(bar int) bool) barLayer {
	var path []byte
	for i := range count {
		if missing(i) {
			path = strconv.AppendInt(append(path, 'M'), int64(i), 10)
			path = append(path, " 240l1 -240"...)
		}
	}
	return barLayer{"missing", string(path)}
}

// appendBar appends a bar to the path of a drawing.
func appendBar(path []byte, from, width, height int) []byte {
	path = strconv.AppendInt(append(path, 'M'), int64(from), 10)
	path = strconv.AppendInt(append(path, " 240v-"...), int64(height), 10)
	path = strconv.AppendInt(append(path, 'h'), int64(width-1), 10)
	return append(path, ".85V240z"...)
}

// drawLayers draws layers in a box of so many units. Screen readers skip them.
func drawLayers(width, height int, layers []barLayer) app.HTMLElem {
	var all []app.UI
	for _, l := range layers {
		all = append(all, app.Elem("path").XMLNS(svg).DataSet("look", l.look).Attr("d", l.path))
	}
	return app.Elem("svg").XMLNS(svg).Attr("viewBox", "0 0 "+strconv.Itoa(width)+" "+strconv.Itoa(height)).Attr("preserveAspectRatio", "none").Attr("aria-hidden", true).Body(all...)
}

// drawBars draws bars that are brushed, with texts below: the times of the axis and, in their middle,
// what is said about the bars.
func drawBars(field, label string, a axis, b brush, text string, layers []barLayer, below ...app.UI) app.UI {
	chosen := barLayer{look: "chosen"}
	if from, to, ok := b.chosen(a); ok {
		chosen.path = string(appendBar(nil, from, to+1-from, barsHeight))
	}
	base := barLayer{"base", "m0 232h" + strconv.Itoa(a.bars) + "v8H0z"}
	at, _, _ := b.shown(a)
	return app.Div().ID(field).Class("histogram").DataSet("field", field).TabIndex(0).Attr("role", "slider").Attr("aria-label", label).
		Attr("aria-valuemin", 1).Attr("aria-valuemax", a.bars).Attr("aria-valuenow", at+1).Attr("aria-valuetext", text).
		Title("Drag to narrow to a time").Body(append([]app.UI{drawLayers(a.bars, barsHeight, append(append([]barLayer{base}, layers...), chosen))}, below...)...)
}

// drawScale draws texts below bars, from left to right.
func drawScale(texts ...string) app.UI {
	var all []app.UI
	for _, t := range texts {
		all = append(all, app.Span().Text(t))
	}
	return app.Div().Class("scale").Attr("aria-hidden", true).Body(all...)
}

// keysIn returns the keys of a field with bars or lanes.
func keysIn(field string) []binding {
	switch {
	case strings.HasSuffix(field, barsMark):
		return barsKeys
	case strings.HasSuffix(field, lanesMark):
		return lanesKeys
	}
	return nil
}
