package commands

import (
	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/quote"
	"watchglass/web/kubectl"
)

// recalledShell returns the shell to quote commands for: the one last chosen in this browser,
// else the platform's default.
func recalledShell(b Browser) quote.Shell {
	if s, ok := quote.Named(b.Recall("shell")); ok {
		return s
	}
	if b.Windows() {
		return quote.PowerShell
	}
	return quote.Sh
}

// pickShell sets the shell that commands are quoted for.
func (cs *Commands) pickShell(name string) {
	s, ok := quote.Named(name)
	if !ok {
		return
	}
	cs.quoteFor = s
	cs.browser.Remember("shell", name)
	if d, open := cs.dialogs.Open().(commandDialog); open {
		d.commands = kubectl.Commands(d.subject, s)
		cs.dialogs.Replace(d)
	}
	cs.host.Redraw()
}

// DrawShells offers the shells to quote commands for.
func (cs *Commands) DrawShells() app.UI {
	var all []app.UI
	for _, s := range quote.Shells() {
		all = append(all, app.Button().Class("shape").DataSet("action", PickShell).DataSet("value", string(s)).Attr("aria-pressed", s == cs.quoteFor).Text(s.Title()))
	}
	return app.Div().Class("ways shells").Attr("role", "group").Attr("aria-label", "Shell").Body(
		app.Span().Class("dim").Text("Quoted for"), app.Div().Class("ways").Body(all...))
}
