package web

import (
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"watchglass/internal/port"
	"watchglass/web/route"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// Actions of going back in time.
const (
	GoBack        ui.Action = "past"
	ToLive        ui.Action = "live"
	StepPast      ui.Action = "past-step" // value: -1 for the previous change, 1 for the next
	TravelTo      ui.Action = "past-to"   // value: milliseconds since 1970
	MovePast      ui.Action = "past-move" // value: seconds
	PlayPast      ui.Action = "past-play"
	SetSpeed      ui.Action = "past-speed" // value: a factor
	HidePast      ui.Action = "past-hide"
	OpenRecording ui.Action = "open-recording"
	DropFile      ui.Action = "drop-file"
)

// pastField is the ID of the slider. Moves of it in one go share an entry of the browser's history.
const pastField = "past-slider"

// pastKeys returns the slider's key bindings.
func pastKeys(k ui.Key) []ui.Binding {
	if k.Field != pastField {
		return nil
	}
	return []ui.Binding{
		{Keys: []string{" "}, Action: PlayPast, Field: pastField},
		{Keys: []string{"ArrowLeft", "ArrowDown"}, Action: MovePast, Value: "-1", Field: pastField},
		{Keys: []string{"ArrowRight", "ArrowUp"}, Action: MovePast, Value: "1", Field: pastField},
	}
}

// slots is the number of positions of the slider. It is fixed, so the slider does not move while
// history grows.
const slots = 100_000

// speeds are the available playing speeds.
var speeds = []int{1, 10, 60}

// past is the part that takes the page to a moment of the hub's history or of a recording. One Travel
// is in flight at a time; only the newest of those after it is sent next.
type past struct {
	*page
	report   port.Past // the hub's latest
	at       time.Time // the moment on screen, or the requested one; zero: now
	playing  bool
	speed    int
	open     bool   // show the bar although the page is live
	seq      uint32 // of the last Travel
	sent     uint32 // of the Travel in flight
	exact    bool   // the moment was named, not pointed at: don't show another one
	told     uint32 // of the last Travel whose failure was shown: every report repeats it
	wanted   int64  // the moment in the address, until the recording that the page fetches is open; 0: none
	inFlight bool
	next     *port.Travel // sent after the one in flight
	waiting  []func(why string)
	steps    int         // changes still to step, back if negative
	stepping bool        // a step is requested
	warning  string      // why the page could not go to the requested moment
	ticks    bool        // a timer redraws "5m ago"
	late     *time.Timer // the shell and the address show an earlier moment than the rows, until it fires; nil: they don't
	file     *openedFile
	lastFile uint32
	alone    bool // the page has no cluster
	fetches  bool // the published recording is loading
	fetched  File // that recording; nil if there is none
}

func newPast(p *page) *past {
	alone, fetches := p.browser.Alone()
	return &past{page: p, alone: alone, fetches: fetches}
}

func (p *past) Actions() map[ui.Action]func(string) {
	return map[ui.Action]func(string){
		GoBack: ui.IgnoreValue(p.show), ToLive: ui.IgnoreValue(p.toLive), StepPast: p.step, MovePast: p.move, PlayPast: ui.IgnoreValue(p.Play), TravelTo: p.travelTo, SetSpeed: p.setSpeed, HidePast: ui.IgnoreValue(p.hide), KeepOnDisk: ui.IgnoreValue(p.toggleDisk),
		OpenRecording: ui.IgnoreValue(p.browser.PickFile), DropFile: ui.IgnoreValue(p.dropFile), OpenFetched: ui.IgnoreValue(func() { p.OpenFile(p.fetched) }),
	}
}

// on reports whether the page shows the past, or a recording.
func (p *past) On() bool { return !p.at.IsZero() || p.report.Recorded != nil }

// Visible reports whether the bar is on screen.
func (p *past) Visible() bool { return p.open || p.On() }

// At returns the moment on screen; zero if that is now.
func (p *past) At() time.Time { return p.at }

// Playing reports whether time is playing.
func (p *past) Playing() bool { return p.playing }

// Recorded returns the recording on screen; nil if there is none.
func (p *past) Recorded() *port.Recorded { return p.report.Recorded }

// Now returns the moment that ages count from: the one on screen.
func (p *past) Now() time.Time {
	if p.at.IsZero() {
		return time.Now()
	}
	return p.at
}

// begin goes to the moment in the address that opened the page.
func (p *past) Begin() {
	p.beginDisk()
	if p.fetches {
		p.wanted = p.address.At
	} else if at := p.address.At; at != 0 {
		p.goExactly(at)
	}
}

// goExactly goes to a moment that was named.
func (p *past) goExactly(at int64) {
	p.travel(port.Travel{At: time.Unix(0, at)})
	p.exact = true
}

// show shows the bar and focuses the slider.
func (p *past) show() {
	if p.Empty() { // there is nothing to go back in
		return
	}
	p.open = true
	p.redraw()
	p.browser.SetField(pastField, p.position())
	p.browser.Focus(pastField)
}

// hide closes the bar of a live page.
func (p *past) hide() {
	p.open, p.warning = false, ""
	p.redraw()
	p.browser.Focus("grid")
}

// leave returns to live, or closes the bar of a live page. It reports whether it did either.
func (p *past) Leave() bool {
	switch {
	case p.at.IsZero() && !p.open:
		return false
	case p.report.Recorded != nil: // only an explicit action closes a recording
		return false
	case p.at.IsZero():
		p.hide()
	default:
		p.toLive()
	}
	return true
}

// toLive returns to now, and closes a recording.
func (p *past) toLive() {
	if !p.On() {
		return
	}
	p.CatchUp()
	p.typing = "" // so that Back returns to the past
	p.goTo(port.Travel{Close: p.report.Recorded != nil})
	p.open, p.typing = false, ""
	p.browser.Focus("grid")
}

// goTo travels and writes the moment into the address. All moves in one go are one history entry.
func (p *past) goTo(t port.Travel) {
	p.steps = 0
	if p.travel(t); p.late == nil {
		p.updateAddress()
	}
}

// updateAddress writes the moment into the address, unless time is playing.
func (p *past) updateAddress() {
	if !p.playing {
		p.visitTyped(pastField, func(*route.Address) {})
	}
}

// addressed returns the moment for the address, which holds before now.
func (p *past) Addressed(before int64) int64 {
	switch {
	case p.at.IsZero():
		return 0
	case p.playing:
		return before
	}
	return p.at.Truncate(time.Millisecond).UnixNano()
}

// travel asks the hub for a moment, and shows it as if the hub were there already.
func (p *past) travel(t port.Travel) {
	if p.share.export != nil {
		p.share.endExport("Nothing was exported: the view changed. Try again.")
	}
	within := !p.at.IsZero() && !t.At.IsZero() && p.playing == t.Playing
	if !within {
		p.CatchUp() // what is left is the moment before
	}
	p.seq++
	t.Seq = p.seq
	p.at, p.playing, p.warning, p.exact = t.At, t.Playing, "", false
	if p.list.paused { // the past has no pending changes
		p.list.paused = false
		p.list.look()
	}
	if p.next = &t; !p.inFlight {
		p.sendNext()
	}
	if within {
		p.catchUpSoon()
	} else {
		p.redrawPast()
	}
}

// rowsFirst is how long the rows of another moment have before the shell is drawn for it. If both were drawn at once, the
// rows would come a fifth later.
const rowsFirst = 60 * time.Millisecond

// catchUpSoon draws the shell and writes the address after rowsFirst, or once the address changes, as on arrival. Moves
// until then share that.
func (p *past) catchUpSoon() {
	if p.late != nil {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(rowsFirst, func() {
		p.locked(func() {
			if p.late == timer {
				p.CatchUp()
			}
		})
	})
	p.late = timer
}

// catchUp draws the shell and writes the address, if they show an earlier moment.
func (p *past) CatchUp() {
	if !p.forgetLate() {
		return
	}
	p.redrawPast()
	if p.address.At != p.Addressed(p.address.At) {
		p.updateAddress()
	}
}

// forgetLate reports whether the shell and the address show an earlier moment. The caller sees to that.
func (p *past) forgetLate() bool {
	late := p.late
	if p.late = nil; late != nil {
		late.Stop()
	}
	return late != nil
}

// sendNext sends the waiting Travel.
func (p *past) sendNext() {
	p.port.Send(*p.next)
	p.sent, p.next, p.inFlight = p.next.Seq, nil, true
}

// redrawPast shows whether the page is in the past.
func (p *past) redrawPast() {
	p.showState()
	p.tick()
	p.redraw()
}

// onPast handles the hub's report of the moment that it shows.
func (p *past) OnPast(m port.Past) {
	if was := p.report.Recorded; (was == nil) != (m.Recorded == nil) || was != nil && *was != *m.Recorded {
		p.state.Proxy = nil // of another cluster, until the next state
		p.open, p.file, p.fetches = false, nil, false
	}
	p.onDisk(p.report.Disk, m.Disk)
	opened := p.report.Recorded != nil
	if p.report = m; opened != (m.Recorded != nil) {
		p.showState() // the list's state may have arrived earlier
	}
	if p.inFlight && m.Seq < p.sent { // the answer is still to come
		p.redrawSoon()
		return
	}
	if p.inFlight = false; p.next != nil {
		p.sendNext()
		return
	}
	if at := p.wanted; at != 0 {
		if m.Recorded != nil {
			p.wanted = 0
			p.goExactly(at)
		}
		return
	}
	p.onArrival(m)
}

// onArrival shows the moment that the hub has reached, and says so if it is not the requested one.
func (p *past) onArrival(m port.Past) {
	asked, lost := p.at, m.Error != "" && m.Seq != p.told
	if lost {
		p.told = m.Seq
	}
	if p.exact && m.Recorded != nil && elsewhere(m, asked) {
		p.warning = p.Clock(asked) + " is not in this recording."
	} else if p.exact && elsewhere(m, asked) {
		p.travel(port.Travel{})
		p.warning, p.open = p.unknown(asked, m), true
		return
	}
	p.exact = p.exact && m.Recorded == nil
	changed := !p.at.Equal(m.At) || p.playing != m.Playing
	if p.at, p.playing = m.At, m.Playing; lost {
		p.warning, p.open, p.steps = p.unknown(asked, m), m.At.IsZero(), 0
	}
	if typing := p.typing; p.address.At != p.Addressed(p.address.At) {
		p.visit(false, func(*route.Address) {})
		p.typing = typing
	}
	if p.open || p.On() {
		p.browser.SetField(pastField, p.position())
	}
	for _, done := range p.waiting {
		done(p.warning)
	}
	p.waiting = nil
	p.emitState()
	if changed || lost {
		p.redrawPast()
	} else {
		p.redrawSoon()
	}
	p.nextStep()
}

// elsewhere reports whether the hub shows another moment than the requested one, because that is not
// in its history.
func elsewhere(m port.Past, asked time.Time) bool {
	return m.Error == "" && !asked.IsZero() && m.At.Sub(asked).Abs() > time.Second
}

// onMove goes to the moment in the address that Back or Forward leads to, and stays if that is the moment it was.
// In a recording, an address without a moment keeps the one on screen.
func (p *past) OnMove(was int64) {
	if p.forgetLate() { // the address is another entry's now
		p.redrawPast()
	}
	at := p.address.At
	if at == p.Addressed(at) && (!p.playing || at == was) || at == 0 && p.report.Recorded != nil {
		return
	}
	t := port.Travel{}
	if at != 0 {
		t.At = time.Unix(0, at)
	}
	p.steps = 0
	p.travel(t)
	p.exact = true
}

// onReset forgets the history of the hub that ended, and says to the new one whether it may keep some on disk.
func (p *past) OnReset() {
	was := p.On()
	p.forgetLate()
	*p = past{page: p.page, seq: p.seq, waiting: p.waiting, ticks: p.ticks, lastFile: p.lastFile, speed: p.speed, alone: p.alone, fetches: p.fetches, fetched: p.fetched}
	for _, done := range p.waiting {
		done("the background worker stopped")
	}
	if p.waiting = nil; was {
		p.visit(false, func(*route.Address) {})
		p.redrawPast()
	}
	p.beginDisk()
}

// typed goes to the moment of a slider position.
func (p *past) Typed(value string) {
	at, err := strconv.ParseInt(value, 10, 64)
	from, to := p.Span()
	if err != nil || from.IsZero() {
		return
	}
	p.goTo(port.Travel{At: from.Add(time.Duration(at) * (to.Sub(from) / slots)).Truncate(time.Millisecond)})
}

// position returns the slider's position.
func (p *past) position() string {
	from, to := p.Span()
	at := p.at
	if at.IsZero() {
		at = to
	}
	return strconv.FormatInt(p.slot(from, to, at), 10)
}

// slot returns the position of a moment on the slider.
func (*past) slot(from, to, at time.Time) int64 {
	step := to.Sub(from) / slots
	if step <= 0 {
		return slots
	}
	return min(max(int64((at.Sub(from)+step/2)/step), 0), slots)
}

// span returns the moments that the slider ranges over.
func (p *past) Span() (from, to time.Time) { return p.report.From, p.report.To }

// move moves the slider by seconds.
func (p *past) move(value string) {
	by, _ := strconv.Atoi(value)
	from, to := p.Span()
	at := p.at
	if at.IsZero() {
		at = to
	}
	if at = at.Add(time.Duration(by) * time.Second); from.IsZero() || at.After(to) && p.at.IsZero() {
		return
	}
	if at.Before(from) {
		at = from
	} else if at.After(to) {
		at = to
	}
	p.goTo(port.Travel{At: at})
}

// travelTo goes to the end of a millisecond, so that what happened in it is shown.
func (p *past) travelTo(value string) {
	if at, err := strconv.ParseInt(value, 10, 64); err == nil {
		p.goTo(port.Travel{At: time.UnixMilli(at + 1)})
	}
}

// Play starts or pauses playing.
func (p *past) Play() {
	switch {
	case p.at.IsZero():
		return
	case p.playing:
		p.travel(port.Travel{At: p.at})
		p.updateAddress()
	default:
		p.goTo(port.Travel{At: p.at, Playing: true, Speed: max(p.speed, 1)})
	}
}

// Pause pauses playing, and calls done on arrival, with why that failed.
func (p *past) Pause(done func(failed string)) {
	p.Play()
	p.waiting = append(p.waiting, done)
}

func (p *past) setSpeed(value string) {
	if speed, _ := strconv.Atoi(value); slices.Contains(speeds, speed) {
		p.speed = speed
	}
	if p.playing {
		p.travel(port.Travel{At: p.at, Playing: true, Speed: p.speed})
	}
	p.redraw()
}

// step goes to the previous or next change to the list on screen.
func (p *past) step(value string) {
	by, _ := strconv.Atoi(value)
	p.steps += by
	p.nextStep()
}

// nextStep requests the next remaining step, once the page has arrived from the previous one.
func (p *past) nextStep() {
	if p.steps == 0 || p.stepping || p.inFlight {
		return
	}
	by := 1
	if p.steps < 0 {
		by = -1
	}
	p.steps -= by
	p.stepping = true
	p.Ask("past.step", json.RawMessage("["+strconv.Itoa(by)+"]"), func(a port.Answer) {
		p.stepping = false
		p.onStep(by, a)
	})
}

// step is a step to a change, and what may be missing on the way.
type step struct {
	At        time.Time   `json:"at"`
	Missed    port.Missed `json:"missed"` // the first
	Gaps      int         `json:"gaps"`   // how many there are
	Unwatched bool        `json:"unwatched"`
}

// none says that there is no change to step to, as far as is known.
func (s *step) none(earlier bool) string {
	which := map[bool]string{true: "earlier", false: "later"}[earlier]
	switch {
	case s.Unwatched:
		return "No " + which + " changes known: this list was not watched (" + s.gaps() + ")."
	case s.Gaps > 0:
		return "No " + which + " changes seen in this list. Changes may be missing (" + s.gaps() + ")."
	}
	return "No " + which + " changes seen in this list."
}

func (s *step) gaps() string { return words.GapsFrom(s.Missed.From, s.Missed.To, s.Gaps) }

// onStep goes to the change that the hub found.
func (p *past) onStep(by int, a port.Answer) {
	var found step
	left := p.steps
	switch err := json.Unmarshal(a.Value, &found); {
	case a.Error != "":
		p.steps = 0
		p.notices.say(notice{text: words.Sentence(a.Error) + "."})
	case err != nil || found.At.IsZero():
		p.steps = 0
		p.notices.say(notice{text: found.none(by < 0)})
	default:
		p.goTo(port.Travel{At: found.At})
		if p.steps = left; found.Gaps > 0 {
			p.notices.say(notice{text: "Changes may be missing in this step (" + found.gaps() + ")."})
		}
	}
}

// tickEvery is how often "5m ago" is redrawn.
const tickEvery = 15 * time.Second

// tick redraws "5m ago" regularly while the page shows the past.
func (p *past) tick() {
	if p.ticks || p.at.IsZero() {
		return
	}
	p.ticks = true
	time.AfterFunc(tickEvery, func() {
		p.locked(func() {
			p.ticks = false
			p.redraw()
			p.tick()
		})
	})
}

// event returns the past for scripts; nil if the page is live.
func (p *past) Event() map[string]any {
	if !p.On() {
		return nil
	}
	out := map[string]any{"at": p.at, "from": p.report.From, "to": p.report.To, "playing": p.playing, "speed": max(p.report.Speed, 1)}
	if p.report.Recorded != nil {
		out["recorded"] = p.report.Recorded
	}
	return out
}

// showState sets the document's state and title.
func (p *page) showState() { p.browser.SetState(p.stateName(), p.title()) }

// stateName returns the state of the list's source, or of the one object in a frame; "past" in the past.
func (p *page) stateName() string {
	if p.past.Empty() {
		return startState
	}
	if p.past.On() {
		return pastState
	}
	if p.frame.only() {
		return objectStates[p.drawer.Subject().State()]
	}
	return p.state.Source.State
}

// The states of a document that shows no live list: the past, or the start screen of a page without a cluster.
const (
	pastState  = "past"
	startState = "start"
)

// emitState reports the state to its listeners.
func (p *page) emitState() {
	doc := map[string]any{"state": p.stateName(), "since": p.state.Source.Since}
	if p.frame.only() {
		doc["since"] = p.frame.since
	}
	if at := p.past.Event(); at != nil {
		doc["past"] = at
	}
	p.emit("state", doc)
}

// Travel takes the page to a moment, or to now if at is zero, and waits until the hub has arrived. It
// returns inspect's "past", or why the page could not go there.
func (p *Page) Travel(at time.Time) (doc json.RawMessage, failed string) {
	there := make(chan string, 1)
	p.locked(func(g *page) {
		g.past.waiting = append(g.past.waiting, func(why string) { there <- why })
		g.past.goTo(port.Travel{At: at})
		g.past.exact = true
	})
	if failed = <-there; failed != "" {
		return nil, failed
	}
	return p.Past(), ""
}

// Past returns inspect's "past"; null if the page is live.
func (p *Page) Past() (doc json.RawMessage) {
	p.locked(func(g *page) { doc, _ = json.Marshal(g.past.Event()) }) // times and texts never fail to encode
	return doc
}

// momentOf returns the moment in a script's arguments: RFC 3339, milliseconds, or null for now.
func momentOf(args []byte) (at time.Time, failed string) {
	var list []any
	if json.Unmarshal(args, &list) != nil || len(list) == 0 || list[0] == nil {
		return at, ""
	}
	switch v := list[0].(type) {
	case float64:
		return time.UnixMilli(int64(v)), ""
	case string:
		if nanos := route.ParseTime(v); nanos != 0 {
			return time.Unix(0, nanos), ""
		}
	}
	return at, "invalid time: use RFC 3339, or milliseconds since 1970"
}
