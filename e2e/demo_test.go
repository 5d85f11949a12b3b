package e2e

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"watchglass/e2e/browser"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// TestDemo opens the demo cluster: the top line says what it is, its pods are
// there and live, and so is its custom kind.
func TestDemo(t *testing.T) {
	p := stage.Serve(t, proxy.Options{Args: []string{"--demo", "--demo-seed", "5"}})
	e := synced(t, p.At("/pods"))
	e.Await(`document.querySelector("header").textContent.includes("demo cluster")`)
	first := e.AwaitSource(func(s stage.Source) bool { return s.Objects >= 300 })
	e.Await(fmt.Sprintf(`watchglass.inspect().then(i => i.sources[0].resourceVersion !== %q)`, first.Version))
	e.Keep("demo")
	e.AwaitSource(func(s stage.Source) bool { return s.Relists == 0 })
	e.Visit("/databases.data.example.com")
	e.Await(`document.body.textContent.includes("-db")`)
}

// TestDemoUsage shows what pods, nodes and namespaces of the demo cluster use, which changes.
func TestDemoUsage(t *testing.T) {
	p := stage.Serve(t, proxy.Options{Args: []string{"--demo", "--demo-seed", "5"}})
	e := synced(t, p.At("/pods"))
	const first = `document.querySelector('.body [role=row]:not([hidden]) [data-column="CPU"]')?.textContent`
	for i, at := range []string{"/pods?cols=*,CPU,Memory,CPU+of+Request,Memory+of+Limit,Measured&sort=-CPU", "/nodes?cols=*,Pods,CPU,Memory,CPU+Requests", "/namespaces?cols=*,Pods,CPU,Memory,CPU+Requests&sort=-Memory", "/pods?q=cpu>100m+memory-of-limit>50%25&cols=Name,CPU,Memory+of+Limit"} {
		e.Visit(at)
		e.Await(`/^\d+m/.test(` + first + `)`)
		e.Keep(fmt.Sprint("usage-", i))
	}
	e.Visit("/nodes?cols=Name,CPU")
	e.Await(`/^\d+m/.test(` + first + `)`)
	e.Await(`(globalThis.was ??= ` + first + `) !== ` + first)
}

// TestOptionalColumns filters and sorts by columns that nobody has to show, on the demo cluster.
func TestOptionalColumns(t *testing.T) {
	p := stage.Serve(t, proxy.Options{Args: []string{"--demo", "--demo-seed", "5"}})
	e := synced(t, p.At("/pods?q=exit:&cols=Name,Exit,Exit+Code,Last+Restart,Waiting,Images&sort=Last+Restart"))
	rows := stage.AwaitValue(e, browser.AllRows, func(r browser.Rows) bool { return r.Total > 0 && r.Total < e.Source().Objects }) // not all have ended
	for _, r := range rows.Rows {
		if r.Cells[1] == "" || r.Cells[2] == "" || r.Cells[5] == "" {
			t.Errorf("%q", r.Cells)
		}
	}
	e.Visit("/services?q=endpoints%3E0&cols=Name,Endpoints&sort=-Endpoints")
	stage.AwaitValue(e, browser.AllRows, func(all browser.Rows) bool {
		last := math.MaxInt
		for _, r := range all.Rows {
			n, err := strconv.Atoi(r.Cells[1])
			if err != nil || n == 0 || n > last {
				return false
			}
			last = n
		}
		return all.Total > 0
	})
}
