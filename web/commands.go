package web

import (
	"slices"
	"strconv"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/quote"
	"watchglass/web/dialog"
	"watchglass/web/kubectl"
	"watchglass/web/ui"
)

// commands is the part with the kubectl commands for the object that keys act on.
type commands struct {
	*page
	quoteFor quote.Shell // shell to quote commands for
}

func newCommands(p *page) *commands { return &commands{page: p, quoteFor: recalledShell(p.browser)} }

func (cs *commands) Actions() map[ui.Action]func(string) {
	return map[ui.Action]func(string){
		ui.Commands: ui.IgnoreValue(cs.show), TakeCommand: cs.copyAt, PickShell: cs.pickShell,
		ui.CopyText: func(text string) { cs.copyOut(text, "Copied: "+text+cs.caution()) },
	}
}

// subject returns the open object, or else the active row.
func (cs *commands) subject(active string) kubectl.Object {
	f := cs.drawer.asked
	o := kubectl.Object{Chosen: cs.address.Container, Reach: cs.session.reach()}
	switch {
	case f.Name != "" && cs.drawer.head != nil:
		o.Head = *cs.drawer.head
	case f.Name != "":
		o.Resource, o.Namespace, o.Name = f.Resource, f.Namespace, f.Name
	default:
		of := cs.address.ObjectOf(active)
		if o.Resource, o.Namespace, o.Name = of.Resource, of.Namespace, of.Name; !cs.address.Mixed() {
			o.Resource = cs.here()
		}
	}
	return o
}

// show opens the dialog with the object's commands.
func (cs *commands) show() {
	of := cs.subject(cs.list.target())
	all := kubectl.Commands(of, cs.quoteFor)
	if len(all) == 0 {
		cs.notices.say(notice{text: "No kubectl commands here. Select an object first."})
		return
	}
	cs.dialogs.Show(commandsDialog{cs: cs, subject: of, commands: all}, "commands")
}

// copyAt copies one of the commands shown.
func (cs *commands) copyAt(value string) {
	d, open := cs.dialogs.Open().(commandsDialog)
	at, err := strconv.Atoi(value)
	if !open || err != nil || at < 0 || at >= len(d.commands) || d.commands[at].Refused != "" {
		return
	}
	text := d.commands[at].Text()
	cs.dialogs.Hide()
	cs.copyOut(text, "Copied: "+text+cs.caution())
}

// caution says what commands act on if that may not be what is on screen: the cluster of another
// context, or the cluster as it is now. It is "" if they act on what the page shows.
func (cs *commands) caution() string {
	if len(cs.session.reach()) == 0 {
		return " Runs in your current context: check that it is this cluster." + cs.past.CommandsNow()
	}
	return cs.past.CommandsNow()
}

// commandsDialog lists the commands for an object. It is immutable.
type commandsDialog struct {
	dialog.Base
	cs       *commands
	subject  kubectl.Object
	commands []kubectl.Command // to choose from
}

// Takes takes the keys of the commands.
func (d commandsDialog) Takes(k ui.Key) bool { return d.command(k) >= 0 }

// Press copies the command of a key.
func (d commandsDialog) Press(k ui.Key) { d.cs.copyAt(strconv.Itoa(d.command(k))) }

// Keeps keeps the dialog open when another shell is chosen. Copying closes it, if there is something to copy.
func (d commandsDialog) Keeps(action ui.Action) bool {
	return action == TakeCommand || action == PickShell
}

// command returns the index of the command for a key, or -1.
func (d commandsDialog) command(k ui.Key) int {
	if k.Command || k.Typing {
		return -1
	}
	return slices.IndexFunc(d.commands, func(c kubectl.Command) bool { return c.Key == k.Name && c.Refused == "" })
}

// doingWords are the labels of commands that do more than read.
var doingWords = map[kubectl.Doing]struct{ tone, text string }{
	kubectl.Reads:    {"", ""},
	kubectl.Modifies: {"warning", "modifies the cluster"},
	kubectl.Destroys: {"failed", "destructive"},
}

// Draw draws the dialog.
func (d commandsDialog) Draw() app.UI {
	var items []app.UI
	for i, c := range d.commands {
		if c.Refused != "" {
			continue
		}
		var words []app.UI
		for _, w := range c.Words {
			words = append(words, app.Span().Text(w), app.Text(" "))
		}
		items = append(items, app.Button().Class("command").DataSet("action", TakeCommand).DataSet("value", strconv.Itoa(i)).Attr("aria-keyshortcuts", c.Key).Body(
			app.Elem("kbd").Text(c.Key), app.Span().Class("name").Text(c.Title),
			app.Span().Class("does").DataSet("tone", doingWords[c.Does].tone).Text(doingWords[c.Does].text),
			app.Elem("code").Body(words[:len(words)-1]...),
		))
	}
	refused, title := kubectl.Refusals(d.commands), d.subject.Tool()+" commands"
	return app.Div().ID("commands").TabIndex(-1).Class("help commands").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", title).Body(
		app.H1().Text(title),
		app.P().Class("dim").Text("Watchglass is read-only: press a key to copy a command, then run it yourself. Replace words in capitals."+d.cs.caution()),
		d.cs.drawShells(),
		app.P().ID("refused").Class("said").DataSet("tone", "warning").Attr("role", "status").Hidden(refused == "").Text(refused),
		app.Div().Class("offers").Body(items...),
		ui.Way(ui.Leave, "Close"),
	)
}

// offers returns the commands for the palette.
func (cs *commands) offers() []ui.Offer {
	if cs.drawer.asked.Name == "" {
		return nil
	}
	var all []ui.Offer
	of := cs.subject("")
	for _, c := range kubectl.Commands(of, cs.quoteFor) {
		if c.Refused != "" {
			continue
		}
		all = append(all, ui.Offer{Action: ui.CopyText, Value: c.Text(), Text: of.Tool() + ": " + c.Title, Hint: cs.drawer.asked.Name})
	}
	return all
}
