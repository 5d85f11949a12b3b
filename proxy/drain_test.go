//go:build !js

//lint:file-ignore SA1019 as in socket.go

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"nhooyr.io/websocket"

	"watchglass/internal/edge/edgetest"
	"watchglass/internal/socket"
	"watchglass/internal/wire"
)

// balanced dials the first of several proxies that accepts a connection, as a load balancer does.
func balanced(rigs ...*rig) func(context.Context) (socket.Connection, error) {
	return func(ctx context.Context) (socket.Connection, error) {
		for _, r := range rigs {
			as, err := r.signIn(ctx, http.DefaultClient)
			if err != nil {
				continue
			}
			conn, err := r.dial(ctx, http.DefaultClient, as)
			if err == nil {
				return socket.Connection{Conn: tabConn{wsConn{Conn: conn}}, Greeted: true}, nil
			}
		}
		return socket.Connection{}, fmt.Errorf("nobody is there")
	}
}

// tabConn is the socket of a tab.
type tabConn struct{ wsConn }

func (c tabConn) Close() error { return c.CloseNow() }

// follow watches as a reflector does: it reopens a stream that ends at the last version. It
// reports each version, and how often it resumed.
func follow(ctx context.Context, c *socket.Client, seen func(version, resumed int)) error {
	version := 1 // of a list; a watch from no version would have to wait for a place
	for resumed := 0; ; resumed++ {
		request := wire.Request{Verb: wire.Watch, Version: "v1", Resource: "pods"}
		request.ResourceVersion = fmt.Sprint(version)
		s, err := c.Open(ctx, request)
		for err == nil {
			var b wire.Batch
			if b, err = s.Next(ctx); err != nil {
				break
			}
			for _, e := range b.Events {
				next, err := versionOf(e.Payload)
				if err != nil || next != version+1 {
					return fmt.Errorf("after %d comes %d: %v", version, next, err)
				}
				version = next
				seen(version, resumed)
			}
			s.Credit(b.Bytes)
		}
		if ctx.Err() != nil {
			return nil
		}
		if status := wire.StatusOf(err); status == nil || !status.Transient() {
			return err
		}
	}
}

func versionOf(pod []byte) (version int, err error) {
	var p struct {
		Metadata struct {
			ResourceVersion string `json:"resourceVersion"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(pod, &p); err != nil {
		return 0, err
	}
	_, err = fmt.Sscan(p.Metadata.ResourceVersion, &version)
	return version, err
}

// TestDrainServed drains one of two proxies while tabs watch. Every tab moves to the other without
// losing or repeating an event. A tab that does not read delays nobody.
func TestDrainServed(t *testing.T) {
	const tabs, drain = 20, 2 * time.Second
	log := new(lockedBuffer)
	within := drain
	first := newRig(t, func(s *server) {
		s.options.drain = &within
		s.log = s.options.logger(log)
	})
	second := newRig(t, nil)
	frozen := first.tab(t)
	frozen.watch("pods") // and reads no more

	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer func() { cancel(); running.Wait() }()
	var watching, moved atomic.Int32
	for range tabs {
		c := socket.New(socket.Options{Dial: balanced(first, second)})
		running.Go(func() { _ = c.Run(ctx) })
		running.Go(func() {
			at := -1
			err := follow(ctx, c, func(_, resumed int) {
				if resumed == at {
					return
				}
				if at = resumed; at == 0 {
					watching.Add(1)
				} else {
					moved.Add(1)
				}
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	first.eventually(t, func() bool { return watching.Load() == tabs })

	began := time.Now()
	first.stop()
	first.eventually(t, func() bool { return first.s.condition.Load() == draining })
	if moved.Load() > 0 {
		t.Error("tabs leave before a balancer can notice")
	}
	resp, err := http.Get(first.address + "/-/readyz")
	if err != nil {
		t.Fatal("new connections are refused at once: ", err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusServiceUnavailable {
		t.Error(resp.Status)
	}
	first.wait()
	if took := time.Since(began); took > drain+busy || took < drain/noticePart {
		t.Errorf("it took %v", took)
	}
	first.eventually(t, func() bool { return moved.Load() == tabs })
	if !strings.Contains(log.String(), "draining tabs") {
		t.Error(log.String())
	}
}

// busy is a margin for a busy machine.
const busy = 10 * time.Second

// TestStopAtOnce checks that local mode stops without delay. Tabs get the close code, and a tab
// that does not read is disconnected.
func TestStopAtOnce(t *testing.T) {
	r := newRig(t, nil)
	tb := r.tab(t)
	tb.watch("pods")
	began := time.Now()
	r.stop()
	var err error
	for err == nil {
		_, _, err = tb.conn.Read(t.Context())
	}
	if websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Error(err)
	}
	r.wait()
	if took := time.Since(began); took > busy {
		t.Errorf("it took %v", took)
	}
}

// endless answers with a watch that never stops sending events.
type endless struct{}

func (endless) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: endlessBody{r.Context()}, Request: r}, nil
}

type endlessBody struct{ ctx context.Context }

func (b endlessBody) Read(p []byte) (int, error) {
	return copy(p, `{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1"}}`+"\n"), b.ctx.Err()
}

func (endlessBody) Close() error { return nil }

// TestStopFrozen checks that a tab that reads nothing delays stopping for at most the time of the
// drain, or a second without a drain.
func TestStopFrozen(t *testing.T) {
	for drain, most := range map[time.Duration]time.Duration{0: closeMost, time.Second: time.Second} {
		p, token := inMemory(t, func(s *server) {
			s.options.drain = &drain
			s.contexts.start.Transport = endless{}
		})
		client := &http.Client{Transport: &http.Transport{DialContext: p.dial, DisableKeepAlives: true}}
		r := &rig{address: "http://127.0.0.1:7117", token: token, key: edgetest.NewKey()}
		as, err := r.signIn(t.Context(), client)
		if err != nil {
			t.Fatal(err)
		}
		conn, err := r.dial(t.Context(), client, as) // nothing between the ends holds a byte
		if err != nil {
			t.Fatal(err)
		}
		defer conn.CloseNow()
		frozen := &browserTab{t, conn, ""}
		frozen.until(wire.KindWelcome, 0)
		frozen.watch("pods")
		began := time.Now()
		p.stop()
		p.wait()
		if took := time.Since(began); took > most+busy {
			t.Errorf("a drain of %v took %v", drain, took)
		}
	}
}

// TestDrainEmpty checks that a proxy without tabs stops after the time for load balancers to
// notice.
func TestDrainEmpty(t *testing.T) {
	within := 400 * time.Millisecond
	r := newRig(t, func(s *server) { s.options.drain = &within })
	r.eventually(t, func() bool { return r.s.condition.Load() == ready })
	began := time.Now()
	r.stop()
	r.wait()
	if took := time.Since(began); took < within/noticePart || took > within+busy {
		t.Errorf("it took %v", took)
	}
}

// TestTabsShut checks that no sockets are accepted after shut.
func TestTabsShut(t *testing.T) {
	var tabs tabs
	for range 2 {
		if !tabs.enter() {
			t.Fatal("nobody comes in")
		}
	}
	gone := tabs.shut()
	if tabs.enter() {
		t.Error("one comes in")
	}
	tabs.exit()
	select {
	case <-gone:
		t.Error("one is there still")
	default:
	}
	tabs.exit()
	<-gone
}
