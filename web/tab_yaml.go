package web

import (
	"cmp"
	"strconv"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/detail/yaml"
	"watchglass/web/grid"
)

// yamlState is what the tab with the YAML keeps. Its facts are what is drawn by the
// shell; what is read is painted outside of it.
type yamlState struct {
	reader *yaml.Reader
	facts  yamlFacts
}

// yamlFacts are what is drawn of a YAML, above its text.
type yamlFacts struct {
	detail.YAMLHead
	there    bool // there is a text
	find     string
	hit, all int
	wrap     bool
	managed  bool // it is asked for with managedFields
}

// yamlTab is the YAML of the object.
type yamlTab struct {
	tabBase
	shown yamlState
}

func (yt *yamlTab) open()         { yt.shown = yamlState{reader: yaml.NewReader()} }
func (yt *yamlTab) long() textual { return yamlText{yt.shown.reader} }

func (yt *yamlTab) fit() {
	yt.wrapLines()
	yt.drawer.paintText()
}

func (yt *yamlTab) actions() map[Action]func(string) {
	return map[Action]func(string){
		FindInYAML: does(func() { yt.browser.Focus(yamlField) }), LeaveYAMLField: does(func() { yt.browser.Focus("text") }),
		NextInYAML: does(func() { yt.showHit(yt.shown.reader.Next(1)) }), BeforeInYAML: does(func() { yt.showHit(yt.shown.reader.Next(-1)) }),
		FoldYAML: yt.fold, FoldAllYAML: does(func() { yt.foldAll(true) }), UnfoldAllYAML: does(func() { yt.foldAll(false) }),
		WrapYAML: does(yt.toggleWrap), ManagedYAML: does(yt.toggleManaged),
		CopyYAML: does(func() { yt.copyOut(yt.shown.reader.Text().Text(), "The YAML is copied.") }),
	}
}

// yamlKeys are the keys of the tab.
var yamlKeys = []binding{
	{keys: []string{"/"}, action: FindInYAML, help: "find in the YAML", drawer: true},
	{keys: []string{"n"}, action: NextInYAML, help: "next that was found", drawer: true},
	{keys: []string{"N"}, action: BeforeInYAML, help: "the one before", drawer: true},
	{keys: []string{"z"}, action: FoldYAML, help: "fold or unfold", drawer: true},
	{keys: []string{"-"}, action: FoldAllYAML, help: "fold all", drawer: true},
	{keys: []string{"+", "="}, action: UnfoldAllYAML, help: "unfold all", drawer: true},
	{keys: []string{"w"}, action: WrapYAML, help: "wrap long lines", drawer: true},
	{keys: []string{"m"}, action: ManagedYAML, help: "with managedFields", drawer: true},
	{keys: []string{"c"}, action: CopyYAML, help: "copy all of it", drawer: true},
	{keys: []string{"Enter"}, action: NextInYAML, field: yamlField, drawer: true},
	{keys: []string{"Escape"}, action: LeaveYAMLField, field: yamlField, drawer: true},
}

// yamlField is where one types what to look for.
const yamlField = "yaml-find"

// takeYAML takes another text, or why there is none.
func (yt *yamlTab) onDetail(doc []byte) bool {
	y := &yt.shown
	head, text, err := detail.ParseYAML(doc)
	if err != nil {
		return false // of our own worker: it does not happen
	}
	y.facts.YAMLHead = head
	if text != "" {
		y.facts.there = true
		y.reader.Show(text, time.Now())
		y.facts.hit, y.facts.all = y.reader.Hits()
		time.AfterFunc(yaml.FreshFor, yt.fade)
		yt.drawer.paintText()
	}
	return true
}

// fadeYAML unmarks what is fresh no more.
func (yt *yamlTab) fade() {
	yt.locked(func() {
		if y := yt.shown; y.reader != nil && y.reader.Fade(time.Now()) {
			yt.drawer.paintText()
		}
	})
}

// gutterColumns is how many columns are left of a line's text, about.
const gutterColumns = 10

func (yt *yamlTab) wrapLines() {
	if yt.shown.reader == nil {
		return // it is not open yet
	}
	columns := 0
	if yt.shown.facts.wrap && yt.drawer.textColumns > 0 {
		columns = max(yt.drawer.textColumns-gutterColumns, gutterColumns)
	}
	yt.shown.reader.Wrap(columns)
}

func (yt *yamlTab) foldAll(folded bool) {
	yt.shown.reader.FoldAll(folded)
	yt.drawer.paintText()
}

// toggleWrap wraps long lines or not. The uppermost line in sight stays in sight.
func (yt *yamlTab) toggleWrap() {
	y := &yt.shown
	line := y.reader.LineOf(yt.drawer.textBox.Scroll / TextRowHeight)
	y.facts.wrap = !y.facts.wrap
	yt.wrapLines()
	yt.drawer.showText(y.reader.RowOf(line, 0))
	yt.redraw()
}

// toggleManaged asks for the YAML with managedFields, or without.
func (yt *yamlTab) toggleManaged() {
	y := &yt.shown
	y.facts.managed = !y.facts.managed
	yt.drawer.setOptions(detail.YAMLOptions{Managed: y.facts.managed})
	yt.redraw()
}

// foldYAML folds, or unfolds, at a line; without one at the uppermost in sight.
func (yt *yamlTab) fold(value string) {
	y := &yt.shown
	line, err := strconv.Atoi(value)
	if err != nil {
		line = y.reader.LineOf((yt.drawer.textBox.Scroll + TextRowHeight - 1) / TextRowHeight)
	}
	yt.drawer.showText(y.reader.RowOf(y.reader.Turn(line), 0))
}

func (yt *yamlTab) typed(field, value string) bool {
	if field != yamlField {
		return false
	}
	y := &yt.shown
	y.facts.find = value
	yt.showHit(y.reader.Find(value, y.reader.LineOf(yt.drawer.textBox.Scroll/TextRowHeight)))
	return true
}

// foundInYAML shows the row of a hit, if there is one.
func (yt *yamlTab) showHit(row int) {
	y := &yt.shown
	y.facts.hit, y.facts.all = y.reader.Hits()
	if row >= 0 {
		yt.drawer.showText(row)
	} else {
		yt.drawer.paintText()
	}
	yt.redraw()
}

// yamlText is a YAML as it is painted.
type yamlText struct{ *yaml.Reader }

func (y yamlText) rows() int { return y.Rows() }

func (y yamlText) lines(offset, limit int) []grid.Line {
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

// yamlGutter is the number of a row's line, and whether it folds there.
func yamlGutter(row yaml.Row) string {
	number := strconv.Itoa(row.Line + 1)
	for len(number) < 5 {
		number = " " + number
	}
	return number + map[yaml.Fold]string{yaml.NoFold: "  ", yaml.Unfolded: " ▾", yaml.Folded: " ▸"}[row.Fold]
}

func (yt *yamlTab) draw() app.UI {
	y := yt.shown.facts
	hits := ""
	if y.find != "" {
		hits = strconv.Itoa(y.hit) + " of " + number(y.all, true)
	}
	toggle := func(action Action, pressed bool, text, title string) app.UI {
		return app.Button().Class("way").DataSet("action", action).Attr("aria-pressed", pressed).Title(title).Text(text)
	}
	do := func(action Action, text, title string) app.UI {
		return app.Button().Class("way").DataSet("action", action).Title(title).Text(text)
	}
	return app.Div().Class("reading").Body(
		app.Div().Class("toolbar").Attr("role", "toolbar").Attr("aria-label", "YAML").Body(
			app.Input().ID(yamlField).Type("search").DataSet("field", yamlField).Placeholder("find (/)").Attr("aria-label", "Find in the YAML").Attr("autocomplete", "off").Attr("spellcheck", "false"),
			app.Span().ID("yaml-hits").Class("dim").Attr("role", "status").Text(hits),
			do(BeforeInYAML, "↑", "The hit before (N)"), do(NextInYAML, "↓", "The next hit (n)"),
			do(FoldAllYAML, "Fold", "Fold all (-)"), do(UnfoldAllYAML, "Unfold", "Unfold all (+)"),
			toggle(WrapYAML, y.wrap, "Wrap", "Long lines over several rows (w)"),
			toggle(ManagedYAML, y.managed, "Managed", "With managedFields (m)"),
			do(CopyYAML, "Copy", "Copy all of it (c)"),
		),
		yt.drawSaid(y),
		app.P().ID("withheld").Class("standing").Hidden(!y.there || yt.drawer.asked.Resource != "secrets").Text("The proxy withholds the values of Secrets: each shows as empty."),
	)
}

// drawYAMLSaid says what of the text is not as it should be.
func (yt *yamlTab) drawSaid(y yamlFacts) app.UI {
	as := ""
	if y.there {
		as = " This is how it was at " + clockTime(y.At) + "."
	}
	tone, text := "warning", ""
	switch s := y.Said; {
	case y.Gone && y.there:
		tone, text = "failed", "It is deleted. This is the last that was seen of it, at "+clockTime(y.At)+"."
	case s != nil && s.Denied():
		tone, text = "failed", "You may not get it. "+speakers[s.Origin]+" said: "+s.Message+"."+as
	case s != nil && !y.there:
		tone, text = "pending", "There is no text now. When there is, it appears by itself. "+speakers[s.Origin]+" said: "+s.Message+"."
	case s != nil:
		text = "There is no newer text. " + speakers[s.Origin] + " said: " + s.Message + "." + as
	case !y.there:
		tone, text = "pending", "Asking for it …"
	case y.managed != y.Managed:
		tone, text = "pending", "Asking for it with managedFields …"
	}
	return app.P().ID("yaml-said").Class("standing").DataSet("tone", tone).Attr("role", "status").Hidden(text == "").Text(text)
}

// clockTime is a time of the day here, of unix milliseconds.
func clockTime(at int64) string {
	t := time.UnixMilli(at)
	return cmp.Or(map[bool]string{true: t.Format("15:04:05")}[time.Since(t) < 12*time.Hour], t.Format("2006-01-02 15:04:05"))
}
