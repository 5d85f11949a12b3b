package web

import (
	"net/netip"
	"net/url"
	"strings"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/web/dialog"
	"watchglass/web/kubectl"
	"watchglass/web/recording"
	"watchglass/web/tools"
	"watchglass/web/ui"
	"watchglass/web/views"
	"watchglass/web/words"
)

// share is the part that shares the current view: its link, its kubectl command and its rows.
type share struct {
	page *page
	dialog.Base
	export  *export // nil if none is running
	message string  // why nothing was imported
}

// show opens the dialog, with the reason why nothing was imported, if that is so.
func (sh *share) show(message, focus string) {
	sh.message = message
	sh.page.dialogs.Show(sh, focus)
}

// The actions of sharing.
const (
	Share       ui.Action = "share"
	CopyLink    ui.Action = "copy-link"
	CopyCommand ui.Action = "copy-command"
	Export      ui.Action = "export" // value: csv or json
	StopExport  ui.Action = "stop"
)

func (sh *share) Commands() []ui.Command {
	return []ui.Command{
		{ID: CopyLink, Keys: []string{"Y"}, Title: "Copy link", Do: sh.copyLink, Offer: ui.Always, KeepsDialog: true},
		{ID: Share, Keys: []string{"e"}, Title: "Share and export", Do: func() { sh.show("", "copy-link") }, Offer: ui.Always},
		{ID: CopyCommand, Title: "Copy kubectl command", Do: sh.copyCommand, Offer: ui.Always, KeepsDialog: true},
		{ID: Export, Value: tools.AsCSV, Title: "Export rows as CSV", Run: sh.startExport, Offer: ui.Always, KeepsDialog: true},
		{ID: Export, Value: tools.AsJSON, Title: "Export rows as JSON", Offer: ui.Always},
		{ID: StopExport, Do: sh.stopExport, KeepsDialog: true},
	}
}

// link returns the current address to share. It gives no access: it never contains the launch
// token or a session.
func (sh *share) link() string { return sh.page.frame.whole() }

// local says that the link leads nowhere from another machine; "" if it may.
func (sh *share) local() string {
	of, err := url.Parse(sh.page.origin)
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
func (sh *share) copyLink() { sh.copy(sh.link(), "Link copied."+sh.local(), "link") }

// command returns the command for what is on screen.
func (sh *share) command() kubectl.ListCommand {
	of := kubectl.List{
		Address: sh.page.address, Kind: sh.page.Here(), Namespaced: sh.page.state.Source.Namespaced, Limit: sh.page.state.Source.Namespace,
		Helm: sh.page.sidebar.Derived(sh.page.Here()), Reach: sh.page.session.reach(),
	}
	return kubectl.CommandOf(of, sh.page.commands.Shell())
}

// copyCommand copies the kubectl command.
func (sh *share) copyCommand() {
	c := sh.command()
	if c.Text == "" {
		sh.page.notices.say(notice{text: c.None()})
		return
	}
	said := "Command copied."
	if c.Note != "" {
		said += " " + c.Note
	}
	sh.copy(c.Text, said+sh.page.Caution(), "command")
}

// copy copies a text to the clipboard. If the browser refuses, it selects the text in a field
// of the share dialog.
func (sh *share) copy(text, message, field string) {
	sh.page.browser.Copy(text, func(copied bool) {
		sh.page.locked(func() {
			if copied {
				sh.page.notices.say(notice{text: message})
				return
			}
			sh.show("", field)
			sh.page.notices.say(notice{text: "The browser blocked copying. The text is selected: press Ctrl+C or ⌘C."})
		})
	})
}

// Draw draws the Share and export dialog.
func (sh *share) Draw() app.UI {
	c := sh.command()
	rows := words.CountOf(sh.page.list.Window().Total, "row")
	return app.Div().ID("share").Class("help share").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", "Share and export").Body(
		app.H1().Text("Share and export"),
		app.H2().Text("Link to this view"),
		app.Div().Class("copied").Body(
			app.Input().ID("link").Type("text").ReadOnly(true).Value(sh.link()).Attr("aria-label", "Link to this view"),
			app.Button().ID("copy-link").Class("way main").DataSet("action", CopyLink).Text("Copy link"),
		),
		app.Div().ID("local").Class("ways").Hidden(sh.local() == "").Body(
			app.Span().Class("dim").Text("This link works on this machine only. To show others what you see, send a recording."),
			ui.Way(recording.SaveRecording, "Save recording…"),
		),
		app.H2().Text("kubectl command"),
		sh.page.commands.DrawShells(),
		app.P().ID("refused").Class("said").DataSet("tone", "warning").Attr("role", "status").Hidden(c.Refused == "").Text(c.None()),
		app.Div().Class("copied").Hidden(c.Text == "").Body(
			app.Input().ID("command").Type("text").ReadOnly(true).Value(c.Text).Attr("aria-label", "kubectl command"),
			ui.Way(CopyCommand, "Copy command"),
		),
		app.P().ID("unsaid").Class("dim").Hidden(c.Text == "" || len(c.Unsaid) == 0).Text("No kubectl equivalent for: "+strings.Join(c.Unsaid, "; ")+"."),
		app.P().ID("command-note").Class("dim").Hidden(c.Text == "" || c.Note == "").Text(c.Note),
		app.P().ID("caution").Class("dim").Hidden(c.Text == "" || sh.page.Caution() == "").Text(sh.page.Caution()),
		app.H2().Text("Matching rows"),
		app.Div().Class("ways").Body(
			ui.Way(Export, "Export as CSV").DataSet("value", tools.AsCSV),
			ui.Way(Export, "Export as JSON").DataSet("value", tools.AsJSON),
			app.Span().Class("dim").Hidden(sh.page.panel.replacesList()).Text(rows),
		),
		app.H2().Text("Saved views"),
		app.Div().Class("ways").Body(
			ui.Way(views.Export, "Export "+words.CountOf(len(sh.page.views.Saved()), "view")).Hidden(len(sh.page.views.Saved()) == 0),
			app.Elem("label").Class("way").Attr("for", "import").Body(
				app.Input().ID("import").Type("file").Accept(".json,application/json").Attr("aria-label", "Import views from a file"),
				app.Span().Text("Import views"),
			),
		),
		app.P().ID("unread-views").Class("dim").Hidden(!sh.page.views.Unread()).Text("Some saved views are from another version of Watchglass and can't be shown. This browser keeps them."),
		app.P().ID("share-said").Class("said").DataSet("tone", "failed").Attr("role", "status").Text(sh.message),
		ui.Way(ui.Leave, "Close"),
	)
}
