package report

import (
	"slices"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/timeline"
	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/loop"
	"watchglass/internal/hub/problems"
	"watchglass/internal/hub/source"
	"watchglass/internal/hub/timelines"
	"watchglass/internal/informer"
	"watchglass/internal/port"
)

// Timeline sends a page the picture of a list's or an object's timeline, whenever that changes. Its
// methods are for the loop.
type Timeline struct {
	page     Host
	cluster  *cluster.Cluster
	asked    port.OpenTimeline
	question *timelines.Question
	subject  subject // that the question is about; the zero value: it has not been found yet
	leases   []*source.Lease
	needs    []string // what was leased, and kinds are their kinds
	kinds    []string
	docs     loop.Sender
}

// NewTimeline returns a timeline of a page, which Ask gives a question.
func NewTimeline(page Host) *Timeline { return &Timeline{page: page} }

// ID returns the ID that the page chose.
func (t *Timeline) ID() uint32 { return t.asked.ID }

// Ask changes the question.
func (t *Timeline) Ask(m port.OpenTimeline) {
	if t.asked.List != m.List || t.asked.Object != m.Object {
		t.Close(false)
	}
	t.asked, t.subject, t.docs = m, subject{}, loop.Sender{}
}

// Close ends the question. What was leased for it lingers unless atOnce is set.
func (t *Timeline) Close(atOnce bool) {
	if t.question != nil {
		t.question.Close()
	}
	t.lease(nil, atOnce)
	t.question, t.cluster, t.subject = nil, nil, subject{}
}

// TimelineEvery is the least time between two pictures that a page is sent.
const TimelineEvery = 500 * time.Millisecond

// Step asks for the picture of what is on screen now, and sends it once it is drawn.
func (t *Timeline) Step(now time.Time) {
	if !t.docs.Due(t.page.Cluster(), now) || !t.ask() {
		return
	}
	picture := t.question.NextPicture()
	if picture == nil {
		return
	}
	t.docs.Rest(now, TimelineEvery)
	picture.Partial = t.partial(now)
	if doc := t.docs.Encode(picture); doc != nil {
		t.page.Send(port.Detail{ID: t.asked.ID, Part: port.TimelinePart, Doc: doc})
	}
	t.question.NextPicture() // the next is drawn
}

// ask asks the question of what is on screen now, and reports whether that is known.
func (t *Timeline) ask() bool {
	c, s, q := t.find()
	if c == nil || !c.Ready || c.UserChanged() {
		return false
	}
	if t.cluster != c {
		t.Close(false)
		t.cluster = c
	}
	if t.question != nil && s == t.subject {
		return true
	}
	q.Lanes, q.From, q.To, q.Bars, q.Most, q.Unfolded = t.asked.Lanes, t.asked.From, t.asked.To, t.asked.Bars, t.asked.Most, t.asked.Unfolded
	q.Class = timeline.Class(t.asked.Class)
	if t.subject = s; t.question == nil {
		t.question = c.Timeline.Open(q, s.moment)
	} else {
		t.question.Ask(q, s.moment)
	}
	return true
}

// need leases the kinds that the timeline needs, in namespaces, in place of those that it has.
func (t *Timeline) need(c *cluster.Cluster, namespaces, ids []string) {
	if scope := c.Scope(); scope != "" {
		namespaces = []string{scope}
	}
	var keys []string
	for _, id := range ids {
		for _, n := range namespaces {
			keys = append(keys, id+" "+n)
		}
	}
	if t.cluster == c && slices.Equal(keys, t.needs) {
		return
	}
	var next []*source.Lease
	var names []string
	for _, id := range ids {
		kind, ok := c.Kinds.Find(id)
		if !ok {
			continue
		}
		for _, n := range namespaces {
			if c.Local.Only(kind) == nil {
				n = c.ScopeOf(kind, n)
			}
			next, names = append(next, c.Lease(kind, n, nil)), append(names, kind.Name)
		}
	}
	t.lease(next, false)
	t.needs, t.kinds = keys, names
}

// lease replaces what is leased.
func (t *Timeline) lease(next []*source.Lease, atOnce bool) {
	for _, l := range t.leases {
		if atOnce {
			l.Drop()
		} else {
			l.Release()
		}
	}
	t.leases, t.needs, t.kinds = next, nil, nil
}

// partial names the kinds that the timeline needs and that are not in history: their lists have not come, or the user
// may not read them. In the past, the server refuses a kind that was not watched at the moment shown; if it was at
// another, its gap is drawn instead.
func (t *Timeline) partial(now time.Time) (names []string) {
	c := t.cluster
	if c == nil {
		return nil
	}
	streams := c.Record().Streams()
	add := func(name string, refused bool) {
		kept := slices.ContainsFunc(streams, func(s history.Stream) bool { return s.Kind == name })
		if !kept || refused && c.Relay == nil {
			names = append(names, name)
		}
	}
	for i, l := range t.leases {
		if name := t.kinds[i]; name != problems.Kind.Name { // which is found, not remembered
			add(name, source.StatusOf(l, c.Link(), now).Fresh == informer.Denied)
		}
	}
	if slices.ContainsFunc(t.needs, func(key string) bool { return key == port.Problems+" " }) {
		for _, g := range c.Problems.Overview(now).Gaps {
			if kind, ok := c.Kinds.Find(g.Resource); ok {
				add(kind.Name, g.State == port.Denied || g.State == port.Partial)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
