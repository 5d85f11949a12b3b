package web

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"
)

type dialogKind uint8

const (
	keepDialog dialogKind = iota
	renameDialog
	shareDialog
	whoDialog
	commandsDialog
)

// dialog is the one that is open. It is immutable.
type dialog struct {
	kind dialogKind
	of   string // the view that gets another name
	name string // as it stands in the field
	said string // what was wrong
	// first is what stood in the field at first. The field is drawn with it: what is
	// drawn is behind what is typed.
	first    string
	subject  subject         // of the commands
	commands []objectCommand // to choose from
}

// takes reports whether a key is for the dialog, or for nobody: what is behind it
// stays as it is. All others are the browser's, so that Tab and Enter go through
// what stands in it.
func (d *dialog) takes(k Key) bool {
	if k.Name == "Escape" || d.saves(k) || d.command(k) >= 0 {
		return true
	}
	action, _ := ActionOf(k)
	return action != NoAction
}

func (d *dialog) saves(k Key) bool {
	return (d.kind == keepDialog || d.kind == renameDialog) && k.Name == "Enter" && k.Typing && !k.Command
}

// dialogKey does what a key does while a dialog is open.
func (p *Page) dialogKey(k Key) {
	switch d := p.dialog.Load(); {
	case k.Name == "Escape":
		p.closeDialog()
	case d.saves(k):
		p.saveView()
	case d.command(k) >= 0:
		p.takeCommand(strconv.Itoa(d.command(k)))
	}
}

// inDialog are the actions that leave a dialog open.
var inDialog = map[Action]bool{SaveView: true, CopyLink: true, CopyCommand: true, Export: true, StopExport: true, ExportViews: true, ImportViews: true, TakeCommand: true, PickShell: true}

func (p *Page) openDialog(d dialog, focus string) {
	p.sheet, p.help = "", false
	p.chooser.Store(nil)
	p.dialog.Store(&d)
	p.redraw()
	p.browser.Focus(focus)
}

func (p *Page) closeDialog() {
	if p.dialog.Swap(nil) != nil {
		p.redraw()
		p.browser.Focus("grid")
	}
}

// Modal reports that what is behind a dialog is out of reach. It waits for nothing.
func (p *Page) Modal() bool { return p.dialog.Load() != nil || p.palette.Load() != nil }

// drawDialog draws the dialog that is open.
func (g sight) drawDialog() app.UI {
	switch {
	case g.dialog == nil:
		return app.Div().Hidden(true)
	case g.dialog.kind == shareDialog:
		return g.drawShare()
	case g.dialog.kind == whoDialog:
		return g.drawWho()
	case g.dialog.kind == commandsDialog:
		return g.drawCommands()
	}
	title, save := "Keep this view", "Save"
	if g.dialog.kind == renameDialog {
		title, save = "Rename “"+g.dialog.of+"”", "Rename"
	}
	said, tone := g.dialog.said, "failed"
	name := strings.TrimSpace(g.dialog.name)
	if _, there := named(g.views, name); said == "" && there && name != g.dialog.of {
		said, tone = "There is a view of this name: it is replaced.", "warning"
		save = "Replace"
	}
	return app.Div().ID("keep").Class("help keep").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", title).Body(
		app.H1().Text(title),
		app.Input().ID("view-name").Type("text").DataSet("field", "view-name").Value(g.dialog.first).MaxLength(longestName).Attr("aria-label", "Name of the view").
			Attr("aria-describedby", "view-said").Attr("autocomplete", "off").Attr("spellcheck", "false"),
		app.P().ID("view-said").Class("said").DataSet("tone", tone).Attr("role", "status").Text(said),
		app.Div().Class("facts").Body(g.facts()...),
		app.Div().Class("ways").Body(
			app.Button().Class("way main").DataSet("action", SaveView).Text(save),
			app.Button().Class("way").DataSet("action", Leave).Text("Cancel"),
		),
	)
}

// facts are what is in a view.
func (g sight) facts() []app.UI {
	a, kind := g.address, g.here()
	if k, ok := named(g.views, g.dialog.of); ok {
		a = k.address("")
		kind = a.Resource
	}
	sorted := a.Sort
	if a.Descending {
		sorted += ", descending"
	}
	var all []app.UI
	for _, fact := range []struct{ name, value string }{
		{"Kind", g.kindName(kind)}, {"Namespaces", cmp.Or(strings.Join(a.Namespaces, ", "), "all")},
		{"Labels", a.Labels}, {"Filter", a.Filter}, {"Sorted by", sorted}, {"Columns", a.Columns},
	} {
		if fact.value != "" {
			all = append(all, app.Div().Class("fact").Body(app.Span().Class("dim").Text(fact.name), app.Span().Text(fact.value)))
		}
	}
	return append(all, app.P().Class("dim").Text("Not the context: it opens in the one on screen. Not the row that is selected."))
}

// notice is a short word on what was done, which goes by itself.
type notice struct {
	text   string
	action Action // that may be taken on it
	label  string
	number int // of all notices
}

// noticeFor is how long a notice stands.
const noticeFor = 8 * time.Second

func (p *Page) say(n notice) {
	n.number = p.notice.number + 1
	p.notice = n
	p.redraw()
	time.AfterFunc(noticeFor, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.notice.number == n.number {
			p.notice = notice{number: n.number}
			p.redraw()
		}
	})
}

func (g sight) drawNotice() app.UI {
	var body []app.UI
	if g.notice.text != "" {
		body = append(body, app.Span().Text(g.notice.text))
		if g.notice.action != NoAction {
			body = append(body, app.Button().Class("way").DataSet("action", g.notice.action).Text(g.notice.label))
		}
	}
	return app.Div().ID("notice").Class("notice").Attr("role", "status").Body(body...)
}
