//go:build !js

package relay

import (
	"context"
	"slices"
	"sync"
	"time"

	"watchglass/internal/wire"
)

// Limiter spreads the watches and lists of all tabs over time, so that an apiserver that restarts does
// not get all of them at once. Each apiserver has its own rate. While it accepts requests but answers
// none, as during its start, few are sent. Waiting users are served in turn, one request each.
type Limiter struct {
	mu      sync.Mutex
	servers map[string]*serverLimiter // by host
}

// limitRate is the maximum of watches and lists sent to an apiserver per second. limitBurst is the maximum
// sent at once, and sent without an answer. So a user who opens a page does not wait, and 200 tabs with
// ten watches each return within 6 s.
const (
	limitRate  = 300
	limitBurst = 160
	limitEvery = time.Second / limitRate
	// admissionLasts is how long an unanswered request counts. One hanging API of many must not block the
	// others. Watches, and all requests to a dead apiserver, fail earlier.
	admissionLasts = 6 * time.Second
)

// leastRate is the rate below which a slow apiserver does not bring it. An answer is slow after slowAnswer. The
// rate is adjusted every ratePeriod: it is halved if more answers were slow than prompt, and raised by
// rateStep if none was slow. After slowLasts without a reason to halve it, it is limitRate again.
const (
	leastRate  = 20
	rateStep   = 15
	slowAnswer = time.Second
	ratePeriod = time.Second / 2
	slowLasts  = 10 * time.Second
)

// NewLimiter returns a Limiter. A process needs one.
func NewLimiter() *Limiter { return &Limiter{servers: make(map[string]*serverLimiter)} }

// admission is a request that the limiter let pass, until it is answered.
type admission struct {
	server *serverLimiter
	sent   time.Time
	streak int
	late   *time.Timer // ends the admission of a slow request
	ended  bool
}

// wait waits until a request may be sent. It returns nil if the request is not limited. The caller must end
// the admission.
func (l *Limiter) wait(ctx context.Context, host, user string, r wire.Request) (*admission, error) {
	if l == nil || !limited(r) {
		return nil, nil
	}
	return l.server(host).wait(ctx, user)
}

// end ends the admission: the request was answered, with success or not, or it failed.
func (a *admission) end(answered bool) {
	if a == nil {
		return
	}
	s := a.server
	s.mu.Lock()
	defer s.mu.Unlock()
	a.late.Stop()
	now := time.Now()
	if s.unanswered == limitBurst && s.spent.Before(now) {
		s.spent = now // requests that waited for this continue at the rate
	}
	if !a.ended {
		s.paceLocked(now, now.Sub(a.sent) > slowAnswer, answered)
	}
	switch {
	case answered:
		s.streak, s.unanswered = s.streak+1, 0
	case a.streak == s.streak && !a.ended:
		s.unanswered--
	}
	a.ended = true
	s.scheduleLocked()
}

// server returns the limiter of one apiserver.
func (l *Limiter) server(host string) *serverLimiter {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.servers[host]
	if s == nil {
		s = &serverLimiter{users: make(map[string][]chan *admission), spent: time.Now().Add(-limitBurst * limitEvery), rate: limitRate}
		l.servers[host] = s
	}
	return s
}

// limited reports whether a request is limited: a watch, or a list of all objects. Requests that follow
// a watch, to check which server answers, are paced by the watches.
func limited(r wire.Request) bool {
	switch r.Verb {
	case wire.Watch:
		return true
	case wire.List:
		return r.Limit != 1 && r.Encoding != wire.EncodingMetadata
	}
	return false
}

// serverLimiter is the limiter of one apiserver.
type serverLimiter struct {
	mu    sync.Mutex
	spent time.Time // requests have used the rate up to this time; in the past if some may be sent at once
	// unanswered is the number of requests sent since the last answer that have neither failed nor been
	// answered. streak counts the answers.
	unanswered, streak int

	rate           int // requests a second
	prompt, slow   int // answers since looked, at which the rate was last looked at
	looked, slowed time.Time

	users   map[string][]chan *admission
	queue   []string // waiting users, the next first
	serving bool     // a timer is set
}

func (s *serverLimiter) wait(ctx context.Context, user string) (*admission, error) {
	s.mu.Lock()
	if len(s.queue) == 0 {
		if a := s.allowLocked(time.Now()); a != nil {
			s.mu.Unlock()
			return a, nil
		}
	}
	mine := make(chan *admission, 1)
	if len(s.users[user]) == 0 {
		s.queue = append(s.queue, user)
	}
	s.users[user] = append(s.users[user], mine)
	s.scheduleLocked()
	s.mu.Unlock()
	select {
	case a := <-mine:
		return a, nil
	case <-ctx.Done():
		s.leave(user, mine)
		return nil, context.Cause(ctx)
	}
}

// allowLocked lets a request pass, or returns nil if none may.
func (s *serverLimiter) allowLocked(now time.Time) *admission {
	if s.rate < limitRate && now.Sub(s.slowed) > slowLasts {
		s.rate = limitRate
	}
	every := s.every()
	if full := now.Add(-limitBurst * every); s.spent.Before(full) {
		s.spent = full
	}
	if s.unanswered >= limitBurst || s.spent.Add(every).After(now) {
		return nil
	}
	s.unanswered++
	s.spent = s.spent.Add(every)
	a := &admission{server: s, streak: s.streak, sent: now}
	a.late = time.AfterFunc(admissionLasts, func() { a.end(false) })
	return a
}

// scheduleLocked sets the timer for the next request, if one waits. If too many requests are unanswered,
// the end of one of them sets it.
func (s *serverLimiter) scheduleLocked() {
	if s.serving || len(s.queue) == 0 || s.unanswered >= limitBurst {
		return
	}
	s.serving = true
	time.AfterFunc(time.Until(s.spent.Add(s.every())), s.serve)
}

// every is the time between two requests.
func (s *serverLimiter) every() time.Duration { return time.Second / time.Duration(s.rate) }

// paceLocked counts a request that was answered, or that was slow to be, and sets the rate. A request that
// failed at once, such as a refused connection, says nothing about how fast the apiserver is.
func (s *serverLimiter) paceLocked(now time.Time, slow, answered bool) {
	switch {
	case slow:
		s.slow++
	case answered:
		s.prompt++
	default:
		return
	}
	if now.Sub(s.looked) < ratePeriod {
		return
	}
	switch {
	case s.slow > s.prompt:
		s.rate, s.slowed = max(s.rate/2, leastRate), now
	case s.slow == 0:
		s.rate = min(s.rate+rateStep, limitRate)
	}
	s.prompt, s.slow, s.looked = 0, 0, now
}

// serve lets the requests pass that are due.
func (s *serverLimiter) serve() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.serving = false
	for now := time.Now(); len(s.queue) > 0; {
		a := s.allowLocked(now)
		if a == nil {
			break
		}
		user := s.queue[0]
		s.queue = s.queue[1:]
		s.users[user][0] <- a
		if s.users[user] = s.users[user][1:]; len(s.users[user]) > 0 {
			s.queue = append(s.queue, user)
		} else {
			delete(s.users, user)
		}
	}
	s.scheduleLocked()
}

// leave removes a request whose tab no longer waits.
func (s *serverLimiter) leave(user string, mine chan *admission) {
	s.mu.Lock()
	at := slices.Index(s.users[user], mine)
	if at < 0 {
		s.mu.Unlock()
		(<-mine).end(false) // it was let pass just now
		return
	}
	defer s.mu.Unlock()
	if s.users[user] = slices.Delete(s.users[user], at, at+1); len(s.users[user]) == 0 {
		delete(s.users, user)
		s.queue = slices.DeleteFunc(s.queue, func(u string) bool { return u == user })
	}
}
