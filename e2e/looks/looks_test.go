// Package looks takes a picture of every view in every size and theme, and checks each with
// axe. It is no part of make test: make looks runs it.
package looks

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

var dir = flag.String("dir", "", "folder for the pictures (default: a new temporary one)")

// newcomer may see nothing.
var newcomer = cluster.User{Name: "newcomer"}

func TestMain(m *testing.M) {
	if flag.Parse(); os.Getenv("LOOKS") == "" {
		return
	}
	if *dir == "" {
		made, err := os.MkdirTemp("", "looks-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		*dir = made
	}
	fmt.Println("The pictures are in", *dir)
	os.Exit(stage.Main(m, stage.Options{
		Cluster: cluster.Options{Users: []cluster.User{newcomer}},
		Prepare: func(context.Context) error { return os.MkdirAll(*dir, 0o755) },
	}))
}

// look is a size and a theme. Axe checks those of an ordinary screen and of a phone.
type look struct {
	stage.Look
	axe bool
}

func looks() (all []look) {
	for _, size := range []struct {
		width, height int64
		axe           bool
	}{{1400, 900, true}, {390, 844, true}, {3840, 2160, false}} {
		for _, theme := range []string{"light", "dark"} {
			all = append(all, look{stage.Look{Name: theme, Width: size.width, Height: size.height, Feature: "prefers-color-scheme", Value: theme}, size.axe})
		}
	}
	return append(all, look{stage.Look{Name: "forced", Width: 1400, Height: 900, Feature: "forced-colors", Value: "active"}, true})
}

// view is what is looked at: an address of the demo cluster, keys that are pressed one after the
// other, and what is true once the page is ready.
type view struct {
	name    string
	address string
	keys    []string
	ready   string
	open    func(t *testing.T) stage.Eyes // instead of the address
}

// drawn is true once an open object is shown.
const drawn = `(d => !d.hidden && d.dataset.state === "live" && !d.querySelector(".skeleton") && /\w/.test(d.querySelector("#pane").innerText + d.querySelector("#text").innerText))(document.querySelector(".drawer"))`

// past is true once the list is that of a moment of the past.
const past = `document.documentElement.dataset.state === "past" && document.querySelector(".row[data-key]:not([hidden])")`

const pods = "/pods?sort=-Restarts"

var views = []view{
	{name: "list", address: pods, keys: []string{"j"}, ready: `document.querySelector(".row.active")`},
	{name: "summary", address: pods, keys: []string{"j", "1"}, ready: drawn},
	{name: "yaml", address: pods, keys: []string{"j", "2"}, ready: drawn},
	{name: "events", address: "/pods?sort=Age", keys: []string{"j", "3"}, ready: drawn + ` && document.querySelector(".drawer .event")`}, // the youngest have some
	{name: "related", address: pods, keys: []string{"j", "4"}, ready: drawn},
	{name: "logs", address: pods, keys: []string{"j", "5"}, ready: drawn + ` && document.querySelector("#text .line:not([hidden])")`},
	{name: "changes", address: pods, keys: []string{"j", "6"}, ready: drawn},
	{name: "palette", address: pods, keys: []string{":"}, ready: `document.querySelector(".offer[aria-selected=true]")`},
	{name: "columns", address: pods, keys: []string{"c"}, ready: `document.activeElement.id === "add-column"`},
	{name: "share", address: pods + "&n=checkout&q=!status:Running", keys: []string{"e"}, ready: `document.activeElement.id === "copy-link"`},
	{name: "commands", address: pods, keys: []string{"j", "x"}, ready: `document.querySelector("#commands .command")`},
	{name: "help", address: pods, keys: []string{"?"}, ready: `document.querySelector("#help")`},
	{name: "overview", address: "/overview", ready: `document.querySelector(".row[data-key]:not([hidden])")`},
	{name: "timeline", address: "/timeline", ready: `document.documentElement.dataset.state === "live"`},
	{name: "timeline-of-one", address: pods, keys: []string{"j", "9"}, ready: drawn},
	{name: "past", address: pods, open: openPast, ready: past},
	{name: "recording", address: pods, keys: []string{"r", "r"}, ready: `document.querySelector("#recording .said")?.textContent.includes("about")`},
	{name: "replay", open: openReplay, ready: past},
	{name: "inspector", open: openInspector, ready: `document.querySelector("#inspector tbody tr")`},
	{name: "empty", open: openEmpty, ready: `document.querySelector(".panel")?.innerText.includes("There are none")`},
	{name: "no-match", address: "/pods?q=no-such-pod", ready: `document.querySelector(".panel")?.innerText.includes("No matches")`},
	{name: "denied", open: openDenied, ready: `document.querySelector(".panel:not([hidden]) h2")`},
	{name: "stale", open: openStale, ready: `document.documentElement.dataset.state === "stale"`},
}

func demo(t *testing.T) *proxy.Proxy {
	t.Helper()
	return stage.Serve(t, proxy.Options{Kubeconfig: filepath.Join(t.TempDir(), "none"), Args: []string{"--demo", "--demo-seed", "5", "--demo-objects", "4000"}})
}

func openEmpty(t *testing.T) stage.Eyes {
	return stage.Open(t, stage.Serve(t, proxy.Options{}).At("/replicationcontrollers"))
}

// openPast goes to the change before the last.
func openPast(t *testing.T) stage.Eyes {
	e := stage.Synced(t, demo(t).At(pods))
	e.Await(`watchglass.inspect().then(i => i.history.bytes > 0)`) // something has changed
	e.Press(",")
	return e
}

// openReplay opens a recording of a real apiserver that crashed.
func openReplay(t *testing.T) stage.Eyes {
	file, err := filepath.Abs("../replay/testdata/crash.watchglass")
	if err != nil {
		t.Fatal(err)
	}
	p := stage.Serve(t, proxy.Options{Kubeconfig: filepath.Join(t.TempDir(), "none"), Args: []string{"--replay", file}})
	return stage.Open(t, p.At("/pods"))
}

func openInspector(t *testing.T) stage.Eyes {
	e := stage.Synced(t, demo(t).At(pods))
	e.Press("?")
	e.Click("#help [data-action=inspector]")
	return e
}

func openDenied(t *testing.T) stage.Eyes {
	return stage.Open(t, stage.ServeTo(t, newcomer, "default").At("/pods"))
}

func openStale(t *testing.T) stage.Eyes {
	p := demo(t)
	e := stage.Synced(t, p.At(pods), "socket|WebSocket|ERR_CONNECTION_REFUSED")
	e.Must(p.Kill())
	return e
}

// settled is true once nothing moves and the list shows what was asked for.
const settled = `new Promise(next => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(next, 100)))).then(() => document.getAnimations().every(a => a.timeline !== document.timeline) && !document.querySelector("main.list[aria-busy=true]"))`

// TestLooks looks at every view in every look.
func TestLooks(t *testing.T) {
	source := stage.AxeSource(t)
	p := demo(t)
	for _, v := range views {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			if v.open == nil {
				v.open = func(t *testing.T) stage.Eyes { return stage.Synced(t, p.At(v.address)) }
			}
			e := v.open(t)
			for _, key := range v.keys {
				e.Press(key)
			}
			e.Await(v.ready)
			for _, l := range looks() {
				name := fmt.Sprintf("%s-%d-%s", v.name, l.Width, l.Name)
				e.At(l.Look)
				e.Await(settled)
				if picture, err := e.Shot(); err != nil {
					t.Error(err)
				} else if err := os.WriteFile(filepath.Join(*dir, name+".png"), picture, 0o644); err != nil {
					t.Error(err)
				}
				if l.axe {
					e.AxeOf(source, name)
				}
			}
		})
	}
}
