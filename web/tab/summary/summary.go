package summary

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/web/grid"
	"watchglass/web/tab"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// The actions of the tab.
const (
	Fold  ui.Action = "fold-facts" // value: the path of a section or row
	Whole ui.Action = "whole-fact" // value: the path of a row
)

// summary shows what kubectl describe prints about the object.
type summary struct {
	tab.Base
	shown *view // immutable
}

// New returns the tab.
func New(h tab.Host) tab.Tab { return &summary{Base: tab.Base{Host: h}} }

func (t *summary) Open() { t.shown = t.shown.another(rememberedFolds(t.Host.Browser())) }

func (t *summary) Draw() app.UI {
	return &body{View: t.shown, Now: t.shown.moment(t.Host.Moment().Now), Where: t.Host.Address().String(""), Kinds: t.Host.Kinds().Count(), State: t.Host.Subject().State(), tab: t}
}

func (t *summary) Commands() []ui.Command {
	return []ui.Command{{ID: Fold, Run: t.fold}, {ID: Whole, Run: t.showWhole}, {ID: OpenLogs, Run: t.openLogs}}
}

// rememberedFolds returns the folds that the user has changed, here or in another tab.
func rememberedFolds(b tab.Browser) map[string]bool {
	folds := make(map[string]bool)
	for _, way := range words.SplitList(b.Recall("facts")) {
		folds[way] = true
	}
	return folds
}

// fold folds a section or a row, or unfolds it.
func (t *summary) fold(way string) {
	next := *t.shown
	next.folds = toggled(next.folds, way)
	t.Host.Browser().Remember("facts", strings.Join(slices.Sorted(maps.Keys(next.folds)), ","))
	t.shown = &next
	t.Host.Redraw()
}

// showWhole shows a long text in full, or only its beginning.
func (t *summary) showWhole(way string) {
	next := *t.shown
	next.whole = toggled(next.whole, way)
	t.shown = &next
	t.Host.Redraw()
}

// view is the state of the Summary tab. It is immutable.
type view struct {
	summary detail.Summary
	known   bool
	folds   map[string]bool   // folds that differ from the default, by path
	whole   map[string]bool   // long texts that are expanded
	texts   map[string]string // the text of each row and cell
	glows   map[string]int    // how often that changed
}

// another returns the view of a new object before its summary arrives. It keeps the previous
// summary, hidden: updating its texts is much faster than building new elements.
func (v *view) another(folds map[string]bool) *view {
	next := &view{folds: folds}
	if v != nil {
		next.summary = v.summary
	}
	return next
}

// body draws the summary. It is a component because go-app redraws one only when its
// fields change.
type body struct {
	app.Compo
	View  *view
	Now   int64  // in seconds; rounded to the minute if nothing is young
	Where string // the address that links start from
	Kinds int
	State detail.State // of the object
	tab   *summary     // always the same
}

// OnDetail applies a new summary. What changed glows.
func (t *summary) OnDetail(doc []byte) bool {
	var s detail.Summary
	before := t.shown
	if before == nil || json.Unmarshal(doc, &s) != nil {
		return false
	}
	next := *before
	next.summary, next.known, next.texts, next.glows = s, true, make(map[string]string), maps.Clone(before.glows)
	recordTexts(next.texts, "", s.Sections)
	for way, text := range next.texts {
		if old, ok := before.texts[way]; ok && old != text {
			if next.glows == nil {
				next.glows = make(map[string]int)
			}
			next.glows[way]++
		}
	}
	t.shown = &next
	return true
}

// recordTexts records the text of each row and table cell.
func recordTexts(texts map[string]string, way string, sections []detail.Section) {
	for _, s := range sections {
		way := way + "/" + s.Title
		for _, r := range s.Rows {
			texts[way+"/"+r.Name] += lineText(slices.Concat(r.Lines...))
		}
		for _, t := range s.Tables {
			for _, row := range t.Rows {
				for c, cell := range row {
					texts[cellWay(way, t, row, c)] += lineText(cell)
				}
			}
		}
		recordTexts(texts, way, s.Sections)
	}
}

func cellWay(way string, t detail.Table, row []detail.Line, column int) string {
	return way + "/" + t.Title + "/" + lineText(row[0]) + "/" + t.Columns[column].Name
}

func lineText(l detail.Line) string {
	var s strings.Builder
	for _, p := range l {
		if len(p.Values) > 0 {
			continue // it changes with time alone
		}
		s.WriteString(p.Text)
		if p.At != 0 {
			s.WriteString(strconv.FormatInt(p.At, 10))
		}
	}
	return s.String()
}

// moment returns the time that ages are drawn for, rounded to the minute if nothing is young.
func (v *view) moment(now time.Time) int64 {
	const minute, young = 60, 11 * 60
	if v == nil || len(v.summary.Why) == 0 && !v.hasSince(v.summary.Sections, now.Unix()-young) {
		return now.Unix() / minute * minute
	}
	return now.Unix()
}

func (v *view) hasSince(sections []detail.Section, since int64) bool {
	is := func(l detail.Line) bool {
		return slices.ContainsFunc(l, func(p detail.Span) bool { return p.At > since })
	}
	return slices.ContainsFunc(sections, func(s detail.Section) bool {
		return is(s.Badge) || slices.ContainsFunc(s.Rows, func(r detail.Row) bool { return slices.ContainsFunc(r.Lines, is) }) ||
			slices.ContainsFunc(s.Tables, func(t detail.Table) bool {
				return slices.ContainsFunc(t.Rows, func(row []detail.Line) bool { return slices.ContainsFunc(row, is) })
			}) || v.hasSince(s.Sections, since)
	})
}

func toggled(set map[string]bool, value string) map[string]bool {
	out := make(map[string]bool, len(set)+1)
	maps.Copy(out, set)
	if out[value] {
		delete(out, value)
	} else {
		out[value] = true
	}
	return out
}

// Render draws the summary.
func (b *body) Render() (ui app.UI) {
	b.tab.Host.Locked(func() { ui = b.View.draw(b.tab, time.Unix(b.Now, 0)) })
	return ui
}

func (v *view) draw(t *summary, now time.Time) app.UI {
	state := t.Host.Subject().State()
	switch {
	case v == nil || !v.known && (state == detail.Missing || state == detail.Denied || state == detail.Unread): // the header says so
		return app.Div().Class("summary")
	case !v.known && len(v.summary.Sections) == 0:
		return app.Div().Class("summary skeleton").Body(app.Elem("i"), app.Elem("i"), app.Elem("i"))
	}
	d := drawing{v, t, now}
	parts := append(append(d.rollout(v.summary.Rollout), d.why(v.summary)...), d.sections("", v.summary.Sections)...)
	if n := v.summary.More; n > 0 {
		parts = append(parts, more(n, "value"))
	}
	return app.Div().Class("summary").DataSet("past", !v.known).Attr("aria-busy", !v.known).Body(parts...)
}

// drawing draws a summary at one point in time. It creates rarely used elements by name,
// since each of go-app's element types adds more to the binary than all of this code.
type drawing struct {
	v   *view
	t   *summary
	now time.Time
}

func (d drawing) sections(way string, all []detail.Section) []app.UI {
	out := make([]app.UI, 0, len(all))
	for _, s := range all {
		out = append(out, d.section(way, s))
	}
	return out
}

func (d drawing) section(way string, s detail.Section) app.UI {
	inner := way + "/" + s.Title
	folded := s.Folded != d.v.folds[foldName(inner)]
	fold := app.Button().Class("fold").DataSet("action", Fold).DataSet("value", foldName(inner)).Attr("aria-expanded", !folded).Text(s.Title)
	heading := "h3"
	if way != "" {
		heading = "h4"
	}
	var body []app.UI
	if !folded {
		body = d.inside(inner, s)
	}
	return app.Elem("section").Class("part").DataSet("section", s.Title).DataSet("card", s.Card).Body(
		app.Elem(heading).Body(fold, app.Span().Class("badge-of").Body(d.pieces(s.Badge)...)),
		app.Div().Class("inside").Hidden(folded).Body(body...),
	)
}

func (d drawing) inside(way string, s detail.Section) []app.UI {
	var rows, out []app.UI
	for _, r := range s.Rows {
		rows = append(rows, d.row(way, r))
	}
	if len(rows) > 0 {
		out = append(out, app.Elem("dl").Body(rows...))
	}
	for _, t := range s.Tables {
		out = append(out, d.table(way, t))
	}
	out = append(out, d.sections(way, s.Sections)...)
	if s.More > 0 {
		out = append(out, more(s.More, "entry"))
	}
	return out
}

// foldName returns the name under which a fold is remembered in a comma-separated list.
func foldName(way string) string { return strings.ReplaceAll(way, ",", " ") }

func (d drawing) row(way string, r detail.Row) app.UI {
	way += "/" + r.Name
	folded := len(r.Lines) > 0 && r.Folded != d.v.folds[foldName(way)]
	var lines []app.UI
	switch {
	case folded:
		lines = []app.UI{ui.Way(Fold, "Show "+amount(r)).DataSet("value", foldName(way))}
	case r.Folded:
		lines = []app.UI{ui.Way(Fold, "Hide").DataSet("value", foldName(way))}
	}
	if !folded {
		for i, l := range r.Lines {
			lines = append(lines, app.Div().Class("line").Body(d.long(way+"/"+strconv.Itoa(i), l)...))
		}
	}
	if r.More > 0 {
		lines = append(lines, more(r.More, "line"))
	}
	name := app.Elem("dt").Text(r.Name)
	if r.Indent > 0 {
		name = name.Class("in-" + strconv.Itoa(min(r.Indent, 6)))
	}
	value := app.Elem("dd").Class(d.glow(way)).DataSet("chips", r.Chips)
	return app.Div().Class("trait").DataSet("name", r.Name).Body(name, value.Body(lines...))
}

// amount says how much a fold hides.
func amount(r detail.Row) string {
	if n := len(r.Lines) + r.More; n > 1 {
		return words.Count(n) + " lines"
	}
	n := 0
	for _, p := range r.Lines[0] {
		n += len(p.Text) + p.Cut
	}
	return words.Count(n) + " bytes"
}

// glow returns the class of a value that changed. It alternates, so that the animation
// restarts.
func (d drawing) glow(way string) string {
	n := d.v.glows[way]
	if n == 0 {
		return "is"
	}
	return "is glow-" + strconv.Itoa(n%2)
}

func (d drawing) table(way string, t detail.Table) app.UI {
	var head, rows []app.UI
	for _, c := range t.Columns {
		head = append(head, app.Elem("th").Attr("scope", "col").DataSet("right", c.Right).Text(c.Name))
	}
	for _, row := range t.Rows {
		var cells []app.UI
		for i, cell := range row {
			at := cellWay(way, t, row, i)
			cells = append(cells, app.Elem("td").Class(d.glow(at)).DataSet("name", t.Columns[i].Name).DataSet("right", t.Columns[i].Right).Body(d.long(at, cell)...))
		}
		rows = append(rows, app.Elem("tr").Body(cells...))
	}
	body := []app.UI{app.If(t.Title != "", app.P().Class("caption").Text(t.Title)), app.Div().Class("table").TabIndex(0).Attr("role", "group").Attr("aria-label", cmp.Or(t.Title, "Table")).Body(app.Elem("table").DataSet("name", t.Title).Body(app.Elem("thead").Body(app.Elem("tr").Body(head...)), app.Elem("tbody").Body(rows...)))}
	if t.More > 0 {
		body = append(body, more(t.More, "row"))
	}
	return app.Div().Body(body...)
}

// more says how much is not shown, with a link to the YAML.
func more(n int, what string) app.UI {
	text := words.Count(n) + " more " + what
	if n > 1 {
		text = words.Count(n) + " more " + map[string]string{"entry": "entries"}[what]
		if what != "entry" {
			text += what + "s"
		}
	}
	return app.P().Class("dim more").Body(app.Span().Text(text+" not shown: "), ui.Way(ui.OpenTab, "YAML").DataSet("value", "yaml"))
}

// longest is how many bytes of a long text are shown at first.
const longest = 400

// long draws a line. A long text is cut until the user expands it.
func (d drawing) long(way string, l detail.Line) []app.UI {
	n, cut := 0, 0
	for _, p := range l {
		n += len(p.Text)
		cut += p.Cut
	}
	if n <= longest && cut == 0 {
		return d.pieces(l)
	}
	whole := d.v.whole[way]
	var out []app.UI
	left := longest
	for _, p := range l {
		if !whole && len(p.Text) > left {
			q := p
			for left = max(left, 0); left > 0 && !utf8.RuneStart(p.Text[left]); {
				left--
			}
			q.Text = p.Text[:left] + "…"
			out = append(out, d.piece(q, p.Text))
			break
		}
		out = append(out, d.piece(p, ""))
		left -= len(p.Text)
	}
	if n > longest {
		out = append(out, ui.Way(Whole, map[bool]string{false: "Show all " + words.Count(n) + " bytes", true: "Show less"}[whole]).DataSet("value", way))
	}
	if cut > 0 {
		out = append(out, more(cut, "byte"))
	}
	return out
}

func (d drawing) pieces(l detail.Line) []app.UI {
	out := make([]app.UI, len(l))
	for i, p := range l {
		out[i] = d.piece(p, "")
	}
	return out
}

// piece draws a piece of a line. title is the full text of one that was cut.
func (d drawing) piece(p detail.Span, title string) app.UI {
	text := p.Print(d.now)
	switch {
	case len(p.Values) > 0:
		return ui.Sparkline(p.Values, 1, p.Text)
	case p.At != 0 && p.Text != "": // an approximate time
		return app.Elem("time").Class("instant").Text(text)
	case p.At != 0:
		return app.Elem("time").Class("instant").Title(time.Unix(p.At, 0).UTC().Format("2006-01-02 15:04:05 UTC")).Text(text)
	case p.Ref != nil:
		return d.t.Host.Kinds().Link(*p.Ref, text)
	case p.List != nil:
		return d.t.Host.Kinds().ListLink(*p.List, text)
	}
	span := app.Span().Text(text)
	if title != "" {
		span = span.Title(title)
	}
	switch p.Style {
	case "":
		return span
	case detail.Code, detail.Quiet:
		return span.Class(p.Style)
	case detail.Status:
		return span.Class("status").DataSet("tone", grid.StateTone(d.t.Host.Subject().Kind, p.Text))
	}
	return span.Class("status").DataSet("tone", p.Style)
}
