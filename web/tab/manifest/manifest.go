package manifest

import (
	"strconv"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/detail/yaml"
	"watchglass/internal/wire"
	"watchglass/web/grid"
	"watchglass/web/tab"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// The actions of the tab.
const (
	Find      ui.Action = "yaml-find"
	Next      ui.Action = "yaml-next"
	Before    ui.Action = "yaml-before"
	Fold      ui.Action = "yaml-fold" // value: line; none: the first visible one
	FoldAll   ui.Action = "yaml-fold-all"
	UnfoldAll ui.Action = "yaml-unfold-all"
	Wrap      ui.Action = "yaml-wrap"
	Managed   ui.Action = "yaml-managed"
	Copy      ui.Action = "yaml-copy"
)

// state is the state of the YAML tab. The shell draws the facts; the reader's text is
// painted outside of it.
type state struct {
	reader *yaml.Reader
	facts  facts
}

// facts are what is drawn above the text.
type facts struct {
	detail.YAMLHead
	there    bool // a text was received
	find     string
	hit, all int
	wrap     bool
	managed  bool // managedFields are requested
}

// manifest shows the YAML of the object.
type manifest struct {
	tab.Base
	shown state
}

// New returns the tab.
func New(h tab.Host) tab.Tab { return &manifest{Base: tab.Base{Host: h}} }

func (t *manifest) Open()             { t.shown = state{reader: yaml.NewReader()} }
func (t *manifest) Long() ui.LongText { return text{t.shown.reader} }

// Options asks for managedFields, if they are to be shown.
func (t *manifest) Options() any {
	if t.shown.facts.managed {
		return detail.YAMLOptions{Managed: true}
	}
	return nil
}

func (t *manifest) Fit() {
	t.wrapLines()
	t.Host.Text().Paint()
}

func (t *manifest) Commands() []ui.Command {
	return []ui.Command{
		{ID: Find, Keys: []string{"/"}, Title: "Find in YAML", Do: func() { t.Host.Browser().Focus(findField) }},
		{ID: Next, Keys: []string{"n"}, Title: "Next match", Do: func() { t.showHit(t.shown.reader.Next(1)) }},
		{ID: Before, Keys: []string{"N"}, Title: "Previous match", Do: func() { t.showHit(t.shown.reader.Next(-1)) }},
		{ID: Fold, Keys: []string{"z"}, Title: "Fold or unfold", Run: t.fold},
		{ID: FoldAll, Keys: []string{"-"}, Title: "Fold all", Do: func() { t.foldAll(true) }},
		{ID: UnfoldAll, Keys: []string{"+"}, Title: "Unfold all", Do: func() { t.foldAll(false) }},
		{ID: Wrap, Keys: []string{"w"}, Title: "Wrap long lines", Do: t.toggleWrap},
		{ID: Managed, Keys: []string{"m"}, Title: "Show managedFields", Do: t.toggleManaged},
		{ID: Copy, Keys: []string{"C"}, Title: "Copy YAML", Do: func() { t.Host.Copy(t.shown.reader.Text().Text(), "YAML copied.") }},
		{ID: Next, Keys: []string{"Enter"}, In: findField},
		{Keys: []string{"Escape"}, In: findField, Do: func() { t.Host.Browser().Focus("text") }},
	}
}

// findField is the ID of the search field.
const findField = "yaml-find"

// OnDetail writes a new version as YAML, or keeps the reason why there is none.
func (t *manifest) OnDetail(doc []byte) bool {
	y := &t.shown
	head, object, err := detail.ParseYAML(doc)
	if err != nil {
		return false // impossible: the worker is ours
	}
	before := y.facts.YAMLHead
	y.facts.YAMLHead = head
	if len(object) > 0 {
		if err := y.reader.Show(object, time.Now()); err != nil { // the text is still that of the version before
			y.facts.At, y.facts.Managed = before.At, before.Managed
			y.facts.Said = &wire.Status{Origin: wire.FromTab, Reason: wire.ReasonMalformed, Message: err.Error()}
			return true
		}
		y.facts.there = true
		y.facts.hit, y.facts.all = y.reader.Hits()
		time.AfterFunc(yaml.FreshFor, t.fade)
		t.Host.Text().Paint()
	}
	return true
}

// fade removes the marks of recent changes.
func (t *manifest) fade() {
	t.Host.Locked(func() {
		if y := t.shown; y.reader != nil && y.reader.Fade(time.Now()) {
			t.Host.Text().Paint()
		}
	})
}

// gutterColumns is about how many columns the gutter takes.
const gutterColumns = 10

func (t *manifest) wrapLines() {
	if t.shown.reader == nil {
		return // not open yet
	}
	columns := 0
	if t.shown.facts.wrap && t.Host.Text().Columns() > 0 {
		columns = max(t.Host.Text().Columns()-gutterColumns, gutterColumns)
	}
	t.shown.reader.Wrap(columns)
}

func (t *manifest) foldAll(folded bool) {
	t.shown.reader.FoldAll(folded)
	t.Host.Text().Paint()
}

// toggleWrap toggles wrapping of long lines. The topmost visible line stays visible.
func (t *manifest) toggleWrap() {
	y := &t.shown
	line := y.reader.LineOf(t.Host.Text().Box().Scroll / ui.TextRowHeight)
	y.facts.wrap = !y.facts.wrap
	t.wrapLines()
	t.Host.Text().Show(y.reader.RowOf(line, 0))
	t.Host.Redraw()
}

// toggleManaged requests the YAML with or without managedFields.
func (t *manifest) toggleManaged() {
	y := &t.shown
	y.facts.managed = !y.facts.managed
	t.Host.Follow()
	t.Host.Redraw()
}

// fold folds or unfolds at a line; without a value, at the topmost visible one.
func (t *manifest) fold(value string) {
	y := &t.shown
	line, err := strconv.Atoi(value)
	if err != nil {
		line = y.reader.LineOf((t.Host.Text().Box().Scroll + ui.TextRowHeight - 1) / ui.TextRowHeight)
	}
	t.Host.Text().Show(y.reader.RowOf(y.reader.ToggleFold(line), 0))
}

func (t *manifest) Typed(field, value string) bool {
	if field != findField {
		return false
	}
	y := &t.shown
	y.facts.find = value
	t.showHit(y.reader.Find(value, y.reader.LineOf(t.Host.Text().Box().Scroll/ui.TextRowHeight)))
	return true
}

// showHit scrolls to the row of a match, if there is one.
func (t *manifest) showHit(row int) {
	y := &t.shown
	y.facts.hit, y.facts.all = y.reader.Hits()
	if row >= 0 {
		t.Host.Text().Show(row)
	} else {
		t.Host.Text().Paint()
	}
	t.Host.Redraw()
}

// text is the YAML as a long text.
type text struct{ *yaml.Reader }

func (y text) Lines(offset, limit int) []grid.Line {
	window := y.Window(offset, limit)
	out := make([]grid.Line, len(window))
	for i, row := range window {
		l := grid.Line{Gutter: "       ", Spans: make([]grid.Span, len(row.Spans))}
		for n, s := range row.Spans {
			l.Spans[n] = grid.Span(s)
		}
		if row.First {
			l.Gutter = gutterOf(row)
		}
		if row.Fold != yaml.NoFold {
			l.Action, l.Value = string(Fold), strconv.Itoa(row.Line)
		}
		if row.Fresh {
			l.Look = "fresh"
		}
		out[i] = l
	}
	return out
}

// gutterOf returns a row's line number and fold mark.
func gutterOf(row yaml.Row) string {
	number := strconv.Itoa(row.Line + 1)
	for len(number) < 5 {
		number = " " + number
	}
	return number + map[yaml.Fold]string{yaml.NoFold: "  ", yaml.Unfolded: " ▾", yaml.Folded: " ▸"}[row.Fold]
}

func (t *manifest) Draw() app.UI {
	y := t.shown.facts
	hits := ""
	if y.find != "" {
		hits = strconv.Itoa(y.hit) + " of " + words.Count(y.all)
	}
	// A narrow toolbar shows glyphs instead of words, and either what finds or the rest.
	do := func(action ui.Action, glyph, text string) app.HTMLButton {
		return ui.Way(action, text).DataSet("glyph", glyph).Title(t.Host.Tip(action, ""))
	}
	return app.Div().Class("reading").Body(
		app.Div().Class("toolbar").Attr("role", "toolbar").Attr("aria-label", "YAML").DataSet("finding", y.find != "").Body(
			app.Input().ID(findField).Type("search").DataSet("field", findField).Placeholder(ui.Tip("Find", t.Host.KeyOf(Find))).Attr("aria-label", "Find in YAML").Attr("autocomplete", "off").Attr("spellcheck", "false"),
			app.Span().ID("yaml-hits").Class("dim").Attr("role", "status").Text(hits),
			do(Before, "", "↑"), do(Next, "", "↓"),
			do(FoldAll, "⊟", "Fold"), do(UnfoldAll, "⊞", "Unfold"),
			do(Wrap, "↩", "Wrap").Attr("aria-pressed", y.wrap),
			do(Managed, "m", "Managed fields").Attr("aria-pressed", y.managed),
			do(Copy, "", "Copy"),
		),
		t.drawSaid(y),
		app.P().ID("withheld").Class("standing").Hidden(!y.there || t.Host.Subject().Resource != "secrets").Text("The proxy withholds Secret values. Each is shown as empty."),
	)
}

// drawSaid explains why the text is missing or out of date.
func (t *manifest) drawSaid(y facts) app.UI {
	as := ""
	if y.there {
		as = " Showing the version received at " + words.ClockTime(y.At) + "."
	}
	tone, text := "warning", ""
	switch s := y.Said; {
	case y.Gone && y.there:
		tone, text = "failed", "Deleted. Showing the last version, received at "+words.ClockTime(y.At)+"."
	case s != nil && s.Denied() && !t.Host.Moment().Past:
		tone, text = "failed", "You can't view this object; "+words.OriginWords[s.Origin]+": "+s.Message+"."+as
	case s != nil && !y.there:
		tone, text = "pending", "The YAML is not available: "+words.OriginWords[s.Origin]+": "+s.Message+"."
		if !t.Host.Moment().Past {
			text += " It will appear here once it can be loaded."
		}
	case s != nil:
		text = "Update failed; " + words.OriginWords[s.Origin] + ": " + s.Message + "." + as
	case !y.there:
		tone, text = "pending", "Loading…"
	case y.managed != y.Managed:
		tone, text = "pending", "Loading managedFields…"
	}
	return app.P().ID("yaml-said").Class("standing").DataSet("tone", tone).Attr("role", "status").Hidden(text == "").Text(text)
}
