//go:build !js

package relay

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/wire"
	"watchglass/internal/wire/wiretest"
)

// ledger records what a session reports about its streams.
type ledger struct {
	mu       sync.Mutex
	open     int
	records  []Record
	bytes    int
	delays   []time.Duration
	answered []int
}

func (l *ledger) Opened() { l.mu.Lock(); l.open++; l.mu.Unlock() }

func (l *ledger) Answered(_ wire.Verb, code int, _ time.Duration) {
	l.mu.Lock()
	l.answered = append(l.answered, code)
	l.mu.Unlock()
}

func (l *ledger) Relayed(bytes int, after time.Duration) {
	l.mu.Lock()
	l.bytes += bytes
	l.delays = append(l.delays, after)
	l.mu.Unlock()
}

func (l *ledger) observe(r Record) {
	l.mu.Lock()
	l.open--
	l.records = append(l.records, r)
	l.mu.Unlock()
}

func (l *ledger) options() Options { return Options{Meter: l, Observe: l.observe} }

// TestRecord shows that each way to end a stream has its own End, and that each stream has one
// Record, with its bytes and duration.
func TestRecord(t *testing.T) {
	reply := func(code int, body string) transport {
		return func(r *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return answer(r, code, "application/json", strings.NewReader(body)), nil
		}
	}
	silent := func(r *http.Request) (*http.Response, error) {
		return answer(r, 200, "application/json", quiet(r)), nil
	}
	letGo := func(tb *tab) { tb.write(wire.AppendHeader(nil, wire.KindClose, 2)) }
	leave := func(tb *tab) { tb.conn.Close() }
	status := `{"kind":"Status","apiVersion":"v1","code":403,"reason":"Forbidden","message":"no"}`
	for name, c := range map[string]struct {
		rt      transport
		request wire.Request
		then    func(*tab)
		want    Record
		frames  bool
	}{
		"done":        {reply(200, jsonEvents(3)), podsWatch, nil, Record{Code: 200, Took: time.Second, End: EndDone}, true},
		"error":       {reply(403, status), podsWatch, nil, Record{Code: 403, Took: time.Second, End: EndError}, false},
		"refused":     {nil, wire.Request{Verb: "delete", Resource: "pods\n"}, nil, Record{End: EndRefused}, false},
		"unreadable":  {reply(200, `{"type":"NONSENSE"}`), podsWatch, nil, Record{Code: 200, Took: time.Second, End: EndUnreadable}, false},
		"unreachable": {func(*http.Request) (*http.Response, error) { return nil, errors.New("refused") }, podsWatch, nil, Record{End: EndUnreachable}, false},
		"balancer":    {reply(502, "<html>"), podsWatch, nil, Record{Code: 502, Took: time.Second, End: EndUnreachable}, false},
		"let go":      {silent, podsWatch, letGo, Record{Code: 200, End: EndLetGo}, false},
		"gone":        {silent, podsWatch, leave, Record{Code: 200, End: EndGone}, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := new(ledger)
				tb := start(t, c.rt, l.options())
				began := time.Now()
				tb.write([]byte(hello))
				tb.next()
				tb.write(wire.JSONFrame(wire.KindOpen, 2, c.request))
				synctest.Wait()
				if c.then != nil {
					c.then(tb)
				}
				time.Sleep(1500 * time.Millisecond)
				synctest.Wait()
				if len(l.records) != 1 || l.open != 0 {
					t.Fatalf("%d are open, %+v", l.open, l.records)
				}
				got := l.records[0]
				if (got.Bytes > 0) != c.frames || got.Bytes != int64(l.bytes) {
					t.Errorf("%d bytes, and %d in frames", got.Bytes, l.bytes)
				}
				c.want.Request, c.want.Began, c.want.Bytes = c.request, began, got.Bytes
				if got != c.want {
					t.Errorf("\nwant %+v\ngot  %+v", c.want, got)
				}
				if asked := c.want.End != EndRefused; len(l.answered) == 1 != asked || asked && l.answered[0] != c.want.Code {
					t.Errorf("answered %v", l.answered)
				}
			})
		})
	}
}

// TestRecordBeforeServeReturns shows that no Record is lost when the connection ends.
func TestRecordBeforeServeReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(ledger)
		tb := start(t, func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}, l.options())
		tb.write([]byte(hello))
		for i := range uint32(20) {
			tb.write(wire.JSONFrame(wire.KindOpen, i+2, podsWatch))
		}
		synctest.Wait()
		tb.conn.Close()
		<-tb.done
		if len(l.records) != 20 || l.open != 0 {
			t.Fatalf("%d records, %d open", len(l.records), l.open)
		}
	})
}

// breaking is a connection that breaks at the first data.
type breaking struct{ *wiretest.Conn }

func (c breaking) Write(ctx context.Context, msg []byte) error {
	if f, err := wire.ParseFrame(msg); err == nil && f.Kind == wire.KindData {
		return io.ErrClosedPipe
	}
	return c.Conn.Write(ctx, msg)
}

// TestRecordBroken shows that a tab whose end is first seen by writing to it is gone, and that the
// apiserver is not called unreachable.
func TestRecordBroken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(ledger)
		o := l.options()
		o.Upstream = Upstream{Base: base(t, "https://h"), Transport: transport(func(r *http.Request) (*http.Response, error) {
			return answer(r, 200, "application/json", strings.NewReader(jsonEvents(3))), nil
		})}
		near, far := wiretest.Pipe(64)
		for _, msg := range [][]byte{[]byte(hello), wire.JSONFrame(wire.KindOpen, 2, podsWatch)} {
			if err := far.Write(t.Context(), msg); err != nil {
				t.Fatal(err)
			}
		}
		if err := Serve(t.Context(), breaking{near}, o); !errors.Is(err, io.ErrClosedPipe) {
			t.Error(err)
		}
		if len(l.records) != 1 || l.records[0].End != EndGone {
			t.Errorf("%+v", l.records)
		}
	})
}

// TestRelayed shows that the delay of a frame begins with the read of its first event, and includes
// the batch's wait and the wait for credit.
func TestRelayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(ledger)
		pr, pw := io.Pipe()
		tb := start(t, func(r *http.Request) (*http.Response, error) {
			return answer(r, 200, "application/json", pr), nil
		}, l.options())
		tb.write([]byte(hello))
		tb.next()
		tb.write(wire.JSONFrame(wire.KindOpen, 2, podsWatch))
		for range batchAhead + 2 { // the last waits for more
			if _, err := io.WriteString(pw, jsonEvents(1)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if len(l.delays) != batchAhead+2 || l.delays[0] != 0 || l.delays[batchAhead+1] != wire.BatchLinger {
			t.Fatalf("%v", l.delays)
		}
		pw.Close()
	})
}

// TestDrain shows that a tab is told once how long it may take to leave, that a later tab is told the
// rest of that time, and that streams continue meanwhile.
func TestDrain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := new(ledger)
		o := l.options()
		o.Drain = NewDrain()
		silent := func(r *http.Request) (*http.Response, error) {
			return answer(r, 200, "application/json", quiet(r)), nil
		}
		first := start(t, silent, o)
		first.write([]byte(hello))
		first.next()
		first.write(wire.JSONFrame(wire.KindOpen, 2, podsWatch))
		first.expect(wire.KindOpened, 2, "")
		o.Drain.Begin(10 * time.Second)
		if d, err := first.expect(wire.KindDrain, 0, "").Drain(); d != 10*time.Second || err != nil {
			t.Fatal(d, err)
		}
		time.Sleep(4 * time.Second)
		late := start(t, silent, o)
		late.write([]byte(hello))
		late.expect(wire.KindWelcome, 0, "")
		if d, err := late.expect(wire.KindDrain, 0, "").Drain(); d != 6*time.Second || err != nil {
			t.Fatal(d, err)
		}
		first.write(wire.JSONFrame(wire.KindOpen, 3, podsWatch))
		first.expect(wire.KindOpened, 3, "") // and no second word
		first.conn.Close()
		<-first.done
		synctest.Wait()
		if len(l.records) != 2 || l.records[0].End != EndDrained {
			t.Fatalf("%+v", l.records)
		}
	})
}

// BenchmarkFrame measures a frame with and without a Meter.
func BenchmarkFrame(b *testing.B) {
	for name, m := range map[string]Meter{"alone": nil, "counted": counter{}} {
		b.Run(name, func(b *testing.B) {
			sess := &session{options: Options{Meter: m}, conn: sink{}, ctx: b.Context(), window: window{max: wire.ConnWindow}}
			s := &stream{session: sess, window: window{max: wire.StreamWindow}}
			frame := make([]byte, 2<<10)
			b.ReportAllocs()
			for b.Loop() {
				if err := s.send(b.Context(), frame, 1); err != nil {
					b.Fatal(err)
				}
				s.credit(len(frame))
			}
		})
	}
}

type sink struct{ Conn }

func (sink) Write(context.Context, []byte) error { return nil }

type counter struct{}

func (counter) Opened()                                {}
func (counter) Answered(wire.Verb, int, time.Duration) {}
func (counter) Relayed(int, time.Duration)             {}

// TestRecordCrowded checks that a request is recorded as crowded if too many of the same user's wait for room.
func TestRecordCrowded(t *testing.T) {
	body := asJSON(t, large(1<<20))
	synctest.Test(t, func(t *testing.T) {
		l := new(ledger)
		o := l.options()
		o.Heavy = NewHeavy()
		if err := o.Heavy.room.acquire(t.Context(), "others", heavyRoom, 0); err != nil {
			t.Fatal(err)
		}
		tb := start(t, func(r *http.Request) (*http.Response, error) {
			return answer(r, 200, "application/json", bytes.NewReader(body)), nil
		}, o)
		tb.write([]byte(hello))
		go func() { // the tab reads all that it is sent
			for err := error(nil); err == nil; _, err = tb.conn.Read(t.Context()) {
			}
		}()
		for i := range uint32(heavyCrowd + 1) {
			tb.write(wire.JSONFrame(wire.KindOpen, i+2, wire.Request{Verb: wire.Get, Version: "v1", Resource: "pods", Namespace: "a", Name: "p", Encoding: wire.EncodingJSON}))
		}
		synctest.Wait()
		if len(l.records) != 1 || l.records[0].End != EndCrowded || l.records[0].Code != 200 {
			t.Errorf("recorded %+v", l.records)
		}
		o.Heavy.room.release("others", heavyRoom)
		tb.conn.Close()
	})
}

// TestRecordUnread checks how a stream ends whose tab lives and gives no credit, for answers around the size of
// its window: it is recorded as unread, and the tab is told, unless all of the answer was sent.
func TestRecordUnread(t *testing.T) {
	const window = 4 << 20
	for _, size := range []int{window - 1<<20, window - 1<<10, window, window + 1<<10, window + 2<<10, window + 1<<20} {
		synctest.Test(t, func(t *testing.T) {
			l := new(ledger)
			o := l.options()
			o.RevokeWithin = time.Hour
			near, far := wiretest.Pipe(1000)
			o.Upstream.Base, o.Upstream.Transport = base(t, "https://h"), transport(func(r *http.Request) (*http.Response, error) {
				return answer(r, 200, "text/plain", strings.NewReader(strings.Repeat("a line of text\n", 1+size/15)[:size])), nil
			})
			var running sync.WaitGroup
			defer running.Wait()
			defer far.Close()
			running.Go(func() { _ = Serve(t.Context(), near, o) })
			tb := &tab{t: t, conn: far}
			tb.write([]byte(hello))
			tb.next()
			running.Go(func() { // the tab lives, and says so
				for far.Write(t.Context(), wire.BeatFrame(nil)) == nil {
					time.Sleep(wire.BeatEvery)
				}
			})
			tb.write(wire.JSONFrame(wire.KindOpen, 2, wire.Request{Verb: wire.Log, Version: "v1", Resource: "pods", Namespace: "a", Name: "b", Log: &wire.LogOptions{Container: "c"}}))
			got, ended := 0, wire.End{}
			for done := false; !done; {
				switch f := tb.next(); f.Kind {
				case wire.KindData:
					got += len(f.Body)
				case wire.KindEnd:
					if done = true; len(f.Body) > 0 {
						if err := f.JSON(&ended); err != nil {
							t.Error(err)
						}
					}
				}
			}
			synctest.Wait()
			whole, end := got >= size, l.records[0].End
			if whole != (end == EndDone) || whole != (ended.Status == nil) || !whole && end != EndUnread {
				t.Errorf("of %d bytes, %d were sent; recorded as %s, the tab was told %+v", size, got, end, ended.Status)
			}
		})
	}
}
