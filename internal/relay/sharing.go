//go:build !js

package relay

import (
	"context"
	"errors"
	"hash/maphash"
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
// each its own initial events. When there are two with the same key, and something happens, a third
// watch begins where one of them is. Each stream changes to it at an event, if the shared watch
// has had that event, or has just had the one before. So nothing is lost or repeated, no stream
// waits for a watch that is not open, and none changes to a server that is behind by more than
// sharedBehind, or has another history.
//
// A stream on a shared watch ends when its own would have ended: at its own time, when its
// right is not confirmed, or with an error of the apiserver. If it reads too slowly, it ends like
// a watch that the apiserver drops, and the tab opens the next.
type Sharing struct {
	open atomic.Int32 // shared watches

	mu    sync.Mutex
	all   map[sharingKey]*sharingGroup
	usage map[any]*usage           // by who asks
	rests map[sharingKey]time.Time // those that cannot be shared, until when
}

// usage is what the shared watches of one user keep.
type usage struct {
	bytes  atomic.Int64 // of events
	groups int          // groups of streams
}

// NewSharing returns a Sharing. A process needs one.
func NewSharing() *Sharing {
	return &Sharing{all: make(map[sharingKey]*sharingGroup), usage: make(map[any]*usage), rests: make(map[sharingKey]time.Time)}
}

// Watches returns how many shared watches are open.
func (s *Sharing) Watches() float64 { return float64(s.open.Load()) }

// sharingKey is what streams have in common that may share a watch: who asks whom, and for what.
type sharingKey struct {
	as      any
	request wire.Request // without the version to begin at, and without an end
}

const (
	// sharedEvery is the least time between two attempts to begin a shared watch.
	sharedEvery = 10 * time.Second
	// sharedRest is the time without one after something that cannot be shared.
	sharedRest = 10 * time.Minute
	// sharedBehind is how much later than a stream's own watch the shared one may have had an event.
	sharedBehind = time.Second
	// restsMost is how many such times are remembered.
	restsMost = 1000
)

// sharingGroup is the group of streams with one key.
type sharingGroup struct {
	sharing *Sharing
	key     sharingKey
	usage   *usage
	members atomic.Int32 // changed under sharing.mu
	running sync.WaitGroup

	mu     sync.Mutex
	shared *sharedWatch // the one to join; earlier ones only serve the readers they have
	next   time.Time    // when the next may begin
}

// member is a stream of a group. A nil member shares nothing.
type member struct {
	group   *sharingGroup
	stream  *stream
	settled bool  // it has passed on all objects that there were at first
	last    mark  // the last event that it has passed on; without a version if that is not known
	read    int64 // when that was read, in unix nanoseconds
	reader  reader
}

// mark identifies an event. Other servers, or one with another history, may send other events of
// the same version, so the version alone does not.
type mark struct {
	version uint64
	sum     uint64 // of the payload; 0 for a bookmark
}

var sumSeed = maphash.MakeSeed()

// markOf returns the mark of an event, if its version is a number, and whether the initial events
// end with it.
func markOf(t wire.EventType, payload []byte) (m mark, end, ok bool) {
	var text string
	var err error
	switch t {
	case wire.Added, wire.Modified, wire.Deleted:
		var id object.Identity
		id, err = object.ReadIdentity(payload)
		text, m.sum = id.Version, maphash.Bytes(sumSeed, payload)
	case wire.Bookmark:
		text, end, err = object.ReadBookmark(payload)
	}
	version, also := strconv.ParseUint(text, 10, 64)
	m.version = version
	return m, end, err == nil && also == nil && version > 0
}

// errShared ends a stream's own watch: it continues on a shared one.
var errShared = errors.New("continued on a shared watch")

// enter adds a stream whose watch was accepted, or returns nil if that cannot be shared. The
// version of each event has to be known, which is easily read from protobuf only. Tabs use short
// watches behind a gateway that holds the response back until its end.
func (s *Sharing) enter(st *stream, encoding wire.Encoding) *member {
	r, as := st.request, st.session.options.Upstream.As
	if s == nil || as == nil || r.Verb != wire.Watch || encoding != wire.EncodingProtobuf || lasts(r) <= wire.ShortWatch {
		return nil
	}
	m := &member{stream: st, settled: !r.SendInitialEvents && r.ResourceVersion != "" && r.ResourceVersion != "0"}
	r.ResourceVersion, r.ResourceVersionMatch, r.SendInitialEvents = "", "", false
	r.TimeoutSeconds, r.Now, r.Access, r.Log = 0, false, nil, nil
	l := sharingKey{as, r}
	s.mu.Lock()
	defer s.mu.Unlock()
	if time.Now().Before(s.rests[l]) {
		return nil
	}
	if m.group = s.all[l]; m.group == nil {
		m.group = &sharingGroup{sharing: s, key: l, usage: s.usage[as]}
		if m.group.usage == nil {
			m.group.usage = new(usage)
			s.usage[as] = m.group.usage
		}
		m.group.usage.groups++
		s.all[l] = m.group
	}
	m.group.members.Add(1)
	return m
}

// changes is called with each event before it is passed on. It reports whether the stream changes to
// a shared watch, which then sends that event.
func (m *member) changes(t wire.EventType, payload []byte) bool {
	if m == nil || !m.settled && t != wire.Bookmark {
		return false
	}
	if t != wire.Bookmark && m.group.members.Load() < 2 {
		m.last = mark{}
		return false
	}
	now, end, ok := markOf(t, payload)
	m.settled = m.settled || end
	last, read := m.last, m.read
	if m.last, m.read = now, m.stream.heard.Load(); !ok || last.version > now.version {
		m.last = mark{}
		return false
	}
	if t == wire.Bookmark || last.version == 0 || last.version == now.version { // there may be more events of this version
		return false
	}
	return m.group.join(m, last, now, read)
}

// join makes a stream a reader of the shared watch after its last event, if the shared watch has had the
// next one, or the last, which the stream has read at a time. If there is none to join, one begins for later.
func (a *sharingGroup) join(m *member, last, next mark, read int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.shared == nil || a.shared.isOver() {
		a.beginLocked(&m.stream.session.options, last.version)
		return false
	}
	return a.shared.join(&m.reader, last, next, read)
}

// beginLocked begins a shared watch after a version, as a session would.
func (a *sharingGroup) beginLocked(of *Options, version uint64) {
	now := time.Now()
	if now.Before(a.next) {
		return
	}
	a.next = now.Add(sharedEvery)
	if a.shared != nil {
		a.shared.endUnread()
	}
	ctx, cancel := context.WithCancel(context.Background()) // it outlives the stream that begins it
	w := newShared(a.usage, version, cancel)
	a.shared = w
	as := Options{Upstream: of.Upstream, Limiter: of.Limiter, Places: of.Places, Heavy: of.Heavy, User: of.User, Meter: of.Meter} // nothing of the session stays
	a.running.Go(func() {
		defer cancel()
		a.sharing.open.Add(1)
		defer a.sharing.open.Add(-1)
		err := w.read(ctx, as, a.key.request, version)
		if errors.Is(err, errTooLarge) || errors.Is(err, errUnshareable) {
			a.sharing.rest(a.key)
		}
		w.finish(err)
	})
}

// rest lets all further streams with a key have their own watches for a while.
func (s *Sharing) rest(l sharingKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	for other, until := range s.rests {
		if now.After(until) {
			delete(s.rests, other)
		}
	}
	if len(s.rests) < restsMost {
		s.rests[l] = now.Add(sharedRest)
	}
}

// leave removes the stream. When fewer than two are left, a shared watch that nobody reads ends. The last
// stream waits until all have ended.
func (m *member) leave() {
	if m == nil {
		return
	}
	m.reader.leave()
	left := m.group.remove()
	if left > 1 {
		return
	}
	m.group.mu.Lock()
	if w := m.group.shared; w != nil && w.endUnread() {
		m.group.shared = nil
	}
	m.group.mu.Unlock()
	if left == 0 {
		m.group.running.Wait()
	}
}

// remove removes a member, and returns how many are left.
func (a *sharingGroup) remove() int32 {
	s := a.sharing
	s.mu.Lock()
	defer s.mu.Unlock()
	left := a.members.Add(-1)
	if left == 0 {
		delete(s.all, a.key)
		if a.usage.groups--; a.usage.groups == 0 {
			delete(s.usage, a.key.as)
		}
	}
	return left
}
