package replay

import (
	"encoding/json"
	"iter"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/wire"
)

// Sight is the objects of a kind that are on screen. A watch is sent their changes first.
type Sight struct {
	Group, Resource string
	// Has is called from other goroutines.
	Has func(key string) bool
}

// passage takes a watch to a moment. It reads the record only as fast as frames can be sent, so that the
// first rows don't wait for the last, nor other streams for this one.
type passage struct {
	batch
	at      time.Time
	version uint64
	end     []byte // a bookmark
	read    func() (event, bool)
	stop    func()
	seen    bool // the frame has objects on screen
}

// event is an event of a watch. Its payload is valid until the next event is read.
type event struct {
	kind    wire.EventType
	payload []byte
	sight   bool // it is on screen
}

// begin starts a passage to the moment shown.
func (s *stream) begin(end []byte, events iter.Seq[event]) {
	r := s.conn.relay
	p := &passage{batch: batch{stream: s}, at: r.at(), version: r.version, end: end}
	p.read, p.stop = iter.Pull(events)
	s.watch.passage = p
}

// objects returns all objects of the moment shown, as added.
func (w *watch) objects(r *Relay) iter.Seq[event] {
	at := r.at()
	return func(yield func(event) bool) {
		r.record.At(w.on, at, func(o history.Object) bool {
			return !w.picks.has(o.Key, o.Payload) || yield(event{kind: wire.Added, payload: w.picks.encode(o.Payload)})
		})
	}
}

// changes returns the differences between two moments. Objects on screen come first.
func (w *watch) changes(r *Relay, from, to time.Time) iter.Seq[event] {
	sight := r.sightOf(w.on)
	return func(yield func(event) bool) {
		r.record.Moved(w.on, from, to, sight, func(c history.Change) bool {
			e := event{sight: sight != nil && sight(c.Key)}
			e.kind, e.payload = w.picks.change(c)
			return e.kind == 0 || yield(e)
		})
	}
}

// advance moves the watch one frame closer to the moment shown. If nothing is known of the stream at
// that moment, its objects are deleted, and the watch ends with the reason.
func (s *stream) advance() {
	w := s.watch
	if w.passage == nil && !s.depart() {
		return
	}
	p := w.passage
	for len(s.frames) == 0 && !s.over {
		e, more := p.read()
		if p.seen && !e.sight {
			p.seen = false
			p.flush()
			s.conn.timer.Expire()
		}
		if !more {
			s.arrive()
			return
		}
		p.seen = e.sight
		p.add(e.kind, e.payload)
	}
}

// depart starts a passage if one is needed, and reports whether it did.
func (s *stream) depart() bool {
	r, w := s.conn.relay, s.watch
	if w.version == r.version {
		return false
	}
	from, to := w.at, r.at()
	if first, _ := r.record.Span(); from.Before(first.Truncate(time.Millisecond)) || s.overtaken() {
		s.end(refusal(410, wire.ReasonExpired, "the history being shown was dropped from memory"))
		return false
	}
	if !r.answers(w.on, s.request, to) {
		s.end(refusal(410, wire.ReasonExpired, "another list of "+kindName(s.request)+" was open at this time"))
		return false
	}
	if status := r.load(w.on, to); status != nil {
		s.end(status)
		return false
	}
	s.begin(bookmark(r.version), w.changes(r, from, to))
	return true
}

// overtaken reports whether memory has dropped changes after the watch's moment since it got there. They are not in a
// passage from that moment, so it would leave objects on screen that they deleted.
func (s *stream) overtaken() bool {
	w := s.watch
	known := s.conn.relay.dropped(w.on)
	return known.After(w.known) && w.at.Before(known)
}

// dropped returns up to when memory has dropped a stream's changes.
func (r *Relay) dropped(on int) (until time.Time) {
	for _, g := range r.record.Gaps(on) {
		if g.Why == history.Dropped && g.To.After(until) {
			until = g.To
		}
	}
	return until
}

// arrive ends a passage: the watch has reached its moment, unless changes on the way were dropped meanwhile.
func (s *stream) arrive() {
	r, w := s.conn.relay, s.watch
	p := w.passage
	if s.overtaken() {
		p.flush()
		s.leave()
		s.end(refusal(410, wire.ReasonExpired, "the history being shown was dropped from memory"))
		return
	}
	w.known = r.dropped(w.on)
	w.passage, w.at, w.version, w.marked = nil, p.at, p.version, r.now()
	p.add(wire.Bookmark, p.end)
	if status := r.unknown(w.on, w.at); status != nil {
		why, _ := json.Marshal(status) // texts and numbers never fail to encode
		p.add(wire.Error, why)
		s.end(nil)
	}
	p.flush()
}

// leave ends the stream's passage.
func (s *stream) leave() {
	if s.watch != nil && s.watch.passage != nil {
		s.watch.passage.stop()
		s.watch.passage = nil
	}
}
