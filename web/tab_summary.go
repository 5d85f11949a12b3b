package web

import (
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
)

// The summary's own actions.
const (
	FoldFacts Action = "fold-facts" // value: the way to a section or a row
	WholeFact Action = "whole-fact" // value: the way to a row
	GoListing Action = "listing"    // value: resource, namespace, labels, filter, in lines
)

func summaryTab() drawerTab {
	return drawerTab{
		id: "summary", title: "Summary", key: "1",
		draw: func(g sight) app.UI {
			return &summaryBody{View: g.drawer.summary, Now: g.drawer.summary.moment(time.Now()), Where: g.address.String(g.base), Kinds: len(g.kinds), State: g.headState()}
		},
		take: (*Page).takeSummary,
		act:  (*Page).actInSummary,
		open: func(p *Page) {
			p.drawer.summary = p.drawer.summary.another(foldedGroups(p.browser.Recall("facts")))
		},
	}
}

// summaryView is what the tab shows, and how. It is never written into.
type summaryView struct {
	summary detail.Summary
	known   bool
	folds   map[string]bool   // what is not as it began, by the way to it
	whole   map[string]bool   // long texts that are shown as a whole
	said    map[string]string // what rows and cells say
	glows   map[string]int    // how often that has changed
}

// another is what is shown until there is something of another object: nothing, where
// the summary before stood. It stays there unseen: to change its words takes a fraction
// of the time that it takes to build it anew.
func (v *summaryView) another(folds map[string]bool) *summaryView {
	next := &summaryView{folds: folds}
	if v != nil {
		next.summary = v.summary
	}
	return next
}

// summaryBody draws it: a component, since go-app draws one anew only when its fields
// are others.
type summaryBody struct {
	app.Compo
	View  *summaryView
	Now   int64  // to the second, or, if nothing is young, to the minute
	Where string // what links are made from
	Kinds int
	State detail.State // of the object
}

// takeSummary takes another. What says something else than before glows.
func (p *Page) takeSummary(doc []byte) bool {
	var s detail.Summary
	before := p.drawer.summary
	if before == nil || json.Unmarshal(doc, &s) != nil {
		return false
	}
	next := *before
	next.summary, next.known, next.said, next.glows = s, true, make(map[string]string), maps.Clone(before.glows)
	tell(next.said, "", s.Sections)
	for way, text := range next.said {
		if old, ok := before.said[way]; ok && old != text {
			if next.glows == nil {
				next.glows = make(map[string]int)
			}
			next.glows[way]++
		}
	}
	p.drawer.summary = &next
	return true
}

// tell notes what each row and each cell of a table says.
func tell(said map[string]string, way string, sections []detail.Section) {
	for _, s := range sections {
		way := way + "/" + s.Title
		for _, r := range s.Rows {
			said[way+"/"+r.Name] += lineText(slices.Concat(r.Lines...))
		}
		for _, t := range s.Tables {
			for _, row := range t.Rows {
				for c, cell := range row {
					said[cellWay(way, t, row, c)] += lineText(cell)
				}
			}
		}
		tell(said, way, s.Sections)
	}
}

func cellWay(way string, t detail.Table, row []detail.Line, column int) string {
	return way + "/" + t.Title + "/" + lineText(row[0]) + "/" + t.Columns[column].Name
}

func lineText(l detail.Line) string {
	var s strings.Builder
	for _, p := range l {
		s.WriteString(p.Text)
		if p.At != 0 {
			s.WriteString(strconv.FormatInt(p.At, 10))
		}
	}
	return s.String()
}

// moment is the time to which the summary is drawn.
func (v *summaryView) moment(now time.Time) int64 {
	const minute, young = 60, 11 * 60
	if v == nil || !v.hasSince(v.summary.Sections, now.Unix()-young) {
		return now.Unix() / minute * minute
	}
	return now.Unix()
}

func (v *summaryView) hasSince(sections []detail.Section, since int64) bool {
	is := func(l detail.Line) bool {
		return slices.ContainsFunc(l, func(p detail.Piece) bool { return p.At > since })
	}
	return slices.ContainsFunc(sections, func(s detail.Section) bool {
		return slices.ContainsFunc(s.Rows, func(r detail.Row) bool { return slices.ContainsFunc(r.Lines, is) }) ||
			slices.ContainsFunc(s.Tables, func(t detail.Table) bool {
				return slices.ContainsFunc(t.Rows, func(row []detail.Line) bool { return slices.ContainsFunc(row, is) })
			}) || v.hasSince(s.Sections, since)
	})
}

// actInSummary does what is done in the summary.
func (p *Page) actInSummary(action Action, value string) bool {
	v := p.drawer.summary
	if v == nil {
		return false
	}
	next := *v
	switch action {
	case FoldFacts:
		next.folds = toggled(v.folds, value)
		p.browser.Remember("facts", strings.Join(slices.Sorted(maps.Keys(next.folds)), ","))
	case WholeFact:
		next.whole = toggled(v.whole, value)
	default:
		return false
	}
	p.drawer.summary = &next
	p.redraw()
	return true
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

// goListing goes to a list.
func (p *Page) goListing(value string) {
	parts := strings.SplitN(value, "\n", 4)
	if len(parts) < 4 {
		return
	}
	p.rewind()
	p.sheet = ""
	p.visit(true, func(a *Address) {
		*a = addressOfListing(*a, detail.Listing{Resource: parts[0], Namespace: parts[1], Labels: parts[2], Filter: parts[3]})
	})
	p.fields()
}

func addressOfListing(from Address, l detail.Listing) Address {
	a := Address{Resource: l.Resource, Context: from.Context, Labels: l.Labels, Filter: l.Filter}
	if l.Namespace != "" {
		a.Namespaces = []string{l.Namespace}
	}
	return a
}

// Render draws.
func (b *summaryBody) Render() app.UI { return b.View.body(thePage.Sight(), time.Unix(b.Now, 0)) }

func (v *summaryView) body(g sight, now time.Time) app.UI {
	state := g.headState()
	switch {
	case v == nil || !v.known && (state == detail.Missing || state == detail.Denied): // what stands above says it
		return app.Div().Class("summary")
	case !v.known && len(v.summary.Sections) == 0:
		return app.Div().Class("summary skeleton").Body(app.Elem("i"), app.Elem("i"), app.Elem("i"))
	}
	d := factDrawer{v, g, now}
	parts := d.sections("", v.summary.Sections)
	if n := v.summary.More; n > 0 {
		parts = append(parts, more(n, "value"))
	}
	return app.Div().Class("summary").DataSet("past", !v.known).Attr("aria-busy", !v.known).Body(parts...)
}

// factDrawer draws a summary at a time. Elements beside the few that all of the page is
// made of are drawn by their names: each of go-app's own weighs more than all this.
type factDrawer struct {
	v   *summaryView
	g   sight
	now time.Time
}

func (d factDrawer) sections(way string, all []detail.Section) []app.UI {
	out := make([]app.UI, 0, len(all))
	for _, s := range all {
		out = append(out, d.section(way, s))
	}
	return out
}

func (d factDrawer) section(way string, s detail.Section) app.UI {
	inner := way + "/" + s.Title
	folded := s.Folded != d.v.folds[foldName(inner)]
	fold := app.Button().Class("fold").DataSet("action", FoldFacts).DataSet("value", foldName(inner)).Attr("aria-expanded", !folded).Text(s.Title)
	heading := "h3"
	if way != "" {
		heading = "h4"
	}
	var body []app.UI
	if !folded {
		body = d.body(inner, s)
	}
	return app.Section().Class("part").DataSet("section", s.Title).DataSet("card", s.Card).Body(
		app.Elem(heading).Body(fold, app.Span().Class("badge-of").Body(d.pieces(s.Badge)...)),
		app.Div().Class("inside").Hidden(folded).Body(body...),
	)
}

func (d factDrawer) body(way string, s detail.Section) []app.UI {
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

// foldName is the name that a fold is remembered by, in a list with commas.
func foldName(way string) string { return strings.ReplaceAll(way, ",", " ") }

func (d factDrawer) row(way string, r detail.Row) app.UI {
	way += "/" + r.Name
	folded := len(r.Lines) > 0 && r.Folded != d.v.folds[foldName(way)]
	var lines []app.UI
	switch {
	case folded:
		lines = []app.UI{app.Button().Class("way").DataSet("action", FoldFacts).DataSet("value", foldName(way)).Text("show " + amount(r))}
	case r.Folded:
		lines = []app.UI{app.Button().Class("way").DataSet("action", FoldFacts).DataSet("value", foldName(way)).Text("hide")}
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

// amount is how much is behind a fold.
func amount(r detail.Row) string {
	if n := len(r.Lines) + r.More; n > 1 {
		return Count(n) + " lines"
	}
	n := 0
	for _, p := range r.Lines[0] {
		n += len(p.Text) + p.Cut
	}
	return Count(n) + " bytes"
}

// glow is the class of what has changed: another each time, so that it glows anew.
func (d factDrawer) glow(way string) string {
	n := d.v.glows[way]
	if n == 0 {
		return "is"
	}
	return "is glow-" + strconv.Itoa(n%2)
}

func (d factDrawer) table(way string, t detail.Table) app.UI {
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
	body := []app.UI{app.If(t.Title != "", app.P().Class("caption").Text(t.Title)), app.Div().Class("table").Body(app.Elem("table").DataSet("name", t.Title).Body(app.Elem("thead").Body(app.Elem("tr").Body(head...)), app.Elem("tbody").Body(rows...)))}
	if t.More > 0 {
		body = append(body, more(t.More, "row"))
	}
	return app.Div().Body(body...)
}

// more says how much is not shown, and where it is.
func more(n int, what string) app.UI {
	text := Count(n) + " more " + what
	if n > 1 {
		text = Count(n) + " more " + map[string]string{"entry": "entries"}[what]
		if what != "entry" {
			text += what + "s"
		}
	}
	return app.P().Class("dim more").Body(app.Span().Text(text+" not shown here: "), app.Button().Class("way").DataSet("action", OpenTab).DataSet("value", "yaml").Text("YAML"))
}

// longest is how much of a text is shown at first, in bytes.
const longest = 400

// long draws a line, of which a long text is shown as a whole only when asked for.
func (d factDrawer) long(way string, l detail.Line) []app.UI {
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
		out = append(out, app.Button().Class("way").DataSet("action", WholeFact).DataSet("value", way).Text(map[bool]string{false: "show all " + Count(n) + " bytes", true: "show less"}[whole]))
	}
	if cut > 0 {
		out = append(out, more(cut, "byte"))
	}
	return out
}

func (d factDrawer) pieces(l detail.Line) []app.UI {
	out := make([]app.UI, len(l))
	for i, p := range l {
		out[i] = d.piece(p, "")
	}
	return out
}

// piece draws one; title is the whole of one that is cut.
func (d factDrawer) piece(p detail.Piece, title string) app.UI {
	text := p.Print(d.now)
	switch {
	case p.At != 0 && p.Text != "": // about then
		return app.Elem("time").Class("instant").Text(text)
	case p.At != 0:
		return app.Elem("time").Class("instant").Title(time.Unix(p.At, 0).UTC().Format("2006-01-02 15:04:05 UTC")).Text(text)
	case p.Ref != nil:
		return refLink(d.g, *p.Ref, text)
	case p.List != nil:
		return d.g.listLink(*p.List, text)
	}
	span := app.Span().Text(text)
	if title != "" {
		span = span.Title(title)
	}
	switch p.Look {
	case "":
		return span
	case detail.Code, detail.Quiet:
		return span.Class(p.Look)
	case detail.Status:
		kind := ""
		if d.g.drawer.head != nil {
			kind = d.g.drawer.head.Kind
		}
		return span.Class("status").DataSet("tone", grid.StateTone(kind, p.Text))
	}
	return span.Class("status").DataSet("tone", p.Look)
}
