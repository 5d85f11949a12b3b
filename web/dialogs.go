package web

import (
	"cmp"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/web/kubectl"
	"watchglass/web/tools"
	"watchglass/web/ui"
)

type dialogKind uint8

const (
	keepDialog dialogKind = iota
	renameDialog
	shareDialog
	whoDialog
	commandsDialog
	recordDialog
	inspectorDialog
)

// dialog is the open dialog. It is immutable.
type dialog struct {
	kind    dialogKind
	of      string // view to be renamed
	name    string // current text of the name field
	message string // error message
	// first is the initial text of the name field. The field is drawn with it because
	// drawing lags behind typing.
	first    string
	subject  kubectl.Object    // of the commands dialog
	commands []kubectl.Command // to choose from
}

// takes reports whether the dialog handles a key. It also takes the page's shortcuts, so that
// nothing behind it reacts. The browser handles all other keys, such as Tab.
func (d *dialog) takes(k ui.Key) bool {
	if k.Name == "Escape" || d.saves(k) || d.command(k) >= 0 {
		return true
	}
	action, _ := ActionOf(k)
	return action != ui.NoAction
}

func (d *dialog) saves(k ui.Key) bool {
	return (d.kind == keepDialog || d.kind == renameDialog) && k.Name == "Enter" && k.Typing && !k.Command
}

// dialogs is the part with the open dialog, if any.
type dialogs struct {
	*page
	open atomic.Pointer[dialog] // written with the lock
}

func (ds *dialogs) Actions() map[ui.Action]func(string) { return nil }

// typed sets the name of a view in the dialog.
func (ds *dialogs) typed(text string) {
	if d := ds.open.Load(); d != nil {
		next := *d
		next.name, next.message = text, ""
		ds.open.Store(&next)
		ds.redraw()
	}
}

// press handles a key while a dialog is open.
func (ds *dialogs) press(k ui.Key) {
	switch d := ds.open.Load(); {
	case k.Name == "Escape":
		ds.hide()
	case d.saves(k):
		ds.views.save()
	case d.command(k) >= 0:
		ds.commands.copyAt(strconv.Itoa(d.command(k)))
	}
}

// inDialog are the actions that leave a dialog open.
var inDialog = map[ui.Action]bool{SaveView: true, CopyLink: true, CopyCommand: true, Export: true, StopExport: true, ExportViews: true, ImportViews: true, TakeCommand: true, PickShell: true, RecordFrom: true, RecordChoice: true, RecordKind: true, RecordIn: true, RecordLog: true, RecordLogs: true, WriteFile: true, CopyInspector: true}

func (ds *dialogs) show(d dialog, focus string) {
	ds.notices.hide()
	ds.closeOverlays()
	ds.help.open = false
	ds.columns.Close()
	ds.open.Store(&d)
	ds.redraw()
	ds.browser.Focus(focus)
}

func (ds *dialogs) hide() {
	if ds.open.Swap(nil) != nil {
		ds.redraw()
		ds.browser.Focus("grid")
	}
}

// draw draws the open dialog.
func (ds *dialogs) draw() app.UI {
	switch {
	case ds.open.Load() == nil:
		return app.Div().Hidden(true)
	case ds.open.Load().kind == shareDialog:
		return ds.share.draw()
	case ds.open.Load().kind == whoDialog:
		return ds.session.draw()
	case ds.open.Load().kind == commandsDialog:
		return ds.commands.draw()
	case ds.open.Load().kind == recordDialog:
		return ds.recorder.draw()
	case ds.open.Load().kind == inspectorDialog:
		return ds.inspector.draw()
	}
	title, save := "Save view", "Save"
	if ds.open.Load().kind == renameDialog {
		title, save = "Rename “"+ds.open.Load().of+"”", "Rename"
	}
	message, tone := ds.open.Load().message, "failed"
	name := strings.TrimSpace(ds.open.Load().name)
	if _, there := tools.ViewNamed(ds.views.saved, name); message == "" && there && name != ds.open.Load().of {
		message, tone = "A view with this name exists and will be replaced.", "warning"
		save = "Replace"
	}
	return app.Div().ID("keep").Class("help keep").Attr("role", "dialog").Attr("aria-modal", "true").Attr("aria-label", title).Body(
		app.H1().Text(title),
		app.Input().ID("view-name").Type("text").DataSet("field", "view-name").Value(ds.open.Load().first).MaxLength(tools.LongestName).Attr("aria-label", "View name").
			Attr("aria-describedby", "view-said").Attr("autocomplete", "off").Attr("spellcheck", "false"),
		app.P().ID("view-said").Class("said").DataSet("tone", tone).Attr("role", "status").Text(message),
		app.Div().Class("facts").Body(ds.views.facts()...),
		app.Div().Class("ways").Body(
			app.Button().Class("way main").DataSet("action", SaveView).Text(save),
			ui.Way(ui.Leave, "Cancel"),
		),
	)
}

// facts lists what a view contains.
func (v *views) facts() []app.UI {
	a, kind := v.address, v.here()
	if k, ok := tools.ViewNamed(v.saved, v.dialogs.open.Load().of); ok {
		a = k.Parse("")
		kind = a.Resource
	}
	sorted := a.Sort
	if a.Descending {
		sorted += ", descending"
	}
	var all []app.UI
	for _, fact := range []struct{ name, value string }{
		{"Kind", v.sidebar.kindName(kind)}, {"Namespaces", cmp.Or(strings.Join(a.Namespaces, ", "), "all")},
		{"Labels", a.Labels}, {"Filter", a.Filter}, {"Sorted by", sorted}, {"Columns", a.Columns},
	} {
		if fact.value != "" {
			all = append(all, app.Div().Class("fact").Body(app.Span().Class("dim").Text(fact.name), app.Span().Text(fact.value)))
		}
	}
	return append(all, app.P().Class("dim").Text("The context and the selected row are not saved. The view opens in the current context."))
}
