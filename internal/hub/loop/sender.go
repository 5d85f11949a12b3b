package loop

import (
	"bytes"
	"encoding/json"
	"time"
)

// Waker steps, or updates, whoever asks it to at a time.
type Waker interface{ WakeAt(at time.Time) }

// Pace says when something may be done again. The zero Pace lets it be done at once.
type Pace struct{ next time.Time }

// Due reports whether it may be done. If not, it asks to be woken when it may.
func (p *Pace) Due(w Waker, now time.Time) bool {
	if now.Before(p.next) {
		w.WakeAt(p.next)
		return false
	}
	return true
}

// Rest has it wait for a while.
func (p *Pace) Rest(now time.Time, d time.Duration) { p.next = now.Add(d) }

// Skip lets it be done at once, since somebody has asked for it.
func (p *Pace) Skip() { p.next = time.Time{} }

// Sender paces documents, and drops a document that equals the one before.
type Sender struct {
	Pace
	sent []byte
}

// Encode returns a document in JSON; nil if it equals the one before.
func (s *Sender) Encode(v any) []byte {
	doc, _ := json.Marshal(v) // our own structs never fail to encode
	return s.Next(doc)
}

// Next returns a document; nil if it equals the one before.
func (s *Sender) Next(doc []byte) []byte {
	if bytes.Equal(doc, s.sent) {
		return nil
	}
	s.sent = doc
	return doc
}
