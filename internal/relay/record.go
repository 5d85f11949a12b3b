//go:build !js

package relay

import (
	"context"
	"errors"
	"time"

	"watchglass/internal/wire"
)

// Record describes one request of a tab after it ended. Request is as the tab sent it; if it
// was refused, nothing in it has been checked.
type Record struct {
	Request wire.Request
	Code    int   // of the apiserver's answer; 0 if there was none
	Bytes   int64 // sent to the tab
	Began   time.Time
	Took    time.Duration
	End     End
}

// End is why a stream ended.
type End string

// The ends.
const (
	EndDone        End = "done"        // the apiserver's answer, or its watch, ended
	EndRefused     End = "refused"     // the policy refused it
	EndError       End = "error"       // the apiserver answered with an error
	EndUnreachable End = "unreachable" // the apiserver did not answer, or the answer broke off
	EndUnreadable  End = "unreadable"  // the answer was malformed or too large
	EndUnread      End = "unread"      // the tab did not read the answer, or read it too slowly
	EndCrowded     End = "crowded"     // too many of the user's requests were waiting
	EndRevoked     End = "revoked"     // the right to it was not confirmed
	EndLetGo       End = "let-go"      // the tab closed it
	EndGone        End = "gone"        // the tab's connection ended
	EndOver        End = "over"        // the same, because its session ended; the caller of Serve sets it
	EndDrained     End = "drained"     // the tab's connection ended because the proxy is about to stop
)

// Meter is notified while streams run. Many goroutines call it, often, so it must not block.
type Meter interface {
	// Opened is called when a stream begins. Its Record is made when it ends.
	Opened()
	// Answered is called when the head of an answer came; code 0 means that none did.
	Answered(verb wire.Verb, code int, after time.Duration)
	// Relayed is called when a frame was written. after is the time since its first byte was
	// read, including the wait for the tab's credit.
	Relayed(bytes int, after time.Duration)
}

// account is what a stream records about itself.
type account struct {
	began time.Time
	asked bool // the request was sent
	code  int
	bytes int64
}

func (s *stream) begin() {
	s.began = time.Now()
	if m := s.session.options.Meter; m != nil {
		m.Opened()
	}
}

// answered records the head of the answer.
func (s *stream) answered(code int, asked time.Time) {
	s.asked, s.code = true, code
	if m := s.session.options.Meter; m != nil {
		m.Answered(s.request.Verb, code, time.Since(asked))
	}
}

// sent records a frame. read is when its first event was read.
func (s *stream) sent(bytes int, read int64) {
	s.bytes += int64(bytes)
	if m := s.session.options.Meter; m != nil {
		m.Relayed(bytes, max(0, time.Since(time.Unix(0, read))))
	}
}

// finish makes the Record.
func (s *stream) finish(ctx context.Context, status *wire.Status) {
	if observe := s.session.options.Observe; observe != nil {
		observe(Record{
			Request: s.request, Code: s.code, Bytes: s.bytes, Began: s.began, Took: time.Since(s.began), End: s.why(ctx, status),
		})
	}
}

// why returns how the stream ended.
func (s *stream) why(ctx context.Context, status *wire.Status) End {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errClosed):
		return EndLetGo
	case errors.Is(cause, errUnconfirmed):
		return EndRevoked
	case errors.Is(cause, errUnread):
		return EndUnread
	case cause != nil && s.session.options.Drain.begun():
		return EndDrained
	case cause != nil:
		return EndGone
	case status == nil:
		return EndDone
	case status.Origin == wire.FromAPIServer:
		return EndError
	case status.Origin == wire.FromProxy && status.Reason == wire.ReasonTooManyRequests:
		return EndCrowded
	case !s.asked:
		return EndRefused
	case status.Reason == wire.ReasonUnread, status.Origin == wire.FromProxy && status.Expired():
		return EndUnread
	case status.Reason == wire.ReasonMalformed, status.Reason == wire.ReasonTooLarge:
		return EndUnreadable
	}
	return EndUnreachable
}
