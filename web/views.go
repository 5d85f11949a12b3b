package web

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"watchglass/web/tools"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// view returns the current view's address as it would be saved.
func (v *views) view() string {
	a := v.address.View()
	a.Resource = v.here() // its canonical name, if known
	return a.String("")
}

// savedAs returns the name under which the current view is saved, or "".
func (v *views) savedAs() string {
	here := v.view()
	for _, k := range v.saved {
		if k.Address == here {
			return k.Name
		}
	}
	return ""
}

// views is the part with the saved views.
type views struct {
	*page
	saved         []tools.View // sorted by name; immutable
	unread        tools.Unread // stored too
	removed       tools.View   // the last one that was removed
	storageFailed bool         // the browser stores nothing
}

func newViews(p *page) *views {
	v := &views{page: p}
	v.recall()
	return v
}

func (v *views) Actions() map[ui.Action]func(string) {
	return map[ui.Action]func(string){
		KeepView: ui.IgnoreValue(v.askName), RenameView: v.askNewName, SaveView: ui.IgnoreValue(v.save), OpenView: v.open, RemoveView: v.remove, Undo: ui.IgnoreValue(v.restore), ExportViews: ui.IgnoreValue(v.export),
		ImportViews: ui.IgnoreValue(func() { v.share.show("", "import") }),
	}
}

// askName asks for a name for the view on screen.
func (v *views) askName() {
	name := v.suggestedName()
	v.dialogs.Show(&nameDialog{views: v, name: name, first: name}, "view-name")
}

// askNewName asks for another name for a view; without one for the view on screen.
func (v *views) askNewName(name string) {
	name = cmp.Or(name, v.savedAs())
	if _, ok := tools.ViewNamed(v.saved, name); ok {
		v.dialogs.Show(&nameDialog{views: v, of: name, name: name, first: name}, "view-name")
	}
}

// open shows a view.
func (v *views) open(name string) {
	if k, ok := tools.ViewNamed(v.saved, name); ok {
		v.list.Resume()
		v.goTo(k.Parse(v.address.Context))
		v.redraw()
	}
}

// export saves all views as a file.
func (v *views) export() {
	v.recall()
	v.browser.Save("watchglass-views.json", "application/json", [][]byte{[]byte(tools.WriteViews(v.saved))})
}

// suggestedName returns a name for the current view: its saved name, or one made from its
// kind and query.
func (v *views) suggestedName() string {
	if name := v.savedAs(); name != "" {
		return name
	}
	words := []string{v.sidebar.kindName(v.here())}
	for _, word := range []string{strings.Join(v.address.Namespaces, ","), v.address.Labels, v.address.Filter} {
		if word != "" {
			words = append(words, word)
		}
	}
	name := []rune(strings.Map(printable, strings.Join(words, " · ")))
	return strings.TrimSpace(string(name[:min(len(name), tools.LongestName)]))
}

func printable(r rune) rune {
	if unicode.IsControl(r) || r == utf8.RuneError {
		return -1
	}
	return r
}

// save saves the current view under the name in the dialog, or renames a view.
func (v *views) save() {
	d, open := v.dialogs.Open().(*nameDialog)
	if !open {
		return
	}
	name := strings.TrimSpace(d.name)
	v.recall()
	k := tools.View{Name: name, Address: v.view()}
	if d.of != "" {
		if old, ok := tools.ViewNamed(v.saved, d.of); ok { // another tab may have removed it
			k.Address = old.Address
		}
	}
	err := tools.CheckName(name)
	if err == nil && len(v.saved) >= tools.MostViews {
		err = fmt.Errorf("you already have %d saved views, the maximum", tools.MostViews)
	}
	if err != nil {
		d.message = err.Error()
		v.dialogs.Show(d, "view-name")
		return
	}
	v.dialogs.Hide()
	v.change(func(views []tools.View) []tools.View {
		if d.of != "" {
			views = tools.WithoutView(views, d.of)
		}
		all, _ := tools.WithViews(views, k)
		return all
	})
	v.saySaved("“" + name + "” saved.")
}

func (v *views) remove(name string) {
	v.recall()
	k, ok := tools.ViewNamed(v.saved, name)
	if !ok {
		return
	}
	v.removed = k
	v.change(func(views []tools.View) []tools.View { return tools.WithoutView(views, name) })
	v.browser.Focus("grid")
	v.notices.say(notice{text: "“" + name + "” removed.", action: Undo, label: "Undo"})
}

// restore restores the last removed view.
func (v *views) restore() {
	k := v.removed
	if k.Name == "" {
		v.notices.say(notice{text: "There is no removed view to restore."})
		return
	}
	v.removed = tools.View{}
	v.change(func(views []tools.View) []tools.View { all, _ := tools.WithViews(views, k); return all })
	v.saySaved("“" + k.Name + "” restored.")
}

// onImport adds the views of a file; failed says why the file could not be read. A view
// replaces one of the same name.
func (v *views) onImport(text, failed string) {
	more, err := tools.ReadViews(text)
	if failed != "" {
		err = errors.New(failed)
	}
	v.recall()
	all, replaced := tools.WithViews(v.saved, more...)
	if err == nil && len(all) > tools.MostViews {
		err = fmt.Errorf("the limit is %d saved views", tools.MostViews)
	}
	if err != nil {
		v.share.show("Nothing was imported: "+err.Error()+".", "import")
		return
	}
	v.dialogs.Hide()
	v.change(func([]tools.View) []tools.View { return all })
	said := words.CountOf(len(more), "view") + " imported."
	if replaced > 0 {
		said += " " + words.CountOf(replaced, "view") + " with the same name replaced."
	}
	v.saySaved(said)
}

// change changes and stores the views.
func (v *views) change(change func(views []tools.View) []tools.View) {
	v.recall()
	v.saved = change(v.saved)
	v.storageFailed = !tools.Remember(v.browser, v.base, v.saved, v.unread)
	v.redraw()
}

// saySaved shows a notice, with a warning if the browser could not store the change.
func (v *views) saySaved(text string) {
	if v.storageFailed {
		text += " This browser could not store it, so it is lost when you close the page. The link still contains the current view."
	}
	v.notices.say(notice{text: text})
}

// recall reads the stored views again: another tab may have changed them. It does nothing
// if storage does not work.
func (v *views) recall() {
	if !v.storageFailed {
		v.saved, v.unread = tools.Recall(v.browser, v.base)
	}
}
