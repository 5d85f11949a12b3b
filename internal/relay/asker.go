//go:build !js

package relay

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"sync"
	"time"

	"watchglass/internal/wire"
)

// How long the head of an answer may take. The apiserver answers a watch at once, or keeps it in a
// queue for 15 s while it is busy, and anything else within its own limit of a minute. The answer to a watch of wire.ShortWatch may come with
// its end. A followed log has no head before its container has written something, so it counts
// as open if it was not refused within silentOpens and the apiserver gives signs of life. The
// body has no limit, since a watch may be quiet for long.
const (
	watchAnswersWithin  = 5 * time.Second
	busyAnswersWithin   = 20 * time.Second
	reviewAnswersWithin = 30 * time.Second
	answersWithin       = 70 * time.Second
	logAnswersWithin    = time.Duration(math.MaxInt64)
	silentOpens         = time.Second
)

// asker is what it takes to send a request.
type asker struct {
	Upstream
	places   *Places
	answered func(code int, asked time.Time) // is called with the head of the answer
}

// roundTrip waits for the head of the answer.
func (a asker) roundTrip(r wire.Request, req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithCancelCause(req.Context())
	asked := time.Now()
	var first sync.Once // the answer, or that it is late
	late := func() { first.Do(func() { cancel(a.unanswered(r, asked)) }) }
	timers := []*time.Timer{time.AfterFunc(mostWait(r), late)}
	if r.Verb == wire.Watch && lasts(r) > wire.ShortWatch {
		timers = append(timers, time.AfterFunc(watchAnswersWithin, func() {
			if !a.places.busy(req.URL.Host) { // which it may not have been known to be before
				late()
			}
		}))
	}
	resp, err := a.Transport.RoundTrip(req.WithContext(ctx))
	for _, timer := range timers {
		timer.Stop()
	}
	if err != nil {
		a.answered(0, asked)
		err = errors.Join(err, context.Cause(ctx))
		cancel(nil)
		return nil, err
	}
	a.answered(resp.StatusCode, asked)
	inTime := false
	if first.Do(func() { inTime = true }); !inTime {
		resp.Body.Close()
		return nil, context.Cause(ctx)
	}
	resp.Body = &cancelBody{resp.Body, cancel}
	return resp, nil
}

// mostWait returns how long the head of an answer may take at most.
func mostWait(r wire.Request) time.Duration {
	switch {
	case r.Verb == wire.Watch && lasts(r) <= wire.ShortWatch:
		return watchAnswersWithin + lasts(r)
	case r.Verb == wire.Watch:
		return busyAnswersWithin
	case r.Verb == wire.Review:
		return reviewAnswersWithin
	case r.Follows():
		return logAnswersWithin
	}
	return answersWithin
}

// unanswered returns why a request that was sent at a time has no answer. If the apiserver was
// heard since, only the watch does not come through.
func (a asker) unanswered(r wire.Request, asked time.Time) error {
	if r.Verb != wire.Watch || a.Heard == nil || !a.Heard().After(asked) {
		return context.DeadlineExceeded
	}
	return &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnanswered, Message: "the apiserver responds, but this watch was not answered in time"}
}

// cancelBody ends the request when its body is closed.
type cancelBody struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

func (b *cancelBody) Close() error {
	defer b.cancel(nil)
	return b.ReadCloser.Close()
}
