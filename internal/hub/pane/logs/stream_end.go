package logs

import (
	"errors"
	"io"
	"time"

	"watchglass/internal/detail/log"
	"watchglass/internal/wire"
)

// onEnd decides what follows the end of a reader: another one after a wait, or none until
// the container runs again.
func (s *stream) onEnd(now time.Time, err error) {
	s.close()
	s.group.refreshSoon()
	if errors.Is(err, io.EOF) {
		s.onEOF(now)
		return
	}
	status := statusOf(err)
	answered := status.Origin == wire.FromAPIServer
	switch {
	case s.podGone:
		s.source.End()
		s.fail(log.Gone, status)
	case status.Origin == wire.FromTab && status.Code == 404:
		s.setState(log.Denied, "") // in the past: what is not remembered now never will be
	case answered && status.Code == 400 && !s.asked.Previous && s.container.mayStart(status.Message):
		s.setState(log.Waiting, s.container.waits(status.Message))
		s.retry(now)
	case answered && (status.Code == 400 && s.asked.Previous || status.Code == 404):
		s.fail(log.Ended, status)
	case status.Code == 403 || status.Code == 401:
		s.fail(log.Denied, status)
		s.retry(now)
	default:
		s.source.Break()
		s.fail(log.Away, status)
		s.retry(now)
	}
}

// onEOF handles a clean end, which is final if the container has ended too.
func (s *stream) onEOF(now time.Time) {
	if !s.asked.Previous && !s.podGone && s.container.running && s.container.run == s.run {
		s.source.Break() // the server closed the stream of a container that still runs
		s.retry(now)
		return
	}
	s.source.End()
	if s.podGone {
		s.setState(log.Gone, "")
	} else {
		s.setState(log.Ended, s.container.ended)
	}
	s.backoff.reset()
}

// fail sets a state, with the error and who reported it. It adds the error to the log too,
// unless it was the last one there.
func (s *stream) fail(state string, status *wire.Status) {
	said := quoted(status)
	s.setState(state, said)
	if said != s.noted {
		s.noted = said
		s.note(true, said)
	}
}

// retry opens the log again after a wait.
func (s *stream) retry(now time.Time) {
	s.backoff.plan(now)
	s.group.refreshBy(s.backoff.at)
	s.host.WakeAt(s.backoff.at)
}
