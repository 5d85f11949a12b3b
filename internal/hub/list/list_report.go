package list

import (
	"strings"
	"time"

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

// report sends the state of the list if it is new.
func (l *List) report(now time.Time) {
	l.refresh(now)
	if l.reports.Due(string(l.state), l.cluster.Client.Link().Welcome, now) {
		l.reports.Send(l.page, l.sum(), now)
	}
}

// Announce tells the page once which proxy answers, so that a page which is hidden from the
// start notices if another answers later.
func (l *List) Announce(now time.Time) {
	if l.reports.sent.Proxy == nil && l.cluster.Client.Link().Welcome != nil {
		l.reports.Send(l.page, l.sum(), now)
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
	out.Source = port.Source{Resource: l.query.Resource, State: string(l.state), Since: l.since, Cause: l.problem}
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
