package share

import (
	"net/netip"
	"net/url"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/web/dialog"
	"watchglass/web/tools"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// Share is the part that shares the current view: its link, its kubectl command and its rows.
type Share struct {
	host    Host
	browser Browser
	dialogs *dialog.Dialogs
	dialog.Base
	export  *export // nil if none is running
	message string  // why nothing was imported
}

// New returns a Share, whose dialog is among those of the page.
func New(h Host, b Browser, d *dialog.Dialogs) *Share { return &Share{host: h, browser: b, dialogs: d} }

// Show opens the dialog, with the reason why nothing was imported, if that is so.
func (sh *Share) Show(message, focus string) {
	sh.message = message
	sh.dialogs.Show(sh, focus)
}

// The actions of sharing.
const (
	Open        ui.Action = "share"
	copyLink    ui.Action = "copy-link"
	copyCommand ui.Action = "copy-command"
	exportRows  ui.Action = "export" // value: csv or json
	stopExport  ui.Action = "stop"
)

// Commands returns the commands of sharing.
func (sh *Share) Commands() []ui.Command {
	return []ui.Command{
		{ID: copyLink, Keys: []string{"Y"}, Title: "Copy link", Do: sh.copyLink, Offer: ui.Always, KeepsDialog: true},
		{ID: Open, Keys: []string{"e"}, Title: "Share and export", Do: func() { sh.Show("", "copy-link") }, Offer: ui.Always},
		{ID: copyCommand, Title: "Copy kubectl command", Do: sh.copyCommand, Offer: ui.Always, KeepsDialog: true},
		{ID: exportRows, Value: tools.AsCSV, Title: "Export rows as CSV", Run: sh.startExport, Offer: ui.Always, KeepsDialog: true},
		{ID: exportRows, Value: tools.AsJSON, Title: "Export rows as JSON", Offer: ui.Always},
		{ID: stopExport, Do: sh.stopExport, KeepsDialog: true},
	}
}

// local says that the link leads nowhere from another machine; "" if it may.
func (sh *Share) local() string {
	of, err := url.Parse(sh.host.Origin())
	if err != nil {
		return ""
	}
	host := of.Hostname()
	if ip, err := netip.ParseAddr(host); host != "localhost" && !strings.HasSuffix(host, ".localhost") && (err != nil || !ip.IsLoopback()) {
		return ""
	}
	return " It works on this machine only."
}

// copyLink copies the link.
func (sh *Share) copyLink() { sh.copy(sh.host.Link(), "Link copied."+sh.local(), "link") }

// copyCommand copies the kubectl command.
func (sh *Share) copyCommand() {
	c := sh.host.ListCommand()
	if c.Text == "" {
		sh.host.Notify(c.None())
		return
	}
	said := "Command copied."
	if c.Note != "" {
		said += " " + c.Note
	}
	sh.copy(c.Text, said+sh.host.Caution(), "command")
}

// copy copies a text to the clipboard. If the browser refuses, it selects the text in a field
// of the share dialog.
func (sh *Share) copy(text, message, field string) {
	sh.browser.Copy(text, func(copied bool) {
		sh.host.Locked(func() {
			if copied {
				sh.host.Notify(message)
				return
			}
			sh.Show("", field)
			sh.host.Notify("The browser blocked copying. The text is selected: press Ctrl+C or ⌘C.")
		})
	})
}

// Draw draws the Share and export dialog.
func (sh *Share) Draw() app.UI {
	c := sh.host.ListCommand()
	rows := words.CountOf(sh.host.Window().Total, "row")
	saved, unread := sh.host.SavedViews()
	return app.Div().ID("share").Class("help share").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", "Share and export").Body(
		app.H1().Text("Share and export"),
		app.H2().Text("Link to this view"),
		app.Div().Class("copied").Body(
			app.Input().ID("link").Type("text").ReadOnly(true).Value(sh.host.Link()).Attr("aria-label", "Link to this view"),
			app.Button().ID("copy-link").Class("way main").DataSet("action", copyLink).Text("Copy link"),
		),
		app.Div().ID("local").Class("ways").Hidden(sh.local() == "").Body(
			app.Span().Class("dim").Text("This link works on this machine only. To show others what you see, send a recording."),
			ui.Way(ui.SaveRecording, "Save recording…"),
		),
		app.H2().Text("kubectl command"),
		sh.host.DrawShells(),
		app.P().ID("refused").Class("said").DataSet("tone", "warning").Attr("role", "status").Hidden(c.Refused == "").Text(c.None()),
		app.Div().Class("copied").Hidden(c.Text == "").Body(
			app.Input().ID("command").Type("text").ReadOnly(true).Value(c.Text).Attr("aria-label", "kubectl command"),
			ui.Way(copyCommand, "Copy command"),
		),
		app.P().ID("unsaid").Class("dim").Hidden(c.Text == "" || len(c.Unsaid) == 0).Text("No kubectl equivalent for: "+strings.Join(c.Unsaid, "; ")+"."),
		app.P().ID("command-note").Class("dim").Hidden(c.Text == "" || c.Note == "").Text(c.Note),
		app.P().ID("caution").Class("dim").Hidden(c.Text == "" || sh.host.Caution() == "").Text(sh.host.Caution()),
		app.H2().Text("Matching rows"),
		app.Div().Class("ways").Body(
			ui.Way(exportRows, "Export as CSV").DataSet("value", tools.AsCSV),
			ui.Way(exportRows, "Export as JSON").DataSet("value", tools.AsJSON),
			app.Span().Class("dim").Hidden(sh.host.ShowsPanel()).Text(rows),
		),
		app.H2().Text("Saved views"),
		app.Div().Class("ways").Body(
			ui.Way(ui.ExportViews, "Export "+words.CountOf(saved, "view")).Hidden(saved == 0),
			app.Elem("label").Class("way").Attr("for", "import").Body(
				app.Input().ID("import").Type("file").Accept(".json,application/json").Attr("aria-label", "Import views from a file"),
				app.Span().Text("Import views"),
			),
		),
		app.P().ID("unread-views").Class("dim").Hidden(!unread).Text("Some saved views are from another version of Watchglass and can't be shown. This browser keeps them."),
		app.P().ID("share-said").Class("said").DataSet("tone", "failed").Attr("role", "status").Text(sh.message),
		ui.Way(ui.Leave, "Close"),
	)
}
