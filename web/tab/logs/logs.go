package logs

import (
	"strconv"
	"strings"
	"time"

	"watchglass/internal/detail/log"
	logline "watchglass/internal/detail/log/line"
	"watchglass/web/grid"
	"watchglass/web/route"
	"watchglass/web/tab"
	"watchglass/web/ui"
)

// The actions of the tab.
const (
	Find     ui.Action = "logs-find"
	Filter   ui.Action = "logs-filter"
	Next     ui.Action = "logs-next"
	Before   ui.Action = "logs-before"
	Follow   ui.Action = "logs-follow"
	Top      ui.Action = "logs-top"
	Pause    ui.Action = "logs-pause"
	Wrap     ui.Action = "logs-wrap"
	Times    ui.Action = "logs-times"
	Previous ui.Action = "logs-previous"
	Choose   ui.Action = "logs-choose" // value: container; none: focus the menu of containers
	Save     ui.Action = "logs-save"   // value: text or raw
	Clear    ui.Action = "logs-clear"
	Pick     ui.Action = "logs-pick" // value: the position of the line
	Copy     ui.Action = "logs-copy"
	Raw      ui.Action = "logs-raw"
	Expand   ui.Action = "logs-expand" // value: the id of the line; none: the match, or the first line in view
	Level    ui.Action = "logs-level"  // value: error, warn, info or debug
	Bars     ui.Action = "logs-bars"
	Widen    ui.Action = "logs-widen"
)

// The fields of the tab.
const (
	filterField    = "logs-filter"
	findField      = "logs-find"
	containerField = "logs-container"
	sinceField     = "logs-since"
	BarsField      = "logs-histogram"
)

// state is the state of the Logs tab. It is copied on change, so that the shell can draw one
// while the page goes on.
type state struct {
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
	lost          uint64 // visible rows that were dropped
	left          int    // seq of the last seek before the user went elsewhere: its answer must not scroll
}

// logs shows the logs of the object's pods.
type logs struct {
	tab.Base
	shown       *state      // nil unless the tab is open; immutable
	asked       log.Options // the last request, as it was sent
	brush       ui.Brush    // of the histogram
	typedFilter string      // the text of the filter's field
	exporting   uint32      // the transfer of a file or copy; 0: none
}

// New returns the tab.
func New(h tab.Host) tab.Tab { return &logs{Base: tab.Base{Host: h}} }

// Close ends what is being saved or copied.
func (t *logs) Close() {
	t.Host.Cancel(t.exporting)
	t.shown, t.exporting = nil, 0
}

func (t *logs) Long() ui.LongText { return t }
func (t *logs) Options() any      { return t.asked }
func (t *logs) Fit()              { t.request() }

func (t *logs) Commands() []ui.Command {
	leave := func() { t.Host.Browser().Focus("text") }
	return ui.Around([]ui.Command{
		{ID: Find, Keys: []string{"/"}, Title: "Find in logs", Do: func() { t.Host.Browser().Focus(findField) }},
		{ID: Filter, Keys: []string{"&"}, Title: "Filter logs", Do: func() { t.Host.Browser().Focus(filterField) }},
		{ID: Next, Keys: []string{"n"}, Title: "Next match", Do: func() { t.seek(false, false) }},
		{ID: Before, Keys: []string{"N"}, Title: "Previous match", Do: func() { t.seek(true, false) }},
		{ID: Choose, Keys: []string{"o"}, Title: "Choose container", Run: t.chooseByKey},
		{ID: Previous, Keys: []string{"P"}, Title: "Show previous or current logs", Do: t.togglePrevious, Offer: t.offerPrevious, KeepsPopover: true},
		{ID: Follow, Keys: []string{"G", "End"}, Title: "Follow", Do: t.follow},
		{ID: Top, Keys: []string{"g", "Home"}, Title: "Go to the beginning", Do: t.top},
		{ID: Pause, Keys: []string{"p"}, Title: "Pause", Do: t.togglePause},
		{ID: Wrap, Keys: []string{"w"}, Title: "Wrap long lines", Do: t.toggleWrap, KeepsPopover: true},
		{ID: Times, Keys: []string{"t"}, Title: "Show timestamps", Do: t.toggleTimes, KeepsPopover: true},
		{ID: Raw, Keys: []string{"J"}, Title: "Show raw lines", Do: t.toggleRaw, KeepsPopover: true},
		{ID: Expand, Keys: []string{"Enter"}, In: ui.InText, Title: "Expand or collapse line", Run: t.expand},
		{ID: Save, Keys: []string{"s"}, Value: "text", Title: "Save", Run: func(what string) { t.save(what == "raw") }},
		{ID: Copy, Keys: []string{"C"}, Title: "Copy the selected lines, or all", Do: t.copyLines},
		{ID: Next, Keys: []string{"Enter"}, In: findField},
		{Keys: []string{"Escape"}, In: findField, Do: leave},
		{Keys: []string{"Enter", "Escape"}, In: filterField, Do: leave},
		{Keys: []string{"Enter", "Escape"}, In: containerField, Do: leave},
		{Keys: []string{"Enter", "Escape"}, In: sinceField, Do: leave},
		{ID: Clear, Do: t.clear},
		{ID: Pick, Run: t.pick},
		{ID: Level, Run: t.pickLevel},
		{ID: Bars, Do: t.toggleBars, KeepsPopover: true},
		{ID: Widen, Do: func() { t.Widen() }},
	}, func(run func()) {
		if t.shown != nil {
			run()
			t.Host.Redraw()
		}
	})
}

// offerPrevious offers the previous logs, or the current ones again.
func (t *logs) offerPrevious(o *ui.Offer) bool {
	o.Text = map[bool]string{false: "Show previous logs", true: "Show current logs"}[t.Host.Address().Previous]
	return t.shown != nil && !t.shown.none()
}

// Offers returns the containers to choose from.
func (t *logs) Offers() (all []ui.Offer) {
	if t.shown == nil || t.shown.none() || t.Host.Subject().Head == nil || len(t.Host.Subject().Head.Containers) < 2 {
		return nil
	}
	for _, c := range t.Host.Subject().Head.Containers {
		all = append(all, ui.Offer{Action: Choose, Value: c.Name, Text: "Container " + c.Name, Hint: c.Role})
	}
	return append(all, ui.Offer{Action: Choose, Value: log.AllContainers, Text: "All containers"})
}

// Open starts with the settings stored in the browser.
func (t *logs) Open() {
	how, at := t.Host.Browser().Recall("logs"), t.Host.Address().Log
	l := &state{began: at.Filter, ask: log.Options{Follow: true}, wrap: strings.Contains(how, "wrap"), times: strings.Contains(how, "times"), unbarred: strings.Contains(how, "unbarred")}
	l.apply(at)
	l.since(at.Since)
	if at.From > 0 && at.Since == "" { // as far back as the link needs
		l.ask.Since = int64((t.Host.Moment().Now.Sub(time.Unix(0, at.From)) + linkMargin) / time.Second)
	}
	t.shown, t.brush = l, ui.Brush{}
	if t.typedFilter != at.Filter { // for the object before
		t.typedFilter = at.Filter
		t.Host.Browser().SetField(filterField, at.Filter)
	}
	t.request()
}

// apply sets what the address says of the lines that are shown. How they are shown stays, unless the
// address says so.
func (l *state) apply(at route.Log) {
	l.ask.Filter, l.ask.From, l.ask.To, l.ask.Raw = at.Filter, at.From, at.To, at.Raw
	l.wrap, l.unbarred = l.wrap || at.Wrap, l.unbarred || at.Unbarred
}

// Moved applies the address after Back or Forward, if the same object's log is still shown.
func (t *logs) Moved() {
	if t.shown == nil {
		return
	}
	at, before := t.Host.Address(), t.shown
	other := at.Log.Since != before.begins || at.Container != before.ask.Container || at.Previous != before.ask.Previous
	t.update(func(l *state) {
		l.apply(at.Log)
		if t.brush = (ui.Brush{}); other {
			l.startOver()
			l.since(at.Log.Since)
		}
	})
	if l := t.shown; !other && l.ask.Filter == before.ask.Filter && l.ask.From == before.ask.From && l.ask.To == before.ask.To && l.ask.Raw == before.ask.Raw && l.wrap == before.wrap && l.unbarred == before.unbarred {
		return
	}
	t.typedFilter = at.Log.Filter
	t.Host.Browser().SetField(filterField, at.Log.Filter)
	t.request()
	t.Host.Text().Paint()
}

// update replaces the state with a changed copy.
func (t *logs) update(change func(l *state)) {
	if t.shown == nil {
		return
	}
	next := *t.shown
	change(&next)
	t.shown = &next
}

// startOver prepares for other logs. They are followed, not paused, and forget what was chosen in the lines
// before: the selected and the expanded ones are others there.
func (l *state) startOver() {
	l.doc, l.lost, l.picking, l.expanded = nil, 0, false, 0
	l.ask.Follow, l.ask.Paused, l.ask.Open = true, false, nil
}

// since sets how far back the log begins: seconds, all, or as much as by default.
func (l *state) since(value string) {
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
func (t *logs) request() {
	t.update(func(l *state) {
		l.ask.Columns = 0
		if l.wide = t.Host.Text().Columns() >= roomyColumns; l.wrap && t.Host.Text().Columns() > 0 {
			l.ask.Columns = max(t.Host.Text().Columns()-l.gutter-edgeColumns-len(l.indent()), leastWrap)
		}
		l.ask.Bars = l.bars(t.Host.Text().Columns())
		l.ask.Container, l.ask.Previous = t.Host.Address().Container, t.Host.Address().Previous
		l.window(t.Host.Text().Box())
		if l.ask.Seq++; !l.ask.Same(l.sent) {
			l.resetSeq = l.ask.Seq
		}
		if l.ask.Paused && !l.sent.Paused {
			l.pausedSeq = l.ask.Seq
		}
		l.sent = l.ask
	})
	if l := t.shown; l != nil {
		t.asked = l.ask
		t.Host.Follow()
	}
}

// linkMargin is how much more of a log a link to a range of time loads: the node counts back from when
// the request arrives, by its own clock.
const linkMargin = time.Minute

// margin is how many rows beyond the painted ones are requested, so that not every scroll
// step sends a request.
const margin = 40

func (l *state) window(box grid.Geometry) {
	offset, limit := box.Window()
	if l.ask.Follow { // an offset would make it a different request
		l.ask.Offset, l.ask.Limit = 0, limit+margin
		return
	}
	l.ask.Offset, l.ask.Limit = max(offset-margin, 0), limit+2*margin
}

// OnDetail applies a window of the log.
func (t *logs) OnDetail(doc []byte) bool {
	d, err := log.ParseDocument(doc)
	switch {
	case err != nil || t.shown == nil:
		return false // impossible: the worker is ours
	case d.Seq < t.shown.resetSeq:
		return false // of an earlier request
	}
	if d.Failed && t.Host.Address().Container == "" { // so that the link, and kubectl's command, name it
		t.choose(d.Usual, false)
		t.request()
		return true
	}
	before := t.shown
	t.update(func(l *state) {
		if l.expanded > 0 && d.Seq >= l.expanded && l.doc != nil {
			l.expanded, l.read = 0, l.read+d.Rows-l.doc.Rows // these rows are not new
		}
		if !d.Paused && d.Seq >= l.pausedSeq { // after a restart or going back, other lines are read
			l.ask.Paused, l.sent.Paused = false, false
		}
		l.doc, l.levels = d, l.levels || d.Levels != [logline.Levels]int{logline.None: d.Levels[logline.None]}
		l.name()
	})
	t.settle(before.doc, d)
	if (before.gutter != t.shown.gutter || before.levels != t.shown.levels) && before.wrap {
		t.request()
	}
	if before.differs(d) || before.ask.Paused != t.shown.ask.Paused {
		return true
	}
	if before.doc.Received != d.Received || before.doc.Rows != d.Rows {
		t.Host.RedrawSoon()
	}
	return false
}

// differs reports whether a document requires an immediate redraw of the shell. Changed counts
// alone do not.
func (l *state) differs(d *log.Document) bool {
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

// top goes to the first line.
func (t *logs) top() {
	t.update(func(l *state) { l.leave(); l.ask.Follow = false })
	t.reveal(0)
	t.request()
}

// leave notes that the user goes elsewhere than to what was sought.
func (l *state) leave() {
	if l.ask.Seek != nil {
		l.left = l.ask.Seek.Seq
	}
}

// clear drops the buffered lines.
func (t *logs) clear() {
	t.update(func(l *state) { l.ask.Cleared++; l.picking = false })
	t.request()
}

func (t *logs) togglePause() {
	t.update(func(l *state) { l.ask.Paused = !l.ask.Paused; l.lost = 0 })
	t.toggled()
}

func (t *logs) togglePrevious() {
	t.Host.Navigate(true, func(a *route.Address) { a.Previous = !a.Previous })
	t.update((*state).startOver)
	t.toggled()
}

// choose shows the logs of a container; with step, Back undoes it.
func (t *logs) choose(container string, step bool) {
	t.Host.Navigate(step, func(a *route.Address) { a.Container = container })
	t.update((*state).startOver)
}

func (t *logs) chooseByKey(container string) {
	if container == "" {
		t.Host.Browser().Focus(containerField)
		return
	}
	t.choose(container, true)
	t.request()
}

func (t *logs) toggleWrap() {
	t.update(func(l *state) { l.wrap = !l.wrap })
	t.Host.Navigate(false, func(a *route.Address) { a.Log.Wrap = t.shown.wrap })
	t.toggled()
}

func (t *logs) toggleRaw() {
	t.update(func(l *state) { l.ask.Raw = !l.ask.Raw })
	t.Host.Navigate(false, func(a *route.Address) { a.Log.Raw = t.shown.ask.Raw })
	t.toggled()
}

func (t *logs) toggleTimes() {
	t.update(func(l *state) { l.times = !l.times })
	t.toggled()
}

// toggled requests the logs again, and stores the display settings.
func (t *logs) toggled() {
	how := ""
	if t.shown.wrap {
		how += " wrap"
	}
	if t.shown.times {
		how += " times"
	}
	if t.shown.unbarred {
		how += " unbarred"
	}
	t.Host.Browser().Remember("logs", strings.TrimSpace(how))
	t.request()
	t.Host.Text().Paint()
}

// follow goes to the end and follows it.
func (t *logs) follow() {
	t.update(func(l *state) { l.leave(); l.ask.Follow, l.ask.Paused, l.lost = true, false, 0 })
	if d := t.shown.doc; d != nil {
		t.reveal(d.Rows - 1)
	}
	t.request()
}

// seek goes to the next or the previous match. It starts from the last match visited or, if
// anew, from what is visible.
func (t *logs) seek(back, anew bool) {
	t.update(func(l *state) {
		seek := log.Seek{Seq: 1, Back: back}
		if l.ask.Seek != nil {
			seek.Seq = l.ask.Seek.Seq + 1
		}
		if d := l.doc; d != nil && len(d.Window) > 0 {
			last := (t.Host.Text().Box().Scroll+t.Host.Text().Box().Height)/ui.TextRowHeight - d.Offset
			seek.From = d.Window[min(max(last, 0), len(d.Window)-1)].Position
			if d.Found != nil && d.Found.Hit >= 0 && !anew {
				seek.From = d.Found.Position
			}
		}
		l.ask.Seek = &seek
	})
	t.request()
}

// Typed applies the value of a field.
func (t *logs) Typed(field, value string) bool {
	switch field {
	case filterField:
		t.filter(value)
	case findField:
		t.update(func(l *state) { l.ask.Search = value })
		if value != "" {
			t.seek(true, true)
			return true
		}
	case containerField:
		t.choose(value, true)
	case sinceField:
		t.Host.Navigate(true, func(a *route.Address) { a.Log.Since = value })
		t.update(func(l *state) {
			l.startOver()
			l.since(value)
		})
	default:
		return false
	}
	t.request()
	return true
}
