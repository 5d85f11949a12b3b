package past

import (
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

// Past is the moment that a page shows. Its methods are for the loop.
type Past struct {
	host      Host
	hub       Hub
	recording time.Time   // since when the page records; zero: it does not
	seq       uint32      // of the last Travel
	fetching  loop.Latest // of its moment, from disk
	moment
}

// moment is where a page is. In the past, its lists and objects belong to a cluster that a relay in the tab serves.
type moment struct {
	live   *cluster.Cluster    // the page's own cluster meanwhile; nil: the page is live
	relay  *replay.Relay       // nil: the page is live
	about  *port.RecordingInfo // of a recording; nil: the relay serves live's history
	held   []*source.Lease     // the sources of live, which are kept open so that history continues
	due    time.Time           // when the last Travel is answered at the latest, even without its rows; zero: it was answered
	failed string              // why it failed
	sent   time.Time           // when the last report was sent
	shown  []int               // the streams whose gaps the last report has
}

// New returns the past of a page that is live.
func New(page Host, hub Hub) *Past {
	return &Past{host: page, hub: hub}
}

const (
	// arriveWithin is how long a Travel may stay unanswered while lists load.
	arriveWithin = time.Second
	// reportEvery is the minimum time between two reports while time plays.
	reportEvery = 250 * time.Millisecond
)

// Travel takes the page to a moment, or back to now.
func (p *Past) Travel(m port.Travel, now time.Time) {
	p.seq, p.failed = m.Seq, ""
	p.fetching.End()
	switch recorded := p.about != nil && !m.Close; {
	case m.At.IsZero() && !recorded:
		p.goLive(now)
	case m.At.IsZero():
		_, to := p.relay.Record().Span()
		p.show(to, m, now)
	default:
		if p.about != nil && m.Close {
			p.goLive(now)
		}
		if p.relay != nil || p.goBack(now) {
			p.fetch(m, now)
		}
	}
	p.due = now.Add(arriveWithin)
	p.host.Cluster().RequestStep()
}

// show shows a moment of the relay.
func (p *Past) show(at time.Time, m port.Travel, now time.Time) {
	speed := 0
	if m.Playing {
		speed = max(m.Speed, 1)
	}
	jumps := p.relay.At().After(at) || at.Sub(p.relay.At()) > reportEvery*time.Duration(max(speed, 1))
	p.relay.SetSights(p.onScreen())
	if p.relay.Play(at, speed); !jumps {
		return
	}
	p.host.Cluster().Problems.Restart()
	p.host.Cluster().Wake()
	for _, l := range p.host.Lists() {
		l.Depart()
	}
}

// onScreen returns the objects of each kind that are on screen.
func (p *Past) onScreen() (all []replay.Sight) {
	for _, l := range p.host.Lists() {
		if s, ok := l.Shown(); ok && l.Cluster() == p.host.Cluster() {
			all = append(all, replay.Sight{Group: s.Kind.Group, Resource: s.Kind.Resource, Has: s.View.Sight(nearbyRows)})
		}
	}
	return all
}

// nearbyRows is how many rows before and after the visible ones count as on screen, since rows move when
// others come and go.
const nearbyRows = 20

// goBack makes the page show its cluster's history, and reports whether there is any.
func (p *Past) goBack(now time.Time) bool {
	c := p.host.Cluster()
	record := c.Kept()
	from, to := record.Span()
	if len(c.History.Streams()) == 0 || !from.Before(to) || c.UserChanged() {
		p.failed = "No history yet."
		return false
	}
	o := replay.Options{Kinds: c.Kinds.All(), Rest: c.Rest}
	if w := c.Client.Link().Welcome; w != nil {
		o.Welcome = *w
	}
	p.replay(replay.New(record, o), now)
	return true
}

// Play makes the page show a recording. Closing the recording returns the page to its live cluster.
func (p *Past) Play(record history.Record, about *port.RecordingInfo) {
	now := time.Now()
	held := p.held // until the recording holds the live sources: what nobody holds ends, and its history with it
	p.held = nil
	p.goLive(now)
	o := replay.Options{Rest: p.host.Cluster().Rest, Welcome: wire.Welcome{
		Version: about.Version, Context: about.Cluster, Cluster: about.Cluster, User: about.User, Namespaces: replay.Namespaces(record),
	}}
	if w := p.host.Cluster().Client.Link().Welcome; w != nil { // keep the live Welcome: the page reloads if another cluster answers
		o.Welcome = *w
		o.Welcome.Namespaces, o.Welcome.Narrow = replay.Namespaces(record), false
		o.Welcome.Context, o.User = about.Cluster, about.User // files name the recorded cluster
	}
	o.Welcome.Release = about.Release
	o.Welcome.Reach = nil
	if about.Cluster != "" { // commands must not act on the live cluster, whose flags may reach another one
		o.Welcome.Reach = []string{"--context=" + about.Cluster}
	}
	p.about = about
	p.replay(replay.New(record, o), now)
	cluster.ReleaseAll(held)
	p.due = now.Add(arriveWithin)
}

// replay moves the page to a cluster that a relay serves.
func (p *Past) replay(r *replay.Relay, now time.Time) {
	live := p.host.Cluster()
	p.held = live.Hold()
	p.live, p.relay = live, r
	p.host.MoveTo(p.hub.Replaying(live, r, p.about != nil), now)
}

// goLive returns the page to its live cluster. The other cluster ends, since nobody uses it.
func (p *Past) goLive(now time.Time) {
	if p.relay == nil {
		return
	}
	live, held := p.live, p.held
	p.fetching.End()
	p.moment = moment{}
	p.host.MoveTo(live, now)
	cluster.ReleaseAll(held)
}

// StartRecording starts a recording, and returns its start.
func (p *Past) StartRecording() time.Time {
	p.recording = time.Now().UTC()
	return p.recording
}

// StopRecording discards the recording.
func (p *Past) StopRecording() { p.recording = time.Time{} }

// Close releases what the past holds, since the page is gone.
func (p *Past) Close() {
	for _, lease := range p.held {
		lease.Drop()
	}
	p.held = nil
}

// Own returns the cluster of the page's session.
func (p *Past) Own() *cluster.Cluster {
	if p.live != nil {
		return p.live
	}
	return p.host.Cluster()
}

// Step reports to the page which moment it shows: after a Travel, once its lists show that moment, and
// regularly.
func (p *Past) Step(now time.Time) {
	if p.relay != nil && p.about == nil && p.live.UserChanged() {
		p.goLive(now) // where the page learns it, and starts over
	}
	switch arriving := !p.due.IsZero(); {
	case arriving && p.fetching.Pending():
		return // fetched requests a step
	case arriving && now.Before(p.due) && !p.Arrived(now):
		p.host.Cluster().WakeAt(p.due)
		return
	case arriving, !slices.Equal(p.shown, p.streamsShown(p.recordToChoose())):
	case p.relay != nil && p.relay.Speed() > 0:
		if due := p.sent.Add(reportEvery); now.Before(due) {
			p.host.Cluster().WakeAt(due)
			return
		}
	case now.Sub(p.sent) < loop.Tick:
		return
	}
	for _, l := range p.host.Lists() {
		if l.Cluster() == p.host.Cluster() {
			l.Arrive(now)
		}
	}
	p.due, p.sent = time.Time{}, now
	p.host.Send(p.report())
}

// Arrived reports whether all lists show the moment of the relay, but for those whose kind is not known there.
func (p *Past) Arrived(now time.Time) bool {
	if p.relay == nil {
		return true
	}
	version := p.relay.Version()
	return !slices.ContainsFunc(p.host.Lists(), func(l *list.List) bool { return l.Cluster() == p.host.Cluster() && !l.ArrivedAt(version, now) })
}

// recordToChoose returns the record from which the page can choose a moment.
func (p *Past) recordToChoose() history.Record {
	if p.relay != nil {
		return p.relay.Record()
	}
	return p.Own().Kept()
}

// report returns the moment that the page shows, and the range to choose from.
func (p *Past) report() port.Past {
	record := p.recordToChoose()
	p.shown = p.streamsShown(record)
	out := port.Past{Seq: p.seq, Error: p.failed, Recorded: p.about, Recording: p.recording}
	if p.relay != nil {
		out.At, out.Speed = p.relay.At(), p.relay.Speed()
		out.Playing = out.Speed > 0
	}
	out.From, out.To = record.Span()
	out.Missed = missed(record, p.shown, p.streamsUsed(record))
	bytes, limit, dropped := p.hub.Remembered()
	out.Bytes, out.Limit, out.Dropped, out.Disk = bytes, limit, dropped > 0, p.diskReport()
	return out
}

// streamsShown returns the streams of a record that the page's lists show.
func (p *Past) streamsShown(record history.Record) (on []int) {
	for i, s := range record.Streams() {
		if slices.ContainsFunc(p.host.Lists(), func(l *list.List) bool {
			shown, ok := l.Shown()
			return ok && l.Cluster() == p.host.Cluster() && shown.Kind.Group == s.Group && shown.Kind.Resource == s.Resource
		}) {
			on = append(on, i)
		}
	}
	return on
}

// streamsUsed returns the streams of a record on which an open object or the problems rest, in the past.
func (p *Past) streamsUsed(record history.Record) (on []int) {
	if p.relay == nil {
		return nil
	}
	for i, s := range record.Streams() {
		if p.host.Cluster().Factory.InUse(func(r wire.Request) bool { return r.Group == s.Group && r.Resource == s.Resource }) {
			on = append(on, i)
		}
	}
	return on
}

// missed returns the times in which changes may be missing: of all streams, while they were watched; of those on screen,
// for any reason; and of those on which the rest of the page rests, unless it says itself that they may not be read.
// Those that are near each other are one if there are more than mostMissed.
func missed(record history.Record, shown, used []int) (out []port.Interruption) {
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
		out = append(out, port.Interruption{From: g.From, To: g.To})
	}
	return out
}

// mostMissed is how many times are sent and drawn in which changes may be missing: more could not be told apart.
const mostMissed = 500
