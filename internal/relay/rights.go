//go:build !js

package relay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/fields"

	"watchglass/internal/wire"
)

// The apiserver checks the right to watch only when the watch begins, and the right to a log
// likewise. A user who loses the right would go on reading. So the relay asks again and again.

// errUnconfirmed ends a watch or a log whose right the apiserver does not confirm. While it answers nothing, they are
// paused instead; see permit.
var errUnconfirmed = errors.New("the user's permission could not be confirmed")

// unconfirmed returns the status with which such a stream ends. A watch ends without one, like
// every watch: the tab opens the next and hears the apiserver's own refusal. A log's plain end
// would mean that the container ended, so the tab is told to request it again.
func unconfirmed(r wire.Request) *wire.Status {
	if r.Verb != wire.Log {
		return nil
	}
	return &wire.Status{Origin: wire.FromProxy, Reason: wire.ReasonUnreachable, Message: "your permission to read this log could not be confirmed"}
}

const (
	// reviewsAtOnce is how many reviews of a round run at once. reviewWithin is how long they may take; more take as
	// often as long.
	reviewWithin  = 5 * time.Second
	reviewsAtOnce = 16
	// A review without an answer is repeated after reviewAgain, and then after twice that each time.
	reviewAgain = time.Second
)

// checkRights checks the rights of the session's watches and logs until it ends. A round and
// the time before it take RevokeWithin at most.
func (s *session) checkRights() {
	again, share := time.Duration(0), early()
	for {
		within := s.roundLasts()
		every := s.options.RevokeWithin - within
		step := every / 8
		timer := time.NewTimer(max(step/2+rand.N(step/2+1), again))
		select {
		case <-s.ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		now := time.Now()
		age := time.Duration(share * float64(every-step))
		if oldest := s.oldestRight(); oldest.IsZero() || now.Sub(oldest) < age {
			continue
		}
		if s.round(within, now.Add(-age/2)) {
			again, share = 0, early()
			continue
		}
		again = min(max(2*again, reviewAgain), every)
	}
}

// early is the share of its time after which a right is checked, so that a thousand tabs do not ask at once.
func early() float64 { return .75 + rand.Float64()/4 }

// roundLasts returns how long a round may take.
func (s *session) roundLasts() time.Duration {
	batches := 1 + max(len(s.byRight(time.Now()))-1, 0)/reviewsAtOnce
	return min(time.Duration(batches)*reviewWithin, s.options.RevokeWithin/2)
}

// oldestRight returns when the right was confirmed that was confirmed first; zero if there is none.
func (s *session) oldestRight() (oldest time.Time) {
	for _, streams := range s.byRight(time.Now()) {
		for _, st := range streams {
			if at := st.right.confirmed(); oldest.IsZero() || at.Before(oldest) {
				oldest = at
			}
		}
	}
	return oldest
}

// round checks the rights to watches and logs that were not confirmed since a time, and ends those that the
// apiserver denies. It reports whether all reviews were answered.
func (s *session) round(within time.Duration, since time.Time) bool {
	ctx, cancel := context.WithTimeout(s.ctx, within)
	defer cancel()
	var asking sync.WaitGroup
	var open atomic.Int32
	running := make(chan struct{}, reviewsAtOnce)
	for access, streams := range s.byRight(since) {
		asking.Go(func() {
			running <- struct{}{} // does not block forever: reviews end with the round
			defer func() { <-running }()
			asked := time.Now()
			switch s.may(ctx, access) {
			case allowed:
				confirm(streams, asked)
			case denied:
				for _, st := range streams {
					st.cancel(errUnconfirmed)
				}
			case unknown:
				open.Add(1)
			}
		})
	}
	asking.Wait()
	return open.Load() == 0
}

func confirm(streams []*stream, asked time.Time) {
	for _, st := range streams {
		st.right.confirm(asked)
	}
}

// byRight returns the open watches and logs that were not confirmed since a time, by the right that they need. The
// apiserver has not yet decided about those that it has not answered.
func (s *session) byRight(since time.Time) map[wire.Access][]*stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[wire.Access][]*stream)
	for _, st := range s.streams {
		at := st.right.confirmed()
		if a, ok := needed(st.request); ok && !at.IsZero() && at.Before(since) {
			all[a] = append(all[a], st)
		}
	}
	return all
}

// needed returns the right that a request needs for as long as it runs: a watch or a log. Other
// requests end soon.
func needed(r wire.Request) (a wire.Access, ok bool) {
	a = wire.Access{Namespace: r.Namespace, Group: r.Group, Version: r.Version, Resource: r.Resource}
	switch r.Verb {
	case wire.Watch:
		a.Verb, a.Name = string(wire.Watch), selectedName(r.FieldSelector)
	case wire.Log:
		a.Verb, a.Name, a.Subresource = string(wire.Get), r.Name, "log"
	default:
		return a, false
	}
	return a, true
}

// selectedName returns the only name that a selector matches, or "". The apiserver treats such
// a watch as a watch of that object, which may be all that a user has a right to.
func selectedName(selector string) string {
	parsed, err := fields.ParseSelector(selector)
	if err != nil {
		return ""
	}
	name, _ := parsed.RequiresExactMatch("metadata.name")
	if len(content.IsPathSegmentName(name)) > 0 {
		return ""
	}
	return name
}

// verdict is what the apiserver says about a right.
type verdict uint8

const (
	unknown verdict = iota // it was not asked, or has not answered
	allowed
	denied
)

// may asks the apiserver whether the user has a right. An apiserver that is busy or away says nothing about it.
func (s *session) may(ctx context.Context, a wire.Access) verdict {
	up := s.options.Upstream
	release, err := s.options.Places.confirm(ctx, up.Base.Host, s.options.User)
	if err != nil {
		return unknown
	}
	defer release()
	var review struct{ Status struct{ Allowed bool } }
	err = ask(ctx, up, wire.Request{Verb: wire.Review, Resource: "selfsubjectaccessreviews", Access: &a}, &review)
	status := wire.StatusOf(err)
	switch {
	case err == nil && review.Status.Allowed:
		return allowed
	case status != nil && (status.Code == 0 && status.Transient() || status.TooManyRequests() || status.Code >= http.StatusInternalServerError):
		return unknown
	}
	return denied
}

// maxReview is the largest answer to a review, in bytes.
const maxReview = 1 << 20

// ask sends a review and reads the answer.
func ask(ctx context.Context, up Upstream, r wire.Request, into any) error {
	req, status := build(ctx, up.Base, r)
	if status != nil {
		return status
	}
	resp, err := up.Transport.RoundTrip(req)
	if err != nil {
		return statusOfError(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return statusOfResponse(resp)
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxReview))
	if err != nil {
		return statusOfError(err)
	}
	if err := json.Unmarshal(body, into); err != nil {
		return fmt.Errorf("read the answer to a review: %w", err)
	}
	return nil
}

// WhoAmI asks the apiserver which user it authenticates on the upstream's transport. An error
// of the apiserver is a *wire.Status.
func WhoAmI(ctx context.Context, up Upstream) (user string, groups []string, err error) {
	var review struct {
		Status struct {
			UserInfo struct {
				Username string
				Groups   []string
			}
		}
	}
	if err := ask(ctx, up, wire.Request{Verb: wire.Review, Resource: "selfsubjectreviews"}, &review); err != nil {
		return "", nil, err
	}
	info := review.Status.UserInfo
	if info.Username == "" || info.Username == anonymous {
		return "", nil, &wire.Status{Origin: wire.FromProxy, Code: http.StatusUnauthorized, Reason: wire.ReasonUnauthorized, Message: "the apiserver treats it as anonymous"}
	}
	return info.Username, info.Groups, nil
}

// anonymous is the apiserver's name for a user without credentials.
const anonymous = "system:anonymous"
