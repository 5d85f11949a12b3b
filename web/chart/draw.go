package chart

import (
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail/yaml"
	"watchglass/internal/history/timeline"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// The units of the drawing of lanes: its width, and the height of a lane, which is in pixels.
const (
	lanesWidth = 1000
	laneHeight = 20
)

// Draw draws the timeline above the list. It is hidden if there is none.
func (l *List) Draw() app.UI {
	if !l.On() || l.host.ShowsPanel() && !l.Full() {
		return app.Elem("figure").Class("timeline").Hidden(true)
	}
	return l.chart.Draw(l.Full())
}

// Draw draws the chart: bars, and with full the lanes below and the tools above.
func (c *Chart) Draw(full bool) app.UI {
	out := app.Elem("figure").Class("timeline").DataSet("full", full).Attr("aria-label", "Timeline")
	if c.shown == nil || c.shown.Reading > 0 && c.shown.Total == 0 {
		return out.Body(app.P().Class("dim").Attr("role", "status").Text(c.loadingText()))
	}
	bars := c.drawBars()
	if !full {
		return out.Body(bars)
	}
	return out.Body(c.drawTools(), bars, c.drawLanes())
}

// drawBars draws the bars, the times below them, and what they say.
func (c *Chart) drawBars() app.UI {
	p, a := c.shown, c.Axis()
	looks, parts := make([]string, len(words.Classes)), make([][]int, len(words.Classes))
	for k, class := range words.Classes {
		if looks[k] = string(class.Class); c.shows(class.Class) {
			parts[k] = p.Bars[class.Class]
		}
	}
	layers := append(ui.Stack(a.Bars, looks, parts), ui.Strokes(a.Bars, c.missing))
	said := c.summary()
	switch {
	case c.lane > 0:
		said = c.markText(c.at())
	case c.brush.On || c.brush.Pointed > 0:
		said = c.barText()
	case p.Reading > 0:
		said = c.loadingText()
	}
	var times []string
	for i := range scaleTimes {
		times = append(times, a.Clock(a.From+(a.To(a.Bars-1)-a.From)*int64(i)/(scaleTimes-1)))
	}
	return ui.DrawBars(c.name+ui.InBars, "Changes by time", a, c.brush, c.barText()+". "+c.summary(), layers,
		ui.DrawScale(times...), app.P().Class("said").Attr("aria-hidden", true).Title(said).Text(said))
}

// scaleTimes is how many times the axis has.
const scaleTimes = 5

// drawTools draws what lanes are by, the classes, the range and the rules of noise.
func (c *Chart) drawTools() app.UI {
	p := c.shown
	var by, classes []app.UI
	for _, name := range laneNames {
		by = append(by, app.Button().Class("shape").DataSet("action", SetLanes).DataSet("value", name).Attr("aria-pressed", name == c.asked.Lanes).Text(name))
	}
	only := c.only
	c.only = "" // each class has its own count
	each, _ := c.sums(0, c.Axis().Bars-1)
	c.only = only
	for k, class := range words.Classes {
		if each[k] > 0 || c.only == class.Class {
			classes = append(classes, app.Button().Class("way").DataSet("look", class.Class).DataSet("tone", class.Tone).DataSet("action", OnlyClass).DataSet("value", c.name+" "+string(class.Class)).Attr("aria-pressed", c.only == class.Class).Body(
				app.Span().Attr("aria-hidden", true).Text(class.Glyph+" "), app.Span().Text(class.Some+" "+words.Count(each[k]))))
		}
	}
	text := c.rangeText()
	title := "Remove time range " + text
	return app.Div().Class("choices").Body(
		app.Div().Class("lanes-by").Attr("role", "group").Attr("aria-label", "Lanes by").Body(by...),
		app.Div().Class("legend").Attr("role", "group").Attr("aria-label", "Classes").Body(classes...),
		app.Button().Class("term").Hidden(text == "").DataSet("action", WidenTime).Title(title).Attr("aria-label", title).Body(ui.Span("name", text), app.Span().Attr("aria-hidden", true).Text("×")),
		c.drawNoise(p),
	)
}

// drawNoise draws the rules of noise: what each has folded, and whether it is on.
func (c *Chart) drawNoise(p *timeline.Picture) app.UI {
	name := c.name + noisePopover
	open := c.host.PopoverOpen(name)
	var rules []app.UI
	for _, r := range p.Rules {
		rules = append(rules, app.Button().Class("menu-item").DataSet("action", ToggleNoise).DataSet("value", r.Name).Attr("aria-pressed", !r.Off).Body(
			app.Span().Text(r.Name+": "+r.Words), app.Elem("small").Class("dim").Text(words.Count(r.Count))))
	}
	return app.Div().Class("menu").Hidden(len(p.Rules) == 0).Body(
		app.Button().Class("tool-button").DataSet("action", ui.TogglePopover).DataSet("value", name).Attr("aria-expanded", open).Attr("aria-controls", name).Title("Rules for changes that are not shown").Text(words.Count(p.Folded)+" folded ▾"),
		app.Div().ID(name).Class("popover").Attr("role", "group").Attr("aria-label", "Folded changes").Hidden(!open).Body(rules...),
	)
}

// drawLanes draws the lanes: their names, and beside them all marks in one drawing.
func (c *Chart) drawLanes() app.UI {
	p := c.shown
	if len(p.Lanes) == 0 {
		return app.Div().Class("lanes").Hidden(true)
	}
	var names []app.UI
	for _, l := range p.Lanes {
		name := yaml.Visible(l.Name)
		title := name
		if kind, of, two := strings.Cut(name, "/"); two && l.Field == "owner" {
			name = of + " · " + kind // the end is cut off, and many are of one kind
		}
		if l.Namespace != "" {
			title = yaml.Visible(l.Namespace) + "/" + name
		}
		title += ": " + words.Count(l.Total)
		if to := narrowsTo(l); c.list != nil && to != "" {
			names = append(names, app.Button().TabIndex(-1).DataSet("action", NarrowLane).DataSet("value", to).Title(title).Text(name))
		} else {
			names = append(names, app.Span().Title(title).Text(name))
		}
	}
	more := ""
	if p.More > 0 {
		more = "And " + words.CountOf(p.More, "more lane") + ". Use the filter to see fewer."
	}
	height := laneHeight * len(p.Lanes)
	text := "Use the arrow keys to move between changes"
	if c.lane > 0 {
		text = yaml.Visible(p.Lanes[c.lane-1].Name) + ": " + c.markText(c.at())
	}
	field := c.name + ui.InLanes
	return app.Div().Class("lanes").Body(
		app.Div().Class("names").DataSet("field", c.name+namesMark).Body(names...),
		app.Div().ID(field).Class("histogram").DataSet("field", field).TabIndex(0).Attr("role", "slider").Attr("aria-label", "Changes by lane").Attr("aria-valuemin", 1).Attr("aria-valuemax", len(p.Lanes)).Attr("aria-valuenow", max(c.lane, 1)).Attr("aria-valuetext", text).
			Body(ui.DrawLayers(lanesWidth, height, c.lanes()).Attr("height", height)),
		app.P().Class("dim").Hidden(more == "").Text(more),
	)
}

// lanes returns the drawing of the lanes: lines between them, gaps, marks of each class, what is
// selected and the mark at the cursor.
func (c *Chart) lanes() []ui.Layer {
	var rules, gaps, chosen, cursor []byte
	marks := make([][]byte, len(words.Classes))
	height := laneHeight * len(c.shown.Lanes)
	x := func(at int64) int { return int(min(max(c.part(at), 0), 1) * lanesWidth) }
	for _, g := range c.shown.Gaps {
		for from, to := x(g.From), x(g.To); from < to; from += gapStroke {
			gaps = appendMove(gaps, from, 0)
			gaps = strconv.AppendInt(append(gaps, 'v'), int64(height), 10)
		}
	}
	for i, l := range c.shown.Lanes {
		top := i * laneHeight
		rules = append(appendMove(rules, 0, top+laneHeight), "h1000"...)
		for n, m := range l.Marks {
			k := words.ClassIndex(m.Class)
			if k < 0 || !c.shows(m.Class) {
				continue
			}
			marks[k] = append(appendMove(marks[k], x(m.At), top), classShapes[k]...)
			if c.lane == i+1 && c.mark == n {
				cursor = append(appendMove(cursor, x(m.At), top), "v20"...)
			}
		}
	}
	if from, to, ok := c.brush.Chosen(c.Axis()); ok {
		a := c.Axis()
		left, right := x(a.To(from-1)/1e6), x(a.To(to)/1e6)
		chosen = strconv.AppendInt(append(appendMove(nil, left, 0), 'h'), int64(right-left), 10)
		chosen = strconv.AppendInt(append(chosen, 'v'), int64(height), 10)
		chosen = append(strconv.AppendInt(append(chosen, 'H'), int64(left), 10), 'z')
	}
	layers := []ui.Layer{{Look: "rules", Path: string(rules)}, {Look: "missing", Path: string(gaps)}}
	for k := len(words.Classes) - 1; k >= 0; k-- {
		layers = append(layers, ui.Layer{Look: string(words.Classes[k].Class), Path: string(marks[k])})
	}
	return append(layers, ui.Layer{Look: "chosen", Path: string(chosen)}, ui.Layer{Look: "cursor", Path: string(cursor)})
}

// gapStroke is how far the strokes of a gap are apart.
const gapStroke = 12

// classShapes are the shapes of the marks of words.Classes, so that colour is not the only difference:
// full strokes for what matters, an upper or a lower half for what comes or goes, and a dot for changes.
var classShapes = []string{"m0 2v16", "m0 2v6m0 4v6", "m0 2v3m0 3v3m0 3v3", "m0 6v8", "m0 11v7", "m0 9v2", "m0 2v7"}

// appendMove appends a move to the path of a drawing.
func appendMove(path []byte, x, y int) []byte {
	path = strconv.AppendInt(append(path, 'M'), int64(x), 10)
	return strconv.AppendInt(append(path, ' '), int64(y), 10)
}

// noisePopover is what the name of the popover with the rules of noise ends in. Before it is that of the chart.
const noisePopover = "noise"

// mostEntries is how many entries a tab lists.
const mostEntries = 200

// latest returns the latest marks of all lanes, the latest first, and how many more there are.
func (c *Chart) latest() (marks []*timeline.Mark, more int) {
	for _, l := range c.shown.Lanes {
		for i := range l.Marks {
			m := &l.Marks[i]
			if !c.shows(m.Class) {
				continue
			}
			at := len(marks)
			for at > 0 && marks[at-1].At < m.At {
				at--
			}
			if len(marks) < mostEntries {
				marks = append(marks, nil)
			} else if more++; at == mostEntries {
				continue
			}
			copy(marks[at+1:], marks[at:])
			marks[at] = m
		}
	}
	return marks, more
}

// DrawEntries lists the marks of all lanes, the latest first.
func (c *Chart) DrawEntries() app.UI {
	if c.shown == nil {
		return app.Elem("ol").Hidden(true)
	}
	marks, more := c.latest()
	var all []app.UI
	for _, m := range marks {
		k := max(words.ClassIndex(m.Class), 0)
		all = append(all, app.Elem("li").Body(
			app.Button().Class("dim").DataSet("action", ui.TravelTo).DataSet("value", strconv.FormatInt(m.Time(), 10)).Title("Go back to this time").Text(c.Axis().Clock(m.Time()*1e6)), app.Span().Class("glyph").DataSet("tone", words.Classes[k].Tone).Title(words.Classes[k].Name).Text(words.Classes[k].Glyph), c.drawEntry(m)))
	}
	if more > 0 {
		all = append(all, app.Elem("li").Class("dim").Text("And "+words.Count(more)+" more. Narrow the time to see them."))
	}
	return app.Elem("ol").Class("entries").Body(all...)
}

// drawEntry draws the words of a mark, as a link to its object.
func (c *Chart) drawEntry(m *timeline.Mark) app.UI {
	text := c.words(*m)
	if m.Key == "" {
		return app.Span().Text(text)
	}
	to := c.target(m)
	resource, key, _ := strings.Cut(to, " ")
	return app.A().Class("ref").Href(c.host.Href(c.host.Address().ToObject(resource, key))).DataSet("action", OpenMark).DataSet("value", to).Text(text)
}
