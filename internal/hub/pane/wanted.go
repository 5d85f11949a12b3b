package pane

import (
	"slices"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/detail/related"
	"watchglass/internal/document"
	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/query"
	"watchglass/internal/wire"
)

// wantedList is a list of other objects that a pane shows something of.
type wantedList struct {
	*source.Feed
	want     detail.Want
	kind     object.Kind
	selector query.Selector
	path     query.Path // to what the wanted objects have in common
	count    query.Path // to what is counted of them
	synced   bool
	denied   *wire.Status // why it may not be read
	host     Host
	bodies   bodies
}

// newWantedList leases a list of its own for what is wanted.
func newWantedList(h Host, want detail.Want, kind object.Kind) *wantedList {
	l := &wantedList{want: want, kind: kind, host: h}
	l.selector, _ = query.ParseSelector(want.Labels) // an invalid one selects all: the owner decides
	l.path, _ = query.ParsePath(want.Path)
	l.count, _ = query.ParsePath(want.Count)
	fields := want.Fields
	if want.Name != "" {
		fields = related.ByName + want.Name
	}
	lease := h.Lease(kind, source.Selection{Namespace: want.Namespace, Labels: want.Labels, Fields: fields, Metadata: want.Metadata})
	l.Feed = source.Follow(lease, l.wanted, h.RequestUpdate)
	return l
}

// wanted reports whether an object is wanted, as far as that is known without its bytes.
func (l *wantedList) wanted(o *object.Object) bool {
	w := l.want
	return (w.Namespace == "" || o.Namespace() == w.Namespace) && (w.Name == "" || o.Name() == w.Name) &&
		(w.Owner == "" || slices.ContainsFunc(o.Owners(), func(by object.Owner) bool { return by.Controller && by.UID == w.Owner })) &&
		l.selector.Matches(o.Labels())
}

// objects returns the wanted objects of the list, in no order. Those of other namespaces are not looked at.
func (l *wantedList) objects() []*object.Object {
	all := l.Lister(l.want.Namespace).List(l.selector)
	return slices.DeleteFunc(all, func(o *object.Object) bool { return !l.wanted(o) })
}

// matches reports whether a wanted object has the wanted value at the path.
func (l *wantedList) matches(o *object.Object) bool {
	found := l.want.Path == ""
	if !found {
		l.kind.Find(o, l.path, func(text string) { found = found || text == l.want.Is })
	}
	return found
}

// check updates the state of the list, and reports whether it changed.
func (l *wantedList) check(link informer.Link, now time.Time) (altered bool) {
	s := source.StatusOf(l.Lease, link, now)
	synced, denied := s.Verdict() >= source.Old, (*wire.Status)(nil)
	if s.Refused() {
		denied = s.Cause
	}
	altered = l.synced != synced || message(l.denied) != message(denied)
	l.synced, l.denied = synced, denied
	return l.bodies.due(now) || altered
}

// addTo adds the wanted objects of the list, or their counts. It adds nothing while one of the
// objects lacks its bytes: the others would pass for all.
func (l *wantedList) addTo(more *detail.More, now time.Time) {
	if !l.want.Metadata && !l.whole(now) {
		if l.bodies.Failed != nil {
			more.Denied = append(more.Denied, detail.Denial{Resource: l.kind.ID(), Status: l.bodies.Failed})
		}
		return
	}
	var objects []document.Value
	counts := make(map[string]int)
	for _, o := range l.objects() {
		if l.want.Metadata {
			counts[""]++
			continue
		}
		if o.Packed() == nil {
			return
		}
		if !l.matches(o) {
			continue
		}
		if l.want.Count != "" {
			l.kind.Find(o, l.count, func(text string) { counts[text]++ })
		} else if v, err := ParseBody(l.kind, o); err == nil {
			objects = append(objects, v)
			l.addState(more, o)
		}
	}
	more.Objects[l.want.Key], more.Counts[l.want.Key] = objects, counts
}

// addState adds the state of a wanted object, as the list of its kind shows it.
func (l *wantedList) addState(more *detail.More, o *object.Object) {
	columns := l.Decoder().Columns()
	more.States[l.want.Key+" "+o.Key()] = detail.Span{Text: object.State(l.kind.Name, o, columns), Style: string(object.ToneOfObject(l.kind.Name, o, columns))}
}
