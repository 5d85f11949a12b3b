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

// The apiserver asks once whether somebody may watch: when the watch begins. Whoever
// loses the right goes on seeing, in a log just so. So it is asked here, again and again.

// errDoubted ends a watch or a log whose right could not be shown.
var errDoubted = errors.New("the right to this could not be shown")

// doubted is how such a stream ends. The tab takes it for the end that every watch has,
// asks for the next, and hears of the apiserver itself why not. To a log a plain end is
// the container's: it is told to ask again.
func doubted(r wire.Request) *wire.Status {
	if r.Verb != wire.Log {
		return nil
	}
	return &wire.Status{Origin: wire.FromProxy, Reason: wire.ReasonUnreachable, Message: "that this log may still be read could not be shown: ask for it again"}
}

const (
	// reviewWithin bounds how long all answers of a round may take.
	reviewWithin = 5 * time.Second
	// reviewsAtOnce is how many of a round are asked for at the same time.
	reviewsAtOnce = 16
)

// checkRights looks after the rights of the session's watches and logs until it ends: a round and the
// wait before it take no longer than a right may be outlived.
func (s *session) checkRights() {
	within := min(reviewWithin, s.options.RevokeWithin/2)
	every := s.options.RevokeWithin - within
	for {
		timer := time.NewTimer(every - rand.N(every/4+1)) // a thousand tabs do not ask at once
		select {
		case <-s.ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		s.round(within)
	}
}

// round asks for the right to each watch and log, and ends those for which it is not shown in
// time.
func (s *session) round(within time.Duration) {
	ctx, cancel := context.WithTimeout(s.ctx, within)
	defer cancel()
	var asking sync.WaitGroup
	defer asking.Wait()
	turns := make(chan struct{}, reviewsAtOnce)
	for access, streams := range s.byRight() {
		asking.Go(func() {
			turns <- struct{}{} // each is given back: what is asked ends with the round
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

// byRight are the watches and logs that are open, by the right that each needs.
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

// needed is the right to what may go on for long.
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

// selectedName is the one name that a selector lets through: the apiserver takes a watch
// with such a one for a watch of that object, which may be all that a user has a right to.
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

// may reports whether the apiserver says that the user still may.
func (s *session) may(ctx context.Context, a wire.Access) bool {
	var review struct{ Status struct{ Allowed bool } }
	err := ask(ctx, s.options.Upstream, wire.Request{Verb: wire.Review, Resource: "selfsubjectaccessreviews", Access: &a}, &review)
	return err == nil && review.Status.Allowed
}

// maxReview bounds the answer to a review.
const maxReview = 1 << 20

// ask asks a review and reads its answer.
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

// WhoAmI asks the apiserver who it takes requests over a transport for. An error is a
// Status where the apiserver said it.
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

// anonymous is what the apiserver calls who brought nothing.
const anonymous = "system:anonymous"
