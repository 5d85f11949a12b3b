//go:build !js

package relay

import (
	"context"
	"sync"

	"watchglass/internal/relay/queue"
	"watchglass/internal/wire"
)

// Places bounds what the tabs of all users have in flight at each apiserver: lists, comparisons and reviews, each
// apart from the others. What is live needs no place, and neither does a sign-in. A nil Places bounds nothing.
type Places struct {
	lists, comparisons *queue.Queue
	asked, confirming  reviewPool // by tabs, and by the relay itself
}

var (
	// listBounds are for lists and initial watches. Eight are as many as a page has use for, and an apiserver with
	// Kubernetes' default limits still has seats for others if nobody reads them.
	listBounds = queue.Bounds{First: 16, Least: 4, Most: 32, Each: 8}
	// comparisonBounds are for comparisons of a store with the server. All sources are due for one after an outage.
	comparisonBounds = queue.Bounds{First: 2, Least: 1, Most: 2, Each: 1}
)

// NewPlaces returns the Places of a process.
func NewPlaces() *Places {
	return &Places{
		lists: queue.New(listBounds), comparisons: queue.New(comparisonBounds),
		asked:      reviewPool{most: askedMost, servers: make(map[string]*fair)},
		confirming: reviewPool{most: confirmingMost, servers: make(map[string]*fair)},
	}
}

// Waiting returns how many lists wait for their turn.
func (p *Places) Waiting() float64 { return float64(p.lists.Waiting() + p.comparisons.Waiting()) }

// InFlight returns how many lists are in flight.
func (p *Places) InFlight() float64 { return float64(p.lists.InFlight() + p.comparisons.InFlight()) }

// queueOf returns the queue in which a request has to wait, or nil if it needs no place.
func (p *Places) queueOf(r wire.Request) *queue.Queue {
	switch {
	case p == nil:
		return nil
	case r.Verb == wire.List && r.Encoding == wire.EncodingMetadata:
		return p.comparisons
	case limited(r) && r.Counts():
		return p.lists
	}
	return nil
}

// busy reports whether an apiserver keeps requests waiting that it will answer.
func (p *Places) busy(server string) bool { return p != nil && p.lists.Busy(server) }

// reviewBounds is how many reviews are in flight at an apiserver, and how many of them may be one user's: an authorizer may hang
// for some users only.
type reviewBounds struct{ most, each int }

var (
	askedMost      = reviewBounds{16, 4}
	confirmingMost = reviewBounds{32, reviewsAtOnce}
)

// reviewPool bounds the reviews in flight at each apiserver.
type reviewPool struct {
	most reviewBounds

	mu      sync.Mutex
	servers map[string]*fair
}

// acquire waits until a user may send a review. The caller has to call the function that it returns.
func (r *reviewPool) acquire(ctx context.Context, server, user string) (release func(), err error) {
	r.mu.Lock()
	f := r.servers[server]
	if f == nil {
		f = newFair(r.most.most)
		f.each = r.most.each
		r.servers[server] = f
	}
	r.mu.Unlock()
	if err := f.acquire(ctx, user, 1, 0); err != nil {
		return nil, err
	}
	return func() { f.release(user, 1) }, nil
}

// ask waits until a tab may send a review.
func (p *Places) ask(ctx context.Context, server, user string) (release func(), err error) {
	if p == nil {
		return func() {}, nil
	}
	return p.asked.acquire(ctx, server, user)
}

// confirm waits until the relay may ask whether a user still has a right.
func (p *Places) confirm(ctx context.Context, server, user string) (release func(), err error) {
	if p == nil {
		return func() {}, nil
	}
	return p.confirming.acquire(ctx, server, user)
}
