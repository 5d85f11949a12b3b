package recorder

import (
	"slices"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/reflector"
)

// JoinRestored is how long a list that began with the last visit is live before its changes are recorded.
const JoinRestored = 3 * time.Second

// resumeWithin is how long a watch that ended may take to be resumed without a gap: a slow round trip.
const resumeWithin = 2 * time.Second

// Source is a source whose changes are recorded. Informers call Note and End, locked.
type Source struct {
	recorder *Recorder
	informer *informer.Informer[*object.Object]
	kind     object.Kind
	scope    string
	input    *history.Input
	relists  int
	live     time.Time // when it was last up to date
	resuming time.Time // since when its watch is being resumed; zero: it is up to date
	lost     bool      // the right to read it, until it has joined again
	over     bool      // the source has ended; guarded by the informer's lock
}

// Note records changes.
func (m *Source) Note(now time.Time, changes []informer.Change[*object.Object]) {
	if len(changes) == 0 {
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
			m.input.Lose(now, change.Before)
		case change.Before == nil && change.After == nil: // it could not be read, and is deleted now
			m.input.Note(now, change.Final, nil)
		default:
			m.input.Note(now, change.Before, change.After)
		}
	}
}

// End ends the record of a source that has ended, and whose objects have left it before.
func (m *Source) End(now time.Time) { m.leave(now, nil) }

// leave ends the record of a source that has ended with these objects. An input that joined later would lead its kind
// for ever, and nothing more would be recorded of that.
func (m *Source) leave(now time.Time, objects []*object.Object) {
	if m.over {
		return
	}
	m.over = true
	m.input.Leave(now, objects)
	m.recorder.remove(m)
}

// refresh tells the history how its source is.
func (m *Source) refresh(link informer.Link, now time.Time) {
	status := source.StatusOf(m.informer, link, now)
	s, live := status.State, status.Followed()
	if s.Phase == reflector.Resuming && m.resuming.IsZero() {
		m.resuming = s.Since
	}
	switch {
	case status.Fresh == informer.Denied && s.Denied: // one refusal may be of a server that starts, and bad credentials say nothing of rights
		m.input.Forget(now)
		m.lost = true
		return
	case !live && resumes(s, link, now):
		return
	case !live:
		m.input.Miss(m.missedSince(now.Add(-status.Age)), history.Away)
		return
	case s.Restored && !m.input.Joined() && m.recorder.Restores(m.informer): // history would have no bodies
		return
	case s.Restored && !m.input.Joined() && now.Sub(s.Since) < JoinRestored: // what changed before this visit may still be coming
		m.recorder.Loop.WakeAt(s.Since.Add(JoinRestored)) // nothing else may happen by then
		return
	case m.lost && s.Behind: // what the new list brings is not added: it was there before
		return
	case !m.input.Joined() && m.scope == " " && m.informer.HasSynced() && !m.covered(): // selected objects are no part of the record
		m.join(now)
		m.relists, m.live, m.lost = s.Relists, now, false
	}
	if s.Relists > m.relists && !m.live.IsZero() {
		m.input.Miss(m.live, history.Relisted)
	}
	m.relists, m.live, m.resuming = s.Relists, now, time.Time{}
	if s.Unread > 0 {
		m.input.Miss(now, history.Unread)
		return
	}
	m.input.Live(now)
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
func (m *Source) missedSince(heard time.Time) time.Time {
	if !m.resuming.IsZero() && m.resuming.Before(heard) {
		return m.resuming
	}
	return heard
}

// covered reports whether another source reports the same changes, for the whole cluster.
func (m *Source) covered() bool {
	return m.within(func(other *Source) bool {
		return other.scope == " " && other.input.Namespace == "" && other.input.Joined()
	})
}

// within reports whether f is true for another source of the kind.
func (m *Source) within(f func(other *Source) bool) bool {
	if m.scope != " " || m.input.Namespace == "" {
		return false
	}
	m.recorder.mu.Lock()
	defer m.recorder.mu.Unlock()
	return slices.ContainsFunc(m.recorder.all, func(other *Source) bool {
		return other != m && other.kind.ID() == m.kind.ID() && f(other)
	})
}

// join lets the changes of the source count, instead of those of its namespaces.
func (m *Source) join(now time.Time) {
	m.input.Held(func(held history.Objects) {
		if !m.over {
			m.input.Join(now, held)
		}
	})
	if m.scope != " " || m.input.Namespace != "" {
		return
	}
	m.recorder.mu.Lock()
	all := slices.Clone(m.recorder.all)
	m.recorder.mu.Unlock()
	for _, other := range all {
		if other.scope == " " && other.input.Namespace != "" && other.kind.ID() == m.kind.ID() && other.input.Joined() {
			other.input.Held(func(held history.Objects) { other.input.Leave(now, held.List()) })
		}
	}
}
