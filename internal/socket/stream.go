package socket

import (
	"context"
	"io"
	"sync"
	"time"

	"watchglass/internal/wire"
)

// Stream is one request and its answer. It is read by one goroutine.
type Stream struct {
	client *Client
	conn   Conn // the connection that it is open on
	id     uint32

	mu       *sync.Mutex // the client's; it guards all below
	opened   bool
	queued   bool // a place was heard that has not been reported
	ahead    int  // how many requests have their turn before
	encoding wire.Encoding
	frames   []wire.Frame // received and not yet read; credit limits them
	seq      uint64
	end      *wire.End
	owed     int       // bytes applied and not yet credited
	out      int       // bytes received and not yet credited
	stalls   int       // times that these filled the window
	full     time.Time // when they did; zero once half of it is free again
	age      time.Duration
	agedAt   time.Time
	paused   bool          // the proxy says that the user's permission could not be confirmed
	changed  chan struct{} // capacity 1: something was received

	events []wire.Event // scratch of Next; only the reader uses it
}

// Next waits for the next frame and returns its events. At the end of the stream the error is
// io.EOF, or the Status with which it ended. The events are valid until the next call.
func (s *Stream) Next(ctx context.Context) (wire.Batch, error) {
	for {
		s.mu.Lock()
		if len(s.frames) > 0 {
			f := s.frames[0]
			s.frames[0] = wire.Frame{}
			s.frames = s.frames[1:]
			s.mu.Unlock()
			return s.parse(f)
		}
		end := s.end
		s.mu.Unlock()
		if end != nil {
			if end.Status != nil {
				return wire.Batch{}, end.Status
			}
			return wire.Batch{}, io.EOF
		}
		select {
		case <-s.changed:
		case <-ctx.Done():
			return wire.Batch{}, ctx.Err()
		}
	}
}

func (s *Stream) parse(f wire.Frame) (wire.Batch, error) {
	seq, events, err := f.Data(s.events[:0])
	s.events = events
	if err == nil && seq != s.seq+1 {
		err = &wire.Status{Origin: wire.FromSocket, Reason: wire.ReasonMalformed, Message: "frames are missing or out of order"}
	} else if err != nil {
		err = &wire.Status{Origin: wire.FromSocket, Reason: wire.ReasonMalformed, Message: err.Error()}
	}
	s.seq = seq
	return wire.Batch{Events: events, Bytes: frameBytes(f)}, err
}

// frameBytes returns the size of a frame including its header, as the relay counts it.
func frameBytes(f wire.Frame) int {
	return len(wire.AppendHeader(make([]byte, 0, 8), f.Kind, f.Stream)) + len(f.Body)
}

// Credit reports n bytes of batches as applied. It credits the relay in steps of at least
// wire.CreditStep, and for the early stream only after Watched.
func (s *Stream) Credit(n int) {
	s.mu.Lock()
	s.owed += n
	owed := s.owed
	if held := s.id == wire.EarlyStream && !s.client.watched; owed < wire.CreditStep || s.end != nil || held {
		s.mu.Unlock()
		return
	}
	s.owed, s.out = 0, s.out-owed
	if s.out < wire.StreamWindow/2 {
		s.full = time.Time{}
	}
	s.mu.Unlock()
	s.client.send(s.conn, wire.CreditFrame(s.id, owed))
}

// stallAt is how many uncredited bytes leave no room for another full frame.
const stallAt = wire.StreamWindow - wire.BatchBytes

// received counts bytes that came. The client's lock is held.
func (s *Stream) received(n int) {
	if s.out < stallAt && s.out+n >= stallAt {
		s.stalls++
		if s.full.IsZero() {
			s.full = time.Now()
		}
	}
	s.out += n
}

// Stalls returns how often the stream had to wait for credit, because what had come was not applied
// yet.
func (s *Stream) Stalls() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stalls
}

// Full returns for how long events have come faster than they were applied, so that more of them may wait on the way.
func (s *Stream) Full(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.full.IsZero() {
		return 0
	}
	return now.Sub(s.full)
}

// Encoding returns how the apiserver encodes the objects of the stream.
func (s *Stream) Encoding() wire.Encoding {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.encoding
}

// Age returns the time since the apiserver last gave a sign of life on this stream, as far as
// the tab knows: the age that the proxy last reported, plus the time since.
func (s *Stream) Age(now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.age + now.Sub(s.agedAt)
}

// Paused reports whether the proxy pauses the stream, because the user's permission could not be confirmed.
func (s *Stream) Paused() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.paused
}

// Close ends the stream. It may be called more than once.
func (s *Stream) Close() {
	s.mu.Lock()
	_, open := s.client.streams[s.id]
	delete(s.client.streams, s.id)
	ended := s.end != nil
	if !ended {
		s.end = &wire.End{}
	}
	s.frames = nil
	s.mu.Unlock()
	s.notify()
	if open && !ended {
		s.client.send(s.conn, wire.AppendHeader(nil, wire.KindClose, s.id))
	}
}

func (s *Stream) notify() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}
