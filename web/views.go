package web

import (
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
func (g sight) view() string {
	a := g.address.View()
	a.Resource = g.here() // by its one name, where that is known
	return a.String("")
}

// keptAs is the name of the view on screen, if it is kept.
func (g sight) keptAs() string {
	here := g.view()
	for _, k := range g.views {
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

// actOnViews does what concerns kept views.
func (p *Page) actOnViews(action Action, value string) {
	switch action {
	case KeepView:
		name := p.sight().suggestedName()
		p.openDialog(dialog{kind: keepDialog, name: name, first: name}, "view-name")
	case RenameView:
		if value == "" {
			value = p.sight().keptAs()
		}
		if _, ok := named(p.views, value); ok {
			p.openDialog(dialog{kind: renameDialog, of: value, name: value, first: value}, "view-name")
		}
	case SaveView:
		p.saveView()
	case OpenView:
		if k, ok := named(p.views, value); ok {
			p.rewind()
			p.sheet, p.paused = "", false
			p.visit(true, func(a *Address) { *a = k.address(a.Context) })
			p.fields()
			p.redraw()
		}
	case RemoveView:
		p.removeView(value)
	case Undo:
		p.bringBack()
	case ExportViews:
		p.recallViews()
		p.browser.Save("watchglass-views.json", "application/json", [][]byte{[]byte(writeViews(p.views))})
	case ImportViews:
		p.openDialog(dialog{kind: shareDialog}, "import")
	}
}

// suggestedName is what the view on screen may be called: as it is, or by what is
// in it.
func (g sight) suggestedName() string {
	if name := g.keptAs(); name != "" {
		return name
	}
	words := []string{g.kindName(g.here())}
	for _, word := range []string{strings.Join(g.address.Namespaces, ","), g.address.Labels, g.address.Filter} {
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
func (p *Page) saveView() {
	d := p.dialog.Load()
	if d == nil || d.kind == shareDialog {
		return
	}
	name := strings.TrimSpace(d.name)
	p.recallViews()
	k := keptView{name, p.sight().view()}
	if d.kind == renameDialog {
		if old, ok := named(p.views, d.of); ok { // another tab may have removed it
			k.Address = old.Address
		}
	}
	err := checkName(name)
	if err == nil && len(p.views) >= mostViews {
		err = fmt.Errorf("there are %d views already", mostViews)
	}
	if err != nil {
		next := *d
		next.said = err.Error()
		p.openDialog(next, "view-name")
		return
	}
	p.closeDialog()
	p.changeViews(func(views []keptView) []keptView {
		if d.kind == renameDialog {
			views = removed(views, d.of)
		}
		all, _ := with(views, k)
		return all
	})
	p.sayKept("“" + name + "” is kept.")
}

func (p *Page) removeView(name string) {
	p.recallViews()
	k, ok := named(p.views, name)
	if !ok {
		return
	}
	p.removed = k
	p.changeViews(func(views []keptView) []keptView { return removed(views, name) })
	p.browser.Focus("grid")
	p.say(notice{text: "“" + name + "” is removed.", action: Undo, label: "Undo"})
}

// bringBack undoes the last removal.
func (p *Page) bringBack() {
	k := p.removed
	if k.Name == "" {
		p.say(notice{text: "No view was removed."})
		return
	}
	p.removed = keptView{}
	p.changeViews(func(views []keptView) []keptView { all, _ := with(views, k); return all })
	p.sayKept("“" + k.Name + "” is back.")
}

// Import takes a file of views, or what kept it from being read. Those that are
// there stay, but for those of the same name.
func (p *Page) Import(text, failed string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	more, err := readViews(text)
	if failed != "" {
		err = errors.New(failed)
	}
	p.recallViews()
	all, replaced := with(p.views, more...)
	if err == nil && len(all) > mostViews {
		err = fmt.Errorf("with these there would be more than %d views", mostViews)
	}
	if err != nil {
		p.openDialog(dialog{kind: shareDialog, said: "Nothing was imported: " + err.Error() + "."}, "import")
		return
	}
	p.closeDialog()
	p.changeViews(func([]keptView) []keptView { return all })
	said := viewCount(len(more)) + " imported."
	if replaced > 0 {
		said += " " + viewCount(replaced) + " of the same name replaced."
	}
	p.sayKept(said)
}

func viewCount(n int) string {
	if n == 1 {
		return "1 view"
	}
	return Count(n) + " views"
}

// changeViews keeps other views from now on.
func (p *Page) changeViews(change func(views []keptView) []keptView) {
	p.recallViews()
	p.views = change(p.views)
	p.forgetful = !p.browser.Remember("views"+p.base, writeViews(p.views))
	p.redraw()
}

// sayKept says what was kept, or that it will not last.
func (p *Page) sayKept(text string) {
	if p.forgetful {
		text += " But this browser keeps nothing for the page: that lasts until the page is closed. The address holds the view on screen all the same."
	}
	p.say(notice{text: text})
}

// recallViews takes what is kept by now: another tab may have changed it. A
// browser that keeps nothing is not asked.
func (p *Page) recallViews() {
	if !p.forgetful {
		p.views = recalledViews(p.browser, p.base)
	}
}

// recalledViews are those that the browser keeps, for one base. What is not
// understood is nothing.
func recalledViews(b Browser, base string) []keptView {
	views, _ := readViews(b.Recall("views" + base))
	return views
}

// Stored tells that another tab has kept something.
func (p *Page) Stored() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recallViews()
	p.recallStarred()
	p.redraw()
}
