package web

import (
	"strings"
	"testing"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/port"
	"watchglass/web/past"
	"watchglass/web/route"
)

// alonePage returns a page at /a/ whose hub answers nothing.
func alonePage(s *screen, query string) *Page {
	near, far := port.Pipe()
	go func() {
		for range far.Receive() {
		}
	}()
	return NewPage(near, s, route.BaseOf("/a/"), "/a/", query, func() {})
}

// TestStartWithoutCluster holds that a page without a cluster asks for a file, whatever its hub says of connections.
func TestStartWithoutCluster(t *testing.T) {
	s := &screen{kept: make(map[string]string), alone: true}
	p := alonePage(s, "?view=/pods")
	p.locked(func(g *page) {
		g.past.Start()
		g.onState(port.State{Source: port.Source{Resource: "pods", State: port.Offline}})
		if g.address.Resource != "pods" {
			t.Errorf("the address is of %s", g.address.Resource)
		}
		text := app.HTMLString(g.past.DrawStart())
		for _, part := range []string{"Open a recording", "choose-recording"} {
			if !strings.Contains(text, part) {
				t.Errorf("the start screen lacks %q: %s", part, text)
			}
		}
	})
	if calls := s.takeCalls(); !strings.Contains(calls, "state start Watchglass") || strings.Contains(calls, "offline") {
		t.Error(calls)
	}
}

// TestStartAgain holds that the published recording can be opened again after it was closed.
func TestStartAgain(t *testing.T) {
	s := &screen{kept: make(map[string]string), alone: true, fetches: true}
	p := alonePage(s, "")
	f := &fakeFile{name: "prod.watchglass"}
	p.Fetched(f.name, f, "")
	p.locked(func(g *page) {
		g.receive(port.Past{Recorded: &port.RecordingInfo{Cluster: "prod"}})
		g.receive(port.Past{})
		again := find(t, parts(t, g.past.DrawStart()), "data-action", string(past.OpenFetched))
		if again.text != "Open prod.watchglass" || again.attrs["hidden"] == "true" {
			t.Errorf("%+v", again)
		}
		if g.Act(past.OpenFetched, ""); !strings.Contains(app.HTMLString(g.past.DrawFile()), "prod.watchglass") {
			t.Error("it is not opened again")
		}
	})
}

// TestStartFetches holds that a page says why it can't read the recording that was published with it, and
// still opens another.
func TestStartFetches(t *testing.T) {
	s := &screen{kept: make(map[string]string), alone: true, fetches: true}
	p := alonePage(s, "")
	text := func() (out string) {
		p.locked(func(g *page) { out = app.HTMLString(g.past.DrawStart()) + app.HTMLString(g.past.DrawFile()) })
		return out
	}
	if !strings.Contains(text(), "Loading recording") {
		t.Error(text())
	}
	p.Fetched("prod.watchglass", nil, "the web server answers 404 for prod.watchglass")
	for _, part := range []string{"Open a recording", "Can&#39;t open prod.watchglass", "The web server answers 404"} {
		if !strings.Contains(text(), part) && !strings.Contains(text(), strings.ReplaceAll(part, "&#39;", "'")) {
			t.Errorf("the page lacks %q: %s", part, text())
		}
	}
	p.locked(func(g *page) {
		g.receive(port.Past{Recorded: &port.RecordingInfo{Cluster: "prod"}})
		if g.past.Empty() {
			t.Error("the start screen covers the recording")
		}
		g.receive(port.Past{})
		if !g.past.Empty() {
			t.Error("nothing shows after the recording was closed")
		}
	})
}
