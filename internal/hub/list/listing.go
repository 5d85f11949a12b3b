package list

import (
	"slices"
	"strings"
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/kinds"
	"watchglass/internal/hub/local"
	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/view"
)

// listing is what a list shows: one kind, from one source of the whole cluster or from one
// for each of some namespaces, merged in one view.
type listing struct {
	cluster *cluster.Cluster
	kind    object.Kind
	local   *local.Kind    // nil: the rows are a list of the server's, or derived from one
	table   string         // kinds.TableKey, if the server prints the kind
	scopes  []string       // namespaces; "" is the whole cluster
	extras  []object.Extra // added columns
	parts   []part         // one for each scope
	view    *view.View
	derived []*derivation // what computes the derived columns
	metrics struct {      // whether the server has metrics of the kind, as of a generation of kinds
		generation int
		served     bool
	}
	status []source.Status // of the parts, as of the last observe
	whole  bool            // it has been filled
}

// part is one source of a listing, which the view subscribes to.
type part struct {
	*source.Lease
	sub *informer.Subscription[*object.Object]
}

// newListing returns a listing that has not been opened.
func newListing(c *cluster.Cluster, kind object.Kind, scopes []string, extras []object.Extra) *listing {
	c.Kinds.Print(&kind)
	if !kind.Namespaced {
		scopes = []string{""}
	}
	l := &listing{cluster: c, kind: kind, local: c.Local.Only(kind), table: cluster.TableOf(&kind), scopes: scopes, extras: extras}
	l.derived = newDerived(l)
	return l
}

// open leases the sources and makes the view.
func (l *listing) open() {
	l.view = view.NewSharing(l.cluster.Texts(&l.kind))
	var all []*object.Object
	for _, namespace := range l.scopes {
		p := part{Lease: l.cluster.Lease(l.kind, namespace, l.extras)}
		objects, sub := p.Subscribe(l.apply)
		p.sub = sub
		l.parts, all = append(l.parts, p), append(all, objects...)
	}
	l.view.Start(all)
}

func (l *listing) opened() bool { return len(l.parts) > 0 }

// size returns how many objects the sources hold.
func (l *listing) size() (n int) {
	for _, p := range l.parts {
		n += p.Store().Len()
	}
	return n
}

// apply forwards changes to the view. Informers call it.
func (l *listing) apply(changes []informer.Change[*object.Object]) {
	out := make([]view.Change, len(changes))
	for i, c := range changes {
		out[i] = view.Change{Before: c.Before, After: c.After}
	}
	l.view.Apply(out)
	l.cluster.RequestStep()
}

// close releases the sources, which linger.
func (l *listing) close() { l.end((*source.Lease).Release, (*source.Lease).Release) }

// closeFor releases the sources of a listing that another one replaces. A source that has not
// synced ends at once: the server would go on sending what nobody reads.
func (l *listing) closeFor() {
	l.end((*source.Lease).Release, func(s *source.Lease) {
		if s.HasSynced() {
			s.Release()
		} else {
			s.Drop()
		}
	})
}

// closeAtOnce releases the sources without letting them linger.
func (l *listing) closeAtOnce() { l.end((*source.Lease).Drop, (*source.Lease).Drop) }

// end ends the subscriptions, and gives up the sources of derived columns and of the rows.
func (l *listing) end(derived, rows func(*source.Lease)) {
	l.closeDerived(derived)
	for _, p := range l.parts {
		p.Unsubscribe(p.sub)
		rows(p.Lease)
	}
	if l.parts = nil; l.view != nil {
		l.view.End()
	}
}

// isWide reports whether the listing is one list of the whole cluster.
func (l *listing) isWide() bool { return len(l.scopes) == 1 && l.scopes[0] == "" }

// is reports whether the listing is of a kind, served and printed like this, with these added columns.
func (l *listing) is(kind object.Kind, extras []object.Extra) bool {
	return kinds.Same(l.kind, kind) && source.Variant(&l.kind, l.extras) == source.Variant(&kind, extras)
}

// shares reports whether a source is one of the listing's.
func (l *listing) shares(lease *source.Lease) bool {
	return slices.ContainsFunc(l.parts, func(p part) bool { return p.Informer == lease.Informer })
}

// seededBy reports whether the sources can start from what another listing holds, so that the
// server need not send it again: their requests are the same.
func (l *listing) seededBy(other *listing) bool {
	return l.kind.Printed() && kinds.Same(l.kind, other.kind) && slices.Equal(l.scopes, other.scopes)
}

// observe records the state of the parts. All that is reported until the next call is of the
// same moment.
func (l *listing) observe(now time.Time) {
	l.status = l.status[:0]
	link := l.cluster.Link()
	for _, p := range l.parts {
		l.status = append(l.status, source.StatusOf(p.Lease, link, now))
	}
	if l.opened() && l.local != nil && l.local.Statuses != nil {
		l.status[0] = worstOf(l.status[0], l.local.Statuses())
	}
}

// worstOf returns the status of a list that the tab makes from others: it is no better than theirs.
func worstOf(s source.Status, others []source.Status) source.Status {
	for _, o := range others {
		if source.Rank(o.Fresh) < source.Rank(s.Fresh) {
			s.Fresh, s.Cause = o.Fresh, o.Cause
		}
		s.Age = max(s.Age, o.Age)
		s.State.AsOf = oldest(s.State.AsOf, o.State.AsOf)
		s.State.Synced = s.State.Synced && (o.State.Synced || o.Failing())
	}
	return s
}

// oldest returns the older of two times, of which either may be zero: none.
func oldest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// settled reports whether each part is denied or has synced, and none is still connecting or
// syncing.
func (l *listing) settled(now time.Time) bool {
	link := l.cluster.Link()
	return l.opened() && !slices.ContainsFunc(l.parts, func(p part) bool {
		switch s := source.StatusOf(p.Lease, link, now); s.Fresh {
		case informer.Denied:
			return false
		case informer.Throttled, informer.Connecting, informer.Syncing:
			return true
		default:
			return !s.State.Synced
		}
	})
}

// filled reports whether the objects of each part are in, except of those that are denied. They stay in when a
// right is taken away, or when a list that the tab makes from others can read none of them.
func (l *listing) filled() (some bool) {
	for _, s := range l.status {
		switch {
		case s.State.Synced:
			some = true
		case s.Fresh != informer.Denied:
			return false
		}
	}
	return some
}

// forbidden reports whether the first list is forbidden.
func (l *listing) forbidden() bool { return len(l.status) > 0 && l.status[0].Forbidden() }

// fresh returns the worst state of the parts.
func (l *listing) fresh() informer.Freshness {
	if len(l.status) == 0 {
		return informer.Connecting
	}
	return worst(l.status)
}

// worst returns the worst state of some sources.
func worst(all []source.Status) informer.Freshness {
	out := informer.Live
	for _, s := range all {
		if source.Rank(s.Fresh) < source.Rank(out) {
			out = s.Fresh
		}
	}
	return out
}

// decoder returns the decoder of a part that has rows, if any: that of a Table learns the
// columns from the first row.
func (l *listing) decoder() *object.Decoder {
	filled := slices.IndexFunc(l.parts, func(p part) bool { return p.Store().Len() > 0 })
	return l.parts[max(filled, 0)].Decoder().(*object.Decoder)
}

// needs returns what the columns of the sources need of a Table.
func (l *listing) needs() (needs object.TableNeeds) {
	for _, p := range l.parts {
		n := p.Decoder().(*object.Decoder).Needs()
		needs.Body, needs.Definition = needs.Body || n.Body, needs.Definition || n.Definition
	}
	return needs
}

// lacks reports whether the list that would have an object has synced without it.
func (l *listing) lacks(o *object.Object) bool {
	i := slices.IndexFunc(l.scopes, func(scope string) bool { return scope == "" || scope == o.Namespace() })
	if i < 0 || i >= len(l.parts) || !l.parts[i].HasSynced() {
		return false
	}
	_, has := l.parts[i].Store().Get(o.Key())
	return !has
}

// audited returns when the part that was compared longest ago was compared with the apiserver's; zero while one never
// was. Denied parts have nothing to compare.
func (l *listing) audited() (oldest time.Time) {
	for _, s := range l.status {
		at := s.State.Audited
		switch {
		case s.Fresh == informer.Denied:
		case at.IsZero():
			return at
		case oldest.IsZero() || at.Before(oldest):
			oldest = at
		}
	}
	return oldest
}

// sum adds the combined state of the parts. Denied parts do not keep the list from being
// synced, unless all are denied.
func (l *listing) sum(out *port.Source) {
	var denied, polled []string
	first, synced := source.Rank(informer.Live)+1, true
	for i, s := range l.status {
		if at := source.Rank(s.Fresh); s.Cause != nil && at < first {
			first, out.Cause = at, s.Cause
		}
		out.Age = max(out.Age, s.Age.Milliseconds())
		out.Objects += s.State.Objects
		out.AsOf = oldest(out.AsOf, s.State.AsOf)
		out.Rejected += s.State.Rejected
		out.Unread += s.State.Unread
		out.Differences += s.State.Differences
		if s.Fresh == informer.Denied {
			denied = append(denied, l.scopes[i])
			continue
		}
		synced, out.Version = synced && s.Listed(), s.State.Settled
		if s.Polled() {
			polled, out.Polled = append(polled, l.scopes[i]), max(out.Polled, s.State.Polled.Milliseconds())
		}
	}
	out.Synced, out.Audited = synced && len(denied) < len(l.status), l.audited()
	if len(denied) > 0 && len(denied) < len(l.status) {
		rest := slices.DeleteFunc(slices.Clone(l.status), func(s source.Status) bool { return s.Fresh == informer.Denied })
		out.Denied, out.Rest = strings.Join(denied, ","), string(worst(rest))
	}
	if len(polled) < len(l.status) {
		out.PolledIn = strings.Join(polled, ",")
	}
}
