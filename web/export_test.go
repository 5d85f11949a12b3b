package web

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
	"watchglass/web/past"
	"watchglass/web/route"
	"watchglass/web/tools"
	"watchglass/web/ui"
)

// exportRows is how many rows the hub sends at a time.
const exportRows = 250

// rows sends the rows that the page pulls until there are no more, and returns how often it did. It calls at before
// each time.
func (w *tab) rows(total int, at func(n int)) (times int) {
	var of, sent, generation int
	for {
		synctest.Wait()
		pulled := false
		for _, m := range w.takeSent() {
			switch m := m.(type) {
			case port.Ask:
				if m.Method != "export" {
					w.t.Fatalf("%+v", m)
				}
				of, sent, generation = int(m.ID), 0, w.generation
			case port.Pull:
				pulled = pulled || int(m.ID) == of // the page pulls once more before it learns of the end
			}
		}
		if !pulled {
			return times
		}
		if at != nil {
			at(times)
		}
		if times++; w.generation != generation {
			w.in <- port.Answer{ID: uint32(of), Error: port.ErrReloaded.Error()}
			continue
		}
		var rows []map[string]any
		for ; len(rows) < exportRows && sent < total; sent++ {
			rows = append(rows, map[string]any{"key": fmt.Sprint("a/p", sent), "cells": []string{"a", fmt.Sprint("p", sent), "=1+1"}})
		}
		doc, _ := json.Marshal(map[string]any{"total": total, "columns": []map[string]any{{"name": "Namespace"}, {"name": "Name"}, {"name": "Status"}}, "rows": rows})
		w.in <- port.Chunk{ID: uint32(of), Data: doc}
		if sent == total {
			w.in <- port.Answer{ID: uint32(of)}
			of = 0
		}
	}
}

// TestExport collects all rows in chunks, with updates paused, and writes each row once, in order.
func TestExport(t *testing.T) {
	const total = 3*exportRows + 7
	for as, read := range map[string]func(text string) (lines [][]string){
		tools.AsCSV: func(text string) [][]string {
			lines, err := csv.NewReader(strings.NewReader(text)).ReadAll()
			if err != nil || len(lines) == 0 || strings.Join(lines[0], ",") != "Namespace,Name,Status" {
				t.Errorf("%v, %v", lines, err)
			}
			return lines[1:]
		},
		tools.AsJSON: func(text string) (lines [][]string) {
			var rows []map[string]string
			if err := json.Unmarshal([]byte(text), &rows); err != nil {
				t.Error(err)
			}
			for _, r := range rows {
				lines = append(lines, []string{r["Namespace"], r["Name"], "'" + r["Status"]})
			}
			return lines
		},
	} {
		t.Run(as, func(t *testing.T) {
			onPage(t, "/pods", func(t *testing.T, w *tab) {
				w.live()
				w.takeSent()
				w.Act("export", as)
				if looks := w.page.list.Asked(); !looks.Paused {
					t.Error("what is exported may change meanwhile")
				}
				if n := w.rows(total, nil); n != 4 {
					t.Errorf("%d chunks", n)
				}
				if got, want := w.notice(), fmt.Sprintf("%d rows exported as %s.", total, strings.ToUpper(as)); got != want || w.page.list.Asked().Paused {
					t.Errorf("%q, paused: %v", got, w.page.list.Asked().Paused)
				}
				name, text, _ := strings.Cut(w.screen.saved, "\n")
				if !strings.HasPrefix(name, "pods-20") || !strings.HasSuffix(name, "."+as) {
					t.Errorf("it is called %q", name)
				}
				lines := read(text)
				for i, line := range lines {
					if want := fmt.Sprintf("[a p%d '=1+1]", i); fmt.Sprint(line) != want {
						t.Fatalf("row %d is %v", i, line)
					}
				}
				if len(lines) != total {
					t.Errorf("%d rows", len(lines))
				}
			})
		})
	}
}

// TestExportBegins checks that an export shows its progress before the first rows arrive.
func TestExportBegins(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.sleep(redrawEvery)
		before := w.redrawn.Load()
		w.Act("export", tools.AsCSV)
		w.sleep(redrawEvery)
		if got := w.notice(); !strings.HasPrefix(got, "Exporting: 0 of ") || w.redrawn.Load() == before {
			t.Errorf("%q, drawn %v", got, w.redrawn.Load() > before)
		}
	})
}

// TestExportEnds checks that nothing is saved if the query changes meanwhile.
func TestExportEnds(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(w *tab)
		said string
	}{
		"another filter": {func(w *tab) { w.Typed("filter", "x") }, "Nothing was exported: the view changed. Try again."},
		"another kind":   {func(w *tab) { w.Act(ui.GoTo, "nodes") }, "Nothing was exported: the view changed. Try again."},
		"a kind, late":   {func(w *tab) { w.Act(ui.GoTo, "nodes"); w.generation++ }, "Nothing was exported: the view changed. Try again."}, // the hub has its list already
		"another list":   {func(w *tab) { w.generation++ }, "Nothing was exported: the list was reloaded. Try again."},
		"stopped":        {func(w *tab) { w.Act("stop", "") }, "Export stopped. No file was saved."},
	} {
		t.Run(name, func(t *testing.T) {
			onPage(t, "/pods", func(t *testing.T, w *tab) {
				w.live()
				w.Act("export", tools.AsCSV)
				n := w.rows(5*exportRows, func(n int) {
					if n == 1 {
						c.do(w)
					}
				})
				if got := w.notice(); n != 2 || got != c.said || w.screen.saved != "" || w.page.list.Asked().Paused {
					t.Errorf("%q after %d chunks; saved %q; paused: %v", got, n, w.screen.saved, w.page.list.Asked().Paused)
				}
			})
		})
	}
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live()
		w.Act("export", tools.AsJSON)
		synctest.Wait()
		w.in <- port.Answer{ID: 1, Error: "nothing has loaded yet"}
		if got := w.notice(); got != "Nothing was exported: the worker said: nothing has loaded yet." {
			t.Error(got)
		}
		w.Act("export", tools.AsJSON)
		synctest.Wait()
		if w.Act("export", tools.AsCSV); w.page.share.Exporting() != tools.AsJSON {
			t.Error("two at once")
		}
		w.Act("stop", "")
		w.in <- port.Answer{ID: 2}
	})
}

// TestExportPast checks that an export in the past is of one moment: playing stops before it begins, and it ends if the user
// goes elsewhere.
func TestExportPast(t *testing.T) {
	inPast(t, "/pods", func(t *testing.T, w *tab, of remembered) {
		w.sendPatch(w.window(w.page.list.Asked()))
		w.Act(past.MovePast, "-1800")
		w.arrive(of)
		w.Act(past.PlayPast, "")
		w.arrive(of)
		if w.Act("export", tools.AsCSV); w.page.past.Playing() || w.page.share.Exporting() != "" {
			t.Error("it begins while the moment moves")
		}
		w.arrive(of)
		if w.page.share.Exporting() == "" {
			t.Fatal("it does not begin once playing has stopped")
		}
		w.Act(past.MovePast, "-60")
		if got := w.notice(); w.page.share.Exporting() != "" || got != "Nothing was exported: the view changed. Try again." {
			t.Error(got)
		}
	})
}

// TestExportPastLost checks that no export of now begins if the past was lost before playing had stopped.
func TestExportPastLost(t *testing.T) {
	inPast(t, "/pods", func(t *testing.T, w *tab, of remembered) {
		w.sendPatch(w.window(w.page.list.Asked()))
		w.Act(past.MovePast, "-1800")
		w.arrive(of)
		w.Act(past.PlayPast, "")
		w.arrive(of)
		w.Act("export", tools.AsCSV)
		w.in <- port.Reset{}
		synctest.Wait()
		if w.page.share.Exporting() != "" {
			t.Error("it begins")
		}
	})
}

// TestExportStale checks that an export of rows that may be out of date says so.
func TestExportStale(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live().setSource(port.Source{Resource: "pods", State: "stale", Synced: true})
		w.Act("export", tools.AsCSV)
		w.rows(1, nil)
		if got := w.notice(); got != "1 row exported as CSV. The list was not live: stale." {
			t.Error(got)
		}
	})
}

// TestExportProblems checks that an export says which parts of the query are not in force.
func TestExportProblems(t *testing.T) {
	onPage(t, "/pods?q=cpu>500m&l=app+in+(&sort=-CPU", func(t *testing.T, w *tab) {
		w.live()
		w.page.list.Window().Problems = view.Problems{{Text: "there is no field here"}, {Part: view.PartLabels, Text: "the label selector: oops", InForce: "app=a"}, {Part: view.PartSort, Text: "can't sort by CPU: no such column"}}
		w.Act("export", tools.AsCSV)
		w.rows(1, nil)
		if got := w.notice(); got != "1 row exported as CSV. There is no field here. No filter is applied. The label selector: oops. Applied: app=a. Can't sort by CPU: no such column." {
			t.Error(got)
		}
	})
}

// TestExportIncomplete checks that an export says what its rows and cells lack, also if that was only loading.
func TestExportIncomplete(t *testing.T) {
	onPage(t, "/pods", func(t *testing.T, w *tab) {
		w.live().setSource(port.Source{ID: "pods", Resource: "pods", State: "live", Synced: true, Unread: 2})
		w.page.list.Window().Columns[0].Gap = view.Gap{Resource: "pods.metrics.k8s.io", State: port.Syncing}
		w.Act("export", tools.AsCSV)
		w.rows(1, nil)
		if got := w.notice(); got != "1 row exported as CSV. Incomplete: Metrics: loading. Incomplete: Pods: 2 objects can't be read." {
			t.Error(got)
		}
	})
}

// TestCommand checks the kubectl command that comes closest to the view.
func TestCommand(t *testing.T) {
	for address, want := range map[string]struct{ text, unsaid string }{
		"/pods":           {"kubectl get pods -A", ""},
		"/pods?n=a":       {"kubectl get pods -n a", ""},
		"/pods?n=a,b":     {"kubectl get pods -A", "namespaces a, b"},
		"/pods?q=ns:a":    {"kubectl get pods -n a", ""},
		"/pods?q=ns:a,b":  {"kubectl get pods -A", "filter ns:a,b"},
		"/pods?q=!ns:a":   {"kubectl get pods -A", "filter !ns:a"},
		"/pods?q=ns:a*,b": {"kubectl get pods -A", "filter ns:a*,b"},
		"/deployments.apps?n=a&l=app=web&sort=Name": {"kubectl get deployments.apps -n a -l app=web --sort-by .metadata.name", ""},
		"/pods?l=a+in+(b,c),!d":                     {"kubectl get pods -A -l 'a in (b,c),!d'", ""},
		"/pods?l=a+in+(":                            {"kubectl get pods -A", "labels a in ("},
		"/pods?q=-l+app=web&l=x=y":                  {"kubectl get pods -A -l x=y,app=web", ""},
		"/pods?q=-l+app=web+crash":                  {"kubectl get pods -A", "filter -l app=web crash"},
		"/pods?q=node:N7+crash":                     {"kubectl get pods -A --field-selector spec.nodeName=n7", "filter crash"},
		"/pods?q=node:%3Cnone%3E":                   {"kubectl get pods -A --field-selector spec.nodeName=", ""},
		"/pods?q=name:%3Cnone%3E":                   {"kubectl get pods -A", "filter name:<none>"},
		"/pods?q=ns:\"*\"":                          {"kubectl get pods -A", `filter ns:"*"`},
		"/events":                                   {"kubectl get events -A", "sorting by Last Seen"},
		"/services?q=node:n7":                       {"kubectl get services -A", "filter node:n7"},
		"/pods?q=name:web-1+node:n1":                {"kubectl get pods -A --field-selector metadata.name=web-1,spec.nodeName=n1", ""},
		"/pods?q=node:n1+or+x":                      {"kubectl get pods -A", "filter node:n1 or x"},
		"/pods?sort=-Age":                           {"kubectl get pods -A --sort-by .metadata.creationTimestamp", ""},
		"/pods?sort=Age":                            {"kubectl get pods -A --sort-by .metadata.creationTimestamp", "sort direction"},
		"/pods?sort=-Name":                          {"kubectl get pods -A --sort-by .metadata.name", "sort direction"},
		"/pods?sort=Status":                         {"kubectl get pods -A", "sorting by Status"},
		"/pods?cols=wide":                           {"kubectl get pods -A -o wide", ""},
		"/pods?cols=wide,label.app,label.x/y:90":    {"kubectl get pods -A -o wide -L app,x/y", ""},
		"/pods?cols=Name,Node,{.spec.priority}":     {"kubectl get pods -A", "columns Name, Node, {.spec.priority}"},
		"/pods?q=exit:OOMKilled+last-restart<1h":    {"kubectl get pods -A", "filter exit:OOMKilled last-restart<1h"},
		"/pods?cols=Name,Exit&sort=Last+Restart":    {"kubectl get pods -A", "sorting by Last Restart; columns Name, Exit"},
		"/services?q=endpoints=0":                   {"kubectl get services -A", "filter endpoints=0"},
		"/pods?l='; rm -rf ~ #":                     {"kubectl get pods -A", "labels '; rm -rf ~ #"},
		"/pods?n=$(reboot)":                         {"kubectl get pods -n '$(reboot)'", ""},
		"/pods?n=it's":                              {"", ""},
		"/pods?n=\\'$(reboot)":                      {"", ""},
		"/pods?n=a%1b[201~b":                        {"", ""},
		"/--kubeconfig=evil":                        {"", ""},
		"/a;b":                                      {"", ""},

		"/roles.rbac.authorization.k8s.io?q=name:MyRole": {"kubectl get roles.rbac.authorization.k8s.io -A", "filter name:MyRole"},
	} {
		g := pageStates()["live"]
		path, rest, _ := strings.Cut(address, "?")
		g.address = route.Parse("", path, strings.ReplaceAll(rest, ";", "%3B"))
		c := g.ListCommand()
		if got := strings.Join(c.Unsaid, "; "); c.Text != want.text || c.Text != "" && got != want.unsaid {
			t.Errorf("%s\nis  %s (%s)\nnot %s (%s)", address, c.Text, got, want.text, want.unsaid)
		}
	}
	g := pageStates()["of no namespace"]
	g.address = route.Address{Resource: "nodes", Namespaces: []string{"a"}}
	g.state.Proxy = &wire.Welcome{Context: "prod", Reach: []string{"--context=prod eu", "--cluster=staging"}}
	if got := g.ListCommand().Text; got != `kubectl get nodes "--context=prod eu" --cluster=staging` {
		t.Error(got)
	}
}

// TestLinkOfThisMachine checks that the link of a page on a loopback address says that it works on this machine
// only, and offers the recording instead.
func TestLinkOfThisMachine(t *testing.T) {
	for origin, local := range map[string]bool{
		"http://127.0.0.1:7101": true, "http://127.8.0.1": true, "http://[::1]:80": true, "http://localhost:7101": true, "https://wg.localhost": true,
		"https://watch.example.com": false, "http://192.168.1.2:7101": false, "https://localhost.example.com": false, "": false,
	} {
		g := still(func(g *page) { g.origin = origin; g.share.Show("", "") })
		all := parts(t, g.share.Draw())
		if got := find(t, all, "id", "local").attrs["hidden"] != "true"; got != local {
			t.Errorf("%s: says so: %v", origin, got)
		}
		if find(t, all, "data-action", string(ui.SaveRecording)).tag != "button" {
			t.Error("no recording is offered")
		}
	}
}

// TestCopy copies the link to the clipboard, or shows it if that fails.
func TestCopy(t *testing.T) {
	onPage(t, "/pods?n=a&sel=a/p1", func(t *testing.T, w *tab) {
		w.live()
		w.press("Y")
		if got := w.notice(); got != "Link copied. It works on this machine only." {
			t.Error(got)
		}
		w.want("copy http://127.0.0.1:4000/pods?n=a&sel=a/p1")
		w.Act("copy-command", "")
		w.want("copy kubectl get pods -n a")
		if got := w.notice(); got != "Command copied."+currentContext {
			t.Error(got)
		}
		w.Act(ui.GoTo, "--token=x")
		w.Act("copy-command", "")
		if got := w.notice(); got != "No kubectl command: not a valid kubectl resource name." {
			t.Error(got)
		}
		w.Moved("/pods", "?n=a&sel=a/p1")
		w.screen.takeCalls()
		w.screen.blocked = true
		w.press("Y")
		if got := w.notice(); !strings.Contains(got, "The browser blocked copying") {
			t.Error(got)
		}
		w.want("focus link")
		if link := find(t, draw(t, w.page), "id", "link"); link.attrs["value"] != "http://127.0.0.1:4000/pods?n=a&sel=a/p1" {
			t.Errorf("%v", link.attrs)
		}
	})
}
