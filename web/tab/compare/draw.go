package compare

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/detail/diff"
	"watchglass/internal/detail/yaml"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// Draw draws the comparison, or what the object can be compared with.
func (t *Tab) Draw() app.UI {
	with, ok := t.other()
	if !ok {
		return t.drawChoice()
	}
	if with.Context != "" && t.reach[with.Context] != reached {
		return t.drawReach(with.Context)
	}
	var shows detail.ObjectPair
	if t.shown != nil {
		shows = *t.shown
	}
	left, right := t.sides()
	sideLeft, sideRight := shows.Left, shows.Right
	if t.host.Address().Flip {
		sideLeft, sideRight = sideRight, sideLeft
	}
	rows := []app.UI{app.Div().Class("sides").Attr("role", "row").Body(
		app.Span().Class("unseen").Attr("role", "columnheader").Text("Field"),
		t.drawSide(left, sideLeft, t.host.Address().Flip), t.drawSide(right, sideRight, !t.host.Address().Flip))}
	for _, r := range shows.Rows {
		rows = append(rows, t.drawRow(t.flipped(r)))
	}
	return app.Div().Class("compare").Body(
		t.drawBar(shows),
		app.Div().Class("two").Attr("role", "table").Attr("aria-label", "Fields that differ").Body(rows...),
		t.drawRest(shows),
	)
}

// drawBar says how many fields differ, and has the buttons.
func (t *Tab) drawBar(shows detail.ObjectPair) app.UI {
	return app.Div().Class("bar").Body(
		app.Span().ID("compared").Attr("role", "status").Text(t.tally(shows)),
		ui.Way(Swap, "⇄ Swap").Attr("aria-pressed", t.host.Address().Flip).Title(t.host.Tip(Swap, "")),
		ui.Way(CopyAll, "Copy").Disabled(!shows.Known).Title(t.host.Tip(CopyAll, "")),
		ui.Way(ui.Unmark, "Change").Title("Choose another object to compare with"),
	)
}

// tally says how many fields differ. It says nothing of objects that are not known.
func (t *Tab) tally(shows detail.ObjectPair) string {
	n := shows.More
	for _, r := range shows.Rows {
		if r.Kind != detail.SameNow {
			n++
		}
	}
	same := words.Count(shows.Equal) + " equal"
	switch {
	case !shows.Known && (shows.Left.State == "" || shows.Left.State == detail.Loading || shows.Right.State == detail.Loading):
		return "Loading…"
	case !shows.Known:
		return "Can't compare: one of the objects is not available."
	case shows.Short:
		return words.CountOf(n, "different field") + " found · cut short: the objects are too large"
	case n == 0:
		return "No differences · " + same
	case n == 1:
		return "1 field differs · " + same
	}
	return words.Count(n) + " fields differ · " + same
}

// drawSide draws the name of an object, what is wrong with it, and a link unless it is the open one.
func (t *Tab) drawSide(o route.Object, s detail.Side, open bool) app.UI {
	kind := s.Kind
	if kind == "" {
		kind = t.host.KindName(o.Resource)
	}
	called := words.Name(o.Name)
	var name app.UI = app.Elem("strong").Text(called)
	switch {
	case open:
	case o.Context == "":
		name = t.host.Kinds().Link(o.Ref(), called)
	default:
		a := route.Address{Context: o.Context, Resource: o.Resource, Selected: o.Ref().Key()}
		name = app.A().Class("ref").Href(t.host.Href(a)).Text(called)
	}
	where := kind
	if o.Namespace != "" {
		where += " in " + words.Name(o.Namespace)
	}
	if t.host.Marked().Context != "" {
		where += " · " + words.Name(cmp.Or(o.Context, t.host.Contexts().Here))
	}
	where += t.asOf(o)
	state, said := words.ObjectStates[s.State], ""
	if s.State == detail.Loading || s.State == "" {
		state.Title = "Loading…"
	}
	if s.Said != nil {
		said = words.OriginWords[s.Said.Origin] + ": " + yaml.Visible(s.Said.Message)
	}
	return app.Div().Class("side").Attr("role", "columnheader").DataSet("state", s.State).Body(
		app.P().Class("name").Body(name), app.P().Class("dim").Text(where),
		app.P().Class("said").DataSet("tone", state.Tone).Hidden(state.Title == "").Title(said).Text(strings.TrimSuffix(state.Title+" · "+said, " · ")),
	)
}

// asOf says in the past, if the other object is of another context, of which moment a side is: that context shows now.
func (t *Tab) asOf(o route.Object) string {
	switch {
	case !t.host.Moment().Past || t.host.Marked().Context == "":
		return ""
	case o.Context != "":
		return " · now"
	}
	return t.host.AsOf()
}

// drawRow draws a field: its path, and both values or the lines that differ.
func (t *Tab) drawRow(r detail.FieldPair) app.UI {
	lately, glow := "", ""
	if r.At > 0 {
		lately, glow = "changed "+words.ClockTime(r.At), " glow-"+string('0'+rune(r.At&1))
	}
	body := []app.UI{app.Elem("code").Class("path").Attr("role", "rowheader").Body(
		app.Span().Text(yaml.Visible(r.Path)), app.Span().Class("dim lately").Hidden(lately == "").Text(lately))}
	switch {
	case r.Kind == detail.SameNow:
		body = append(body, app.Div().Class("lines dim").Attr("role", "cell").Attr("aria-colspan", 2).Text("Now equal"))
	case len(r.Lines) > 0:
		body = append(body, drawLines(r.Lines))
	default:
		before, left, after := parted(r.Left, r.Right)
		_, right, _ := parted(r.Right, r.Left)
		body = append(body,
			drawValue("was", r.Kind == diff.Added, before, left, after),
			drawValue("is", r.Kind == diff.Removed, before, right, after))
	}
	switch {
	case r.Over:
		body = append(body, app.P().Class("all dim").Attr("role", "cell").Text("Too long to show here. The YAML tab has all of it."))
	case r.Cut:
		body = append(body, app.Span().Class("all").Attr("role", "cell").Body(
			ui.Way(showWhole, "Show all").DataSet("value", r.Path).Attr("aria-label", "Show all of "+r.Path)))
	}
	return app.Div().Class("pair"+glow).Attr("role", "row").DataSet("path", r.Path).DataSet("kind", r.Kind).Body(body...)
}

// drawValue draws a value, in parts: only the middle differs from the other side.
func drawValue(class string, missing bool, before, middle, after string) app.UI {
	if missing {
		return app.Div().Class(class+" none").Attr("role", "cell").Text("not set")
	}
	if before+after == "" {
		return app.Div().Class(class).Attr("role", "cell").Text(yaml.Visible(middle))
	}
	return app.Div().Class(class).Attr("role", "cell").Body(
		app.Span().Text(yaml.Visible(before)), app.Elem("mark").Text(yaml.Visible(middle)), app.Span().Text(yaml.Visible(after)))
}

// partedMost is the length in bytes up to which the equal parts of two values are marked.
const partedMost = 300

// parted splits a value into what it begins with like another one, the rest, and what it ends with
// like the other. It splits nothing unless half of the value is like the other.
func parted(a, b string) (before, middle, after string) {
	if a == "" || b == "" || len(a) > partedMost || len(b) > partedMost {
		return "", a, ""
	}
	from := 0
	for from < len(a) && from < len(b) && a[from] == b[from] {
		from++
	}
	for from > 0 && (from < len(a) && !utf8.RuneStart(a[from]) || from < len(b) && !utf8.RuneStart(b[from])) {
		from--
	}
	end := 0
	for end < len(a)-from && end < len(b)-from && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	for end > 0 && !utf8.RuneStart(a[len(a)-end]) {
		end--
	}
	if 2*(from+end) < min(len(a), len(b)) {
		return "", a, ""
	}
	return a[:from], a[from : len(a)-end], a[len(a)-end:]
}

// drawLines draws the lines of two texts.
func drawLines(lines []diff.Line) app.UI {
	var all []app.UI
	for _, l := range lines {
		text, glyph := yaml.Visible(l.Text), "\u00a0"
		if l.Skip > 0 {
			text, glyph = words.Count(l.Skip)+" more lines", "…"
		} else if l.Kind != "" {
			glyph = words.ChangeGlyphs[l.Kind]
		}
		all = append(all, app.Div().Class("line").DataSet("kind", l.Kind).DataSet("skip", l.Skip > 0).Body(app.Span().Class("glyph").Text(glyph), app.Span().Text(text)))
	}
	return app.Div().Class("lines").Attr("role", "cell").Attr("aria-colspan", 2).Body(all...)
}

// drawRest says what the rows leave out.
func (t *Tab) drawRest(shows detail.ObjectPair) app.UI {
	folded := len(shows.Folded) + shows.MoreFolded
	var rows []app.UI
	for _, r := range shows.Folded {
		rows = append(rows, t.drawRow(t.flipped(r)))
	}
	return app.Div().Class("rest").Body(
		app.P().Class("dim").Hidden(shows.More == 0).Text("And "+words.CountOf(shows.More, "more field")+". Compare the YAML to see all."),
		app.P().Class("dim").Hidden(!shows.Short).Text("The objects are too large to compare in full. Other fields may differ too: compare the YAML."),
		app.P().Class("dim").Hidden(!shows.Secret).Text("The proxy withholds Secret values, so only the names of the data are compared."),
		app.Button().ID("compare-fold").Class("fold").Hidden(folded == 0).DataSet("action", toggleAlways).Attr("aria-expanded", t.always).Text(map[bool]string{true: "1 field that always differs, such as uid", false: words.Count(folded) + " fields that always differ, such as name, uid and times"}[folded == 1]),
		app.If(t.always && folded > 0, app.Div().Class("two").Attr("role", "table").Attr("aria-label", "Fields that always differ").Body(rows...)),
	)
}

// drawReach asks whether to connect to a context, or says why that failed.
func (t *Tab) drawReach(context string) app.UI {
	called := words.Name(context)
	said, button := "This browser has not opened it before. Opening it may run its credential plugin on the machine that runs Watchglass.", "Open "+called
	switch why := t.reach[context]; {
	case t.host.Contexts().Framed:
		said, button = "A frame can't connect to another context.", ""
	case t.host.State().Proxy == nil || why == reaching:
		said, button = "Connecting…", ""
	case why != "":
		said, button = why, "Retry"
	}
	return app.Div().Class("compare choice").Body(
		app.Elem("strong").Text("The marked object is in context "+called), app.P().Attr("role", "status").Text(said),
		app.P().Class("ways").Body(
			app.Button().Class("way").Hidden(button == "").DataSet("action", Connect).DataSet("value", context).Text(button),
			ui.Way(ui.Unmark, "Remove mark")))
}

// drawChoice offers what to compare with.
func (t *Tab) drawChoice() app.UI {
	this, marked := t.this(), t.host.Marked().Name != ""
	title, said, button := "Compare with another object", "Mark this object with =, then open another one and press = again. Or choose:", "= Mark this object"
	if marked {
		title, said, button = "This object is marked", "Open another object and press = to compare the two. Or choose:", "Remove mark"
	}
	body := []app.UI{app.Elem("strong").Text(title), app.P().Text(said),
		app.P().Class("ways").Body(ui.Way(ui.Compare, button))}
	way := func(context, text string, o route.Object) app.UI {
		return ui.Way(choose, text).DataSet("value", o.String()+"\n"+context)
	}
	if this.Namespace != "" {
		var ways []app.UI
		if t.shown != nil && t.shown.Places != nil {
			for _, namespace := range t.shown.Places.Names {
				there := this
				there.Namespace = namespace
				ways = append(ways, way("", namespace, there))
			}
		}
		ways = append(ways, app.Input().ID(namespaceField).Type("text").DataSet("field", namespaceField).Placeholder("Namespace, or namespace/name").Attr("aria-label", "Namespace, or namespace/name").Attr("autocomplete", "off").Attr("spellcheck", "false"),
			ui.Way(chooseTyped, "Compare"))
		body = append(body, app.H3().Text("Same name in namespace"), app.P().Class("dim").Hidden(t.places() == "").Text(t.places()), app.P().Class("ways").Body(ways...))
	}
	var contexts []app.UI
	known := t.host.Contexts()
	for _, name := range known.All {
		if name != known.Here {
			contexts = append(contexts, way(name, name, this))
		}
	}
	if len(contexts) > 0 {
		body = append(body, app.H3().Text("Same name in context"), app.P().Class("ways").Body(contexts...))
	}
	return app.Div().Class("compare choice").Body(body...)
}

// places says what is not known about the namespaces with an object of the same name.
func (t *Tab) places() string {
	if t.shown == nil || t.shown.Places == nil {
		return "Searching…"
	}
	switch p := t.shown.Places; {
	case p.State == detail.Denied:
		return "You can't list this kind in all namespaces. Enter one:"
	case p.State == detail.Loading:
		return "Searching…"
	case p.State == detail.Stale:
		return "May be out of date."
	case p.More > 0:
		return "And " + words.CountOf(p.More, "more namespace") + "."
	case len(p.Names) == 0:
		return "No other namespace has an object of this kind and name."
	}
	return ""
}
