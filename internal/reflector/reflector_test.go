package reflector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/wire"
)

// thing is an object, written "key@version".
type thing struct{ key, version string }

// decoder reads things; a bookmark is "@version", with a "!" if it ends the list.
type decoder struct{ columns string }

func (*decoder) Decode(payload []byte) (thing, error) {
	key, version, ok := strings.Cut(string(payload), "@")
	if !ok || key == "" {
		return thing{}, fmt.Errorf("no thing: %q", payload)
	}
	return thing{key, version}, nil
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
	things    map[string]string
	populated string
	replaced  []string
	bookmark  string
	applied   int
}

func (s *sink) Add(o thing)         { s.things[o.key] = o.version }
func (s *sink) Update(o thing)      { s.things[o.key] = o.version }
func (s *sink) Delete(o thing)      { delete(s.things, o.key) }
func (s *sink) Populated(v string)  { s.populated = v }
func (s *sink) Bookmark(v string)   { s.bookmark = v }
func (s *sink) Applied(done func()) { s.applied++; done() }
func (s *sink) Replace(l []thing, v string) {
	s.replaced = append(s.replaced, v)
	clear(s.things)
	for _, o := range l {
		s.things[o.key] = o.version
	}
}

func (s *sink) String() string {
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
//	410 429:7 ...    a Status: of the open, or, behind an event, in the stream; 504L is "too large"
//	drop             the connection to the proxy breaks   refused  the proxy cannot reach the apiserver
type server struct {
	t      *testing.T
	script []string
	asked  []string
	credit int
	open   int
}

func (s *server) Open(ctx context.Context, r wire.Request) (Stream, error) {
	asked := describe(r)
	s.asked = append(s.asked, asked)
	if len(s.script) == 0 {
		<-ctx.Done() // the script is over: what matters has happened
		return nil, ctx.Err()
	}
	want, answer, _ := strings.Cut(s.script[0], " → ")
	s.script = s.script[1:]
	if want != asked {
		s.t.Errorf("asked for %q, the script expects %q", asked, want)
	}
	words := strings.Fields(answer)
	for len(words) > 0 && words[0] == "hangopen" {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	if err := statusWord(words[0]); err != nil {
		return nil, err
	}
	s.open++
	return &stream{server: s, words: words}, nil
}

func describe(r wire.Request) string {
	out := string(r.Verb) + " " + r.ResourceVersion
	if r.ResourceVersion == "" {
		out = string(r.Verb) + " -"
	}
	if r.SendInitialEvents {
		out = "watch-list" + out[len("watch"):]
	}
	if r.Continue != "" {
		out += " " + r.Continue
	}
	if r.Verb == wire.Watch && (!r.AllowWatchBookmarks || r.TimeoutSeconds < 300 || r.TimeoutSeconds >= 600) {
		out += " without bookmarks or timeout"
	}
	return out
}

func statusWord(word string) error {
	switch word {
	case "drop":
		return &wire.Status{Origin: wire.FromSocket, Reason: wire.ReasonUnreachable, Message: word}
	case "refused":
		return &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: word}
	case "504L":
		return &wire.Status{Origin: wire.FromAPIServer, Code: 504, Reason: wire.ReasonTimeout, Causes: []string{"ResourceVersionTooLarge"}}
	}
	s := &wire.Status{Origin: wire.FromAPIServer, Message: word}
	if _, err := fmt.Sscanf(word, "%3d", &s.Code); err != nil || s.Code < 400 {
		return nil
	}
	_, _ = fmt.Sscanf(word, "%3d:%d", &s.Code, &s.RetryAfter)
	return s
}

type stream struct {
	server *server
	words  []string
	closed bool
}

func (s *stream) Next(ctx context.Context) (wire.Batch, error) {
	var b wire.Batch
	for len(s.words) > 0 {
		word := s.words[0]
		if d, err := time.ParseDuration(word); err == nil {
			if len(b.Events) > 0 {
				return b, nil
			}
			s.words = s.words[1:]
			select {
			case <-time.After(d):
			case <-ctx.Done():
				return b, ctx.Err()
			}
			continue
		}
		status := statusWord(word)
		broken := status != nil && wire.StatusOf(status).Origin != wire.FromAPIServer
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

func (s *stream) Credit(n int)                { s.server.credit += n }
func (s *stream) Age(time.Time) time.Duration { return 0 }
func (s *stream) Encoding() wire.Encoding     { return wire.EncodingProtobuf }
func (s *stream) Close() {
	if !s.closed {
		s.closed = true
		s.server.open--
	}
}

// run runs a reflector against a script for a while.
func run(t *testing.T, d time.Duration, script ...string) (*Reflector[thing], *sink, *server) {
	t.Helper()
	out, srv := &sink{things: map[string]string{}}, &server{t: t, script: script}
	r := New(Options[thing]{
		Source: srv, Decoder: &decoder{}, Sink: out,
		Key:     func(o thing) string { return o.key },
		Version: func(o thing) string { return o.version },
	})
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	r.Run(ctx)
	synctest.Wait()
	if len(srv.script) > 0 {
		t.Errorf("never asked for: %q\nasked: %q", srv.script, srv.asked)
	}
	if srv.open != 0 {
		t.Errorf("%d streams stay open", srv.open)
	}
	return r, out, srv
}

// TestScripts are the ways a source comes in, goes on and breaks.
func TestScripts(t *testing.T) {
	const begin = "watch-list - → +a@1 +b@2 @5! "
	for name, c := range map[string]struct {
		script   []string
		store    string
		version  string
		resumes  int
		relists  int
		replaced string
		within   time.Duration // 0: a second
	}{
		"watch-list": {
			script: []string{begin + "+c@6 ~a@7 -b@8"}, store: "a@7 c@6", version: "8",
		},
		"changes before the bookmark": {
			script: []string{"watch-list - → +a@1 ~a@4 +b@2 -b@4 @5! hang"}, store: "a@4", version: "5",
		},
		"resume after a clean end (C01)": {
			script: []string{begin + "2s ~a@11 EOF", "watch 11 → 2s -b@12 hang"}, store: "a@11", version: "12", resumes: 1, within: 5 * time.Second,
		},
		"resume after the proxy went": {
			script: []string{begin + "~a@11 drop", "watch 11 → -b@12 hang"}, store: "a@11", version: "12", resumes: 1,
		},
		"resume at a bookmark (C15)": {
			script: []string{begin + "1m @50 10m @90 EOF", "watch 90 → hang"}, store: "a@1 b@2", version: "90", resumes: 1, within: 12 * time.Minute,
		},
		"410 in the stream (C02)": {
			script:  []string{begin + "~a@11 410", "watch-list 11 → +a@11 @20! hang"},
			store:   "a@11",
			version: "20", relists: 1, replaced: "20",
		},
		"410 at the open (C03)": {
			script:  []string{begin + "EOF", "watch 5 → 410", "watch-list 5 → 410", "watch-list - → +b@9 @20! hang"},
			store:   "b@9",
			version: "20", relists: 1, replaced: "20", within: 5 * time.Second,
		},
		"410 to any version": {
			script: []string{"watch-list - → 410", "watch-list - → 410", "list - → 410", "watch-list - → +a@1 @5! hang"}, store: "a@1", version: "5", within: 10 * time.Second,
		},
		"too large (C05)": {
			script:  []string{begin + "EOF", "watch 5 → 410", "watch-list 5 → 504L", "watch-list - → +b@2 @3! hang"},
			store:   "b@2",
			version: "3", relists: 1, replaced: "3", within: 5 * time.Second,
		},
		"no watch-list: list": {
			script: []string{"watch-list - → 422", "list 0 → .a@1 .b@2 ?5", "watch 5 → ~a@6 hang"}, store: "a@6 b@2", version: "6",
		},
		"list is remembered": {
			script:  []string{"watch-list - → 400", "list 0 → .a@1 ?5", "watch 5 → 410", "list 5 → .a@1 ?9", "watch 9 → hang"},
			store:   "a@1",
			version: "9", relists: 1, replaced: "9",
		},
		"pages": {
			script: []string{"watch-list - → 400", "list 0 → .a@1 ?5,c1", "list - c1 → .b@2 ?5,c2", "list - c2 → .c@3 ?5", "watch 5 → hang"}, store: "a@1 b@2 c@3", version: "5",
		},
		"a list that stops": {
			script:   []string{"watch-list - → 400", "list 0 → .a@1 10s .b@2 10s .c@3 hang", "list 0 → .a@1 ?5,c1", "list - c1 → hang", "list 0 → .a@1 ?9", "watch 9 → hang"},
			store:    "a@1",
			replaced: "9", version: "9", within: time.Minute + 10*time.Second,
		},
		"410 on a page (C04)": {
			script:   []string{"watch-list - → 400", "list 0 → .a@1 .x@1 ?5,c1", "list - c1 → 410", "list 0 → .a@1 .b@2 ?9", "watch 9 → hang"},
			store:    "a@1 b@2",
			replaced: "9", version: "9",
		},
		"no end bookmark (C12)": {
			script: []string{"watch-list - → +a@1 5s +b@2 hang", "list 0 → .a@1 .b@2 ?5", "watch 5 → hang"}, store: "a@1 b@2", version: "5", replaced: "5", within: 30 * time.Second,
		},
		"bookmarks that do not end it (C12)": {
			script: []string{"watch-list - → +a@1 @2 10s @3 10s @4 hang", "list 0 → .a@1 ?5", "watch 5 → hang"}, store: "a@1", version: "5", replaced: "5", within: 30 * time.Second,
		},
		"a list that breaks off (C20)": {
			script: []string{"watch-list - → +a@1 +b@2 drop", "watch-list - → +b@2 +c@3 @5! hang"}, store: "b@2 c@3", version: "5", replaced: "5", within: 5 * time.Second,
		},
		"429 keeps the version (C07)": {
			script: []string{begin + "429:7", "watch 5 → 429:7", "watch 5 → +c@9 hang"}, store: "a@1 b@2 c@9", version: "9", resumes: 1, within: 30 * time.Second,
		},
		"429 to the list (C07)": {
			script: []string{"watch-list - → 429:7", "watch-list - → +a@1 @5! hang"}, store: "a@1", version: "5", within: 20 * time.Second,
		},
		"apiserver away": {
			script: []string{begin + "EOF", "watch 5 → refused", "watch 5 → refused", "watch 5 → 503", "watch 5 → +c@9 hang"}, store: "a@1 b@2 c@9", version: "9", resumes: 1, within: 30 * time.Second,
		},
		"a refusal that passes": {
			script: []string{begin + "EOF", "watch 5 → 403", "watch 5 → +c@9 hang"}, store: "a@1 b@2 c@9", version: "9", resumes: 1, within: 10 * time.Second,
		},
		"a refusal that stays (C09)": {
			script: []string{begin + "EOF", "watch 5 → 403", "watch 5 → 403", "watch-list 5 → 403", "list 5 → 403", "watch-list - → +a@1 @30! hang"}, store: "a@1", version: "30", relists: 1, replaced: " 30", within: 2 * time.Minute,
		},
		"the list may be, the watch not": {
			script: []string{"watch-list - → 403", "list 0 → .a@1 ?5", "watch 5 → 403", "watch 5 → 403", "watch-list 5 → 403", "list 5 → .b@1 ?6", "watch 6 → 403 hang"}, store: "b@1", version: "6", relists: 1, replaced: "6", within: 6 * time.Second,
		},
		"an event that cannot be read (C14)": {
			script: []string{begin + "+c@6 +broken +d@7", "watch-list 6 → +c@6 @9! hang"}, store: "c@6", version: "9", relists: 1, replaced: "9", within: 5 * time.Second,
		},
		"an item that cannot be read": {
			script: []string{"watch-list - → +a@1 +broken +b@2 @5! hang"}, store: "a@1 b@2", version: "5",
		},
		"internal error in the stream": {
			script: []string{begin + "500", "watch-list 5 → +a@1 @9! hang"}, store: "a@1", version: "9", relists: 1, replaced: "9", within: 5 * time.Second,
		},
		"twice and unknown (C13)": {
			script: []string{begin + "+a@6 ~z@7 -y@8 ~z@7 hang"}, store: "a@6 b@2 z@7", version: "7",
		},
		"watches that end at once": {
			script:  []string{begin + "EOF", "watch 5 → EOF", "watch 5 → EOF", "watch 5 → EOF", "watch 5 → EOF", "watch-list 5 → +a@1 @9! hang"},
			store:   "a@1",
			version: "9", relists: 1, replaced: "9", resumes: 4, within: 3 * time.Minute,
		},
		"columns": {
			script: []string{"watch-list - → #x +a@1 @5! 2s EOF", "watch 5 → #x ~a@6 hang"}, store: "a@6", version: "6", resumes: 1, within: 5 * time.Second,
		},
		"other columns": {
			script:  []string{"watch-list - → #x +a@1 +b@2 @5! 2s EOF", "watch 5 → #y ~a@6 hang", "watch-list 5 → #y +a@6 +b@2 @7! ~b@8 hang"},
			store:   "a@6 b@8",
			version: "8", resumes: 1, relists: 1, replaced: "7", within: 5 * time.Second,
		},
		"other columns in a new list": {
			script:  []string{"watch-list - → #x +a@1 @5! 410", "watch-list 5 → #y +a@1 @7! hang"},
			store:   "a@1",
			version: "7", relists: 1, replaced: "7",
		},
		"other columns on a page": {
			script:   []string{"watch-list - → 400", "list 0 → #x .a@1 ?5,c1", "list - c1 → #y .b@2 ?5", "list 0 → #y .a@1 .b@2 ?6", "watch 6 → hang"},
			store:    "a@1 b@2",
			replaced: "6", version: "6",
		},
		"columns of what was empty": {
			script: []string{"watch-list - → @5! #x +a@6 hang"}, store: "a@6", version: "6",
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				if c.within == 0 {
					c.within = time.Second
				}
				r, out, srv := run(t, c.within, c.script...)
				s := r.State()
				if out.String() != c.store {
					t.Errorf("store: want %s, got %s", c.store, out)
				}
				if r.version != c.version || s.Resumes != c.resumes || s.Relists != c.relists {
					t.Errorf("want version %s, %d resumes, %d relists; got %s, %d, %d", c.version, c.resumes, c.relists, r.version, s.Resumes, s.Relists)
				}
				if got := strings.Join(out.replaced, " "); got != c.replaced {
					t.Errorf("replaced at %q, want %q", got, c.replaced)
				}
				if t.Failed() {
					t.Logf("asked: %q", srv.asked)
				}
			})
		})
	}
}

// TestStates shows what the state says at each step.
func TestStates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := &server{t: t, script: []string{"watch-list - → 1s +a@1 1s @5! 1s ~a@6 1s drop", "watch 6 → refused", "watch 6 → hang"}}
		out := &sink{things: map[string]string{}}
		r := New(Options[thing]{Source: srv, Decoder: &decoder{}, Sink: out, Key: func(o thing) string { return o.key }, Version: func(o thing) string { return o.version }})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { r.Run(ctx); close(done) }()
		at := func(d time.Duration, want string) {
			t.Helper()
			time.Sleep(d)
			synctest.Wait()
			s := r.State()
			_, alive := r.Age(time.Now())
			if got := fmt.Sprint(s.Phase, " ", s.Synced, " ", s.Version, " ", alive, " ", s.Err != nil); got != want {
				t.Errorf("want %s, got %s", want, got)
			}
		}
		at(0, "listing false  true false")
		at(1500*time.Millisecond, "listing false  true false")
		at(time.Second, "watching true 5 true false")
		at(time.Second, "watching true 6 true false")
		at(time.Second, "waiting true 6 false true")
		at(5*time.Second, "watching true 6 true false")
		if s := r.State(); s.Events != 3 || s.Bytes == 0 {
			t.Errorf("%+v", s)
		}
		cancel()
		<-done
	})
}

// TestStalled shows that a list that stops is said to have stopped, not to come in.
func TestStalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, _, _ := run(t, 15*time.Second+time.Millisecond, "watch-list - → 400", "list 0 → .a@1 hang")
		if s := r.State(); s.Phase != Waiting || !errors.Is(s.Err, errStalled) {
			t.Errorf("%+v", s)
		}
	})
}

// TestCredit shows that every byte is credited, once it is applied.
func TestCredit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, script := range [][]string{
			{"watch-list - → +a@1 +b@2 @5! +c@6 1ms ~c@7 hang"},
			{"watch-list - → 400", "list 0 → .a@1 1ms .b@2 ?5,c", "list - c → .d@1 ?5", "watch 5 → +c@6 1ms ~c@7 hang"},
			{"watch-list - → +a@1 drop", "watch-list - → +a@1 1ms +b@2 @5! +c@6 hang"},
		} {
			want := 0
			for _, line := range script {
				_, answer, _ := strings.Cut(line, " → ")
				for word := range strings.FieldsSeq(answer) {
					if strings.ContainsRune("+-~@?.", rune(word[0])) {
						want += len(word)
					}
				}
			}
			_, _, srv := run(t, 5*time.Second, script...)
			if srv.credit != want {
				t.Errorf("%q: %d bytes credited, %d came", script, srv.credit, want)
			}
		}
	})
}

// TestKnown shows that a new list uses again what the store has.
func TestKnown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := &server{t: t, script: []string{"watch-list - → +a@1 +b@2 @5! 410", "watch-list 5 → +a@1 +b@3 @9! hang"}}
		out := &sink{things: map[string]string{}}
		asked := []string{}
		r := New(Options[thing]{Source: srv, Decoder: &decoder{}, Sink: out, Key: func(o thing) string { return o.key }, Version: func(o thing) string { return o.version },
			Known: func(o thing) (thing, bool) {
				asked = append(asked, o.key)
				return thing{o.key, o.version}, out.things[o.key] == o.version
			}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		r.Run(ctx)
		if out.String() != "a@1 b@3" || fmt.Sprint(asked) != "[a b]" {
			t.Fatal(out, asked)
		}
	})
}

// TestBackoff shows the pace of attempts against a server that stays away, and
// that Wake ends a wait.
func TestBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []time.Time
		fail := &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable}
		source := SourceFunc(func(ctx context.Context, _ wire.Request) (Stream, error) {
			asked = append(asked, time.Now())
			return nil, fail
		})
		r := New(Options[thing]{Source: source, Decoder: &decoder{}, Sink: &sink{}, Key: func(o thing) string { return o.key }, Version: func(o thing) string { return o.version }})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { r.Run(ctx); close(done) }()
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if n := len(asked); n < 12 || n > 30 {
			t.Errorf("%d attempts in ten minutes", n)
		}
		if first := asked[1].Sub(asked[0]); first < backoffFirst || first > 2*backoffFirst {
			t.Errorf("the second after %v", first)
		}
		if !errors.Is(r.State().Err, fail) || r.State().Phase != Waiting {
			t.Errorf("%+v", r.State())
		}
		n := len(asked)
		r.Wake()
		synctest.Wait()
		if len(asked) != n+1 {
			t.Error("Wake did not end the wait")
		}
		cancel()
		<-done
	})
}
