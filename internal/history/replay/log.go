package replay

import (
	"bytes"
	"encoding/json"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/wire"
)

// follow is a log that is followed: lines are sent as time reaches them.
type follow struct {
	text []byte    // not yet sent
	at   time.Time // the moment reached
}

// logs returns the logs of the record.
func (r *Relay) logs() []history.Log {
	if t, ok := r.record.(history.LogRecord); ok {
		return t.Logs()
	}
	return nil
}

// openLog sends the lines of a log up to the moment shown.
func (s *stream) openLog() *wire.Status {
	r, q := s.conn.relay, s.request
	var o wire.LogOptions
	if q.Log != nil {
		o = *q.Log
	}
	var log history.Log
	found := false
	for _, l := range r.logs() {
		if l.Namespace == q.Namespace && l.Pod == q.Name && l.Previous == o.Previous && (o.Container == "" || o.Container == l.Container) {
			log, found = l, true
			break
		}
	}
	if !found {
		return refusal(404, wire.ReasonNotFound, "the log of "+q.Name+" was not recorded")
	}
	at := r.at()
	past, later := splitAt(log.Text, at)
	s.sendGaps(log)
	s.sendText(limited(past, o, at), o.Timestamps)
	if o.Follow {
		s.follow = &follow{later, at}
	} else {
		s.over = true
	}
	return nil
}

// sendGaps sends what is known of the lines that a log lacks.
func (s *stream) sendGaps(l history.Log) {
	out := wire.LogGaps{Known: l.Known}
	for _, g := range l.Gaps {
		gap := wire.LogGap{To: g.To.UnixNano(), UID: g.UID}
		if !g.From.IsZero() {
			gap.From = g.From.UnixNano()
		}
		out.Gaps = append(out.Gaps, gap)
	}
	doc, _ := json.Marshal(out) // numbers never fail to encode
	b := batch{stream: s}
	b.add(wire.Bookmark, doc)
	b.flush()
}

// sendLines sends the lines of a followed log that time has reached. When time runs backwards, lines
// already sent stay.
func (s *stream) sendLines() {
	at := s.conn.relay.at()
	if !at.After(s.follow.at) {
		return
	}
	now, later := splitAt(s.follow.text, at)
	s.follow.text, s.follow.at = later, at
	s.sendText(now, s.request.Log.Timestamps)
}

// splitAt splits a log after the last line up to a moment.
func splitAt(text []byte, at time.Time) (before, after []byte) {
	n := 0
	for line := range bytes.Lines(text) {
		if t, ok := lineTime(line); ok && t.After(at) {
			break
		}
		n += len(line)
	}
	return text[:n], text[n:]
}

// lineTime returns the kubelet's timestamp of a line.
func lineTime(line []byte) (time.Time, bool) {
	stamp, _, _ := bytes.Cut(line, []byte{' '})
	t, err := time.Parse(time.RFC3339Nano, string(bytes.TrimSpace(stamp)))
	return t, err == nil
}

// limited returns the lines of a log that the options request.
func limited(text []byte, o wire.LogOptions, at time.Time) []byte {
	since, err := time.Parse(time.RFC3339Nano, o.SinceTime)
	if o.SinceSeconds > 0 {
		since, err = at.Add(-time.Duration(o.SinceSeconds)*time.Second), nil
	}
	if err == nil {
		_, text = splitAt(text, since.Add(-1))
	}
	if o.TailLines != nil {
		text = tail(text, *o.TailLines)
	}
	if o.LimitBytes > 0 && int64(len(text)) > o.LimitBytes {
		text = text[:o.LimitBytes]
	}
	return text
}

// tail returns the last lines of a log.
func tail(text []byte, lines int64) []byte {
	end := len(text)
	for end > 0 && lines > 0 {
		end = bytes.LastIndexByte(text[:end-1], '\n') + 1
		lines--
	}
	return text[end:]
}

// textMost is the maximum size of an event of a log, in bytes.
const textMost = 64 << 10

// sendText sends lines, with their times only if those are requested.
func (s *stream) sendText(text []byte, timestamps bool) {
	b := batch{stream: s}
	var piece []byte
	for line := range bytes.Lines(text) {
		if _, ok := lineTime(line); ok && !timestamps {
			_, line, _ = bytes.Cut(line, []byte{' '})
		}
		if piece = append(piece, line...); len(piece) >= textMost {
			b.add(wire.Text, piece)
			piece = piece[:0]
		}
	}
	if len(piece) > 0 {
		b.add(wire.Text, piece)
	}
	b.flush()
}
