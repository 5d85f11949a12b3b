package recording

import (
	"slices"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail/yaml"
	"watchglass/internal/sorting"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// Draw draws the dialog.
func (r *Recorder) Draw() app.UI {
	return app.Div().ID("recording").Class("help keep").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", "Save recording").Body(
		app.H1().Text("Save recording"),
		app.Div().Class("shapes").Attr("role", "group").Attr("aria-label", "Time").Body(r.drawSpans()...),
		app.P().Class("said").DataSet("tone", map[bool]string{true: "failed"}[r.failed != ""]).Attr("role", "status").Text(r.summary()),
		app.H2().Text("Leave out"),
		app.Div().Class("shapes").Body(r.drawChoice("annotations", "Annotations")),
		app.H2().Text("Replace"),
		app.Div().Class("shapes").Body(
			r.drawChoice("values", "Environment and ConfigMap values"), r.drawChoice("images", "Images"), r.drawChoice("hosts", "Hosts and IPs"),
			r.drawChoice("namespaces", "Namespace names"), r.drawChoice("objects", "Object names and labels"), r.drawChoice("nodes", "Node names"),
		),
		app.H2().Text("Kinds"), app.Div().Class("contents").Attr("role", "group").Attr("aria-label", "Kinds").Body(r.drawContents(RecordKind, true)...),
		app.H2().Text("Namespaces"), app.Div().Class("contents").Attr("role", "group").Attr("aria-label", "Namespaces").Body(r.drawContents(RecordIn, false)...),
		app.P().Class("dim").Hidden(r.past.MemoryOnly() == "").Text(r.past.MemoryOnly()),
		r.drawLogs(),
		app.P().Class("dim").Text("The values of Secrets are never recorded, but a log line can repeat one. Replacements are random, and the same throughout the file. UIDs and times are kept, and the names of namespaces left out unless names are replaced."),
		app.Div().Class("ways").Body(
			app.Button().ID("recording-write").Class("way main").DataSet("action", WriteFile).Attr("aria-disabled", r.preview == nil).Text("Save"),
			ui.Way(DiscardMark, "Discard recording").Hidden(r.since.IsZero()),
			ui.Way(ui.Leave, "Cancel"),
		),
	)
}

// drawSpans draws the buttons of the spans.
func (r *Recorder) drawSpans() (all []app.UI) {
	for _, s := range spans {
		if s.value != sinceMark || r.Running() && r.past.Recorded() == nil {
			all = append(all, app.Button().Class("shape").DataSet("action", RecordFrom).DataSet("value", s.value).Attr("aria-pressed", s.value == r.span()).Text(s.words))
		}
	}
	return all
}

// span returns the chosen span. The mark is of the live cluster, and may be gone: then, everything is chosen instead.
func (r *Recorder) span() string {
	if r.from == sinceMark && (r.since.IsZero() || r.past.Recorded() != nil) {
		return allRemembered
	}
	return r.from
}

// drawChoice draws the button of something to leave out or replace.
func (r *Recorder) drawChoice(name, words string) app.HTMLButton {
	return app.Button().Class("shape").DataSet("action", RecordChoice).DataSet("value", name).Attr("aria-pressed", *r.choice(name)).Text(words)
}

// summary returns what the file would contain, in one line.
func (r *Recorder) summary() string {
	switch {
	case r.failed != "":
		return words.Sentence(r.failed) + "."
	case r.preview == nil:
		return "Counting…"
	}
	p, objects, changes := r.preview, 0, 0
	for _, k := range p.Kinds {
		if !k.LeftOut {
			objects, changes = objects+k.Objects, changes+k.Changes
		}
	}
	out := words.FromTo(p.From, p.To) + " · " + words.CountOf(objects, "object") + " · " + words.CountOf(changes, "change")
	lines := 0
	for _, l := range p.Logs {
		if l.Chosen {
			lines += l.Lines
		}
	}
	if lines > 0 {
		out += " · " + words.CountOf(lines, "log line")
	}
	out += " · about " + words.Megabytes(p.Bytes/compression)
	if p.Dropped.After(p.From) {
		out += ". Changes before " + p.Dropped.Local().Format(time.TimeOnly) + " did not fit into memory"
	}
	if n := len(p.Gaps); n > 0 {
		out += ". Changes may be missing (" + words.GapsFrom(p.Gaps[0].From, p.Gaps[0].To, n) + ")"
	}
	return out + "."
}

// compression is about how many times smaller a file is than what is in it.
const compression = 5

// contentsShown limits the kinds and namespaces that are listed.
const contentsShown = 200

// drawContents draws the kinds or the namespaces of the file, the largest first.
func (r *Recorder) drawContents(action ui.Action, kinds bool) (out []app.UI) {
	if r.preview == nil {
		return nil
	}
	left, all := r.choices.Namespaces, slices.Clone(r.preview.Namespaces)
	if kinds {
		left, all = r.choices.Kinds, slices.Clone(r.preview.Kinds)
	}
	sorting.StableBy(all, func(a, b contents) int { return b.Objects + b.Changes - a.Objects - a.Changes })
	for _, c := range all[:min(len(all), contentsShown)] {
		name := yaml.Visible(c.Name)
		if kinds {
			name = r.host.ListName(c.Name)
		}
		out = append(out, app.Button().Class("content").DataSet("action", action).DataSet("value", c.Name).Attr("aria-pressed", !slices.Contains(left, c.Name)).Body(
			app.Span().Text(name), app.Span().Class("dim").Text(words.CountOf(c.Objects, "object")+" · "+words.CountOf(c.Changes, "change")),
		))
	}
	if more := len(all) - contentsShown; more > 0 {
		out = append(out, app.P().Class("dim").Text(strings.TrimSpace("and "+words.Count(more)+" more, all included")))
	}
	return out
}
