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
	if s.Origin == FromAPIServer {
		return s.Message
	}
	return fmt.Sprintf("%s: %s", s.Origin, s.Message)
}

// Reasons that the code below tells apart, in the apiserver's spelling, and one
// of our own: Unreachable, for a connection that cannot be made or broke.
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

// Denied reports that the user may not.
func (s *Status) Denied() bool { return s.Code == 403 || s.Code == 401 }

// Unauthorized reports that the server does not know the user.
func (s *Status) Unauthorized() bool { return s.Code == 401 }

// NotFound reports that the server has no such resource or object.
func (s *Status) NotFound() bool { return s.Code == 404 }

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
		return s.Reason == ReasonUnreachable
	case s.VersionTooLarge():
		return false
	}
	return s.Code == 502 || s.Code == 503 || s.Code == 504
}

// Wait is how long the server asked to wait.
func (s *Status) Wait() time.Duration { return time.Duration(s.RetryAfter) * time.Second }
