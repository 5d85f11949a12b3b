package list

import (
	"testing"

	"watchglass/e2e/stage"
)

// TestTouch holds that whatever can be tapped on a phone is 44 px high and wide, and that rows
// and sheets are where they show.
func TestTouch(t *testing.T) {
	e := open(t, "about:blank")
	e.Must(e.Touch(390, 844))
	e.Must(e.Open(page.Proxy(t).At("/pods")))
	e.AwaitState("live")
	rows := e.Rows().Keys()
	e.Await(`matchMedia("(pointer: coarse)").matches && document.querySelector(".grid .row[data-key]:not([hidden])")?.offsetHeight === 44`)
	check := func(at string) {
		t.Helper()
		small := stage.Eval[[]string](e, `[...document.querySelectorAll("button, select, input:not([type=file]):not(#filter), .filter, .rail .item, .offer")]
			.filter(el => el.checkVisibility() && el.offsetHeight > 0 && !el.closest("#text, #graph"))
			.filter(el => el.getBoundingClientRect().height < 44 || el.getBoundingClientRect().width < 44)
			.map(el => el.outerHTML.slice(0, 120) + " " + el.getBoundingClientRect().width + "x" + el.getBoundingClientRect().height)`)
		for _, el := range small {
			t.Errorf("%s: too small for a finger: %s", at, el)
		}
		e.Keep(at)
	}
	check("list")
	e.view("q=crashloop+status:*")
	e.Await(`document.querySelectorAll(".chips button").length === 2`)
	check("filter")
	e.Visit("/pods")
	for _, sheet := range []string{"kinds", "facets"} {
		e.Must(e.Click(`.top [data-action="` + sheet + `"]`))
		e.Await(`document.querySelectorAll(".rail[data-open=true], .facets[data-open=true]").length === 1 && document.querySelector(".top [data-action=` + sheet + `]").ariaExpanded === "true"`)
		check(sheet)
		if !stage.Eval[bool](e, `(() => { const s = document.querySelector(".rail[data-open=true], .facets[data-open=true]").getBoundingClientRect(), top = document.querySelector(".top").getBoundingClientRect();
			return s.top >= top.bottom - 2 && s.top <= top.bottom + 20 })()`) {
			t.Errorf("the sheet %s is not below the top bar", sheet)
		}
		e.Must(e.Click(`.top [data-action="` + sheet + `"]`))
	}
	for _, tab := range []string{"summary", "yaml", "events", "logs", "changes"} {
		e.Visit("/pods?sel=" + rows[0] + "&tab=" + tab)
		e.Await(`!document.querySelector(".drawer").hidden && document.querySelector("#tab-` + tab + `[aria-selected=true]")`)
		check("tab " + tab)
	}
	at := len(rows) / 2
	e.Must(e.Touch(1200, 844))
	e.GoTo("/nodes") // so that no rows are there yet
	e.Visit("/pods?sel=" + rows[at])
	e.awaitMarked(rows[at])
	if !stage.Eval[bool](e, `(() => { const r = document.querySelector(".grid .row.active").getBoundingClientRect(), g = document.getElementById("grid").getBoundingClientRect();
		return r.height === 44 && r.top >= g.top + 45 && r.bottom <= g.bottom })()`) {
		t.Error("the row of the object is out of sight")
	}
}
