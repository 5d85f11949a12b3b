//go:build !js

package relay

import (
	"context"
	"slices"
	"sync"
	"time"

	"watchglass/internal/wire"
)

// Turnstile spreads the watches and lists of all tabs over time, so that an apiserver that restarts does
// not get all of them at once. Each apiserver has its own rate. While it accepts requests but answers
// none, as during its start, few are sent. Waiting users take turns, one request each.
type Turnstile struct {
	mu      sync.Mutex
	servers map[string]*gate // by host
}

// turnRate is the maximum of watches and lists sent to an apiserver per second. turnBurst is the maximum
// sent at once, and sent without an answer. So a user who opens a page does not wait, and 200 tabs with
// ten watches each return within 6 s.
const (
	turnRate  = 300
	turnBurst = 160
	turnEvery = time.Second / turnRate
	// turnLasts is how long an unanswered request counts. One hanging API of many must not block the
	// others. Watches, and all requests to a dead apiserver, fail earlier.
	turnLasts = 6 * time.Second
)

// turnLeast is the rate below which a slow apiserver does not bring it. An answer is slow after turnSlow. The
// rate is looked at every turnLook: it is halved if more answers were slow than prompt, and raised by
// turnMore if none was slow. After turnForgets without a reason to halve it, it is turnRate again.
const (
	turnLeast   = 20
	turnMore    = 15
	turnSlow    = time.Second
	turnLook    = time.Second / 2
	turnForgets = 10 * time.Second
)

// NewTurnstile returns a Turnstile. A process needs one.
func NewTurnstile() *Turnstile { return &Turnstile{servers: make(map[string]*gate)} }

// turn is the turn of a request that was sent.
type turn struct {
	gate   *gate
	taken  time.Time
	streak int
	late   *time.Timer // ends the turn of a slow request
	ended  bool
}

// wait waits for the turn of a request. It returns nil if the request needs none. The caller must end the
// turn.
func (t *Turnstile) wait(ctx context.Context, host, user string, r wire.Request) (*turn, error) {
	if t == nil || !takesTurn(r) {
		return nil, nil
	}
	return t.of(host).wait(ctx, user)
}

// end ends the turn: the request was answered, with success or not, or it failed.
func (t *turn) end(answered bool) {
	if t == nil {
		return
	}
	g := t.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	t.late.Stop()
	now := time.Now()
	if g.unanswered == turnBurst && g.spent.Before(now) {
		g.spent = now // requests that waited for this continue at the rate
	}
	if !t.ended {
		g.paceLocked(now, now.Sub(t.taken) > turnSlow, answered)
	}
	switch {
	case answered:
		g.streak, g.unanswered = g.streak+1, 0
	case t.streak == g.streak && !t.ended:
		g.unanswered--
	}
	t.ended = true
	g.scheduleLocked()
}

func (t *Turnstile) of(host string) *gate {
	t.mu.Lock()
	defer t.mu.Unlock()
	g := t.servers[host]
	if g == nil {
		g = &gate{users: make(map[string][]chan *turn), spent: time.Now().Add(-turnBurst * turnEvery), rate: turnRate}
		t.servers[host] = g
	}
	return g
}

// takesTurn reports whether a request needs a turn: a watch, or a list of all objects. Requests that follow
// a watch, to check which server answers, are paced by the watches.
func takesTurn(r wire.Request) bool {
	switch r.Verb {
	case wire.Watch:
		return true
	case wire.List:
		return r.Limit != 1 && r.Encoding != wire.EncodingMetadata
	}
	return false
}

// gate is the turnstile of one apiserver.
type gate struct {
	mu    sync.Mutex
	spent time.Time // turns are given out up to this time; in the past if some are left
	// unanswered is the number of requests sent since the last answer that have neither failed nor been
	// answered. streak counts the answers.
	unanswered, streak int

	rate           int // turns a second
	prompt, slow   int // answers since looked, at which the rate was last looked at
	looked, slowed time.Time

	users   map[string][]chan *turn
	queue   []string // waiting users, the next first
	serving bool     // a timer is set
}

func (g *gate) wait(ctx context.Context, user string) (*turn, error) {
	g.mu.Lock()
	if len(g.queue) == 0 {
		if t := g.takeLocked(time.Now()); t != nil {
			g.mu.Unlock()
			return t, nil
		}
	}
	mine := make(chan *turn, 1)
	if len(g.users[user]) == 0 {
		g.queue = append(g.queue, user)
	}
	g.users[user] = append(g.users[user], mine)
	g.scheduleLocked()
	g.mu.Unlock()
	select {
	case t := <-mine:
		return t, nil
	case <-ctx.Done():
		g.leave(user, mine)
		return nil, context.Cause(ctx)
	}
}

// takeLocked takes a turn, or returns nil if there is none.
func (g *gate) takeLocked(now time.Time) *turn {
	if g.rate < turnRate && now.Sub(g.slowed) > turnForgets {
		g.rate = turnRate
	}
	every := g.every()
	if full := now.Add(-turnBurst * every); g.spent.Before(full) {
		g.spent = full
	}
	if g.unanswered >= turnBurst || g.spent.Add(every).After(now) {
		return nil
	}
	g.unanswered++
	g.spent = g.spent.Add(every)
	t := &turn{gate: g, streak: g.streak, taken: now}
	t.late = time.AfterFunc(turnLasts, func() { t.end(false) })
	return t
}

// scheduleLocked sets the timer for the next turn, if a user waits. If too many requests are unanswered,
// the end of one of them sets it.
func (g *gate) scheduleLocked() {
	if g.serving || len(g.queue) == 0 || g.unanswered >= turnBurst {
		return
	}
	g.serving = true
	time.AfterFunc(time.Until(g.spent.Add(g.every())), g.serve)
}

// every is the time between two turns.
func (g *gate) every() time.Duration { return time.Second / time.Duration(g.rate) }

// paceLocked counts a request that was answered, or that was slow to be, and sets the rate. A request that
// failed at once, such as a refused connection, says nothing about how fast the apiserver is.
func (g *gate) paceLocked(now time.Time, slow, answered bool) {
	switch {
	case slow:
		g.slow++
	case answered:
		g.prompt++
	default:
		return
	}
	if now.Sub(g.looked) < turnLook {
		return
	}
	switch {
	case g.slow > g.prompt:
		g.rate, g.slowed = max(g.rate/2, turnLeast), now
	case g.slow == 0:
		g.rate = min(g.rate+turnMore, turnRate)
	}
	g.prompt, g.slow, g.looked = 0, 0, now
}

// serve gives out due turns.
func (g *gate) serve() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.serving = false
	for now := time.Now(); len(g.queue) > 0; {
		t := g.takeLocked(now)
		if t == nil {
			break
		}
		user := g.queue[0]
		g.queue = g.queue[1:]
		g.users[user][0] <- t
		if g.users[user] = g.users[user][1:]; len(g.users[user]) > 0 {
			g.queue = append(g.queue, user)
		} else {
			delete(g.users, user)
		}
	}
	g.scheduleLocked()
}

// leave removes a request whose tab no longer waits.
func (g *gate) leave(user string, mine chan *turn) {
	g.mu.Lock()
	at := slices.Index(g.users[user], mine)
	if at < 0 {
		g.mu.Unlock()
		(<-mine).end(false) // the turn was given out just now
		return
	}
	defer g.mu.Unlock()
	if g.users[user] = slices.Delete(g.users[user], at, at+1); len(g.users[user]) == 0 {
		delete(g.users, user)
		g.queue = slices.DeleteFunc(g.queue, func(u string) bool { return u == user })
	}
}
