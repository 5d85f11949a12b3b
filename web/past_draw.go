package web

import (
	"strconv"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/detail/yaml"
	"watchglass/internal/port"
)

// draw draws the bar of the past: the moment, the slider, and the way back. A live page has it only if
// it was asked for.
func (p *past) draw() app.UI {
	if !p.on() && !p.open {
		return app.Elem("section").Class("past").Hidden(true)
	}
	from, to := p.span()
	unknown := from.IsZero()
	return app.Elem("section").Class("past").Attr("aria-label", "Past").DataSet("on", p.on()).DataSet("playing", p.playing).Body(
		p.drawMoment(),
		app.Div().Class("steps").Body(
			pastButton(StepPast, "-1", "‹", tip("Previous change", StepPast)).Disabled(unknown),
			pastButton(PlayPast, "", map[bool]string{false: "▶", true: "‖"}[p.playing], map[bool]string{false: "Play", true: "Pause"}[p.playing]+" (p)").Disabled(p.at.IsZero()),
			pastButton(StepPast, "1", "›", "Next change (.)").Disabled(p.at.IsZero()),
		),
		app.Div().Class("track").Body(
			span("dim", p.clock(from)),
			app.Div().Body(
				app.Elem("svg").XMLNS(svg).Attr("viewBox", "0 0 "+strconv.Itoa(slots)+" 1").Attr("preserveAspectRatio", "none").Attr("aria-hidden", true).Body(
					app.Elem("path").XMLNS(svg).Attr("d", p.missed(from, to))),
				app.Input().ID(pastField).Type("range").DataSet("field", pastField).Min("0").Max(strconv.Itoa(slots)).Attr("aria-label", "Time").Attr("aria-valuetext", p.momentText()).Value(p.position()).Disabled(unknown),
			),
			span("dim", p.end(to)),
		),
		p.drawSpeeds(),
		p.drawWay(),
		app.P().Class("said").Attr("role", "status").DataSet("tone", "warning").Text(p.note()),
	)
}

// drawMoment draws the moment, and how long ago it was.
func (p *past) drawMoment() app.UI {
	title, text := "Live", "Drag to go back in time"
	switch {
	case p.told.From.IsZero():
		text = "No history yet"
	case p.told.Recorded != nil:
		title, text = p.clock(p.at), "recorded on "+yaml.Visible(cut(p.told.Recorded.Cluster))
	case p.on():
		title, text = p.clock(p.at), p.ago()
	}
	return app.Div().Class("moment").Body(app.Elem("strong").Text(title), span("dim", text))
}

// momentText is the moment for screen readers.
func (p *past) momentText() string {
	if p.at.IsZero() {
		return "now"
	}
	return p.clock(p.at)
}

// notInHistory says of a list that nothing is known of it at the moment on screen, whatever the hub
// gives as the reason.
const notInHistory = "not in history"

// notRecorded says of logs that a recording has none of them, and in the past of a live cluster that logs
// are not in history.
func (p *past) notRecorded() string {
	if p.told.Recorded != nil {
		return "not recorded"
	}
	return notInHistory
}

// emptyLogs says the same in a sentence; "" if the page is live.
func (p *past) emptyLogs() string {
	switch {
	case p.told.Recorded != nil:
		return "This recording has no logs for this pod."
	case p.on():
		return "Logs are " + notInHistory + "."
	}
	return ""
}

// explain describes a state that is not live, as Explain does. In the past no right is missing: what the
// page refuses was not watched, was dropped, or is not in the recording.
func (p *page) explain() (w Words, ok bool) {
	if w, ok = Explain(p.state); !p.past.on() || p.state.Source.State != port.Denied || p.state.Source.Rest != "" {
		return w, ok
	}
	return Words{Title: sentence(p.sidebar.listName(p.here())) + " " + notInHistory, Means: sentence(w.Message) + ".", Do: "Choose another time, or go back to live."}, true
}

// limits says which namespaces are shown, and why no others. In the past, no right is missing.
func (p *past) limits(s port.State) string {
	if !p.on() || s.Proxy != nil && s.Proxy.Narrow {
		return limits(s)
	}
	return "Showing " + namespacesWord(s.Source.Namespace) + " only: other namespaces are " + notInHistory + "."
}

// stateWords returns the title and the meaning of an object's state in the past.
func (*past) stateWords(state detail.State, title, means string) (string, string) {
	switch state {
	case detail.Missing:
		return title, "It did not exist at this time, or was not watched."
	case detail.Denied:
		return sentence(notInHistory), "Its kind was not watched at this time."
	}
	return title, means
}

// then says beside an object which moment it is shown at.
func (p *past) then() string {
	if p.at.IsZero() {
		return ""
	}
	return " · as of " + p.clock(p.at)
}

// ago says how long ago the moment was.
func (p *past) ago() string { return sinceWords(p.at, time.Now()) }

// clock formats a moment, with its date unless it is of today.
func (p *past) clock(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	at = at.Local()
	if now := time.Now(); at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return at.Format(time.TimeOnly)
	}
	return at.Format(time.DateTime)
}

// end says where the slider ends.
func (p *past) end(to time.Time) string {
	if p.told.Recorded == nil {
		return "now"
	}
	return p.clock(to)
}

// missed draws strokes over the times in which changes may be missing.
func (p *past) missed(from, to time.Time) string {
	const apart = slots / 200
	var d strings.Builder
	for _, m := range p.told.Missed {
		end := p.slot(from, to, m.To)
		for x := p.slot(from, to, m.From); x <= end; x += apart {
			d.WriteString("M" + strconv.FormatInt(x, 10) + " 1l" + strconv.Itoa(apart/2) + " -1")
		}
	}
	return d.String()
}

// drawSpeeds draws how fast to play.
func (p *past) drawSpeeds() app.UI {
	var all []app.UI
	for _, s := range speeds {
		n := strconv.Itoa(s)
		all = append(all, pastButton(SetSpeed, n, "×"+n, "Play at "+n+"× speed").Attr("aria-pressed", s == max(p.speed, 1)))
	}
	return app.Div().Class("steps speeds").Attr("role", "group").Attr("aria-label", "Speed").Hidden(p.at.IsZero()).Body(all...)
}

// drawWay draws the way out of the past, or of the bar.
func (p *past) drawWay() app.UI {
	action, text := HidePast, "Close"
	switch {
	case p.told.Recorded != nil:
		action, text = ToLive, "Close recording"
	case p.on():
		action, text = ToLive, "Back to live"
	}
	return app.Button().Class("way").DataSet("action", action).Title(tip(text, action)).Text(text)
}

//go:noinline
func pastButton(action Action, value, text, does string) app.HTMLButton {
	return app.Button().Class("shape").DataSet("action", action).DataSet("value", value).Title(does).Attr("aria-label", does).Text(text)
}

// note says what the user has to know about the moment.
func (p *past) note() string {
	switch {
	case p.said != "":
		return p.said
	case p.told.Recorded != nil && p.told.Recorded.Damage != "":
		return "Damaged file: " + yaml.Visible(p.told.Recorded.Damage)
	case p.inMissed():
		return "Changes may be missing here."
	case p.fromDisk():
		return "Read from disk. " + p.memoryOnly()
	}
	return ""
}

// inMissed reports whether changes may be missing at the moment on screen.
func (p *past) inMissed() bool {
	for _, m := range p.told.Missed {
		if !p.at.IsZero() && !p.at.Before(m.From) && p.at.Before(m.To) {
			return true
		}
	}
	return false
}

// unknown says why the page can't show a moment.
func (p *past) unknown(at time.Time, m port.Past) string {
	why := strings.TrimSuffix(m.Error, ".")
	said := sentence(why) + "."
	if at.IsZero() || m.Recorded != nil {
		return said
	}
	if said = p.clock(at) + " is not in history"; m.From.IsZero() {
		return said + ": this tab has only just started watching."
	}
	switch from := p.clock(m.From); {
	case at.After(m.To) && why == "":
		return said + ": history ends at " + p.clock(m.To) + "."
	case !at.Before(m.From) && why != "":
		return said + ": " + strings.ToLower(why[:min(len(why), 1)]) + why[min(len(why), 1):] + "."
	case m.Dropped:
		return said + ": older changes were dropped. History begins at " + from + "."
	default:
		return said + ": this tab started watching at " + from + "."
	}
}

// badge returns what the badge says of the past.
func (p *past) badge() (word, more string) {
	r := p.told.Recorded
	if r == nil {
		return "Past", ""
	}
	return "Recorded", " " + minutes(r.From) + "–" + minutes(r.To) + " on " + yaml.Visible(cut(r.Cluster))
}

func minutes(at time.Time) string { return at.Local().Format("15:04") }

// facts are the lines of the badge's details.
func (p *past) facts(fact func(name, value string)) {
	if p.on() {
		fact("As of", p.clock(p.at))
	}
	if r := p.told.Recorded; r != nil {
		fact("Recorded", r.From.Local().Format(time.DateTime)+" – "+r.To.Local().Format(time.DateTime))
		fact("Cluster", yaml.Visible(r.Cluster))
		fact("User", yaml.Visible(r.User))
		fact("Saved by", yaml.Visible(r.Version))
		return
	}
	fact("History", p.remembered())
	fact("On disk", p.disk())
}

// remembered says since when the hub remembers, and how much memory that takes.
func (p *past) remembered() string {
	if p.told.From.IsZero() {
		return ""
	}
	out := "since " + p.clock(p.told.From)
	if p.told.Limit > 0 {
		out += ", " + strconv.Itoa(p.told.Bytes>>20) + " of " + strconv.Itoa(p.told.Limit>>20) + " MB"
	}
	if p.told.Dropped {
		out += ", older changes dropped"
	}
	return out
}

// drawFile draws how far a file is read that was chosen or dropped, or why it can't be opened.
func (p *past) drawFile() app.UI {
	if p.file == nil {
		return app.Elem("section").Class("past file").Hidden(true)
	}
	title, text := p.file.words()
	way := "Cancel"
	if p.file.failed != "" {
		way = "Close"
	}
	return app.Elem("section").Class("past file").Attr("aria-label", "File").DataSet("failed", p.file.failed != "").Body(
		app.Elem("strong").Text(title), app.Span().Attr("role", "status").Text(text),
		app.Button().Class("way").DataSet("action", OpenRecording).Hidden(p.file.failed == "").Text("Open another…"),
		app.Button().Class("way").DataSet("action", DropFile).Text(way),
	)
}

// drawDrop draws where to drop a file. It shows while one is dragged over the page.
func (p *past) drawDrop() app.UI {
	return app.Div().Class("drop").Attr("aria-hidden", true).Body(app.Elem("strong").Text("Drop a recording to open it"))
}

// offers are the palette's entries.
func (p *past) offers() []offer {
	all := []offer{
		{action: OpenRecording, text: "Open recording…", names: []string{"replay", "file"}},
		{action: GoBack, text: "Go back in time", hint: keyOf(GoBack), names: []string{"past", "history", "time travel"}},
	}
	if p.on() {
		all = append(all, offer{action: ToLive, text: map[bool]string{false: "Back to live", true: "Close recording"}[p.told.Recorded != nil], hint: keyOf(ToLive)})
	}
	return all
}

// commandsNow warns that commands act on the cluster as it is, and not as it was.
func (p *past) commandsNow() string {
	if !p.on() {
		return ""
	}
	return " Commands act on the cluster as it is now, not as of " + p.clock(p.at) + "."
}

// announcement says once that nothing on screen is live.
func (p *past) announcement() string {
	if p.told.Recorded != nil {
		return "Showing a recording."
	}
	return "Showing the past."
}
