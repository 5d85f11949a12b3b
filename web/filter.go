package web

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

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

// filterBar is the filter and the label selector, with what may be typed next.
type filterBar struct {
	*page
	completion atomic.Pointer[completion] // nil unless somebody types; written with the lock
	labels     map[string]labelCounts     // values by key; under "" the keys
}

func (fb *filterBar) actions() map[Action]func(string) {
	return map[Action]func(string){
		FocusFilter: does(func() { fb.browser.Focus("filter") }),
		Accept: func(value string) {
			if at, err := strconv.Atoi(value); err == nil {
				fb.accept(at)
				fb.browser.Focus("filter")
			}
		},
	}
}

// onFocus ends typing when another element has the focus: suggestions are for those who type.
func (fb *filterBar) onFocus(id string) {
	left := fb.typing != "" && id != fb.typing
	if left {
		fb.page.typing = ""
	}
	if fb.completion.Load() != nil && id != "filter" {
		fb.completion.Store(nil)
		left = true
	}
	if left { // a half-typed term counts now
		fb.list.look()
		fb.redraw()
	}
}

// complete suggests what may stand at the end of what was typed, and chooses the
// suggestion at a place; none, at -1.
func (fb *filterBar) complete(text string, at int) {
	var c *completion
	if text != "" { // there may be no suggestion before counts come in
		all := worthwhile(text, query.Complete(text, len(text), fb.schema(), fb.values))
		all = all[:min(len(all), suggestionsShown)]
		c = &completion{text: text, at: min(at, len(all)-1), all: all}
	}
	if before := fb.completion.Swap(c); !before.looksLike(c) {
		fb.redraw()
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
func (fb *filterBar) recount() {
	if c := fb.completion.Load(); c != nil {
		fb.complete(c.text, c.at)
	}
}

// schema is what rows have, as far as the page knows: the columns that show, and
// what there are facets of.
func (fb *filterBar) schema() query.Schema {
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
	for _, c := range fb.list.window.Known {
		add(c.Name, c.Compares())
	}
	for _, f := range fb.list.window.Facets {
		add(f.Name, query.TextColumn)
		s.Images = s.Images || f.Name == view.ImageFacet
	}
	return s
}

// values are those of a facet, as they were counted last.
func (fb *filterBar) values(field, prefix string) []query.Counted {
	if field == "label" || strings.HasPrefix(field, query.LabelPrefix) {
		return fb.labelValues(field, prefix)
	}
	var out []query.Counted
	for _, f := range fb.list.window.Facets {
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
func (fb *filterBar) press(k Key) {
	c := *fb.completion.Load() // a sight may have it
	n := len(c.all)
	switch {
	case k.Name == "Escape":
		fb.completion.Store(nil)
	case k.Name == "ArrowDown":
		c.at = (c.at + 1) % n
		fb.completion.Store(&c)
	case k.Name == "ArrowUp":
		c.at = (max(c.at, 0) + n - 1) % n
		fb.completion.Store(&c)
	case c.at >= 0:
		fb.accept(c.at)
	default:
		fb.completion.Store(nil)
		fb.browser.Focus("grid")
	}
	fb.list.look()
	fb.redraw()
}

// accept puts a suggestion into the filter, and goes on from there.
func (fb *filterBar) accept(at int) {
	c := fb.completion.Load()
	if c == nil || at < 0 || at >= len(c.all) {
		return
	}
	s := c.all[at]
	text := c.text[:s.From] + s.Text + c.text[s.To:]
	if s.Kind == query.SuggestValue {
		text += " "
	}
	fb.browser.SetField("filter", text)
	fb.set(text)
}

// filter takes what stands in the field of the filter.
func (fb *filterBar) set(text string) {
	fb.list.rewind()
	fb.complete(text, -1)
	fb.visitTyped("filter", func(a *Address) { a.Filter = strings.TrimSpace(text) })
	fb.list.look() // a space ends a word
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
func (fb *filterBar) problem() view.Problem {
	if fb.list.window.Problem.Incomplete && fb.typing == "filter" {
		return view.Problem{}
	}
	return fb.list.window.Problem
}

// wrong reports whether a part of the query is not understood.
func (fb *filterBar) wrong(part view.Part) bool {
	p := fb.problem()
	return p.Text != "" && p.Part == part
}

// filterField is where the filter is typed.
func (fb *filterBar) drawField() app.UI {
	return app.Input().ID("filter").Type("search").DataSet("field", "filter").Placeholder("filter  /   crash status:Pending restarts>3").Attr("aria-label", "Filter rows").
		Attr("role", "combobox").Attr("aria-autocomplete", "list").Attr("aria-controls", "suggestions").Attr("aria-expanded", fb.suggests()).
		Attr("aria-activedescendant", fb.suggested()).Attr("aria-invalid", fb.wrong(view.PartFilter)).Attr("autocomplete", "off").Attr("spellcheck", "false")
}

// beneath is what stands beneath the filter: what is wrong with it, and what may be
// typed next.
func (fb *filterBar) drawBeneath() app.UI {
	var body []app.UI
	if fb.wrong(view.PartFilter) {
		body = append(body, fb.drawMistake())
	}
	if fb.completion.Load() != nil {
		for i, s := range fb.completion.Load().all {
			body = append(body, suggestion(s, i, i == fb.completion.Load().at))
		}
	}
	list := app.Div().ID("suggestions").Class("beneath").Hidden(len(body) == 0)
	if fb.suggests() {
		list = list.Attr("role", "listbox").Attr("aria-label", "Suggestions")
	}
	return list.Body(body...)
}

func (fb *filterBar) suggests() bool { return fb.completion.Load().open() }

// suggested is the suggestion that Enter takes, by its id.
func (fb *filterBar) suggested() string {
	if fb.completion.Load() == nil || fb.completion.Load().at < 0 {
		return ""
	}
	return "suggestion-" + strconv.Itoa(fb.completion.Load().at)
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
func (fb *filterBar) drawMistake() app.UI {
	text, p := fb.address.Filter, fb.list.window.Problem
	from := min(p.From, len(text))
	to := min(max(p.To, from), len(text))
	there := cmp.Or(text[from:to], " ")
	return app.Div().ID("mistake").Class("mistake").Attr("role", "alert").Body(
		app.Code().Body(app.Span().Text(text[:from]), app.Span().Class("wrong").Text(there), app.Span().Text(text[to:])),
		app.P().Text(p.Text+"."),
		app.P().Class("dim").Text("This part is not applied."),
	)
}
