package list

import (
	"fmt"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"

	"watchglass/e2e/stage"
)

// TestRowsAreLinks opens an object in another tab, and with a plain click in this one; the
// keys stay the list's, and no link is a stop on the way through the page.
func TestRowsAreLinks(t *testing.T) {
	e := show(t, "/pods?n=checkout&sort=-Name")
	all := e.Rows().Keys()
	link := func(key string) string { return `.row[data-key="` + key + `"] [data-column="Name"] a` }
	e.Await(fmt.Sprintf(`document.querySelector('%s')`, link(all[0])))
	if got := stage.Eval[int](e, `[...document.querySelectorAll(".grid a")].filter(a => a.tabIndex !== -1 || !a.textContent).length`); got != 0 {
		t.Errorf("%d links are stops, or have no name", got)
	}
	for i, middle := range []bool{false, true} {
		address, err := e.Opens(link(all[i]), middle)
		e.Must(err)
		if want := page.Proxy(t).Origin() + "/pods?n=checkout&sort=-Name&sel=" + all[i]; address != want {
			t.Errorf("%s opened, want %s", address, want)
		}
	}
	e.Await(`!location.search.includes("sel=") && document.querySelector(".drawer").hidden`)

	e.Must(e.Click(link(all[0])))
	e.awaitMarked(all[0])
	e.Await(`document.activeElement.id === "grid" && document.getElementById("grid").getAttribute("aria-activedescendant") === document.querySelector(".grid .row.active").id`)
	e.Axe(stage.AxeSource(t))
	e.Press("j")
	e.awaitMarked(all[1])
	e.Press("5")
	e.AwaitQuery("tab", stage.Eval[string](e, `document.querySelector(".tab[aria-selected=true]").dataset.value`))
	e.Await(fmt.Sprintf(`new URL(document.querySelector('%s').href).search === location.search`, link(all[1])))
	e.Press("1", kb.Escape, kb.Escape)
	e.Await(`document.querySelector(".drawer").hidden && !document.querySelector(".grid .row.active") && !document.getElementById("grid").hasAttribute("aria-activedescendant")`)
}

// TestReadyTone holds that a pod that runs and is not ready does not look well, and that
// an age tells the exact time.
func TestReadyTone(t *testing.T) {
	ns := stage.Namespace(t)
	began := time.Now()
	status := stage.Running(0)
	stage.SetStatus(t, stage.Create(t, ns, "well"), status)
	status.ContainerStatuses[0].Ready = false
	stage.SetStatus(t, stage.Create(t, ns, "waits"), status)
	e := show(t, "/pods?n="+ns)
	for name, want := range map[string]string{"well": "1/1 - Running ok", "waits": "0/1 warning Running warning"} {
		e.Await(fmt.Sprintf(`(cells => cells.map(c => c.textContent + " " + (c.dataset.tone || "-")).join(" "))(["Ready", "Status"].map(c => document.querySelector('.row[data-key="%s/%s"] [data-column="' + c + '"]'))) === %q`, ns, name, want))
	}
	title := stage.Eval[string](e, `document.querySelector('.row[data-key="`+ns+`/waits"] [data-column="Age"]').title`)
	if at, err := time.Parse(time.RFC3339, title); err != nil || at.Before(began.Add(-5*time.Second)) || at.After(time.Now().Add(5*time.Second)) {
		t.Errorf("the age is of %q, %v", title, err)
	}
	e.Keep("tones")
}
