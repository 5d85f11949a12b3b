package wire

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Origin says who an error comes from.
type Origin string

// The origins.
const (
	FromAPIServer Origin = "apiserver"
	FromProxy     Origin = "proxy"
	FromNetwork   Origin = "network" // between proxy and apiserver
	FromSocket    Origin = "socket"  // between tab and proxy
	FromPlugin    Origin = "plugin"  // the kubeconfig's credential plugin
	FromTab       Origin = "tab"     // the page itself
)

// Status is an error of any origin, in the apiserver's vocabulary. A message from the apiserver
// is kept verbatim.
type Status struct {
	Origin  Origin `json:"origin"`
	Code    int    `json:"code,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message"`
	// RetryAfter is in seconds.
	RetryAfter int      `json:"retryAfter,omitempty"`
	Causes     []string `json:"causes,omitempty"`
}

func (s *Status) Error() string {
	if s.Origin == FromAPIServer || s.Origin == FromTab {
		return s.Message
	}
	return fmt.Sprintf("%s: %s", s.Origin, s.Message)
}

// The reasons that the code distinguishes, in the apiserver's spelling. Some are our own:
// Unreachable is a connection that broke or cannot be made. Unanswered is a watch that a
// reachable apiserver does not answer. Buffered means that something on the way holds events
// back. Unread is a response that the page has stopped reading.
const (
	ReasonExpired         = "Expired"
	ReasonGone            = "Gone"
	ReasonTooManyRequests = "TooManyRequests"
	ReasonForbidden       = "Forbidden"
	ReasonUnauthorized    = "Unauthorized"
	ReasonNotFound        = "NotFound"
	ReasonInvalid         = "Invalid"
	ReasonBadRequest      = "BadRequest"
	ReasonTimeout         = "Timeout"
	ReasonInternalError   = "InternalError"
	ReasonUnreachable     = "Unreachable"
	ReasonUnanswered      = "Unanswered"
	ReasonBuffered        = "Buffered"
	ReasonCertificate     = "Certificate"
	ReasonCredentials     = "Credentials"
	ReasonTooLarge        = "TooLarge"
	ReasonMalformed       = "Malformed"
	ReasonUnread          = "Unread"

	CauseVersionTooLarge = "ResourceVersionTooLarge"
)

// StatusOf finds the Status in an error, or nil.
func StatusOf(err error) *Status {
	var s *Status
	if errors.As(err, &s) {
		return s
	}
	return nil
}

// Expired reports whether the server no longer has the requested version. The client must list
// again.
func (s *Status) Expired() bool {
	return s.Code == 410 || s.Reason == ReasonExpired || s.Reason == ReasonGone
}

// VersionTooLarge reports whether the server does not have the requested version yet.
func (s *Status) VersionTooLarge() bool {
	for _, c := range s.Causes {
		if c == CauseVersionTooLarge {
			return true
		}
	}
	return s.Reason == ReasonTimeout && strings.Contains(s.Message, "Too large resource version") // before 1.18.6
}

// TooManyRequests reports whether the server asked the client to wait.
func (s *Status) TooManyRequests() bool {
	return s.Code == 429 || s.Reason == ReasonTooManyRequests
}

// Throttled reports whether requests are limited: by the proxy, a gateway, or a filter in front of the apiserver.
// What an apiserver says by itself, with a reason, is that it is not ready to serve the request.
func (s *Status) Throttled() bool {
	return s.TooManyRequests() && (s.Origin != FromAPIServer || s.Reason == "")
}

// Denied reports whether the user is not allowed to do this. Like Unauthorized and NotFound, it
// ignores the answers of a gateway on the way, which prove nothing about the cluster.
func (s *Status) Denied() bool { return s.is(403) || s.is(401) }

// Unauthorized reports whether the server does not know the user.
func (s *Status) Unauthorized() bool { return s.is(401) }

// NotFound reports whether the server has no such resource or object.
func (s *Status) NotFound() bool { return s.is(404) }

func (s *Status) is(code int) bool { return s.Code == code && s.Origin != FromNetwork }

// Failed reports whether the server failed through no fault of the request.
func (s *Status) Failed() bool { return s.Origin == FromAPIServer && s.Code == 500 }

// Unwatchable reports whether the server does not support watching the resource.
func (s *Status) Unwatchable() bool { return s.is(405) }

// Unsupported reports whether the server rejected a parameter of the request. A server without
// watch-list does so.
func (s *Status) Unsupported() bool {
	return s.Origin == FromAPIServer && (s.Code == 400 || s.Code == 422 || s.Code == 405 || s.Code == 406)
}

// Transient reports whether the server was not reached or is not ready. The same request may be
// sent again unchanged.
func (s *Status) Transient() bool {
	switch {
	case s.Origin != FromAPIServer:
		return s.Reason == ReasonUnreachable || s.Reason == ReasonUnanswered
	case s.VersionTooLarge():
		return false
	}
	return s.Code == 502 || s.Code == 503 || s.Code == 504
}

// Wait returns how long the client was asked to wait, two minutes at most. An apiserver asks for 32 s at most. A gateway that
// limits requests may say a day, and know nothing of who asks; it may also speak as an apiserver does.
func (s *Status) Wait() time.Duration {
	return time.Duration(min(max(s.RetryAfter, 0), 120)) * time.Second
}
