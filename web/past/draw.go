package past

import (
	"strconv"
	"strings"
	"time"

	"github.com/maxence-charriere/go-app/v9/pkg/app"

	"watchglass/internal/detail"
	"watchglass/internal/detail/yaml"
	"watchglass/internal/port"
	"watchglass/web/ui"
	"watchglass/web/words"
)

// Draw draws the bar: the moment, the slider, and the way back. A live page shows it only on request.
func (p *Past) Draw() app.UI {
	if !p.Visible() {
		return app.Elem("section").Class("past").Hidden(true)
	}
	from, to := p.Span()
	first, last := p.ends(from, to)
	unknown := from.IsZero()
	return app.Elem("section").Class("past").Attr("aria-label", "Past").DataSet("on", p.On()).DataSet("playing", p.playing).Body(
		p.drawMoment(),
		app.Div().Class("steps").Body(
			ui.Shape(StepPast, "-1", "‹", p.host.Tip(StepPast, "-1")).Disabled(unknown),
			ui.Shape(PlayPast, "", map[bool]string{false: "▶", true: "‖"}[p.playing], map[bool]string{false: "Play", true: "Pause"}[p.playing]+" (p)").Disabled(p.at.IsZero()),
			ui.Shape(StepPast, "1", "›", p.host.Tip(StepPast, "1")).Disabled(p.at.IsZero()),
		),
		app.Div().Class("track").Body(
			ui.Span("dim", first),
			app.Div().Body(
				app.Elem("svg").XMLNS(ui.SVG).Attr("viewBox", "0 0 "+strconv.Itoa(slots)+" 1").Attr("preserveAspectRatio", "none").Attr("aria-hidden", true).Body(
					app.Elem("path").XMLNS(ui.SVG).Attr("d", p.gapStrokes(from, to))),
				app.Input().ID(ui.TimeSlider).Type("range").DataSet("field", ui.TimeSlider).Min("0").Max(strconv.Itoa(slots)).Attr("aria-label", "Time").Attr("aria-valuetext", p.momentText()).Value(p.position()).Disabled(unknown),
			),
			ui.Span("dim", last),
		),
		p.drawSpeeds(),
		p.drawExit(),
		app.P().Class("said").Attr("role", "status").DataSet("tone", p.noteTone()).Text(p.note()),
	)
}

// drawMoment draws the moment, and how long ago it was.
func (p *Past) drawMoment() app.UI {
	title, text := "Live", "Drag to go back in time"
	switch {
	case p.report.From.IsZero():
		text = "No history yet"
	case p.report.Recorded != nil:
		title, text = p.Clock(p.at), "recorded on "+yaml.Visible(words.CutName(p.report.Recorded.Cluster))
	case p.On():
		title, text = p.Clock(p.at), p.ago()
	}
	return app.Div().Class("moment").Body(app.Elem("strong").Text(title), ui.Span("dim", text))
}

// momentText returns the moment for screen readers.
func (p *Past) momentText() string {
	if p.at.IsZero() {
		return "now"
	}
	return p.Clock(p.at)
}

// Limits says which namespaces are shown, and why the others are not. In the past, permissions are not
// the reason.
func (p *Past) Limits(s port.State) string {
	if !p.On() || s.Proxy != nil && s.Proxy.Narrow {
		return words.Limits(s)
	}
	return "Showing " + words.NamespacesWord(s.Source.Namespace) + " only: other namespaces are " + words.NotInHistory + "."
}

// StateWords returns the title and the meaning of an object's state in the past.
func (p *Past) StateWords(state detail.State, namespace, title, means string) (string, string) {
	switch out, all := p.LeftOut(words.SplitList(namespace)); {
	case all && state == detail.Denied:
		return words.NotInRecording, out
	case out != "" && state == detail.Missing:
		return title, "It did not exist at this time, or was not recorded. " + out
	}
	switch state {
	case detail.Missing:
		return title, "It did not exist at this time, or was not watched."
	case detail.Denied:
		return words.Sentence(words.NotInHistory), "Its kind was not watched at this time."
	}
	return title, means
}

// AsOf returns the moment at which an object is shown; "" if the page is live.
func (p *Past) AsOf() string {
	if p.at.IsZero() {
		return ""
	}
	return " · as of " + p.Clock(p.at)
}

// ago returns how long ago the moment was.
func (p *Past) ago() string { return words.Since(p.at, time.Now()) }

// Clock formats a moment, with its date unless that is today.
func (p *Past) Clock(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	at = at.Local()
	if now := time.Now(); at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return at.Format(time.TimeOnly)
	}
	return at.Format(time.DateTime)
}

// ends returns the labels of the slider's ends. In a recording of one day they have no date, which leaves room for the
// slider on a small screen: the moment has it.
func (p *Past) ends(from, to time.Time) (first, last string) {
	first, last = p.Clock(from), p.Clock(to)
	if p.report.Recorded == nil {
		return first, "now"
	}
	if day := from.Local().Format(time.DateOnly) + " "; strings.HasPrefix(last, day) {
		return strings.TrimPrefix(first, day), strings.TrimPrefix(last, day)
	}
	return first, last
}

// gapStrokes returns the path of strokes over the times in which changes may be missing.
func (p *Past) gapStrokes(from, to time.Time) string {
	const apart = slots / 200
	var d strings.Builder
	for _, m := range p.report.Missed {
		end := p.slot(from, to, m.To)
		for x := p.slot(from, to, m.From); x <= end; x += apart {
			d.WriteString("M" + strconv.FormatInt(x, 10) + " 1l" + strconv.Itoa(apart/2) + " -1")
		}
	}
	return d.String()
}

// drawSpeeds draws the buttons of the playing speed.
func (p *Past) drawSpeeds() app.UI {
	var all []app.UI
	for _, s := range speeds {
		n := strconv.Itoa(s)
		all = append(all, ui.Shape(SetSpeed, n, "×"+n, "Play at "+n+"× speed").Attr("aria-pressed", s == max(p.speed, 1)))
	}
	return app.Div().Class("steps speeds").Attr("role", "group").Attr("aria-label", "Speed").Hidden(p.at.IsZero()).Body(all...)
}

// drawExit draws the button that leaves the past, or closes the bar.
func (p *Past) drawExit() app.UI {
	action, text := HidePast, "Close"
	switch {
	case p.report.Recorded != nil:
		action, text = ToLive, "Close recording"
	case p.On():
		action, text = ToLive, "Back to live"
	}
	return ui.Way(action, text).Title(ui.Tip(text, p.host.KeyOf(action)))
}

// note returns what to warn of at this moment.
func (p *Past) note() string {
	switch {
	case p.warning != "":
		return p.warning
	case p.report.Recorded != nil && p.report.Recorded.Damage != "":
		return "Damaged file: " + yaml.Visible(p.report.Recorded.Damage)
	case p.inMissed():
		return "Changes may be missing here."
	case p.fromDisk():
		return "Read from disk. " + p.MemoryOnly()
	case p.altered():
		return words.Sentence(yaml.Visible(p.report.Recorded.Altered)) + "."
	}
	return ""
}

// altered reports whether the page shows a recording from which something was left out or replaced.
func (p *Past) altered() bool { return p.report.Recorded != nil && p.report.Recorded.Altered != "" }

// noteTone returns the tone of the note. What a recording lacks is said all the time, and needs no action.
func (p *Past) noteTone() string {
	if p.altered() && p.warning == "" && p.report.Recorded.Damage == "" && !p.inMissed() {
		return ""
	}
	return "warning"
}

// LeftOut says which of these namespaces were left out of the recording, and whether that is all of them; "" if none
// was. Where names are replaced nobody knows which were.
func (p *Past) LeftOut(namespaces []string) (said string, all bool) {
	r := p.report.Recorded
	if r == nil || len(namespaces) == 0 {
		return "", false
	}
	kept := words.Without(namespaces, words.SplitList(r.LeftOut))
	switch out := words.Without(namespaces, kept); {
	case len(out) == 1:
		return "Namespace " + out[0] + " was left out of this recording.", len(kept) == 0
	case len(out) > 1:
		return "Namespaces " + strings.Join(out, ", ") + " were left out of this recording.", len(kept) == 0
	case r.Unnamed > 0:
		return "Some namespaces were left out of this recording.", false
	}
	return "", false
}

// inMissed reports whether changes may be missing at the moment on screen.
func (p *Past) inMissed() bool {
	for _, m := range p.report.Missed {
		if !p.at.IsZero() && !p.at.Before(m.From) && p.at.Before(m.To) {
			return true
		}
	}
	return false
}

// unknown returns why the page can't show a moment.
func (p *Past) unknown(at time.Time, m port.Past) string {
	why := strings.TrimSuffix(m.Error, ".")
	said := words.Sentence(why) + "."
	if at.IsZero() || m.Recorded != nil {
		return said
	}
	if said = p.Clock(at) + " is not in history"; m.From.IsZero() {
		return said + ": this tab has only just started watching."
	}
	switch from := p.Clock(m.From); {
	case at.After(m.To) && why == "":
		return said + ": history ends at " + p.Clock(m.To) + "."
	case !at.Before(m.From) && why != "":
		return said + ": " + strings.ToLower(why[:min(len(why), 1)]) + why[min(len(why), 1):] + "."
	case m.Dropped:
		return said + ": older changes were dropped. History begins at " + from + "."
	default:
		return said + ": this tab started watching at " + from + "."
	}
}

// Badge returns the badge's text in the past.
func (p *Past) Badge() (word, more string) {
	r := p.report.Recorded
	if r == nil {
		return "Past", ""
	}
	return "Recorded", " " + minutes(r.From) + "–" + minutes(r.To) + " on " + yaml.Visible(words.CutName(r.Cluster))
}

func minutes(at time.Time) string { return at.Local().Format("15:04") }

// Facts adds the lines of the badge's details.
func (p *Past) Facts(fact func(name, value string)) {
	if p.On() {
		fact("As of", p.Clock(p.at))
	}
	if r := p.report.Recorded; r != nil {
		fact("Recorded", r.From.Local().Format(time.DateTime)+" – "+r.To.Local().Format(time.DateTime))
		fact("Cluster", yaml.Visible(r.Cluster))
		fact("User", yaml.Visible(r.User))
		fact("Saved by", yaml.Visible(r.Version))
		fact("Left out or replaced", yaml.Visible(r.Altered))
		fact("Namespaces left out", words.LeftOut(r))
		return
	}
	fact("History", p.remembered())
	fact("On disk", p.disk())
}

// remembered returns when history begins and how much memory it takes.
func (p *Past) remembered() string {
	if p.report.From.IsZero() {
		return ""
	}
	out := "since " + p.Clock(p.report.From)
	if p.report.Limit > 0 {
		out += ", " + strconv.Itoa(p.report.Bytes>>20) + " of " + strconv.Itoa(p.report.Limit>>20) + " MB"
	}
	if p.report.Dropped {
		out += ", older changes dropped"
	}
	return out
}

// DrawFile draws the progress of reading a chosen or dropped file, or why it can't be opened.
func (p *Past) DrawFile() app.UI {
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
		ui.Way(OpenRecording, "Open another…").Hidden(p.file.failed == ""),
		ui.Way(DropFile, way),
	)
}

// DrawDrop draws where to drop a file. CSS shows it while one is dragged over the page.
func (p *Past) DrawDrop() app.UI {
	return app.Div().Class("drop").Attr("aria-hidden", true).Body(app.Elem("strong").Text("Drop a recording to open it"))
}

// CommandsNow warns that commands act on the cluster as it is now; "" if the page is live.
func (p *Past) CommandsNow() string {
	if !p.On() {
		return ""
	}
	return " Commands act on the cluster as it is now, not as of " + p.Clock(p.at) + "."
}

// Announcement tells screen readers that nothing on screen is live.
func (p *Past) Announcement() string {
	if p.report.Recorded != nil {
		return "Showing a recording."
	}
	return "Showing the past."
}
