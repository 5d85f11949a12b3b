package past

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
	MovePast      ui.Action = "past-move" // value: seconds
	PlayPast      ui.Action = "past-play"
	SetSpeed      ui.Action = "past-speed" // value: a factor
	HidePast      ui.Action = "past-hide"
	OpenRecording ui.Action = "open-recording"
	DropFile      ui.Action = "drop-file"
)

// slots is the number of positions of the slider. It is fixed, so the slider does not move while
// history grows.
const slots = 100_000

// speeds are the available playing speeds.
var speeds = []int{1, 10, 60}

// Past is the part that takes the page to a moment of the hub's history or of a recording. One Travel
// is in flight at a time; only the newest of those after it is sent next.
type Past struct {
	host     Host
	browser  Browser
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
	alone    bool    // the page has no cluster
	fetches  bool    // the published recording is loading
	fetched  ui.File // that recording; nil if there is none
}

// New returns the part of a page, which is live.
func New(h Host, b Browser) *Past {
	alone, fetches := b.Alone()
	return &Past{host: h, browser: b, alone: alone, fetches: fetches}
}

// Commands returns the commands of going back in time.
func (p *Past) Commands() []ui.Command {
	live := func(o *ui.Offer) bool {
		if p.report.Recorded != nil {
			o.Text = "Close recording"
		}
		return p.On()
	}
	return []ui.Command{
		{ID: GoBack, Keys: []string{"h"}, Title: "Go back in time", Names: []string{"past", "history", "time travel"}, Do: p.show, Offer: ui.Always},
		{ID: StepPast, Run: p.step, Value: "-1", Keys: []string{","}, Title: "Previous change"},
		{ID: StepPast, Value: "1", Keys: []string{"."}, Title: "Next change"},
		{ID: ToLive, Keys: []string{"L"}, Title: "Back to live", Do: p.toLive, Offer: live},
		{ID: MovePast, Run: p.move, Value: "-1", Keys: []string{"ArrowLeft", "ArrowDown"}, In: ui.TimeSlider},
		{ID: MovePast, Value: "1", Keys: []string{"ArrowRight", "ArrowUp"}, In: ui.TimeSlider},
		{ID: PlayPast, Do: p.Play, Keys: []string{" "}, In: ui.TimeSlider},
		{Do: func() { p.Leave() }, Keys: []string{"Escape"}, In: ui.TimeSlider},
		{ID: ui.TravelTo, Run: p.travelTo},
		{ID: SetSpeed, Run: p.setSpeed},
		{ID: HidePast, Do: p.hide},
		{ID: KeepOnDisk, Do: p.toggleDisk},
		{ID: OpenRecording, Title: "Open recording…", Names: []string{"replay", "file"}, Do: p.browser.PickFile, Offer: ui.Always},
		{ID: DropFile, Do: p.dropFile},
		{ID: OpenFetched, Do: func() { p.OpenFile(p.fetched) }},
	}
}

// On reports whether the page shows the past, or a recording.
func (p *Past) On() bool { return !p.at.IsZero() || p.report.Recorded != nil }

// Visible reports whether the bar is on screen.
func (p *Past) Visible() bool { return p.open || p.On() }

// At returns the moment on screen; zero if that is now.
func (p *Past) At() time.Time { return p.at }

// Playing reports whether time is playing.
func (p *Past) Playing() bool { return p.playing }

// Recorded returns the recording on screen; nil if there is none.
func (p *Past) Recorded() *port.RecordingInfo { return p.report.Recorded }

// Now returns the moment that ages count from: the one on screen.
func (p *Past) Now() time.Time {
	if p.at.IsZero() {
		return time.Now()
	}
	return p.at
}

// Begin goes to the moment in the address that opened the page.
func (p *Past) Begin() {
	p.beginDisk()
	if p.fetches {
		p.wanted = p.host.Address().At
	} else if at := p.host.Address().At; at != 0 {
		p.goExactly(at)
	}
}

// goExactly goes to a moment that was named.
func (p *Past) goExactly(at int64) {
	p.travel(port.Travel{At: time.Unix(0, at)})
	p.exact = true
}

// show shows the bar and focuses the slider.
func (p *Past) show() {
	if p.Empty() { // there is nothing to go back in
		return
	}
	p.open = true
	p.host.Redraw()
	p.browser.SetField(ui.TimeSlider, p.position())
	p.browser.Focus(ui.TimeSlider)
}

// hide closes the bar of a live page.
func (p *Past) hide() {
	p.open, p.warning = false, ""
	p.host.Redraw()
	p.browser.Focus("grid")
}

// Leave returns to live, or closes the bar of a live page. It reports whether it did either.
func (p *Past) Leave() bool {
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
func (p *Past) toLive() {
	if !p.On() {
		return
	}
	p.CatchUp()
	p.steps = 0
	p.travel(port.Travel{Close: p.report.Recorded != nil})
	p.host.Navigate(true, justMoment) // so that Back returns to the past
	p.open = false
	p.browser.Focus("grid")
}

// goTo travels and writes the moment into the address. All moves in one go are one history entry.
func (p *Past) goTo(t port.Travel) {
	p.steps = 0
	if p.travel(t); p.late == nil {
		p.updateAddress()
	}
}

// justMoment changes nothing of an address but its moment, which the page sets itself.
func justMoment(*route.Address) {}

// updateAddress writes the moment into the address, unless time is playing.
func (p *Past) updateAddress() {
	if !p.playing {
		p.host.NavigateTyped(ui.TimeSlider, justMoment)
	}
}

// MomentFor returns the moment that the address is to have in place of one: none while the page is live, and the same
// while time is playing.
func (p *Past) MomentFor(before int64) int64 {
	switch {
	case p.at.IsZero():
		return 0
	case p.playing:
		return before
	}
	return p.at.Truncate(time.Millisecond).UnixNano()
}

// travel asks the hub for a moment, and shows it as if the hub were there already.
func (p *Past) travel(t port.Travel) {
	within := !p.at.IsZero() && !t.At.IsZero() && p.playing == t.Playing
	if !within {
		p.CatchUp() // what is left is the moment before
	}
	p.seq++
	t.Seq = p.seq
	p.at, p.playing, p.warning, p.exact = t.At, t.Playing, "", false
	p.host.BeforeTravel()
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
func (p *Past) catchUpSoon() {
	if p.late != nil {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(rowsFirst, func() {
		p.host.Locked(func() {
			if p.late == timer {
				p.CatchUp()
			}
		})
	})
	p.late = timer
}

// CatchUp draws the shell and writes the address, if they show an earlier moment.
func (p *Past) CatchUp() {
	if !p.forgetLate() {
		return
	}
	p.redrawPast()
	if p.host.Address().At != p.MomentFor(p.host.Address().At) {
		p.updateAddress()
	}
}

// forgetLate reports whether the shell and the address show an earlier moment. The caller sees to that.
func (p *Past) forgetLate() bool {
	late := p.late
	if p.late = nil; late != nil {
		late.Stop()
	}
	return late != nil
}

// sendNext sends the waiting Travel.
func (p *Past) sendNext() {
	p.host.Send(*p.next)
	p.sent, p.next, p.inFlight = p.next.Seq, nil, true
}

// redrawPast shows whether the page is in the past.
func (p *Past) redrawPast() {
	p.host.ShowState()
	p.tick()
	p.host.Redraw()
}

// Switches reports whether a report is of another cluster than the one before: a recording was opened, or closed.
func (p *Past) Switches(m port.Past) bool {
	was := p.report.Recorded
	return (was == nil) != (m.Recorded == nil) || was != nil && *was != *m.Recorded
}

// OnPast handles the hub's report of the moment that it shows. It reports whether the page has arrived there.
func (p *Past) OnPast(m port.Past) (arrived bool) {
	if p.Switches(m) {
		p.open, p.file, p.fetches = false, nil, false
	}
	p.onDisk(p.report.Disk, m.Disk)
	opened := p.report.Recorded != nil
	if p.report = m; opened != (m.Recorded != nil) {
		p.host.ShowState() // the list's state may have arrived earlier
	}
	if p.inFlight && m.Seq < p.sent { // the answer is still to come
		p.host.RedrawSoon()
		return false
	}
	if p.inFlight = false; p.next != nil {
		p.sendNext()
		return false
	}
	if at := p.wanted; at != 0 {
		if m.Recorded != nil {
			p.wanted = 0
			p.goExactly(at)
		}
		return false
	}
	return p.onArrival(m)
}

// onArrival shows the moment that the hub has reached, and says so if it is not the requested one: then the page is not
// there yet.
func (p *Past) onArrival(m port.Past) bool {
	asked, lost := p.at, m.Error != "" && m.Seq != p.told
	if lost {
		p.told = m.Seq
	}
	if p.exact && m.Recorded != nil && elsewhere(m, asked) {
		p.warning = p.Clock(asked) + " is not in this recording."
	} else if p.exact && elsewhere(m, asked) {
		p.travel(port.Travel{})
		p.warning, p.open = p.unknown(asked, m), true
		return false
	}
	p.exact = p.exact && m.Recorded == nil
	changed := !p.at.Equal(m.At) || p.playing != m.Playing
	if p.at, p.playing = m.At, m.Playing; lost {
		p.warning, p.open, p.steps = p.unknown(asked, m), m.At.IsZero(), 0
	}
	if before := p.host.Address().At; before != p.MomentFor(before) {
		p.host.Amend(justMoment)
	}
	if p.open || p.On() {
		p.browser.SetField(ui.TimeSlider, p.position())
	}
	for _, done := range p.waiting {
		done(p.warning)
	}
	p.waiting = nil
	if changed || lost {
		p.redrawPast()
	} else {
		p.host.RedrawSoon()
	}
	p.nextStep()
	return true
}

// elsewhere reports whether the hub shows another moment than the requested one, because that is not
// in its history.
func elsewhere(m port.Past, asked time.Time) bool {
	return m.Error == "" && !asked.IsZero() && m.At.Sub(asked).Abs() > time.Second
}

// OnMove goes to the moment in the address that Back or Forward leads to, and stays if that is the moment it was.
// In a recording, an address without a moment keeps the one on screen.
func (p *Past) OnMove(was int64) {
	if p.forgetLate() { // the address is another entry's now
		p.redrawPast()
	}
	at := p.host.Address().At
	if at == p.MomentFor(at) && (!p.playing || at == was) || at == 0 && p.report.Recorded != nil {
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

// OnReset forgets the history of the hub that ended, and says to the new one whether it may keep some on disk.
func (p *Past) OnReset() {
	was := p.On()
	p.forgetLate()
	*p = Past{host: p.host, browser: p.browser, seq: p.seq, waiting: p.waiting, ticks: p.ticks, speed: p.speed, alone: p.alone, fetches: p.fetches, fetched: p.fetched}
	for _, done := range p.waiting {
		done("the background worker stopped")
	}
	if p.waiting = nil; was {
		p.host.Navigate(false, justMoment)
		p.redrawPast()
	}
	p.beginDisk()
}

// Typed goes to the moment of a slider position.
func (p *Past) Typed(value string) {
	at, err := strconv.ParseInt(value, 10, 64)
	from, to := p.Span()
	if err != nil || from.IsZero() {
		return
	}
	p.goTo(port.Travel{At: from.Add(time.Duration(at) * (to.Sub(from) / slots)).Truncate(time.Millisecond)})
}

// position returns the slider's position.
func (p *Past) position() string {
	from, to := p.Span()
	at := p.at
	if at.IsZero() {
		at = to
	}
	return strconv.FormatInt(p.slot(from, to, at), 10)
}

// slot returns the position of a moment on the slider.
func (*Past) slot(from, to, at time.Time) int64 {
	step := to.Sub(from) / slots
	if step <= 0 {
		return slots
	}
	return min(max(int64((at.Sub(from)+step/2)/step), 0), slots)
}

// Span returns the moments that the slider ranges over.
func (p *Past) Span() (from, to time.Time) { return p.report.From, p.report.To }

// move moves the slider by seconds.
func (p *Past) move(value string) {
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

// travelTo goes to a millisecond.
func (p *Past) travelTo(value string) {
	if at, err := strconv.ParseInt(value, 10, 64); err == nil {
		p.ToMillisecond(at)
	}
}

// ToMillisecond goes to the end of a millisecond, so that what happened in it is shown.
func (p *Past) ToMillisecond(at int64) { p.goTo(port.Travel{At: time.UnixMilli(at + 1)}) }

// Travel goes to a moment, or to now if at is zero. It calls done on arrival, with why the page could not go there.
func (p *Past) Travel(at time.Time, done func(failed string)) {
	p.waiting = append(p.waiting, done)
	p.goTo(port.Travel{At: at})
	p.exact = true
}

// Play starts or pauses playing.
func (p *Past) Play() {
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
func (p *Past) Pause(done func(failed string)) {
	p.Play()
	p.waiting = append(p.waiting, done)
}

func (p *Past) setSpeed(value string) {
	if speed, _ := strconv.Atoi(value); slices.Contains(speeds, speed) {
		p.speed = speed
	}
	if p.playing {
		p.travel(port.Travel{At: p.at, Playing: true, Speed: p.speed})
	}
	p.host.Redraw()
}

// step goes to the previous or next change to the list on screen.
func (p *Past) step(value string) {
	by, _ := strconv.Atoi(value)
	p.steps += by
	p.nextStep()
}

// nextStep requests the next remaining step, once the page has arrived from the previous one.
func (p *Past) nextStep() {
	if p.steps == 0 || p.stepping || p.inFlight {
		return
	}
	by := 1
	if p.steps < 0 {
		by = -1
	}
	p.steps -= by
	p.stepping = true
	p.host.Ask("past.step", json.RawMessage("["+strconv.Itoa(by)+"]"), func(a port.Answer) {
		p.stepping = false
		p.onStep(by, a)
	})
}

// step is a step to a change, and what may be missing on the way.
type step struct {
	At        time.Time         `json:"at"`
	Missed    port.Interruption `json:"missed"` // the first
	Gaps      int               `json:"gaps"`   // how many there are
	Unwatched bool              `json:"unwatched"`
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
func (p *Past) onStep(by int, a port.Answer) {
	var found step
	left := p.steps
	switch err := json.Unmarshal(a.Value, &found); {
	case a.Error != "":
		p.steps = 0
		p.host.Notify(words.Sentence(a.Error) + ".")
	case err != nil || found.At.IsZero():
		p.steps = 0
		p.host.Notify(found.none(by < 0))
	default:
		p.goTo(port.Travel{At: found.At})
		if p.steps = left; found.Gaps > 0 {
			p.host.Notify("Changes may be missing in this step (" + found.gaps() + ").")
		}
	}
}

// tickEvery is how often "5m ago" is redrawn.
const tickEvery = 15 * time.Second

// tick redraws "5m ago" regularly while the page shows the past.
func (p *Past) tick() {
	if p.ticks || p.at.IsZero() {
		return
	}
	p.ticks = true
	time.AfterFunc(tickEvery, func() {
		p.host.Locked(func() {
			p.ticks = false
			p.host.Redraw()
			p.tick()
		})
	})
}

// Event returns the past for scripts; nil if the page is live.
func (p *Past) Event() map[string]any {
	if !p.On() {
		return nil
	}
	out := map[string]any{"at": p.at, "from": p.report.From, "to": p.report.To, "playing": p.playing, "speed": max(p.report.Speed, 1)}
	if p.report.Recorded != nil {
		out["recorded"] = p.report.Recorded
	}
	return out
}
