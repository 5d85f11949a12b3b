//go:build !js

package relay

import (
	"context"
	"errors"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// Sharing lets streams that watch the same objects as the same user read one watch of the
// apiserver, which sends each event once instead of once for each tab.
//
// Every stream begins with a watch of its own, so the apiserver decides about each, and sends
// each its own initial events. When two that are alike have passed on all objects that there
// are, a third watch begins where they are. Each stream changes to it after an event that it
// has passed on, once the shared watch is known to have everything after that. So nothing is
// lost or repeated, and a stream never waits for a watch that is not open.
//
// A stream on a shared watch ends where its own would have ended: at its own time, when its
// right is not confirmed, or with an error of the apiserver. If it reads too slowly, it ends like
// a watch that the apiserver lets go, and the tab opens the next.
type Sharing struct {
	open atomic.Int32 // shared watches

	mu  sync.Mutex
	all map[likeness]*alike
}

// NewSharing returns a Sharing. A process needs one.
func NewSharing() *Sharing { return &Sharing{all: make(map[likeness]*alike)} }

// Watches returns how many shared watches are open.
func (s *Sharing) Watches() float64 { return float64(s.open.Load()) }

// likeness is what streams have in common that may share a watch: who asks whom, and for what.
type likeness struct {
	as      any
	request wire.Request // without the version to begin at, and without an end
}

// sharedEvery is the least time between two attempts to begin a shared watch.
const sharedEvery = 10 * time.Second

// alike are the streams of one likeness.
type alike struct {
	sharing  *Sharing
	likeness likeness
	members  atomic.Int32 // changed under sharing.mu
	running  sync.WaitGroup

	mu     sync.Mutex
	shared *shared   // the one to join; those before have readers only
	next   time.Time // when the next may begin
}

// member is a stream among those that are alike. A nil member shares nothing.
type member struct {
	*alike
	stream  *stream
	settled bool // it has passed on all objects that there were at first
	reader
}

// errShared ends a stream's own watch: it continues on a shared one.
var errShared = errors.New("continued on a shared watch")

// enter adds a stream whose watch was accepted, or returns nil if that cannot be shared: the
// version of each event has to be known, which is easily read from protobuf only, and a stream on which
// little happens needs bookmarks to learn how far it is.
func (s *Sharing) enter(st *stream, encoding wire.Encoding) *member {
	r, as := st.request, st.session.options.Upstream.As
	if s == nil || as == nil || r.Verb != wire.Watch || encoding != wire.EncodingProtobuf || !r.AllowWatchBookmarks {
		return nil
	}
	m := &member{stream: st, settled: !r.SendInitialEvents && r.ResourceVersion != "" && r.ResourceVersion != "0"}
	r.ResourceVersion, r.ResourceVersionMatch, r.SendInitialEvents = "", "", false
	r.TimeoutSeconds, r.Now, r.Access, r.Log = 0, false, nil, nil
	l := likeness{as, r}
	s.mu.Lock()
	defer s.mu.Unlock()
	if m.alike = s.all[l]; m.alike == nil {
		m.alike = &alike{sharing: s, likeness: l}
		s.all[l] = m.alike
	}
	m.members.Add(1)
	return m
}

// passed is called with each event that was passed on. It returns errShared if the stream is
// to go on as a reader of a shared watch.
func (m *member) passed(t wire.EventType, payload []byte) error {
	if m == nil || m.settled && m.members.Load() < 2 {
		return nil
	}
	if !m.settled && t != wire.Bookmark {
		return nil
	}
	version, end, ok := versionOf(t, payload)
	m.settled = m.settled || end
	if ok && m.settled && m.members.Load() > 1 && m.join(version) {
		return errShared
	}
	return nil
}

// versionOf returns the version of an event, if it is a number, and whether the initial events end
// with it.
func versionOf(t wire.EventType, payload []byte) (version uint64, end, ok bool) {
	var text string
	var err error
	switch t {
	case wire.Added, wire.Modified, wire.Deleted:
		var id object.Identity
		id, err = object.ReadIdentity(payload)
		text = id.Version
	case wire.Bookmark:
		text, end, err = object.ReadBookmark(payload)
	}
	version, unlike := strconv.ParseUint(text, 10, 64)
	return version, end, err == nil && unlike == nil
}

// join makes the stream a reader of the shared watch, from the event after a version. If there
// is none to join, it may begin one for later.
func (m *member) join(version uint64) bool {
	m.alike.mu.Lock()
	defer m.alike.mu.Unlock()
	if m.shared == nil || !m.shared.joinable() {
		m.beginLocked(version)
		return false
	}
	return m.shared.join(&m.reader, version)
}

// beginLocked begins a shared watch at a version.
func (m *member) beginLocked(version uint64) {
	a, of := m.alike, &m.stream.session.options
	now := time.Now()
	if now.Before(a.next) {
		return
	}
	a.next = now.Add(sharedEvery)
	if a.shared != nil {
		a.shared.retire()
	}
	ctx, cancel := context.WithCancel(context.Background()) // it outlives the stream that begins it
	w := newShared(version, cancel)
	a.shared = w
	as := Options{Upstream: of.Upstream, Turnstile: of.Turnstile, Heavy: of.Heavy, User: of.User, Meter: of.Meter} // nothing of the session stays
	a.running.Go(func() {
		defer cancel()
		a.sharing.open.Add(1)
		defer a.sharing.open.Add(-1)
		w.finish(w.read(ctx, as, a.likeness.request, version))
	})
}

// leave removes the stream. The last but one ends a shared watch that nobody reads, and the last
// waits until everything has ended.
func (m *member) leave() {
	if m == nil {
		return
	}
	m.reader.leave()
	s := m.sharing
	s.mu.Lock()
	left := m.members.Add(-1)
	if left == 0 {
		delete(s.all, m.likeness)
	}
	s.mu.Unlock()
	if left > 1 {
		return
	}
	m.alike.mu.Lock()
	if m.shared != nil && m.shared.endUnread() {
		m.shared = nil
	}
	m.alike.mu.Unlock()
	if left == 0 {
		m.running.Wait()
	}
}
