package main

import (
	"context"
	"encoding/json"
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
	if string(d.source.state) == d.reported.Source.State && now.Sub(d.told) < reportEvery {
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

// freshen works out the state of the source.
func (d *desk) freshen(now time.Time) {
	s := d.source
	if s.view != nil {
		d.columns()
	}
	if state := d.stateOf(now); state != s.state {
		s.state, s.since = state, now
		if state == informer.Live {
			d.catchUp(now)
		}
	}
	if d.narrow() {
		s.state, s.since = d.stateOf(now), now
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
func (d *desk) stateOf(now time.Time) informer.Freshness {
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
	at := len(worst)
	for _, p := range s.parts {
		f, _, _ := informer.Fresh(p.lease.State(now), d.link(), now)
		at = min(at, slices.Index(worst, f))
	}
	if at == len(worst) {
		return informer.Connecting
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
	if len(s.scopes) > 0 && s.scopes[0] != "" {
		out.Source.Namespace = strings.Join(s.scopes, ",")
	}
	out.Source.Synced = len(s.parts) > 0
	for _, p := range s.parts {
		st := p.lease.State(now)
		_, age, cause := informer.Fresh(st, d.link(), now)
		out.Source.Age = max(out.Source.Age, age.Milliseconds())
		out.Source.Objects += st.Objects
		out.Source.Rejected += st.Rejected
		out.Source.Synced = out.Source.Synced && st.Synced
		out.Source.Version = st.Settled
		if cause != nil {
			out.Source.Cause = cause
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	out.User = d.user
	return out
}

// whoami asks who the apiserver takes the user for. Without an answer the name
// of the kubeconfig has to do.
func (d *desk) whoami(ctx context.Context) {
	doc, err := d.client.Get(ctx, wire.Request{Verb: wire.Review, Resource: "selfsubjectreviews"})
	if err != nil {
		return
	}
	var review struct {
		Status struct {
			UserInfo struct {
				Username string `json:"username"`
			} `json:"userInfo"`
		} `json:"status"`
	}
	if json.Unmarshal(doc, &review) != nil {
		return
	}
	d.mu.Lock()
	d.user = review.Status.UserInfo.Username
	d.mu.Unlock()
	d.stir()
}
