package detail

import (
	"strings"
	"time"

	"watchglass/internal/document"
	"watchglass/internal/object"
)

// metricNames maps each kind of metric to its field and its description.
var metricNames = []struct{ kind, field, text string }{
	{"Resource", "resource", "resource {name} on pods"},
	{"ContainerResource", "containerResource", "resource {name} of container {container} on pods"},
	{"Pods", "pods", "{metric.name} on pods"},
	{"Object", "object", "{metric.name} on {describedObject:object}"},
	{"External", "external", "{metric.name} {metric.selector:selector none}"},
}

// metrics writes the current and target values of an autoscaler's metrics.
func metrics(w *writer, v document.Value) {
	t := Table{Title: "Metrics", Columns: []Column{{Name: "Metric"}, {Name: "Current", Right: true}, {Name: "Target", Right: true}}}
	current := w.measured(v.ListAt("status.currentMetrics"))
	for _, m := range v.ListAt("spec.metrics") {
		for _, kind := range metricNames {
			if kind.kind != m.TextAt("type") {
				continue
			}
			source := m.Get(kind.field)
			name := w.fill(kind.text, source)
			how, text := measure(kind.kind, source)
			now := current[kind.kind+" "+textOf(name)]
			is := w.fill(text, now)
			if len(is) == 0 {
				is = []Line{Line{}.styled(Quiet, "<unknown>")}
			}
			text, _, _ = strings.Cut(text, " (")
			t.Rows = append(t.Rows, []Line{join(name, "").styled(Quiet, how), join(is, ""), join(w.fill(text, source.Get("target")), "")})
		}
	}
	w.addTable(t)
}

// measured returns the current values of metrics by kind and description. The controller may have seen other metrics
// than those of now, in another order.
func (w *writer) measured(current []document.Value) map[string]document.Value {
	values := make(map[string]document.Value, len(current))
	for _, m := range current {
		for _, kind := range metricNames {
			if source := m.Get(kind.field); kind.kind == m.TextAt("type") {
				values[kind.kind+" "+textOf(w.fill(kind.text, source))] = source.Get("current")
			}
		}
	}
	return values
}

// textOf returns the text of lines.
func textOf(lines []Line) (text string) {
	for _, p := range join(lines, "") {
		text += p.Text
	}
	return text
}

// measure returns how a metric is measured, and the text to show its value.
func measure(kind string, source document.Value) (how, text string) {
	resource := source.Get("name").Exists()
	switch {
	case source.Get("target.averageValue").Exists():
		if resource || kind == "Pods" {
			return "", "{averageValue}"
		}
		return " (target average value)", "{averageValue}"
	case resource:
		return " (as a percentage of request)", "{averageUtilization}% ({averageValue})"
	}
	return " (target value)", "{value}"
}

// behavior writes how fast an autoscaler scales.
func behavior(w *writer, v document.Value) {
	for _, way := range []struct{ title, path string }{{"Scale up", "scaleUp"}, {"Scale down", "scaleDown"}} {
		rules := v.At(way.path)
		if !rules.Exists() {
			continue
		}
		w.inner(way.title, func(w *writer) {
			w.run(`Stabilization window: {stabilizationWindowSeconds} seconds
Tolerance: {tolerance}
Select policy: {selectPolicy?Max}
|Policies@policies|Type {type}|>Value {value}|>Period {periodSeconds} seconds
`, rules)
		})
	}
}

// duration shows a number of seconds, formatted like an age.
func (w *writer) duration(v document.Value, _ string) []Line {
	n := v.Int()
	if !v.Exists() {
		return nil
	}
	cell := object.Cell{Kind: object.SpanCell, At: 1, End: 1 + n}
	return one(Span{Text: string(cell.Append(nil, time.Time{}))})
}

// request shows the state of a certificate signing request.
func (w *writer) request(v document.Value, _ string) []Line {
	has := make(map[string]bool)
	for _, c := range v.ListAt("status.conditions") {
		has[c.TextAt("type")] = true
	}
	text, look := "Pending", Pending
	switch {
	case has["Denied"]:
		text, look = "Denied", Failed
	case has["Approved"]:
		text, look = "Approved", OK
	}
	if has["Failed"] {
		text, look = text+",Failed", Failed
	}
	if v.TextAt("status.certificate") != "" {
		text += ",Issued"
	}
	return one(Span{Text: text, Style: look})
}

// encoded says where to find what is written in a form that the summary does not read.
func (w *writer) encoded(v document.Value, path string) []Line {
	if !v.Exists() {
		return nil
	}
	return one(Span{Text: "encoded in " + path + ", see YAML", Style: Quiet})
}
