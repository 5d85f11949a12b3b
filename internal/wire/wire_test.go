package wire

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"
)

func TestFrames(t *testing.T) {
	f, err := ParseFrame(JSONFrame(KindOpen, 300, InitialWatch("apps", "v1", "deployments", "a")))
	if err != nil || f.Kind != KindOpen || f.Stream != 300 {
		t.Fatal(f, err)
	}
	var r Request
	if err := f.JSON(&r); err != nil || !r.Same(InitialWatch("apps", "v1", "deployments", "a")) || r.Verb != Watch || !r.SendInitialEvents {
		t.Fatal(r, err)
	}
	f, err = ParseFrame(CreditFrame(7, 65536))
	if n, err2 := f.Credit(); err != nil || err2 != nil || n != 65536 || f.Stream != 7 {
		t.Fatal(n, err, err2)
	}
	f, err = ParseFrame(DrainFrame(1500 * time.Millisecond))
	if d, err2 := f.Drain(); err != nil || err2 != nil || d != 1500*time.Millisecond || f.Stream != 0 {
		t.Fatal(d, err, err2)
	}
	f, err = ParseFrame(LargeFrame(MaxFrame))
	if n, err2 := f.Large(); err != nil || err2 != nil || n != MaxFrame || f.Stream != 0 {
		t.Fatal(n, err, err2)
	}
	queued := []QueuePosition{{1, 0}, {300, 40}}
	f, err = ParseFrame(QueuedFrame(queued))
	if got, err2 := f.Queued(); err != nil || err2 != nil || !reflect.DeepEqual(got, queued) || f.Kind != KindQueued || f.Stream != 0 {
		t.Fatal(got, err, err2)
	}
	ages := []Age{{1, 0}, {300, 1500 * time.Millisecond}, {2, time.Hour}}
	f, err = ParseFrame(BeatFrame(ages))
	if got, err2 := f.Ages(); err != nil || err2 != nil || !reflect.DeepEqual(got, ages) {
		t.Fatal(got, err, err2)
	}
	f, err = ParseFrame(PausedFrame(ages))
	if got, err2 := f.Ages(); err != nil || err2 != nil || !reflect.DeepEqual(got, ages) || f.Kind != KindPaused || f.Stream != 0 {
		t.Fatal(got, err, err2)
	}
	if f, _ := ParseFrame(BeatFrame([]Age{{1, -time.Second}})); len(f.Body) == 0 {
		t.Fatal("no age")
	} else if got, _ := f.Ages(); got[0].Age != 0 {
		t.Fatal("a negative age crosses the wire", got)
	}
}

// TestLargeWithin checks how long a tab waits for a large message.
func TestLargeWithin(t *testing.T) {
	for size, want := range map[int]time.Duration{0: DeadAfter, BatchBytes: DeadAfter + 16*time.Second, 1 << 20: DeadAfter + 64*time.Second, MaxFrame: DeadAfter + 512*time.Second} {
		if got := LargeWithin(size); got != want {
			t.Errorf("%d bytes: %v, want %v", size, got, want)
		}
	}
}

func TestData(t *testing.T) {
	b := AppendData(nil, 9, 77)
	for i, typ := range []EventType{Added, Modified, Deleted, Bookmark, Error, Item, ListEnd, Columns, Text} {
		b = AppendEvent(b, typ, bytes.Repeat([]byte{byte(i)}, i*100))
	}
	f, err := ParseFrame(b)
	if err != nil {
		t.Fatal(err)
	}
	seq, events, err := f.Data(nil)
	if err != nil || seq != 77 || len(events) != 9 || events[8].Type != Text || len(events[8].Payload) != 800 {
		t.Fatal(seq, len(events), err)
	}
	for n := range b {
		f, err := ParseFrame(b[:n])
		if err != nil {
			continue
		}
		if _, cut, err := f.Data(nil); err == nil && len(cut) == len(events) {
			t.Fatalf("cut at %d of %d all events are there", n, len(b))
		}
	}
}

func TestMalformed(t *testing.T) {
	for _, msg := range [][]byte{nil, {0}, {99, 1}, {byte(KindData)}, {byte(KindData), 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}} {
		if _, err := ParseFrame(msg); !errors.Is(err, ErrFrame) {
			t.Errorf("%v: %v", msg, err)
		}
	}
	for name, body := range map[string][]byte{"no credit": nil, "more than there is": CreditFrame(0, ConnWindow+1)[2:], "more behind": {1, 1}} {
		if _, err := (Frame{Kind: KindCredit, Body: body}).Credit(); !errors.Is(err, ErrFrame) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, body := range map[string][]byte{"no time": nil, "too long": DrainFrame(DrainMost + time.Second)[2:], "more behind": {1, 1}} {
		if _, err := (Frame{Kind: KindDrain, Body: body}).Drain(); !errors.Is(err, ErrFrame) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, body := range map[string][]byte{"no size": nil, "too large": LargeFrame(MaxFrame + 1)[2:], "more behind": {1, 1}} {
		if _, err := (Frame{Kind: KindLarge, Body: body}).Large(); !errors.Is(err, ErrFrame) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, body := range [][]byte{{1}, {0xff}, {1, 0xff}} {
		if _, err := (Frame{Kind: KindQueued, Body: body}).Queued(); !errors.Is(err, ErrFrame) {
			t.Errorf("%v: %v", body, err)
		}
	}
	for _, body := range [][]byte{nil, {1, 'X', 0}, {1, 'A', 5, 'a'}, {1, 'A'}} {
		if _, _, err := (Frame{Kind: KindData, Body: body}).Data(nil); !errors.Is(err, ErrFrame) {
			t.Errorf("%v: %v", body, err)
		}
	}
}

func TestHello(t *testing.T) {
	if h, err := ParseHello([]byte(`{"v":1,"early":"pods"}`)); err != nil || h.Early != "pods" {
		t.Error(h, err)
	}
	for _, msg := range []string{``, `{}`, `{"v":2}`, `[]`} {
		if _, err := ParseHello([]byte(msg)); !errors.Is(err, ErrFrame) {
			t.Errorf("%s: %v", msg, err)
		}
	}
}

func TestSame(t *testing.T) {
	a := InitialWatch("", "v1", "pods", "")
	b := a
	b.TimeoutSeconds = 400
	if !a.Same(b) {
		t.Error("how long it lasts is not what it is")
	}
	b.ResourceVersion = "5"
	if a.Same(b) {
		t.Error("another version")
	}
}

func TestSameWelcome(t *testing.T) {
	a := Welcome{V: 1, Version: "1.0", Page: "abc", Context: "prod", Server: "10.0.0.1"}
	b := a
	b.Version, b.EarlyRequest = "1.1", &Request{Resource: "pods"}
	if !a.Same(b) {
		t.Error("a newer proxy shows the same, if its page is the same")
	}
	for what, other := range map[string]func(*Welcome){
		"page": func(w *Welcome) { w.Page = "def" }, "context": func(w *Welcome) { w.Context = "staging" },
		"server": func(w *Welcome) { w.Server = "10.0.0.2" }, "user": func(w *Welcome) { w.User = "eve" },
		"width": func(w *Welcome) { w.Narrow = true }, "namespaces": func(w *Welcome) { w.Namespaces = "a,b" },
	} {
		c := a
		if other(&c); a.Same(c) {
			t.Error("the same with another", what)
		}
	}
}

func TestStatus(t *testing.T) {
	api := func(code int, reason string, causes ...string) *Status {
		return &Status{Origin: FromAPIServer, Code: code, Reason: reason, Causes: causes}
	}
	lost := &Status{Origin: FromSocket, Reason: ReasonUnreachable}
	for _, c := range []struct {
		name string
		got  bool
		want bool
	}{
		{"410", api(410, "").Expired(), true}, {"Expired", api(0, ReasonExpired).Expired(), true}, {"Gone", api(0, ReasonGone).Expired(), true}, {"404 is not", api(404, ReasonNotFound).Expired(), false},
		{"too large", api(504, ReasonTimeout, CauseVersionTooLarge).VersionTooLarge(), true}, {"504", api(504, ReasonTimeout).VersionTooLarge(), false},
		{"old too large", (&Status{Origin: FromAPIServer, Code: 504, Reason: ReasonTimeout, Message: "Too large resource version"}).VersionTooLarge(), true},
		{"504 passes", api(504, ReasonTimeout).Transient(), true}, {"too large does not", api(504, ReasonTimeout, CauseVersionTooLarge).Transient(), false},
		{"503 passes", api(503, "").Transient(), true}, {"500 does not", api(500, ReasonInternalError).Transient(), false}, {"a lost socket", lost.Transient(), true},
		{"unread", (&Status{Origin: FromProxy, Reason: ReasonUnread}).Transient(), false}, // the page was slow, not the way to it
		{"malformed", (&Status{Origin: FromProxy, Reason: ReasonMalformed}).Transient(), false},
		{"429", api(429, "").TooManyRequests(), true}, {"401", api(401, "").Denied(), true}, {"403", api(403, "").Denied(), true},
		{"422", api(422, ReasonInvalid).Unsupported(), true}, {"ours is not the server's", (&Status{Origin: FromProxy, Code: 400}).Unsupported(), false},
	} {
		if c.got != c.want {
			t.Errorf("%s: %v", c.name, c.got)
		}
	}
	if s := StatusOf(fmt.Errorf("watch: %w", lost)); s != lost || StatusOf(errors.New("x")) != nil {
		t.Error("StatusOf")
	}
	if got := api(403, "Forbidden"); got.Error() != "" || lost.Error() != "socket: " {
		t.Errorf("%q %q", got, lost)
	}
}

// FuzzFrame holds that the events of a frame are written as what has them again.
func FuzzFrame(f *testing.F) {
	f.Add(AppendEvent(AppendData(nil, 1, 1), Added, []byte("x")))
	f.Add(BeatFrame([]Age{{1, time.Second}}))
	f.Add(CreditFrame(1, 100))
	f.Add(LargeFrame(1 << 20))
	f.Add(QueuedFrame([]QueuePosition{{1, 40}}))
	f.Add(PausedFrame([]Age{{1, time.Second}}))
	f.Add(JSONFrame(KindOpen, 1, Request{Verb: List}))
	f.Fuzz(func(t *testing.T, msg []byte) {
		_, _ = ParseHello(msg)
		frame, err := ParseFrame(msg)
		if err != nil {
			return
		}
		_, _ = frame.Credit()
		_, _ = frame.Large()
		_, _ = frame.Queued()
		if ages, err := frame.Ages(); err == nil {
			for _, a := range ages {
				if a.Age < 0 {
					t.Fatalf("an age of %v", a.Age)
				}
			}
		}
		seq, events, err := frame.Data(nil)
		if err != nil {
			return
		}
		again := AppendData(nil, frame.Stream, seq)
		for _, e := range events {
			again = AppendEvent(again, e.Type, e.Payload)
		}
		back, err := ParseFrame(again)
		if err != nil {
			t.Fatal(err)
		}
		seq2, events2, err := back.Data(nil)
		if err != nil || seq != seq2 || len(events) != len(events2) {
			t.Fatal(seq, seq2, len(events), len(events2), err)
		}
	})
}
