package replay

import (
	"encoding/json"
	"iter"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/wire"
)

// Sight is what is on screen of a kind. A watch is sent what changed of it first.
type Sight struct {
	Group, Resource string
	// Has is called from other goroutines.
	Has func(key string) bool
}

// passage leads a watch to a moment. It reads the tape only as far as there is room for what is sent, so
// that the first rows don't wait for the last, nor other streams for this one.
type passage struct {
	batch
	at      time.Time
	version uint64
	end     []byte // a bookmark
	read    func() (event, bool)
	stop    func()
	seen    bool // the frame has what is on screen
}

// event is what a watch is sent. Its payload is valid until the next one is read.
type event struct {
	kind    wire.EventType
	payload []byte
	sight   bool // it is on screen
}

// begin begins a passage to the moment that is shown.
func (s *stream) begin(end []byte, events iter.Seq[event]) {
	r := s.conn.relay
	p := &passage{batch: batch{stream: s}, at: r.at(), version: r.version, end: end}
	p.read, p.stop = iter.Pull(events)
	s.watch.passage = p
}

// objects are all objects of the moment that is shown.
func (w *watch) objects(r *Relay) iter.Seq[event] {
	at := r.at()
	return func(yield func(event) bool) {
		r.tape.At(w.on, at, func(o history.Object) bool {
			return !w.picks.has(o.Key, o.Payload) || yield(event{kind: wire.Added, payload: w.picks.encode(o.Payload)})
		})
	}
}

// changes are what differs between two moments. What is on screen comes first.
func (w *watch) changes(r *Relay, from, to time.Time) iter.Seq[event] {
	sight := r.sightOf(w.on)
	return func(yield func(event) bool) {
		r.tape.Moved(w.on, from, to, sight, func(c history.Change) bool {
			e := event{sight: sight != nil && sight(c.Key)}
			e.kind, e.payload = w.picks.change(c)
			return e.kind == 0 || yield(e)
		})
	}
}

// advance goes on towards the moment that is shown, by a frame. Where nothing is known the objects go, and
// the watch ends with the reason.
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
			s.conn.breath.Tire()
		}
		if !more {
			s.arrive()
			return
		}
		p.seen = e.sight
		p.add(e.kind, e.payload)
	}
}

// depart begins a passage, and reports whether there is need of one.
func (s *stream) depart() bool {
	r, w := s.conn.relay, s.watch
	if w.version == r.version {
		return false
	}
	from, to := w.at, r.at()
	if first, _ := r.tape.Span(); from.Before(first.Truncate(time.Millisecond)) {
		s.end(refusal(410, wire.ReasonExpired, "the history being shown was dropped from memory"))
		return false
	}
	if status := r.load(w.on, to); status != nil {
		s.end(status)
		return false
	}
	s.begin(bookmark(r.version), w.changes(r, from, to))
	return true
}

// arrive ends a passage, whose moment the watch has then reached.
func (s *stream) arrive() {
	r, w := s.conn.relay, s.watch
	p := w.passage
	w.passage, w.at, w.version, w.marked = nil, p.at, p.version, r.now()
	p.add(wire.Bookmark, p.end)
	if status := r.unknown(w.on, w.at); status != nil {
		why, _ := json.Marshal(status) // texts and numbers never fail to encode
		p.add(wire.Error, why)
		s.end(nil)
	}
	p.flush()
}

// leave ends what the stream reads.
func (s *stream) leave() {
	if s.watch != nil && s.watch.passage != nil {
		s.watch.passage.stop()
		s.watch.passage = nil
	}
}
