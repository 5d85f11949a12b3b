package hub

import (
	"context"
	"slices"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/replay"
	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/list"
	"watchglass/internal/hub/loop"
	"watchglass/internal/hub/source"
	"watchglass/internal/port"
	"watchglass/internal/wire"
)

// past is the moment that a page shows. In the past, its lists and objects belong to a cluster that a relay
// in the tab serves.
type past struct {
	live     *cluster.Cluster // the page's own cluster meanwhile; nil: the page is live
	relay    *replay.Relay    // nil: the page is live
	about    *port.Recorded   // of a recording; nil: the relay serves live's history
	held     []*source.Lease  // the sources of live, which are kept open so that history continues
	seq      uint32           // of the last Travel
	due      time.Time        // when it is answered at the latest, even without its rows; zero: it was answered
	fetching bool             // it is waiting for the disk
	failed   string           // why the Travel failed
	sent     time.Time        // when the last report was sent
	shown    []int            // the streams whose gaps the last report has
}

const (
	// arriveWithin is how long a Travel may stay unanswered while lists load.
	arriveWithin = time.Second
	// pastEvery is the minimum time between two reports while time plays.
	pastEvery = 250 * time.Millisecond
)

// travel takes the page to a moment, or back to now.
func (p *Page) travel(m port.Travel, now time.Time) {
	t := &p.past
	t.seq, t.failed, t.fetching = m.Seq, "", false
	switch recorded := t.about != nil && !m.Close; {
	case m.At.IsZero() && !recorded:
		p.goLive(now)
	case m.At.IsZero():
		_, to := t.relay.Record().Span()
		p.show(to, m, now)
	default:
		if t.about != nil && m.Close {
			p.goLive(now)
		}
		if t.relay != nil || p.goBack(now) {
			p.fetch(m, now)
		}
	}
	t.due = now.Add(arriveWithin)
	p.cluster.RequestStep()
}

// show shows a moment of the relay.
func (p *Page) show(at time.Time, m port.Travel, now time.Time) {
	speed := 0
	if m.Playing {
		speed = max(m.Speed, 1)
	}
	jumps := p.past.relay.At().After(at) || at.Sub(p.past.relay.At()) > pastEvery*time.Duration(max(speed, 1))
	p.past.relay.Look(p.onScreen())
	if p.past.relay.Play(at, speed); !jumps {
		return
	}
	p.cluster.Problems.Restart()
	p.cluster.Wake()
	for _, l := range p.lists {
		l.Depart()
	}
}

// onScreen returns the objects of each kind that are on screen.
func (p *Page) onScreen() (all []replay.Sight) {
	for _, l := range p.lists {
		if s, ok := l.Shown(); ok && l.Cluster() == p.cluster {
			all = append(all, replay.Sight{Group: s.Kind.Group, Resource: s.Kind.Resource, Has: s.View.Sight(nearbyRows)})
		}
	}
	return all
}

// nearbyRows is how many rows before and after the visible ones count as on screen, since rows move when
// others come and go.
const nearbyRows = 20

// goBack makes the page show its cluster's history, and reports whether there is any.
func (p *Page) goBack(now time.Time) bool {
	c := p.cluster
	record := c.Kept()
	from, to := record.Span()
	if len(c.History.Streams()) == 0 || !from.Before(to) || c.UserChanged() {
		p.past.failed = "No history yet."
		return false
	}
	o := replay.Options{Kinds: c.Kinds.All(), Rest: c.Rest}
	if w := c.Client.Link().Welcome; w != nil {
		o.Welcome = *w
	}
	p.replay(replay.New(record, o), now)
	return true
}

// play makes the page show a recording. Closing the recording returns the page to its live cluster.
func (p *Page) play(record history.Record, about *port.Recorded) {
	now := time.Now()
	held := p.past.held // until the recording holds the live sources: what nobody holds ends, and its history with it
	p.past.held = nil
	p.goLive(now)
	o := replay.Options{Rest: p.cluster.Rest, Welcome: wire.Welcome{
		Version: about.Version, Context: about.Cluster, Cluster: about.Cluster, User: about.User, Namespaces: replay.Namespaces(record),
	}}
	if w := p.cluster.Client.Link().Welcome; w != nil { // keep the live Welcome: the page reloads if another cluster answers
		o.Welcome = *w
		o.Welcome.Namespaces, o.Welcome.Narrow = replay.Namespaces(record), false
		o.Welcome.Context, o.User = about.Cluster, about.User // files name the recorded cluster
	}
	o.Welcome.Release = about.Release
	o.Welcome.Reach = nil
	if about.Cluster != "" { // commands must not act on the live cluster, whose flags may reach another one
		o.Welcome.Reach = []string{"--context=" + about.Cluster}
	}
	p.past.about = about
	p.replay(replay.New(record, o), now)
	cluster.ReleaseAll(held)
	p.past.due = now.Add(arriveWithin)
}

// replay moves the page to a cluster that a relay serves.
func (p *Page) replay(r *replay.Relay, now time.Time) {
	live := p.cluster
	p.past.held = live.Hold()
	p.past.live, p.past.relay = live, r
	p.moveTo(p.replaying(live, r, p.past.about != nil), now)
}

// goLive returns the page to its live cluster. The other cluster ends, since nobody uses it.
func (p *Page) goLive(now time.Time) {
	if p.past.relay == nil {
		return
	}
	live, held := p.past.live, p.past.held
	p.past = past{seq: p.past.seq}
	p.moveTo(live, now)
	cluster.ReleaseAll(held)
}

// own returns the cluster of the page's session.
func (p *Page) own() *cluster.Cluster {
	if p.past.live != nil {
		return p.past.live
	}
	return p.cluster
}

// moveTo reopens the lists, objects and overviews of the page's cluster in another one.
func (p *Page) moveTo(to *cluster.Cluster, now time.Time) {
	from := p.cluster
	p.search.End()
	p.cluster, p.kinds.all = to, nil
	for i, l := range p.lists {
		if l.Cluster() == from {
			p.lists[i] = l.MovedTo(to, now)
			l.Close(false)
		}
	}
	for i, o := range p.objects {
		if o.Cluster() == from {
			p.objects[i] = o.MovedTo(to)
			o.Close(false)
		}
	}
	for i, o := range p.overviews {
		if o.cluster == from {
			p.overviews[i] = &Overview{id: o.id, cluster: to, page: o.page, memory: o.memory}
			p.overviews[i].want(o.kinds)
			o.close(false)
		}
	}
	if p.kinds.wanted {
		to.KeepKinds()
	}
}

// stepPast reports to the page which moment it shows: after a Travel, once its lists show that moment, and
// regularly.
func (p *Page) stepPast(now time.Time) {
	t := &p.past
	if t.relay != nil && t.about == nil && t.live.UserChanged() {
		p.goLive(now) // where the page learns it, and starts over
	}
	switch arriving := !t.due.IsZero(); {
	case arriving && t.fetching:
		return // fetched requests a step
	case arriving && now.Before(t.due) && !p.arrived(now):
		p.cluster.WakeAt(t.due)
		return
	case arriving, !slices.Equal(t.shown, p.streamsShown(p.recordToChoose())):
	case t.relay != nil && t.relay.Speed() > 0:
		if due := t.sent.Add(pastEvery); now.Before(due) {
			p.cluster.WakeAt(due)
			return
		}
	case now.Sub(t.sent) < loop.Tick:
		return
	}
	for _, l := range p.lists {
		if l.Cluster() == p.cluster {
			l.Arrive(now)
		}
	}
	t.due, t.sent = time.Time{}, now
	p.port.Send(p.pastReport())
}

// arrived reports whether all lists show the moment of the relay, but for those whose kind is not known there.
func (p *Page) arrived(now time.Time) bool {
	if p.past.relay == nil {
		return true
	}
	version := p.past.relay.Version()
	return !slices.ContainsFunc(p.lists, func(l *list.List) bool { return l.Cluster() == p.cluster && !l.ArrivedAt(version, now) })
}

// recordToChoose returns the record from which the page can choose a moment.
func (p *Page) recordToChoose() history.Record {
	if p.past.relay != nil {
		return p.past.relay.Record()
	}
	return p.own().Kept()
}

// pastReport returns the moment that the page shows, and the range to choose from.
func (p *Page) pastReport() port.Past {
	t := &p.past
	record := p.recordToChoose()
	t.shown = p.streamsShown(record)
	out := port.Past{Seq: t.seq, Error: t.failed, Recorded: t.about, Recording: p.files.since}
	if t.relay != nil {
		out.At, out.Speed = t.relay.At(), t.relay.Speed()
		out.Playing = out.Speed > 0
	}
	out.From, out.To = record.Span()
	out.Missed = missed(record, t.shown, p.streamsUsed(record))
	bytes, limit, dropped := p.remembers()
	out.Bytes, out.Limit, out.Dropped, out.Disk = bytes, limit, dropped > 0, p.diskReport()
	return out
}

// streamsShown returns the streams of a record that the page's lists show.
func (p *Page) streamsShown(record history.Record) (on []int) {
	for i, s := range record.Streams() {
		if slices.ContainsFunc(p.lists, func(l *list.List) bool {
			shown, ok := l.Shown()
			return ok && l.Cluster() == p.cluster && shown.Kind.Group == s.Group && shown.Kind.Resource == s.Resource
		}) {
			on = append(on, i)
		}
	}
	return on
}

// streamsUsed returns the streams of a record on which an open object or the problems rest, in the past.
func (p *Page) streamsUsed(record history.Record) (on []int) {
	if p.past.relay == nil {
		return nil
	}
	for i, s := range record.Streams() {
		if p.cluster.Factory.InUse(func(r wire.Request) bool { return r.Group == s.Group && r.Resource == s.Resource }) {
			on = append(on, i)
		}
	}
	return on
}

// missed returns the times in which changes may be missing: of all streams, while they were watched; of those on screen,
// for any reason; and of those on which the rest of the page rests, unless it says itself that they may not be read.
// Those that are near each other are one if there are more than mostMissed.
func missed(record history.Record, shown, used []int) (out []port.Missed) {
	var gaps []history.Gap
	for i := range record.Streams() {
		for _, g := range record.Gaps(i) {
			if g.Why == history.Away || g.Why == history.Relisted || slices.Contains(shown, i) || g.Why != history.Denied && slices.Contains(used, i) {
				gaps = append(gaps, g)
			}
		}
	}
	gaps = history.Merge(gaps)
	near := time.Duration(0)
	if len(gaps) > mostMissed {
		near = gaps[len(gaps)-1].To.Sub(gaps[0].From)/mostMissed + 1
	}
	for _, g := range gaps {
		if n := len(out); n > 0 && g.From.Sub(out[n-1].To) < near {
			out[n-1].To = g.To
			continue
		}
		out = append(out, port.Missed{From: g.From, To: g.To})
	}
	return out
}

// mostMissed is how many times are sent and drawn in which changes may be missing: more could not be told apart.
const mostMissed = 500

// stepTo answers the time of the next or previous change to an object that a list shows.
func (p *Page) stepTo(ask port.Ask) {
	direction := 1
	if err := ask.Read(&direction); err != nil || direction == 0 {
		direction = 1
	}
	l, shown, ok := p.shown(ask.List)
	if !ok || l.Cluster().Kinds.Serves(shown.Kind) {
		p.port.Send(ask.Answer(nil, errNothingShown))
		return
	}
	c := l.Cluster()
	_, at := c.Record().Span()
	if c.Relay != nil {
		at = c.Relay.At()
	}
	s := newStepper(c, shown, l.Asked().Namespaces)
	p.answerLater(ask, func(ctx context.Context, _ *cluster.Cluster, _ port.Ask) (any, error) {
		return s.find(ctx, at, direction)
	})
}
