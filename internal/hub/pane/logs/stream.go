package logs

import (
	"cmp"
	"context"
	"encoding/json"
	"strconv"
	"time"

	"watchglass/internal/detail/log"
	"watchglass/internal/hub/pane"
	"watchglass/internal/wire"
)

// group is the set of streams that a stream belongs to.
type group interface {
	// admit reports whether one more log may be opened. If not, it counts the log as left out.
	admit() bool
	// refreshSoon makes all streams check their containers with the next Update.
	refreshSoon()
	// refreshBy makes them check their containers at a time, or before.
	refreshBy(at time.Time)
	// noteNews notes that the page needs another document.
	noteNews()
}

// stream is the log of one container, read by one reader after another. It belongs to the
// loop.
type stream struct {
	host      pane.Host
	asked     log.Options
	group     group
	pod       pod
	source    *log.Source
	container container // as the pod last reported it
	podGone   bool      // or not the owner's any more

	state, reason string
	noted         string // the last error that is in the log

	cancel    context.CancelFunc // of the reader; nil if there is none
	opened    int                // number of readers so far
	run       string             // the container's run that was last read
	begins    string             // when the run started with which the log begins; "" if that is not known
	restarts  int64              // of the container when that run began, or later
	ahead     bool               // the pod reported another run while a reader was open, which may have read it
	restarted bool               // the reader reads another run than the one before it
	loadBy    time.Time          // when the log counts as loaded if no other line comes
	recorded  bool               // the log comes from a recording
	backoff   backoff
}

// active reports whether there is a reader or will be one.
func (s *stream) active() bool { return s.cancel != nil || s.backoff.planned() }

// onContainer applies what the pod reports about the container, and opens the log if there is
// one to read.
func (s *stream) onContainer(now time.Time, c container) {
	changed := c != s.container
	s.container = c
	s.noteBegin()
	s.endLoad(now)
	if s.podGone {
		s.onPodBack(now)
	}
	if s.cancel != nil {
		if s.run != "" && c.run != "" && c.run != s.run {
			s.ahead, s.restarts = true, c.restarts
		}
		s.run = cmp.Or(s.run, c.run)
		return
	}
	if s.backoff.planned() && !s.backoff.due(now) {
		s.group.refreshBy(s.backoff.at)
	}
	switch previous := s.asked.Previous; {
	case s.opened == 0 && previous && c.restarts == 0 && c.known:
		s.setState(log.Ended, "The container has no previous logs.")
	case s.opened == 0 || s.backoff.due(now):
		s.open(now)
	case !previous && c.run != s.run && c.run != "":
		s.open(now)
	case changed && s.state == log.Waiting:
		s.setState(log.Waiting, c.waits(""))
		if c.running || c.run != "" {
			s.open(now)
		}
	}
}

// loadQuiet is how long no line may come while a log is loading; it counts as loaded then.
const loadQuiet = 5 * time.Second

// endLoad notes that the log is loaded if no line has come for a while: nothing else says so of one that is not written to.
func (s *stream) endLoad(now time.Time) {
	switch {
	case s.loadBy.IsZero() || s.source.Loaded():
	case now.Before(s.loadBy):
		s.group.refreshBy(s.loadBy)
	default:
		s.source.EndLoad()
	}
}

// noteBegin notes when the run started with which the log begins, from what the pod reports of it. That may be the next run,
// which the pod reports after its first line has come.
func (s *stream) noteBegin() {
	started := s.container.started
	if s.asked.Previous {
		started = s.container.before
	}
	at, err := time.Parse(time.RFC3339, started)
	same := s.begins == "" && (s.run == "" || s.run == s.container.run)
	if s.source.Lines() == 0 || same || err == nil && s.source.BeganSince(at) {
		s.begins = started
	}
}

// lacksEarlier reports whether the kubelet may have rotated away lines before the first. It is false for a time range, which
// may begin at any line, and for a recording, whose gaps say what it lacks.
func (s *stream) lacksEarlier() bool {
	started, _ := time.Parse(time.RFC3339, s.begins) // zero if it is not known
	return s.asked.Since == 0 && !s.recorded && s.source.Earlier(started)
}

// setState sets what the page shows of the stream.
func (s *stream) setState(state, reason string) {
	if s.state != state || s.reason != reason {
		s.state, s.reason = state, reason
		s.group.noteNews()
	}
}

// open starts a reader, unless that would be one too many. The reader continues where the
// last one ended, if that one read a line.
func (s *stream) open(now time.Time) {
	if !s.active() && !s.group.admit() {
		return
	}
	restarted := s.opened > 0 && s.run != s.container.run && s.container.run != ""
	s.backoff.cancel()
	if restarted && s.run != "" {
		s.noteRestart()
	}
	s.restarted = restarted
	s.run, s.restarts = s.container.run, s.container.restarts
	if s.state != log.Away {
		s.setState(log.Connecting, "")
	}
	request := s.request()
	last, known := s.source.Last()
	known = known && s.opened > 0
	if known {
		request.Log.TailLines, request.Log.SinceSeconds = nil, 0
	}
	if known = known && (!restarted || s.ahead); known {
		request.Log.SinceTime = last.Truncate(time.Second).Format(time.RFC3339)
	}
	s.ahead = false
	s.opened++
	s.source.Open(s.host.Now(), known)
	if tail := request.Log.TailLines; tail != nil {
		s.source.Tail(*tail)
	}
	r := &reader{host: s.host, sink: s, request: request}
	s.cancel = r.start()
}

// request returns the request for the log that the options ask for.
func (s *stream) request() wire.Request {
	o := s.asked
	options := &wire.LogOptions{Container: s.source.Container, Previous: o.Previous, Follow: !o.Previous, Timestamps: true, SinceSeconds: o.Since}
	if o.Since == 0 && !o.All {
		tail := int64(log.DefaultTail)
		options.TailLines = &tail
	}
	return wire.Request{Verb: wire.Log, Version: "v1", Resource: "pods", Namespace: s.pod.namespace, Name: s.pod.name, Log: options}
}

// noteRestart notes in the log that another run of the container follows, and how many runs before it nobody read: those
// that came and went while the page was hidden or the connection lost.
func (s *stream) noteRestart() {
	if unread := s.container.restarts - s.restarts - 1; unread > 0 {
		s.source.End()
		s.source.Break()
		s.note(true, "the container restarted, and at least "+runs(unread)+" in between ended unread")
		return
	}
	if s.state == log.Away {
		s.source.End()
		s.note(true, "the container restarted: its last lines are in the previous logs")
		return
	}
	s.note(false, "the container restarted")
}

func runs(n int64) string {
	if n == 1 {
		return "1 run"
	}
	return strconv.FormatInt(n, 10) + " runs"
}

// note adds a line of our own to the log.
func (s *stream) note(bad bool, text string) {
	s.source.Note(s.host.Now(), bad, text)
	s.group.noteNews()
}

// onOpen notes that the log is being read.
func (s *stream) onOpen() {
	s.source.Answered(s.host.Now())
	if s.state == log.Live {
		return
	}
	if s.noted != "" {
		s.note(false, "the log continues")
	}
	s.setState(log.Live, "")
	s.noted = ""
	s.backoff.reset()
}

// store adds what was read to the log.
func (s *stream) store(batch wire.Batch) {
	s.source.Arrived(s.host.Now())
	for _, e := range batch.Events {
		switch e.Type {
		case wire.Text:
			s.source.Write(e.Payload)
		case wire.Bookmark:
			s.onGaps(e.Payload)
		}
	}
	if s.source.Lines() > 0 && !s.source.Loaded() {
		s.loadBy = time.Now().Add(loadQuiet)
		s.group.refreshBy(s.loadBy)
		s.host.WakeAt(s.loadBy)
	}
	if s.source.Missing() && !s.restarted {
		s.note(true, "lines are missing here: the container log no longer contains them")
	}
}

// onGaps notes which lines of this pod the log of a recording lacks. The log may have been that of another pod of the name,
// too, whose gaps are not this one's. What can't be read counts as unknown, not as without gaps.
func (s *stream) onGaps(doc []byte) {
	s.recorded = true
	var known wire.LogGaps
	if json.Unmarshal(doc, &known) != nil {
		known = wire.LogGaps{} // a proxy of another version wrote it
	}
	var all []log.Gap
	for _, g := range known.Gaps {
		if g.UID == "" || g.UID == s.pod.uid {
			all = append(all, log.Gap{From: g.From, To: g.To})
		}
	}
	s.source.Lacks(all, known.Known)
}

// onPodGone notes that the pod is gone. A log that is still open is read to its end.
func (s *stream) onPodGone() { s.leave("the pod is gone") }

// onDeselected notes that the owner does not select the pod any more. It may run on, so its log is not read to
// its end. That of a pod that was gone before is.
func (s *stream) onDeselected() {
	if !s.podGone {
		s.leave("the pod is no longer selected")
		s.end()
	}
}

// leave notes, once, why no reader follows the one that is open.
func (s *stream) leave(why string) {
	if s.podGone {
		return
	}
	s.podGone = true
	s.backoff.cancel()
	s.note(false, why)
	if s.cancel == nil {
		s.setState(log.Gone, "")
	}
}

// onReplaced notes that the pod is gone, and that another one has its name. A log is found by the name of its
// pod, so one that was not open all the time may be the new pod's, which has a stream of its own: it is not read
// twice.
func (s *stream) onReplaced() {
	s.onPodGone()
	if s.opened > 1 || s.state != log.Live {
		s.end()
	}
}

// end closes the log of a pod that is gone, if it is still open.
func (s *stream) end() {
	if s.cancel == nil {
		return
	}
	s.close()
	s.source.End()
	s.setState(log.Gone, "")
	s.group.refreshSoon()
}

// onPodBack notes that the pod belongs to the owner again, since its labels changed.
func (s *stream) onPodBack(now time.Time) {
	s.podGone = false
	s.note(false, "the pod is back")
	if s.cancel == nil && (s.state == log.Gone || s.container.running) {
		s.backoff.at = now
	}
}

// close ends the reader.
func (s *stream) close() {
	if s.cancel != nil {
		s.cancel()
		s.cancel = nil
	}
}
