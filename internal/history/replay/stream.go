package replay

import (
	"strconv"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// stream is a request and the unsent part of its answer.
type stream struct {
	conn    *conn
	id      uint32
	request wire.Request
	seq     uint64
	frames  [][]byte // to be sent
	sent    int      // bytes sent but not yet credited
	over    bool     // it ends after frames, with status
	status  *wire.Status

	watch  *watch  // nil: not a watch
	follow *follow // nil: not a followed log
}

// next returns the next frame; nil if there is none, or no credit for it.
func (s *stream) next() []byte {
	if len(s.frames) == 0 && !s.over {
		switch {
		case s.watch != nil:
			s.advance()
		case s.follow != nil:
			s.sendLines()
		}
	}
	switch {
	case len(s.frames) > 0:
		frame := s.frames[0]
		if n := len(frame); s.sent >= wire.CreditStep && (s.sent+n > wire.StreamWindow || s.conn.sent+n > wire.ConnWindow) {
			return nil
		}
		s.frames[0], s.frames = nil, s.frames[1:]
		s.sent, s.conn.sent = s.sent+len(frame), s.conn.sent+len(frame)
		return frame
	case s.over:
		s.conn.remove(s.id)
		return wire.JSONFrame(wire.KindEnd, s.id, wire.End{Status: s.status})
	}
	return nil
}

// end ends the stream once everything is sent.
func (s *stream) end(status *wire.Status) { s.over, s.status = true, status }

// batch packs events into a stream's frames.
type batch struct {
	*stream
	frame  []byte
	begun  bool // frame has an event
	filled bool // an earlier frame was full
}

// objectMost is the size of the largest payload that fits into a frame.
const objectMost = wire.MaxFrame - 64

// add adds an event. It copies the payload.
func (b *batch) add(t wire.EventType, payload []byte) {
	if len(payload) > objectMost {
		b.flush()
		b.end(refusal(0, wire.ReasonTooLarge, "an object is larger than 8 MB"))
		return
	}
	if b.begun && len(b.frame)+wire.EventSize(len(payload)) > wire.BatchBytes {
		b.flush()
		b.filled = true
	}
	if !b.begun {
		b.seq++
		if b.begun = true; b.filled {
			b.frame = make([]byte, 0, wire.BatchBytes)
		}
		b.frame = wire.AppendData(b.frame, b.id, b.seq)
	}
	b.frame = wire.AppendEvent(b.frame, t, payload)
}

// flush queues the current frame.
func (b *batch) flush() {
	if b.begun {
		b.frames = append(b.frames, b.frame)
		b.frame, b.begun = nil, false
	}
}

// watch is the state of a watch.
type watch struct {
	on      int // the stream of the record
	picks   *selection
	at      time.Time // the last moment sent
	version uint64    // of that moment
	known   time.Time // up to when changes had been dropped then
	marked  time.Time // when a bookmark was last sent
	passage *passage  // to the next moment; nil: none
}

// openWatch starts a watch, with all objects or with the changes since a version.
func (s *stream) openWatch(on int, about history.Stream, picks *selection) *wire.Status {
	r, q := s.conn.relay, s.request
	w := &watch{on: on, picks: picks, marked: r.now()}
	if w.version, w.at = r.version, r.at(); q.ResourceVersion != "" && q.ResourceVersion != "0" && !q.SendInitialEvents {
		version, err := strconv.ParseUint(q.ResourceVersion, 10, 64)
		at, ok := r.momentOf(version)
		if err != nil || !ok || !r.answers(on, q, at) {
			return refusal(410, wire.ReasonExpired, "version "+q.ResourceVersion+" is unknown here")
		}
		if w.at = at; version != r.version {
			w.version = version
		}
	} else {
		w.known = r.dropped(on)
	}
	s.watch = w
	b := batch{stream: s}
	if about.Columns != nil && !picks.metadata {
		b.add(wire.Columns, about.Columns)
	}
	b.flush()
	switch {
	case q.SendInitialEvents:
		s.begin(object.EndOfList(versionText(w.version)), w.objects(r))
	case q.ResourceVersion == "" || q.ResourceVersion == "0":
		s.begin(bookmark(w.version), w.objects(r))
	}
	return nil
}

// markEvery is how often an idle watch is sent a bookmark, as the apiserver does.
const markEvery = 30 * time.Second

// mark sends a bookmark if one is due. It ends a watch whose objects may no longer be read, also if time stands
// still: then nothing else would look.
func (s *stream) mark(now time.Time) {
	if w := s.watch; w != nil && !s.over {
		if status := s.conn.relay.denied(w.on, w.at); status != nil {
			s.leave()
			s.frames = nil
			s.end(status)
			return
		}
	}
	if w := s.watch; w != nil && w.passage == nil && len(s.frames) == 0 && !s.over && now.Sub(w.marked) >= markEvery {
		w.marked = now
		b := batch{stream: s}
		b.add(wire.Bookmark, bookmark(w.version))
		b.flush()
	}
}

func versionText(version uint64) string { return strconv.FormatUint(version, 10) }

// bookmark returns a bookmark at a version, for any kind.
func bookmark(version uint64) []byte {
	return []byte(`{"metadata":{"resourceVersion":"` + versionText(version) + `"}}`)
}
