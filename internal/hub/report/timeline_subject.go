package report

import (
	"slices"

	"watchglass/internal/history"
	"watchglass/internal/history/timeline"
	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/focus"
	"watchglass/internal/hub/list"
	"watchglass/internal/hub/source"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/view"
)

// subject is what a timeline is about. Two that are equal have the same entries.
type subject struct {
	view                    *view.View // of a list
	text, labels, names     string
	kind                    string // of the objects, by ID
	called, namespace, name string // of an object: "Deployment/web"
	moment                  int64
}

// find returns what the timeline is about now, with what selects its entries; no cluster if that is not
// known yet.
func (t *Timeline) find() (*cluster.Cluster, subject, timeline.Question) {
	if l, shown, ok := t.page.Shown(t.asked.List); ok && t.asked.List != 0 {
		return t.ofList(l, shown)
	}
	if o := t.page.Object(t.asked.Object); o != nil && t.asked.Object != 0 && o.Kind().Name != "" {
		return t.ofObject(o)
	}
	return nil, subject{}, timeline.Question{}
}

// ofObject selects the entries of an object, of what it owns, and of events about either. Of a
// Namespace, these are those of all that is in it.
func (t *Timeline) ofObject(o *focus.Object) (*cluster.Cluster, subject, timeline.Question) {
	c, in, name, id := o.Cluster(), o.Asked().Namespace, o.Asked().Name, o.Kind().ID()
	called := o.Kind().Name + "/" + name
	s := subject{kind: id, called: called, namespace: in, name: name, moment: c.Moment()}
	around := kindsAround(id)
	t.need(c, []string{in}, around)
	q := timeline.Question{Match: func(of *timeline.Object) bool {
		switch {
		case of.Resource == id && of.Namespace == in && of.Name == name:
			return true
		case id == "namespaces":
			return of.Namespace == name
		}
		return of.Namespace == in && (of.Owner == called || of.Controller == called)
	}}
	switch {
	case id == "namespaces":
		q.Namespaces = []string{name}
	case in != "":
		q.Namespaces = []string{in}
	}
	if id != "namespaces" {
		q.Kinds = append(around, id)
	}
	return c, s, q
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
func (t *Timeline) ofList(l *list.List, shown list.Shown) (*cluster.Cluster, subject, timeline.Question) {
	c, look := l.Cluster(), l.Asked().Query
	id := shown.Kind.ID()
	s := subject{kind: id, view: shown.View, text: look.Text, labels: look.Labels, moment: c.Moment()}
	for _, n := range look.Namespaces {
		s.names += n + ","
	}
	q := timeline.Question{Namespaces: slices.Clone(look.Namespaces)}
	switch {
	case id == port.Problems || id == port.Timeline || id == "events":
		s.text, s.labels = "", ""
		names := slices.Clone(look.Namespaces)
		q.Match = func(of *timeline.Object) bool { return len(names) == 0 || slices.Contains(names, of.Namespace) }
		if id == "events" {
			q.Pick = func(e *timeline.Entry) bool { return e.Event }
			q.Kinds = []string{id}
			break
		}
		t.need(c, []string{""}, []string{port.Problems}) // what the rules read
	default:
		t.need(c, shown.Scopes, []string{"events"})
		q.Match = newMatcher(c, l, shown).match
		q.Kinds = []string{id, "events"}
	}
	return c, s, q
}

// matcher matches the objects of a timeline as a list does. It is for the goroutine of the timeline.
type matcher struct {
	kind       object.Kind
	id         string
	record     history.Record
	view       *view.View
	sources    []*source.Lease
	extras     []object.Extra
	codes      *object.CodeTable
	decoder    *object.Decoder // nil until it is needed
	namespaces []string
}

func newMatcher(c *cluster.Cluster, l *list.List, s list.Shown) *matcher {
	return &matcher{kind: s.Kind, id: s.Kind.ID(), record: c.Record(), view: s.View, sources: l.Sources(), extras: s.Extras, codes: &c.Codes, namespaces: slices.Clone(l.Asked().Namespaces)}
}

// match reports whether an object matches: as the list has it or, if it is gone, as it was last.
func (m *matcher) match(of *timeline.Object) bool {
	if of.Resource != m.id {
		return false
	}
	for _, p := range m.sources {
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
	if m.record == nil || of.Stream < 0 {
		return nil
	}
	_, at := m.record.Span()
	if !of.Gone.IsZero() {
		at = of.Gone.Add(-1)
	}
	was, ok := m.record.Find(of.Stream, of.Key(), at)
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
		if columns := m.record.Streams()[stream].Columns; columns != nil {
			_, _ = m.decoder.SetColumns(columns) // those that are malformed decode nothing
		}
	}
	return m.decoder
}
