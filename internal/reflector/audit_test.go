package reflector

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/wire"
)

// TestAudit requests a comparison of a store that has a@1 and b@2 at version 5, and checks what
// came of it.
func TestAudit(t *testing.T) {
	anew := "watch-list - → +a@3 +b@2 @6! hang"
	for name, c := range map[string]struct {
		lines       []string
		audits      int
		differences int
		relists     int
		unaudited   string
		store       string
	}{
		"the same":          {lines: []string{"audit 5 → .a@1 .b@2 ?5"}, audits: 1, store: "a@1 b@2"},
		"the same in pages": {lines: []string{"audit 5 → .a@1 ?5,c1", "audit - c1 → .b@2 ?5"}, audits: 1, store: "a@1 b@2"},
		"another version":   {lines: []string{"audit 5 → .a@3 .b@2 ?5", anew}, audits: 1, differences: 1, relists: 1, store: "a@3 b@2"},
		"a lost object":     {lines: []string{"audit 5 → .a@1 .b@2 .c@3 ?5", anew}, audits: 1, differences: 1, relists: 1, store: "a@3 b@2"},
		"a ghost":           {lines: []string{"audit 5 → .a@1 ?5,c1", "audit - c1 → ?5", anew}, audits: 1, differences: 1, relists: 1, store: "a@3 b@2"},
		"one for another":   {lines: []string{"audit 5 → .a@1 .c@2 ?5", anew}, audits: 1, differences: 1, relists: 1, store: "a@3 b@2"},
		"a key twice":       {lines: []string{"audit 5 → .b@1 .a@1 ?5,c1", "audit - c1 → .b@2 ?5"}, audits: 1, store: "a@1 b@2"},
		"denied":            {lines: []string{"audit 5 → 403"}, unaudited: "403", store: "a@1 b@2"},
		"expired":           {lines: []string{"audit 5 → 410"}, unaudited: "410", store: "a@1 b@2"},
		"a page expired":    {lines: []string{"audit 5 → .b@2 ?5,c1", "audit - c1 → 410"}, unaudited: "410", store: "a@1 b@2"},
		"a replica behind":  {lines: []string{"audit 5 → 504L"}, store: "a@1 b@2"},
		"never exactly":     {lines: []string{"audit 5 → .a@3 .b@2 ?6"}, unaudited: errInexact.Error(), store: "a@1 b@2"},
		"cut off":           {lines: []string{"audit 5 → .a@1 EOF"}, unaudited: errBrokeOff.Error(), store: "a@1 b@2"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				g := newRig(t, append([]string{"watch-list - → +a@1 +b@2 @5! hang"}, c.lines...))
				defer g.start(t.Context())()
				synctest.Wait()
				g.Audit()
				g.Audit() // the same one
				time.Sleep(time.Second)
				synctest.Wait()
				s := g.State()
				if s.Audits != c.audits || s.Differences != c.differences || s.Relists != c.relists || s.Rewinds != 0 || g.renewed != 0 {
					t.Errorf("%d audits, %d differences, %d relists, %d rewinds", s.Audits, s.Differences, s.Relists, s.Rewinds)
				}
				if got := fmt.Sprint(s.Unaudited); s.Differences == 0 && !strings.Contains(got, c.unaudited) {
					t.Errorf("unaudited: %s, want %s", got, c.unaudited)
				}
				if c.differences > 0 && (len(s.Relistings) != 1 || s.Relistings[0].Cause != causeDifference) {
					t.Errorf("listed again because of %v", s.Relistings)
				}
				if g.sink.String() != c.store || s.Phase != Watching || len(g.server.script) > 0 {
					t.Errorf("the store has %s, %v; not asked: %q", g.sink, s.Phase, g.server.script)
				}
				if c.relists == 0 && s.Events != 3 {
					t.Errorf("%d events, of which the comparison's are none", s.Events)
				}
				if c.audits == 0 && s.Unaudited == nil || c.audits > 0 == s.Audited.IsZero() {
					t.Errorf("audited at %v", s.Audited)
				}
			})
		})
	}
}

// TestAuditOutlivesWatch shows that a comparison which the end of a watch cuts off is made during the next one.
func TestAuditOutlivesWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := newRig(t, []string{begin + "3s EOF", "audit 5 → .a@1 hang", "watch 5 → hang", "audit 5 → .a@1 .b@2 ?5"})
		defer g.start(t.Context())()
		synctest.Wait()
		g.Audit()
		time.Sleep(2 * time.Second)
		if s := g.State(); s.Audits != 0 || s.Resumes != 0 {
			t.Fatalf("%d audits, %d resumes before the watch ends", s.Audits, s.Resumes)
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if s := g.State(); s.Audits != 1 || s.Resumes != 1 || s.Unaudited != nil {
			t.Errorf("%d audits, %d resumes, %v", s.Audits, s.Resumes, s.Unaudited)
		}
	})
}

// TestAuditThatNeverAgrees shows that a difference which every new list leaves is counted, and no
// longer makes the source list again.
func TestAuditThatNeverAgrees(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lines := []string{"watch-list - → +a@1 @5! hang"}
		for range maxAuditLists {
			lines = append(lines, "audit 5 → .a@2 ?5", "watch-list - → +a@1 @5! hang")
		}
		lines = append(lines, "audit 5 → .a@2 ?5", "audit 5 → .a@2 ?5")
		g := newRig(t, lines)
		defer g.start(t.Context())()
		for range maxAuditLists + 2 {
			time.Sleep(time.Minute)
			g.Audit()
		}
		time.Sleep(time.Minute)
		if s := g.State(); s.Differences != maxAuditLists+2 || s.Relists != maxAuditLists || s.Unaudited == nil {
			t.Errorf("%d differences, %d relists, %v", s.Differences, s.Relists, s.Unaudited)
		}
	})
}

// world is an apiserver that keeps every version. It can lose an event of a watch.
type world struct {
	mu      sync.Mutex
	version int
	uids    int
	log     []happened
	changed chan struct{} // closed at the next change
	lose    bool          // the next event
	lost    int
	random  *rand.Rand
}

// happened is a change: an object of a version, or one that is gone.
type happened struct {
	key, uid string
	version  int
	gone     bool
}

func (h happened) payload() []byte { return fmt.Appendf(nil, "%s/%s@%d", h.key, h.uid, h.version) }

// at returns the objects of a version, sorted by key.
func (w *world) at(version int) []happened {
	all := map[string]happened{}
	for _, h := range w.log {
		if h.version > version {
			break
		}
		if all[h.key] = h; h.gone {
			delete(all, h.key)
		}
	}
	return slices.SortedFunc(maps.Values(all), func(a, b happened) int { return strings.Compare(a.key, b.key) })
}

// change makes a random change: an object is created, changed, deleted, or replaced by another of
// its name.
func (w *world) change() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.version++
	key, before := fmt.Sprintf("k%02d", w.random.IntN(30)), happened{gone: true}
	for _, h := range w.at(w.version) {
		if h.key == key {
			before = h
		}
	}
	h := happened{key: key, uid: before.uid, version: w.version, gone: !before.gone && w.random.IntN(3) == 0}
	if before.gone {
		w.uids++
		h.uid = fmt.Sprint("u", w.uids)
	}
	w.log = append(w.log, h)
	close(w.changed)
	w.changed = make(chan struct{})
}

// loseNext loses the next event of a watch.
func (w *world) loseNext() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lose = true
}

func (w *world) Open(_ context.Context, r wire.Request) (Stream, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := &worldStream{world: w, next: w.version}
	switch {
	case r.Verb == wire.List:
		s.list = w.page(r)
	case r.SendInitialEvents:
		for _, h := range w.at(w.version) {
			s.list = append(s.list, wire.Event{Type: wire.Added, Payload: h.payload()})
		}
		s.list = append(s.list, wire.Event{Type: wire.Bookmark, Payload: fmt.Appendf(nil, "@%d!", w.version)})
	default:
		_, _ = fmt.Sscan(r.ResourceVersion, &s.next)
	}
	return s, nil
}

// page returns two objects of an exact version, or of what a token continues.
func (w *world) page(r wire.Request) (list []wire.Event) {
	const limit = 2
	version, from := w.version, 0
	if r.Continue != "" {
		_, _ = fmt.Sscanf(r.Continue, "%d,%d", &version, &from)
	} else if r.ResourceVersion != "" {
		_, _ = fmt.Sscan(r.ResourceVersion, &version)
	}
	all, token := w.at(version), ""
	if from+limit < len(all) {
		all, token = all[:from+limit], fmt.Sprintf("%d,%d", version, from+limit)
	}
	for _, h := range all[from:] {
		list = append(list, wire.Event{Type: wire.Item, Payload: h.payload()})
	}
	return append(list, wire.Event{Type: wire.ListEnd, Payload: fmt.Appendf(nil, `{"resourceVersion":"%d","continue":%q}`, version, token)})
}

// worldStream is a list, or a watch from a version on.
type worldStream struct {
	world *world
	list  []wire.Event
	next  int // version after which it goes on
}

func (s *worldStream) Next(ctx context.Context) (wire.Batch, error) {
	w := s.world
	w.mu.Lock()
	delay := time.Duration(w.random.IntN(20)) * time.Millisecond
	w.mu.Unlock()
	time.Sleep(delay)
	if list := s.list; list != nil {
		s.list = nil
		return wire.Batch{Events: list, Bytes: len(list)}, nil
	}
	for {
		w.mu.Lock()
		b, changed := s.eventsLocked(), w.changed
		w.mu.Unlock()
		if len(b.Events) > 0 {
			return b, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return b, ctx.Err()
		}
	}
}

func (s *worldStream) eventsLocked() (b wire.Batch) {
	w := s.world
	for _, h := range w.log {
		if h.version <= s.next {
			continue
		}
		e := wire.Event{Type: wire.Modified, Payload: h.payload()}
		if h.gone {
			e.Type = wire.Deleted
		}
		if s.next = h.version; w.lose {
			w.lose, w.lost = false, w.lost+1
			e = wire.Event{Type: wire.Bookmark, Payload: fmt.Appendf(nil, "@%d", h.version)}
		}
		b.Events, b.Bytes = append(b.Events, e), b.Bytes+1
	}
	return b
}

func (*worldStream) Credit(int)                  {}
func (*worldStream) Age(time.Time) time.Duration { return 0 }
func (*worldStream) Encoding() wire.Encoding     { return wire.EncodingProtobuf }
func (*worldStream) Close()                      {}

// rigOf returns a reflector that follows a world. Its things have the UID in their key, except for
// the sink.
func rigOf(t *testing.T, w *world) *rig {
	split := func(o thing) (key, uid string) {
		key, uid, _ = strings.Cut(o.key, "/")
		return key, uid
	}
	return newRig(t, nil, func(o *Options[thing]) {
		o.Source = w
		store := &byName{sink: o.Sink.(*sink), had: map[string]string{}}
		o.Sink, o.Checks.Snapshot = store, store.snapshot
		o.Key = func(o thing) string { key, _ := split(o); return key }
		o.Checks.Stamp = func(o thing) string { _, uid := split(o); return uid + "@" + o.version }
		o.Checks.ReadStamp = func(p []byte) (string, string, error) {
			o, err := (&decoder{}).Decode(p)
			key, uid := split(o)
			return key, uid + "@" + o.version, err
		}
	})
}

// byName is a sink in which an object replaces that of its name, whatever their UIDs.
type byName struct {
	*sink
	had     map[string]string // name → key
	resting atomic.Bool       // it is of a version
}

func (s *byName) Add(o thing)        { s.Delete(o); s.sink.Add(o); s.had[nameOf(o)] = o.key }
func (s *byName) Update(o thing)     { s.Add(o) }
func (s *byName) Populated(v string) { s.sink.Populated(v); s.resting.Store(true) }
func (s *byName) Bookmark(v string)  { s.sink.Bookmark(v); s.resting.Store(true) }
func (s *byName) Delete(o thing) {
	s.resting.Store(false)
	if was, ok := s.had[nameOf(o)]; ok {
		s.sink.Delete(thing{was, ""})
	}
}
func (s *byName) Replace(l []thing, v string, _ ...thing) {
	s.resting.Store(false)
	s.sink.Replace(l, v)
	clear(s.had)
	for _, o := range l {
		s.had[nameOf(o)] = o.key
	}
	s.resting.Store(true)
}

// snapshot waits until the sink is of a version, as the real store does.
func (s *byName) snapshot(ctx context.Context) ([]thing, string, error) {
	for {
		out, version, err := s.sink.snapshot(ctx)
		if s.resting.Load() {
			return out, version, err
		}
		time.Sleep(time.Microsecond)
	}
}

func nameOf(o thing) string {
	name, _, _ := strings.Cut(o.key, "/")
	return name
}

// TestAuditsOfAChangingWorld compares a store with a server that changes all the time. No
// comparison may find a difference, until an event is lost. Then one does, unless the object
// changed again meanwhile, and the store becomes what the server has.
func TestAuditsOfAChangingWorld(t *testing.T) {
	found := 0
	for seed := range uint64(40) {
		synctest.Test(t, func(t *testing.T) {
			w := &world{changed: make(chan struct{}), random: rand.New(rand.NewPCG(seed, 0))}
			w.change() // version 0 would be any
			g := rigOf(t, w)
			defer g.start(t.Context())()
			random := rand.New(rand.NewPCG(seed, 1))
			alter := func(times int) {
				for range times {
					w.change()
					time.Sleep(time.Duration(random.IntN(30)) * time.Millisecond)
					if random.IntN(5) == 0 {
						g.Audit()
					}
				}
			}
			alter(200)
			time.Sleep(10 * time.Second) // the last audit ends
			if s := g.State(); s.Audits < 10 || s.Differences > 0 || s.Relists > 0 || s.Unaudited != nil {
				t.Fatalf("seed %d: %d audits, %d differences, %d relists, %v", seed, s.Audits, s.Differences, s.Relists, s.Unaudited)
			}
			w.loseNext()
			alter(1 + random.IntN(5))
			g.Audit()
			time.Sleep(10 * time.Second)
			g.Audit()
			time.Sleep(10 * time.Second)
			s := g.State()
			found += s.Differences
			var want []string
			for _, h := range w.at(w.version) {
				want = append(want, string(h.payload()))
			}
			if got := g.sink.String(); got != strings.Join(want, " ") || w.lost != 1 || s.Differences != s.Relists || errors.As(s.Unaudited, new(difference)) {
				t.Errorf("seed %d: after %d lost, %d differences, %d relists, %v:\n%s, want\n%s", seed, w.lost, s.Differences, s.Relists, s.Unaudited, got, want)
			}
		})
	}
	if found < 20 {
		t.Errorf("only %d of 40 lost events were found", found)
	}
}

// TestComparison counts what is missing, outdated and deleted.
func TestComparison(t *testing.T) {
	c := newComparison("1", 2)
	c.addStored("a", "1")
	c.addStored("b", "1")
	c.addListed("a", "1")
	c.addListed("c", "1")
	c.addListed("c", "1")
	if got := fmt.Sprint(c.result()); got != "at version 1, 1 objects were missing, 0 outdated, 1 deleted" {
		t.Error(got)
	}
	c.addUnreadable(unreadObjects{keys: map[string]time.Time{"c": time.Now(), "x": time.Now()}})
	c.addListed("b", "2")
	if got := fmt.Sprint(c.result()); got != "at version 1, 0 objects were missing, 1 outdated, 0 deleted" {
		t.Error(got)
	}
	if c.addListed("b", "1"); c.result() != nil {
		t.Error(c.result())
	}
	c.addListed("d", "1")
	if got := fmt.Sprint(c.result()); got != "at version 1, 1 objects were missing, 0 outdated, 0 deleted" {
		t.Error(got)
	}
	if c.addUnreadable(unreadObjects{unnamed: 1}); !errors.Is(c.result(), errUnnamed) {
		t.Error(c.result())
	}
	if c.addListed("e", "1"); !errors.As(c.result(), new(difference)) {
		t.Error(c.result())
	}
}
