//go:build !js

package informer

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"watchglass/internal/wire"
)

// cluster is a cluster in memory, with a history, some of which it has forgotten.
type cluster struct {
	mu        sync.Mutex
	version   int
	compacted int // the oldest version that is still kept
	history   []change
	changed   chan struct{} // closed at the next change
}

type change struct {
	kind    wire.EventType
	key     string
	version int
}

func (c change) payload() []byte { return fmt.Appendf(nil, "%s@%d", c.key, c.version) }

func newCluster() *cluster { return &cluster{changed: make(chan struct{})} }

// at is what there was at a version: each key and the version of its object.
func (c *cluster) at(version int) map[string]int {
	out := map[string]int{}
	for _, ch := range c.history {
		if ch.version > version {
			break
		}
		if ch.kind == wire.Deleted {
			delete(out, ch.key)
		} else {
			out[ch.key] = ch.version
		}
	}
	return out
}

// now is what there is, as tests print it, and the version.
func (c *cluster) now() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return listed(c.at(c.version)) + fmt.Sprint(" at ", c.version)
}

// told is what happened, a line each.
func (c *cluster) told() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, ch := range c.history {
		out = append(out, fmt.Sprint(ch.version, " ", ch.kind, " ", ch.key))
	}
	return out
}

func listed(things map[string]int) string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(things)) {
		out = append(out, fmt.Sprintf("%s@%d", key, things[key]))
	}
	return strings.Join(out, " ")
}

// write does something to one of the objects.
func (c *cluster) write(r *rand.Rand) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := string(rune('a' + r.IntN(10)))
	_, there := c.at(c.version)[key]
	kind := wire.Added
	if there {
		kind = []wire.EventType{wire.Modified, wire.Modified, wire.Deleted}[r.IntN(3)]
	}
	c.version++
	c.history = append(c.history, change{kind, key, c.version})
	if r.IntN(8) == 0 {
		c.compacted = max(c.compacted, c.version-r.IntN(6))
	}
	c.stir()
}

func (c *cluster) stir() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// restore brings back what there was some versions ago, and goes on from there.
func (c *cluster) restore(back int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version = max(c.version-back, 0)
	c.history = slices.DeleteFunc(c.history, func(ch change) bool { return ch.version > c.version })
	c.compacted = min(c.compacted, c.version)
	c.stir()
}

// front is an apiserver of a cluster, as one client meets it: what goes wrong with
// each of its requests is drawn from a seed, and the same for another client.
type front struct {
	*cluster
	until time.Time // things go wrong
	// unmarked: it does not say where a watch-list ends.
	unmarked bool

	lock   sync.Mutex
	random *rand.Rand
	away   bool
	asked  []string
}

var (
	refused  = &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "refused"}
	expired  = status(410, wire.ReasonExpired)
	busy     = &wire.Status{Origin: wire.FromAPIServer, Code: 429, Reason: wire.ReasonTooManyRequests, Message: "busy", RetryAfter: 2}
	internal = status(500, wire.ReasonInternalError)
	unready  = status(503, "ServiceUnavailable")
	denied   = status(403, wire.ReasonForbidden)
	invalid  = status(422, wire.ReasonInvalid)
	tooLarge = &wire.Status{Origin: wire.FromAPIServer, Code: 504, Reason: wire.ReasonTimeout, Message: "Too large resource version", RetryAfter: 1, Causes: []string{"ResourceVersionTooLarge"}}
)

func status(code int, reason string) *wire.Status {
	return &wire.Status{Origin: wire.FromAPIServer, Code: code, Reason: reason, Message: reason}
}

// dice draws, while things go wrong, and else is past them all.
func (f *front) dice(n int) int {
	if time.Now().After(f.until) {
		return n
	}
	return f.random.IntN(n)
}

// atOpen is what may go wrong before there is an answer.
var atOpen = []*wire.Status{refused, busy, internal, unready, denied, expired}

// open answers a request.
func (f *front) open(verb wire.Verb, o wire.ListOptions) (*feed, *wire.Status) {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.mu.Lock()
	defer f.mu.Unlock()
	s, err := f.answer(verb, o)
	line := fmt.Sprintf("%s %q%s", verb, o.ResourceVersion, o.Continue)
	if err != nil {
		line += " → " + err.Message
	}
	f.asked = append(f.asked, line)
	return s, err
}

func (f *front) answer(verb wire.Verb, o wire.ListOptions) (*feed, *wire.Status) {
	if f.away {
		return nil, refused
	}
	if i := f.dice(4 * len(atOpen)); i < len(atOpen) {
		return nil, atOpen[i]
	}
	if o.SendInitialEvents && f.dice(6) == 0 {
		return nil, invalid
	}
	at, _ := strconv.Atoi(o.ResourceVersion)
	switch {
	case verb == wire.Watch && !o.SendInitialEvents:
		return f.watch(at)
	case o.Continue != "" || o.ResourceVersionMatch == "Exact":
		version, _, _ := strings.Cut(o.Continue+o.ResourceVersion, " ")
		at, _ = strconv.Atoi(version)
		if at < f.compacted {
			return nil, expired
		}
	case at > f.version:
		return nil, tooLarge
	default:
		at = f.version
		if o.ResourceVersion == "0" { // what the cache has
			at = max(f.compacted, at-f.dice(4)%4)
		}
	}
	if verb == wire.Watch {
		return f.watchList(at), nil
	}
	return f.page(at, o), nil
}

// page is a list, or one page of it.
func (f *front) page(at int, o wire.ListOptions) *feed {
	things := f.at(at)
	keys := slices.Sorted(maps.Keys(things))
	_, after, _ := strings.Cut(o.Continue, " ")
	i, _ := slices.BinarySearch(keys, after)
	keys, next := keys[i:], ""
	if o.Limit > 0 && o.ResourceVersion != "0" && len(keys) > 3 {
		keys, next = keys[:3], fmt.Sprint(at, " ", keys[3])
	}
	s := &feed{front: f, list: wire.ListMeta{ResourceVersion: strconv.Itoa(at), Continue: next}}
	for _, key := range keys {
		s.queue = append(s.queue, change{wire.Item, key, things[key]})
	}
	return s
}

// watch goes on from a version, unless it is forgotten: then it says so in one of
// two ways.
func (f *front) watch(at int) (*feed, *wire.Status) {
	s := f.feed(at)
	if at < f.compacted {
		if f.random.IntN(2) == 0 {
			return nil, expired
		}
		s.fault, s.after = expired, 0
	}
	return s, nil
}

func (f *front) watchList(at int) *feed {
	s := f.feed(at)
	things := f.at(at)
	for key, version := range things {
		s.queue = append(s.queue, change{wire.Added, key, version})
	}
	if f.dice(8) > 0 && !f.unmarked { // or the bookmark is lost
		s.queue = append(s.queue, change{wire.Bookmark, "!", at})
	}
	return s
}

// inStream is what may end a watch, apart from its time.
var inStream = []*wire.Status{nil, nil, refused, expired, busy, internal}

func (f *front) feed(at int) *feed {
	s := &feed{front: f, at: at, after: -1, ends: time.Now().Add(7 * time.Minute), bookmark: time.Now().Add(time.Minute)}
	if f.dice(4) < 3 {
		s.fault, s.after = inStream[f.random.IntN(len(inStream))], f.random.IntN(12)
	}
	return s
}

// feed is an answer: a list, or a watch at a version.
type feed struct {
	*front
	queue    []change
	list     wire.ListMeta
	at       int
	fault    *wire.Status
	after    int // so many events; never if it is negative
	ends     time.Time
	bookmark time.Time
}

// next waits for the next event of a watch.
func (s *feed) next(ctx context.Context) (change, error) {
	for {
		s.mu.Lock()
		changed := s.changed
		ch, ok, err := s.tryNext(time.Now())
		s.mu.Unlock()
		if ok || err != nil {
			return ch, err
		}
		wait := min(time.Until(s.ends), time.Until(s.bookmark))
		select {
		case <-changed:
		case <-time.After(wait):
		case <-ctx.Done():
			return change{}, ctx.Err()
		}
	}
}

func (s *feed) tryNext(now time.Time) (ch change, ok bool, err error) {
	switch {
	case s.front.away:
		return ch, false, refused
	case s.after == 0 && s.fault != nil:
		return ch, false, s.fault
	case s.after == 0, !now.Before(s.ends):
		return ch, false, io.EOF
	}
	if len(s.queue) > 0 {
		ch, s.queue = s.queue[0], s.queue[1:]
		s.after--
		return ch, true, nil
	}
	for _, ch := range s.history {
		if ch.version > s.at {
			s.at = ch.version
			s.after--
			return ch, true, nil
		}
	}
	if !now.Before(s.bookmark) && s.at <= s.version {
		s.bookmark = now.Add(time.Minute)
		return change{wire.Bookmark, "", s.version}, true, nil
	}
	if !now.Before(s.bookmark) {
		s.bookmark = now.Add(time.Minute)
	}
	return ch, false, nil
}
