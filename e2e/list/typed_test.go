package list

import (
	"cmp"
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"watchglass/e2e/stage"
)

// TestTypedAtOnce (15) types on behind a key that leads to a field, without a pause: the
// field is there before the next letter, none of which is a shortcut, and none is lost.
func TestTypedAtOnce(t *testing.T) {
	for _, c := range []struct{ keys, field, want string }{
		{"/ready", "filter", "ready"},
		{"/restarts>=1", "filter", "restarts>=1"},
		{"/dly5xTWcvefpn?", "filter", "dly5xTWcvefpn?"},
		{"jd/web", "filter", "web"},
		{":po kube", "palette-text", "po kube"},
		{"ncheck", "find", "check"},
		{"cvenue", "add-column", "venue"},
		{"vmine", "view-name", "mine"},
		{"jy/name", "yaml-find", "name"},
		{"jl/panic", "logs-find", "panic"},
		{"jl&error", "logs-filter", "error"},
		{"jy/nw/n", "yaml-find", "nw/n"},
		{":svc\r/web", "filter", "web"},
	} {
		e := show(t, "/pods?n=checkout")
		e.Await(`document.querySelector('[data-facet="Status"]') && document.activeElement.id === "grid"`)
		e.Press(c.keys)
		type typed struct{ Field, Value, Dialog string }
		got := stage.Eval[typed](e, `({Field: document.activeElement.id, Value: document.activeElement.value ?? "", Dialog: document.querySelector("[role=dialog]")?.id ?? ""})`)
		dialog := map[string]string{"palette-text": "palette", "add-column": "columns", "view-name": "keep"}[c.field]
		if want := (typed{c.field, c.want, dialog}); got != want {
			t.Errorf("%s: %+v, want %+v", c.keys, got, want)
		}
		e.Press(kb.Escape) // an open dialog would cost another page
	}
}

// TestSuggestionClicked (15) goes on typing behind a suggestion that was clicked: the
// caret stands behind it, and nothing of the filter is selected and typed over. On a phone the suggestions are
// on the page although the field shares its line with a mark.
func TestSuggestionClicked(t *testing.T) {
	e := show(t, "/pods?n=checkout")
	e.Await(`document.querySelector('[data-facet="Status"]')`)
	e.Must(e.Resize(390, 844))
	e.Press("j", "=")
	e.Await(`document.querySelector(".marked").checkVisibility()`)
	e.Press("/web stat")
	e.Says("#suggestion-0", "status:")
	e.Await(`(r => r.left >= 0 && r.right <= 390 && r.width > 300)(document.querySelector("#suggestions").getBoundingClientRect())`)
	e.Must(e.Click("#suggestion-0"))
	e.Press("Run")
	e.Await(`document.activeElement.id === "filter" && document.activeElement.value === "web status:Run"`)
}

// TestHalfTyped (17) types filters in steps: the half of a field, or of a value, does not
// empty the list, nor does what is wrong; what is meant does.
func TestHalfTyped(t *testing.T) {
	const (
		all, held, some = `/^[1-9][\d,]*$/`, `/^0 of [1-9]/`, `/^[1-9][\d,]* of [1-9]/`
		none            = "none, and says so"
		dimmed          = "all, while a term is incomplete"
	)
	type step struct{ keys, count string }
	for name, steps := range map[string][]step{
		"a comparison":    {{"/restar", held}, {"ts", held}, {">", dimmed}, {"=", dimmed}, {"1", some}, {"\b", some}, {"\b", some}, {kb.Enter, some}},
		"a value":         {{"/status:", all}, {"Pend", held}, {"ing", some}, {",", some}, {"Fa", some}},
		"begun":           {{"/crashloop statu", held}},
		"no field":        {{"/colour", none}, {":", all}, {"red", all}},
		"behind a word":   {{"/crashloop", some}, {" statu", held}, {"s=", some}},
		"a selector":      {{"/-l", dimmed}, {" team=", held}, {"payments", some}, {",", some}},
		"a group":         {{"/(", dimmed}, {"crashloop", dimmed}, {" or nosuch", dimmed}, {")", some}},
		"quotes":          {{`/"`, dimmed}, {`no such`, dimmed}, {`"`, none}},
		"meant as a word": {{"/restar", held}, {kb.Enter, none}},
		"left":            {{"/restar", held}, {kb.Tab, none}},
	} {
		t.Run(name, func(t *testing.T) {
			e := show(t, "/pods")
			e.Await(`document.querySelector('[data-facet="Status"]') && document.activeElement.id === "grid"`)
			for _, s := range steps {
				e.Press(s.keys)
				const count, panel = `.test(document.querySelector("#count").innerText)`, `!!document.querySelector(".panel:not([hidden])")`
				switch s.count {
				case none:
					e.Await(held + count + " && " + panel)
				case some:
					e.Await(some + count + ` && document.querySelector("#grid").getAttribute("aria-busy") !== "true"`)
				default:
					want := map[string]string{dimmed: all}[s.count]
					e.Await(fmt.Sprintf(`%s%s && !%s && document.querySelectorAll(".grid .body .row:not([hidden])").length > 10 &&
						(document.querySelector(".list").dataset.held === "true") === %v`, cmp.Or(want, s.count), count, panel, s.count != all))
				}
			}
			e.KeepLooks("typed")
		})
	}
}

// TestChips removes terms of the filter by their chips, by pointer and by keys, and edits the
// filter as text while the field has the focus. The top bar keeps its height and its width.
func TestChips(t *testing.T) {
	e := show(t, "/pods?q=ns:*+crashloop+status:*+(a+or+!b)")
	chips := func(want string) {
		t.Helper()
		e.Await(fmt.Sprintf(`[...document.querySelectorAll(".chips .term .name")].map(c => c.textContent).join("|") === %q`, want))
	}
	focus := func(id, value string) {
		t.Helper()
		e.Await(fmt.Sprintf(`document.activeElement.id === %q && document.getElementById("filter").value === %q`, id, value))
	}
	chips("ns:*|crashloop|status:*|(a or !b)")
	const height = `document.querySelector(".top").offsetHeight`
	before := stage.Eval[float64](e, height)
	e.Press("/")
	focus("filter", "ns:* crashloop status:* (a or !b)")
	if stage.Eval[bool](e, `document.querySelector(".chips").checkVisibility()`) || stage.Eval[float64](e, height) != before {
		t.Error("the chips show beside the text, or the top bar has another height")
	}
	e.Press(kb.Escape)
	e.Must(e.Click(`[aria-label="Remove filter crashloop"]`))
	chips("ns:*|status:*|(a or !b)")
	focus("term-1", "ns:* status:* (a or !b)")
	e.Press(kb.Tab, kb.Backspace)
	focus("term-1", "ns:* status:*")
	e.Must(e.Click(".chips .term .name")) // edits the text
	e.Press(" web")
	focus("filter", "ns:* status:* web")
	e.Must(e.Resize(390, 844))
	e.Press(kb.Escape)
	chips("ns:*|status:*|web")
	if wide := stage.Eval[float64](e, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("the page is %v px wide", wide)
	}
	e.Must(e.Click(".chips .term:last-of-type .name"))
	e.Press(kb.Backspace)
	focus("filter", "ns:* status:* we")
}
