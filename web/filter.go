package web

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/query"
	"watchglass/internal/view"
)

// completion is what may be typed next into the filter.
type completion struct {
	text string // of the filter, as it stands
	at   int    // the suggestion that Enter takes; -1: none
	all  []query.Suggestion
}

// suggestionsShown is how many are listed.
const suggestionsShown = 8

// complete suggests what may stand at the end of what was typed, and chooses the
// suggestion at a place; none, at -1.
func (p *Page) complete(text string, at int) {
	var c *completion
	if text != "" { // there may be no suggestion before counts come in
		all := worthwhile(text, query.Complete(text, len(text), p.schema(), p.values))
		all = all[:min(len(all), suggestionsShown)]
		c = &completion{text: text, at: min(at, len(all)-1), all: all}
	}
	if before := p.completion.Swap(c); !before.looksLike(c) {
		p.redraw()
	}
}

// open reports whether there are suggestions.
func (c *completion) open() bool { return c != nil && len(c.all) > 0 }

// looksLike reports that the same is suggested: nothing, mostly, and then the shell
// is not drawn for every letter.
func (c *completion) looksLike(other *completion) bool {
	var nothing completion
	a, b := cmp.Or(c, &nothing), cmp.Or(other, &nothing)
	return slices.Equal(a.all, b.all) && (len(a.all) == 0 || a.at == b.at)
}

// worthwhile are the suggestions for the sake of which rows may be covered: what
// begins like a field, and its values. Most that is typed is plain text, and who
// types it looks at the rows.
func worthwhile(text string, all []query.Suggestion) []query.Suggestion {
	return slices.DeleteFunc(all, func(s query.Suggestion) bool {
		typed := text[s.From:min(s.To, len(text))]
		switch s.Kind {
		case query.SuggestKeyword:
			return true
		case query.SuggestField:
			return typed == ""
		}
		return strings.Contains(s.Text, ":") || strings.EqualFold(s.Text, typed)
	})
}

// recount suggests anew when what there is of each value has changed.
func (p *Page) recount() {
	if c := p.completion.Load(); c != nil {
		p.complete(c.text, c.at)
	}
}

// schema is what rows have, as far as the page knows: the columns that show, and
// what there are facets of.
func (p *Page) schema() query.Schema {
	var s query.Schema
	has := map[string]bool{}
	add := func(name string, kind query.Kind) {
		if name == view.NamespaceColumn {
			s.Namespaced = true
		} else if !has[name] && name != view.OwnerFacet && name != view.ImageFacet {
			has[name] = true
			s.Columns = append(s.Columns, query.Column{Name: name, Kind: kind})
		}
	}
	for _, c := range p.window.Known {
		add(c.Name, c.Compares())
	}
	for _, f := range p.window.Facets {
		add(f.Name, query.TextColumn)
		s.Images = s.Images || f.Name == view.ImageFacet
	}
	return s
}

// values are those of a facet, as they were counted last.
func (p *Page) values(field, prefix string) []query.Counted {
	if field == "label" || strings.HasPrefix(field, query.LabelPrefix) {
		return p.labelValues(field, prefix)
	}
	var out []query.Counted
	for _, f := range p.window.Facets {
		if view.Field(f.Name) != field {
			continue
		}
		for _, v := range f.Values {
			if v.Value != "" && query.Begins(field, v.Value, prefix) {
				out = append(out, query.Counted{Text: v.Value, Count: v.Count})
			}
		}
	}
	return out
}

// takes reports whether a key is for the suggestions.
func (c *completion) takes(k Key) bool {
	if !c.open() || !k.Typing || k.Command {
		return false
	}
	switch k.Name {
	case "Escape", "ArrowDown", "ArrowUp", "Enter":
		return true
	}
	return k.Name == "Tab" && c.at >= 0 // else it is the browser's
}

// completionKey does what a key does to the suggestions.
func (p *Page) completionKey(k Key) {
	c := *p.completion.Load() // a sight may have it
	n := len(c.all)
	switch {
	case k.Name == "Escape":
		p.completion.Store(nil)
	case k.Name == "ArrowDown":
		c.at = (c.at + 1) % n
		p.completion.Store(&c)
	case k.Name == "ArrowUp":
		c.at = (max(c.at, 0) + n - 1) % n
		p.completion.Store(&c)
	case c.at >= 0:
		p.accept(c.at)
	default:
		p.completion.Store(nil)
		p.browser.Focus("grid")
	}
	p.look()
	p.redraw()
}

// accept puts a suggestion into the filter, and goes on from there.
func (p *Page) accept(at int) {
	c := p.completion.Load()
	if c == nil || at < 0 || at >= len(c.all) {
		return
	}
	s := c.all[at]
	text := c.text[:s.From] + s.Text + c.text[s.To:]
	if s.Kind == query.SuggestValue {
		text += " "
	}
	p.browser.SetField("filter", text)
	p.filter(text)
}

// filter takes what stands in the field of the filter.
func (p *Page) filter(text string) {
	p.rewind()
	p.complete(text, -1)
	p.typed("filter", func(a *Address) { a.Filter = strings.TrimSpace(text) })
	p.look() // a space ends a word
}

// facetOf is the facet of a value that is written as its name, a colon and the value:
// names may have colons in them.
func (p *Page) facetOf(value string) string {
	name, _, _ := strings.Cut(value, ":")
	for _, f := range p.window.Facets {
		if len(f.Name) > len(name) && strings.HasPrefix(value, f.Name+":") {
			name = f.Name
		}
	}
	return name
}

// pick turns a value of a facet on: to be shown, to be left out, and neither.
func (p *Page) pick(name, value string) {
	turn := map[choice]func(filter, field, value string) string{unchosen: query.Include, included: query.Exclude, excluded: query.Clear}
	field := view.Field(name)
	p.rewind()
	p.visit(true, func(a *Address) {
		a.Filter = turn[choiceOf(parsed(a.Filter), field, value)](a.Filter, field, value)
	})
	p.fields()
}

// parsed is a filter, as far as it is understood.
func parsed(filter string) query.Filter { return query.Sound(filter) }

func choiceOf(f query.Filter, field, value string) choice {
	in, out := f.Facet(field)
	return choiceIn(in, out, value)
}

// choiceIn is what is said of a value by those that are chosen, and left out.
func choiceIn(in, out []string, value string) choice {
	for _, v := range in {
		if strings.EqualFold(v, value) {
			return included
		}
	}
	for _, v := range out {
		if strings.EqualFold(v, value) {
			return excluded
		}
	}
	return unchosen
}

// problem is what to say of the query, if anything: not that what is still typed is not
// complete.
func (g sight) problem() view.Problem {
	if g.window.Problem.Incomplete && g.typing == "filter" {
		return view.Problem{}
	}
	return g.window.Problem
}

// wrong reports whether a part of the query is not understood.
func (g sight) wrong(part view.Part) bool {
	p := g.problem()
	return p.Text != "" && p.Part == part
}

// filterField is where the filter is typed.
func (g sight) filterField() app.UI {
	return app.Input().ID("filter").Type("search").DataSet("field", "filter").Placeholder("filter  /   crash status:Pending restarts>3").Attr("aria-label", "Filter rows").
		Attr("role", "combobox").Attr("aria-autocomplete", "list").Attr("aria-controls", "suggestions").Attr("aria-expanded", g.suggests()).
		Attr("aria-activedescendant", g.suggested()).Attr("aria-invalid", g.wrong(view.PartFilter)).Attr("autocomplete", "off").Attr("spellcheck", "false")
}

// beneath is what stands beneath the filter: what is wrong with it, and what may be
// typed next.
func (g sight) beneath() app.UI {
	var body []app.UI
	if g.wrong(view.PartFilter) {
		body = append(body, g.mistake())
	}
	if g.completion != nil {
		for i, s := range g.completion.all {
			body = append(body, suggestion(s, i, i == g.completion.at))
		}
	}
	list := app.Div().ID("suggestions").Class("beneath").Hidden(len(body) == 0)
	if g.suggests() {
		list = list.Attr("role", "listbox").Attr("aria-label", "Suggestions")
	}
	return list.Body(body...)
}

func (g sight) suggests() bool { return g.completion.open() }

// suggested is the suggestion that Enter takes, by its id.
func (g sight) suggested() string {
	if g.completion == nil || g.completion.at < 0 {
		return ""
	}
	return "suggestion-" + strconv.Itoa(g.completion.at)
}

func suggestion(s query.Suggestion, i int, here bool) app.UI {
	count := ""
	if s.Count > 0 {
		count = Count(s.Count)
	}
	return app.Div().ID("suggestion-"+strconv.Itoa(i)).Class("offer").Attr("role", "option").Attr("aria-selected", here).
		DataSet("action", Accept).DataSet("value", strconv.Itoa(i)).
		Body(app.Span().Class("name").Text(strings.TrimSpace(s.Text)), app.Span().Class("dim").Text(count))
}

// filterExamples teach the filter, a piece of it each. A test reads them.
var filterExamples = []struct{ filter, means string }{
	{"crash web", "both words, anywhere in a row"},
	{"!web", "not this word"},
	{`"back off"`, "text with spaces"},
	{`/web-\d+$/`, "a regular expression"},
	{"-f wbx1", "these letters, in this order"},
	{"-l app=web,!canary", "a label selector"},
	{"status:Running,Pending", "one of these, in a column"},
	{"!ns:kube-system", "ns, node, owner and any column, negated"},
	{"label.app:web", "a label"},
	{"age<1h restarts>=5", "comparisons"},
	{"web or (db and !test)", "alternatives, and brackets"},
}

func examples() []app.UI {
	var rows []app.UI
	for _, e := range filterExamples {
		rows = append(rows, app.Div().Class("example").Body(app.Code().Text(e.filter), app.Span().Text(e.means)))
	}
	return rows
}

// mistake shows where the filter is not understood, and what was expected there.
func (g sight) mistake() app.UI {
	text, p := g.address.Filter, g.window.Problem
	from := min(p.From, len(text))
	to := min(max(p.To, from), len(text))
	there := cmp.Or(text[from:to], " ")
	return app.Div().ID("mistake").Class("mistake").Attr("role", "alert").Body(
		app.Code().Body(app.Span().Text(text[:from]), app.Span().Class("wrong").Text(there), app.Span().Text(text[to:])),
		app.P().Text(p.Text+"."),
		app.P().Class("dim").Text("This part is not applied."),
	)
}
