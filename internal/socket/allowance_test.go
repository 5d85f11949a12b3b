package socket

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"watchglass/internal/wire"
	"watchglass/internal/wire/wiretest"
)

// answers are when requests were accepted, by resource, and how many were refused.
type answers struct {
	mu       sync.Mutex
	accepted map[string]time.Time
	refused  int
}

func (a *answers) at(resource string) time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.accepted[resource]
}

func (a *answers) count() (accepted, refused int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.accepted), a.refused
}

// answer answers a request as a proxy with a limit does.
func (a *answers) answer(f wire.Frame, user *rate.Limiter) []byte {
	var r wire.Request
	_ = f.JSON(&r)
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.Counts() && !user.Allow() {
		a.refused++
		return wire.JSONFrame(wire.KindEnd, f.Stream, wire.End{Status: &wire.Status{Origin: wire.FromProxy, Code: 429, Reason: wire.ReasonTooManyRequests, RetryAfter: 1}})
	}
	a.accepted[r.Resource] = time.Now()
	return wire.JSONFrame(wire.KindOpened, f.Stream, wire.Opened{})
}

// limited answers the requests on a connection.
func (p *proxy) limited(conn *wiretest.Conn, user *rate.Limiter) *answers {
	a := &answers{accepted: make(map[string]time.Time)}
	go func() {
		for {
			msg, err := conn.Read(p.t.Context())
			if err != nil {
				return
			}
			f, err := wire.ParseFrame(msg)
			if err != nil || f.Kind == wire.KindOpen && conn.Write(p.t.Context(), a.answer(f, user)) != nil {
				return
			}
		}
	}()
	return a
}

// TestPaced opens twice as many lists as the user may request at once. None is refused, all are opened about as soon as
// the limit allows, and an object that is opened meanwhile does not wait for them.
func TestPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		c := p.run()
		conn := p.accept(wire.Welcome{Lists: 20, AtOnce: 201})
		answers := p.limited(conn, rate.NewLimiter(20, 201))
		began := time.Now()
		const lists = 400
		for i := range lists {
			r := wire.InitialWatch("", "v1", fmt.Sprintf("kind%d", i), "")
			go func() { _, _ = c.Open(t.Context(), r) }()
		}
		time.Sleep(time.Second)
		for i := range 30 {
			r := wire.Request{Verb: wire.Get, Version: "v1", Resource: fmt.Sprintf("one%d", i), Name: "x"}
			go func() { _, _ = c.Open(t.Context(), r) }()
		}
		follow := wire.Request{Verb: wire.Watch, Version: "v1", Resource: "pods", ListOptions: wire.ListOptions{ResourceVersion: "5"}}
		go func() { _, _ = c.Open(t.Context(), follow) }()
		synctest.Wait()
		for _, one := range []string{"one0", "one29", "pods"} {
			if at := answers.at(one); at.Sub(began) != time.Second {
				t.Errorf("%s waited until %v", one, at.Sub(began))
			}
		}
		time.Sleep((lists + 30 - 180 + 36) * time.Second / 18)
		synctest.Wait()
		if accepted, refused := answers.count(); accepted != lists+31 || refused > 0 {
			t.Errorf("%d accepted, %d refused", accepted, refused)
		}
	})
}

// TestPacedByOthers uses nothing for a while once the proxy refuses: other tabs of the user have used it.
func TestPacedByOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newProxy(t)
		c := p.run()
		conn := p.accept(wire.Welcome{Lists: 20, AtOnce: 201})
		user := rate.NewLimiter(20, 201)
		user.AllowN(time.Now(), 201)
		answers := p.limited(conn, user)
		if _, err := c.Open(t.Context(), wire.InitialWatch("", "v1", "first", "")); err == nil {
			t.Error("not refused")
		}
		for i := range 40 {
			r := wire.InitialWatch("", "v1", fmt.Sprintf("kind%d", i), "")
			go func() { _, _ = c.Open(t.Context(), r) }()
		}
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if accepted, refused := answers.count(); accepted != 40 || refused != 1 {
			t.Errorf("%d accepted, %d refused", accepted, refused)
		}
	})
}

// TestUnpaced does not wait where there is no limit, or where the early stream is what is requested.
func TestUnpaced(t *testing.T) {
	for name, w := range map[string]wire.Welcome{"no limit": {}, "early": {Lists: 1, AtOnce: 1}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newProxy(t)
				c := p.run()
				r := wire.InitialWatch("", "v1", "pods", "")
				w.EarlyRequest = &r
				conn := p.accept(w)
				began := time.Now()
				p.write(conn, wire.JSONFrame(wire.KindOpened, wire.EarlyStream, wire.Opened{}))
				if _, err := c.Open(t.Context(), r); err != nil || !time.Now().Equal(began) {
					t.Errorf("%v after %v", err, time.Since(began))
				}
				if name == "no limit" {
					for range 100 {
						p.opened(c, conn, r)
					}
				}
				if !time.Now().Equal(began) {
					t.Errorf("waited for %v", time.Since(began))
				}
			})
		})
	}
}
