package recording

import (
	"slices"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail/yaml"
	"watchglass/web/words"
)

// toggleLogs chooses all logs, or none if all are chosen.
func (r *Recorder) toggleLogs() {
	if r.preview == nil {
		return
	}
	all := r.allLogs()
	r.choices.Logs = nil
	for _, l := range r.preview.Logs {
		if !all {
			r.choices.Logs = append(r.choices.Logs, l.ID)
		}
	}
	r.requestPreview()
}

// allLogs reports whether all logs are chosen.
func (r *Recorder) allLogs() bool {
	return !slices.ContainsFunc(r.preview.Logs, func(l logLines) bool { return !slices.Contains(r.choices.Logs, l.ID) })
}

// drawLogs draws the logs that can be added to the file, with their number of lines.
func (r *Recorder) drawLogs() app.UI {
	var all []app.UI
	if r.preview != nil {
		for _, l := range r.preview.Logs[:min(len(r.preview.Logs), contentsShown)] {
			all = append(all, r.drawLog(l))
		}
		if len(all) > 1 {
			all = slices.Insert(all, 0, app.UI(app.Button().Class("content").DataSet("action", RecordLogs).Attr("aria-pressed", r.allLogs()).Body(app.Span().Text("All logs"))))
		}
	}
	note := "To include logs, open the Logs tab before you save."
	if len(all) > 0 {
		note = "Log lines can contain secrets. Secret values are not replaced in them. The choices under Replace apply to log lines too."
	}
	return app.Div().Body(
		app.H2().Text("Logs"),
		app.Div().Class("contents", "adding").Attr("role", "group").Attr("aria-label", "Logs").Body(all...),
		app.P().Class("dim").Text(note),
	)
}

// drawLog draws the button of a log.
func (r *Recorder) drawLog(l logLines) app.UI {
	name, lines := l.Namespace+"/"+l.Pod+" · "+l.Container, words.CountOf(l.Lines, "line")
	if l.Outside > 0 {
		lines = words.Count(l.Lines) + " of " + words.CountOf(l.Lines+l.Outside, "line")
	}
	if l.Previous {
		name += " (previous)"
	}
	return app.Button().Class("content").DataSet("action", RecordLog).DataSet("value", l.ID).Attr("aria-pressed", slices.Contains(r.choices.Logs, l.ID)).Body(
		app.Span().Text(yaml.Visible(name)), app.Span().Class("dim").Text(lines),
	)
}
