package filter

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"watchglass/internal/query"
	"watchglass/internal/view"
	"watchglass/web/route"
	"watchglass/web/ui"
)

// The actions.
const (
	ClearLabels ui.Action = "clear-labels"
	RemoveTerm  ui.Action = "remove-term" // value: its text
	Accept      ui.Action = "accept"      // value: index of a suggestion
)

// completion is the list of suggestions below the filter.
type completion struct {
	text string // the filter's text
	at   int    // index of the selected suggestion; -1 if none
	all  []query.Suggestion
}

// suggestionsShown limits the suggestions listed.
const suggestionsShown = 8

// Bar is the part with the filter, the label selector and the suggestions.
type Bar struct {
	host       Host
	browser    Browser
	completion atomic.Pointer[completion] // nil unless the user is typing; written with the lock
	labels     map[string]labelCounts     // values by key; under "" the keys
	lists      int                        // a number for each list: answers about an earlier one are ignored
}

// New returns the bar of a page.
func New(h Host, b Browser) *Bar { return &Bar{host: h, browser: b} }

// Begin begins another list, whose labels are not known.
func (fb *Bar) Begin() {
	fb.labels = nil
	fb.lists++
}

// Commands returns the commands of the bar.
func (fb *Bar) Commands() []ui.Command {
	return []ui.Command{
		{ID: ui.FocusFilter, Keys: []string{"/"}, Title: "Filter", Do: func() { fb.browser.Focus("filter") }, Offer: ui.Always},
		{ID: ClearLabels, Do: fb.clearLabels},
		{ID: RemoveTerm, Run: fb.remove},
		{ID: Accept, Run: func(value string) {
			if at, err := strconv.Atoi(value); err == nil {
				fb.accept(at)
				fb.browser.Focus("filter")
			}
		}},
	}
}

// OnFocus ends typing when the focus moves to another element, and hides the suggestions.
func (fb *Bar) OnFocus(id string) {
	left := fb.host.Typing() != "" && id != fb.host.Typing()
	if left {
		fb.host.StopTyping()
	}
	if fb.completion.Load() != nil && id != "filter" {
		fb.completion.Store(nil)
		left = true
	}
	if left { // a half-typed term counts now
		fb.host.SendQueries()
		fb.host.Redraw()
	}
}

// complete updates the suggestions for a text, and selects the one at an index; -1 selects
// none.
func (fb *Bar) complete(text string, at int) {
	var c *completion
	if text != "" { // kept even without suggestions: counts may arrive later
		all := worthwhile(text, query.Complete(text, len(text), fb.schema(), fb.values))
		all = all[:min(len(all), suggestionsShown)]
		c = &completion{text: text, at: min(at, len(all)-1), all: all}
	}
	if before := fb.completion.Swap(c); !before.looksLike(c) {
		fb.host.Redraw()
	}
}

// open reports whether there are suggestions to show.
func (c *completion) open() bool { return c != nil && len(c.all) > 0 }

// looksLike reports whether two completions show the same. Usually both are empty, which
// saves a redraw for every character typed.
func (c *completion) looksLike(other *completion) bool {
	var nothing completion
	a, b := cmp.Or(c, &nothing), cmp.Or(other, &nothing)
	return slices.Equal(a.all, b.all) && (len(a.all) == 0 || a.at == b.at)
}

// worthwhile keeps the suggestions that justify covering rows: fields that match what was
// typed, what the word means, and values. Most filters are plain text, and the user is watching the rows.
func worthwhile(text string, all []query.Suggestion) []query.Suggestion {
	return slices.DeleteFunc(all, func(s query.Suggestion) bool {
		typed := text[s.From:min(s.To, len(text))]
		switch s.Kind {
		case query.SuggestKeyword:
			return true
		case query.SuggestField:
			return typed == ""
		case query.SuggestTerm:
			return false
		}
		return strings.Contains(s.Text, ":") || strings.EqualFold(s.Text, typed)
	})
}

// Recount updates the suggestions after counts have changed.
func (fb *Bar) Recount() {
	if c := fb.completion.Load(); c != nil {
		fb.complete(c.text, c.at)
	}
}

// schema returns the fields that the filter can use: the known columns and the facets.
func (fb *Bar) schema() query.Schema {
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
	for _, c := range fb.host.Window().Known {
		add(c.Name, c.Compares())
	}
	for _, f := range fb.host.Window().Facets {
		add(f.Name, query.TextColumn)
		s.Images = s.Images || f.Name == view.ImageFacet
	}
	return s
}

// values returns the values of a field that begin with a prefix, with their latest counts.
func (fb *Bar) values(field, prefix string) []query.ValueCount {
	if field == "label" || strings.HasPrefix(field, query.LabelPrefix) {
		return fb.labelValues(field, prefix)
	}
	var out []query.ValueCount
	for _, f := range fb.host.Window().Facets {
		if view.Field(f.Name) != field {
			continue
		}
		for _, v := range f.Values {
			if v.Value != "" && query.Begins(field, v.Value, prefix) {
				out = append(out, query.ValueCount{Text: v.Value, Count: v.Count})
			}
		}
	}
	return out
}

// OnKey returns what a key does with the suggestions, if they are open. They leave all others to the page. It needs no
// lock.
func (fb *Bar) OnKey(k ui.Key) (press func(), alone bool) {
	c := fb.completion.Load()
	if !c.open() || !k.Typing || k.Command {
		return nil, false
	}
	switch k.Name {
	case "Tab":
		if c.at < 0 {
			return nil, false // Tab moves the focus
		}
		fallthrough
	case "Escape", "ArrowDown", "ArrowUp", "Enter":
		return func() { fb.press(k.Name) }, false
	}
	return nil, false
}

// press handles a key for the suggestions.
func (fb *Bar) press(key string) {
	c := *fb.completion.Load() // OnKey may be reading it
	n := len(c.all)
	switch {
	case key == "Escape":
		fb.completion.Store(nil)
	case key == "ArrowDown":
		c.at = (c.at + 1) % n
		fb.completion.Store(&c)
	case key == "ArrowUp":
		c.at = (max(c.at, 0) + n - 1) % n
		fb.completion.Store(&c)
	case c.at >= 0:
		fb.accept(c.at)
	default:
		fb.completion.Store(nil)
		fb.browser.Focus("grid")
	}
	fb.host.SendQueries()
	fb.host.Redraw()
}

// accept inserts a suggestion into the filter and completes the new text.
func (fb *Bar) accept(at int) {
	c := fb.completion.Load()
	if c == nil || at < 0 || at >= len(c.all) {
		return
	}
	s := c.all[at]
	text := c.text[:s.From] + s.Text + c.text[s.To:]
	if s.Kind == query.SuggestValue || s.Kind == query.SuggestTerm {
		text += " "
	}
	fb.browser.SetField("filter", text)
	fb.Set(text)
}

// Set applies the text of the filter field.
func (fb *Bar) Set(text string) {
	fb.host.Rewind()
	fb.complete(text, -1)
	fb.host.NavigateTyped("filter", func(a *route.Address) { a.Filter = strings.TrimSpace(text) })
	fb.host.SendQueries() // a trailing space leaves the address as it is, but may close the suggestions
}

// Unfinished reports whether the last term is incomplete because it is still being typed. The
// previous rows stay until it is complete.
func (fb *Bar) Unfinished() bool {
	return fb.host.Typing() == "filter" && fb.host.Window().Problems.Of(view.PartFilter).Incomplete
}

// Problems returns the errors in the query. A filter still being typed may be incomplete.
func (fb *Bar) Problems() view.Problems {
	all := fb.host.Window().Problems
	if fb.Unfinished() {
		all = slices.DeleteFunc(slices.Clone(all), func(p view.Problem) bool { return p.Part == view.PartFilter })
	}
	return all
}

// wrong reports whether a part of the query is invalid.
func (fb *Bar) wrong(part view.Part) bool {
	return fb.Problems().Of(part).Text != ""
}

// clearLabels removes the label selector of the address.
func (fb *Bar) clearLabels() {
	fb.host.Rewind()
	fb.host.Navigate(true, func(a *route.Address) { a.Labels = "" })
}

// remove removes a term from the text of the filter. The focus goes to the next term, so that
// several can be removed by keys.
func (fb *Bar) remove(term string) {
	at := slices.Index(query.Terms(fb.host.Address().Filter), term)
	fb.host.Rewind()
	fb.host.Navigate(true, func(a *route.Address) { a.Filter = query.Remove(a.Filter, at) })
	fb.host.SetFields()
	next := "grid"
	if left := len(query.Terms(fb.host.Address().Filter)); left > 0 {
		next = "term-" + strconv.Itoa(min(at, left-1))
	}
	fb.browser.Focus(next)
}
