package web

import (
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"
)

// link is the address of the view on screen, for somebody else. Nothing in it lets
// anybody in: the launch token is never in an address, nor is a session.
func (g sight) link() string { return g.origin + g.address.String(thePage.base) }

// copyLink and copyCommand hand a text to the clipboard.
func (p *Page) copyLink() {
	p.copy(p.origin+p.address.String(p.base), "The link is copied.", "link")
}

func (p *Page) copyCommand() {
	c := p.sight().command()
	if c.text == "" {
		p.say(notice{text: c.none()})
		return
	}
	p.copy(c.text, "The command is copied.", "command")
}

// copy hands a text to the clipboard, or shows it selected in its field where the
// browser does not let it.
func (p *Page) copy(text, said, field string) {
	p.browser.Copy(text, func(copied bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if copied {
			p.say(notice{text: said})
			return
		}
		p.openDialog(dialog{kind: shareDialog}, field)
		p.say(notice{text: "The browser does not let the page copy. It is selected: copy it by hand."})
	})
}

// none says that there is no command, and why.
func (c command) none() string { return "No kubectl command: " + c.refused + "." }

// drawShare draws what can be taken away of what is on screen.
func (g sight) drawShare() app.UI {
	c := g.command()
	rows := number(g.window.Total, !g.panelled())
	return app.Div().ID("share").Class("help share").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", "Share and export").Body(
		app.H1().Text("Share and export"),
		app.H2().Text("Link to this view"),
		app.Div().Class("copied").Body(
			app.Input().ID("link").Type("text").ReadOnly(true).Value(g.link()).Attr("aria-label", "Link to this view"),
			app.Button().ID("copy-link").Class("way main").DataSet("action", CopyLink).Text("Copy link"),
		),
		app.H2().Text("The nearest in kubectl"),
		g.drawShells(),
		app.P().ID("refused").Class("said").DataSet("tone", "warning").Attr("role", "status").Hidden(c.refused == "").Text(c.none()),
		app.Div().Class("copied").Hidden(c.text == "").Body(
			app.Input().ID("command").Type("text").ReadOnly(true).Value(c.text).Attr("aria-label", "kubectl command"),
			app.Button().Class("way").DataSet("action", CopyCommand).Text("Copy command"),
		),
		app.P().ID("unsaid").Class("dim").Hidden(c.text == "" || len(c.unsaid) == 0).Text("No kubectl equivalent for: "+strings.Join(c.unsaid, "; ")+"."),
		app.H2().Text("Rows that match, as on screen"),
		app.Div().Class("ways").Body(
			app.Button().Class("way").DataSet("action", Export).DataSet("value", asCSV).Text("Export as CSV"),
			app.Button().Class("way").DataSet("action", Export).DataSet("value", asJSON).Text("Export as JSON"),
			app.Span().Class("dim").Text(rows),
		),
		app.H2().Text("Kept views"),
		app.Div().Class("ways").Body(
			app.Button().Class("way").DataSet("action", ExportViews).Hidden(len(g.views) == 0).Text("Export "+viewCount(len(g.views))),
			app.Label().Class("way").For("import").Body(
				app.Input().ID("import").Type("file").Accept(".json,application/json").Attr("aria-label", "Import views from a file"),
				app.Span().Text("Import views"),
			),
		),
		app.P().ID("share-said").Class("said").DataSet("tone", "failed").Attr("role", "status").Text(g.dialog.said),
		app.Button().Class("way").DataSet("action", Leave).Text("Close"),
	)
}

// take does what takes something of what is on screen away.
func (p *Page) take(action Action, value string) {
	switch action {
	case Star:
		p.star(value)
	case Share:
		p.openDialog(dialog{kind: shareDialog}, "copy-link")
	case CopyLink:
		p.copyLink()
	case CopyCommand:
		p.copyCommand()
	case Export:
		p.startExport(value)
	case StopExport:
		if p.export != nil {
			p.endExport("The export was stopped: nothing was saved.")
		}
	}
}
