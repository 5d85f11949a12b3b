package web

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"watchglass/internal/detail/log"
	"watchglass/web/grid"
)

// What is done in the logs.
const (
	LogsFind     Action = "logs-find"
	LogsFilter   Action = "logs-filter"
	LogsLeave    Action = "logs-leave"
	LogsNext     Action = "logs-next"
	LogsBefore   Action = "logs-before"
	LogsFollow   Action = "logs-follow"
	LogsTop      Action = "logs-top"
	LogsPause    Action = "logs-pause"
	LogsWrap     Action = "logs-wrap"
	LogsTimes    Action = "logs-times"
	LogsPrevious Action = "logs-previous"
	LogsSave     Action = "logs-save" // value: text, or raw
	LogsClear    Action = "logs-clear"
	LogsPick     Action = "logs-pick" // value: the position of the line
	LogsCopy     Action = "logs-copy"
)

// The fields of the logs.
const (
	logsFilterField    = "logs-filter"
	logsFindField      = "logs-find"
	logsContainerField = "logs-container"
	logsSinceField     = "logs-since"
)

// logs is what the page keeps of the logs of an object. A changed one is another one:
// the shell draws of it while the page goes on.
type logs struct {
	ask    log.Options
	sent   log.Options   // what was last asked
	begun  int           // the first seq of the lines that are asked for
	doc    *log.Document // the last; nil before
	times  bool
	wrap   bool
	read   int // rows that there were when following stopped
	top    int // where the text was scrolled to, when that was last looked at
	height int // of its box then

	names  []string // of sources, as short as they differ
	gutter int      // how wide they are

	picked, picks uint64 // the first line and the last that are chosen
	picking       bool
	saving        [][]byte // the pieces of a file that is under way
	lost          uint64   // rows that went from under the eyes
}

func logsTab() drawerTab {
	return drawerTab{
		id: "logs", title: "Logs", key: "5",
		draw: sight.drawLogs, take: (*Page).takeLogs, act: (*Page).actOnLogs, typed: (*Page).typedInLogs,
		open:    (*Page).openLogs,
		text:    func(p *Page) textual { return logsText{p} },
		resized: (*Page).askLogs,
		bindings: []binding{
			{keys: []string{"/"}, action: LogsFind, help: "find in the log", drawer: true},
			{keys: []string{"&"}, action: LogsFilter, help: "filter the log", drawer: true},
			{keys: []string{"n"}, action: LogsNext, help: "next that was found", drawer: true},
			{keys: []string{"N"}, action: LogsBefore, help: "the one before", drawer: true},
			{keys: []string{"f", "G", "End"}, action: LogsFollow, help: "follow its end", drawer: true},
			{keys: []string{"g", "Home"}, action: LogsTop, help: "its beginning", drawer: true},
			{keys: []string{"p"}, action: LogsPause, help: "hold it still, and count what waits", drawer: true},
			{keys: []string{"w"}, action: LogsWrap, help: "wrap long lines", drawer: true},
			{keys: []string{"t"}, action: LogsTimes, help: "show times", drawer: true},
			{keys: []string{"s"}, action: LogsSave, value: "text", help: "save it", drawer: true},
			{keys: []string{"c"}, action: LogsCopy, help: "copy what is selected, or all", drawer: true},
			{keys: []string{"Enter"}, action: LogsNext, field: logsFindField, drawer: true},
			{keys: []string{"Enter", "Escape"}, action: LogsLeave, field: logsFilterField, drawer: true},
			{keys: []string{"Escape"}, action: LogsLeave, field: logsFindField, drawer: true},
		},
	}
}

// openLogs begins with what the address says.
func (p *Page) openLogs() {
	how := p.browser.Recall("logs")
	l := &logs{ask: log.Options{Follow: true}, wrap: strings.Contains(how, "wrap"), times: strings.Contains(how, "times")}
	p.drawer.logs = l
	p.askLogs()
}

// changeLogs changes what is kept.
func (p *Page) changeLogs(change func(l *logs)) {
	if p.drawer.logs == nil {
		return
	}
	next := *p.drawer.logs
	change(&next)
	p.drawer.logs = &next
}

// What stands in a row beside the text, in letters: gutters, a time, and edges.
const (
	timeColumns = len("2026-11-22 02:47:17.123Z ")
	edgeColumns = 6
	leastWrap   = 20
)

// askLogs asks for what is in sight, as wide as it may be.
func (p *Page) askLogs() {
	p.changeLogs(func(l *logs) {
		l.ask.Columns = 0
		if l.wrap && p.textColumns > 0 {
			room := p.textColumns - l.gutter - edgeColumns
			if l.times {
				room -= timeColumns
			}
			l.ask.Columns = max(room, leastWrap)
		}
		l.ask.Container, l.ask.Previous = p.address.Container, p.address.Previous
		l.window(p.textBox)
		if l.ask.Seq++; !l.ask.Same(l.sent) {
			l.begun = l.ask.Seq
		}
		l.sent = l.ask
	})
	if l := p.drawer.logs; l != nil {
		p.focusOptions(l.ask)
	}
}

// logsMargin is how many rows are asked for beyond what is painted, so that not every
// step of a scroll asks.
const logsMargin = 40

func (l *logs) window(box grid.Geometry) {
	offset, limit := box.Window()
	if l.ask.Follow { // any offset would be another question
		l.ask.Offset, l.ask.Limit = 0, limit+logsMargin
		return
	}
	l.ask.Offset, l.ask.Limit = max(offset-logsMargin, 0), limit+2*logsMargin
}

// takeLogs takes a window of the log, or a piece of a file.
func (p *Page) takeLogs(doc []byte) bool {
	d, piece, err := log.Parse(doc)
	switch {
	case err != nil || p.drawer.logs == nil:
		return false // of our own worker: it does not happen
	case piece != nil:
		return p.takeLogsPiece(piece)
	case d.Seq < p.drawer.logs.begun:
		return false // it is of other lines, that are no more asked for
	}
	before := p.drawer.logs
	p.changeLogs(func(l *logs) {
		l.doc = d
		l.name()
	})
	p.settleLogs(before.doc, d)
	if before.gutter != p.drawer.logs.gutter && before.wrap {
		p.askLogs()
	}
	if before.differs(d) {
		return true
	}
	if before.doc.Received != d.Received || before.doc.Rows != d.Rows {
		go p.redrawSoon() // once the page is no more locked
	}
	return false
}

// settleLogs leaves what is looked at where it is, or goes to the end.
func (p *Page) settleLogs(before, d *log.Document) {
	l := p.drawer.logs
	shift := 0
	if before != nil && before.Age == d.Age {
		shift = int(d.Gone - before.Gone)
	}
	found := d.Found != nil && d.Found.Hit >= 0 && (before == nil || before.Found == nil || before.Found.Seq != d.Found.Seq)
	switch {
	case found:
		p.changeLogs(func(l *logs) { l.ask.Follow = false })
		p.paintText()
		p.revealLogs(d.Found.Row)
	case l.ask.Follow:
		p.paintText() // it is as long as it is only then
		p.revealLogs(d.Rows - 1)
	case shift > 0:
		top := p.textBox.Scroll - shift*TextRowHeight
		p.changeLogs(func(l *logs) {
			l.read -= shift
			if top < 0 {
				l.lost += uint64(-top / TextRowHeight)
			}
		})
		p.textBox.Scroll = max(top, 0)
		p.changeLogs(func(l *logs) { l.top = p.textBox.Scroll })
		p.browser.ScrollText(p.textBox.Scroll)
		p.paintText()
	default:
		p.paintText()
	}
}

// revealLogs scrolls to a row, and remembers that it was not a person who did. Where
// rows went, the browser has scrolled back to the end: from there it goes on.
func (p *Page) revealLogs(row int) {
	p.textBox.Scroll = min(p.textBox.Scroll, max(logsText{p}.end(), 0))
	p.showText(max(row, 0))
	p.changeLogs(func(l *logs) { l.top = p.textBox.Scroll })
}

// differs reports whether the shell is to be drawn for a document at once: not for
// counts.
func (l *logs) differs(d *log.Document) bool {
	b := l.doc
	if b == nil || (b.Rows == 0) != (d.Rows == 0) || b.Busy != d.Busy || b.Said != d.Said || b.More != d.More || b.Pods != d.Pods || len(b.Sources) != len(d.Sources) {
		return true
	}
	for i := range d.Sources {
		if b.Sources[i].State != d.Sources[i].State || b.Sources[i].Said != d.Sources[i].Said {
			return true
		}
	}
	found := (b.Found == nil) != (d.Found == nil) || b.Found != nil && b.Found.Seq != d.Found.Seq
	return found || (b.Wrong == nil) != (d.Wrong == nil) || (b.Astray == nil) != (d.Astray == nil) || b.Wrong != nil && *b.Wrong != *d.Wrong
}

// name gives the sources names, as short as they differ.
func (l *logs) name() {
	l.names, l.gutter = shortNames(l.doc.Sources), 0
	for _, n := range l.names {
		l.gutter = max(l.gutter, grid.Width([]grid.Span{{Text: n}}))
	}
	if l.names == nil {
		l.gutter = max(len(strconv.Itoa(l.doc.Rows)), 4)
	}
}

// longestSource is how much of a source's name is shown.
const longestSource = 24

// shortNames are what tells sources apart: pods without what they all begin with, and
// containers, where there are several. There are none where there is one source.
func shortNames(all []log.State) (names []string) {
	if len(all) < 2 {
		return nil
	}
	same, containers := all[0].Pod, false
	for _, s := range all {
		for !strings.HasPrefix(s.Pod, same) {
			same = same[:max(strings.LastIndexByte(same[:len(same)-1], '-')+1, 0)]
		}
		containers = containers || s.Container != all[0].Container
	}
	if same == all[0].Pod && !slices.ContainsFunc(all, func(s log.State) bool { return s.Pod != same }) {
		for _, s := range all {
			names = append(names, grid.Cut(s.Container, longestSource))
		}
		return names
	}
	same = same[:strings.LastIndexByte(same, '-')+1]
	for _, s := range all {
		n := s.Pod[len(same):]
		if containers {
			n += "/" + s.Container
		}
		names = append(names, grid.Cut(n, longestSource))
	}
	return names
}

// actOnLogs does what is done in the logs.
func (p *Page) actOnLogs(action Action, value string) bool {
	l := p.drawer.logs
	if l == nil {
		return false
	}
	switch action {
	case LogsFind, LogsFilter:
		p.browser.Focus(string(action))
	case LogsLeave:
		p.browser.Focus("text")
	case LogsNext, LogsBefore:
		p.seekLogs(action == LogsBefore, false)
	case LogsFollow:
		p.followLogs()
	case LogsTop:
		p.changeLogs(func(l *logs) { l.ask.Follow = false })
		p.revealLogs(0)
		p.askLogs()
	case LogsSave:
		p.saveLogs(value == "raw")
	case LogsClear:
		p.changeLogs(func(l *logs) { l.ask.Cleared++; l.picking = false })
		p.askLogs()
	case LogsPick:
		p.pickLogs(value)
	case LogsCopy:
		p.copyLogs()
	default:
		return p.toggleLogs(action)
	}
	p.redraw()
	return true
}

// toggleLogs turns something on or off.
func (p *Page) toggleLogs(action Action) bool {
	switch action {
	case LogsPause:
		p.changeLogs(func(l *logs) { l.ask.Paused = !l.ask.Paused; l.lost = 0 })
	case LogsPrevious:
		p.visit(false, func(a *Address) { a.Previous = !a.Previous })
		p.changeLogs(func(l *logs) { l.doc, l.ask.Follow = nil, true })
	case LogsWrap:
		p.changeLogs(func(l *logs) { l.wrap = !l.wrap })
	case LogsTimes:
		p.changeLogs(func(l *logs) { l.times = !l.times })
	default:
		return false
	}
	l := p.drawer.logs
	how := ""
	if l.wrap {
		how += " wrap"
	}
	if l.times {
		how += " times"
	}
	p.browser.Remember("logs", strings.TrimSpace(how))
	p.askLogs()
	p.paintText()
	p.redraw()
	return true
}

// followLogs goes to the end, and stays there.
func (p *Page) followLogs() {
	p.changeLogs(func(l *logs) { l.ask.Follow, l.ask.Paused, l.lost = true, false, 0 })
	if d := p.drawer.logs.doc; d != nil {
		p.revealLogs(d.Rows - 1)
	}
	p.askLogs()
}

// seekLogs goes to the next line that the search has found, or the one before: from the
// last on that it went to, and anew from what is in sight.
func (p *Page) seekLogs(back, anew bool) {
	p.changeLogs(func(l *logs) {
		seek := log.Seek{Seq: 1, Back: back}
		if l.ask.Seek != nil {
			seek.Seq = l.ask.Seek.Seq + 1
		}
		if d := l.doc; d != nil && len(d.Window) > 0 {
			last := (p.textBox.Scroll+p.textBox.Height)/TextRowHeight - d.Offset
			seek.From = d.Window[min(max(last, 0), len(d.Window)-1)].Position
			if d.Found != nil && d.Found.Hit >= 0 && !anew {
				seek.From = d.Found.Position
			}
		}
		l.ask.Seek = &seek
	})
	p.askLogs()
}

// typedInLogs takes what stands in a field.
func (p *Page) typedInLogs(field, value string) bool {
	switch field {
	case logsFilterField:
		p.changeLogs(func(l *logs) { l.ask.Filter = value })
	case logsFindField:
		p.changeLogs(func(l *logs) { l.ask.Search = value })
		if value != "" {
			p.seekLogs(true, true)
			return true
		}
	case logsContainerField:
		p.visit(false, func(a *Address) { a.Container = value })
		p.changeLogs(func(l *logs) { l.doc, l.ask.Follow, l.ask.Paused = nil, true, false })
	case logsSinceField:
		p.changeLogs(func(l *logs) {
			seconds, err := strconv.ParseInt(value, 10, 64)
			l.ask.Since, l.ask.All = seconds, err != nil && value == "all"
			l.doc, l.ask.Follow = nil, true
		})
	default:
		return false
	}
	p.askLogs()
	return true
}

// logsText is the log as a long text.
type logsText struct{ page *Page }

func (t logsText) rows() int {
	if l := t.page.drawer.logs; l != nil && l.doc != nil {
		return l.doc.Rows
	}
	return 0
}

// end is where the text is scrolled to when its last row is the last in sight.
func (t logsText) end() int { return t.rows()*TextRowHeight - t.page.textBox.Height }

// lines are those of the window that are there. It is asked for others, if others are
// in sight; who scrolls up follows no more, and who comes to the end does again.
func (t logsText) lines(offset, limit int) []grid.Line {
	p := t.page
	t.attend(offset, limit)
	l := p.drawer.logs
	out := make([]grid.Line, 0, max(limit, 0))
	for i := range max(limit, 0) {
		at := offset + i - l.doc.Offset
		if at < 0 || at >= len(l.doc.Window) {
			out = append(out, grid.Line{Look: "blank"})
			continue
		}
		out = append(out, l.line(l.doc.Window[at]))
	}
	return out
}

func (t logsText) attend(offset, limit int) {
	p, end := t.page, t.end()
	t.fit(end)
	l, box, rows := p.drawer.logs, p.textBox, t.rows()
	follow := l.ask.Follow
	switch {
	case follow && box.Scroll < l.top-TextRowHeight/2 && box.Scroll < end-TextRowHeight/2:
		follow = false
	case !follow && !l.ask.Paused && box.Scroll > l.top && box.Scroll >= end-TextRowHeight/2:
		follow = true
	}
	turned := follow != l.ask.Follow
	if turned || l.top != box.Scroll {
		p.changeLogs(func(l *logs) {
			l.top = box.Scroll
			if turned {
				l.ask.Follow, l.read, l.lost = follow, rows, 0
			}
		})
	}
	if turned {
		p.redraw()
	}
	if turned || !follow && (offset < l.ask.Offset || offset+limit > l.ask.Offset+l.ask.Limit) || follow && l.ask.Limit < limit {
		p.askLogs()
	}
}

// fit goes to the end again when the box has another height, or was hidden: it was the
// browser that moved the text, and nobody who scrolled.
func (t logsText) fit(end int) {
	p, l := t.page, t.page.drawer.logs
	if l.height == p.textBox.Height {
		return
	}
	p.changeLogs(func(l *logs) { l.height = p.textBox.Height })
	if l.ask.Follow && end > p.textBox.Scroll {
		p.textBox.Scroll = end
		p.browser.ScrollText(end)
	}
}

// line is a row as it is painted.
func (l *logs) line(r log.Row) grid.Line {
	out := grid.Line{Gutter: l.before(r), Action: string(LogsPick), Value: strconv.FormatUint(r.Position, 10)}
	looks := []string{}
	if len(l.names) > 0 {
		looks = append(looks, "from"+strconv.Itoa(r.Source%8))
	}
	if r.Note {
		looks = append(looks, "told")
	}
	if r.Bad {
		looks = append(looks, "bad")
	}
	if l.picking && r.Position >= l.picked && r.Position <= l.picks {
		looks = append(looks, "picked")
	}
	if f := l.doc.Found; f != nil && f.Hit >= 0 && f.Position == r.Position && l.ask.Search != "" {
		looks = append(looks, "current")
	}
	out.Look = strings.Join(looks, " ")
	if l.times {
		stamp := strings.Repeat(" ", timeColumns)
		if r.Time != 0 && r.Part == 0 {
			stamp = time.Unix(0, r.Time).UTC().Format("2006-01-02 15:04:05.000Z ")
		}
		out.Spans = append(out.Spans, grid.Span{Text: stamp, Look: "time"})
	}
	for _, s := range r.Spans {
		out.Spans = append(out.Spans, grid.Span{Text: s.Text, Look: lookClass(s.Look, s.Hit)})
	}
	switch {
	case r.More > 0:
		out.Spans = append(out.Spans, grid.Span{Text: " … " + strconv.Itoa(r.More) + " more bytes", Look: "note"})
	case r.Goes:
		out.Spans = append(out.Spans, grid.Span{Text: " … the line is longer than 16 KB, and goes on below", Look: "note"})
	}
	return out
}

// before is what stands before a row: the source's name, or the line's number.
func (l *logs) before(r log.Row) string {
	text := ""
	switch {
	case r.Part > 0:
		text = "↪"
	case r.Source < len(l.names):
		text = l.names[r.Source]
	case l.names == nil:
		text = strconv.FormatUint(r.Position+1, 10)
		return strings.Repeat(" ", max(l.gutter-len(text), 0)) + text
	}
	return text + strings.Repeat(" ", max(l.gutter-grid.Width([]grid.Span{{Text: text}}), 0))
}

// lookClass is a look as the style sheet has it.
func lookClass(look log.Look, hit bool) string {
	if look == 0 {
		return map[bool]string{true: "hit"}[hit]
	}
	var classes []string
	letters, behind := look.Colour()
	if look&log.Inverse != 0 {
		letters, behind = behind, cmp.Or(letters, 17)
		letters = cmp.Or(letters, 17)
	}
	if letters > 0 {
		classes = append(classes, "c"+strconv.Itoa(letters))
	}
	if behind > 0 {
		classes = append(classes, "b"+strconv.Itoa(behind))
	}
	for _, a := range [...]struct {
		look log.Look
		name string
	}{{log.Bold, "bold"}, {log.Dim, "faint"}, {log.Italic, "italic"}, {log.Underline, "under"}, {log.Struck, "struck"}} {
		if look&a.look != 0 {
			classes = append(classes, a.name)
		}
	}
	if hit {
		classes = append(classes, "hit")
	}
	return strings.Join(classes, " ")
}
