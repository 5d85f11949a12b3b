package socket

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/wire"
	"watchglass/internal/wire/wiretest"
)

// proxy is the far end: each dial hands a new connection to the script.
type proxy struct {
	t     *testing.T
	conns chan *wiretest.Conn
	fail  atomic.Pointer[error] // of each dial
	near  func(Conn) Conn       // what the tab gets for its end, if not that
	dials []time.Time
	date  int64 // with which streams open
}

func (p *proxy) dial(ctx context.Context) (Connection, error) {
	p.dials = append(p.dials, time.Now())
	if err := p.fail.Load(); err != nil {
		return Connection{}, *err
	}
	near, far := wiretest.Pipe(64)
	p.conns <- far
	if p.near != nil {
		return Connection{Conn: p.near(near)}, nil
	}
	return Connection{Conn: near}, nil
}

// fails lets further dials fail.
func (p *proxy) fails(err error) { p.fail.Store(&err) }

func newProxy(t *testing.T) *proxy { return &proxy{t: t, conns: make(chan *wiretest.Conn, 64)} }

// run runs a client until the test ends.
func (p *proxy) run() *Client {
	c := New(Options{Dial: p.dial})
	ctx, cancel := context.WithCancel(p.t.Context())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	p.t.Cleanup(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			p.t.Errorf("Run: %v", err)
		}
	})
	return c
}

// accept welcomes the next connection.
func (p *proxy) accept(w wire.Welcome) *wiretest.Conn {
	p.t.Helper()
	conn := <-p.conns
	msg, err := conn.Read(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	if _, err := wire.ParseHello(msg); err != nil {
		p.t.Fatal(err)
	}
	w.V = wire.Version
	p.write(conn, wire.JSONFrame(wire.KindWelcome, 0, w))
	return conn
}

func (p *proxy) write(conn *wiretest.Conn, msg []byte) {
	p.t.Helper()
	if err := conn.Write(p.t.Context(), msg); err != nil {
		p.t.Fatal(err)
	}
}

// next returns the tab's next frame that is not a heartbeat.
func (p *proxy) next(conn *wiretest.Conn) wire.Frame {
	p.t.Helper()
	for {
		msg, err := conn.Read(p.t.Context())
		if err != nil {
			p.t.Fatal(err)
		}
		f, err := wire.ParseFrame(msg)
		if err != nil {
			p.t.Fatal(err)
		}
		if f.Kind != wire.KindBeat {
			return f
		}
	}
}

func data(stream uint32, seq uint64, payloads ...string) []byte {
	b := wire.AppendData(nil, stream, seq)
	for _, p := range payloads {
		b = wire.AppendEvent(b, wire.Added, []byte(p))
	}
	return b
}

var watch = wire.Request{Verb: wire.Watch, Version: "v1", Resource: "pods"}

// opened opens a stream, which the proxy accepts.
func (p *proxy) opened(c *Client, conn *wiretest.Conn, r wire.Request) (*Stream, uint32) {
	p.t.Helper()
	type result struct {
		s   *Stream
		err error
	}
	ch := make(chan result, 1)
	go func() { s, err := c.Open(p.t.Context(), r); ch <- result{s, err} }()
	f := p.next(conn)
	var got wire.Request
	if err := f.JSON(&got); f.Kind != wire.KindOpen || err != nil || !got.Same(r) {
		p.t.Fatalf("kind %d, %+v, %v", f.Kind, got, err)
	}
	p.write(conn, wire.JSONFrame(wire.KindOpened, f.Stream, wire.Opened{Encoding: wire.EncodingProtobuf, Date: p.date}))
	res := <-ch
	if res.err != nil {
		p.t.Fatal(res.err)
	}
	return res.s, f.Stream
}

func texts(b wire.Batch) string {
	var out []string
	for _, e := range b.Events {
		out = append(out, string(e.Payload))
	}
	return strings.Join(out, " ")
}

// TestAhead checks how far the clock is ahead of the apiserver's: an answer that came late says more
// than that.
func TestAhead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		c := p.run()
		conn := p.accept(wire.Welcome{})
		synctest.Wait()
		if c.Link().Timed {
			t.Fatal("nothing has said what the time is")
		}
		for _, step := range []struct{ date, want time.Duration }{{-9 * time.Minute, 9 * time.Minute}, {-5 * time.Minute, 5 * time.Minute}, {-7 * time.Minute, 5 * time.Minute}} {
			p.date = time.Now().Add(step.date).Unix()
			p.opened(c, conn, watch)
			if l := c.Link(); !l.Timed || l.Ahead != step.want {
				t.Errorf("%v: %+v", step.date, l)
			}
		}
	})
}

func TestStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		c := p.run()
		conn := p.accept(wire.Welcome{Context: "x", VisitKey: "secret"})
		synctest.Wait()
		if l := c.Link(); !l.Connected || l.Welcome.Context != "x" || l.Welcome.VisitKey != "" || c.VisitKey() != "secret" {
			t.Fatalf("%+v", l) // the key is for nobody else
		}
		s, id := p.opened(c, conn, watch)
		p.write(conn, data(id, 1, "a", "b"))
		p.write(conn, data(id, 2, "c"))
		p.write(conn, wire.JSONFrame(wire.KindEnd, id, wire.End{}))
		for _, want := range []string{"a b", "c"} {
			b, err := s.Next(t.Context())
			if err != nil || texts(b) != want {
				t.Fatal(texts(b), err)
			}
		}
		if _, err := s.Next(t.Context()); err != io.EOF {
			t.Fatal(err)
		}
		if s.Encoding() != wire.EncodingProtobuf {
			t.Fatal(s.Encoding())
		}
	})
}

func TestStreamRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		c := p.run()
		conn := p.accept(wire.Welcome{})
		errs := make(chan error, 1)
		go func() { _, err := c.Open(t.Context(), watch); errs <- err }()
		f := p.next(conn)
		p.write(conn, wire.JSONFrame(wire.KindEnd, f.Stream, wire.End{Status: &wire.Status{Code: 403, Message: "no"}}))
		if s := wire.StatusOf(<-errs); s == nil || s.Code != 403 {
			t.Fatal(s)
		}
	})
}

// TestCredit shows that credit goes back in steps, and counts whole frames.
func TestCredit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		c := p.run()
		conn := p.accept(wire.Welcome{})
		s, id := p.opened(c, conn, watch)
		frame := data(id, 1, strings.Repeat("x", 30<<10))
		total := 0
		for seq := range uint64(5) {
			p.write(conn, data(id, seq+1, strings.Repeat("x", 30<<10)))
			b, err := s.Next(t.Context())
			if err != nil || b.Bytes != len(frame) {
				t.Fatal(b.Bytes, len(frame), err)
			}
			s.Credit(b.Bytes)
			total += b.Bytes
		}
		n, err := p.next(conn).Credit()
		if err != nil || n != 3*len(frame) || n < wire.CreditStep {
			t.Fatal(n, err)
		}
	})
}

func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		c := p.run()
		conn := p.accept(wire.Welcome{})
		s, id := p.opened(c, conn, watch)
		s.Close()
		s.Close()
		if f := p.next(conn); f.Kind != wire.KindClose || f.Stream != id {
			t.Fatal(f)
		}
		p.write(conn, data(id, 1, "late"))
		if _, err := s.Next(t.Context()); err != io.EOF {
			t.Fatal(err)
		}
	})
}

func TestOutOfOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		c := p.run()
		conn := p.accept(wire.Welcome{})
		s, id := p.opened(c, conn, watch)
		p.write(conn, data(id, 2, "b"))
		if _, err := s.Next(t.Context()); wire.StatusOf(err) == nil || wire.StatusOf(err).Reason != wire.ReasonMalformed {
			t.Fatal(err)
		}
	})
}

// TestEarly shows that the stream of the hello goes to the first watch if the requests are
// the same, and is closed if they are not.
func TestEarly(t *testing.T) {
	early := wire.InitialWatch("", "v1", "pods", "")
	for name, ask := range map[string]wire.Request{"same": early, "another": watch} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newProxy(t)
				c := p.run()
				conn := p.accept(wire.Welcome{EarlyRequest: &early})
				p.write(conn, wire.JSONFrame(wire.KindOpened, wire.EarlyStream, wire.Opened{}))
				p.write(conn, data(wire.EarlyStream, 1, "a"))
				synctest.Wait()
				ask.TimeoutSeconds = 77
				if name == "same" {
					s, err := c.Open(t.Context(), ask)
					if err != nil {
						t.Fatal(err)
					}
					if b, err := s.Next(t.Context()); err != nil || texts(b) != "a" {
						t.Fatal(err)
					}
					return
				}
				go func() { _, _ = c.Open(t.Context(), ask) }()
				if f := p.next(conn); f.Kind != wire.KindClose || f.Stream != wire.EarlyStream {
					t.Fatal(f)
				}
				f := p.next(conn)
				if f.Kind != wire.KindOpen || f.Stream != wire.EarlyStream+1 {
					t.Fatal(f)
				}
				p.write(conn, wire.JSONFrame(wire.KindEnd, f.Stream, wire.End{}))
			})
		})
	}
}

// TestWatched shows that nothing of the early stream is credited until Watched is called, and
// then all that is owed; and that other streams do not wait.
func TestWatched(t *testing.T) {
	early := wire.InitialWatch("", "v1", "pods", "")
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		c := p.run()
		conn := p.accept(wire.Welcome{EarlyRequest: &early})
		p.write(conn, wire.JSONFrame(wire.KindOpened, wire.EarlyStream, wire.Opened{}))
		synctest.Wait()
		s, err := c.Open(t.Context(), early)
		if err != nil {
			t.Fatal(err)
		}
		s.Credit(2 * wire.CreditStep)
		other, id := p.opened(c, conn, watch) // the next frame: there is no credit before it
		other.Credit(wire.CreditStep)
		credited := func(stream uint32, want int) {
			t.Helper()
			f := p.next(conn)
			if n, err := f.Credit(); f.Kind != wire.KindCredit || f.Stream != stream || err != nil || n != want {
				t.Fatal(f, n, err)
			}
		}
		credited(id, wire.CreditStep)
		c.Watched()
		credited(wire.EarlyStream, 2*wire.CreditStep)
		s.Credit(wire.CreditStep)
		credited(wire.EarlyStream, wire.CreditStep)
	})
}

// TestReconnect shows that a broken connection ends the streams as unreachable,
// and that Open waits for the next connection.
func TestReconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		c := p.run()
		conn := p.accept(wire.Welcome{})
		s, _ := p.opened(c, conn, watch)
		conn.Close()
		_, err := s.Next(t.Context())
		if status := wire.StatusOf(err); status == nil || !status.Transient() || status.Origin != wire.FromSocket {
			t.Fatal(err)
		}
		if c.Link().Connected {
			t.Fatal("still connected")
		}
		began := time.Now()
		conn = p.accept(wire.Welcome{})
		if took := time.Since(began); took > backoffFirst {
			t.Fatalf("came back after %v", took)
		}
		s, id := p.opened(c, conn, watch)
		if id == wire.EarlyStream+1 {
			t.Fatal("a stream number was used again")
		}
		s.Close()
	})
}

// closedFor is a connection that the proxy closes for a reason.
type closedFor struct {
	Conn
	why *CloseError
}

func (c closedFor) Read(ctx context.Context) ([]byte, error) {
	msg, err := c.Conn.Read(ctx)
	if errors.Is(err, io.EOF) {
		err = c.why
	}
	return msg, err
}

// TestClosed checks that the reason why the proxy closed a connection is known until the next one, since browsers
// do not say why further attempts fail. Codes of WebSocket itself are no reason.
func TestClosed(t *testing.T) {
	for code, want := range map[int]int{1006: 0, 4401: 4401} {
		synctest.Test(t, func(t *testing.T) {
			p := newProxy(t)
			p.near = func(c Conn) Conn { return closedFor{c, &CloseError{Code: code}} }
			c := p.run()
			conn := p.accept(wire.Welcome{})
			synctest.Wait()
			p.fails(errors.New("no response"))
			conn.Close()
			time.Sleep(5 * time.Second)
			got := 0
			if l := c.Link(); l.Closed != nil {
				got = l.Closed.Code
			}
			if l := c.Link(); got != want || l.Attempts < 2 || !errors.Is(l.Err, *p.fail.Load()) {
				t.Errorf("closed with %d, then %d attempts: closed for %d, %v", code, l.Attempts, got, l.Err)
			}
			p.fail.Store(nil)
			p.accept(wire.Welcome{})
			synctest.Wait()
			if l := c.Link(); l.Closed != nil {
				t.Errorf("connected again, it is closed for %v", l.Closed)
			}
		})
	}
}

// TestReconnectSoon shows that a proxy that was away, however long, is reached within four seconds
// after it is back, and that it was not dialed all the time until then.
func TestReconnectSoon(t *testing.T) {
	for _, away := range []time.Duration{9 * time.Second, time.Minute, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			began, dialed := time.Now(), 0
			reached := make(chan time.Time, 1)
			c := New(Options{Dial: func(ctx context.Context) (Connection, error) {
				if dialed++; time.Since(began) < away {
					return Connection{}, errors.New("connection refused")
				}
				reached <- time.Now()
				<-ctx.Done()
				return Connection{}, ctx.Err()
			}})
			ctx, cancel := context.WithCancel(t.Context())
			ended := make(chan struct{})
			go func() { _ = c.Run(ctx); close(ended) }()
			if late := (<-reached).Sub(began) - away; late > 4*time.Second {
				t.Errorf("reached %v late, after %v", late, away)
			}
			cancel()
			<-ended
			if most := 6 + int(away/(2*time.Second)); dialed > most {
				t.Errorf("dialed %d times in %v, want %d at most", dialed, away, most)
			}
		})
	}
}

// TestReconnectCut shows that a proxy which is cut off as soon as it has welcomed the tab is not dialed all the time.
func TestReconnectCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		p.run()
		n := 0
		for began := time.Now(); time.Since(began) < time.Minute; n++ {
			p.accept(wire.Welcome{}).Close()
		}
		if n < 10 || n > 35 {
			t.Errorf("%d connections in a minute", n)
		}
		conn := p.accept(wire.Welcome{})
		time.Sleep(2 * backoffMost)
		conn.Close()
		began := time.Now()
		p.accept(wire.Welcome{})
		if took := time.Since(began); took > backoffFirst {
			t.Errorf("after one that lasted, it took %v", took)
		}
	})
}

// slow is a connection on which closing a stream waits.
type slow struct {
	Conn
	until chan struct{}
}

func (s slow) Write(ctx context.Context, msg []byte) error {
	if f, err := wire.ParseFrame(msg); err == nil && f.Kind == wire.KindClose {
		<-s.until
	}
	return s.Conn.Write(ctx, msg)
}

// TestReconnectWhileOpening shows that a stream requested on one connection is not opened on
// the next, where nobody would read it.
func TestReconnectWhileOpening(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, until := newProxy(t), make(chan struct{})
		p.near = func(c Conn) Conn { return slow{c, until} }
		c := p.run()
		early := wire.InitialWatch("", "v1", "nodes", "")
		conn := p.accept(wire.Welcome{EarlyRequest: &early})
		synctest.Wait()
		failed := make(chan error, 1)
		go func() { _, err := c.Open(t.Context(), watch); failed <- err }() // lets the early one go first
		synctest.Wait()
		conn.Close()
		conn = p.accept(wire.Welcome{})
		synctest.Wait()
		close(until)
		if status := wire.StatusOf(<-failed); status == nil || !status.Transient() {
			t.Fatal(status)
		}
		p.opened(c, conn, wire.Request{Verb: wire.List, Version: "v1", Resource: "nodes"})
	})
}

// testBackoff shows the pace of attempts while the proxy is away, and Wake.
func testBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		p.fails(errors.New("refused"))
		c := p.run()
		time.Sleep(60 * time.Second)
		synctest.Wait()
		if n := len(p.dials); n < 10 || n > 35 { // every wait is at least half of the longest
			t.Fatalf("%d attempts in a minute", n)
		}
		if l := c.Link(); l.Attempts != len(p.dials) || l.Err == nil || l.Connected {
			t.Fatalf("%+v", l)
		}
		p.fail.Store(nil)
		c.Wake()
		began := time.Now()
		p.accept(wire.Welcome{})
		if time.Since(began) > 0 {
			t.Fatal("Wake did not end the wait")
		}
	})
}

// TestHalfOpen shows that a connection on which nothing arrives is given up.
func TestHalfOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		c := p.run()
		conn := p.accept(wire.Welcome{})
		began := time.Now()
		beats := 0
		for {
			msg, err := conn.Read(t.Context())
			if err != nil {
				break
			}
			if f, _ := wire.ParseFrame(msg); f.Kind == wire.KindBeat {
				beats++
			}
		}
		if took := time.Since(began); took > wire.DeadAfter+wire.BeatEvery || beats < 4 {
			t.Fatalf("given up after %v and %d beats", took, beats)
		}
		p.accept(wire.Welcome{})
		synctest.Wait()
		if !c.Link().Connected {
			t.Fatal("not connected again")
		}
	})
}

// TestSlowLarge shows that a connection is kept while a large message that was announced is arriving,
// also when somebody comes back to the page. If the message never comes, the connection is given up.
func TestSlowLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		c := p.run()
		conn := p.accept(wire.Welcome{})
		s, id := p.opened(c, conn, watch)
		go func() {
			for {
				if _, err := conn.Read(t.Context()); err != nil {
					return
				}
			}
		}()
		large := strings.Repeat("x", 1<<20)
		for seq := range uint64(2) {
			p.write(conn, wire.LargeFrame(len(large)))
			time.Sleep(30 * time.Second)
			c.Wake()
			p.write(conn, data(id, seq+1, large))
			if b, err := s.Next(t.Context()); err != nil || texts(b) != large {
				t.Fatal(len(texts(b)), err)
			}
		}
		p.write(conn, wire.LargeFrame(len(large)))
		began := time.Now()
		p.accept(wire.Welcome{})
		if took := time.Since(began); took < wire.LargeWithin(len(large)) || took > wire.LargeWithin(len(large))+2*wire.BeatEvery {
			t.Errorf("given up after %v", took)
		}
		began = time.Now()
		p.accept(wire.Welcome{})
		if took := time.Since(began); took > wire.DeadAfter+2*wire.BeatEvery {
			t.Errorf("the next one, which announced nothing, was given up after %v", took)
		}
	})
}

// TestTooLong shows that a request larger than the proxy reads is not sent. The proxy would end the
// connection of all tabs.
func TestTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		c := p.run()
		conn := p.accept(wire.Welcome{})
		long := watch
		long.LabelSelector = strings.Repeat("x", 70_000)
		_, err := c.Open(t.Context(), long)
		if s := wire.StatusOf(err); s == nil || s.Origin != wire.FromTab || s.Reason != wire.ReasonBadRequest || s.Code != 400 {
			t.Fatalf("%v", err)
		}
		if _, id := p.opened(c, conn, watch); id != wire.EarlyStream+1 {
			t.Errorf("stream %d comes first", id)
		}
		long.LabelSelector = long.LabelSelector[:60_000]
		p.opened(c, conn, long)
	})
}

// TestWakeSilent shows that waking up drops a connection that died in sleep.
func TestWakeSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		c := p.run()
		p.accept(wire.Welcome{})
		time.Sleep(wire.StaleAfter + time.Second)
		c.Wake()
		began := time.Now()
		p.accept(wire.Welcome{})
		if time.Since(began) > 0 {
			t.Fatal("it waited")
		}
	})
}

// TestRenew shows that a renewed session is used at once, whether the client is connected, has
// dialed or waits for the welcome, and that nothing goes on under the one before.
func TestRenew(t *testing.T) {
	for name, until := range map[string]func(*proxy) *wiretest.Conn{
		"dialing":   func(p *proxy) *wiretest.Conn { return <-p.conns },
		"connected": func(p *proxy) *wiretest.Conn { return p.accept(wire.Welcome{}) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newProxy(t)
				c := p.run()
				old := until(p)
				synctest.Wait()
				c.Renew()
				began := time.Now()
				conn := p.accept(wire.Welcome{Context: "renewed"})
				synctest.Wait()
				if took := time.Since(began); took > 0 {
					t.Errorf("it waited for %v", took)
				}
				for {
					if _, err := old.Read(t.Context()); err != nil {
						break // what was sent before, then the end
					}
				}
				if l := c.Link(); !l.Connected || l.Welcome.Context != "renewed" {
					t.Errorf("it goes on with %+v", l)
				}
				conn.Close()
				p.accept(wire.Welcome{})
				if time.Since(began) < backoffFirst/2 {
					t.Error("a later loss is taken for a renewal")
				}
			})
		})
	}
}

// TestWakeConnected shows that Wake on a working connection does not shorten the wait after it breaks.
// Otherwise all tabs of a restarting proxy would return at once.
func TestWakeConnected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		c := p.run()
		c.Wake() // perhaps while it dials
		conn := p.accept(wire.Welcome{})
		synctest.Wait()
		c.Wake()
		began := time.Now()
		conn.Close()
		p.accept(wire.Welcome{})
		if time.Since(began) < backoffFirst/2 {
			t.Fatalf("it returned after %v", time.Since(began))
		}
	})
}

// TestAge shows that a stream's age is what the proxy last reported plus the time since.
func TestAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		c := p.run()
		conn := p.accept(wire.Welcome{})
		s, id := p.opened(c, conn, watch)
		p.write(conn, wire.BeatFrame([]wire.Age{{Stream: id, Age: 1500 * time.Millisecond}, {Stream: 99, Age: time.Hour}}))
		synctest.Wait()
		time.Sleep(time.Second)
		if got := s.Age(time.Now()); got != 2500*time.Millisecond {
			t.Fatal(got)
		}
		p.write(conn, data(id, 1, "a"))
		synctest.Wait()
		if got := s.Age(time.Now()); got != 0 {
			t.Fatal(got)
		}
	})
}

// TestAgeAfterStop shows that what arrives just after the program was stopped counts as old as the stop is long:
// it was buffered. What arrives a second later counts as new.
func TestAgeAfterStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const stop = 30 * time.Second
		p := newProxy(t)
		c := p.run()
		conn := p.accept(wire.Welcome{})
		s, id := p.opened(c, conn, watch)
		time.Sleep(wire.BeatEvery / 2)
		c.mu.Lock()
		c.pulse.at = c.pulse.at.Add(-stop) // nothing in this bubble can be stopped
		last := c.pulse.at
		c.mu.Unlock()
		for _, arrives := range []func(){
			func() { p.write(conn, data(id, 1, "a")) },
			func() { p.write(conn, wire.BeatFrame([]wire.Age{{Stream: id, Age: time.Millisecond}})) },
		} {
			for range 2 { // before the next tick, and after it
				arrives()
				synctest.Wait()
				now := time.Now()
				if got := s.Age(now).Truncate(time.Second); got != now.Sub(last).Truncate(time.Second) {
					t.Fatalf("age %v, %v after the last tick", got, now.Sub(last))
				}
				time.Sleep(wire.BeatEvery * 2 / 5)
			}
		}
		time.Sleep(wire.BeatEvery)
		p.write(conn, wire.BeatFrame([]wire.Age{{Stream: id, Age: time.Millisecond}}))
		synctest.Wait()
		if got := s.Age(time.Now()); got != time.Millisecond {
			t.Fatalf("age %v, long after the stop", got)
		}
	})
}

func TestGet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		c := p.run()
		conn := p.accept(wire.Welcome{})
		type result struct {
			doc []byte
			err error
		}
		results := make(chan result, 1)
		get := func() { doc, err := c.Get(t.Context(), wire.Request{Verb: wire.Discover}); results <- result{doc, err} }
		go get()
		f := p.next(conn)
		p.write(conn, wire.JSONFrame(wire.KindOpened, f.Stream, wire.Opened{}))
		p.write(conn, wire.AppendEvent(wire.AppendData(nil, f.Stream, 1), wire.Item, []byte("doc")))
		if r := <-results; r.err != nil || string(r.doc) != "doc" {
			t.Fatal(r)
		}
		if f := p.next(conn); f.Kind != wire.KindClose {
			t.Fatal(f)
		}
		go get()
		f = p.next(conn)
		p.write(conn, wire.JSONFrame(wire.KindOpened, f.Stream, wire.Opened{}))
		p.write(conn, wire.JSONFrame(wire.KindEnd, f.Stream, wire.End{}))
		if r := <-results; !errors.Is(r.err, io.EOF) {
			t.Fatal(r)
		}
	})
}

// TestBadProxy shows that the tab leaves a proxy that breaks the protocol.
func TestBadProxy(t *testing.T) {
	for name, msg := range map[string][]byte{
		"empty": {}, "unknown kind": {200, 0}, "beat": {byte(wire.KindBeat), 0, 0x80},
		"opened": append(wire.AppendHeader(nil, wire.KindOpened, 2), '{'),
		"end":    append(wire.AppendHeader(nil, wire.KindEnd, 2), '{'),
		"kind":   wire.AppendHeader(nil, wire.KindOpen, 2),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newProxy(t)
				c := p.run()
				conn := p.accept(wire.Welcome{})
				failed := make(chan error, 1)
				go func() { _, err := c.Open(t.Context(), watch); failed <- err }()
				p.next(conn)
				p.write(conn, msg)
				if err := <-failed; wire.StatusOf(err) == nil {
					t.Fatal(err)
				}
				p.accept(wire.Welcome{})
			})
		})
	}
}

func TestRefusedHello(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		c := p.run()
		conn := <-p.conns
		p.write(conn, wire.JSONFrame(wire.KindEnd, 0, wire.End{Status: &wire.Status{Message: "another version"}}))
		synctest.Wait()
		if err := c.Link().Err; err == nil || !strings.Contains(fmt.Sprint(err), "another version") {
			t.Fatal(err)
		}
	})
}

// TestNow shows that only the first request after a Wake says that somebody waits for it.
func TestNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		c := p.run()
		conn := p.accept(wire.Welcome{})
		for i, want := range []bool{false, true, false} {
			if want {
				c.Wake()
			}
			go func() { _, _ = c.Open(t.Context(), watch) }()
			var r wire.Request
			if err := p.next(conn).JSON(&r); err != nil || r.Now != want {
				t.Errorf("request %d: %+v %v", i, r, err)
			}
		}
	})
}
