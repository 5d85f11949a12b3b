package reflector

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/wire"
)

// thing is an object, written "key@version". One that cannot be read is "!key@version", or has no "@".
type thing struct{ key, version string }

// decoder reads things; a bookmark is "@version", with a "!" if it ends the list.
type decoder struct{ columns string }

func (*decoder) Decode(payload []byte) (thing, error) {
	key, version, ok := strings.Cut(string(payload), "@")
	if !ok || key == "" || key[0] == '!' {
		return thing{}, fmt.Errorf("no thing: %q", payload)
	}
	return thing{key, version}, nil
}

// identify reads what can be read of any thing.
func identify(payload []byte) (thing, error) {
	return (&decoder{}).Decode([]byte(strings.TrimPrefix(string(payload), "!")))
}

func (*decoder) Bookmark(payload []byte) (string, bool, error) {
	version, end := strings.CutSuffix(strings.TrimPrefix(string(payload), "@"), "!")
	return version, end, nil
}

func (d *decoder) SetColumns(columns []byte) (bool, error) {
	changed := d.columns != string(columns)
	d.columns = string(columns)
	return changed, nil
}

// sink is a store that applies at once.
type sink struct {
	mu        sync.Mutex
	things    map[string]string
	version   string
	populated string
	replaced  []string
	deleted   []string // by Replace
	applied   int
}

func (s *sink) Add(o thing)         { defer s.lock()(); s.things[o.key] = o.version }
func (s *sink) Update(o thing)      { defer s.lock()(); s.things[o.key] = o.version }
func (s *sink) Delete(o thing)      { defer s.lock()(); delete(s.things, o.key) }
func (s *sink) Unread(o thing)      { s.Delete(o) }
func (s *sink) Populated(v string)  { defer s.lock()(); s.populated, s.version = v, v }
func (s *sink) Bookmark(v string)   { defer s.lock()(); s.version = v }
func (s *sink) Applied(done func()) { s.applied++; done() }
func (s *sink) lock() func()        { s.mu.Lock(); return s.mu.Unlock }
func (s *sink) Replace(l []thing, v string, _ ...thing) {
	defer s.lock()()
	s.replaced, s.version = append(s.replaced, v), v
	before := slices.Sorted(maps.Keys(s.things))
	clear(s.things)
	for _, o := range l {
		s.things[o.key] = o.version
	}
	for _, key := range before {
		if _, ok := s.things[key]; !ok {
			s.deleted = append(s.deleted, key)
		}
	}
}

func (s *sink) len() int {
	defer s.lock()()
	return len(s.things)
}

// snapshot is what an audit compares.
func (s *sink) snapshot(context.Context) (out []thing, version string, err error) {
	defer s.lock()()
	for k, v := range s.things {
		out = append(out, thing{k, v})
	}
	return out, s.version, nil
}

func (s *sink) String() string {
	defer s.lock()()
	var out []string
	for _, k := range slices.Sorted(maps.Keys(s.things)) {
		out = append(out, k+"@"+s.things[k])
	}
	return strings.Join(out, " ")
}

// server is the scripted apiserver: each request takes the next line of its
// script, "request → answer". The answer is a list of words:
//
//	+a@1 ~a@2 -a@3   events        @5 @5!   bookmarks      ?7      a list's end at 7, "?7,c" with a continue token
//	EOF              a clean end   hang     silence        1s      a pause
//	ok               accepted, and nothing more   after:2h   accepted only then
//	sleep:2h         the machine sleeps: Next returns only after that, even if its context ends before
//	410 429:7 ...    a Status: of the open, or, behind an event, in the stream; 504L is "too large",
//	                 429:7S that of a server without a cache
//	mute             the apiserver is there, and does not answer
//	gateway          a gateway answers 504 in its place   limit:7  it limits requests
//	drop             the connection to the proxy breaks   refused  the proxy cannot reach the apiserver
type server struct {
	t  *testing.T
	at []time.Time // of what was asked
	// loose: whatever is asked takes the next answer.
	loose bool

	mu     sync.Mutex
	script []string
	asked  []string
	credit int
	open   int
}

// next takes the next line of the script.
func (s *server) next(asked string) (answer string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked, s.at = append(s.asked, asked), append(s.at, time.Now())
	if len(s.script) == 0 {
		return "", false
	}
	want, answer, _ := strings.Cut(s.script[0], " → ")
	s.script = s.script[1:]
	if want != asked && !s.loose {
		s.t.Errorf("asked for %q, the script expects %q", asked, want)
	}
	return answer, true
}

func (s *server) Open(ctx context.Context, r wire.Request) (Stream, error) {
	answer, ok := s.next(describe(r))
	words := strings.Fields(answer)
	if !ok || words[0] == "hangopen" {
		<-ctx.Done() // the script is over: what matters has happened
		return nil, ctx.Err()
	}
	if d, ok := strings.CutPrefix(words[0], "after:"); ok {
		wait, _ := time.ParseDuration(d)
		time.Sleep(wait)
		words = words[1:]
	}
	if err := statusWord(words[0]); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.open++
	s.mu.Unlock()
	return &stream{server: s, words: words}, nil
}

// describe writes a request as the scripts have it: "watch-list 5", "watch 5", "short watch 5",
// "list 0" and "list - token" in pages, "all 5" in one piece, "probe -" for one
// object of whatever version, "audit 5" for the metadata at exactly that version.
// What else is wrong with it is said behind.
func describe(r wire.Request) string {
	version := cmp.Or(r.ResourceVersion, "-")
	numbered := r.ResourceVersion != "" && r.ResourceVersion != "0"
	verb, match := string(r.Verb), ""
	switch {
	case r.Encoding == wire.EncodingMetadata:
		if verb = "audit"; r.Continue == "" {
			match = "Exact"
		}
	case r.SendInitialEvents:
		verb, match = "watch-list", "NotOlderThan"
	case r.Verb == wire.List && r.Limit == 1:
		return "probe " + version + r.ResourceVersionMatch
	case r.Verb == wire.List && r.Limit == 0:
		verb = "all"
	}
	if r.Verb == wire.List && match == "" && numbered {
		match = "NotOlderThan"
	}
	out := strings.TrimSpace(verb + " " + version + " " + r.Continue)
	if r.ResourceVersionMatch != match {
		out += " matching " + r.ResourceVersionMatch
	}
	if r.Verb == wire.List && !slices.Contains([]int64{0, 1, pageSize}, r.Limit) {
		out += fmt.Sprintf(" limited to %d", r.Limit)
	}
	short := r.TimeoutSeconds == int64(wire.ShortWatch.Seconds())
	if r.Verb == wire.Watch && (!r.AllowWatchBookmarks || !short && (r.TimeoutSeconds < 300 || r.TimeoutSeconds >= 600)) {
		out += " without bookmarks or timeout"
	}
	if short {
		out = "short " + out
	}
	return out
}

func statusWord(word string) error {
	switch word {
	case "drop":
		return &wire.Status{Origin: wire.FromSocket, Reason: wire.ReasonUnreachable, Message: word}
	case "refused":
		return &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: word}
	case "mute":
		return &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnanswered, Message: word}
	case "gateway":
		return &wire.Status{Origin: wire.FromNetwork, Code: 504, Reason: wire.ReasonUnreachable, Message: word}
	case "login": // a page in the place of an answer
		return &wire.Status{Origin: wire.FromNetwork, Code: 200, Reason: wire.ReasonMalformed, Message: word}
	case "throttled":
		return &wire.Status{Origin: wire.FromProxy, Code: 429, Reason: wire.ReasonTooManyRequests, RetryAfter: 1, Message: word}
	case "torn":
		return &wire.Status{Origin: wire.FromSocket, Reason: wire.ReasonMalformed, Message: word}
	case "504L": // the three ways to say that a version is too large
		return &wire.Status{Origin: wire.FromAPIServer, Code: 504, Reason: wire.ReasonTimeout, Causes: []string{"ResourceVersionTooLarge"}, RetryAfter: 1}
	case "504M":
		return &wire.Status{Origin: wire.FromAPIServer, Code: 504, Reason: wire.ReasonTimeout, Message: "Timeout: Too large resource version: 20, current: 10", RetryAfter: 1}
	case "504O":
		return &wire.Status{Origin: wire.FromAPIServer, Code: 504, Reason: wire.ReasonTimeout, Message: "Too large resource version"}
	case "StoreReadError":
		return &wire.Status{Origin: wire.FromAPIServer, Code: 500, Reason: word, Message: word}
	}
	s := &wire.Status{Origin: wire.FromAPIServer, Message: word}
	if after, ok := strings.CutPrefix(word, "limit:"); ok { // of a gateway
		s.Origin, word = wire.FromNetwork, "429:"+after
	}
	if _, err := fmt.Sscanf(word, "%3d", &s.Code); err != nil || s.Code < 400 {
		return nil
	}
	_, _ = fmt.Sscanf(word, "%3d:%d", &s.Code, &s.RetryAfter)
	if strings.HasSuffix(word, "S") {
		s.Reason = wire.ReasonTooManyRequests
	}
	return s
}

type stream struct {
	server *server
	words  []string
	until  time.Time // of a pause
	closed bool
}

func (s *stream) Next(ctx context.Context) (wire.Batch, error) {
	var b wire.Batch
	for len(s.words) > 0 {
		word := s.words[0]
		if d, ok := strings.CutPrefix(word, "sleep:"); ok {
			if len(b.Events) > 0 {
				return b, nil
			}
			wait, _ := time.ParseDuration(d)
			s.words = s.words[1:]
			if time.Sleep(wait); ctx.Err() != nil {
				return b, ctx.Err()
			}
			continue
		}
		if d, err := time.ParseDuration(word); err == nil {
			if len(b.Events) > 0 {
				return b, nil
			}
			if s.until.IsZero() {
				s.until = time.Now().Add(d)
			}
			select {
			case <-time.After(time.Until(s.until)):
			case <-ctx.Done():
				return b, ctx.Err()
			}
			s.words, s.until = s.words[1:], time.Time{}
			continue
		}
		status := statusWord(word)
		broken := status != nil && wire.StatusOf(status).Origin != wire.FromAPIServer
		if word == "ok" {
			word = "hang"
		}
		if word == "EOF" || word == "hang" || broken {
			if len(b.Events) > 0 {
				return b, nil
			}
			s.words = s.words[1:]
			switch {
			case broken:
				return b, status
			case word == "EOF":
				return b, io.EOF
			}
			<-ctx.Done()
			return b, ctx.Err()
		}
		s.words = s.words[1:]
		b.Events = append(b.Events, event(word, status))
		b.Bytes += len(word)
	}
	if len(b.Events) > 0 {
		return b, nil
	}
	<-ctx.Done()
	return b, ctx.Err()
}

func event(word string, status error) wire.Event {
	if status != nil {
		body, _ := json.Marshal(status)
		return wire.Event{Type: wire.Error, Payload: body}
	}
	types := map[byte]wire.EventType{'+': wire.Added, '~': wire.Modified, '-': wire.Deleted, '@': wire.Bookmark, '?': wire.ListEnd, '#': wire.Columns, '.': wire.Item}
	payload := word[1:]
	if word[0] == '?' {
		version, next, _ := strings.Cut(payload, ",")
		payload = fmt.Sprintf(`{"resourceVersion":%q,"continue":%q}`, version, next)
	}
	return wire.Event{Type: types[word[0]], Payload: []byte(payload)}
}

func (s *stream) Credit(n int) {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.credit += n
}
func (s *stream) Age(time.Time) time.Duration { return 0 }
func (s *stream) Encoding() wire.Encoding     { return wire.EncodingProtobuf }
func (s *stream) Close() {
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	if !s.closed {
		s.closed = true
		s.server.open--
	}
}

// rig is a reflector of things between a scripted server and a sink.
type rig struct {
	*Reflector[thing]
	sink    *sink
	server  *server
	decoder *decoder
	failed  []error
	renewed int
}

// newRig makes one. The first part of a script may be changed by options.
func newRig(t *testing.T, script []string, options ...func(*Options[thing])) *rig {
	g := &rig{sink: &sink{things: map[string]string{}}, server: &server{t: t, script: script}, decoder: &decoder{}}
	o := Options[thing]{
		Source: g.server, Decoder: g.decoder, Sink: g.sink,
		Key:     func(o thing) string { return o.key },
		Version: func(o thing) string { return o.version },
		Failed:  func(err error) { g.failed = append(g.failed, err) },
		Checks: Checks[thing]{
			Snapshot:  g.sink.snapshot,
			Stamp:     func(o thing) string { return o.version },
			ReadStamp: func(p []byte) (string, string, error) { o, err := (&decoder{}).Decode(p); return o.key, o.version, err },
			Identify:  identify,
			Renewed:   func() { g.renewed++ },
		},
	}
	for _, option := range options {
		option(&o)
	}
	g.Reflector = New(o)
	return g
}

// start runs it until what it returns is called.
func (g *rig) start(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() { g.Run(ctx); close(done) }()
	return func() { cancel(); <-done }
}

// run runs a reflector against a script for a while.
func run(t *testing.T, d time.Duration, script []string, options ...func(*Options[thing])) *rig {
	t.Helper()
	g := newRig(t, script, options...)
	stop := g.start(t.Context())
	time.Sleep(d)
	synctest.Wait()
	stop()
	synctest.Wait() // what it closed may have a way to go
	g.server.mu.Lock()
	defer g.server.mu.Unlock()
	if len(g.server.script) > 0 {
		t.Errorf("never asked for: %q\nasked: %q", g.server.script, g.server.asked)
	}
	if g.server.open != 0 {
		t.Errorf("%d streams stay open", g.server.open)
	}
	return g
}
