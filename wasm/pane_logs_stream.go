package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"time"

	"watchglass/internal/detail/log"
	"watchglass/internal/wire"
)

// The wait before a stream is opened again doubles.
const (
	logRetryFirst = 500 * time.Millisecond
	logRetryMost  = 15 * time.Second
)

// The states of a stream.
const (
	logConnecting = "connecting"
	logLive       = "live"
	logWaiting    = "waiting" // the container does not run yet
	logEnded      = "ended"
	logDenied     = "denied"
	logAway       = "away" // somebody on the way does not answer
	logGone       = "gone" // the pod is no more
)

// logStream reads the log of one container, over one stream after another. All of it is
// of the goroutine that runs; the one that reads posts what it has read.
type logStream struct {
	pane   *logsPane
	source *log.Source
	pod    member
	now    container // as the pod last said

	state, said string
	cancel      context.CancelFunc // of the stream that is open; nil if none is
	opened      int                // how often one was
	instance    string             // the run of the container that was read
	ahead       bool               // the pod told of another run while a stream was open, which may be of that
	renewed     bool               // the stream is of another run than the one before
	again       time.Time          // when to try again
	wait        time.Duration
	last        string // the error that was told last
	left        bool   // the pod is gone
}

// newLogStream is nil if the store has no room for one more source.
func newLogStream(p *logsPane, m member, c container) *logStream {
	source := p.store.NewSource(m.name, c.name)
	if source == nil {
		return nil
	}
	return &logStream{pane: p, pod: m, source: source, state: logConnecting, wait: logRetryFirst}
}

// reading reports whether a stream is open or will be.
func (s *logStream) reading() bool { return s.cancel != nil || !s.again.IsZero() }

// tell tells of the container as it is now, and opens a stream if there is to be one.
func (s *logStream) tell(now time.Time, c container) {
	changed := c != s.now
	s.now = c
	if s.left {
		s.returns(now)
	}
	if s.cancel != nil {
		s.ahead = s.ahead || s.instance != "" && c.instance != "" && c.instance != s.instance
		s.instance = cmp.Or(s.instance, c.instance)
		return
	}
	if !s.again.IsZero() && now.Before(s.again) && (s.pane.due.IsZero() || s.again.Before(s.pane.due)) {
		s.pane.due = s.again
	}
	switch {
	case s.opened == 0 && s.pane.asked.Previous && c.restarts == 0 && c.known:
		s.stand(logEnded, "The container has not run before.")
	case s.opened == 0 || !s.again.IsZero() && !now.Before(s.again):
		s.open(now)
	case !s.pane.asked.Previous && c.instance != s.instance && c.instance != "":
		s.open(now)
	case changed && s.state == logWaiting:
		s.stand(logWaiting, c.waits())
		if c.running || c.instance != "" {
			s.open(now)
		}
	}
}

// stand says how the stream is.
func (s *logStream) stand(state, said string) {
	if s.state != state || s.said != said {
		s.state, s.said = state, said
		s.pane.news = true
	}
}

// open opens a stream: where the last one ended, if lines came of that.
func (s *logStream) open(now time.Time) {
	renewed := s.opened > 0 && s.instance != s.now.instance && s.now.instance != ""
	s.again = time.Time{}
	if renewed && s.instance != "" {
		s.runsAgain(now)
	}
	s.renewed = renewed
	s.instance = s.now.instance
	if s.state != logAway {
		s.stand(logConnecting, "")
	}
	r := s.request()
	ctx, cancel := context.WithCancel(s.pane.ctx)
	s.cancel = cancel
	last, known := s.source.Last()
	known = known && s.opened > 0
	if known {
		r.Log.TailLines, r.Log.SinceSeconds = nil, 0
	}
	if known = known && (!renewed || s.ahead); known {
		r.Log.SinceTime = last.Truncate(time.Second).Format(time.RFC3339)
	}
	s.ahead = false
	s.opened++
	s.source.Open(now, known)
	s.pane.focus.running.Go(func() {
		err := s.read(ctx, r)
		s.pane.desk.post(ctx, func() { s.ended(time.Now(), err) })
	})
}

// runsAgain says that what follows is another run of the container.
func (s *logStream) runsAgain(now time.Time) {
	if s.state == logAway {
		s.source.End()
		s.note(now, true, "the container runs again: what it wrote last before that is in its previous log")
		return
	}
	s.note(now, false, "the container runs again")
}

// request is what the options ask for.
func (s *logStream) request() wire.Request {
	o := s.pane.asked
	options := &wire.LogOptions{Container: s.source.Container, Previous: o.Previous, Follow: !o.Previous, Timestamps: true, SinceSeconds: o.Since}
	if o.Since == 0 && !o.All {
		tail := int64(log.DefaultTail)
		options.TailLines = &tail
	}
	return wire.Request{Verb: wire.Log, Version: "v1", Resource: "pods", Namespace: s.pod.namespace, Name: s.pod.name, Log: options}
}

// read reads a stream until it ends. Credit is given for what the store has taken.
func (s *logStream) read(ctx context.Context, r wire.Request) error {
	stream, err := s.pane.desk.client.Open(ctx, r)
	if err != nil {
		return err
	}
	defer stream.Close()
	s.pane.desk.post(ctx, s.lives) // there may be no lines yet
	for {
		batch, err := stream.Next(ctx)
		if err != nil {
			return err
		}
		stored := make(chan struct{})
		s.pane.desk.post(ctx, func() {
			if ctx.Err() == nil {
				s.store(batch)
			}
			close(stored)
		})
		select {
		case <-stored:
			stream.Credit(batch.Bytes)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// store takes what came.
func (s *logStream) store(batch wire.Batch) {
	for _, e := range batch.Events {
		if e.Type == wire.Text {
			s.source.Write(e.Payload)
		}
	}
	if s.source.Missing() && !s.renewed {
		s.note(time.Now(), true, "lines are missing here: the container's log no longer holds them")
	}
}

// lives says that the log is read.
func (s *logStream) lives() {
	if s.state == logLive {
		return
	}
	if s.last != "" {
		s.note(time.Now(), false, "the log goes on")
	}
	s.stand(logLive, "")
	s.wait, s.last = logRetryFirst, ""
}

// ended takes how a stream ended.
func (s *logStream) ended(now time.Time, err error) {
	s.stop()
	s.pane.loose = true
	status := wire.StatusOf(err)
	switch {
	case errors.Is(err, io.EOF):
		s.over(now)
	case s.left:
		if status == nil {
			status = &wire.Status{Origin: wire.FromSocket, Message: err.Error()}
		}
		s.source.End()
		s.fails(now, logGone, status)
	case status != nil && status.Origin == wire.FromAPIServer && status.Code == 400 && !s.pane.asked.Previous:
		s.stand(logWaiting, s.now.waits())
		s.retry(now)
	case status != nil && status.Origin == wire.FromAPIServer && (status.Code == 400 || status.Code == 404):
		s.fails(now, logEnded, status)
	case status != nil && (status.Code == 403 || status.Code == 401):
		s.fails(now, logDenied, status)
		s.retry(now)
	default:
		if status == nil {
			status = &wire.Status{Origin: wire.FromSocket, Message: err.Error()}
		}
		s.source.Break()
		s.fails(now, logAway, status)
		s.retry(now)
	}
}

// over takes that a log has ended by itself: for good, if the container has.
func (s *logStream) over(now time.Time) {
	if !s.pane.asked.Previous && !s.left && s.now.running && s.now.instance == s.instance {
		s.source.Break() // the server let go of a stream that goes on
		s.retry(now)
		return
	}
	s.source.End()
	if s.left {
		s.stand(logGone, "")
	} else {
		s.stand(logEnded, s.now.ended)
	}
	s.wait = logRetryFirst
}

// fails says, in the log too, who said what.
func (s *logStream) fails(now time.Time, state string, status *wire.Status) {
	said := quoted(status)
	s.stand(state, said)
	if said != s.last {
		s.last = said
		s.note(now, true, said)
	}
}

// speakerOf is who speaks, in words.
func speakerOf(o wire.Origin) string {
	switch o {
	case wire.FromAPIServer:
		return "the apiserver"
	case wire.FromNetwork:
		return "the network between the proxy and the apiserver"
	case wire.FromSocket:
		return "the connection between this page and the proxy"
	}
	return "the Watchglass proxy"
}

func (s *logStream) retry(now time.Time) {
	s.again = now.Add(s.wait)
	if due := s.pane.due; due.IsZero() || s.again.Before(due) {
		s.pane.due = s.again
	}
	time.AfterFunc(s.wait, s.pane.desk.stir)
	s.wait = min(2*s.wait, logRetryMost)
}

// note puts a line of ours into the log.
func (s *logStream) note(now time.Time, bad bool, text string) {
	s.source.Note(now, bad, text)
	s.pane.news = true
}

// leave takes that the pod is no more: what it still writes is read to the end.
func (s *logStream) leave(now time.Time) {
	if s.left {
		return
	}
	s.left = true
	s.again = time.Time{}
	s.note(now, false, "the pod is gone")
	if s.cancel == nil {
		s.stand(logGone, "")
	}
}

// returns takes that the pod is one of the crew again: it has other labels.
func (s *logStream) returns(now time.Time) {
	s.left = false
	s.note(now, false, "the pod is back")
	if s.cancel == nil && (s.state == logGone || s.now.running) {
		s.again = now
	}
}

// stop lets the stream go.
func (s *logStream) stop() {
	if s.cancel != nil {
		s.cancel()
		s.cancel = nil
	}
}
