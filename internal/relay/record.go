//go:build !js

package relay

import (
	"context"
	"errors"
	"time"

	"watchglass/internal/wire"
)

// Record tells of one request of a tab when it is over. What the tab asked for is
// as it came: of one that was refused, nothing has been checked.
type Record struct {
	Request wire.Request
	Code    int   // of the apiserver's answer; 0 if there was none
	Bytes   int64 // that were sent to the tab
	Began   time.Time
	Took    time.Duration
	End     End
}

// End says why a stream is over.
type End string

// The ends.
const (
	EndDone        End = "done"        // the apiserver's answer, or its watch, was over
	EndRefused     End = "refused"     // the policy did not let it through
	EndError       End = "error"       // the apiserver answered with an error
	EndUnreachable End = "unreachable" // the apiserver did not answer, or its answer broke off
	EndUnreadable  End = "unreadable"  // the answer was not what was asked for, or too large
	EndRevoked     End = "revoked"     // the right to it could not be shown any longer
	EndLetGo       End = "let-go"      // the tab did not want it any longer
	EndGone        End = "gone"        // the tab's connection ended
	EndOver        End = "over"        // the same, since its session was over: whoever serves knows
	EndDrained     End = "drained"     // the tab's connection ended since the proxy is about to stop
)

// Meter is told what streams do while they do it. It is called by many at once and
// often, and must not block.
type Meter interface {
	// Opened tells of one stream more; its Record tells of one less.
	Opened()
	// Answered tells that the head of an answer came, or with code 0 that none did.
	Answered(verb wire.Verb, code int, after time.Duration)
	// Relayed tells of a frame that was written, and how long it was in the proxy:
	// since the first of its bytes came, the wait for the tab's credit included.
	Relayed(bytes int, after time.Duration)
}

// account is what a stream notes about itself.
type account struct {
	began time.Time
	asked bool // the request has left
	code  int
	bytes int64
}

func (s *stream) begin() {
	s.began = time.Now()
	if m := s.session.options.Meter; m != nil {
		m.Opened()
	}
}

// answered notes the head of the answer.
func (s *stream) answered(code int, asked time.Time) {
	s.asked, s.code = true, code
	if m := s.session.options.Meter; m != nil {
		m.Answered(s.request.Verb, code, time.Since(asked))
	}
}

// sent notes a frame whose first event was read at a time.
func (s *stream) sent(bytes int, read int64) {
	s.bytes += int64(bytes)
	if m := s.session.options.Meter; m != nil {
		m.Relayed(bytes, max(0, time.Since(time.Unix(0, read))))
	}
}

// finish makes the record.
func (s *stream) finish(ctx context.Context, status *wire.Status) {
	if observe := s.session.options.Observe; observe != nil {
		observe(Record{
			Request: s.request, Code: s.code, Bytes: s.bytes, Began: s.began, Took: time.Since(s.began), End: s.why(ctx, status),
		})
	}
}

// why is how the stream ended.
func (s *stream) why(ctx context.Context, status *wire.Status) End {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errLetGo):
		return EndLetGo
	case errors.Is(cause, errDoubted):
		return EndRevoked
	case cause != nil && s.session.options.Drain.begun():
		return EndDrained
	case cause != nil:
		return EndGone
	case status == nil:
		return EndDone
	case !s.asked:
		return EndRefused
	case status.Origin == wire.FromAPIServer:
		return EndError
	case status.Reason == wire.ReasonMalformed, status.Reason == wire.ReasonTooLarge:
		return EndUnreadable
	}
	return EndUnreachable
}
