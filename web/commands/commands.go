package commands

import (
	"slices"
	"strconv"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/quote"
	"watchglass/web/dialog"
	"watchglass/web/kubectl"
	"watchglass/web/ui"
)

// The actions.
const (
	Take      ui.Action = "take-command" // value: index
	PickShell ui.Action = "shell"        // value: name
)

// Commands offers the kubectl commands for the object that keys act on, and has the shell that they are quoted for.
type Commands struct {
	host     Host
	browser  Browser
	dialogs  *dialog.Dialogs
	quoteFor quote.Shell // shell to quote commands for
}

// New returns the commands of a page, for the shell that the browser remembers.
func New(h Host, b Browser, d *dialog.Dialogs) *Commands {
	return &Commands{host: h, browser: b, dialogs: d, quoteFor: recalledShell(b)}
}

// Shell returns the shell that commands are quoted for.
func (cs *Commands) Shell() quote.Shell { return cs.quoteFor }

// Commands returns what can be done with the kubectl commands.
func (cs *Commands) Commands() []ui.Command {
	return []ui.Command{
		{ID: ui.Commands, Keys: []string{"x"}, Title: "Show kubectl commands", Do: cs.show, Offer: ui.Always, OfTarget: true},
		{ID: Take, Run: cs.copyAt, KeepsDialog: true},
		{ID: PickShell, Run: cs.pickShell, KeepsDialog: true},
		{ID: ui.CopyText, Run: func(text string) { cs.host.Copy(text, "Copied: "+text+cs.host.Caution()) }},
	}
}

// show opens the dialog with the object's commands.
func (cs *Commands) show() {
	of := cs.host.Target()
	all := kubectl.Commands(of, cs.quoteFor)
	if len(all) == 0 {
		cs.host.Notify("No kubectl commands here. Select an object first.")
		return
	}
	cs.dialogs.Show(commandDialog{cs: cs, subject: of, commands: all}, "commands")
}

// copyAt copies one of the commands shown, and closes the dialog then.
func (cs *Commands) copyAt(value string) {
	d, open := cs.dialogs.Open().(commandDialog)
	at, err := strconv.Atoi(value)
	if !open || err != nil || at < 0 || at >= len(d.commands) || d.commands[at].Refused != "" {
		return
	}
	text := d.commands[at].Text()
	cs.dialogs.Hide()
	cs.host.Copy(text, "Copied: "+text+cs.host.Caution())
}

// commandDialog is the dialog with the commands for an object. It is immutable.
type commandDialog struct {
	dialog.Base
	cs       *Commands
	subject  kubectl.Object
	commands []kubectl.Command // to choose from
}

// OnKey copies the command of a key.
func (d commandDialog) OnKey(k ui.Key) func() {
	if k.Command || k.Typing {
		return nil
	}
	at := slices.IndexFunc(d.commands, func(c kubectl.Command) bool { return c.Key == k.Name && c.Refused == "" })
	if at < 0 {
		return nil
	}
	return func() { d.cs.copyAt(strconv.Itoa(at)) }
}

// doingWords are the labels of commands that do more than read.
var doingWords = map[kubectl.Doing]struct{ tone, text string }{
	kubectl.Reads:    {"", ""},
	kubectl.Modifies: {"warning", "modifies the cluster"},
	kubectl.Destroys: {"failed", "destructive"},
}

// Draw draws the dialog.
func (d commandDialog) Draw() app.UI {
	var items []app.UI
	for i, c := range d.commands {
		if c.Refused != "" {
			continue
		}
		var words []app.UI
		for _, w := range c.Words {
			words = append(words, app.Span().Text(w), app.Text(" "))
		}
		items = append(items, app.Button().Class("command").DataSet("action", Take).DataSet("value", strconv.Itoa(i)).Attr("aria-keyshortcuts", c.Key).Body(
			app.Elem("kbd").Text(c.Key), app.Span().Class("name").Text(c.Title),
			app.Span().Class("does").DataSet("tone", doingWords[c.Does].tone).Text(doingWords[c.Does].text),
			app.Elem("code").Body(words[:len(words)-1]...),
		))
	}
	refused, title := kubectl.Refusals(d.commands), d.subject.Tool()+" commands"
	return app.Div().ID("commands").TabIndex(-1).Class("help commands").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", title).Body(
		app.H1().Text(title),
		app.P().Class("dim").Text("Watchglass is read-only: press a key to copy a command, then run it yourself. Replace words in capitals."+d.cs.host.Caution()),
		d.cs.DrawShells(),
		app.P().ID("refused").Class("said").DataSet("tone", "warning").Attr("role", "status").Hidden(refused == "").Text(refused),
		app.Div().Class("offers").Body(items...),
		ui.Way(ui.Leave, "Close"),
	)
}

// Offers returns the commands for the open object, as entries of the palette.
func (cs *Commands) Offers() []ui.Offer {
	of, open := cs.host.OpenObject()
	if !open {
		return nil
	}
	var all []ui.Offer
	for _, c := range kubectl.Commands(of, cs.quoteFor) {
		if c.Refused != "" {
			continue
		}
		all = append(all, ui.Offer{Action: ui.CopyText, Value: c.Text(), Text: of.Tool() + ": " + c.Title, Hint: of.Name})
	}
	return all
}
