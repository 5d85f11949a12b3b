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
	FromTab       Origin = "tab"     // the page's own words
)

// Status is an error of any origin, in the apiserver's own vocabulary: its
// message is verbatim what the apiserver said, where it is the apiserver's.
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

// Reasons that the code below tells apart, in the apiserver's spelling, and some of
// our own: Unreachable, for a connection that cannot be made or broke; Unanswered, for
// a watch that an apiserver which is there does not answer; Buffered, for events that
// something on the way holds back.
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

	causeVersionTooLarge = "ResourceVersionTooLarge"
)

// StatusOf finds the Status in an error, or nil.
func StatusOf(err error) *Status {
	var s *Status
	if errors.As(err, &s) {
		return s
	}
	return nil
}

// Expired reports that the asked version is no longer kept: list anew.
func (s *Status) Expired() bool {
	return s.Code == 410 || s.Reason == ReasonExpired || s.Reason == ReasonGone
}

// VersionTooLarge reports that the server does not know the asked version yet.
func (s *Status) VersionTooLarge() bool {
	for _, c := range s.Causes {
		if c == causeVersionTooLarge {
			return true
		}
	}
	return s.Reason == ReasonTimeout && strings.Contains(s.Message, "Too large resource version") // before 1.18.6
}

// TooManyRequests reports that the server asked to wait.
func (s *Status) TooManyRequests() bool {
	return s.Code == 429 || s.Reason == ReasonTooManyRequests
}

// Denied reports that the user may not. What a gateway on the way answers says nothing of
// that, nor of the next two.
func (s *Status) Denied() bool { return s.is(403) || s.is(401) }

// Unauthorized reports that the server does not know the user.
func (s *Status) Unauthorized() bool { return s.is(401) }

// NotFound reports that the server has no such resource or object.
func (s *Status) NotFound() bool { return s.is(404) }

func (s *Status) is(code int) bool { return s.Code == code && s.Origin != FromNetwork }

// Failed reports that the server could not do it, through no fault of the request.
func (s *Status) Failed() bool { return s.Origin == FromAPIServer && s.Code == 500 }

// Unwatchable reports that the server has no watch for the resource.
func (s *Status) Unwatchable() bool { return s.is(405) }

// Unsupported reports that the server rejected a parameter of the request, as
// one that does not know watch-list does.
func (s *Status) Unsupported() bool {
	return s.Origin == FromAPIServer && (s.Code == 400 || s.Code == 422 || s.Code == 405 || s.Code == 406)
}

// Transient reports that the server was not reached or is not ready: the same
// request may be sent again as it is.
func (s *Status) Transient() bool {
	switch {
	case s.Origin != FromAPIServer:
		return s.Reason == ReasonUnreachable || s.Reason == ReasonUnanswered
	case s.VersionTooLarge():
		return false
	}
	return s.Code == 502 || s.Code == 503 || s.Code == 504
}

// Wait is how long the server asked to wait.
func (s *Status) Wait() time.Duration { return time.Duration(s.RetryAfter) * time.Second }
