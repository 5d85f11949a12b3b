package ui

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v9/pkg/app"
)

// barsHeight is the height of the highest bar, in units of the drawing, baseHeight that of the line
// below the bars, and leastBar that of a bar with little, so that nothing is too small to be seen.
const (
	barsHeight = 240
	baseHeight = 8
	leastBar   = 20
)

// The least and the most bars that are drawn.
const (
	FewestBars = 20
	MostBars   = 120
)

// Layer is a part of the drawing of bars, and its look in the style sheet.
type Layer struct{ Look, Path string }

// Stack returns the drawings of what bars are made of: parts[k][i] is of bar i, and the first part is
// at the bottom. They are to be drawn over each other, in this order.
func Stack(count int, looks []string, parts [][]int) []Layer {
	sums, most := make([]int, count), 1
	for _, part := range parts {
		for i := range min(count, len(part)) {
			sums[i] += part[i]
			most = max(most, sums[i])
		}
	}
	layers := make([]Layer, len(parts))
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
		layers[len(parts)-1-k] = Layer{looks[k], string(path)}
	}
	return layers
}

// Strokes returns the drawing of bars of which something is missing.
func Strokes(count int, missing func(bar int) bool) Layer {
	var path []byte
	for i := range count {
		if missing(i) {
			path = strconv.AppendInt(append(path, 'M'), int64(i), 10)
			path = append(path, " 240l1 -240"...)
		}
	}
	return Layer{"missing", string(path)}
}

// appendBar appends a bar to the path of a drawing.
func appendBar(path []byte, from, width, height int) []byte {
	path = strconv.AppendInt(append(path, 'M'), int64(from), 10)
	path = strconv.AppendInt(append(path, " 240v-"...), int64(height), 10)
	path = strconv.AppendInt(append(path, 'h'), int64(width-1), 10)
	return append(path, ".85V240z"...)
}

// DrawLayers draws layers in a box of so many units. Screen readers skip them.
func DrawLayers(width, height int, layers []Layer) app.HTMLElem {
	var all []app.UI
	for _, l := range layers {
		all = append(all, app.Elem("path").XMLNS(SVG).DataSet("look", l.Look).Attr("d", l.Path))
	}
	return app.Elem("svg").XMLNS(SVG).Attr("viewBox", "0 0 "+strconv.Itoa(width)+" "+strconv.Itoa(height)).Attr("preserveAspectRatio", "none").Attr("aria-hidden", true).Body(all...)
}

// DrawBars draws bars that are brushed, with texts below: the times of the axis and, in their middle,
// what is said about the bars.
func DrawBars(field, label string, a Axis, b Brush, text string, layers []Layer, below ...app.UI) app.UI {
	chosen := Layer{Look: "chosen"}
	if from, to, ok := b.Chosen(a); ok {
		chosen.Path = string(appendBar(nil, from, to+1-from, barsHeight))
	}
	base := Layer{"base", "m0 232h" + strconv.Itoa(a.Bars) + "v8H0z"}
	at, _, _ := b.Shown(a)
	return app.Div().ID(field).Class("histogram").DataSet("field", field).TabIndex(0).Attr("role", "slider").Attr("aria-label", label).
		Attr("aria-valuemin", 1).Attr("aria-valuemax", a.Bars).Attr("aria-valuenow", at+1).Attr("aria-valuetext", text).
		Title("Drag to narrow to a time").Body(append([]app.UI{DrawLayers(a.Bars, barsHeight, append(append([]Layer{base}, layers...), chosen))}, below...)...)
}

// DrawScale draws texts below bars, from left to right.
func DrawScale(texts ...string) app.UI {
	var all []app.UI
	for _, t := range texts {
		all = append(all, app.Span().Text(t))
	}
	return app.Div().Class("scale").Attr("aria-hidden", true).Body(all...)
}
