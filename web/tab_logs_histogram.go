package web

import (
	"strconv"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail/log"
)

// brush is what is pointed at and selected in the histogram. Times stay what they are while bars
// move. They are those of the beginnings of bars.
type brush struct {
	on         bool  // there is a cursor
	at, anchor int64 // the cursor, and where the selection began
	selects    bool  // the bars in between are selected
	pointed    int64 // the bar under the pointer; 0 if there is none
}

// brushPhase is what the pointer does in the histogram.
type brushPhase uint8

const (
	brushPoints brushPhase = iota
	brushBegins
	brushMoves
	brushEnds
	brushClicks // ends without having moved
	brushLeaves
)

// Brushed reports what the pointer does in the histogram, and where: 0 is its left edge, and 1 its
// right one.
func (p *Page) Brushed(phase brushPhase, at float64) {
	p.locked(func(g *page) { g.logs.onBrush(phase, at) })
}

func (lt *logsTab) onBrush(phase brushPhase, at float64) {
	h := lt.histogram()
	if h == nil {
		return
	}
	before := lt.logs.brush
	here := h.From + int64(min(max(int(at*float64(len(h.Bars))), 0), len(h.Bars)-1))*h.Width
	lt.update(func(l *logs) {
		b := &l.brush
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
	})
	if phase == brushEnds {
		lt.narrow()
	}
	if lt.logs.brush != before || phase == brushEnds {
		lt.redraw()
	}
}

// histogram returns the histogram that is shown, or nil.
func (lt *logsTab) histogram() *log.Histogram {
	if l := lt.logs; l != nil && l.doc != nil && !l.unbarred {
		return l.doc.Histogram
	}
	return nil
}

// step moves the cursor by some bars; extend selects those in between. It begins at the last bar.
func (lt *logsTab) step(by string, extend bool) {
	h := lt.histogram()
	n, err := strconv.Atoi(by)
	if h == nil || err != nil {
		return
	}
	lt.update(func(l *logs) {
		b := &l.brush
		to := len(h.Bars) - 1
		if b.on {
			to = min(max(barOf(h, b.at)+n, 0), to)
		} else {
			b.anchor = h.From + int64(to)*h.Width
		}
		if b.at = h.From + int64(to)*h.Width; !extend {
			b.anchor = b.at
		}
		b.on, b.selects, b.pointed = true, extend, 0
	})
}

// barOf returns the bar of a time, or the nearest one.
func barOf(h *log.Histogram, at int64) int {
	return int(min(max((at-h.From)/h.Width, 0), int64(len(h.Bars)-1)))
}

// chosen returns the first and the last bar that the cursor has selected. It is false if there is no
// cursor.
func (b brush) chosen(h *log.Histogram) (from, to int, ok bool) {
	from, to = barOf(h, min(b.at, b.anchor)), barOf(h, max(b.at, b.anchor))
	return from, to, b.on
}

// narrow narrows the log to the time of the selected bars, as one step that Back undoes.
func (lt *logsTab) narrow() {
	h := lt.histogram()
	if h == nil {
		return
	}
	if from, to, ok := lt.logs.brush.chosen(h); ok {
		lt.between(max(h.To(from-1), 1), h.To(to))
	}
}

// widen shows lines of all times again.
func (lt *logsTab) widen() { lt.between(0, 0) }

// between shows the lines from one time and before another; 0 for any.
func (lt *logsTab) between(from, to int64) {
	lt.visit(true, func(a *Address) { a.Log.From, a.Log.To = from, to })
	lt.update(func(l *logs) { l.ask.From, l.ask.To, l.brush = from, to, brush{} })
	lt.request()
}

// unbrush clears the selection, else the time that the log was narrowed to, else leaves the
// histogram.
func (lt *logsTab) unbrush() {
	switch l := lt.logs; {
	case l.brush.on:
		lt.update(func(l *logs) { l.brush = brush{} })
	case l.ask.From != 0 || l.ask.To != 0:
		lt.widen()
	default:
		lt.browser.Focus("text")
	}
}

func (lt *logsTab) toggleBars() {
	lt.update(func(l *logs) { l.unbarred = !l.unbarred })
	lt.visit(false, func(a *Address) { a.Log.Unbarred = lt.logs.unbarred })
	lt.toggled()
}

// The least and the most bars of a histogram, and how many it has while its width is not known.
const (
	fewestBars = 20
	mostBars   = 120
	someBars   = 60
)

// bars returns how many bars there is room for: as many as characters, within limits.
func (l *logs) bars(columns int) int {
	switch {
	case l.unbarred:
		return 0
	case columns == 0:
		return someBars
	}
	return min(max(columns, fewestBars), mostBars)
}

// barsHeight is the height of the highest bar, in units of the drawing, baseHeight that of the line
// below the bars, and leastBar that of a bar with few lines, so that no error is too small to be seen.
const (
	barsHeight = 240
	baseHeight = 8
	leastBar   = 20
)

// drawHistogram draws lines by time. Its room is there before the first lines, so that these do not
// move.
func (l *logs) drawHistogram() app.UI {
	var h *log.Histogram
	if l.doc != nil {
		h = l.doc.Histogram
	}
	if l.unbarred || h == nil && l.doc != nil && l.doc.Held > 0 {
		return app.Div().Class("histogram").Hidden(true)
	}
	if h == nil || len(h.Bars) == 0 {
		return app.Div().Class("histogram")
	}
	index, text := l.barText(h)
	path := func(look, d string) app.UI { return app.Elem("path").XMLNS(svg).DataSet("look", look).Attr("d", d) }
	chosen := ""
	if from, to, ok := l.brush.chosen(h); ok {
		chosen = string(appendBar(nil, from, to+1-from, barsHeight))
	}
	rest, warn, fail, missing := pathsOf(h)
	return app.Div().ID(logsBarsField).Class("histogram").DataSet("field", logsBarsField).TabIndex(0).Attr("role", "slider").Attr("aria-label", "Lines by time").
		Attr("aria-valuemin", 1).Attr("aria-valuemax", len(h.Bars)).Attr("aria-valuenow", index+1).Attr("aria-valuetext", text).
		Title("Drag to narrow the log to a time").Body(
		app.Elem("svg").XMLNS(svg).Attr("viewBox", "0 0 "+strconv.Itoa(len(h.Bars))+" "+strconv.Itoa(barsHeight)).Attr("preserveAspectRatio", "none").Attr("aria-hidden", true).Body(
			app.Elem("rect").XMLNS(svg).Attr("y", barsHeight-baseHeight).Attr("width", len(h.Bars)).Attr("height", baseHeight), path("rest", rest), path("warn", warn), path("error", fail), path("missing", missing), path("chosen", chosen),
		),
		app.Div().Class("scale").Attr("aria-hidden", true).Body(
			app.Span().Text(clockText(h, h.From)), app.Span().Text(map[bool]string{true: text}[l.brush.on || l.brush.pointed > 0]), app.Span().Text(clockText(h, h.To(len(h.Bars)-1))),
		),
	)
}

// pathsOf returns the drawing of the bars: all lines, those from warnings on, errors, and where lines
// are missing. They are drawn over each other.
func pathsOf(h *log.Histogram) (rest, warn, fail, missing string) {
	most := 1
	for _, b := range h.Bars {
		most = max(most, b.Lines)
	}
	height := func(n int) int {
		if n == 0 {
			return 0
		}
		return max(n*barsHeight/most, leastBar)
	}
	var paths [4][]byte
	for i, b := range h.Bars {
		errors := height(b.Fail)
		warnings := min(errors+height(b.Warn), barsHeight)
		paths[2] = appendBar(paths[2], i, 1, errors)
		if b.Warn > 0 {
			paths[1] = appendBar(paths[1], i, 1, warnings)
		}
		if b.Lines > b.Warn+b.Fail {
			paths[0] = appendBar(paths[0], i, 1, max(height(b.Lines), min(warnings+leastBar, barsHeight)))
		}
		if b.Gap {
			d := strconv.AppendInt(append(paths[3], 'M'), int64(i), 10)
			d = strconv.AppendInt(append(d, ' '), barsHeight, 10)
			paths[3] = strconv.AppendInt(append(d, 'l', '1', ' ', '-'), barsHeight, 10)
		}
	}
	return string(paths[0]), string(paths[1]), string(paths[2]), string(paths[3])
}

// appendBar appends a bar to the path of a drawing.
func appendBar(path []byte, from, width, height int) []byte {
	if height == 0 {
		return path
	}
	path = strconv.AppendInt(append(path, 'M'), int64(from), 10)
	path = strconv.AppendInt(append(path, ' '), barsHeight, 10)
	path = strconv.AppendInt(append(path, 'v', '-'), int64(height), 10)
	path = append(path, 'h')
	if width > 1 {
		path = strconv.AppendInt(path, int64(width-1), 10)
	} else {
		path = append(path, '0')
	}
	return append(append(path, ".85V"...), strconv.Itoa(barsHeight)+"z"...)
}

// barText returns the bar at the cursor or under the pointer, else the last one, and says how many
// lines there are of its time, or of the time that is selected.
func (l *logs) barText(h *log.Histogram) (index int, text string) {
	from, to, on := l.brush.chosen(h)
	index = barOf(h, l.brush.at)
	switch {
	case l.brush.pointed > 0 && !l.brush.selects:
		index = barOf(h, l.brush.pointed)
		from, to = index, index
	case !on:
		index = len(h.Bars) - 1
		from, to = index, index
	}
	var sum log.Bar
	for _, b := range h.Bars[from : to+1] {
		sum.Lines, sum.Warn, sum.Fail, sum.Gap = sum.Lines+b.Lines, sum.Warn+b.Warn, sum.Fail+b.Fail, sum.Gap || b.Gap
	}
	text = clockText(h, h.To(from-1)) + " to " + clockText(h, h.To(to)) + ": " + countOf(sum.Lines, "line")
	if sum.Fail > 0 {
		text += ", " + countOf(sum.Fail, "error")
	}
	if sum.Warn > 0 {
		text += ", " + countOf(sum.Warn, "warning")
	}
	if sum.Gap {
		text += ", some missing"
	}
	return index, text
}

// clockText returns a time as precisely as the bars need it.
func clockText(h *log.Histogram, at int64) string {
	return spanClock(at, h.From, h.To(len(h.Bars)-1), h.Width)
}

// spanClock returns one of the times between two, with their date if they are of two days.
func spanClock(at, from, to, width int64) string {
	t, layout := time.Unix(0, at).UTC(), "15:04:05"
	day := func(at int64) int64 { return at / int64(24*time.Hour) }
	switch {
	case width%int64(time.Second) != 0:
		layout = "15:04:05.000"
	case day(from) != day(to):
		layout = "Jan 2 15:04"
	}
	return t.Format(layout)
}

// drawRange draws the time that the log was narrowed to, as a chip.
func (l *logs) drawRange() app.UI {
	from, to := l.ask.From, l.ask.To
	if from == 0 && to == 0 {
		return app.Button().Class("term").Hidden(true)
	}
	width := int64(time.Second)
	if from%width != 0 || to%width != 0 {
		width = 1
	}
	clock := func(at int64) string {
		if at == 0 {
			return ""
		}
		return spanClock(at, from, to, width)
	}
	text := clock(from) + " – " + clock(to)
	title := "Remove time range " + text
	return app.Button().Class("term").DataSet("action", LogsWiden).Title(title).Attr("aria-label", title).Body(app.Span().Class("name").Text(text), app.Span().Attr("aria-hidden", "true").Text("×"))
}
