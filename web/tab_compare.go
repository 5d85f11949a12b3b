package web

import (
	"encoding/json"
	"slices"
	"strings"

	"watchglass/internal/detail"
	"watchglass/internal/detail/diff"
	"watchglass/internal/port"
	"watchglass/internal/sorting"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// compareTab shows the object beside another one: the one that is marked.
type compareTab struct {
	tabBase
	asked   detail.CompareOptions // of the last request
	shown   *detail.Compared      // nil until it has arrived
	whole   []string              // fields whose values are shown in full
	always  bool                  // what always differs is shown
	typedIn string                // the namespace in the field
	reach   map[string]string     // contexts: reaching, reached, or why they can't be
}

// What is known of a context.
const (
	reaching = "…"
	reached  = "✓"
)

// The actions of the tab.
const (
	compareWith   ui.Action = "compare-with"   // value: RESOURCE:KEY, then CONTEXT if it is another, in lines: go-app trims attributes
	compareIn     ui.Action = "compare-in"     // with the object of that name in the namespace in the field
	compareWhole  ui.Action = "compare-whole"  // value: path
	compareFold   ui.Action = "compare-fold"   // shows what always differs
	compareFlip   ui.Action = "compare-flip"   // swaps the sides
	compareCopy   ui.Action = "compare-copy"   // as text
	compareAllow  ui.Action = "compare-allow"  // value: context
	compareCancel ui.Action = "compare-cancel" // leaves the field
)

// compareField is the field for a namespace.
const compareField = "compare-namespace"

// compareKeys are the keys of the tab.
var compareKeys = []ui.Binding{
	{Keys: []string{"s"}, Action: compareFlip, Help: "Swap sides", Drawer: true},
	{Keys: []string{"C"}, Action: compareCopy, Help: "Copy comparison", Drawer: true},
	{Keys: []string{"Enter"}, Action: compareIn, Field: compareField, Drawer: true},
	{Keys: []string{"Escape"}, Action: compareCancel, Field: compareField, Drawer: true},
}

func (ct *compareTab) Actions() map[ui.Action]func(string) {
	return map[ui.Action]func(string){
		compareWith: ct.choose, compareWhole: ct.showWhole, compareAllow: ct.connect,
		compareIn: ui.IgnoreValue(ct.chooseTyped), compareCopy: ui.IgnoreValue(ct.copyAll), compareCancel: ui.IgnoreValue(func() { ct.drawer.focusTab() }),
		compareFold: ui.IgnoreValue(func() { ct.always = !ct.always; ct.redraw() }),
		compareFlip: ui.IgnoreValue(func() { ct.visit(false, func(a *route.Address) { a.Flip = !a.Flip }) }),
	}
}

func (ct *compareTab) Open()  { ct.shown, ct.whole, ct.always, ct.typedIn = nil, nil, false, "" }
func (ct *compareTab) Close() { ct.shown = nil }

func (ct *compareTab) Typed(field, value string) bool {
	if field == compareField {
		ct.typedIn = strings.TrimSpace(value)
	}
	return field == compareField
}

func (ct *compareTab) OnDetail(doc []byte) bool {
	shows := new(detail.Compared)
	if json.Unmarshal(doc, shows) != nil {
		return false // impossible: the worker is ours
	}
	ct.shown = shows
	return true
}

// other returns the object to compare with. There is none while the open object is the marked one.
func (ct *compareTab) other() (route.Object, bool) {
	with := ct.marked.object()
	return with, with.Name != "" && with != ct.this()
}

// this returns the open object.
func (ct *compareTab) this() route.Object {
	f := ct.drawer.focus()
	if !ct.address.Mixed() {
		f.Resource = ct.here()
	}
	return route.Object{Resource: f.Resource, Namespace: f.Namespace, Name: f.Name}
}

// Options returns what the worker is asked. It is asked to connect to another context only once the
// user has allowed that, since the context may run a program.
func (ct *compareTab) Options() any {
	with, ok := ct.other()
	o := detail.CompareOptions{Whole: ct.whole, Places: !ok}
	switch {
	case !ok || with.Context != "" && (ct.state.Proxy == nil || ct.frame.on()):
	case with.Context != "" && ct.reach[with.Context] == "" && ct.browser.Trusts(with.Context):
		ct.connect(with.Context)
	case with.Context == "" || ct.reach[with.Context] == reached:
		o.With, o.Context = with.Ref(), with.Context
	}
	if ct.asked.With != o.With || ct.asked.Context != o.Context {
		ct.shown = nil // it is of other objects
	}
	ct.asked = o
	return o
}

// connect lets the worker connect to a context.
func (ct *compareTab) connect(context string) {
	if ct.reach == nil {
		ct.reach = make(map[string]string)
	}
	ct.reach[context] = reaching
	ct.browser.Reach(context, func(why string) {
		ct.locked(func() {
			if ct.reach[context] = reached; why != "" {
				ct.reach[context] = why
			}
			ct.drawer.follow()
			ct.redraw()
		})
	})
	ct.redraw()
}

// renew renews the session in another context.
func (ct *compareTab) renew(context string) {
	ct.browser.Reach(context, func(why string) {
		ct.locked(func() {
			if why == "" {
				ct.port.Send(port.Renewed{Context: context})
				return
			}
			ct.lose(context, why)
		})
	})
}

// lose disconnects from a context whose session is over, and shows why.
func (ct *compareTab) lose(context, why string) {
	if ct.reach[context] != reached {
		return
	}
	ct.reach[context] = why
	ct.drawer.follow()
	ct.redraw()
}

// choose compares with an object that was chosen in the tab. The user has chosen its context, too.
func (ct *compareTab) choose(value string) {
	text, context, _ := strings.Cut(value, "\n")
	with := route.ParseObject(text, context)
	if context != "" && ct.reach[context] != reached {
		ct.connect(context)
	}
	ct.marked.mark(with, true)
	ct.drawer.focusTab()
}

// chooseTyped compares with the object of the same name in the namespace in the field, or of another
// name: NAMESPACE/NAME.
func (ct *compareTab) chooseTyped() {
	with := ct.this()
	namespace, name, two := strings.Cut(ct.typedIn, "/")
	if two {
		with.Name = name
	}
	if with.Namespace = namespace; namespace != "" && with.Name != "" {
		ct.choose(with.String())
	}
}

// showWhole shows the value of a field in full.
func (ct *compareTab) showWhole(path string) {
	ct.whole = append(slices.Clone(ct.whole), path)
	ct.drawer.follow()
}

// flipped returns a row as it is on screen, whichever side the marked object is on.
func (ct *compareTab) flipped(r detail.TwoSided) detail.TwoSided {
	if !ct.address.Flip {
		return r
	}
	swap := func(k diff.Kind) diff.Kind {
		switch k {
		case diff.Added:
			return diff.Removed
		case diff.Removed:
			return diff.Added
		}
		return k
	}
	r.Kind, r.Left, r.Right = swap(r.Kind), r.Right, r.Left
	r.Lines = slices.Clone(r.Lines)
	for i := range r.Lines {
		r.Lines[i].Kind = swap(r.Lines[i].Kind)
	}
	for i := 0; i < len(r.Lines); i++ { // what is removed comes first
		from := i
		for i < len(r.Lines) && r.Lines[i].Kind != "" {
			i++
		}
		sorting.StableBy(r.Lines[from:i], func(a, b diff.Line) int { return -strings.Compare(string(a.Kind), string(b.Kind)) })
	}
	return r
}

// sides returns the names of the objects as they are on screen.
func (ct *compareTab) sides() (left, right route.Object) {
	left, right = ct.marked.object(), ct.this()
	if ct.address.Flip {
		left, right = right, left
	}
	return left, right
}

// copyAll copies the comparison as text, in the form of a unified diff.
func (ct *compareTab) copyAll() {
	if ct.shown == nil || !ct.shown.Known {
		ct.notices.say(notice{text: "Nothing to copy yet."})
		return
	}
	left, right := ct.sides()
	var out strings.Builder
	head := func(mark string, o route.Object) {
		out.WriteString(mark + " " + o.String())
		if o.Context != "" {
			out.WriteString(" in " + o.Context)
		}
		out.WriteString(ct.asOf(o) + "\n")
	}
	head("---", left)
	head("+++", right)
	for _, r := range ct.shown.Rows {
		writeRow(&out, ct.flipped(r))
	}
	if n := ct.shown.More; n > 0 {
		out.WriteString("@@ and " + words.CountOf(n, "more field") + " @@\n")
	}
	if ct.shown.Short {
		out.WriteString("@@ cut short: the objects are too large @@\n")
	}
	ct.copyOut(out.String(), "Comparison copied.")
}

// writeRow writes a row as a part of a unified diff.
func writeRow(out *strings.Builder, r detail.TwoSided) {
	if r.Kind == detail.SameNow {
		return
	}
	out.WriteString("@@ " + r.Path + " @@\n")
	put := func(mark, text string) {
		for line := range strings.SplitSeq(text, "\n") {
			out.WriteString(mark + line + "\n")
		}
	}
	for _, l := range r.Lines {
		switch {
		case l.Skip > 0:
			put("@@ ", words.Count(l.Skip)+" lines @@")
		default:
			put(map[diff.Kind]string{diff.Removed: "-", diff.Added: "+", "": " "}[l.Kind], l.Text)
		}
	}
	if len(r.Lines) > 0 {
		return
	}
	if r.Kind != diff.Added {
		put("-", r.Left)
	}
	if r.Kind != diff.Removed {
		put("+", r.Right)
	}
}
