package hub

import (
	"slices"
	"sync"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/history"
	"watchglass/internal/hub/sums"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/reflector"
	"watchglass/internal/wire"
)

// asleep is how long no step was taken if the tab slept, or had no time for anything.
const asleep = 15 * time.Second

// tidyAgain is the wait between two slices of tidying.
const tidyAgain = 20 * time.Millisecond

// joinRestored is how long a list that began with the last visit is live before its changes are remembered.
const joinRestored = 3 * time.Second

// resumeWithin is how long a watch that ended may take to be resumed without a gap: a slow round trip.
const resumeWithin = 2 * time.Second

// feeds are the sources whose changes are remembered. Any goroutine may add one.
type feeds struct {
	mu     sync.Mutex
	all    []*remembered
	looked time.Time
}

// remembered is a source whose changes are remembered.
type remembered struct {
	cluster  *Cluster
	informer *informer.Informer[*object.Object]
	kind     object.Kind
	scope    string
	feed     *history.Feed // nil: nothing is remembered of it
	relists  int
	live     time.Time // when it was last up to date
	resuming time.Time // since when its watch is being resumed; zero: it is up to date
	lost     bool      // the right to read it, until it has joined again
	over     bool      // the source has ended; guarded by the informer's lock
}

// remember returns what tells the history of a source. Metrics are not remembered, nor are rows that the
// hub derives from other objects. Any goroutine may call it.
func (c *Cluster) remember(r wire.Request, kind object.Kind, decoder *object.Decoder, i *informer.Informer[*object.Object]) *remembered {
	m := &remembered{cluster: c, informer: i, kind: kind, scope: r.LabelSelector + " " + r.FieldSelector}
	if c.relay != nil || r.Group == sums.MetricsGroup || c.makes(r, kind) {
		return m
	}
	of := history.Source{
		Kind: kind, Decoder: decoder, Namespace: r.Namespace, Partial: r.Encoding == wire.EncodingTable,
		Unread: func(key string) bool { return !i.Unread(key).IsZero() },
		Held:   func(f func(history.Objects)) { i.Reported(func() { f(i.Store()) }) },
	}
	if m.scope != " " {
		of.Scope = m.scope
	}
	m.feed = c.history.Feed(of)
	c.feeds.mu.Lock()
	defer c.feeds.mu.Unlock()
	c.feeds.all = append(c.feeds.all, m)
	return m
}

// note tells the history of changes. Informers call it, locked.
func (m *remembered) note(now time.Time, changes []informer.Change[*object.Object]) {
	if m.feed == nil || len(changes) == 0 {
		return
	}
	if changes[0].Ended {
		objects := make([]*object.Object, len(changes))
		for i, change := range changes {
			objects[i] = change.Before
		}
		m.leave(now, objects)
		return
	}
	for _, change := range changes {
		switch {
		case change.Initial:
		case change.Unread:
			m.feed.Lose(now, change.Before)
		case change.Before == nil && change.After == nil: // it could not be read, and is deleted now
			m.feed.Note(now, change.Final, nil)
		default:
			m.feed.Note(now, change.Before, change.After)
		}
	}
}

// leave ends the memory of a source that has ended with these objects. Informers call it, locked: a
// feed that joined later would lead its kind for ever, and nothing more would be remembered of that.
func (m *remembered) leave(now time.Time, objects []*object.Object) {
	if m.feed == nil || m.over {
		return
	}
	m.over = true
	m.feed.Leave(now, objects)
	m.cluster.feeds.remove(m)
}

func (f *feeds) remove(m *remembered) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.all = slices.DeleteFunc(f.all, func(other *remembered) bool { return other == m })
}

// recall tells the history which sources are up to date, and which may have missed changes.
func (c *Cluster) recall(now time.Time) {
	now = now.Round(0) // the clock that goes on while the machine sleeps
	c.feeds.mu.Lock()
	all, looked := slices.Clone(c.feeds.all), c.feeds.looked
	c.feeds.looked = now
	c.feeds.mu.Unlock()
	link := c.Link()
	for _, m := range all {
		if !looked.IsZero() && now.Sub(looked) > asleep {
			m.feed.Miss(looked, history.Away)
		}
		m.look(link, now)
	}
	if c.history.Tidy(now) {
		c.WakeAt(now.Add(tidyAgain))
	}
}

// look tells the history how its source is.
func (m *remembered) look(link informer.Link, now time.Time) {
	s := m.informer.State(now)
	fresh, age, cause := informer.Fresh(s, link, now)
	live := fresh == informer.Live || fresh == informer.Stale && cause != nil && cause == s.Unwatched
	if s.Phase == reflector.Resuming && m.resuming.IsZero() {
		m.resuming = s.Since
	}
	switch {
	case fresh == informer.Denied && s.Denied: // one refusal may be of a server that starts, and bad credentials say nothing of rights
		m.feed.Forget(now)
		m.lost = true
		return
	case !live && resumes(s, link, now):
		return
	case !live:
		m.feed.Miss(m.missedSince(now.Add(-age)), history.Away)
		return
	case s.Restored && !m.feed.Joined() && m.cluster.lists.Restores(m.informer): // history would have no bodies
		return
	case s.Restored && !m.feed.Joined() && now.Sub(s.Since) < joinRestored: // what changed before this visit may still be coming
		m.cluster.WakeAt(s.Since.Add(joinRestored)) // nothing else may happen by then
		return
	case m.lost && s.Behind: // what the new list brings is not added: it was there before
		return
	case !m.feed.Joined() && m.scope == " " && m.informer.HasSynced() && !m.covered(): // selected objects are no part of the tape
		m.join(now)
		m.relists, m.live, m.lost = s.Relists, now, false
	}
	if s.Relists > m.relists && !m.live.IsZero() {
		m.feed.Miss(m.live, history.Relisted)
	}
	m.relists, m.live, m.resuming = s.Relists, now, time.Time{}
	if s.Unread > 0 {
		m.feed.Miss(now, history.Unread)
		return
	}
	m.feed.Live(now)
}

// resumes reports whether a source is live but for its watch, which ended a moment ago and is being resumed. That
// misses nothing: the next watch begins at the version that was reached, and a list instead of it is a gap of its own.
func resumes(s informer.State, link informer.Link, now time.Time) bool {
	if s.Phase != reflector.Resuming || s.Err != nil || now.Sub(s.Since) > resumeWithin {
		return false
	}
	s.Phase = reflector.Watching
	fresh, _, _ := informer.Fresh(s, link, now)
	return fresh == informer.Live
}

// missedSince returns when a source that was last heard at a time began to miss changes. A watch that could not be
// resumed has missed them since it ended.
func (m *remembered) missedSince(heard time.Time) time.Time {
	if !m.resuming.IsZero() && m.resuming.Before(heard) {
		return m.resuming
	}
	return heard
}

// covered reports whether another source reports the same changes, for the whole cluster.
func (m *remembered) covered() bool {
	return m.within(func(other *remembered) bool {
		return other.scope == " " && other.feed.Namespace == "" && other.feed.Joined()
	})
}

// within reports whether f is true for another source of the kind.
func (m *remembered) within(f func(other *remembered) bool) bool {
	if m.scope != " " || m.feed.Namespace == "" {
		return false
	}
	m.cluster.feeds.mu.Lock()
	defer m.cluster.feeds.mu.Unlock()
	return slices.ContainsFunc(m.cluster.feeds.all, func(other *remembered) bool {
		return other != m && other.kind.ID() == m.kind.ID() && f(other)
	})
}

// join lets the changes of the source count, instead of those of its namespaces.
func (m *remembered) join(now time.Time) {
	m.feed.Held(func(held history.Objects) {
		if !m.over {
			m.feed.Join(now, held)
		}
	})
	if m.scope != " " || m.feed.Namespace != "" {
		return
	}
	m.cluster.feeds.mu.Lock()
	all := slices.Clone(m.cluster.feeds.all)
	m.cluster.feeds.mu.Unlock()
	for _, other := range all {
		if other.scope == " " && other.feed.Namespace != "" && other.kind.ID() == m.kind.ID() && other.feed.Joined() {
			other.feed.Held(func(held history.Objects) { other.feed.Leave(now, held.List()) })
		}
	}
}

// readVersion decodes a version that is remembered.
func readVersion(kind object.Kind, v history.Version) (detail.Seen, bool) {
	decoder := object.NewDecoder(kind, true)
	if v.Columns != nil {
		_, _ = decoder.SetColumns(v.Columns) // they were read before
	}
	o, err := decoder.Decode(v.Payload)
	return detail.Seen{Object: o, Columns: decoder.Columns(), At: v.At}, err == nil
}
