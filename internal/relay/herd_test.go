//go:build !js && !race

package relay_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/edge/session"
	"watchglass/internal/reflector"
	"watchglass/internal/relay"
	"watchglass/internal/socket"
	"watchglass/internal/wire"
	"watchglass/internal/wire/wiretest"
)

// herdTabs is how many connections the apiserver restarts under. There is no herd under the race
// detector: it dies of more than 8,000 goroutines, and Go 1.26's of the timers of a bubble when a few
// thousand wait in selects (SIGSEGV in runtime.(*timer).maybeRunChan). make unit runs it apart.
const herdTabs = 200

// kindsEach is how many sources each connection has.
const kindsEach = 10

// retryAfter is what a server that is not ready asks for. It is longer than any wait of the tab's own.
const retryAfter = 9 * time.Second

// question is one request to the apiserver.
type question struct {
	at       time.Time
	conn     int
	resource string
	verb     string // watch, or a list: watch-list, list, audit; or a probe, which is a list of one object
	code     int    // of the answer; 0 if there was none
	after    time.Duration
}

func (q question) lists() bool {
	return q.verb == "watch-list" || q.verb == "list" || q.verb == "audit"
}

// restarting is an apiserver that can be killed and started again.
type restarting struct {
	mu      sync.Mutex
	away    bool
	deaf    time.Time // until then nothing is answered
	unready time.Time // until then its caches are not filled
	version int
	oldest  int // the versions before are gone
	asked   []question
	open    map[*io.PipeWriter]string // watches, by resource
}

// kill ends all watches in mid-stream, and refuses connections from then on.
func (s *restarting) kill() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away = true
	for w := range s.open {
		w.CloseWithError(io.ErrUnexpectedEOF)
	}
	clear(s.open)
}

// start answers again, from an empty cache.
func (s *restarting) start(deaf, unready time.Duration, forgets bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.away, s.deaf = false, time.Now().Add(deaf)
	s.unready = s.deaf.Add(unready)
	if forgets {
		s.version++
		s.oldest = s.version
	}
}

// change sends an event to all watches.
func (s *restarting) change() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	for w := range s.open {
		_, _ = io.WriteString(w, s.eventLocked("MODIFIED"))
	}
}

func (s *restarting) objectLocked() string {
	return fmt.Sprintf(`{"kind":"Thing","apiVersion":"v1","metadata":{"name":"a","uid":"u","resourceVersion":"%d"}}`, s.version)
}

func (s *restarting) eventLocked(kind string) string {
	return fmt.Sprintf(`{"type":%q,"object":%s}`+"\n", kind, s.objectLocked())
}

// transport is the way of one connection to the server.
func (s *restarting) transport(conn int) roundTrip {
	return func(r *http.Request) (*http.Response, error) {
		if err := s.listen(r); err != nil {
			return nil, err
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		q := question{at: time.Now(), conn: conn, resource: r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:], verb: verbOf(r)}
		defer func() { s.asked = append(s.asked, q) }()
		version, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
		switch {
		case s.away:
			return nil, &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
		case q.verb == "review":
			q.code = 201
			return answered(r, 201, 0, `{"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","status":{"allowed":true}}`), nil
		case q.verb != "probe" && time.Now().Before(s.unready):
			q.code, q.after = 429, retryAfter
			return answered(r, 429, q.after, `{"kind":"Status","code":429,"reason":"TooManyRequests","message":"storage is (re)initializing","details":{"retryAfterSeconds":9}}`), nil
		case q.verb == "watch" && version < s.oldest || q.verb == "audit" && version < s.oldest:
			q.code = 410
			return answered(r, 410, 0, `{"kind":"Status","code":410,"reason":"Expired","message":"too old resource version"}`), nil
		}
		q.code = 200
		switch q.verb {
		case "watch", "watch-list":
			return s.watchLocked(r, q, version), nil
		}
		return answered(r, 200, 0, fmt.Sprintf(`{"kind":"ThingList","apiVersion":"v1","metadata":{"resourceVersion":"%d"},"items":[%s]}`, s.version, s.objectLocked())), nil
	}
}

// listen waits until the server answers.
func (s *restarting) listen(r *http.Request) error {
	s.mu.Lock()
	deaf := time.Until(s.deaf)
	s.mu.Unlock()
	select {
	case <-time.After(deaf):
		return nil
	case <-r.Context().Done():
		return r.Context().Err()
	}
}

func verbOf(r *http.Request) string {
	q := r.URL.Query()
	switch {
	case r.Method == http.MethodPost:
		return "review"
	case q.Get("sendInitialEvents") == "true":
		return "watch-list"
	case q.Get("watch") == "true":
		return "watch"
	case q.Get("limit") == "1":
		return "probe"
	case strings.Contains(r.Header.Get("Accept"), "PartialObjectMetadataList"):
		return "audit"
	}
	return "list"
}

func (s *restarting) watchLocked(r *http.Request, q question, version int) *http.Response {
	pr, pw := io.Pipe()
	begin := ""
	switch {
	case q.verb == "watch-list":
		begin = s.eventLocked("ADDED") + fmt.Sprintf(`{"type":"BOOKMARK","object":{"kind":"Thing","metadata":{"resourceVersion":"%d","annotations":{"k8s.io/initial-events-end":"true"}}}}`+"\n", s.version)
	case version < s.version:
		begin = s.eventLocked("MODIFIED")
	}
	s.open[pw] = q.resource
	context.AfterFunc(r.Context(), func() {
		pw.CloseWithError(r.Context().Err())
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.open, pw)
	})
	resp := answered(r, 200, 0, "")
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(strings.NewReader(begin), pr), pr}
	return resp
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answered(r *http.Request, code int, after time.Duration, body string) *http.Response {
	head := http.Header{"Content-Type": {"application/json"}, "Audit-Id": {"x"}}
	if after > 0 {
		head.Set("Retry-After", fmt.Sprint(int(after.Seconds())))
	}
	return &http.Response{StatusCode: code, Status: http.StatusText(code), Header: head, Body: io.NopCloser(strings.NewReader(body)), Request: r}
}

// decoded is an object of the tests: its metadata.
type decoded struct {
	Metadata struct {
		Name, UID, ResourceVersion string
		Annotations                map[string]string
	}
}

// decoder reads objects in JSON.
type decoder struct{}

func (decoder) Decode(payload []byte) (o *decoded, err error) { return o, json.Unmarshal(payload, &o) }

func (decoder) Bookmark(payload []byte) (string, bool, error) {
	var o decoded
	err := json.Unmarshal(payload, &o)
	return o.Metadata.ResourceVersion, o.Metadata.Annotations["k8s.io/initial-events-end"] == "true", err
}

func (decoder) SetColumns([]byte) (bool, error) { return false, nil }

// store is what a source has: one object at a version.
type store struct {
	mu      sync.Mutex
	object  *decoded
	version string
}

func (s *store) set(o *decoded, version string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o != nil {
		s.object = o
	}
	if version != "" {
		s.version = version
	}
}
func (s *store) Add(o *decoded)      { s.set(o, "") }
func (s *store) Update(o *decoded)   { s.set(o, "") }
func (s *store) Delete(*decoded)     {}
func (s *store) Populated(v string)  { s.set(nil, v) }
func (s *store) Bookmark(v string)   { s.set(nil, v) }
func (s *store) Applied(done func()) { done() }
func (s *store) Unread(*decoded)     {}

func (s *store) Replace(all []*decoded, v string, _ ...*decoded) {
	for _, o := range all {
		s.set(o, v)
	}
}

func (s *store) snapshot(context.Context) ([]*decoded, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return []*decoded{s.object}, s.version, nil
}

// herd is many connections to one apiserver, each with its own relay and sources.
type herd struct {
	server  *restarting
	sources []*reflector.Reflector[*decoded]
	stores  []*store
	running sync.WaitGroup
	cancel  context.CancelFunc
}

// newHerd connects the tabs of as many users, within half a minute.
func newHerd(t *testing.T, conns int) *herd {
	h := &herd{server: &restarting{version: 100, open: map[*io.PipeWriter]string{}}}
	ctx, cancel := context.WithCancel(t.Context())
	h.cancel = cancel
	open, shared := session.NewRegistry(session.Limits{Lists: 20}), relay.Options{Heavy: relay.NewHeavy(), Limiter: relay.NewLimiter(), Places: relay.NewPlaces()}
	for i := range conns {
		h.connect(ctx, i, open, shared)
		time.Sleep(30 * time.Second / time.Duration(conns))
	}
	return h
}

func (h *herd) connect(ctx context.Context, i int, open *session.Registry, o relay.Options) {
	user := fmt.Sprint("user", i)
	client := socket.New(socket.Options{Dial: func(context.Context) (socket.Connection, error) {
		near, far := wiretest.Pipe(256)
		h.running.Go(func() {
			entering, entered, err := open.Enter(ctx, session.Session{ID: user, User: user})
			if err != nil {
				return
			}
			defer open.Leave(entered)
			o.Upstream = relay.Upstream{Base: &url.URL{Scheme: "https", Host: "apiserver"}, Transport: h.server.transport(i)}
			o.MayList, o.User = entered.MayList, user
			_ = relay.Serve(entering, far, o)
			far.Close()
		})
		return socket.Connection{Conn: near}, nil
	}})
	h.running.Go(func() { _ = client.Run(ctx) })
	for k := range kindsEach {
		s := new(store)
		r := reflector.New(reflector.Options[*decoded]{
			Source:  reflector.SourceFunc(func(ctx context.Context, r wire.Request) (reflector.Stream, error) { return client.Open(ctx, r) }),
			Decoder: decoder{}, Sink: s,
			Request: wire.Request{Version: "v1", Resource: fmt.Sprint("kind", k)},
			Key:     func(o *decoded) string { return o.Metadata.Name },
			Version: func(o *decoded) string { return o.Metadata.ResourceVersion },
			Checks: reflector.Checks[*decoded]{
				Snapshot: s.snapshot,
				Stamp:    func(o *decoded) string { return o.Metadata.UID + o.Metadata.ResourceVersion },
				ReadStamp: func(p []byte) (string, string, error) {
					o, err := decoder{}.Decode(p)
					if err != nil {
						return "", "", err
					}
					return o.Metadata.Name, o.Metadata.UID + o.Metadata.ResourceVersion, nil
				},
			},
		})
		h.sources, h.stores = append(h.sources, r), append(h.stores, s)
		h.running.Go(func() { r.Run(ctx) })
	}
}

func (h *herd) stop() {
	h.cancel()
	h.running.Wait()
}

// current counts the sources that are watched and have the server's last version.
func (h *herd) current() (n int) {
	h.server.mu.Lock()
	want := fmt.Sprint(h.server.version)
	h.server.mu.Unlock()
	for i, r := range h.sources {
		h.stores[i].mu.Lock()
		o := h.stores[i].object
		h.stores[i].mu.Unlock()
		if r.State().Phase == reflector.Watching && o != nil && o.Metadata.ResourceVersion == want {
			n++
		}
	}
	return n
}

// await returns how long it takes until all sources are current.
func (h *herd) await(t *testing.T, within time.Duration) time.Duration {
	t.Helper()
	began := time.Now()
	for h.current() < len(h.sources) {
		if time.Since(began) > within {
			t.Fatalf("%d of %d sources are current after %v", h.current(), len(h.sources), within)
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
	}
	return time.Since(began)
}

// busiest returns the most of some times that are within a window.
func busiest(all []time.Time, window time.Duration) (most int) {
	slices.SortFunc(all, time.Time.Compare)
	from := 0
	for i, at := range all {
		for at.Sub(all[from]) >= window {
			from++
		}
		most = max(most, i-from+1)
	}
	return most
}

// after returns the requests since a time.
func (h *herd) after(began time.Time) (out []question) {
	h.server.mu.Lock()
	defer h.server.mu.Unlock()
	for _, q := range h.server.asked {
		if !q.at.Before(began) {
			out = append(out, q)
		}
	}
	return out
}

// TestHerd restarts an apiserver under 200 connections with ten watches each. Each source fetches at
// most one list, whatever happens; Retry-After is honoured; and the return takes at least 5 s.
func TestHerd(t *testing.T) {
	for name, c := range map[string]struct {
		conns               int
		away, deaf, unready time.Duration
		forgets             bool
		within              time.Duration
	}{
		"back at once":                   {conns: herdTabs, within: 10 * time.Second},
		"away for five seconds":          {conns: herdTabs, away: 5 * time.Second, within: 15 * time.Second},
		"away for a minute":              {conns: herdTabs, away: time.Minute, within: 15 * time.Second},
		"without its versions":           {conns: herdTabs, away: 2 * time.Second, forgets: true, within: 20 * time.Second},
		"that listens before it answers": {conns: herdTabs, away: 2 * time.Second, deaf: 4 * time.Second, within: 15 * time.Second},
		"that listens long before":       {conns: herdTabs, away: 2 * time.Second, deaf: 14 * time.Second, within: 30 * time.Second},
		"with empty caches":              {conns: herdTabs, away: 2 * time.Second, unready: 7 * time.Second, within: 30 * time.Second},
		"with neither":                   {conns: herdTabs, away: 2 * time.Second, unready: 7 * time.Second, forgets: true, within: 40 * time.Second},
		"under a single connection":      {conns: 1, away: 2 * time.Second, within: 3 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				h := newHerd(t, c.conns)
				defer h.stop()
				h.await(t, time.Minute)
				time.Sleep(10 * time.Second)
				killed := time.Now()
				h.server.kill()
				time.Sleep(c.away)
				h.server.start(c.deaf, c.unready, c.forgets)
				h.server.change()
				took := h.await(t, time.Minute)
				time.Sleep(10 * time.Second) // for the audits
				n := h.count(killed)
				t.Logf("current after %v: %+v", took, n)
				if took > c.within || n.lists > 1 || n.early > 0 || n.heavy > 500 || n.all > 1500 {
					t.Error("they came too late, too early, too often or too many at once")
				}
				if c.conns == herdTabs && n.spread < 5*time.Second {
					t.Error("they came too close together")
				}
			})
		})
	}
}

// tally is what a restart led to.
type tally struct {
	verbs  map[string]int // requests, by verb and answer
	lists  int            // the most lists that a source fetched
	early  int            // requests before the Retry-After of the one before
	spread time.Duration  // between the first and the last watch that was accepted
	heavy  int            // the most watches and lists in a second
	all    int            // the most requests in a second
}

// count sums up the requests since a restart.
func (h *herd) count(killed time.Time) tally {
	type source struct {
		conn     int
		resource string
	}
	out, lists, wait := tally{verbs: map[string]int{}}, map[source]int{}, map[source]time.Time{}
	var resumed, heavy, all []time.Time
	for _, q := range h.after(killed) {
		s := source{q.conn, q.resource}
		out.verbs[fmt.Sprint(q.verb, " ", q.code)]++
		if q.verb == "review" {
			continue
		}
		if q.at.Before(wait[s]) {
			out.early++
		}
		wait[s], all = q.at.Add(q.after), append(all, q.at)
		if q.lists() && q.code == 200 {
			lists[s]++
			out.lists = max(out.lists, lists[s])
		}
		if q.verb == "watch" || q.verb == "watch-list" || q.verb == "list" {
			heavy = append(heavy, q.at)
			if q.code == 200 && q.verb != "list" {
				resumed = append(resumed, q.at)
			}
		}
	}
	out.spread = slices.MaxFunc(resumed, time.Time.Compare).Sub(slices.MinFunc(resumed, time.Time.Compare))
	out.heavy, out.all = busiest(heavy, time.Second), busiest(all, time.Second)
	return out
}
