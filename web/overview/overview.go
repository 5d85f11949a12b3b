package overview

import (
	"strings"

	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/web/ui"
)

// Overview is the part with the totals above the list of problems, the rollouts beside it, and what
// the list says when it is empty.
type Overview struct {
	host     Host
	browser  Browser
	base     string         // of the page's addresses
	asked    bool           // it is open at the hub
	kinds    string         // for which it is: the favourites, which it reads besides those of the rules
	titled   string         // what the document's title says is shown
	shown    *port.Overview // nil until it has arrived; immutable
	rollouts bool           // they are unfolded, on a narrow screen
	user     string         // of the session that the page began with
}

// hubID is the hub's ID of the overview. IDs of lists and objects are others.
const hubID = 3

// New returns the overview of a page below a base path.
func New(h Host, b Browser, base string) *Overview { return &Overview{host: h, browser: b, base: base} }

// The actions of the overview.
const (
	setStart       ui.Action = "start" // value: last, or none for the overview
	toggleRollouts ui.Action = "rollouts"
)

// Commands returns the commands of the overview.
func (o *Overview) Commands() []ui.Command {
	return []ui.Command{
		{ID: setStart, Title: "Start page: Overview", Run: o.setStart, Offer: func(*ui.Offer) bool { return o.startsLast() }, KeepsPopover: true},
		{ID: setStart, Value: lastStart, Title: "Start page: Last view", Offer: func(*ui.Offer) bool { return !o.startsLast() }},
		{ID: toggleRollouts, Do: func() {
			o.rollouts = !o.rollouts
			o.host.Redraw()
		}},
	}
}

// Follow opens the overview with the list of problems, and closes it with that.
func (o *Overview) Follow() {
	a := o.host.Address()
	if name := a.Name(); o.asked && a.Problems() && name != o.titled {
		o.host.ShowState() // the list stays the same
	}
	o.titled = a.Name()
	starred := o.host.StarredKinds()
	kinds := strings.Join(starred, ",")
	switch want := a.Problems(); {
	case want == o.asked && (!want || kinds == o.kinds):
		return
	case want:
		again := o.asked
		o.kinds = kinds
		o.host.Send(port.OpenOverview{ID: hubID, Kinds: starred})
		if again {
			return
		}
	default:
		o.host.Send(port.Close{ID: hubID})
	}
	o.asked, o.shown = !o.asked, nil
}

// OnReset opens the overview at the new hub. What the previous one knew is not shown as true.
func (o *Overview) OnReset() {
	o.asked = false
	o.Follow()
}

// OnDetail handles the overview that the worker sent.
func (o *Overview) OnDetail(m port.Detail) {
	next, err := port.ReadOverview(m.Doc)
	if err != nil || !o.asked {
		return
	}
	o.shown = &next
	o.host.NoteGaps(next.Gaps)
	o.host.RedrawSoon()
}

// Gaps returns what the problems lack, once that is known.
func (o *Overview) Gaps() (gaps []view.Gap, known bool) {
	if o.shown == nil {
		return nil, false
	}
	return o.shown.Gaps, true
}

// Clear reports whether the cluster is known to have no problems.
func (o *Overview) Clear() bool {
	return o.shown != nil && o.shown.Clear && o.host.State().Source.State == port.Live
}
