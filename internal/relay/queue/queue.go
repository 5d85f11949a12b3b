//go:build !js

package queue

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"
)

// Bounds are how many lists may be in flight at one apiserver. The bound begins at First. It rises
// to Most while lists become complete and others wait, and falls to Least while the apiserver
// is slow or refuses. A user holds Each at most, and half of the bound; a smaller bound lets everybody
// hold one.
type Bounds struct {
	First, Least, Most, Each int
}

const (
	// waitMost is how many lists of one user may wait.
	waitMost = 512
	// waitAll is how many may wait in all. Beyond that, a user may have waitFew: what waits takes memory.
	waitAll, waitFew = 4096, 32
)

// slow is the time to an answer after which an apiserver is busy: the request has waited in its own queue.
const slow = time.Second

// busyFor is how long an apiserver counts as busy after a slow answer or a refusal.
const busyFor = time.Minute

// ErrFull refuses a list because too many of the same user wait.
var ErrFull = errors.New("too many lists are waiting")

// Queue gives places to lists. Users take turns, one list each, and the lists of a user are served in order.
type Queue struct {
	bounds Bounds

	mu    sync.Mutex
	lines map[string]*line // by apiserver
}

// New returns a Queue. A process needs one for each class of requests.
func New(b Bounds) *Queue { return &Queue{bounds: b, lines: make(map[string]*line)} }

// line is the queue of one apiserver.
type line struct {
	bounds Bounds

	mu      sync.Mutex
	limit   float64  // of places
	steady  float64  // the limit from which it rises slowly: at this one the apiserver was busy
	taken   int      // places, but for those that are parked
	parked  []*Place // that their readers can end, the one parked longest first
	held    map[string]int
	waiting map[string][]*Place
	queued  int      // the sum of those that wait
	users   []string // who wait, the next first
	lowered time.Time
	slowed  time.Time // when an answer was last slow or a refusal
}

// Place is the place of one list, first in the queue and then in flight. A nil Place is always free.
type Place struct {
	line   *line
	user   string
	turn   chan struct{} // closed when it is its turn
	since  time.Time     // when that was
	parked bool
	end    func() // ends the list while it is parked; nil: it is not ended
	left   bool
}

// Join puts a list of a user at the end of the queue. The caller has to call Leave.
func (q *Queue) Join(server, user string) (*Place, error) {
	if q == nil {
		return nil, nil
	}
	l := q.of(server)
	l.mu.Lock()
	defer l.mu.Unlock()
	mine := l.waiting[user]
	if len(mine) >= waitMost || len(mine) >= waitFew && l.queued >= waitAll {
		return nil, ErrFull
	}
	p := &Place{line: l, user: user, turn: make(chan struct{})}
	if len(mine) == 0 {
		l.users = append(l.users, user)
	}
	l.waiting[user] = append(mine, p)
	l.queued++
	l.serveLocked()
	return p, nil
}

// Busy reports whether an apiserver has lately been slow to answer, or has refused because it was busy.
func (q *Queue) Busy(server string) bool {
	if q == nil {
		return false
	}
	l := q.of(server)
	l.mu.Lock()
	defer l.mu.Unlock()
	return !l.slowed.IsZero() && time.Since(l.slowed) < busyFor
}

// Waiting returns how many lists wait, at all apiservers.
func (q *Queue) Waiting() (n int) {
	return q.sum(func(l *line) int { return l.queued })
}

// InFlight returns how many lists are in flight, at all apiservers.
func (q *Queue) InFlight() (n int) {
	return q.sum(func(l *line) int {
		n := 0
		for _, held := range l.held {
			n += held
		}
		return n
	})
}

func (q *Queue) sum(of func(l *line) int) (n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, l := range q.lines {
		l.mu.Lock()
		n += of(l)
		l.mu.Unlock()
	}
	return n
}

func (q *Queue) of(server string) *line {
	q.mu.Lock()
	defer q.mu.Unlock()
	l := q.lines[server]
	if l == nil {
		l = &line{bounds: q.bounds, limit: float64(q.bounds.First), steady: float64(q.bounds.Most), held: make(map[string]int), waiting: make(map[string][]*Place)}
		q.lines[server] = l
	}
	return l
}

// Wait waits until it is the list's turn. After an error the place is left.
func (p *Place) Wait(ctx context.Context) error {
	if p == nil {
		return nil
	}
	select {
	case <-p.turn:
		return nil
	case <-ctx.Done():
		p.Leave(false)
		return context.Cause(ctx)
	}
}

// Ahead returns how many lists have their turn before this one, and whether it still waits.
func (p *Place) Ahead() (n int, waits bool) {
	if p == nil {
		return 0, false
	}
	l := p.line
	l.mu.Lock()
	defer l.mu.Unlock()
	mine := slices.Index(l.waiting[p.user], p)
	if mine < 0 {
		return 0, false
	}
	n, turns := mine, mine+1 // of the users whose turn is before this user's
	for _, user := range l.users {
		if user == p.user {
			turns = mine
			continue
		}
		n += min(len(l.waiting[user]), turns)
	}
	return n, true
}

// Crowded reports whether lists of other users wait for their turn while this one is in flight.
func (p *Place) Crowded() bool {
	if p == nil {
		return false
	}
	l := p.line
	l.mu.Lock()
	defer l.mu.Unlock()
	return !p.left && slices.ContainsFunc(l.users, func(user string) bool { return user != p.user })
}

// Answered notes that the apiserver has answered after a time, and whether it refused because it is busy.
func (p *Place) Answered(after time.Duration, refused bool) {
	if p == nil {
		return
	}
	p.line.mu.Lock()
	defer p.line.mu.Unlock()
	if refused || after > slow {
		p.line.lowerLocked(p, p.line.limit/2)
	}
}

// Unanswered notes that the apiserver has not answered within the time that it has. The next lists find out whether it
// answers again, and if it does, the bound soon is what it was.
func (p *Place) Unanswered() {
	if p == nil {
		return
	}
	p.line.mu.Lock()
	defer p.line.mu.Unlock()
	p.line.lowerLocked(p, 0)
}

// Park gives up the place while the list waits for its reader. It still counts against its user, and keeps seats of the
// apiserver. So no more lists are parked than may be in flight: beyond that, end is called for the one parked longest by
// the user who parks most. Lists without end are not counted.
func (p *Place) Park(end func()) {
	if p == nil {
		return
	}
	for _, end := range p.park(end) {
		end() // without the lock: it may call Leave
	}
}

func (p *Place) park(end func()) (over []func()) {
	l := p.line
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.left || p.parked {
		return nil
	}
	p.parked, p.end = true, end
	l.taken--
	if end != nil {
		l.parked = append(l.parked, p)
	}
	for len(l.parked) > int(l.limit) {
		over = append(over, l.unparkedLocked(l.idlestLocked()).end)
	}
	l.serveLocked()
	return over
}

// Unpark takes the place again, even if all are taken.
func (p *Place) Unpark() {
	if p == nil {
		return
	}
	l := p.line
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.left || !p.parked {
		return
	}
	p.parked = false
	l.taken++
	l.unparkedLocked(p)
	l.serveLocked()
}

// idlestLocked returns the list that was parked first by the user who has parked most.
func (l *line) idlestLocked() (idlest *Place) {
	of, most := make(map[string]int), 0
	for _, p := range l.parked {
		of[p.user]++
		most = max(most, of[p.user])
	}
	at := slices.IndexFunc(l.parked, func(p *Place) bool { return of[p.user] == most })
	return l.parked[at]
}

// unparkedLocked removes a list from those that are parked.
func (l *line) unparkedLocked(p *Place) *Place {
	l.parked = slices.DeleteFunc(l.parked, func(other *Place) bool { return other == p })
	return p
}

// Leave ends the use of the place, or the wait for it. A list that is complete lets the bound rise. It may be called
// more than once.
func (p *Place) Leave(complete bool) {
	if p == nil {
		return
	}
	l := p.line
	l.mu.Lock()
	defer l.mu.Unlock()
	if p.left {
		return
	}
	p.left = true
	if at := slices.Index(l.waiting[p.user], p); at >= 0 {
		l.removeLocked(p.user, at)
		return
	}
	if !p.parked {
		l.taken--
	}
	l.unparkedLocked(p)
	if l.held[p.user]--; l.held[p.user] == 0 {
		delete(l.held, p.user)
	}
	if complete && len(l.users) > 0 && p.since.After(l.lowered) {
		l.raise()
	}
	l.serveLocked()
}

// removeLocked removes a list that waits.
func (l *line) removeLocked(user string, at int) {
	l.queued--
	left := slices.Delete(l.waiting[user], at, at+1)
	if l.waiting[user] = left; len(left) == 0 {
		delete(l.waiting, user)
		l.users = slices.DeleteFunc(l.users, func(u string) bool { return u == user })
	}
}

// raise raises the limit: by one for each list, and from the steady limit on by one for as many lists as there
// are places.
func (l *line) raise() {
	by := 1.0
	if l.limit >= l.steady {
		by = 1 / l.limit
	}
	l.limit = min(l.limit+by, float64(l.bounds.Most))
}

// lowerLocked lowers the limit, once for all lists that were in flight at the time.
func (l *line) lowerLocked(p *Place, to float64) {
	now := time.Now()
	l.slowed = now
	if !p.since.After(l.lowered) {
		return
	}
	l.lowered = now
	l.steady = max(l.limit/2, float64(l.bounds.Least))
	l.limit = max(to, float64(l.bounds.Least))
}

// serveLocked gives places to those whose turn it is. It passes over users who hold as many as they may.
func (l *line) serveLocked() {
	limit := int(l.limit)
	each := max(min(l.bounds.Each, limit/2), 1)
	for i := 0; i < len(l.users) && l.taken < limit; {
		user := l.users[i]
		if l.held[user] >= each {
			i++
			continue
		}
		p := l.waiting[user][0]
		l.removeLocked(user, 0)
		if len(l.waiting[user]) > 0 { // the user's next list waits behind everybody's first
			l.users = append(slices.DeleteFunc(l.users, func(u string) bool { return u == user }), user)
		}
		l.held[user]++
		l.taken++
		p.since = time.Now()
		close(p.turn)
	}
}
