package socket

import (
	"context"
	"sync"
	"time"

	"watchglass/internal/wire"
)

// allowance paces the requests that count against the user's limit, so that this tab does not reach it: a request that
// is refused has to be made again, and costs the proxy as much. The proxy keeps the count, of all of the user's
// tabs, so the tab uses a little less than it may, and nothing that was left once the proxy refuses.
type allowance struct {
	mu    sync.Mutex
	each  time.Duration // between two requests; 0: there is no limit
	most  int           // at once
	spent time.Time     // what is allowed is used up to this time; in the past if some is left

	lists, others chan struct{} // holds one: the first of those that wait, who wait in turn
}

const (
	// paceShare is the share of the limit that the tab uses, in percent.
	paceShare = 90
	// listShare is the share of that which lists may use, in percent: a user may be waiting for the rest.
	listShare = 80
)

func newAllowance() allowance {
	return allowance{lists: make(chan struct{}, 1), others: make(chan struct{}, 1)}
}

// limit sets the limit to that of a welcome. What has been used stays used.
func (a *allowance) limit(w *wire.Welcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.each, a.most = 0, w.AtOnce*paceShare/100
	if w.Lists > 0 && a.most > 0 {
		a.each = time.Second * 100 / paceShare / time.Duration(w.Lists)
	}
}

// heed notes with what a request ended. If the proxy refused it, nothing is left.
func (a *allowance) heed(status *wire.Status) {
	if status == nil || status.Origin != wire.FromProxy || status.Code != 429 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if now := time.Now(); a.spent.Before(now) {
		a.spent = now
	}
}

// wait waits until a request may be made.
func (a *allowance) wait(ctx context.Context, r wire.Request) error {
	turn, share := a.others, 100
	if r.Verb == wire.Watch || r.Verb == wire.List && r.Limit != 1 {
		turn, share = a.lists, listShare
	}
	select {
	case turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-turn }()
	for {
		due := a.take(time.Now(), share)
		if due <= 0 {
			return nil
		}
		timer := time.NewTimer(due)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
	}
}

// take uses the allowance for one request, or returns the time until it may: a share of it is all that it may use.
func (a *allowance) take(now time.Time, share int) time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.each == 0 {
		return 0
	}
	if full := now.Add(-time.Duration(a.most) * a.each); a.spent.Before(full) {
		a.spent = full
	}
	rest := time.Duration(a.most*(100-share)/100) * a.each
	if due := a.spent.Add(a.each + rest).Sub(now); due > 0 {
		return due
	}
	a.spent = a.spent.Add(a.each)
	return 0
}
