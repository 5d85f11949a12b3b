package logs

import (
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail/log"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

var _ ui.BarChart = (*logs)(nil)

// Axis returns the axis of the histogram that is shown.
func (t *logs) Axis() ui.Axis {
	if h := t.histogram(); h != nil {
		return axisOf(h)
	}
	return ui.Axis{}
}

func axisOf(h *log.Histogram) ui.Axis {
	return ui.Axis{From: h.From, Width: h.Width, Bars: len(h.Bars), Zone: time.UTC}
}

func (t *logs) Brushes() *ui.Brush { return &t.brush }
func (t *logs) Blur()              { t.Host.Browser().Focus("text") }

func (t *logs) Touched(string, ui.BrushPhase, float64, float64) bool { return false }

// histogram returns the histogram that is shown, or nil.
func (t *logs) histogram() *log.Histogram {
	if l := t.shown; l != nil && l.doc != nil && !l.unbarred {
		return l.doc.Histogram
	}
	return nil
}

// Widen shows lines of all times again.
func (t *logs) Widen() bool {
	narrowed := t.shown.ask.From != 0 || t.shown.ask.To != 0
	if narrowed {
		t.Between(0, 0)
	}
	return narrowed
}

// Between shows the lines from one time and before another; 0 for any.
func (t *logs) Between(from, to int64) {
	t.Host.Navigate(true, func(a *route.Address) { a.Log.From, a.Log.To = from, to })
	t.update(func(l *state) { l.ask.From, l.ask.To = from, to })
	t.brush = ui.Brush{}
	t.request()
}

func (t *logs) toggleBars() {
	t.update(func(l *state) { l.unbarred = !l.unbarred })
	t.Host.Navigate(false, func(a *route.Address) { a.Log.Unbarred = t.shown.unbarred })
	t.toggled()
}

// someBars is how many bars a histogram has while its width is not known.
const someBars = 60

// bars returns how many bars there is room for: as many as characters, within limits.
func (l *state) bars(columns int) int {
	switch {
	case l.unbarred:
		return 0
	case columns == 0:
		return someBars
	}
	return min(max(columns, ui.FewestBars), ui.MostBars)
}

// drawHistogram draws lines by time. Its room is there before the first lines, so that these do not
// move.
func (l *state) drawHistogram(b ui.Brush) app.UI {
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
	a, text := axisOf(h), ""
	if b.On || b.Pointed > 0 {
		text = barText(b, h)
	}
	parts := make([][]int, 3)
	for _, bar := range h.Bars {
		parts[0], parts[1], parts[2] = append(parts[0], bar.Fail), append(parts[1], bar.Warn), append(parts[2], bar.Lines-bar.Warn-bar.Fail)
	}
	layers := append(ui.Stack(a.Bars, []string{"error", "warn", "rest"}, parts), ui.Strokes(a.Bars, func(bar int) bool { return h.Bars[bar].Gap }))
	return ui.DrawBars(BarsField, "Lines by time", a, b, barText(b, h), layers, ui.DrawScale(a.Clock(a.From), text, a.Clock(a.To(a.Bars-1))))
}

// barText says how many lines there are of the time of the bars that are shown.
func barText(b ui.Brush, h *log.Histogram) string {
	a := axisOf(h)
	_, from, to := b.Shown(a)
	var sum log.Bar
	for _, bar := range h.Bars[from : to+1] {
		sum.Lines, sum.Warn, sum.Fail, sum.Gap, sum.Unknown = sum.Lines+bar.Lines, sum.Warn+bar.Warn, sum.Fail+bar.Fail, sum.Gap || bar.Gap, sum.Unknown || bar.Unknown
	}
	text := a.Span(from, to) + ": " + words.CountOf(sum.Lines, "line")
	if sum.Lines == 0 && sum.Unknown { // there may have been some
		text = a.Span(from, to) + ": no lines recorded"
	}
	if sum.Fail > 0 {
		text += ", " + words.CountOf(sum.Fail, "error")
	}
	if sum.Warn > 0 {
		text += ", " + words.CountOf(sum.Warn, "warning")
	}
	if sum.Gap {
		text += ", some missing"
	}
	return text
}

// drawRange draws the time that the log was narrowed to, as a chip.
func (l *state) drawRange() app.UI {
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
		return ui.SpanClock(at, from, to, width, time.UTC)
	}
	text := clock(from) + " – " + clock(to)
	title := "Remove time range " + text
	return app.Button().Class("term").DataSet("action", Widen).Title(title).Attr("aria-label", title).Body(app.Span().Class("name").Text(text), app.Span().Attr("aria-hidden", "true").Text("×"))
}
