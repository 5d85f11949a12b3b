package main

import (
	"slices"
	"strings"
	"time"

	"watchglass/internal/informer"
	"watchglass/internal/port"
	"watchglass/internal/wire"
)

// worst orders the states, worst first.
var worst = []informer.Freshness{informer.Denied, informer.Gone, informer.Offline, informer.Stale, informer.Connecting, informer.Syncing, informer.Live}

// link is the way to the proxy, as sources see it.
func (d *desk) link() informer.Link {
	l := d.client.Link()
	d.mu.Lock()
	defer d.mu.Unlock()
	return informer.Link{Connected: l.Connected, Heard: l.Heard, Online: d.online, Err: l.Err}
}

// report tells the page how things stand, if that is news: what changed at
// once, what merely counts up once in a while.
func (d *desk) report(now time.Time) {
	if d.source == nil {
		return
	}
	d.freshen(now)
	first := d.reported.Proxy == nil && d.client.Link().Welcome != nil // the page knows whose memories to look for
	if !first && string(d.source.state) == d.reported.Source.State && now.Sub(d.told) < reportEvery {
		return
	}
	state := d.state(now)
	quiet, before := state, d.reported
	quiet.Source.Age, before.Source.Age = 0, 0
	if d.source.state == informer.Live { // the counts are in the patches
		quiet.Source.Version, before.Source.Version = "", ""
		quiet.Source.Objects, before.Source.Objects = 0, 0
	}
	if same(quiet, before) && now.Sub(d.told) < tick {
		return
	}
	d.reported, d.told = state, now
	d.port.Send(state)
}

// same reports whether two states say the same.
func same(a, b port.State) bool {
	said := func(s *wire.Status) wire.Status {
		if s == nil {
			return wire.Status{}
		}
		return wire.Status{Origin: s.Origin, Code: s.Code, Reason: s.Reason, Message: s.Message}
	}
	x, y := said(a.Source.Cause), said(b.Source.Cause)
	a.Source.Cause, b.Source.Cause = nil, nil
	return a == b && x.Error() == y.Error() && x.Code == y.Code
}

// observe looks how the parts of the source stand. All that is said of them until it
// looks again is of the same moment.
func (s *source) observe(link informer.Link, now time.Time) {
	s.stands = s.stands[:0]
	for _, p := range s.parts {
		s.stands = append(s.stands, p.stand(link, now))
	}
}

// freshen works out the state of the source.
func (d *desk) freshen(now time.Time) {
	s := d.source
	s.observe(d.link(), now)
	if d.rescope(now) {
		s.observe(d.link(), now)
	}
	if s.view != nil {
		d.columns()
	}
	if state := d.stateOf(); state != s.state {
		s.state, s.since = state, now
		if state == informer.Live {
			d.catchUp(now)
		}
	}
}

// moved reports whether the proxy that came back shows something else than the one
// that went: another cluster, or the same as another user. Versions of the one say
// nothing in the other.
func (d *desk) moved() bool {
	w := d.client.Link().Welcome
	return w != nil && d.opened != nil && !w.Same(*d.opened)
}

// stateOf is the worst state of the source's parts.
func (d *desk) stateOf() informer.Freshness {
	s := d.source
	if d.moved() {
		return informer.Connecting // the page begins anew
	}
	if s.problem != nil {
		switch {
		case s.problem.NotFound():
			return informer.Gone
		case s.problem.Denied():
			return informer.Denied
		}
		return informer.Connecting
	}
	if len(s.stands) == 0 || d.undecided() {
		return informer.Connecting
	}
	at := len(worst)
	for _, p := range s.stands {
		at = min(at, slices.Index(worst, p.fresh))
	}
	return worst[at]
}

// state is what the page shows above its rows.
func (d *desk) state(now time.Time) port.State {
	s, link := d.source, d.client.Link()
	out := port.State{
		Source: port.Source{
			Resource: s.resource, ID: s.kind.ID(), Kind: s.kind.Name, Namespaced: s.kind.Namespaced,
			State: string(s.state), Since: s.since, Cause: s.problem,
		},
		Link:  port.Link{Connected: link.Connected, Since: link.Since, Attempts: link.Attempts},
		Proxy: link.Welcome,
	}
	if link.Err != nil {
		out.Link.Error = link.Err.Error()
	}
	if len(s.scopes) > 0 && !s.isWide() {
		out.Source.Namespace = strings.Join(s.scopes, ",")
	}
	if !d.undecided() {
		s.sum(&out.Source)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	out.User, out.Groups = d.user, d.groups
	return out
}

// sum adds up how the parts of the source stand. What may be listed is whole if all
// of it is, whatever is denied beside it.
func (s *source) sum(out *port.Source) {
	var denied, polled []string
	first, rest, synced := len(worst), len(worst), true
	for i, p := range s.stands {
		at := slices.Index(worst, p.fresh)
		if p.cause != nil && at < first {
			first, out.Cause = at, p.cause
		}
		out.Age = max(out.Age, p.age.Milliseconds())
		out.Objects += p.state.Objects
		out.Rejected += p.state.Rejected
		if p.fresh == informer.Denied {
			denied = append(denied, s.scopes[i])
			continue
		}
		rest, synced, out.Version = min(rest, at), synced && p.state.Synced, p.state.Settled
		if p.fresh == informer.Stale && p.cause != nil && p.cause.Denied() {
			polled, out.Polled = append(polled, s.scopes[i]), max(out.Polled, p.state.Polled.Milliseconds())
		}
	}
	out.Synced = synced && len(denied) < len(s.stands)
	if len(denied) > 0 && len(denied) < len(s.stands) {
		out.Denied, out.Rest = strings.Join(denied, ","), string(worst[rest])
	}
	if len(polled) < len(s.stands) {
		out.PolledIn = strings.Join(polled, ",")
	}
}
