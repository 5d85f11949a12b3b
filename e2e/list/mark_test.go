package list

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"watchglass/e2e/stage"
)

// marked is the row that keys act on, as a person sees it: what is marked, what the
// drawer shows, and what the address says.
type marked struct{ Row, Drawer, Address string }

func (e eyes) marked() marked {
	e.T.Helper()
	return stage.Eval[marked](e, `({Row: document.querySelector(".grid .row.active:not([hidden])")?.dataset.key ?? "", Drawer: document.querySelector(".drawer:not([hidden]) .name")?.textContent ?? "",
		Address: new URLSearchParams(location.search).get("sel") ?? ""})`)
}

// awaitMarked waits until one row is marked, shown and in the address.
func (e eyes) awaitMarked(key string) {
	e.T.Helper()
	_, name, _ := strings.Cut(key, "/")
	e.Await(fmt.Sprintf(`document.querySelector(".grid .row.active:not([hidden])")?.dataset.key === %q && document.querySelector(".drawer:not([hidden]) .name")?.textContent === %q &&
		new URLSearchParams(location.search).get("sel") === %q && document.querySelector(".drawer").dataset.state === "live"`, key, name, key))
}

// TestOneTarget (13) goes through the list by key while an object is open: the drawer
// goes along, and the command that is copied is of the row that is marked.
func TestOneTarget(t *testing.T) {
	e := show(t, "/pods")
	all := e.Rows().Keys()
	e.Must(e.Click(`.row[data-key="` + all[0] + `"]`))
	e.awaitMarked(all[0])
	e.Keep("opened")
	e.Press("j")
	if got := e.marked(); got.Row != all[1] || all[1] != "" && !strings.HasSuffix(all[1], "/"+got.Drawer) {
		t.Errorf("the mark and the drawer differ: %+v", got)
	}
	e.awaitMarked(all[1])
	e.Press("x")
	e.Await(`document.querySelector("#commands .command code")`)
	for _, c := range stage.Eval[[]string](e, `[...document.querySelectorAll("#commands .command code")].map(c => c.innerText)`) {
		if _, name, _ := strings.Cut(all[1], "/"); !strings.Contains(c, name) {
			t.Errorf("%s is not of %s", c, all[1])
		}
	}
	e.Press(kb.Escape, "jjjjjjjjjj") // held
	e.awaitMarked(all[11])
	e.Press("y", "k")
	e.awaitMarked(all[10])
	e.Await(`document.querySelector(".tab[aria-selected=true]").dataset.value === "yaml"`)
	name := all[10][strings.Index(all[10], "/")+1:]
	e.Await(fmt.Sprintf(`document.querySelector("#text").innerText.includes(%q)`, "name: "+name))
	e.Press("G")
	e.awaitMarked(all[len(all)-1])
	e.Keep("last")
	e.Press(kb.Escape)
	e.Await(`document.querySelector(".drawer").hidden`)
	e.Press("k", kb.Enter) // goes on from there
	e.awaitMarked(all[len(all)-2])
	stage.Eval[any](e, `history.back()`)
	e.Await(`document.querySelector(".drawer").hidden && location.pathname === "/pods"`)
}

// TestAddressMarks (16) opens addresses that select a row: it is in sight and marked,
// whatever the order, and keys go on from it.
func TestAddressMarks(t *testing.T) {
	e := synced(t, page.Proxy(t).At("/pods"))
	for _, query := range []string{"", "sort=-Age", "sort=Restarts", "n=orders&sort=Name", "q=status:Running"} {
		rows := e.view(query).Keys()
		ats := []int{len(rows) / 2}
		if query == "" {
			ats = append(ats, 0, len(rows)-1)
		}
		for _, at := range ats {
			address := "/pods?" + query + "&sel=" + rows[at]
			if query == "" {
				e.Must(e.Open(page.Proxy(t).Origin() + address))
			} else {
				e.GoTo("/nodes") // so that no rows are there yet
				e.GoTo(address)
			}
			e.AwaitState("live")
			e.awaitMarked(rows[at])
			if !stage.Eval[bool](e, `(() => { const r = document.querySelector(".grid .row.active").getBoundingClientRect(), g = document.getElementById("grid").getBoundingClientRect();
				return r.top >= g.top + 29 && r.bottom <= g.bottom })()`) {
				t.Errorf("%s: row %d is out of sight", query, at)
			}
			if at == len(rows)/2 {
				e.Keep("at " + strings.Map(func(r rune) rune {
					if r == '&' || r == ':' {
						return '-'
					}
					return r
				}, query))
				e.Press("j")
				e.awaitMarked(rows[at+1])
				e.Press("kk")
				e.awaitMarked(rows[at-1])
			}
		}
	}
	all := e.view("").Keys()
	e.GoTo("/pods?q=no-such-pod&sel=" + all[0])
	e.Says("#filtered-out", "Not in the list")
	e.KeepLooks("filtered out")
	e.Must(e.Click(`#filtered-out [data-action="clear"]`))
	e.awaitMarked(all[0])
	e.Visit("/pods?sel=checkout/no-such-pod")
	e.Await(`document.querySelector(".drawer").dataset.state === "missing"`)
	if got := e.marked().Row; got != "" {
		t.Errorf("%s is marked", got)
	}
	e.Press("j")
	e.awaitMarked(all[0])
}

// TestBesideDrawer opens an object: the facets fold into a strip and open over the list, columns
// leave the list and its names say their namespaces. Without the object all is as it was.
func TestBesideDrawer(t *testing.T) {
	e := show(t, "/pods?q=status:Running")
	const (
		width   = `(s => Math.round(document.querySelector(s).getBoundingClientRect().width))`
		columns = `[...document.querySelectorAll("[role=columnheader]")].map(c => c.dataset.column + c.getAttribute("aria-colindex")).join(" ")`
		full    = "Namespace1 Name2 Ready3 Status4 Restarts5 Age6"
		open    = `document.querySelector(".facets").checkVisibility()`
	)
	e.Await(columns + fmt.Sprintf(` === %q`, full))
	key := e.Rows().Keys()[0]
	e.Must(e.Click(`.row[data-key="` + key + `"]`))
	e.awaitMarked(key)
	e.Await(width + `(".strip") === 40 && ` + width + `(".drawer") === 588 && !` + open)
	e.Says(".strip", "Facets")
	e.Says(".strip .number", "1")
	e.Await(fmt.Sprintf(`document.querySelector('.row[data-key=%q] [data-column="Name"]').textContent.startsWith(%q)`, key, key[:strings.Index(key, "/")+1]))
	got := stage.Eval[string](e, columns)
	if left := strings.Fields(got); len(left) == 6 || strings.Contains(got, "Namespace") || !strings.HasPrefix(got, "Name2") || !strings.Contains(got, "Status4") {
		t.Errorf("beside the drawer are the columns %s", got)
	}
	if n := stage.Eval[string](e, `document.getElementById("grid").getAttribute("aria-colcount")`); n != "6" {
		t.Errorf("aria-colcount is %s", n)
	}
	if !stage.Eval[bool](e, `(g => g.scrollWidth <= g.clientWidth)(document.getElementById("grid"))`) {
		t.Error("the columns do not fit")
	}
	list := stage.Eval[int](e, width+`(".list")`)
	axe := stage.AxeSource(t)
	e.Axe(axe)
	e.KeepLooks("folded")
	e.Must(e.Click(".strip"))
	e.Await(open)
	if now := stage.Eval[int](e, width+`(".list")`); now != list {
		t.Errorf("the list was %d wide, and is %d", list, now)
	}
	e.Axe(axe)
	e.KeepLooks("open")
	e.Press(kb.Escape)
	e.Await(`!` + open + ` && !document.querySelector(".drawer").hidden`)
	e.Press("n")
	e.Await(open + ` && document.activeElement.id === "find"`)
	e.Must(e.Click(`.drawer .name`))
	e.Await(`!` + open)
	e.Press("j", kb.Escape)
	e.Await(`document.querySelector(".drawer").hidden && ` + open)
	e.Await(columns + fmt.Sprintf(` === %q`, full))
}
