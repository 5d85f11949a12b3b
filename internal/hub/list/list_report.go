package list

import (
	"strings"
	"time"

	"watchglass/internal/hub/loop"
	"watchglass/internal/informer"
	"watchglass/internal/port"
)

// fresh returns the state of the list.
func (l *List) fresh() informer.Freshness {
	switch {
	case l.cluster.UserChanged():
		return informer.Connecting // the page starts over
	case l.problem != nil && l.problem.NotFound():
		return informer.Gone
	case l.problem != nil && l.problem.Denied():
		return informer.Denied
	case l.problem != nil, l.shown == nil, l.undecided():
		return informer.Connecting
	}
	return l.shown.fresh()
}

// report sends the state of the list if it is new: a change at once, counts and ages at
// intervals.
func (l *List) report(now time.Time) {
	l.refresh(now)
	link, before := l.cluster.Client.Link(), l.sent
	first := link.Welcome != nil && (before.Proxy == nil || link.Welcome != before.Proxy && !link.Welcome.Same(*before.Proxy)) // the page looks up what it remembers of this user
	if !first && string(l.state) == before.Source.State && now.Sub(l.sentAt) < loop.ReportEvery {
		return
	}
	state := l.sum()
	quiet := state
	quiet.Source.Age, before.Source.Age = 0, 0
	if l.state == informer.Live { // the counts are in the patches
		quiet.Source.Version, before.Source.Version = "", ""
		quiet.Source.Objects, before.Source.Objects = 0, 0
	}
	if quiet.Same(before) && now.Sub(l.sentAt) < loop.Tick {
		return
	}
	l.sent, l.sentAt = state, now
	l.page.Send(state)
}

// Announce tells the page once which proxy answers, so that a page which is hidden from the
// start notices if another answers later.
func (l *List) Announce(now time.Time) {
	if l.sent.Proxy == nil && l.cluster.Client.Link().Welcome != nil {
		l.sent, l.sentAt = l.sum(), now
		l.page.Send(l.sent)
	}
}

// refresh updates the state of the list.
func (l *List) refresh(now time.Time) {
	if s := l.shown; s != nil {
		s.observe(now)
		if l.rescope(now) {
			l.shown.observe(now)
		}
		l.setShape()
		l.notePause(now)
	}
	if state := l.fresh(); state != l.state {
		l.state, l.since = state, now
		if state == informer.Live {
			l.sendAll(now)
		}
	}
}

// sum returns what the page shows above the rows.
func (l *List) sum() port.State {
	out := l.cluster.State()
	out.ID = l.id
	out.Source = port.Source{Resource: l.look.Resource, State: string(l.state), Since: l.since, Cause: l.problem}
	s := l.shown
	if s == nil {
		return out
	}
	out.Source.ID, out.Source.Kind, out.Source.Namespaced = s.kind.ID(), s.kind.Name, s.kind.Namespaced
	switch {
	case !s.isWide():
		out.Source.Namespace = strings.Join(s.scopes, ",")
	case s.local != nil:
		out.Source.Namespace = s.local.Namespaces()
	}
	if !l.undecided() {
		s.sum(&out.Source)
	}
	return out
}
