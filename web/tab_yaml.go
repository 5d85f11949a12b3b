package web

import (
	"strconv"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/detail/yaml"
	"watchglass/internal/wire"
	"watchglass/web/grid"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// yamlState is the state of the YAML tab. The shell draws the facts; the reader's text is
// painted outside of it.
type yamlState struct {
	reader *yaml.Reader
	facts  yamlFacts
}

// yamlFacts are what is drawn above the text.
type yamlFacts struct {
	detail.YAMLHead
	there    bool // a text was received
	find     string
	hit, all int
	wrap     bool
	managed  bool // managedFields are requested
}

// yamlTab shows the YAML of the object.
type yamlTab struct {
	tabBase
	shown yamlState
}

func (yt *yamlTab) Open()             { yt.shown = yamlState{reader: yaml.NewReader()} }
func (yt *yamlTab) Long() ui.LongText { return yamlText{yt.shown.reader} }

// Options asks for managedFields, if they are to be shown.
func (yt *yamlTab) Options() any {
	if yt.shown.facts.managed {
		return detail.YAMLOptions{Managed: true}
	}
	return nil
}

func (yt *yamlTab) Fit() {
	yt.wrapLines()
	yt.drawer.text.Paint()
}

func (yt *yamlTab) Actions() map[ui.Action]func(string) {
	return map[ui.Action]func(string){
		FindInYAML: ui.IgnoreValue(func() { yt.browser.Focus(yamlField) }), LeaveYAMLField: ui.IgnoreValue(func() { yt.browser.Focus("text") }),
		NextInYAML: ui.IgnoreValue(func() { yt.showHit(yt.shown.reader.Next(1)) }), BeforeInYAML: ui.IgnoreValue(func() { yt.showHit(yt.shown.reader.Next(-1)) }),
		FoldYAML: yt.fold, FoldAllYAML: ui.IgnoreValue(func() { yt.foldAll(true) }), UnfoldAllYAML: ui.IgnoreValue(func() { yt.foldAll(false) }),
		WrapYAML: ui.IgnoreValue(yt.toggleWrap), ManagedYAML: ui.IgnoreValue(yt.toggleManaged),
		CopyYAML: ui.IgnoreValue(func() { yt.copyOut(yt.shown.reader.Text().Text(), "YAML copied.") }),
	}
}

// yamlKeys are the keys of the tab.
var yamlKeys = []ui.Binding{
	{Keys: []string{"/"}, Action: FindInYAML, Help: "Find in YAML", Drawer: true},
	{Keys: []string{"n"}, Action: NextInYAML, Help: "Next match", Drawer: true},
	{Keys: []string{"N"}, Action: BeforeInYAML, Help: "Previous match", Drawer: true},
	{Keys: []string{"z"}, Action: FoldYAML, Help: "Fold or unfold", Drawer: true},
	{Keys: []string{"-"}, Action: FoldAllYAML, Help: "Fold all", Drawer: true},
	{Keys: []string{"+"}, Action: UnfoldAllYAML, Help: "Unfold all", Drawer: true},
	{Keys: []string{"w"}, Action: WrapYAML, Help: "Wrap long lines", Drawer: true},
	{Keys: []string{"m"}, Action: ManagedYAML, Help: "Show managedFields", Drawer: true},
	{Keys: []string{"C"}, Action: CopyYAML, Help: "Copy YAML", Drawer: true},
	{Keys: []string{"Enter"}, Action: NextInYAML, Field: yamlField, Drawer: true},
	{Keys: []string{"Escape"}, Action: LeaveYAMLField, Field: yamlField, Drawer: true},
}

// yamlField is the ID of the search field.
const yamlField = "yaml-find"

// onDetail writes a new version as YAML, or keeps the reason why there is none.
func (yt *yamlTab) OnDetail(doc []byte) bool {
	y := &yt.shown
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
		time.AfterFunc(yaml.FreshFor, yt.fade)
		yt.drawer.text.Paint()
	}
	return true
}

// fade removes the marks of recent changes.
func (yt *yamlTab) fade() {
	yt.locked(func() {
		if y := yt.shown; y.reader != nil && y.reader.Fade(time.Now()) {
			yt.drawer.text.Paint()
		}
	})
}

// gutterColumns is about how many columns the gutter takes.
const gutterColumns = 10

func (yt *yamlTab) wrapLines() {
	if yt.shown.reader == nil {
		return // not open yet
	}
	columns := 0
	if yt.shown.facts.wrap && yt.drawer.text.columns > 0 {
		columns = max(yt.drawer.text.columns-gutterColumns, gutterColumns)
	}
	yt.shown.reader.Wrap(columns)
}

func (yt *yamlTab) foldAll(folded bool) {
	yt.shown.reader.FoldAll(folded)
	yt.drawer.text.Paint()
}

// toggleWrap toggles wrapping of long lines. The topmost visible line stays visible.
func (yt *yamlTab) toggleWrap() {
	y := &yt.shown
	line := y.reader.LineOf(yt.drawer.text.box.Scroll / ui.TextRowHeight)
	y.facts.wrap = !y.facts.wrap
	yt.wrapLines()
	yt.drawer.text.Show(y.reader.RowOf(line, 0))
	yt.redraw()
}

// toggleManaged requests the YAML with or without managedFields.
func (yt *yamlTab) toggleManaged() {
	y := &yt.shown
	y.facts.managed = !y.facts.managed
	yt.drawer.Follow()
	yt.redraw()
}

// fold folds or unfolds at a line; without a value, at the topmost visible one.
func (yt *yamlTab) fold(value string) {
	y := &yt.shown
	line, err := strconv.Atoi(value)
	if err != nil {
		line = y.reader.LineOf((yt.drawer.text.box.Scroll + ui.TextRowHeight - 1) / ui.TextRowHeight)
	}
	yt.drawer.text.Show(y.reader.RowOf(y.reader.Turn(line), 0))
}

func (yt *yamlTab) Typed(field, value string) bool {
	if field != yamlField {
		return false
	}
	y := &yt.shown
	y.facts.find = value
	yt.showHit(y.reader.Find(value, y.reader.LineOf(yt.drawer.text.box.Scroll/ui.TextRowHeight)))
	return true
}

// showHit scrolls to the row of a match, if there is one.
func (yt *yamlTab) showHit(row int) {
	y := &yt.shown
	y.facts.hit, y.facts.all = y.reader.Hits()
	if row >= 0 {
		yt.drawer.text.Show(row)
	} else {
		yt.drawer.text.Paint()
	}
	yt.redraw()
}

// yamlText is the YAML as a long text.
type yamlText struct{ *yaml.Reader }

func (y yamlText) Lines(offset, limit int) []grid.Line {
	window := y.Window(offset, limit)
	out := make([]grid.Line, len(window))
	for i, row := range window {
		l := grid.Line{Gutter: "       ", Spans: make([]grid.Span, len(row.Spans))}
		for n, s := range row.Spans {
			l.Spans[n] = grid.Span(s)
		}
		if row.First {
			l.Gutter = yamlGutter(row)
		}
		if row.Fold != yaml.NoFold {
			l.Action, l.Value = string(FoldYAML), strconv.Itoa(row.Line)
		}
		if row.Fresh {
			l.Look = "fresh"
		}
		out[i] = l
	}
	return out
}

// yamlGutter returns a row's line number and fold mark.
func yamlGutter(row yaml.Row) string {
	number := strconv.Itoa(row.Line + 1)
	for len(number) < 5 {
		number = " " + number
	}
	return number + map[yaml.Fold]string{yaml.NoFold: "  ", yaml.Unfolded: " ▾", yaml.Folded: " ▸"}[row.Fold]
}

func (yt *yamlTab) Draw() app.UI {
	y := yt.shown.facts
	hits := ""
	if y.find != "" {
		hits = strconv.Itoa(y.hit) + " of " + words.Count(y.all)
	}
	// A narrow toolbar shows glyphs instead of words, and either what finds or the rest.
	do := func(action ui.Action, glyph, text, title string) app.HTMLButton {
		return ui.Way(action, text).DataSet("glyph", glyph).Title(title)
	}
	return app.Div().Class("reading").Body(
		app.Div().Class("toolbar").Attr("role", "toolbar").Attr("aria-label", "YAML").DataSet("finding", y.find != "").Body(
			app.Input().ID(yamlField).Type("search").DataSet("field", yamlField).Placeholder("Find (/)").Attr("aria-label", "Find in YAML").Attr("autocomplete", "off").Attr("spellcheck", "false"),
			app.Span().ID("yaml-hits").Class("dim").Attr("role", "status").Text(hits),
			do(BeforeInYAML, "", "↑", "Previous match (N)"), do(NextInYAML, "", "↓", "Next match (n)"),
			do(FoldAllYAML, "⊟", "Fold", "Fold all (-)"), do(UnfoldAllYAML, "⊞", "Unfold", "Unfold all (+)"),
			do(WrapYAML, "↩", "Wrap", "Wrap long lines (w)").Attr("aria-pressed", y.wrap),
			do(ManagedYAML, "m", "Managed fields", "Show managedFields (m)").Attr("aria-pressed", y.managed),
			ui.Way(CopyYAML, "Copy").Title("Copy YAML (C)"),
		),
		yt.drawSaid(y),
		app.P().ID("withheld").Class("standing").Hidden(!y.there || yt.drawer.asked.Resource != "secrets").Text("The proxy withholds Secret values. Each is shown as empty."),
	)
}

// drawSaid explains why the text is missing or out of date.
func (yt *yamlTab) drawSaid(y yamlFacts) app.UI {
	as := ""
	if y.there {
		as = " Showing the version received at " + words.ClockTime(y.At) + "."
	}
	tone, text := "warning", ""
	switch s := y.Said; {
	case y.Gone && y.there:
		tone, text = "failed", "Deleted. Showing the last version, received at "+words.ClockTime(y.At)+"."
	case s != nil && s.Denied() && !yt.past.On():
		tone, text = "failed", "You can't view this object; "+words.OriginWords[s.Origin]+": "+s.Message+"."+as
	case s != nil && !y.there:
		tone, text = "pending", "The YAML is not available: "+words.OriginWords[s.Origin]+": "+s.Message+"."
		if !yt.past.On() {
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
