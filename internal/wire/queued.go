package wire

import (
	"context"
	"fmt"
)

// ReasonQueued says that a request waits in the proxy, because the apiserver has enough to do.
const ReasonQueued = "Queued"

// QueuedStatus says how many requests have their turn before one that waits.
func QueuedStatus(ahead int) *Status {
	s := &Status{Origin: FromProxy, Reason: ReasonQueued, Message: "waiting for the apiserver, yours is next"}
	if ahead > 0 {
		s.Message = fmt.Sprintf("waiting for the apiserver, %d before you", ahead)
	}
	return s
}

// IsQueued reports whether an error is a QueuedStatus.
func IsQueued(err error) bool {
	s := StatusOf(err)
	return s != nil && s.Reason == ReasonQueued
}

type queuedKey struct{}

// OnQueued returns a context in which a request that waits in the proxy reports its place, whenever that changes. f must
// not block.
func OnQueued(ctx context.Context, f func(ahead int)) context.Context {
	return context.WithValue(ctx, queuedKey{}, f)
}

// ReportQueued reports the place of a request to who asked for it with OnQueued.
func ReportQueued(ctx context.Context, ahead int) {
	if f, ok := ctx.Value(queuedKey{}).(func(ahead int)); ok {
		f(ahead)
	}
}
