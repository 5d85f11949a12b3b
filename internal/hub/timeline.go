package hub

import (
	"bytes"
	"context"
	"slices"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/timeline"
	"watchglass/internal/hub/problems"
	"watchglass/internal/hub/source"
	"watchglass/internal/hub/timelines"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/view"
)

// timelineHost is the cluster as its timelines.Board sees it.
type timelineHost struct{ *Cluster }

var _ timelines.Host = timelineHost{}

// Tape returns what is remembered of the cluster; nil if nothing is.
func (h timelineHost) Tape() history.Tape { return h.tape() }

// Find returns a kind by its name.
func (h timelineHost) Find(name string) (object.Kind, bool) { return h.kinds.Find(name) }

// Start runs a function that ends with the cluster.
func (h timelineHost) Start(f func(ctx context.Context)) { h.start(func() { f(h.ctx) }) }

// Watch leases what the problems are found in: nodes, pods, workloads and events.
func (h timelineHost) Watch() (release func()) { return h.lease(problems.Kind, "", nil).Release }

// Changed lets the pages see a new picture.
func (h timelineHost) Changed() { h.requestStep() }

// Timeline sends a page the picture of a list's or an object's timeline, whenever that changes. Its
// methods are for the loop.
type Timeline struct {
	page     *Page
	cluster  *Cluster
	asked    port.OpenTimeline
	question *timelines.Question
	subject  subject // that the question is about; the zero value: it has not been found yet
	leases   []*source.Lease
	needs    []string // what was leased, and kinds are their kinds
	kinds    []string
	sent     []byte
	at       time.Time
}

// subject is what a timeline is about. Two that are equal have the same entries.
type subject struct {
	view                    *view.View // of a list
	text, labels, names     string
	kind                    string // of the objects, by ID
	called, namespace, name string // of an object: "Deployment/web"
	moment                  int64
}

// openTimeline opens a timeline, or changes its question.
func (p *Page) openTimeline(m port.OpenTimeline) {
	i := slices.IndexFunc(p.timelines, func(t *Timeline) bool { return t.asked.ID == m.ID })
	if i < 0 {
		i, p.timelines = len(p.timelines), append(p.timelines, &Timeline{page: p})
	}
	t := p.timelines[i]
	if t.asked.List != m.List || t.asked.Object != m.Object {
		t.close(false)
	}
	t.asked, t.subject, t.sent, t.at = m, subject{}, nil, time.Time{}
}

// closeTimeline closes the timeline of an ID.
func (p *Page) closeTimeline(id uint32) {
	p.timelines = slices.DeleteFunc(p.timelines, func(t *Timeline) bool {
		if t.asked.ID == id {
			t.close(false)
		}
		return t.asked.ID == id
	})
}

// closeTimelines closes all timelines, since the page is gone.
func (p *Page) closeTimelines() {
	for _, t := range p.timelines {
		t.close(true)
	}
	p.timelines = nil
}

// close ends the question. What was leased for it lingers unless atOnce is set.
func (t *Timeline) close(atOnce bool) {
	if t.question != nil {
		t.question.Close()
	}
	t.lease(nil, atOnce)
	t.question, t.cluster, t.subject = nil, nil, subject{}
}

// timelineEvery is the least time between two pictures that a page is sent.
const timelineEvery = 500 * time.Millisecond

// step asks for the picture of what is on screen now, and sends it once it is drawn.
func (t *Timeline) step(now time.Time) {
	if due := t.at.Add(timelineEvery); now.Before(due) {
		t.page.cluster.wakeAtOnLoop(due)
		return
	}
	if !t.ask() {
		return
	}
	picture := t.question.Take()
	if picture == nil {
		return
	}
	t.at = now
	picture.Partial = t.partial(now)
	if doc := timelines.Encode(picture); !bytes.Equal(doc, t.sent) {
		t.sent = doc
		t.page.port.Send(port.Detail{ID: t.asked.ID, Part: port.TimelinePart, Doc: doc})
	}
	t.question.Take() // the next is drawn
}

// ask asks the question of what is on screen now, and reports whether that is known.
func (t *Timeline) ask() bool {
	c, s, q := t.find()
	if c == nil || !c.ready || c.userChanged() {
		return false
	}
	if t.cluster != c {
		t.close(false)
		t.cluster = c
	}
	if t.question != nil && s == t.subject {
		return true
	}
	q.Lanes, q.From, q.To, q.Bars, q.Most, q.Unfolded = t.asked.Lanes, t.asked.From, t.asked.To, t.asked.Bars, t.asked.Most, t.asked.Unfolded
	if t.subject = s; t.question == nil {
		t.question = c.timeline.Open(q, s.moment)
	} else {
		t.question.Ask(q, s.moment)
	}
	return true
}

// find returns what the timeline is about now, with what selects its entries; no cluster if that is not
// known yet.
func (t *Timeline) find() (*Cluster, subject, timeline.Question) {
	if l := t.page.list(t.asked.List); l != nil && t.asked.List != 0 && l.shown != nil && l.shown.opened() {
		return t.ofList(l)
	}
	for _, o := range t.page.objects {
		if o.id == t.asked.Object && t.asked.Object != 0 && o.kind.Name != "" {
			return t.ofObject(o)
		}
	}
	return nil, subject{}, timeline.Question{}
}

// ofObject selects the entries of an object, of what it owns, and of events about either. Of a
// Namespace, these are those of all that is in it.
func (t *Timeline) ofObject(o *Object) (*Cluster, subject, timeline.Question) {
	c, in, name, id := o.cluster, o.asked.Namespace, o.asked.Name, o.kind.ID()
	called := o.kind.Name + "/" + name
	s := subject{kind: id, called: called, namespace: in, name: name, moment: c.moment()}
	t.need(c, []string{in}, kindsAround(id))
	return c, s, timeline.Question{Match: func(of *timeline.Object) bool {
		switch {
		case of.Resource == id && of.Namespace == in && of.Name == name:
			return true
		case id == "namespaces":
			return of.Namespace == name
		}
		return of.Namespace == in && (of.Owner == called || of.Controller == called)
	}}
}

// kindsAround returns the kinds whose entries the timeline of an object needs besides its own, by ID.
func kindsAround(id string) []string {
	switch id {
	case "deployments.apps":
		return []string{"events", "pods", "replicasets.apps"}
	case "statefulsets.apps", "daemonsets.apps", "replicasets.apps", "jobs.batch":
		return []string{"events", "pods"}
	case "cronjobs.batch":
		return []string{"events", "jobs.batch"}
	case "events":
		return nil
	}
	return []string{"events"}
}

// ofList selects the entries of the objects of a list: of those that match its filter as they are now or,
// if they are gone, as they were last.
func (t *Timeline) ofList(l *List) (*Cluster, subject, timeline.Question) {
	c, shown, look := l.cluster, l.shown, l.look.Query
	id := shown.kind.ID()
	s := subject{kind: id, view: shown.view, text: look.Text, labels: look.Labels, moment: c.moment()}
	for _, n := range look.Namespaces {
		s.names += n + ","
	}
	q := timeline.Question{}
	switch {
	case id == port.Problems || id == port.Timeline || id == "events":
		s.text, s.labels = "", ""
		names := slices.Clone(look.Namespaces)
		q.Match = func(of *timeline.Object) bool { return len(names) == 0 || slices.Contains(names, of.Namespace) }
		if id == "events" {
			q.Pick = func(e *timeline.Entry) bool { return e.Event }
			break
		}
		t.need(c, []string{""}, []string{port.Problems}) // what the rules read
	default:
		t.need(c, shown.scopes, []string{"events"})
		q.Match = newMatcher(c, shown, look.Namespaces).match
	}
	return c, s, q
}

// matcher matches the objects of a timeline as a list does. It is for the goroutine of the timeline.
type matcher struct {
	kind       object.Kind
	id         string
	tape       history.Tape
	view       *view.View
	parts      []part
	extras     []object.Extra
	codes      *object.CodeTable
	decoder    *object.Decoder // nil until it is needed
	namespaces []string
}

func newMatcher(c *Cluster, l *listing, namespaces []string) *matcher {
	return &matcher{kind: l.kind, id: l.kind.ID(), tape: c.tape(), view: l.view, parts: slices.Clone(l.parts), extras: l.extras, codes: &c.codes, namespaces: slices.Clone(namespaces)}
}

// match reports whether an object matches: as the list has it or, if it is gone, as it was last.
func (m *matcher) match(of *timeline.Object) bool {
	if of.Resource != m.id {
		return false
	}
	for _, p := range m.parts {
		if o, ok := p.Store().Get(of.Key()); ok && (o.UID() == of.UID || of.UID == "") {
			return m.view.Matches(o)
		}
	}
	if o := m.last(of); o != nil {
		return m.view.Matches(o)
	}
	return len(m.namespaces) == 0 || slices.Contains(m.namespaces, of.Namespace)
}

// last returns an object that is gone as it was last; nil if that can't be known any more.
func (m *matcher) last(of *timeline.Object) *object.Object {
	if m.tape == nil || of.Stream < 0 {
		return nil
	}
	_, at := m.tape.Span()
	if !of.Gone.IsZero() {
		at = of.Gone.Add(-1)
	}
	was, ok := m.tape.Find(of.Stream, of.Key(), at)
	if !ok {
		return nil
	}
	o, err := m.decoderOf(of.Stream).Decode(was.Payload)
	if err != nil {
		return nil
	}
	return o
}

// decoderOf returns what decodes the objects of a stream.
func (m *matcher) decoderOf(stream int) *object.Decoder {
	if m.decoder == nil {
		m.decoder = object.NewDecoder(m.kind, true, m.extras...).Share(m.codes)
		if columns := m.tape.Streams()[stream].Columns; columns != nil {
			_, _ = m.decoder.SetColumns(columns) // those that are malformed decode nothing
		}
	}
	return m.decoder
}

// need leases the kinds that the timeline needs, in namespaces, in place of those that it has.
func (t *Timeline) need(c *Cluster, namespaces, ids []string) {
	if scope := c.scope(); scope != "" {
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
		kind, ok := c.kinds.Find(id)
		if !ok {
			continue
		}
		for _, n := range namespaces {
			if id != port.Problems {
				n = c.scopeOf(kind, n)
			}
			next, names = append(next, c.lease(kind, n, nil)), append(names, kind.Name)
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

// partial names the kinds that the timeline needs and that the user may not read.
func (t *Timeline) partial(now time.Time) (names []string) {
	for i, l := range t.leases {
		if source.StatusOf(l, t.cluster.link(), now).Fresh == informer.Denied {
			names = append(names, t.kinds[i])
		}
	}
	if slices.ContainsFunc(t.needs, func(key string) bool { return key == port.Problems+" " }) {
		for _, g := range t.cluster.problems.Overview(now).Gaps {
			if kind, ok := t.cluster.kinds.Find(g.Resource); ok && (g.State == port.Denied || g.State == port.Partial) {
				names = append(names, kind.Name)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// tape returns what is remembered of the cluster; nil if nothing is. Any goroutine may call it.
func (c *Cluster) tape() history.Tape { return c.remembered }

// moment returns the moment of the past that the cluster is shown at, in unix milliseconds; 0 if it is
// live.
func (c *Cluster) moment() int64 { return 0 }
