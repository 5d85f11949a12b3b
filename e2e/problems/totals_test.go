package problems

import (
	"fmt"

	"watchglass/e2e/stage"
)

// total is a count of the overview, and the list that it links to.
type total struct{ Name, Figure, Of, Href string }

const totalsShown = `[...document.querySelectorAll(".totals a")].map(a => ({Name: a.querySelector(".name").textContent, Figure: a.querySelector(".figure").textContent, Of: a.querySelector(".of").textContent, Href: a.href}))`

// checkTotals compares each count of the overview with the rows of the list that it links to.
func checkTotals(e stage.Eyes, origin string) {
	e.T.Helper()
	overview, list := e.Another(), e.Another()
	overview.Must(overview.Open(origin + "/"))
	overview.AwaitState("live")
	overview.Await(`document.querySelectorAll(".totals .figure").length === 4 && [...document.querySelectorAll(".totals .figure")].every(f => f.textContent)`)
	for i, link := range stage.Eval[[]total](overview, totalsShown) {
		list.Must(list.Open(link.Href))
		list.AwaitState("live")
		figure, rows := "", ""
		stage.WaitFor(e.T, link.Name+" are counted", func() bool {
			now := stage.Eval[[]total](overview, totalsShown)[i]
			figure = now.Figure
			rows = fmt.Sprint(list.Rows().Total)
			return figure == rows
		})
		e.T.Logf("%s: %s, %s", link.Name, figure, link.Href)
	}
}
