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

func yamlTab() drawerTab {
	return drawerTab{
		id: "yaml", title: "YAML", key: "2",
		draw: sight.drawYAML, take: (*Page).takeYAML, act: (*Page).actOnYAML, typed: (*Page).typedInYAML,
		open: func(p *Page) { p.drawer.yaml = yamlState{reader: yaml.NewReader()} },
		text: func(p *Page) textual { return yamlText{p.drawer.yaml.reader} },
		resized: func(p *Page) {
			p.wrapYAML()
			p.paintText()
		},
		bindings: []binding{
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
		},
	}
}

// yamlField is where one types what to look for.
const yamlField = "yaml-find"

// takeYAML takes another text, or why there is none.
func (p *Page) takeYAML(doc []byte) bool {
	y := &p.drawer.yaml
	head, text, err := detail.ParseYAML(doc)
	if err != nil {
		return false // of our own worker: it does not happen
	}
	y.facts.YAMLHead = head
	if text != "" {
		y.facts.there = true
		y.reader.Show(text, time.Now())
		y.facts.hit, y.facts.all = y.reader.Hits()
		time.AfterFunc(yaml.FreshFor, p.fadeYAML)
		p.paintText()
	}
	return true
}

// fadeYAML unmarks what is fresh no more.
func (p *Page) fadeYAML() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if y := p.drawer.yaml; y.reader != nil && y.reader.Fade(time.Now()) {
		p.paintText()
	}
}

// gutterColumns is how many columns are left of a line's text, about.
const gutterColumns = 10

func (p *Page) wrapYAML() {
	if p.drawer.yaml.reader == nil {
		return // it is not open yet
	}
	columns := 0
	if p.drawer.yaml.facts.wrap && p.textColumns > 0 {
		columns = max(p.textColumns-gutterColumns, gutterColumns)
	}
	p.drawer.yaml.reader.Wrap(columns)
}

func (p *Page) actOnYAML(action Action, value string) bool {
	y := &p.drawer.yaml
	switch action {
	case FindInYAML:
		p.browser.Focus(yamlField)
	case LeaveYAMLField:
		p.browser.Focus("text")
	case NextInYAML:
		p.foundInYAML(y.reader.Next(1))
	case BeforeInYAML:
		p.foundInYAML(y.reader.Next(-1))
	case FoldYAML:
		p.foldYAML(value)
	case FoldAllYAML, UnfoldAllYAML:
		y.reader.FoldAll(action == FoldAllYAML)
		p.paintText()
	case WrapYAML:
		line := y.reader.LineOf(p.textBox.Scroll / TextRowHeight)
		y.facts.wrap = !y.facts.wrap
		p.wrapYAML()
		p.showText(y.reader.RowOf(line, 0))
		p.redraw()
	case ManagedYAML:
		y.facts.managed = !y.facts.managed
		p.focusOptions(detail.YAMLOptions{Managed: y.facts.managed})
		p.redraw()
	case CopyYAML:
		p.copyOut(y.reader.Text().Text(), "The YAML is copied.")
	default:
		return false
	}
	return true
}

// foldYAML folds, or unfolds, at a line; without one at the uppermost in sight.
func (p *Page) foldYAML(value string) {
	y := &p.drawer.yaml
	line, err := strconv.Atoi(value)
	if err != nil {
		line = y.reader.LineOf((p.textBox.Scroll + TextRowHeight - 1) / TextRowHeight)
	}
	p.showText(y.reader.RowOf(y.reader.Turn(line), 0))
}

func (p *Page) typedInYAML(field, value string) bool {
	if field != yamlField {
		return false
	}
	y := &p.drawer.yaml
	y.facts.find = value
	p.foundInYAML(y.reader.Find(value, y.reader.LineOf(p.textBox.Scroll/TextRowHeight)))
	return true
}

// foundInYAML shows the row of a hit, if there is one.
func (p *Page) foundInYAML(row int) {
	y := &p.drawer.yaml
	y.facts.hit, y.facts.all = y.reader.Hits()
	if row >= 0 {
		p.showText(row)
	} else {
		p.paintText()
	}
	p.redraw()
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

func (g sight) drawYAML() app.UI {
	y := g.drawer.yaml.facts
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
		g.drawYAMLSaid(y),
		app.P().ID("withheld").Class("standing").Hidden(!y.there || g.drawer.asked.Resource != "secrets").Text("The proxy withholds the values of Secrets: each shows as empty."),
	)
}

// drawYAMLSaid says what of the text is not as it should be.
func (g sight) drawYAMLSaid(y yamlFacts) app.UI {
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

// copyOut hands a text of the object to the clipboard.
func (p *Page) copyOut(text, said string) {
	p.browser.Copy(text, func(copied bool) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !copied {
			said = "The browser does not let the page copy."
		}
		p.say(notice{text: said})
	})
}
