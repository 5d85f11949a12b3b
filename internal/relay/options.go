//go:build !js

package relay

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"time"

	"watchglass/internal/wire"
)

// Upstream is the apiserver as one user reaches it. The transport adds the credentials, so no
// request carries or changes them.
type Upstream struct {
	Base      *url.URL
	Transport http.RoundTripper
	// Heard returns when any byte last came from the apiserver, answers to pings included.
	Heard func() time.Time
	// As identifies who asks, and which apiserver. Upstreams with equal values get the same answers, so
	// their watches may be shared. Without a value, they are not.
	As any
	// Retry, if set, makes the next request try again whatever failed on the way to the
	// apiserver.
	Retry func()
}

func (u Upstream) retry() {
	if u.Retry != nil {
		u.Retry()
	}
}

// Options of a session.
type Options struct {
	Upstream Upstream
	// Welcome is the first message to the tab. The session fills in the protocol's own fields.
	Welcome wire.Welcome
	// Namespace, if set, is the only one that an early stream requests.
	Namespace string
	// HelloWithin is how long a new connection may take to send its hello (default 10 s).
	HelloWithin time.Duration
	// Proves reports whether a hello comes from the session's browser (default: every hello
	// does).
	Proves func(proof string) bool
	// Admit is called when a hello is proven. If it returns an error, the connection ends.
	Admit func() error
	// RevokeWithin is how long a watch or a log may outlive the right to it (default 30 s).
	RevokeWithin time.Duration
	// MayList reports whether another list or single object may be requested now, and MayReview
	// whether another review may (default: always).
	MayList, MayReview func() bool
	// Slow is called after each refusal, and waits if there have been many (default: it does not).
	Slow func(ctx context.Context)
	// Heavy limits the memory of large objects, and User is whose share this session uses.
	// Without Heavy, the session has a limit of its own.
	Heavy *Heavy
	User  string
	// Limiter, if set, spreads the watches and lists of many sessions.
	Limiter *Limiter
	// Places, if set, bounds what many sessions have in flight.
	Places *Places
	// Sharing, if set, makes streams of many sessions share watches.
	Sharing *Sharing
	// Observe, if set, receives a Record of each stream when it ends, before Serve returns.
	Observe func(Record)
	// Meter, if set, is notified while streams run.
	Meter Meter
	// Drain, if set, says when the tab is to reconnect elsewhere.
	Drain *Drain
	Log   *slog.Logger
}

// unlimited sets the limits that are not set.
func (o *Options) unlimited() {
	if o.MayList == nil {
		o.MayList = func() bool { return true }
	}
	if o.MayReview == nil {
		o.MayReview = func() bool { return true }
	}
	if o.Heavy == nil {
		o.Heavy = NewHeavy()
	}
}
