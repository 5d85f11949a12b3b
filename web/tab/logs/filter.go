package logs

import (
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail/log"
	logline "watchglass/internal/detail/log/line"
	"watchglass/internal/query"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// filter filters the log by the text of the field, and requests what that can be completed with.
// All that is typed in one go is one step back.
func (t *logs) filter(text string) {
	t.Host.NavigateTyped(filterField, filterBy(text))
	t.setFilter(text)
}

func filterBy(text string) func(a *route.Address) {
	return func(a *route.Address) { a.Log.Filter = text }
}

// setFilter sets the filter, and asks for what completes it.
func (t *logs) setFilter(text string) {
	t.typedFilter = text
	t.update(func(l *state) {
		l.ask.Filter = text
		l.ask.Complete = &log.Complete{Field: query.FieldAtEnd(text)}
	})
}

// levels are the levels that can be picked, the worst first.
var levels = []logline.Level{logline.Error, logline.Warn, logline.Info, logline.Debug}

// pickLevel adds a level to the filter, or removes it.
func (t *logs) pickLevel(level string) {
	text := t.shown.ask.Filter
	if t.shown.chose(level) {
		text = query.Clear(text, log.LevelField, level)
	} else {
		text = query.Include(text, log.LevelField, level)
	}
	t.Host.Browser().SetField(filterField, text)
	t.Host.Navigate(true, filterBy(text)) // a step of its own
	t.setFilter(text)
	t.request()
}

// chose reports whether the filter includes a level by its name.
func (l *state) chose(level string) bool {
	included, _ := query.Sound(l.ask.Filter).Facet(log.LevelField)
	return slices.ContainsFunc(included, func(v string) bool { return strings.EqualFold(v, level) })
}

// drawLevels draws a button for each level, with the number of its lines.
func (l *state) drawLevels() app.UI {
	var all []app.UI
	for _, level := range levels {
		n := 0
		if l.doc != nil {
			n = l.doc.Levels[level]
		}
		name := level.String()
		title := strings.ToUpper(name[:1]) + name[1:]
		all = append(all, app.Button().Class("way").DataSet("action", Level).DataSet("value", name).DataSet("tone", map[bool]string{true: name}[n > 0]).Attr("aria-pressed", l.chose(name)).
			Title(words.CountOf(n, "line")+" with level "+name).Body(app.Span().Class("word").Text(title), app.Span().Text(" "+words.Short(n))))
	}
	return app.Div().Class("levels").Attr("role", "group").Attr("aria-label", "Levels").Body(all...)
}

// drawFilter draws the filter with its completions.
func (l *state) drawFilter(wrong *log.Wrong) app.UI {
	const title = "Filter lines: text, /regex/, level>=warn, status>=500, user:ana (&)"
	var all []app.UI
	for _, s := range l.completions() {
		label := s.Text
		if s.Count > 0 {
			label += "  " + words.CountOf(s.Count, "line")
		}
		all = append(all, app.Elem("option").Attr("value", l.ask.Filter[:s.From]+s.Text).Attr("label", label))
	}
	return app.Div().Class("filtering").Body(
		app.Input().ID(filterField).Type("search").DataSet("field", filterField).Placeholder("Filter (&)").Title(title).Attr("aria-label", "Filter lines").Attr("aria-invalid", wrong != nil).
			Attr("list", "logs-fields").Attr("value", l.began).Attr("autocomplete", "off").Attr("spellcheck", "false"),
		app.Elem("datalist").ID("logs-fields").Body(all...),
	)
}

// completions returns what the filter can be completed with.
func (l *state) completions() []query.Suggestion {
	text := l.ask.Filter
	if l.doc == nil || l.doc.Fields == nil || l.ask.Complete == nil || l.doc.Fields.Of != l.ask.Complete.Field {
		return nil
	}
	fields := l.doc.Fields
	all := query.Complete(text, len(text), log.Schema, func(field, prefix string) (out []query.ValueCount) {
		for _, c := range fields.All {
			if field == fields.Of && query.Begins(field, c.Text, prefix) {
				out = append(out, c)
			}
		}
		return out
	})
	return slices.DeleteFunc(all, func(s query.Suggestion) bool { return s.Kind == query.SuggestKeyword || s.To < len(text) })
}

// expand expands a line, or collapses it. Without an id it is the match that was found last, or the
// first line in view that can be expanded.
func (t *logs) expand(value string) {
	id, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		if id = t.inView(); id == 0 {
			return
		}
	}
	t.update(func(l *state) {
		open := slices.Clone(l.ask.Open)
		if at := slices.Index(open, id); at >= 0 {
			open = slices.Delete(open, at, at+1)
		} else if open = append(open, id); len(open) > mostOpen {
			open = open[1:]
		}
		l.ask.Open, l.ask.Follow, l.read = open, false, t.Rows()
	})
	t.request()
	t.update(func(l *state) { l.expanded = l.ask.Seq })
}

// mostOpen is how many lines may be expanded at once.
const mostOpen = 100

// inView returns the id of the match that was found last, or of the first line in view that can be
// expanded; 0 if there is none.
func (t *logs) inView() (id uint64) {
	d := t.shown.doc
	if d == nil {
		return 0
	}
	top := t.Host.Text().Box().Scroll/ui.TextRowHeight - d.Offset
	for i, r := range d.Window {
		switch {
		case !r.Opens || r.Kind != log.LineRow:
		case d.Found != nil && d.Found.Hit >= 0 && d.Found.Position == r.Position:
			return r.ID
		case id == 0 && i >= top:
			id = r.ID
		}
	}
	return id
}
