package reflector

import (
	"errors"
	"time"

	"watchglass/internal/wire"
)

// Cause is a short reason for a whole list after the first. It names no object.
type Cause string

// The causes.
const (
	CauseExpired    Cause = "version expired"
	CauseTooLarge   Cause = "version unknown to the apiserver"
	CauseOutrun     Cause = "too many changes to resume"
	CauseDifference Cause = "self-audit found a difference"
	CauseHistory    Cause = "apiserver was restored or replaced"
	CausePolled     Cause = "polled"
	CauseDenied     Cause = "permission denied"
	CauseAbsent     Cause = "resource not found"
	CauseShort      Cause = "watches ended immediately"
	CauseColumns    Cause = "columns changed"
	CauseUnreadable Cause = "unreadable event"
	CauseFailed     Cause = "watch failed"
)

// causeOf returns the cause of a list after an error.
func causeOf(err error) Cause {
	status := wire.StatusOf(err)
	switch {
	case isAnother(err): // it may say which difference showed that
		return CauseHistory
	case errors.As(err, new(difference)):
		return CauseDifference
	case errors.Is(err, errColumns):
		return CauseColumns
	case errors.Is(err, errOutrun):
		return CauseOutrun
	case errors.Is(err, errUnwatched):
		return CausePolled
	case errors.Is(err, errShort):
		return CauseShort
	case status == nil:
		return CauseUnreadable
	case status.Expired():
		return CauseExpired
	case status.VersionTooLarge():
		return CauseTooLarge
	case status.NotFound():
		return CauseAbsent
	case status.Denied():
		return CauseDenied
	}
	return CauseFailed
}

// blame notes why the next list is requested, unless a cause is already noted.
func (l *lastList) blame(err error) {
	if l.cause == "" {
		l.cause = causeOf(err)
	}
}

// keptRelistings is the maximum number of Relistings in State.
const keptRelistings = 5

// relisted notes that a list after the first is complete.
func (s *State) relisted(cause Cause) {
	s.Relists++
	kept := s.Relistings[max(len(s.Relistings)-keptRelistings+1, 0):]
	s.Relistings = append(append([]Relisting{}, kept...), Relisting{time.Now(), cause})
}
