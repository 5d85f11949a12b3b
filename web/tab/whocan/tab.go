package whocan

import (
	"encoding/json"
	"slices"

	"watchglass/internal/detail/rbac"
	"watchglass/web/route"
	"watchglass/web/tab"
	"watchglass/web/ui"
)

// The actions of the tab.
const (
	PickVerb    ui.Action = "access-verb"    // value: a name; the same again: all
	Expand      ui.Action = "access-open"    // value: the key of a subject
	ShowBuiltin ui.Action = "access-builtin" // lists Kubernetes' own subjects
	showMore    ui.Action = "access-more"
)

// Field is the field that filters the subjects.
const Field = "access-filter"

// atOnce is how many subjects are drawn at first, and how many more each time.
const atOnce = 100

// openMost is how many subjects may be expanded at once.
const openMost = 20

// columns are the columns of the table.
var columns = []struct {
	name, title string
	verbs       rbac.Verbs
}{
	{"get", "Get", rbac.Get}, {"list", "List", rbac.List}, {"watch", "Watch", rbac.Watch}, {"create", "Create", rbac.Create},
	{"edit", "Edit", rbac.Edit}, {"delete", "Delete", rbac.Remove}, {"exec", "Exec", rbac.Exec}, {"logs", "Logs", rbac.Logs},
}

// state is the state of the tab.
type state struct {
	received bool
	began    string // text of the filter when the tab was opened
	answer   rbac.Answer
	opened   []string // keys of the subjects that are expanded
	builtin  bool
	shown    int // the most subjects to draw
}

// Tab shows who may do something to the object, or to the objects of the kind on screen.
type Tab struct {
	tab.Base
	host  Host // the same as in Base, with what this tab alone needs
	state state
}

// New returns the tab.
func New(h Host) *Tab { return &Tab{Base: tab.Base{Host: h}, host: h} }

// Open shows nothing until the subjects have arrived.
func (t *Tab) Open() {
	t.state = state{shown: atOnce, began: t.host.Address().Access.Text}
}

// Close forgets the subjects.
func (t *Tab) Close() { t.state = state{} }

// Commands returns what can be done in the tab.
func (t *Tab) Commands() []ui.Command {
	return []ui.Command{
		{ID: PickVerb, Run: t.pick},
		{ID: Expand, Run: t.toggle},
		{ID: ShowBuiltin, Do: func() { t.state.builtin = !t.state.builtin; t.ask() }},
		{ID: showMore, Do: func() { t.state.shown += atOnce; t.host.Redraw() }},
	}
}

// Options returns what the worker is asked for.
func (t *Tab) Options() any {
	o := rbac.Options{Text: t.host.Address().Access.Text, Verb: verbsNamed(t.host.Address().Access.Verb), Builtin: t.state.builtin, Open: t.state.opened}
	if t.host.Address().Selected == "" {
		o.Namespaces = t.host.ListNamespaces()
	}
	return o
}

// ask requests the answer again, with other options.
func (t *Tab) ask() {
	t.host.Follow()
	t.host.Redraw()
}

func verbsNamed(name string) rbac.Verbs {
	for _, v := range columns {
		if v.name == name {
			return v.verbs
		}
	}
	return 0
}

// pick shows only who has a verb, or everybody again.
func (t *Tab) pick(name string) {
	t.host.Navigate(true, func(a *route.Address) {
		if a.Access.Verb == name {
			name = ""
		}
		a.Access.Verb = name
	})
}

// toggle expands a subject, or collapses it.
func (t *Tab) toggle(key string) {
	opened := slices.DeleteFunc(slices.Clone(t.state.opened), func(other string) bool { return other == key })
	if len(opened) == len(t.state.opened) {
		opened = append(opened, key)
	}
	t.state.opened = opened[max(len(opened)-openMost, 0):]
	t.ask()
}

// Typed filters the subjects, in the address.
func (t *Tab) Typed(field, value string) bool {
	if field != Field {
		return false
	}
	t.host.NavigateTyped(field, func(a *route.Address) { a.Access.Text = value })
	return true
}

// OnDetail shows the subjects.
func (t *Tab) OnDetail(doc []byte) bool {
	var answer rbac.Answer
	if json.Unmarshal(doc, &answer) != nil {
		return false // impossible: the worker is ours
	}
	t.state.answer, t.state.received = answer, true
	return true
}
