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
)

// keptView is a view that somebody gave a name.
type keptView struct {
	Name string `json:"name"`
	// Address is that of a view, see Address.View, below the base.
	Address string `json:"address"`
}

// View is what of an address a kept view holds: the kind, what is asked of it and
// how it is shown. The context is not in it: the same question is asked of every
// cluster. Nor is the object that is looked at.
func (a Address) View() Address {
	a.Context, a.Selected, a.Tab, a.Container, a.Previous = "", "", "", "", false
	return a
}

// address is where a view is seen, in a context.
func (k keptView) address(context string) Address {
	path, query, _ := strings.Cut(k.Address, "?")
	a := ParseAddress("", path, query)
	a.Context = context
	return a
}

// view is the one on screen, as it would be kept.
func (v *views) view() string {
	a := v.address.View()
	a.Resource = v.here() // by its one name, where that is known
	return a.String("")
}

// keptAs is the name of the view on screen, if it is kept.
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
	// longestName is how many characters the name of a view may have.
	longestName = 60
	// mostViews is how many may be kept.
	mostViews = 500
)

// checkName says what is wrong with the name of a view.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("a view needs a name")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl) || name != strings.TrimSpace(name):
		return fmt.Errorf("%q is no name of a view", name)
	case utf8.RuneCountInString(name) > longestName:
		return fmt.Errorf("the name has more than %d characters", longestName)
	}
	return nil
}

// viewFile is how views are kept, and handed from one person to another.
type viewFile struct {
	Watchglass string     `json:"watchglass"` // what is in the file
	Version    int        `json:"version"`
	Views      []keptView `json:"views"`
}

const (
	viewContent = "views"
	viewVersion = 1
)

func writeViews(views []keptView) string {
	doc, _ := json.MarshalIndent(viewFile{viewContent, viewVersion, views}, "", "  ") // of texts it does not fail
	return string(doc) + "\n"
}

// readViews reads a file of views: all of it, or none.
func readViews(text string) ([]keptView, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	var f viewFile
	if err := d.Decode(&f); err != nil {
		return nil, fmt.Errorf("it is no file of views: %w", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("it is no file of views: something stands behind them")
	}
	switch {
	case f.Watchglass != viewContent:
		return nil, errors.New("it is no file of views")
	case f.Version != viewVersion:
		return nil, fmt.Errorf("it is of version %d, and only version %d is understood", f.Version, viewVersion)
	case len(f.Views) > mostViews:
		return nil, fmt.Errorf("it has more than %d views", mostViews)
	}
	names := make(map[string]bool, len(f.Views))
	for _, k := range f.Views {
		if err := checkName(k.Name); err != nil {
			return nil, err
		}
		if names[k.Name] {
			return nil, fmt.Errorf("%q is in it twice", k.Name)
		}
		names[k.Name] = true
		if k.address("").View().String("") != k.Address {
			return nil, fmt.Errorf("%q has %q, which is no address of a view", k.Name, k.Address)
		}
	}
	return f.Views, nil
}

// with are the views with more of them, by name; one of a name that is there
// already is replaced.
func with(views []keptView, more ...keptView) (all []keptView, replaced int) {
	all = slices.DeleteFunc(slices.Clone(views), func(k keptView) bool {
		again := slices.ContainsFunc(more, func(m keptView) bool { return m.Name == k.Name })
		if again {
			replaced++
		}
		return again
	})
	all = append(all, more...)
	slices.SortFunc(all, func(a, b keptView) int {
		if c := strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
	return all, replaced
}

// removed are the views but for that of a name.
func removed(views []keptView, name string) []keptView {
	return slices.DeleteFunc(slices.Clone(views), func(k keptView) bool { return k.Name == name })
}

// named is the view of a name.
func named(views []keptView, name string) (keptView, bool) {
	if i := slices.IndexFunc(views, func(k keptView) bool { return k.Name == name }); i >= 0 {
		return views[i], true
	}
	return keptView{}, false
}

// views is the saved views.
type views struct {
	*page
	saved     []keptView // by name; never written into
	removed   keptView   // the one that was removed last
	forgetful bool       // the browser stores nothing
}

func newViews(p *page) *views { return &views{page: p, saved: recalledViews(p.browser, p.base)} }

func (v *views) actions() map[Action]func(string) {
	return map[Action]func(string){
		KeepView: does(v.askName), RenameView: v.askNewName, SaveView: does(v.save), OpenView: v.open, RemoveView: v.remove, Undo: does(v.restore), ExportViews: does(v.export),
		ImportViews: does(func() { v.dialogs.show(dialog{kind: shareDialog}, "import") }),
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

// suggestedName is what the view on screen may be called: as it is, or by what is
// in it.
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

// saveView keeps the view on screen by the name in the dialog, or gives one its
// new name.
func (v *views) save() {
	d := v.dialogs.open.Load()
	if d == nil || d.kind == shareDialog {
		return
	}
	name := strings.TrimSpace(d.name)
	v.recall()
	k := keptView{name, v.view()}
	if d.kind == renameDialog {
		if old, ok := named(v.saved, d.of); ok { // another tab may have removed it
			k.Address = old.Address
		}
	}
	err := checkName(name)
	if err == nil && len(v.saved) >= mostViews {
		err = fmt.Errorf("there are %d views already", mostViews)
	}
	if err != nil {
		next := *d
		next.said = err.Error()
		v.dialogs.show(next, "view-name")
		return
	}
	v.dialogs.hide()
	v.change(func(views []keptView) []keptView {
		if d.kind == renameDialog {
			views = removed(views, d.of)
		}
		all, _ := with(views, k)
		return all
	})
	v.saySaved("“" + name + "” is kept.")
}

func (v *views) remove(name string) {
	v.recall()
	k, ok := named(v.saved, name)
	if !ok {
		return
	}
	v.removed = k
	v.change(func(views []keptView) []keptView { return removed(views, name) })
	v.browser.Focus("grid")
	v.notices.say(notice{text: "“" + name + "” is removed.", action: Undo, label: "Undo"})
}

// bringBack undoes the last removal.
func (v *views) restore() {
	k := v.removed
	if k.Name == "" {
		v.notices.say(notice{text: "No view was removed."})
		return
	}
	v.removed = keptView{}
	v.change(func(views []keptView) []keptView { all, _ := with(views, k); return all })
	v.saySaved("“" + k.Name + "” is back.")
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
		err = fmt.Errorf("with these there would be more than %d views", mostViews)
	}
	if err != nil {
		v.dialogs.show(dialog{kind: shareDialog, said: "Nothing was imported: " + err.Error() + "."}, "import")
		return
	}
	v.dialogs.hide()
	v.change(func([]keptView) []keptView { return all })
	said := viewCount(len(more)) + " imported."
	if replaced > 0 {
		said += " " + viewCount(replaced) + " of the same name replaced."
	}
	v.saySaved(said)
}

func viewCount(n int) string {
	if n == 1 {
		return "1 view"
	}
	return Count(n) + " views"
}

// changeViews keeps other views from now on.
func (v *views) change(change func(views []keptView) []keptView) {
	v.recall()
	v.saved = change(v.saved)
	v.forgetful = !v.browser.Remember("views"+v.base, writeViews(v.saved))
	v.redraw()
}

// sayKept says what was kept, or that it will not last.
func (v *views) saySaved(text string) {
	if v.forgetful {
		text += " But this browser keeps nothing for the page: that lasts until the page is closed. The address holds the view on screen all the same."
	}
	v.notices.say(notice{text: text})
}

// recallViews takes what is kept by now: another tab may have changed it. A
// browser that keeps nothing is not asked.
func (v *views) recall() {
	if !v.forgetful {
		v.saved = recalledViews(v.browser, v.base)
	}
}

// recalledViews are those that the browser keeps, for one base. What is not
// understood is nothing.
func recalledViews(b Browser, base string) []keptView {
	views, _ := readViews(b.Recall("views" + base))
	return views
}
