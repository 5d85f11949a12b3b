package web

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"watchglass/internal/sorting"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// savedView is a saved view.
type savedView struct {
	Name string `json:"name"`
	// Address is a view's address below the base; see route.Address.View.
	Address string `json:"address"`
}

// address returns the view's address in a context.
func (k savedView) address(context string) route.Address {
	path, query, _ := strings.Cut(k.Address, "?")
	a := route.Parse("", path, query)
	a.Context = context
	return a
}

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

const (
	// longestName is the maximum length of a view's name, in characters.
	longestName = 60
	// mostViews is the maximum number of saved views.
	mostViews = 500
)

// checkName returns an error for an invalid view name.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("a view needs a name")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) || name != strings.TrimSpace(name):
		return fmt.Errorf("%q is not a valid view name", name)
	case utf8.RuneCountInString(name) > longestName:
		return fmt.Errorf("the name is longer than %d characters", longestName)
	}
	return nil
}

// viewFile is the format in which views are stored and exported.
type viewFile struct {
	Watchglass string      `json:"watchglass"` // the file's content: viewContent
	Version    int         `json:"version"`
	Views      []savedView `json:"views"`
}

const (
	viewContent = "views"
	viewVersion = 1
)

func writeViews(views []savedView) string {
	doc, _ := json.MarshalIndent(viewFile{viewContent, viewVersion, views}, "", "  ") // strings never fail to encode
	return string(doc) + "\n"
}

// readViews parses a file of views. It returns all of them or an error.
func readViews(text string) ([]savedView, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	var f viewFile
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("not a views file: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("not a views file: unexpected data after the views")
	}
	switch {
	case f.Watchglass != viewContent:
		return nil, errors.New("not a views file")
	case f.Version != viewVersion:
		return nil, fmt.Errorf("the file has version %d; only version %d is supported", f.Version, viewVersion)
	case len(f.Views) > mostViews:
		return nil, fmt.Errorf("the file has more than %d views", mostViews)
	}
	names := make(map[string]bool, len(f.Views))
	for _, k := range f.Views {
		if err := k.check(names); err != nil {
			return nil, err
		}
		names[k.Name] = true
	}
	return f.Views, nil
}

// check returns an error for an invalid view, or one whose name another has.
func (k savedView) check(names map[string]bool) error {
	switch err := checkName(k.Name); {
	case err != nil:
		return err
	case names[k.Name]:
		return fmt.Errorf("%q appears twice", k.Name)
	case k.address("").View().String("") != k.Address:
		return fmt.Errorf("%q has an invalid address: %q", k.Name, k.Address)
	}
	return nil
}

// with adds views to others, sorted by name. A view with the same name is replaced.
func with(views []savedView, more ...savedView) (all []savedView, replaced int) {
	all = slices.DeleteFunc(slices.Clone(views), func(k savedView) bool {
		again := slices.ContainsFunc(more, func(m savedView) bool { return m.Name == k.Name })
		if again {
			replaced++
		}
		return again
	})
	all = append(all, more...)
	sorting.By(all, func(a, b savedView) int {
		if c := strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
	return all, replaced
}

// removed returns the views without the one with a name.
func removed(views []savedView, name string) []savedView {
	return slices.DeleteFunc(slices.Clone(views), func(k savedView) bool { return k.Name == name })
}

// named returns the view with a name.
func named(views []savedView, name string) (savedView, bool) {
	if i := slices.IndexFunc(views, func(k savedView) bool { return k.Name == name }); i >= 0 {
		return views[i], true
	}
	return savedView{}, false
}

// views is the part with the saved views.
type views struct {
	*page
	saved         []savedView // sorted by name; immutable
	unread        unreadViews // stored too
	removed       savedView   // the last one that was removed
	storageFailed bool        // the browser stores nothing
}

func newViews(p *page) *views {
	v := &views{page: p}
	v.recall()
	return v
}

func (v *views) Actions() map[ui.Action]func(string) {
	return map[ui.Action]func(string){
		KeepView: ui.IgnoreValue(v.askName), RenameView: v.askNewName, SaveView: ui.IgnoreValue(v.save), OpenView: v.open, RemoveView: v.remove, Undo: ui.IgnoreValue(v.restore), ExportViews: ui.IgnoreValue(v.export),
		ImportViews: ui.IgnoreValue(func() { v.dialogs.show(dialog{kind: shareDialog}, "import") }),
	}
}

// askName asks for a name for the view on screen.
func (v *views) askName() {
	name := v.suggestedName()
	v.dialogs.show(dialog{kind: keepDialog, name: name, first: name}, "view-name")
}

// askNewName asks for another name for a view; without one for the view on screen.
func (v *views) askNewName(name string) {
	name = cmp.Or(name, v.savedAs())
	if _, ok := named(v.saved, name); ok {
		v.dialogs.show(dialog{kind: renameDialog, of: name, name: name, first: name}, "view-name")
	}
}

// open shows a view.
func (v *views) open(name string) {
	if k, ok := named(v.saved, name); ok {
		v.list.paused = false
		v.goTo(k.address(v.address.Context))
		v.redraw()
	}
}

// export saves all views as a file.
func (v *views) export() {
	v.recall()
	v.browser.Save("watchglass-views.json", "application/json", [][]byte{[]byte(writeViews(v.saved))})
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
	return strings.TrimSpace(string(name[:min(len(name), longestName)]))
}

func printable(r rune) rune {
	if unicode.IsControl(r) || r == utf8.RuneError {
		return -1
	}
	return r
}

// save saves the current view under the name in the dialog, or renames a view.
func (v *views) save() {
	d := v.dialogs.open.Load()
	if d == nil || d.kind == shareDialog {
		return
	}
	name := strings.TrimSpace(d.name)
	v.recall()
	k := savedView{name, v.view()}
	if d.kind == renameDialog {
		if old, ok := named(v.saved, d.of); ok { // another tab may have removed it
			k.Address = old.Address
		}
	}
	err := checkName(name)
	if err == nil && len(v.saved) >= mostViews {
		err = fmt.Errorf("you already have %d saved views, the maximum", mostViews)
	}
	if err != nil {
		next := *d
		next.message = err.Error()
		v.dialogs.show(next, "view-name")
		return
	}
	v.dialogs.hide()
	v.change(func(views []savedView) []savedView {
		if d.kind == renameDialog {
			views = removed(views, d.of)
		}
		all, _ := with(views, k)
		return all
	})
	v.saySaved("“" + name + "” saved.")
}

func (v *views) remove(name string) {
	v.recall()
	k, ok := named(v.saved, name)
	if !ok {
		return
	}
	v.removed = k
	v.change(func(views []savedView) []savedView { return removed(views, name) })
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
	v.removed = savedView{}
	v.change(func(views []savedView) []savedView { all, _ := with(views, k); return all })
	v.saySaved("“" + k.Name + "” restored.")
}

// onImport adds the views of a file; failed says why the file could not be read. A view
// replaces one of the same name.
func (v *views) onImport(text, failed string) {
	more, err := readViews(text)
	if failed != "" {
		err = errors.New(failed)
	}
	v.recall()
	all, replaced := with(v.saved, more...)
	if err == nil && len(all) > mostViews {
		err = fmt.Errorf("the limit is %d saved views", mostViews)
	}
	if err != nil {
		v.dialogs.show(dialog{kind: shareDialog, message: "Nothing was imported: " + err.Error() + "."}, "import")
		return
	}
	v.dialogs.hide()
	v.change(func([]savedView) []savedView { return all })
	said := words.CountOf(len(more), "view") + " imported."
	if replaced > 0 {
		said += " " + words.CountOf(replaced, "view") + " with the same name replaced."
	}
	v.saySaved(said)
}

// change changes and stores the views.
func (v *views) change(change func(views []savedView) []savedView) {
	v.recall()
	v.saved = change(v.saved)
	v.storageFailed = !storeViews(v.browser, v.base, v.saved, v.unread)
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
		v.saved, v.unread = recalledViews(v.browser, v.base)
	}
}
