package list

import (
	"time"

	"watchglass/internal/hub/loop"
	"watchglass/internal/informer"
	"watchglass/internal/port"
	"watchglass/internal/wire"
)

// Reporter sends a page the state of a list, or that of the cluster while there is none: a change at once, counts and
// ages at intervals.
type Reporter struct {
	sent port.State
	at   time.Time
}

// Due reports whether it is time for a report: the state of the source is another, as is the proxy, by which the page
// looks up what it remembers of the user, or the last report was ReportEvery ago.
func (r *Reporter) Due(source string, proxy *wire.Welcome, now time.Time) bool {
	before := r.sent.Proxy
	other := proxy != nil && (before == nil || proxy != before && !proxy.Same(*before))
	return other || source != r.sent.Source.State || now.Sub(r.at) >= loop.ReportEvery
}

// Send sends a report. If nothing is new but the age, it is sent once in a Tick.
func (r *Reporter) Send(page port.Sender, state port.State, now time.Time) {
	if quiet(state).Same(quiet(r.sent)) && now.Sub(r.at) < loop.Tick {
		return
	}
	r.sent, r.at = state, now
	page.Send(state)
}

// quiet returns a state without what changes all the time.
func quiet(s port.State) port.State {
	if s.Source.Age = 0; s.Source.State == string(informer.Live) { // the counts are in the patches
		s.Source.Version, s.Source.Objects = "", 0
	}
	return s
}
