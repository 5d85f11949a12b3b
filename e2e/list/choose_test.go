package list

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"watchglass/e2e/browser"
	"watchglass/e2e/stage"
)

// column are the cells of one column, by key.
func column(rows browser.Rows, name string) map[string]string {
	at := slices.IndexFunc(rows.Columns, func(c browser.Column) bool { return c.Name == name })
	out := map[string]string{}
	for _, r := range rows.Rows {
		if at >= 0 {
			out[r.Key] = r.Cells[at]
		}
	}
	return out
}

// names are those of the columns on the screen.
const names = `[...document.querySelectorAll("[role=columnheader]")].map(c => c.dataset.column).join()`

// awaitColumns waits until these columns show.
func (e eyes) awaitColumns(want ...string) {
	e.T.Helper()
	e.Await(fmt.Sprintf(`%s === %q`, names, strings.Join(want, ",")))
}

// TestChooseColumns adds columns by keys, compares them with kubectl's, moves and
// sizes them, and finds them in another browser and again after going elsewhere.
func TestChooseColumns(t *testing.T) {
	e := show(t, "/pods?n=checkout")
	usual := []string{"Namespace", "Name", "Ready", "Status", "Restarts", "Age"}
	e.awaitColumns(usual...)
	e.Press("c")
	e.Await(`document.activeElement.id === "add-column"`)
	e.Await(`document.querySelector("#label-names option")`)
	e.Axe(stage.AxeSource(t))
	e.Must(e.Type("#add-column", "team"))
	e.Press(kb.Enter)
	e.awaitColumns(append(slices.Clone(usual), "label.team")...)
	e.Must(e.Type("#add-column", "{.spec.nodeName"))
	e.Press(kb.Enter)
	e.Await(`document.querySelector("#add-wrong").innerText.includes("the path ends")`)
	e.Keep("wrong")
	e.Press("}", kb.Enter)
	added := append(slices.Clone(usual), "label.team", "{.spec.nodeName}")
	e.awaitColumns(added...)
	e.Keep("columns")
	e.Press(kb.Escape)
	e.Await(`document.activeElement.id === "grid"`)

	rows := e.Rows()
	have := [2]map[string]string{column(rows, "label.team"), column(rows, "{.spec.nodeName}")}
	pods := stage.Kubectl(t, "get", "pods", "-n", "checkout", "--no-headers", "-o", "custom-columns=N:.metadata.name,T:.metadata.labels.team,H:.spec.nodeName")
	for _, line := range pods {
		f := strings.Fields(line)
		if team, node := have[0]["checkout/"+f[0]], have[1]["checkout/"+f[0]]; team != f[1] || node != f[2] {
			t.Errorf("%s: %q on %q, and kubectl says %q", f[0], team, node, line)
		}
	}
	if len(pods) == 0 || len(rows.Rows) != len(pods) {
		t.Errorf("%d rows, and kubectl lists %d", len(rows.Rows), len(pods))
	}

	e.Must(e.Drag(`[role=columnheader][data-column="Name"] .sizer`, 60))
	e.Await(`/cols=[^&]*Name:\d+/.test(location.search)`)
	width := `Math.round(document.querySelector('[role=columnheader][data-column="Name"]').offsetWidth)`
	wide := stage.Eval[int](e, width)
	e.Press("c")
	e.Await(`document.querySelector('[data-action="move-column"][data-value="up label.team"]')`)
	e.Must(e.Click(`[data-action="move-column"][data-value="up label.team"]`))
	e.Must(e.Click(`[data-action="column"][data-value="Restarts"]`))
	final := []string{"Namespace", "Name", "Ready", "Status", "label.team", "Age", "{.spec.nodeName}"}
	e.awaitColumns(final...)
	e.Press(kb.Escape)

	address := stage.Eval[string](e, `location.pathname + location.search`)
	other := synced(t, page.Proxy(t).At(address))
	other.awaitColumns(final...)
	if got, want := other.Rows(), e.Rows(); !slices.EqualFunc(got.Rows, want.Rows, func(a, b browser.Row) bool { return a.Key == b.Key && a.Cells[6] == b.Cells[6] }) {
		t.Error("another browser shows other rows")
	}
	if got := stage.Eval[int](other, width); got != wide {
		t.Errorf("there the name is %d wide, and here %d", got, wide)
	}
	stage.Eval[any](e, item("services")+`.click()`)
	e.Await(`location.pathname === "/services" && !location.search.includes("cols")`)
	stage.Eval[any](e, item("pods")+`.click()`)
	e.awaitColumns(final...)
	stage.Eval[bool](e, `history.go(-2), true`)
	e.awaitColumns(final...)
}

// TestLongPath (18) adds a column by a path that is longer than there is room: nothing in
// the dialog, nor in the facet that it makes, is pushed out of reach.
func TestLongPath(t *testing.T) {
	const path = `{.metadata.annotations.a-very-long-name-that-somebody-gave\.to-an-annotation\.of-theirs\.example\.com/which-has-no-end}`
	e := show(t, "/pods?cols=*,"+url.QueryEscape(path))
	e.Await(`[...document.querySelectorAll(".facets .fold")].some(f => f.title.includes("which-has"))`)
	// outside are the parts of a box that cannot be seen or clicked: they are beyond its
	// edges, or something else is where they are.
	const outside = `((box, parts) => { const b = document.querySelector(box).getBoundingClientRect(); return [...document.querySelectorAll(parts)].filter(el => {
		el.scrollIntoView({block: "nearest"});
		const r = el.getBoundingClientRect(), at = document.elementFromPoint(r.x + r.width / 2, r.y + r.height / 2);
		return r.width && (r.left < b.left || r.right > b.right + 0.5 || !el.contains(at)) }).map(el => el.outerHTML.slice(0, 200)) })`
	for _, l := range stage.Looks[:3] {
		e.At(l)
		if l.Width < 900 {
			e.Must(e.Click(`.top [data-action=facets]`))
		}
		if wrong := stage.Eval[[]string](e, outside+`(".facets", ".facets button, .facets h2")`); len(wrong) > 0 {
			t.Errorf("%s: out of the facets are %q", l.Name, wrong)
		}
		if !stage.Eval[bool](e, `[...document.querySelectorAll(".facets .fold")].some(f => f.title.includes("which-has-no-end") && f.title === f.dataset.value.slice("facet ".length))`) {
			t.Errorf("%s: nobody says the whole path", l.Name)
		}
		stage.Eval[any](e, `[...document.querySelectorAll(".facets .fold")].find(f => f.title.includes("which-has")).scrollIntoView({block: "center"})`)
		e.Keep("facet-" + l.Name)
		e.Press(kb.Escape, "c")
		e.Await(`document.activeElement.id === "add-column"`)
		if wrong := stage.Eval[[]string](e, outside+`("#columns", "#columns button:not(:disabled)")`); len(wrong) > 0 {
			t.Errorf("%s: out of the dialog are %q", l.Name, wrong)
		}
		e.Keep("dialog-" + l.Name)
		e.Press(kb.Escape)
	}
}
