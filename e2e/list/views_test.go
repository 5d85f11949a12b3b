package list

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"watchglass/e2e/browser"
	"watchglass/e2e/stage"
)

// view selects a kept view in the rail.
func view(name string) string {
	return fmt.Sprintf(`document.querySelector('.rail a[data-action="view"][data-value=%q]')`, name)
}

// screen is what a person sees of a view: its address, its heads, its rows.
type screen struct {
	address, filter, heads string
	rows                   []string
}

// screen waits until what is on screen is what was asked for.
func (e eyes) screen() screen {
	e.T.Helper()
	e.AwaitState("live")
	e.Await(`document.querySelector("[role=grid]").getAttribute("aria-busy") !== "true"`)
	return screen{
		stage.Eval[string](e, `location.pathname + location.search`), stage.Eval[string](e, `document.querySelector("#filter").value`),
		stage.Eval[string](e, `[...document.querySelectorAll("[role=columnheader]")].map(h => h.dataset.column + " " + h.getAttribute("aria-sort")).join()`),
		lines(e.Rows()),
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
	p := page.Proxy(t)
	e := show(t, "/pods?n=checkout&q=status:Running&sort=-Age&cols=wide")
	want := e.screen()
	e.Press("v")
	e.Await(`document.activeElement.id === "view-name"`)
	e.Axe(stage.AxeSource(t))
	e.Keep("dialog")
	e.Must(e.Type("#view-name", "Checkout runs"))
	e.Press(kb.Enter)
	e.Notice("“Checkout runs” saved.")
	e.Await(view("Checkout runs") + `.getAttribute("aria-current") === "page" && document.activeElement.id === "grid"`)
	e.Must(e.Open(p.Origin() + "/services"))
	e.AwaitState("live")
	e.Await(view("Checkout runs") + `.getAttribute("aria-current") === "false"`)
	if href := stage.Eval[string](e, view("Checkout runs")+`.href`); href != p.Origin()+want.address {
		t.Errorf("its link is %s", href)
	}
	e.Must(e.Click(`.rail a[data-action="view"]`))
	e.Await(`location.pathname === "/pods"`)
	e.screen().same(t, "from the rail", want)
	e.Must(e.Click(`.rail a[data-value="services"]`))
	e.Await(`location.pathname === "/services"`)
	e.Press(":")
	e.Await(`document.activeElement.id === "palette-text"`)
	e.Press("checkout r")
	e.Await(`document.querySelector("#offer-0")?.innerText.startsWith("★ Checkout runs")`)
	e.Press(kb.Enter)
	e.Await(`location.pathname === "/pods"`)
	e.screen().same(t, "from the palette", want)

	stage.Eval[any](e, view("Checkout runs")+`.focus()`)
	e.Press(kb.Tab, kb.Enter) // rename
	e.Await(`document.activeElement.id === "view-name"`)
	e.Must(e.Type("#view-name", "Running in checkout"))
	e.Press(kb.Enter)
	e.Await(view("Running in checkout") + ` && !` + view("Checkout runs") + ` && document.activeElement.id === "grid"`)
	stage.Eval[any](e, view("Running in checkout")+`.focus()`)
	e.Press(kb.Tab, kb.Tab)
	e.Keep("tools")
	e.Press(kb.Enter) // remove
	e.Await(`!` + view("Running in checkout"))
	e.Must(e.Click("#notice button"))
	e.Await(view("Running in checkout"))
	e.Must(e.Click(`.rail [data-action="remove"]`))
	e.Await(`!` + view("Running in checkout"))
	e.Must(e.Open(stage.Eval[string](e, "location.href")))
	e.AwaitState("live")
	if !stage.Now[bool](e, view("Running in checkout")+` === null`) {
		t.Error("what was removed is back")
	}
}

// TestForgetful is in a browser that keeps nothing for pages.
func TestForgetful(t *testing.T) {
	e := open(t, "about:blank")
	e.Must(e.First(`Object.defineProperty(window, "localStorage", {get() { throw new DOMException("no", "SecurityError") }, configurable: true})`))
	e.Must(e.Open(page.Proxy(t).At("/pods?q=a")))
	e.AwaitState("live")
	e.Press("v")
	e.Await(`document.activeElement.id === "view-name"`)
	e.Press(kb.Enter)
	e.Notice("This browser could not store it")
	e.Keep("notice")
	e.Await(`document.querySelector('.rail a[data-action="view"]').getAttribute("aria-current") === "page"`)
}

// TestFavourites stars kinds by key and by pointer, and finds them on top with their
// counts when the page is opened anew.
func TestFavourites(t *testing.T) {
	e := show(t, "/pods")
	total := e.Rows().Total
	e.Press("f")
	first := `document.querySelectorAll(".rail .group")[1]` // below the overview
	e.Await(first + `.innerText.startsWith("Favourites") && ` + first + `.querySelectorAll(".item").length === 1`)
	e.Press("f")
	e.Await(first + `.hidden`)
	stage.Eval[any](e, item("pods")+`.focus()`)
	e.Press("f")
	e.Await(first + `.querySelectorAll(".item").length === 1`)
	focused := `document.activeElement.closest(".group").innerText.split("\n")[0] + " " + document.activeElement.dataset.value`
	stage.Is(e, focused, "Workloads pods")
	stage.Eval[any](e, item("secrets")+`.focus()`)
	e.Press("f")
	e.Await(first + `.querySelectorAll(".item").length === 2`)
	e.Must(e.Click(`.rail .star[data-value="nodes"]`))
	e.Await(first + `.querySelectorAll(".item").length === 3`)
	e.Keep("rail")
	e.Must(e.Open(stage.Eval[string](e, "location.href")))
	e.AwaitState("live")
	e.Await(fmt.Sprintf(`%s.querySelector(".number").textContent.replaceAll(",", "") === "%d"`, first, total))
	stage.Is(e, `[...document.querySelectorAll(".rail .group:nth-child(2) .name")].map(n => n.textContent).join()`, "Pods,Secrets,Nodes")
	e.Must(e.Click(`.rail .group:nth-child(2) .star[data-value="secrets"]`))
	e.Await(first + `.querySelectorAll(".item").length === 2`)
}

// TestShare copies the link, which shows equal rows to somebody else; without a
// clipboard the link is shown, selected.
func TestShare(t *testing.T) {
	p := page.Proxy(t)
	e := synced(t, p.At("/pods?n=checkout,orders&q=status:Running&sort=-Restarts"))
	e.Must(e.Click(`[role=row][aria-rowindex="4"]`))
	e.Await(`new URLSearchParams(location.search).has("sel")`)
	want := e.screen()
	e.Must(e.Allow("clipboard-read", "clipboard-write"))
	e.Press("Y")
	e.Notice("Link copied. It works on this machine only.")
	link := stage.Eval[string](e, `navigator.clipboard.readText()`)
	if link != stage.Eval[string](e, `location.href`) || strings.Contains(link, "#") || strings.Contains(link, p.Token()) {
		t.Errorf("the link is %s", link)
	}
	other := show(t, "/nodes") // somebody else, who may come in
	other.Must(other.Open(link))
	other.Await(`location.pathname === "/pods"`)
	other.screen().same(t, "in another browser", want)

	e.Press("e")
	e.Await(`document.activeElement.id === "copy-link"`)
	e.Axe(stage.AxeSource(t))
	e.Keep("share")
	for range 12 { // the focus stays in the dialog
		e.Press(kb.Tab)
		if !stage.Eval[bool](e, `document.activeElement === document.body || document.querySelector("#share").contains(document.activeElement)`) {
			t.Fatalf("the focus is on %s", stage.Eval[string](e, `document.activeElement.outerHTML`))
		}
	}
	e.Must(e.Click(`[data-action="copy-command"]`))
	e.Notice("Command copied.")
	command := stage.Eval[string](e, `navigator.clipboard.readText()`)
	if !strings.HasPrefix(command, "kubectl get pods --context=") || !strings.Contains(e.Text("#unsaid"), "checkout, orders") {
		t.Errorf("the command is %s, without %s", command, e.Text("#unsaid"))
	}
	e.Press(kb.Escape)
	e.Await(`!document.querySelector("#share")`)
	stage.Eval[bool](e, `(Object.defineProperty(navigator, "clipboard", {value: undefined}), true)`)
	e.Press("Y")
	e.Notice("The browser blocked copying")
	e.Await(`document.activeElement.id === "link" && getSelection().toString() === location.href`)
}

// TestExport exports what is on screen: every row that matches, as it is printed, in
// its order.
func TestExport(t *testing.T) {
	e := show(t, "/pods?sort=Name&cols=wide")
	dir := t.TempDir()
	e.Must(e.Downloads(dir))
	e.Press("e")
	e.Await(`document.querySelector("#share")`)
	e.Must(e.Click(`[data-action="export"][data-value="csv"]`))
	want := e.Rows()
	text := e.Downloaded(filepath.Join(dir, "pods-*.csv"))
	got, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil || len(got) != want.Total+1 || want.Total <= 500 {
		t.Fatalf("%d lines of %d rows: %v", len(got), want.Total, err)
	}
	for i, line := range got[1:] {
		if !slices.Equal(timeless(want, line), timeless(want, want.Rows[i].Cells)) {
			t.Fatalf("line %d is %q, and on screen %q", i+1, line, want.Rows[i].Cells)
		}
		if at, err := time.Parse(time.RFC3339, line[slices.Index(got[0], "Age")]); err != nil || at.After(time.Now()) || at.Location() != time.UTC {
			t.Fatalf("line %d has no instant: %q", i+1, line)
		}
	}
	for i, c := range want.Columns {
		if got[0][i] != c.Name {
			t.Errorf("column %d is %q, not %q", i, got[0][i], c.Name)
		}
	}
	e.Notice(" rows exported as CSV.")
	e.Press(kb.Escape)
	e.Await(`document.activeElement.id === "grid"`)
	e.Press(":")
	e.Await(`document.activeElement.id === "palette-text"`)
	e.Press("as json", kb.Enter)
	var rows []map[string]string
	e.Must(json.Unmarshal([]byte(e.Downloaded(filepath.Join(dir, "pods-*.json"))), &rows))
	if len(rows) != want.Total || rows[7]["Name"] != want.Rows[7].Cells[1] || rows[7]["Node"] != got[8][slices.Index(got[0], "Node")] {
		t.Errorf("%d rows of %d, the eighth %v", len(rows), want.Total, rows[7])
	}
}

// TestViewFile takes views from one browser to another in a file, and refuses what
// is none.
func TestViewFile(t *testing.T) {
	e := synced(t, page.Proxy(t).At("/pods?n=checkout&sort=-Age"))
	dir := t.TempDir()
	e.Must(e.Downloads(dir))
	e.Press("v")
	e.Await(`document.activeElement.id === "view-name"`)
	e.Press("Checkout", kb.Enter)
	e.Await(`document.activeElement.id === "grid"`)
	e.Press("e")
	e.Await(`document.querySelector("#share")`)
	e.Must(e.Click(`[data-action="export-views"]`))
	text := e.Downloaded(filepath.Join(dir, "watchglass-views.json"))
	other := show(t, "/nodes")
	other.Press("e")
	other.Await(`document.querySelector("#share")`)
	other.chooses(`{"watchglass": "views", "version": 1, "views": [{"name": "x", "address": "//evil.example.com"}]}`)
	other.Await(`document.querySelector("#share-said").innerText.includes("Nothing was imported: \"x\" has an invalid address: \"//evil.example.com\"")`)
	other.Keep("refused")
	if n := stage.Now[int](other, `document.querySelectorAll('.rail [data-action="view"]').length`); n != 0 {
		t.Errorf("%d views are there", n)
	}
	other.chooses(text)
	other.Notice("1 view imported.")
	other.Must(other.Click(`.rail [data-action="view"]`))
	other.Await(`location.pathname === "/pods"`)
	other.screen().same(t, "in another browser", e.screen())
}

// chooses has a person choose a file of views.
func (e eyes) chooses(text string) {
	e.T.Helper()
	stage.Eval[bool](e, fmt.Sprintf(`(() => { const input = document.querySelector("#import"), files = new DataTransfer(); files.items.add(new File([%q], "views.json"));
		input.files = files.files; input.dispatchEvent(new Event("change", {bubbles: true})); return true })()`, text))
}

// TestHistory goes through steps of every sort, Back through all of them, and
// Forward again: each time the screen is what it was.
func TestHistory(t *testing.T) {
	e := show(t, "/pods")
	e.Must(e.Resize(2600, 900)) // all columns fit
	steps := []struct {
		name string
		do   func()
		then string
	}{
		{"the beginning", func() {}, `location.search === ""`},
		{"a namespace", func() { e.Must(e.Click(`[data-facet="Namespace"][data-value="checkout"]`)) }, `location.search === "?n=checkout"`},
		{"another namespace", func() { e.Must(e.Click(`[data-facet="Namespace"][data-value="orders"]`)) }, `location.search === "?n=checkout,orders"`},
		{"a facet", func() { e.Must(e.Click(`[data-value="Status:Running"]`)) }, `location.search.includes("q=status:Running")`},
		{"sorted", func() { e.Press("N") }, `location.search.includes("sort=Name")`},
		{"the other way round", func() { e.Press("N") }, `location.search.includes("sort=-Name")`},
		{"wide", func() { e.Press("W") }, `location.search.includes("cols=wide")`},
		{"typed", func() { e.Must(e.Type("#filter", "api")); e.Press(kb.Enter) }, `location.search.includes("api")`},
		{"another kind", func() { e.Must(e.Click(`.rail a[data-value="services"]`)) }, `location.pathname === "/services"`},
		{"sorted again", func() { e.Press("A") }, `location.search.includes("sort=Age")`},
	}
	e.Await(`document.querySelector('[data-value="Status:Running"]') && document.querySelector('.grid [role=columnheader][data-column="Readiness Gates"]')`)
	var seen []screen
	for _, step := range steps {
		step.do()
		e.Await(step.then)
		seen = append(seen, e.screen())
	}
	for i := len(steps) - 2; i >= 0; i-- {
		stage.Eval[bool](e, `(history.back(), true)`)
		e.Await(fmt.Sprintf(`location.pathname + location.search === %q`, seen[i].address))
		e.screen().same(t, "back to "+steps[i].name, seen[i])
	}
	for i := 1; i < len(steps); i++ {
		stage.Eval[bool](e, `(history.forward(), true)`)
		e.Await(fmt.Sprintf(`location.pathname + location.search === %q`, seen[i].address))
		e.screen().same(t, "forward to "+steps[i].name, seen[i])
	}
}
