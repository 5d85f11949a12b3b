package past

import (
	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail/yaml"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// OpenFetched opens the published recording again, after it was closed.
const OpenFetched ui.Action = "open-fetched"

// chooseID is the ID of the button that chooses a file.
const chooseID = "choose-recording"

// Empty reports whether there is nothing to show: the page has no cluster, and no recording is open.
func (p *Past) Empty() bool { return p.alone && p.report.Recorded == nil }

// Start shows the start screen, if the page is empty.
func (p *Past) Start() {
	if p.Empty() {
		p.host.ShowState()
		p.browser.Focus(chooseID)
	}
}

// Fetched opens the recording that was published with the page, or shows why it can't be read.
func (p *Past) Fetched(name string, f ui.File, failed string) {
	fetches := p.fetches
	p.fetches = false
	if failed == "" {
		if p.fetched = f; fetches { // else the hub has shown it already
			p.openPublished(f)
		}
		return
	}
	p.file = &openedFile{File: missingFile(name), failed: failed}
	p.host.Redraw()
}

// missingFile is a file that could not be fetched: only its name is known.
type missingFile string

func (m missingFile) Name() string                      { return string(m) }
func (missingFile) Size() int                           { return 0 }
func (missingFile) Read(int, int, func([]byte, string)) {}

// DrawStart draws the screen of an empty page.
func (p *Past) DrawStart() app.UI {
	if !p.Empty() {
		return app.Div().Class("start").Hidden(true)
	}
	title, again := "Open a recording", ""
	if p.fetched != nil {
		again = "Open " + yaml.Visible(words.CutName(p.fetched.Name()))
	}
	if p.fetches {
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
