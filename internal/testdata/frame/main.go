//go:build js && wasm

// Command frame paints a few frames into a page that is not there, under count.cjs, which counts the
// calls between Go and JavaScript. TestCounts builds and runs it.
package main

import (
	"fmt"
	"runtime/debug"
	"syscall/js"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/grid"
)

const rows = 50

// window is what a list shows; restarts is in its first row.
func window(offset int, restarts string) view.Window {
	w := view.Window{Columns: []view.Column{{Name: "Namespace"}, {Name: "Name"}, {Name: "Status"}, {Name: "Restarts"}}, Total: 10_000, Offset: offset}
	for i := range rows {
		w.Rows = append(w.Rows, view.Row{Key: fmt.Sprint("team-07/web-", offset+i), UID: fmt.Sprint(offset + i), Cells: []string{"team-07", fmt.Sprint("web-", offset+i), "Running", "0"}})
	}
	w.Rows[0].Cells[3] = restarts
	return w
}

func main() {
	debug.SetGCPercent(-1) // nothing is finalized meanwhile
	counted := js.Global().Get("countedCalls")
	nothing := 0
	calls := func(f func()) int {
		before := counted.Invoke().Int()
		f()
		return counted.Invoke().Int() - before - nothing
	}
	nothing = calls(func() {})

	list := grid.New(grid.NewDOM(js.Global().Get("element"), "Pods"))
	show := func(w view.Window) func() {
		return func() {
			list.Show(w, grid.Objects{Kind: "pods", Address: func(key string) string { return "/pods/" + key }}, grid.Sort{}, grid.Marks{}, grid.Room{})
		}
	}
	worker := port.JS(js.Global().Get("peer"))
	patch := port.Patch{ID: 1, Patch: view.Patch{Total: 10_000, Of: 10_000, Rows: window(0, "0").Rows}}
	for range rows {
		patch.Order = append(patch.Order, -1)
	}
	for _, c := range []struct {
		name string
		n    int
	}{
		{"first 50 rows painted", calls(show(window(0, "0")))},
		{"50 other rows painted", calls(show(window(200, "0")))},
		{"one cell painted", calls(show(window(200, "1")))},
		{"nothing to paint", calls(show(window(200, "1")))},
		{"patch of 50 rows sent by the worker", calls(func() { worker.Send(patch) })},
		{"patch of 50 rows received by the page", calls(func() {
			js.Global().Call("deliver")
			<-worker.Receive()
		})},
	} {
		fmt.Printf("%d %s\n", c.n, c.name)
	}
}
