package web

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"watchglass/internal/detail/log"
	logline "watchglass/internal/detail/log/line"
	"watchglass/web/grid"
	"watchglass/web/route"
	"watchglass/web/ui"
)

// The actions of the tab.
const (
	LogsFind     ui.Action = "logs-find"
	LogsFilter   ui.Action = "logs-filter"
	LogsLeave    ui.Action = "logs-leave"
	LogsNext     ui.Action = "logs-next"
	LogsBefore   ui.Action = "logs-before"
	LogsFollow   ui.Action = "logs-follow"
	LogsTop      ui.Action = "logs-top"
	LogsPause    ui.Action = "logs-pause"
	LogsWrap     ui.Action = "logs-wrap"
	LogsTimes    ui.Action = "logs-times"
	LogsPrevious ui.Action = "logs-previous"
	LogsChoose   ui.Action = "logs-choose" // value: container; none: focus the menu of containers
	LogsSave     ui.Action = "logs-save"   // value: text or raw
	LogsClear    ui.Action = "logs-clear"
	LogsPick     ui.Action = "logs-pick" // value: the position of the line
	LogsCopy     ui.Action = "logs-copy"
	LogsRaw      ui.Action = "logs-raw"
	LogsExpand   ui.Action = "logs-expand" // value: the id of the line; none: the match, or the first line in view
	LogsLevel    ui.Action = "logs-level"  // value: error, warn, info or debug
	LogsBars     ui.Action = "logs-bars"
	LogsWiden    ui.Action = "logs-widen"
)

// The fields of the tab.
const (
	logsFilterField    = "logs-filter"
	logsFindField      = "logs-find"
	logsContainerField = "logs-container"
	logsSinceField     = "logs-since"
	logsBarsField      = "logs-histogram"
)

// logs is the state of the Logs tab. It is copied on change, so that the shell can draw one
// while the page goes on.
type logs struct {
	ask       log.Options
	sent      log.Options   // the last request
	began     string        // the filter that the tab was opened with
	begins    string        // how far back the log begins, as the address has it
	unbarred  bool          // the histogram is switched off
	expanded  int           // seq of the request that expanded or collapsed a line, until it is answered
	resetSeq  int           // seq of the first request for the current lines
	pausedSeq int           // seq of the first request for the pause
	doc       *log.Document // the latest; nil before the first
	times     bool
	wrap      bool
	levels    bool // a line has a level, so that there is a column for it
	wide      bool // there is room for fractions of seconds
	read      int  // number of rows when following stopped
	top       int  // last known scroll position
	height    int  // last known height of the box

	names  []string // short names of the sources; nil for one source
	gutter int      // width of the gutter

	picked, picks uint64 // the first and the last selected line
	picking       bool
	taken         int      // how many files and copies were requested
	saving        [][]byte // pieces of the file being saved
	savingAs      string   // its name
	lost          uint64   // visible rows that were dropped
	left          int      // seq of the last seek before the user went elsewhere: its answer must not scroll
}

// logsTab shows the logs of the object's pods.
type logsTab struct {
	tabBase
	logs        *logs // nil unless the tab is open; immutable
	asked       log.Options
	brush       ui.Brush // of the histogram
	typedFilter string   // the text of the filter's field
}

func (lt *logsTab) Close()            { lt.logs = nil }
func (lt *logsTab) Long() ui.LongText { return lt }
func (lt *logsTab) Options() any      { return lt.asked }
func (lt *logsTab) Fit()              { lt.request() }

func (lt *logsTab) Actions() map[ui.Action]func(string) {
	all := map[ui.Action]func(string){
		LogsFind: ui.IgnoreValue(func() { lt.browser.Focus(logsFindField) }), LogsFilter: ui.IgnoreValue(func() { lt.browser.Focus(logsFilterField) }), LogsLeave: ui.IgnoreValue(func() { lt.browser.Focus("text") }),
		LogsNext: ui.IgnoreValue(func() { lt.seek(false, false) }), LogsBefore: ui.IgnoreValue(func() { lt.seek(true, false) }),
		LogsFollow: ui.IgnoreValue(lt.follow), LogsTop: ui.IgnoreValue(lt.top), LogsClear: ui.IgnoreValue(lt.clear), LogsPick: lt.pick, LogsCopy: ui.IgnoreValue(lt.copyLines),
		LogsSave:  func(what string) { lt.save(what == "raw") },
		LogsPause: ui.IgnoreValue(lt.togglePause), LogsPrevious: ui.IgnoreValue(lt.togglePrevious), LogsChoose: lt.chooseByKey, LogsWrap: ui.IgnoreValue(lt.toggleWrap), LogsTimes: ui.IgnoreValue(lt.toggleTimes),
		LogsRaw: ui.IgnoreValue(lt.toggleRaw), LogsExpand: lt.expand, LogsLevel: lt.pickLevel,
		LogsBars: ui.IgnoreValue(lt.toggleBars), LogsWiden: ui.IgnoreValue(func() { lt.Widen() }),
	}
	for action, f := range all {
		all[action] = func(value string) {
			if lt.logs != nil {
				f(value)
				lt.redraw()
			}
		}
	}
	return all
}

// logsKeys are the keys of the tab.
var logsKeys = []ui.Binding{
	{Keys: []string{"/"}, Action: LogsFind, Help: "Find in logs", Drawer: true},
	{Keys: []string{"&"}, Action: LogsFilter, Help: "Filter logs", Drawer: true},
	{Keys: []string{"n"}, Action: LogsNext, Help: "Next match", Drawer: true},
	{Keys: []string{"N"}, Action: LogsBefore, Help: "Previous match", Drawer: true},
	{Keys: []string{"o"}, Action: LogsChoose, Help: "Choose container", Drawer: true},
	{Keys: []string{"P"}, Action: LogsPrevious, Help: "Show previous or current logs", Drawer: true},
	{Keys: []string{"G", "End"}, Action: LogsFollow, Help: "Follow", Drawer: true},
	{Keys: []string{"g", "Home"}, Action: LogsTop, Help: "Go to the beginning", Drawer: true},
	{Keys: []string{"p"}, Action: LogsPause, Help: "Pause", Drawer: true},
	{Keys: []string{"w"}, Action: LogsWrap, Help: "Wrap long lines", Drawer: true},
	{Keys: []string{"t"}, Action: LogsTimes, Help: "Show timestamps", Drawer: true},
	{Keys: []string{"J"}, Action: LogsRaw, Help: "Show raw lines", Drawer: true},
	{Keys: []string{"Enter"}, Action: LogsExpand, Help: "Expand or collapse line", Drawer: true, Text: true},
	{Keys: []string{"s"}, Action: LogsSave, Value: "text", Help: "Save", Drawer: true},
	{Keys: []string{"C"}, Action: LogsCopy, Help: "Copy the selected lines, or all", Drawer: true},
	{Keys: []string{"Enter"}, Action: LogsNext, Field: logsFindField, Drawer: true},
	{Keys: []string{"Enter", "Escape"}, Action: LogsLeave, Field: logsFilterField, Drawer: true},
	{Keys: []string{"Escape"}, Action: LogsLeave, Field: logsFindField, Drawer: true},
	{Keys: []string{"Enter", "Escape"}, Action: LogsLeave, Field: logsContainerField, Drawer: true},
	{Keys: []string{"Enter", "Escape"}, Action: LogsLeave, Field: logsSinceField, Drawer: true},
}

// offers returns the tab's entries of the palette.
func (lt *logsTab) offers() []ui.Offer {
	if lt.logs == nil || lt.logs.none() {
		return nil
	}
	text := map[bool]string{false: "Show previous logs", true: "Show current logs"}[lt.address.Previous]
	all := []ui.Offer{{Action: LogsPrevious, Text: text, Hint: "P"}}
	if lt.drawer.head == nil || len(lt.drawer.head.Containers) < 2 {
		return all
	}
	for _, c := range lt.drawer.head.Containers {
		all = append(all, ui.Offer{Action: LogsChoose, Value: c.Name, Text: "Container " + c.Name, Hint: c.Role})
	}
	return append(all, ui.Offer{Action: LogsChoose, Value: log.AllContainers, Text: "All containers"})
}

// open starts with the settings stored in the browser.
func (lt *logsTab) Open() {
	how, at := lt.browser.Recall("logs"), lt.address.Log
	l := &logs{began: at.Filter, ask: log.Options{Follow: true}, wrap: strings.Contains(how, "wrap"), times: strings.Contains(how, "times"), unbarred: strings.Contains(how, "unbarred")}
	l.apply(at)
	l.since(at.Since)
	if at.From > 0 && at.Since == "" { // as far back as the link needs
		l.ask.Since = int64((lt.past.Now().Sub(time.Unix(0, at.From)) + linkMargin) / time.Second)
	}
	lt.logs, lt.brush = l, ui.Brush{}
	if lt.typedFilter != at.Filter { // for the object before
		lt.typedFilter = at.Filter
		lt.browser.SetField(logsFilterField, at.Filter)
	}
	lt.request()
}

// apply sets what the address says of the lines that are shown. How they are shown stays, unless the
// address says so.
func (l *logs) apply(at route.Log) {
	l.ask.Filter, l.ask.From, l.ask.To, l.ask.Raw = at.Filter, at.From, at.To, at.Raw
	l.wrap, l.unbarred = l.wrap || at.Wrap, l.unbarred || at.Unbarred
}

// onMove applies the address after Back or Forward, if the same object's log is still shown.
func (lt *logsTab) onMove() {
	if lt.logs == nil {
		return
	}
	at, before := lt.address, lt.logs
	other := at.Log.Since != before.begins || at.Container != before.ask.Container || at.Previous != before.ask.Previous
	lt.update(func(l *logs) {
		l.apply(at.Log)
		if lt.brush = (ui.Brush{}); other {
			l.startOver()
			l.since(at.Log.Since)
		}
	})
	if l := lt.logs; !other && l.ask.Filter == before.ask.Filter && l.ask.From == before.ask.From && l.ask.To == before.ask.To && l.ask.Raw == before.ask.Raw && l.wrap == before.wrap && l.unbarred == before.unbarred {
		return
	}
	lt.typedFilter = at.Log.Filter
	lt.browser.SetField(logsFilterField, at.Log.Filter)
	lt.request()
	lt.drawer.text.Paint()
}

// update replaces the state with a changed copy.
func (lt *logsTab) update(change func(l *logs)) {
	if lt.logs == nil {
		return
	}
	next := *lt.logs
	change(&next)
	lt.logs = &next
}

// startOver prepares for other logs. They are followed, not paused, and forget what was chosen in the lines
// before: the selected and the expanded ones are others there.
func (l *logs) startOver() {
	l.doc, l.lost, l.picking, l.expanded = nil, 0, false, 0
	l.ask.Follow, l.ask.Paused, l.ask.Open = true, false, nil
}

// since sets how far back the log begins: seconds, all, or as much as by default.
func (l *logs) since(value string) {
	l.begins = value
	seconds, err := strconv.ParseInt(value, 10, 64)
	l.ask.Since, l.ask.All = max(seconds, 0), err != nil && value == "all"
}

// The columns of a row that are not the log's text: timestamp and edges. Lines wrap at no less
// than leastWrap.
const (
	timeColumns  = len("2026-11-22 02:47:17.123Z ")
	clockColumns = len("02:47:17.123 ")
	shortColumns = len("02:47:17 ") // where there is little room
	levelColumns = len("ERROR ")
	edgeColumns  = 6
	leastWrap    = 20
	roomyColumns = 80
)

// request requests the visible window, wrapped at the current width.
func (lt *logsTab) request() {
	lt.update(func(l *logs) {
		l.ask.Columns = 0
		if l.wide = lt.drawer.text.columns >= roomyColumns; l.wrap && lt.drawer.text.columns > 0 {
			l.ask.Columns = max(lt.drawer.text.columns-l.gutter-edgeColumns-len(l.indent()), leastWrap)
		}
		l.ask.Bars = l.bars(lt.drawer.text.columns)
		l.ask.Container, l.ask.Previous = lt.address.Container, lt.address.Previous
		l.window(lt.drawer.text.box)
		if l.ask.Seq++; !l.ask.Same(l.sent) {
			l.resetSeq = l.ask.Seq
		}
		if l.ask.Paused && !l.sent.Paused {
			l.pausedSeq = l.ask.Seq
		}
		l.sent = l.ask
	})
	if l := lt.logs; l != nil {
		lt.asked = l.ask
		lt.drawer.Follow()
	}
}

// linkMargin is how much more of a log a link to a range of time loads: the node counts back from when
// the request arrives, by its own clock.
const linkMargin = time.Minute

// logsMargin is how many rows beyond the painted ones are requested, so that not every scroll
// step sends a request.
const logsMargin = 40

func (l *logs) window(box grid.Geometry) {
	offset, limit := box.Window()
	if l.ask.Follow { // an offset would make it a different request
		l.ask.Offset, l.ask.Limit = 0, limit+logsMargin
		return
	}
	l.ask.Offset, l.ask.Limit = max(offset-logsMargin, 0), limit+2*logsMargin
}

// onDetail applies a window of the log, or a piece of a file.
func (lt *logsTab) OnDetail(doc []byte) bool {
	d, piece, err := log.Parse(doc)
	switch {
	case err != nil || lt.logs == nil:
		return false // impossible: the worker is ours
	case piece != nil:
		return lt.onPiece(piece)
	case d.Seq < lt.logs.resetSeq:
		return false // of an earlier request
	}
	if d.Failed && lt.address.Container == "" { // so that the link, and kubectl's command, name it
		lt.choose(d.Usual, false)
		lt.request()
		return true
	}
	before := lt.logs
	lt.update(func(l *logs) {
		if l.expanded > 0 && d.Seq >= l.expanded && l.doc != nil {
			l.expanded, l.read = 0, l.read+d.Rows-l.doc.Rows // these rows are not new
		}
		if !d.Paused && d.Seq >= l.pausedSeq { // after a restart or going back, other lines are read
			l.ask.Paused, l.sent.Paused = false, false
		}
		l.doc, l.levels = d, l.levels || d.Levels != [logline.Levels]int{logline.None: d.Levels[logline.None]}
		l.name()
	})
	lt.settle(before.doc, d)
	if (before.gutter != lt.logs.gutter || before.levels != lt.logs.levels) && before.wrap {
		lt.request()
	}
	if before.differs(d) || before.ask.Paused != lt.logs.ask.Paused {
		return true
	}
	if before.doc.Received != d.Received || before.doc.Rows != d.Rows {
		lt.redrawSoon()
	}
	return false
}

// settle keeps the visible lines in place, or scrolls to the end if following.
func (lt *logsTab) settle(before, d *log.Document) {
	l := lt.logs
	shift := 0
	if before != nil && before.Age == d.Age {
		shift = int(d.Gone - before.Gone)
	}
	found := d.Found != nil && d.Found.Hit >= 0 && d.Found.Seq > l.left && (before == nil || before.Found == nil || before.Found.Seq != d.Found.Seq)
	switch {
	case found:
		lt.update(func(l *logs) { l.ask.Follow = false })
		lt.drawer.text.Paint()
		lt.reveal(d.Found.Row)
	case l.ask.Follow:
		lt.drawer.text.Paint() // sets the new height first
		lt.reveal(d.Rows - 1)
	case shift > 0:
		top := lt.drawer.text.box.Scroll - shift*ui.TextRowHeight
		lt.update(func(l *logs) {
			l.read -= shift
			if top < 0 {
				l.lost += uint64(-top / ui.TextRowHeight)
			}
		})
		lt.drawer.text.box.Scroll = max(top, 0)
		lt.update(func(l *logs) { l.top = lt.drawer.text.box.Scroll })
		lt.browser.ScrollText(lt.drawer.text.box.Scroll)
		lt.drawer.text.Paint()
	default:
		lt.drawer.text.Paint()
	}
}

// reveal scrolls to a row and notes that the user did not. If rows were dropped, the
// browser has already scrolled back to the end, and this starts from there.
func (lt *logsTab) reveal(row int) {
	lt.drawer.text.box.Scroll = min(lt.drawer.text.box.Scroll, max(lt.end(), 0))
	lt.drawer.text.Show(max(row, 0))
	lt.update(func(l *logs) { l.top = lt.drawer.text.box.Scroll })
}

// differs reports whether a document requires an immediate redraw of the shell. Changed counts
// alone do not.
func (l *logs) differs(d *log.Document) bool {
	b := l.doc
	if b == nil || !l.doc.Histogram.SameBars(d.Histogram) || b.Usual != d.Usual || b.Failed != d.Failed || !b.Fields.Same(d.Fields) || (b.Rows == 0) != (d.Rows == 0) || b.Busy != d.Busy || b.Said != d.Said || b.More != d.More || b.Pods != d.Pods || len(b.Sources) != len(d.Sources) {
		return true
	}
	for i := range d.Sources {
		if b.Sources[i].State != d.Sources[i].State || b.Sources[i].Said != d.Sources[i].Said || b.Sources[i].Earlier != d.Sources[i].Earlier {
			return true
		}
	}
	found := (b.Found == nil) != (d.Found == nil) || b.Found != nil && b.Found.Seq != d.Found.Seq
	return found || (b.Wrong == nil) != (d.Wrong == nil) || (b.Astray == nil) != (d.Astray == nil) || b.Wrong != nil && *b.Wrong != *d.Wrong
}

// name gives each source the shortest name that tells it apart.
func (l *logs) name() {
	l.names, l.gutter = shortNames(l.doc.Sources), 0
	for _, n := range l.names {
		l.gutter = max(l.gutter, grid.Width([]grid.Span{{Text: n}}))
	}
	if l.names == nil {
		l.gutter = max(len(strconv.Itoa(l.doc.Rows)), 4)
	}
}

// longestSource is how many characters of a source's name are shown.
const longestSource = 24

// shortNames returns names that tell sources apart: pods without their common prefix, and
// containers if there are several. A single source has no name.
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

// top goes to the first line.
func (lt *logsTab) top() {
	lt.update(func(l *logs) { l.leave(); l.ask.Follow = false })
	lt.reveal(0)
	lt.request()
}

// leave notes that the user goes elsewhere than to what was sought.
func (l *logs) leave() {
	if l.ask.Seek != nil {
		l.left = l.ask.Seek.Seq
	}
}

// clear drops the buffered lines.
func (lt *logsTab) clear() {
	lt.update(func(l *logs) { l.ask.Cleared++; l.picking = false })
	lt.request()
}

func (lt *logsTab) togglePause() {
	lt.update(func(l *logs) { l.ask.Paused = !l.ask.Paused; l.lost = 0 })
	lt.toggled()
}

func (lt *logsTab) togglePrevious() {
	lt.visit(true, func(a *route.Address) { a.Previous = !a.Previous })
	lt.update((*logs).startOver)
	lt.toggled()
}

// choose shows the logs of a container; with step, Back undoes it.
func (lt *logsTab) choose(container string, step bool) {
	lt.visit(step, func(a *route.Address) { a.Container = container })
	lt.update((*logs).startOver)
}

func (lt *logsTab) chooseByKey(container string) {
	if container == "" {
		lt.browser.Focus(logsContainerField)
		return
	}
	lt.choose(container, true)
	lt.request()
}

func (lt *logsTab) toggleWrap() {
	lt.update(func(l *logs) { l.wrap = !l.wrap })
	lt.visit(false, func(a *route.Address) { a.Log.Wrap = lt.logs.wrap })
	lt.toggled()
}

func (lt *logsTab) toggleRaw() {
	lt.update(func(l *logs) { l.ask.Raw = !l.ask.Raw })
	lt.visit(false, func(a *route.Address) { a.Log.Raw = lt.logs.ask.Raw })
	lt.toggled()
}

func (lt *logsTab) toggleTimes() {
	lt.update(func(l *logs) { l.times = !l.times })
	lt.toggled()
}

// toggled requests the logs again, and stores the display settings.
func (lt *logsTab) toggled() {
	how := ""
	if lt.logs.wrap {
		how += " wrap"
	}
	if lt.logs.times {
		how += " times"
	}
	if lt.logs.unbarred {
		how += " unbarred"
	}
	lt.browser.Remember("logs", strings.TrimSpace(how))
	lt.request()
	lt.drawer.text.Paint()
}

// follow goes to the end and follows it.
func (lt *logsTab) follow() {
	lt.update(func(l *logs) { l.leave(); l.ask.Follow, l.ask.Paused, l.lost = true, false, 0 })
	if d := lt.logs.doc; d != nil {
		lt.reveal(d.Rows - 1)
	}
	lt.request()
}

// seek goes to the next or the previous match. It starts from the last match visited or, if
// anew, from what is visible.
func (lt *logsTab) seek(back, anew bool) {
	lt.update(func(l *logs) {
		seek := log.Seek{Seq: 1, Back: back}
		if l.ask.Seek != nil {
			seek.Seq = l.ask.Seek.Seq + 1
		}
		if d := l.doc; d != nil && len(d.Window) > 0 {
			last := (lt.drawer.text.box.Scroll+lt.drawer.text.box.Height)/ui.TextRowHeight - d.Offset
			seek.From = d.Window[min(max(last, 0), len(d.Window)-1)].Position
			if d.Found != nil && d.Found.Hit >= 0 && !anew {
				seek.From = d.Found.Position
			}
		}
		l.ask.Seek = &seek
	})
	lt.request()
}

// typed applies the value of a field.
func (lt *logsTab) Typed(field, value string) bool {
	switch field {
	case logsFilterField:
		lt.filter(value)
	case logsFindField:
		lt.update(func(l *logs) { l.ask.Search = value })
		if value != "" {
			lt.seek(true, true)
			return true
		}
	case logsContainerField:
		lt.choose(value, true)
	case logsSinceField:
		lt.visit(true, func(a *route.Address) { a.Log.Since = value })
		lt.update(func(l *logs) {
			l.startOver()
			l.since(value)
		})
	default:
		return false
	}
	lt.request()
	return true
}

// Rows returns how many rows the log has.
func (lt *logsTab) Rows() int {
	if l := lt.logs; l != nil && l.doc != nil {
		return l.doc.Rows
	}
	return 0
}

// end returns the scroll position that shows the last row at the bottom.
func (lt *logsTab) end() int { return lt.Rows()*ui.TextRowHeight - lt.drawer.text.box.Height }

// Lines returns the rows of the window as far as they are loaded. It requests other rows if they
// are visible.
func (lt *logsTab) Lines(offset, limit int) []grid.Line {
	lt.onRows(offset, limit)
	l := lt.logs
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

// onRows handles which rows are visible: scrolling up stops following, and reaching the end
// resumes it.
func (lt *logsTab) onRows(offset, limit int) {
	end := lt.end()
	lt.keepEnd(end)
	l, box, rows := lt.logs, lt.drawer.text.box, lt.Rows()
	follow := l.ask.Follow
	switch {
	case follow && box.Scroll < l.top-ui.TextRowHeight/2 && box.Scroll < end-ui.TextRowHeight/2:
		follow = false
	case !follow && !l.ask.Paused && box.Scroll > l.top && box.Scroll >= end-ui.TextRowHeight/2:
		follow = true
	}
	turned := follow != l.ask.Follow
	if turned || l.top != box.Scroll {
		lt.update(func(l *logs) {
			l.top = box.Scroll
			if turned {
				l.ask.Follow, l.read, l.lost = follow, rows, 0
			}
		})
	}
	if turned {
		lt.redraw()
	}
	if turned || !follow && (offset < l.ask.Offset || offset+limit > l.ask.Offset+l.ask.Limit) || follow && l.ask.Limit < limit {
		lt.request()
	}
}

// keepEnd scrolls to the end again after the height of the box has changed or it was hidden. In
// that case the browser has moved the text, and the user has not scrolled.
func (lt *logsTab) keepEnd(end int) {
	box := &lt.drawer.text.box
	if lt.logs.height == box.Height {
		return
	}
	lt.update(func(l *logs) { l.height = box.Height })
	if lt.logs.ask.Follow && end > box.Scroll {
		box.Scroll = end
		lt.browser.ScrollText(end)
	}
}
