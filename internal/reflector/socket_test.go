package reflector

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/socket"
	"watchglass/internal/wire"
	"watchglass/internal/wire/wiretest"
)

// relay is a proxy that serves a scripted server over sockets. It packs events into random frames.
type relay struct {
	server  *server
	running sync.WaitGroup
	random  *rand.Rand
	mu      sync.Mutex
}

// source is the tab's end: a Reflector's source over a real socket client.
func (p *relay) source(ctx context.Context) Source {
	client := socket.New(socket.Options{Dial: p.dial})
	p.running.Go(func() { _ = client.Run(ctx) })
	return SourceFunc(func(ctx context.Context, r wire.Request) (Stream, error) { return client.Open(ctx, r) })
}

func (p *relay) dial(ctx context.Context) (socket.Connection, error) {
	near, far := wiretest.Pipe(256)
	p.running.Go(func() { p.serve(far) })
	return socket.Connection{Conn: near}, nil
}

// serve answers one connection until it ends.
func (p *relay) serve(conn *wiretest.Conn) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer conn.Close()
	if _, err := conn.Read(ctx); err != nil { // hello
		return
	}
	_ = conn.Write(ctx, wire.JSONFrame(wire.KindWelcome, 0, wire.Welcome{V: wire.Version}))
	p.running.Go(func() {
		for ctx.Err() == nil {
			sleep(ctx, wire.BeatEvery, nil)
			_ = conn.Write(ctx, wire.BeatFrame(nil))
		}
	})
	open := map[uint32]context.CancelFunc{}
	for {
		msg, err := conn.Read(ctx)
		if err != nil {
			return
		}
		switch f, _ := wire.ParseFrame(msg); f.Kind {
		case wire.KindOpen:
			var r wire.Request
			_ = f.JSON(&r)
			streaming, end := context.WithCancel(ctx)
			open[f.Stream] = end
			p.running.Go(func() { p.stream(streaming, conn, f.Stream, r) })
		case wire.KindClose:
			open[f.Stream]()
		}
	}
}

// stream relays one request.
func (p *relay) stream(ctx context.Context, conn *wiretest.Conn, id uint32, r wire.Request) {
	s, err := p.server.Open(ctx, r)
	if err == nil {
		defer s.Close()
		_ = conn.Write(ctx, wire.JSONFrame(wire.KindOpened, id, wire.Opened{Encoding: s.Encoding()}))
		err = p.pump(ctx, conn, id, s)
	}
	status := wire.StatusOf(err)
	switch {
	case ctx.Err() != nil:
	case status != nil && status.Origin == wire.FromSocket && status.Transient():
		conn.Close()
	case errors.Is(err, io.EOF), status != nil:
		_ = conn.Write(ctx, wire.JSONFrame(wire.KindEnd, id, wire.End{Status: status}))
	}
}

// pump packs events into frames of a few each.
func (p *relay) pump(ctx context.Context, conn *wiretest.Conn, id uint32, s Stream) error {
	for seq := uint64(1); ; {
		b, err := s.Next(ctx)
		for events := b.Events; len(events) > 0; seq++ {
			p.mu.Lock()
			n := 1 + p.random.IntN(len(events))
			p.mu.Unlock()
			frame := wire.AppendData(nil, id, seq)
			for _, e := range events[:n] {
				frame = wire.AppendEvent(frame, e.Type, e.Payload)
			}
			if err := conn.Write(ctx, frame); err != nil {
				return err
			}
			events = events[n:]
		}
		if err != nil {
			return err
		}
	}
}

// TestConformanceOverSocket runs the scripts over a socket: the outcome is the same however events
// are packed into frames (C17).
func TestConformanceOverSocket(t *testing.T) {
	for name, c := range conformance() {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(3) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancel(t.Context())
					p := &relay{random: rand.New(rand.NewPCG(seed, 0))}
					c.check(t, func(o *Options[thing]) {
						p.server = o.Source.(*server)
						o.Source = p.source(ctx)
					})
					cancel()
					p.running.Wait()
				})
			}
		})
	}
}

// TestCut cuts the connection after every event of a script (C18): what came before is applied, and
// the next watch continues there.
func TestCut(t *testing.T) {
	events := strings.Fields("+a@1 +b@2 +c@3 @5! ~a@6 -b@7 @8 +d@9 ~d@10 -a@11 +e@12")
	const listed, store = 4, "c@3 d@10 e@12"
	for cut := 1; cut < len(events); cut++ {
		t.Run(fmt.Sprint(cut), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				before, after := strings.Join(events[:cut], " "), strings.Join(events[cut:], " ")
				lines := []string{"watch-list - → " + before + " drop"}
				if cut < listed {
					lines = append(lines, "watch-list - → "+strings.Join(events, " ")+" hang")
				} else {
					version := strings.Trim(before[strings.LastIndex(before, "@")+1:], "!")
					lines = append(lines, "watch "+version+" → "+after+" hang")
				}
				ctx, cancel := context.WithCancel(t.Context())
				p := &relay{random: rand.New(rand.NewPCG(uint64(cut), 0))}
				g := run(t, 10*time.Second, lines, func(o *Options[thing]) {
					p.server = o.Source.(*server)
					o.Source = p.source(ctx)
				})
				cancel()
				p.running.Wait()
				if g.sink.String() != store || g.position.version != "12" || g.State().Relists != 0 {
					t.Errorf("%v at %s\nasked %q", g.sink, g.position.version, g.server.asked)
				}
			})
		})
	}
}

// TestHalf kills the connection when half of 40,000 objects have come (C20): the half never counts as
// complete, and less than twice the list is sent in all.
func TestHalf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var half, whole strings.Builder
		for i := range 40000 {
			fmt.Fprintf(&whole, ".pod-%d@%d ", i, i+1)
			if i < 20000 {
				fmt.Fprintf(&half, "+pod-%d@%d ", i, i+1)
			}
		}
		ctx, cancel := context.WithCancel(t.Context())
		p := &relay{random: rand.New(rand.NewPCG(1, 0))}
		g := newRig(t, []string{"watch-list - → " + half.String() + "1s drop", "list - → " + whole.String() + "?50000", "watch 50000 → hang"}, func(o *Options[thing]) {
			p.server = o.Source.(*server)
			o.Source = p.source(ctx)
		})
		stop := g.start(t.Context())
		time.Sleep(500 * time.Millisecond)
		synctest.Wait()
		if s := g.State(); s.Synced || g.sink.len() != 20000 || g.State().Relists != 0 {
			t.Errorf("%+v, %d objects", s, g.sink.len())
		}
		time.Sleep(10 * time.Second)
		stop()
		cancel()
		p.running.Wait()
		if s := g.State(); !s.Synced || g.sink.len() != 40000 || s.Events >= 2*40000 || len(g.sink.deleted) != 0 {
			t.Errorf("%+v, %d objects", s, g.sink.len())
		}
	})
}
