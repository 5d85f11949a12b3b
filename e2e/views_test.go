package e2e

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"watchglass/e2e/browser"
	"watchglass/e2e/proxy"
)

// view selects a kept view in the rail.
func view(name string) string {
	return fmt.Sprintf(`document.querySelector('.rail a[data-action="view"][data-value=%q]')`, name)
}

// notice waits for a word on what was done.
func (e eyes) notice(text string) {
	e.t.Helper()
	e.await(fmt.Sprintf(`document.querySelector("#notice").innerText.includes(%q)`, text))
}

// screen is what a person sees of a view: its address, its heads, its rows.
type screen struct {
	address, filter, heads string
	rows                   []string
}

// screen waits until what is on screen is what was asked for.
func (e eyes) screen() screen {
	e.t.Helper()
	e.state("live")
	e.await(`document.querySelector("[role=grid]").getAttribute("aria-busy") !== "true"`)
	return screen{
		eval[string](e, `location.pathname + location.search`), eval[string](e, `document.querySelector("#filter").value`),
		eval[string](e, `[...document.querySelectorAll("[role=columnheader]")].map(h => h.dataset.column + " " + h.getAttribute("aria-sort")).join()`),
		lines(e.rows()),
	}
}

// lines are rows as they are printed, without what passes by itself.
func lines(r browser.Rows) []string {
	var out []string
	for _, row := range r.Rows {
		out = append(out, strings.Join(timeless(r, row.Cells), " | "))
	}
	return out
}

var ago = regexp.MustCompile(`\(.* ago\)`)

// timeless are cells without ages, of what there is and of its last restart.
func timeless(r browser.Rows, cells []string) []string {
	out := make([]string, len(cells))
	for i, cell := range cells {
		if r.Columns[i].Name != "Age" {
			out[i] = ago.ReplaceAllString(cell, "")
		}
	}
	return out
}

func (s screen) same(t *testing.T, what string, want screen) {
	t.Helper()
	if s.address != want.address || s.filter != want.filter || s.heads != want.heads || !slices.Equal(s.rows, want.rows) {
		t.Errorf("%s: %s, %q, %s, %d rows; want %s, %q, %s, %d rows", what, s.address, s.filter, s.heads, len(s.rows), want.address, want.filter, want.heads, len(want.rows))
	}
}

// TestKeptView keeps a view by keys, finds it after a reload in the rail and in the
// palette, renames it and removes it.
func TestKeptView(t *testing.T) {
	p := serve(t, proxy.Options{})
	e := synced(t, p.At("/pods?n=checkout&q=status:Running&sort=-Age&cols=wide"))
	want := e.screen()
	e.press("v")
	e.await(`document.activeElement.id === "view-name"`)
	e.axe(axeSource(t))
	e.keep("dialog")
	e.must(e.Type("#view-name", "Checkout runs"))
	e.press(kb.Enter)
	e.notice("“Checkout runs” is kept.")
	e.await(view("Checkout runs") + `.getAttribute("aria-current") === "page" && document.activeElement.id === "grid"`)
	e.must(e.Open(p.Origin() + "/services"))
	e.state("live")
	e.await(view("Checkout runs") + `.getAttribute("aria-current") === "false"`)
	if href := eval[string](e, view("Checkout runs")+`.href`); href != p.Origin()+want.address {
		t.Errorf("its link is %s", href)
	}
	e.must(e.Click(`.rail a[data-action="view"]`))
	e.await(`location.pathname === "/pods"`)
	e.screen().same(t, "from the rail", want)
	e.must(e.Click(`.rail a[data-value="services"]`))
	e.await(`location.pathname === "/services"`)
	e.press(":")
	e.await(`document.activeElement.id === "palette-text"`)
	e.press("checkout r")
	e.await(`document.querySelector("#offer-0")?.innerText.startsWith("★ Checkout runs")`)
	e.press(kb.Enter)
	e.await(`location.pathname === "/pods"`)
	e.screen().same(t, "from the palette", want)

	eval[any](e, view("Checkout runs")+`.focus()`)
	e.press(kb.Tab, kb.Enter) // rename
	e.await(`document.activeElement.id === "view-name"`)
	e.must(e.Type("#view-name", "Running in checkout"))
	e.press(kb.Enter)
	e.await(view("Running in checkout") + ` && !` + view("Checkout runs") + ` && document.activeElement.id === "grid"`)
	eval[any](e, view("Running in checkout")+`.focus()`)
	e.press(kb.Tab, kb.Tab)
	e.keep("tools")
	e.press(kb.Enter) // remove
	e.await(`!` + view("Running in checkout"))
	e.must(e.Click("#notice button"))
	e.await(view("Running in checkout"))
	e.must(e.Click(`.rail [data-action="remove"]`))
	e.await(`!` + view("Running in checkout"))
	e.must(e.Open(eval[string](e, "location.href")))
	e.state("live")
	if !eval[bool](e, view("Running in checkout")+` === null`) {
		t.Error("what was removed is back")
	}
}

// TestForgetful is in a browser that keeps nothing for pages.
func TestForgetful(t *testing.T) {
	e := open(t, "about:blank")
	e.must(e.First(`Object.defineProperty(window, "localStorage", {get() { throw new DOMException("no", "SecurityError") }, configurable: true})`))
	e.must(e.Open(serve(t, proxy.Options{}).At("/pods?q=a")))
	e.state("live")
	e.press("v")
	e.await(`document.activeElement.id === "view-name"`)
	e.press(kb.Enter)
	e.notice("this browser keeps nothing for the page")
	e.keep("notice")
	e.await(`document.querySelector('.rail a[data-action="view"]').getAttribute("aria-current") === "page"`)
}

// TestFavourites stars kinds by key and by pointer, and finds them on top with their
// counts when the page is opened anew.
func TestFavourites(t *testing.T) {
	e := synced(t, serve(t, proxy.Options{}).At("/pods"))
	total := e.rows().Total
	e.press("f")
	first := `document.querySelector(".rail .group")`
	e.await(first + `.innerText.startsWith("Favourites") && ` + first + `.querySelectorAll(".item").length === 1`)
	e.press("f")
	e.await(first + `.hidden`)
	eval[any](e, item("pods")+`.focus()`)
	e.press("f")
	e.await(first + `.querySelectorAll(".item").length === 1`)
	focused := `document.activeElement.closest(".group").innerText.split("\n")[0] + " " + document.activeElement.dataset.value`
	if at := eval[string](e, focused); at != "Workloads pods" {
		t.Errorf("the focus went to %s", at)
	}
	eval[any](e, item("secrets")+`.focus()`)
	e.press("f")
	e.await(first + `.querySelectorAll(".item").length === 2`)
	e.must(e.Click(`.rail .star[data-value="nodes"]`))
	e.await(first + `.querySelectorAll(".item").length === 3`)
	e.keep("rail")
	e.must(e.Open(eval[string](e, "location.href")))
	e.state("live")
	e.await(fmt.Sprintf(`%s.querySelector(".number").textContent.replaceAll(",", "") === "%d"`, first, total))
	names := eval[string](e, `[...document.querySelectorAll(".rail .group:first-child .name")].map(n => n.textContent).join()`)
	if names != "Pods,Secrets,Nodes" {
		t.Errorf("the favourites are %s", names)
	}
	e.must(e.Click(`.rail .group:first-child .star[data-value="secrets"]`))
	e.await(first + `.querySelectorAll(".item").length === 2`)
}

// TestShare copies the link, which shows equal rows to somebody else; without a
// clipboard the link is shown, selected.
func TestShare(t *testing.T) {
	p := serve(t, proxy.Options{})
	e := synced(t, p.At("/pods?n=checkout,orders&q=status:Running&sort=-Restarts"))
	e.must(e.Click(`[role=row][aria-rowindex="4"]`))
	e.await(`new URLSearchParams(location.search).has("sel")`)
	want := e.screen()
	e.must(e.Allow("clipboard-read", "clipboard-write"))
	e.press("Y")
	e.notice("The link is copied.")
	link := eval[string](e, `navigator.clipboard.readText()`)
	if link != eval[string](e, `location.href`) || strings.Contains(link, "#") || strings.Contains(link, p.Token()) {
		t.Errorf("the link is %s", link)
	}
	other := synced(t, p.At("/nodes")) // somebody else, who may come in
	other.must(other.Open(link))
	other.await(`location.pathname === "/pods"`)
	other.screen().same(t, "in another browser", want)

	e.press("e")
	e.await(`document.activeElement.id === "copy-link"`)
	e.axe(axeSource(t))
	e.keep("share")
	for range 12 { // the focus stays in the dialog
		e.press(kb.Tab)
		if !eval[bool](e, `document.activeElement === document.body || document.querySelector("#share").contains(document.activeElement)`) {
			t.Fatalf("the focus is on %s", eval[string](e, `document.activeElement.outerHTML`))
		}
	}
	e.must(e.Click(`[data-action="copy-command"]`))
	e.notice("The command is copied.")
	command := eval[string](e, `navigator.clipboard.readText()`)
	if !strings.HasPrefix(command, "kubectl get pods --context ") || !strings.Contains(e.text("#unsaid"), "checkout, orders") {
		t.Errorf("the command is %s, without %s", command, e.text("#unsaid"))
	}
	e.press(kb.Escape)
	e.await(`!document.querySelector("#share")`)
	eval[bool](e, `(Object.defineProperty(navigator, "clipboard", {value: undefined}), true)`)
	e.press("Y")
	e.notice("copy it by hand")
	e.await(`document.activeElement.id === "link" && getSelection().toString() === location.href`)
}

// downloaded waits for a file that is saved.
func (e eyes) downloaded(pattern string) string {
	e.t.Helper()
	path, err := e.Downloaded(pattern, soon)
	e.must(err)
	text, err := os.ReadFile(path)
	e.must(err)
	return string(text)
}

// TestExport exports what is on screen: every row that matches, as it is printed, in
// its order.
func TestExport(t *testing.T) {
	e := synced(t, serve(t, proxy.Options{}).At("/pods?sort=Name&cols=wide"))
	dir := t.TempDir()
	e.must(e.Downloads(dir))
	e.press("e")
	e.await(`document.querySelector("#share")`)
	e.must(e.Click(`[data-action="export"][data-value="csv"]`))
	want := e.rows()
	text := e.downloaded(filepath.Join(dir, "pods-*.csv"))
	got, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(got) != want.Total+1 || want.Total <= 500 {
		t.Fatalf("%d lines of %d rows: %v", len(got), want.Total, err)
	}
	for i, line := range got[1:] {
		if !slices.Equal(timeless(want, line), timeless(want, want.Rows[i].Cells)) {
			t.Fatalf("line %d is %q, and on screen %q", i+1, line, want.Rows[i].Cells)
		}
	}
	for i, c := range want.Columns {
		if got[0][i] != c.Name {
			t.Errorf("column %d is %q, not %q", i, got[0][i], c.Name)
		}
	}
	e.notice(" rows are exported as CSV.")
	e.press(kb.Escape)
	e.await(`document.activeElement.id === "grid"`)
	e.press(":")
	e.await(`document.activeElement.id === "palette-text"`)
	e.press("as json", kb.Enter)
	var rows []map[string]string
	e.must(json.Unmarshal([]byte(e.downloaded(filepath.Join(dir, "pods-*.json"))), &rows))
	if len(rows) != want.Total || rows[7]["Name"] != want.Rows[7].Cells[1] || rows[7]["Node"] != got[8][slices.Index(got[0], "Node")] {
		t.Errorf("%d rows of %d, the eighth %v", len(rows), want.Total, rows[7])
	}
}

// TestViewFile takes views from one browser to another in a file, and refuses what
// is none.
func TestViewFile(t *testing.T) {
	p := serve(t, proxy.Options{})
	e := synced(t, p.At("/pods?n=checkout&sort=-Age"))
	dir := t.TempDir()
	e.must(e.Downloads(dir))
	e.press("v")
	e.await(`document.activeElement.id === "view-name"`)
	e.press("Checkout", kb.Enter)
	e.await(`document.activeElement.id === "grid"`)
	e.press("e")
	e.await(`document.querySelector("#share")`)
	e.must(e.Click(`[data-action="export-views"]`))
	text := e.downloaded(filepath.Join(dir, "watchglass-views.json"))
	other := synced(t, p.At("/nodes"))
	other.press("e")
	other.await(`document.querySelector("#share")`)
	other.chooses(`{"watchglass": "views", "version": 1, "views": [{"name": "x", "address": "//evil.example.com"}]}`)
	other.await(`document.querySelector("#share-said").innerText.includes("Nothing was imported: \"x\" has \"//evil.example.com\", which is no address of a view")`)
	other.keep("refused")
	if n := eval[int](other, `document.querySelectorAll('.rail [data-action="view"]').length`); n != 0 {
		t.Errorf("%d views are there", n)
	}
	other.chooses(text)
	other.notice("1 view imported.")
	other.must(other.Click(`.rail [data-action="view"]`))
	other.await(`location.pathname === "/pods"`)
	other.screen().same(t, "in another browser", e.screen())
}

// chooses has a person choose a file of views.
func (e eyes) chooses(text string) {
	e.t.Helper()
	eval[bool](e, fmt.Sprintf(`(() => { const input = document.querySelector("#import"), files = new DataTransfer(); files.items.add(new File([%q], "views.json"));
		input.files = files.files; input.dispatchEvent(new Event("change", {bubbles: true})); return true })()`, text))
}

// TestHistory goes through steps of every sort, Back through all of them, and
// Forward again: each time the screen is what it was.
func TestHistory(t *testing.T) {
	e := synced(t, serve(t, proxy.Options{}).At("/pods"))
	steps := []struct {
		name string
		do   func()
		then string
	}{
		{"the beginning", func() {}, `location.search === ""`},
		{"a namespace", func() { e.must(e.Click(`[data-facet="Namespace"][data-value="checkout"]`)) }, `location.search === "?n=checkout"`},
		{"another namespace", func() { e.must(e.Click(`[data-facet="Namespace"][data-value="orders"]`)) }, `location.search === "?n=checkout,orders"`},
		{"a facet", func() { e.must(e.Click(`[data-value="Status:Running"]`)) }, `location.search.includes("q=status:Running")`},
		{"sorted", func() { e.press("N") }, `location.search.includes("sort=Name")`},
		{"the other way round", func() { e.press("N") }, `location.search.includes("sort=-Name")`},
		{"wide", func() { e.press("w") }, `location.search.includes("cols=wide")`},
		{"typed", func() { e.must(e.Type("#filter", "api")); e.press(kb.Enter) }, `location.search.includes("api")`},
		{"another kind", func() { e.must(e.Click(`.rail a[data-value="services"]`)) }, `location.pathname === "/services"`},
		{"sorted again", func() { e.press("A") }, `location.search.includes("sort=Age")`},
	}
	e.await(`document.querySelector('[data-value="Status:Running"]')`)
	var seen []screen
	for _, step := range steps {
		step.do()
		e.await(step.then)
		seen = append(seen, e.screen())
	}
	for i := len(steps) - 2; i >= 0; i-- {
		eval[bool](e, `(history.back(), true)`)
		e.await(fmt.Sprintf(`location.pathname + location.search === %q`, seen[i].address))
		e.screen().same(t, "back to "+steps[i].name, seen[i])
	}
	for i := 1; i < len(steps); i++ {
		eval[bool](e, `(history.forward(), true)`)
		e.await(fmt.Sprintf(`location.pathname + location.search === %q`, seen[i].address))
		e.screen().same(t, "forward to "+steps[i].name, seen[i])
	}
}
