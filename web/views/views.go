package views

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"watchglass/web/dialog"
	"watchglass/web/tools"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// Current returns the current view's address as it would be saved.
func (v *Views) Current() string {
	a := v.host.Address().View()
	a.Resource = v.host.Here() // its canonical name, if known
	return a.String("")
}

// SavedAs returns the name under which the current view is saved, or "".
func (v *Views) SavedAs() string {
	here := v.Current()
	for _, k := range v.saved {
		if k.Address == here {
			return k.Name
		}
	}
	return ""
}

// The actions.
const (
	SaveAs ui.Action = "keep" // asks for a name
	Save   ui.Action = "save"
	Undo   ui.Action = "undo"
	Import ui.Action = "import-views"
)

// Views has the views that the user has saved in this browser.
type Views struct {
	host          Host
	browser       Browser
	dialogs       *dialog.Dialogs
	base          string
	saved         []tools.View // sorted by name; immutable
	unread        tools.Unread // stored too
	removed       tools.View   // the last one that was removed
	storageFailed bool         // the browser stores nothing
}

// New returns the views that the browser stores for a base path.
func New(h Host, b Browser, d *dialog.Dialogs, base string) *Views {
	v := &Views{host: h, browser: b, dialogs: d, base: base}
	v.Recall()
	return v
}

// Commands returns the commands of the views.
func (v *Views) Commands() []ui.Command {
	return []ui.Command{
		{ID: SaveAs, Keys: []string{"v"}, Title: "Save view", Do: v.askName, Offer: ui.Always},
		{ID: Undo, Keys: []string{"u"}, Title: "Restore removed view", Do: v.restore, Offer: ui.Always},
		{ID: ui.RenameView, Run: v.askNewName},
		{ID: Save, Do: v.save, KeepsDialog: true},
		{ID: ui.OpenView, Run: v.open},
		{ID: ui.RemoveView, Run: v.remove},
		{ID: Import, Title: "Import views", Do: func() { v.host.ShowImport("") }, Offer: ui.Always, KeepsDialog: true},
		{ID: ui.ExportViews, Title: "Export views", Do: v.export, Offer: func(*ui.Offer) bool { return len(v.saved) > 0 }, KeepsDialog: true},
	}
}

// askName asks for a name for the view on screen.
func (v *Views) askName() {
	name := v.suggestedName()
	v.dialogs.Show(&nameDialog{views: v, name: name, first: name}, "view-name")
}

// askNewName asks for another name for a view; without one for the view on screen.
func (v *Views) askNewName(name string) {
	name = cmp.Or(name, v.SavedAs())
	if _, ok := tools.ViewNamed(v.saved, name); ok {
		v.dialogs.Show(&nameDialog{views: v, of: name, name: name, first: name}, "view-name")
	}
}

// open shows a view.
func (v *Views) open(name string) {
	if k, ok := tools.ViewNamed(v.saved, name); ok {
		v.host.Resume()
		v.host.GoTo(k.Parse(v.host.Address().Context))
		v.host.Redraw()
	}
}

// export saves all views as a file.
func (v *Views) export() {
	v.Recall()
	v.browser.Save("watchglass-views.json", "application/json", [][]byte{[]byte(tools.WriteViews(v.saved))})
}

// suggestedName returns a name for the current view: its saved name, or one made from its
// kind and query.
func (v *Views) suggestedName() string {
	if name := v.SavedAs(); name != "" {
		return name
	}
	a := v.host.Address()
	words := []string{v.host.KindName(v.host.Here())}
	for _, word := range []string{strings.Join(a.Namespaces, ","), a.Labels, a.Filter} {
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
func (v *Views) save() {
	d, open := v.dialogs.Open().(*nameDialog)
	if !open {
		return
	}
	name := strings.TrimSpace(d.name)
	v.Recall()
	k := tools.View{Name: name, Address: v.Current()}
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
	v.SaySaved("“" + name + "” saved.")
}

func (v *Views) remove(name string) {
	v.Recall()
	k, ok := tools.ViewNamed(v.saved, name)
	if !ok {
		return
	}
	v.removed = k
	v.change(func(views []tools.View) []tools.View { return tools.WithoutView(views, name) })
	v.browser.Focus("grid")
	v.host.NotifyWith("“"+name+"” removed.", Undo, "", "Undo")
}

// restore restores the last removed view.
func (v *Views) restore() {
	k := v.removed
	if k.Name == "" {
		v.host.Notify("There is no removed view to restore.")
		return
	}
	v.removed = tools.View{}
	v.change(func(views []tools.View) []tools.View { all, _ := tools.WithViews(views, k); return all })
	v.SaySaved("“" + k.Name + "” restored.")
}

// Import adds the views of a file; failed says why the file could not be read. A view
// replaces one of the same name.
func (v *Views) Import(text, failed string) {
	more, err := tools.ReadViews(text)
	if failed != "" {
		err = errors.New(failed)
	}
	v.Recall()
	all, replaced := tools.WithViews(v.saved, more...)
	if err == nil && len(all) > tools.MostViews {
		err = fmt.Errorf("the limit is %d saved views", tools.MostViews)
	}
	if err != nil {
		v.host.ShowImport("Nothing was imported: " + err.Error() + ".")
		return
	}
	v.dialogs.Hide()
	v.change(func([]tools.View) []tools.View { return all })
	said := words.CountOf(len(more), "view") + " imported."
	if replaced > 0 {
		said += " " + words.CountOf(replaced, "view") + " with the same name replaced."
	}
	v.SaySaved(said)
}

// change changes and stores the views.
func (v *Views) change(change func(views []tools.View) []tools.View) {
	v.Recall()
	v.saved = change(v.saved)
	v.storageFailed = !tools.Remember(v.browser, v.base, v.saved, v.unread)
	v.host.Redraw()
}

// Saved returns the views, sorted by name. They are to be read only.
func (v *Views) Saved() []tools.View { return v.saved }

// Unread reports whether the browser stores views that this version cannot read.
func (v *Views) Unread() bool { return v.unread.Some() }

// Stores reports whether the browser stored what was last saved.
func (v *Views) Stores() bool { return !v.storageFailed }

// NoteStored notes whether the browser stores what is saved.
func (v *Views) NoteStored(stored bool) { v.storageFailed = !stored }

// SaySaved shows a notice, with a warning if the browser could not store the change.
func (v *Views) SaySaved(text string) {
	if v.storageFailed {
		text += " This browser could not store it, so it is lost when you close the page. The link still contains the current view."
	}
	v.host.Notify(text)
}

// Recall reads the stored views again: another tab may have changed them. It does nothing
// if storage does not work.
func (v *Views) Recall() {
	if !v.storageFailed {
		v.saved, v.unread = tools.Recall(v.browser, v.base)
	}
}

// Offers returns palette entries to open, rename and remove the saved views.
func (v *Views) Offers() []ui.Offer {
	var open, change []ui.Offer
	for _, k := range v.saved {
		open = append(open, ui.Offer{Action: ui.OpenView, Value: k.Name, Text: "★ " + k.Name, Hint: "view", Names: []string{strings.ToLower(k.Name), "view " + strings.ToLower(k.Name)}})
		change = append(change,
			ui.Offer{Action: ui.RenameView, Value: k.Name, Text: "Rename view “" + k.Name + "”", Names: []string{"rename " + strings.ToLower(k.Name)}},
			ui.Offer{Action: ui.RemoveView, Value: k.Name, Text: "Remove view “" + k.Name + "”", Names: []string{"remove " + strings.ToLower(k.Name)}})
	}
	return append(open, change...)
}
