package web

import (
	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail/yaml"
	"watchglass/web/ui"
)

// start is the screen of a page without a cluster until a recording is open.
type start struct {
	*page
	alone   bool // the page has no cluster
	fetches bool // the published recording is loading
	fetched File // that recording; nil if there is none
}

// OpenFetched opens the published recording again, after it was closed.
const OpenFetched ui.Action = "open-fetched"

func (s *start) Actions() map[ui.Action]func(string) {
	return map[ui.Action]func(string){OpenFetched: ui.IgnoreValue(func() { s.past.openFile(s.fetched) })}
}

// startState is the document's state while nothing is open.
const startState = "start"

// chooseID is the ID of the button that chooses a file.
const chooseID = "choose-recording"

// on reports whether the start screen is shown.
func (s *start) on() bool { return s.alone && s.past.report.Recorded == nil }

// begin shows the start screen.
func (s *start) begin() {
	if s.on() {
		s.showState()
		s.browser.Focus(chooseID)
	}
}

// Fetched opens the recording that was published with the page, or shows why it can't be read.
func (p *Page) Fetched(name string, f File, failed string) {
	p.locked(func(g *page) {
		fetches := g.start.fetches
		g.start.fetches = false
		if failed == "" {
			if g.start.fetched = f; fetches { // else the hub has shown it already
				g.past.openPublished(f)
			}
			return
		}
		g.past.file = &openedFile{File: unread(name), failed: failed}
		g.redraw()
	})
}

// unread is a file that could not be fetched: only its name is known.
type unread string

func (u unread) Name() string                      { return string(u) }
func (unread) Size() int                           { return 0 }
func (unread) Read(int, int, func([]byte, string)) {}

func (s *start) draw() app.UI {
	if !s.on() {
		return app.Div().Class("start").Hidden(true)
	}
	title, again := "Open a recording", ""
	if s.fetched != nil {
		again = "Open " + yaml.Visible(cut(s.fetched.Name()))
	}
	if s.fetches {
		title = "Loading recording…"
	}
	return app.Div().Class("start").Attr("role", "main").Body(
		app.H1().Text(title),
		app.P().Text("Drop a .watchglass file here, or choose one."),
		app.Button().ID(chooseID).Class("way").DataSet("action", OpenRecording).Text("Choose file…"),
		ui.Way(OpenFetched, again).Hidden(again == ""),
		app.P().Class("dim").Text("The file stays in this browser."),
	)
}
