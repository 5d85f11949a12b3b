package compare

import (
	"encoding/json"
	"slices"
	"strings"

	"watchglass/internal/detail"
	"watchglass/web/route"
	"watchglass/web/tab"
	"watchglass/web/ui"
)

// Tab shows the object beside another one: the one that is marked.
type Tab struct {
	tab.Base
	host    Host // the same as in Base, with what this tab alone needs
	browser Browser
	asked   detail.CompareOptions // of the last request
	shown   *detail.ObjectPair    // nil until it has arrived
	whole   []string              // fields whose values are shown in full
	always  bool                  // what always differs is shown
	typedIn string                // the namespace in the field
	reach   map[string]string     // contexts: reaching, reached, or why they can't be
}

// The actions of the tab.
const (
	choose       ui.Action = "compare-with"  // value: RESOURCE:KEY, then CONTEXT if it is another, in lines: go-app trims attributes
	chooseTyped  ui.Action = "compare-in"    // with the object of that name in the namespace in the field
	showWhole    ui.Action = "compare-whole" // value: path
	toggleAlways ui.Action = "compare-fold"  // shows what always differs
	Swap         ui.Action = "compare-flip"  // swaps the sides
	CopyAll      ui.Action = "compare-copy"  // as text
	Connect      ui.Action = "compare-allow" // value: context
)

// namespaceField is the field for a namespace.
const namespaceField = "compare-namespace"

// New returns the tab.
func New(h Host, b Browser) *Tab {
	return &Tab{Base: tab.Base{Host: h}, host: h, browser: b}
}

// Commands returns what can be done in the tab.
func (t *Tab) Commands() []ui.Command {
	return []ui.Command{
		{ID: Swap, Keys: []string{"s"}, Title: "Swap sides", Do: func() { t.host.Navigate(false, func(a *route.Address) { a.Flip = !a.Flip }) }},
		{ID: CopyAll, Keys: []string{"C"}, Title: "Copy comparison", Do: t.copyAll},
		{ID: chooseTyped, Keys: []string{"Enter"}, In: namespaceField, Do: t.chooseTyped},
		{Keys: []string{"Escape"}, In: namespaceField, Do: t.focus},
		{ID: choose, Run: t.choose},
		{ID: showWhole, Run: t.showWhole},
		{ID: Connect, Run: t.connect},
		{ID: toggleAlways, Do: func() { t.always = !t.always; t.host.Redraw() }},
	}
}

// Open shows nothing until the comparison has arrived.
func (t *Tab) Open() { t.shown, t.whole, t.always, t.typedIn = nil, nil, false, "" }

// Close forgets the comparison. What is known of contexts stays.
func (t *Tab) Close() { t.shown = nil }

// Typed handles the field for a namespace.
func (t *Tab) Typed(field, value string) bool {
	if field == namespaceField {
		t.typedIn = strings.TrimSpace(value)
	}
	return field == namespaceField
}

// OnDetail shows the comparison.
func (t *Tab) OnDetail(doc []byte) bool {
	shows := new(detail.ObjectPair)
	if json.Unmarshal(doc, shows) != nil {
		return false // impossible: the worker is ours
	}
	t.shown = shows
	return true
}

// other returns the object to compare with. There is none while the open object is the marked one.
func (t *Tab) other() (route.Object, bool) {
	with := t.host.Marked()
	return with, with.Name != "" && with != t.this()
}

// this returns the open object. An address may have a short name of its kind.
func (t *Tab) this() route.Object {
	of := t.host.Subject()
	if id := t.host.State().Source.ID; id != "" && !t.host.Address().Mixed() {
		of.Resource = id
	}
	return route.Object{Resource: of.Resource, Namespace: of.Namespace, Name: of.Name}
}

// Options returns what the worker is asked. It is asked to connect to another context only once the
// user has allowed that, since the context may run a program.
func (t *Tab) Options() any {
	with, ok := t.other()
	o := detail.CompareOptions{Whole: t.whole, Places: !ok}
	switch {
	case !ok || with.Context != "" && (t.host.State().Proxy == nil || t.host.Contexts().Framed):
	case with.Context != "" && t.reach[with.Context] == "" && t.browser.Trusts(with.Context):
		t.connect(with.Context)
	case with.Context == "" || t.reach[with.Context] == reached:
		o.With, o.Context = with.Ref(), with.Context
	}
	if t.asked.With != o.With || t.asked.Context != o.Context {
		t.shown = nil // it is of other objects
	}
	t.asked = o
	return o
}

// choose compares with an object that was chosen in the tab. The user has chosen its context, too.
func (t *Tab) choose(value string) {
	text, context, _ := strings.Cut(value, "\n")
	with := route.ParseObject(text, context)
	if context != "" && t.reach[context] != reached {
		t.connect(context)
	}
	t.host.Mark(with)
	t.focus()
}

// chooseTyped compares with the object of the same name in the namespace in the field, or of another
// name: NAMESPACE/NAME.
func (t *Tab) chooseTyped() {
	with := t.this()
	namespace, name, two := strings.Cut(t.typedIn, "/")
	if two {
		with.Name = name
	}
	if with.Namespace = namespace; namespace != "" && with.Name != "" {
		t.choose(with.String())
	}
}

// showWhole shows the value of a field in full.
func (t *Tab) showWhole(path string) {
	t.whole = append(slices.Clone(t.whole), path)
	t.host.Follow()
}

// focus moves the focus to the tab.
func (t *Tab) focus() { t.host.Browser().Focus("tab-" + route.CompareID) }
