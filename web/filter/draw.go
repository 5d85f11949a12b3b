package filter

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/query"
	"watchglass/internal/view"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// termsShown is how many namespaces are shown beside the filter.
const termsShown = 2

// DrawTerms draws the terms that are not in the text of the filter, the namespaces, the label
// selector and the group of the address. A click removes one. What is invalid is marked.
func (fb *Bar) DrawTerms() app.UI {
	var all []app.UI
	term := func(action ui.Action, value, text, title string, wrong bool) {
		all = append(all, app.Button().Class("term").DataSet("wrong", wrong).DataSet("action", action).DataSet("value", value).Title(title).Attr("aria-label", title).Body(
			app.Span().Class("name").Text(text), app.Span().Attr("aria-hidden", "true").Text("×")))
	}
	chosen := fb.host.Address().Namespaces
	for _, name := range chosen[:min(len(chosen), termsShown)] {
		term(ui.ChooseNamespace, name, name, "Remove namespace "+name, false)
	}
	if more := len(chosen) - termsShown; more > 0 {
		all = append(all, app.Span().Class("dim").Title(strings.Join(chosen, ", ")).Text("+"+words.Count(more)))
	}
	if labels := fb.host.Address().Labels; labels != "" {
		term(ClearLabels, "", labels, "Remove label selector "+labels, fb.wrong(view.PartLabels))
	}
	if group := fb.host.Address().Group; group != "" {
		term(ui.GroupBy, group, "by "+group, "Remove grouping by "+group, fb.wrong(view.PartGroup))
	}
	return app.Div().Class("terms").Body(all...)
}

// DrawChips draws the terms of the filter as chips. They show in place of its text while the
// field does not have the focus; the style sheet switches, so that no key waits for a drawing. A
// click on one edits the text. An invalid filter has no chips, and stays text.
func (fb *Bar) DrawChips() app.UI {
	var all []app.UI
	if !fb.wrong(view.PartFilter) {
		for i, term := range query.Terms(fb.host.Address().Filter) {
			title := "Remove filter " + term
			all = append(all, app.Span().Class("term").Title(term).Body(
				app.Span().Class("name").Text(term),
				app.Button().ID("term-"+strconv.Itoa(i)).DataSet("action", RemoveTerm).DataSet("value", term).Title(title).Attr("aria-label", title).Text("×")))
		}
	}
	return app.Div().Class("chips").Body(all...)
}

// DrawField draws the filter field.
func (fb *Bar) DrawField() app.UI {
	return app.Input().ID("filter").Type("search").DataSet("field", "filter").Placeholder("Filter: crash status:Pending -l app=web").Attr("aria-label", "Filter rows").
		Attr("role", "combobox").Attr("aria-autocomplete", "list").Attr("aria-controls", "suggestions").Attr("aria-expanded", fb.Suggests()).
		Attr("aria-activedescendant", fb.suggested()).Attr("aria-invalid", fb.wrong(view.PartFilter)).Attr("autocomplete", "off").Attr("spellcheck", "false")
}

// DrawBeneath draws the error and the suggestions below the filter.
func (fb *Bar) DrawBeneath() app.UI {
	var body []app.UI
	if p := fb.Problems().Of(view.PartFilter); p.Text != "" && fb.host.Typing() == "filter" { // afterwards it would cover rows: the banner says it
		body = append(body, fb.DrawMistake(p))
	}
	if fb.completion.Load() != nil {
		for i, s := range fb.completion.Load().all {
			body = append(body, suggestion(s, i, i == fb.completion.Load().at))
		}
	}
	list := app.Div().ID("suggestions").Class("beneath").Hidden(len(body) == 0)
	if fb.Suggests() {
		list = list.Attr("role", "listbox").Attr("aria-label", "Suggestions")
	}
	return list.Body(body...)
}

// Suggests reports whether there are suggestions.
func (fb *Bar) Suggests() bool { return fb.completion.Load().open() }

// suggested returns the element ID of the selected suggestion.
func (fb *Bar) suggested() string {
	if fb.completion.Load() == nil || fb.completion.Load().at < 0 {
		return ""
	}
	return "suggestion-" + strconv.Itoa(fb.completion.Load().at)
}

func suggestion(s query.Suggestion, i int, here bool) app.UI {
	count := ""
	if s.Count > 0 {
		count = words.Count(s.Count)
	}
	return app.Div().ID("suggestion-"+strconv.Itoa(i)).Class("offer").Attr("role", "option").Attr("aria-selected", here).
		DataSet("action", Accept).DataSet("value", strconv.Itoa(i)).
		Body(app.Span().Class("name").Text(strings.TrimSpace(s.Text)), app.Span().Class("dim").Text(count))
}

// DrawMistake shows where the filter is invalid, what was expected, and the filter that is in force: more than the
// marked part may not be applied.
func (fb *Bar) DrawMistake(p view.Problem) app.UI {
	text := fb.host.Address().Filter
	from := min(p.From, len(text))
	to := min(max(p.To, from), len(text))
	there := cmp.Or(text[from:to], " ")
	return app.Div().ID("mistake").Class("mistake").Attr("role", "alert").Body(
		app.Elem("code").Body(app.Span().Text(text[:from]), app.Span().Class("wrong").Text(there), app.Span().Text(text[to:])),
		app.P().Text(p.Text+"."),
		app.P().Class("dim").Text(words.Instead(p)),
	)
}
