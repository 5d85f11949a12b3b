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
	"time"

	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/fields"

	"watchglass/internal/wire"
)

// The apiserver checks the right to watch only when the watch begins, and the right to a log
// likewise. A user who loses the right would go on reading. So the relay asks again and again.

// errDoubted ends a watch or a log whose right was not confirmed.
var errDoubted = errors.New("the user's permission could not be confirmed")

// doubted returns the status with which such a stream ends. A watch ends without one, like
// every watch: the tab opens the next and hears the apiserver's own refusal. A log's plain end
// would mean that the container ended, so the tab is told to request it again.
func doubted(r wire.Request) *wire.Status {
	if r.Verb != wire.Log {
		return nil
	}
	return &wire.Status{Origin: wire.FromProxy, Reason: wire.ReasonUnreachable, Message: "your permission to read this log could not be confirmed"}
}

const (
	// reviewWithin is how long all answers of a round may take.
	reviewWithin = 5 * time.Second
	// reviewsAtOnce is how many reviews of a round run at once.
	reviewsAtOnce = 16
)

// checkRights checks the rights of the session's watches and logs until it ends. A round and
// the wait before it take RevokeWithin at most.
func (s *session) checkRights() {
	within := min(reviewWithin, s.options.RevokeWithin/2)
	every := s.options.RevokeWithin - within
	for {
		timer := time.NewTimer(every - rand.N(every/4+1)) // so that a thousand tabs do not ask at once
		select {
		case <-s.ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		s.round(within)
	}
}

// round checks the right to each watch and log, and ends those whose right is not confirmed in
// time.
func (s *session) round(within time.Duration) {
	ctx, cancel := context.WithTimeout(s.ctx, within)
	defer cancel()
	var asking sync.WaitGroup
	defer asking.Wait()
	turns := make(chan struct{}, reviewsAtOnce)
	for access, streams := range s.byRight() {
		asking.Go(func() {
			turns <- struct{}{} // does not block forever: reviews end with the round
			defer func() { <-turns }()
			if s.may(ctx, access) {
				return
			}
			for _, st := range streams {
				st.cancel(errDoubted)
			}
		})
	}
}

// byRight returns the open watches and logs by the right that they need.
func (s *session) byRight() map[wire.Access][]*stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[wire.Access][]*stream)
	for _, st := range s.streams {
		if a, ok := needed(st.request); ok {
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

// may reports whether the apiserver confirms the user's right.
func (s *session) may(ctx context.Context, a wire.Access) bool {
	var review struct{ Status struct{ Allowed bool } }
	err := ask(ctx, s.options.Upstream, wire.Request{Verb: wire.Review, Resource: "selfsubjectaccessreviews", Access: &a}, &review)
	return err == nil && review.Status.Allowed
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
