package ui

import (
	"strconv"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/series"
)

// SVG is the namespace of drawings.
const SVG = "http://www.w3.org/2000/svg"

// The box of a sparkline is a step wide for each value, and so many units high. Its margin keeps the
// line's width inside.
const (
	sparkBox    = "0 0 59 100"
	sparkHeight = 100
	sparkMargin = 6
)

// Sparkline draws a series. Its height is the highest value, and at least so much. Without a label,
// screen readers skip it.
func Sparkline(values []float32, least float32, label string) app.UI {
	return app.Span().Class("spark").Attr("role", "img").Attr("aria-label", label).Attr("aria-hidden", label == "").Title(label).Body(
		app.Elem("svg").XMLNS(SVG).Attr("viewBox", sparkBox).Attr("preserveAspectRatio", "none").Body(app.Elem("path").XMLNS(SVG).Attr("d", path(values, least))),
	)
}

// path returns the path of a series: the newest value is at the right, and zero at the bottom.
// Values that are not known are gaps.
func path(values []float32, highest float32) string {
	var out []byte
	for _, n := range values {
		highest = max(highest, n)
	}
	for i, n := range values {
		if n < 0 {
			continue
		}
		step := byte('L')
		if i == 0 || values[i-1] < 0 {
			step = 'M'
		}
		out = strconv.AppendInt(append(out, step), int64(series.Steps-len(values)+i), 10)
		out = strconv.AppendInt(append(out, ' '), int64(sparkHeight-sparkMargin-n*(sparkHeight-2*sparkMargin)/highest), 10)
		if alone := i+1 == len(values) || values[i+1] < 0; alone && step == 'M' {
			out = append(out, "h0"...) // drawn as a dot
		}
	}
	return string(out)
}
