package panetest

import (
	"cmp"
	"context"
	"sync"
	"time"

	"watchglass/internal/wire"
)

// Stream delivers what a test sends. As the contract allows, it overwrites the payloads of a
// batch when the next one is requested.
type Stream struct {
	Request wire.Request

	news chan struct{}
	last []wire.Event // the last batch; for the reader only

	mu     sync.Mutex
	sent   []wire.Event // and not yet delivered
	end    error        // after them
	credit int
	closed bool
}

// NewStream answers a request.
func NewStream(r wire.Request) *Stream { return &Stream{Request: r, news: make(chan struct{}, 1)} }

// Send sends an event. The payload belongs to the stream from then on.
func (s *Stream) Send(kind wire.EventType, payload []byte) {
	s.add(func() { s.sent = append(s.sent, wire.Event{Type: kind, Payload: payload}) })
}

// End ends the stream, once all that was sent is delivered.
func (s *Stream) End(err error) { s.add(func() { s.end = err }) }

func (s *Stream) add(what func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	what()
	select {
	case s.news <- struct{}{}:
	default:
	}
}

// Next waits for events.
func (s *Stream) Next(ctx context.Context) (wire.Batch, error) {
	for _, e := range s.last {
		for i := range e.Payload {
			e.Payload[i] = 'X'
		}
	}
	for s.last = nil; ; {
		if batch, err := s.drain(); len(batch.Events) > 0 || err != nil {
			s.last = batch.Events
			return batch, err
		}
		select {
		case <-s.news:
		case <-ctx.Done():
			return wire.Batch{}, context.Cause(ctx)
		}
	}
}

// drain returns everything that was sent, or else the end.
func (s *Stream) drain() (batch wire.Batch, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sent) == 0 {
		return batch, s.end
	}
	batch.Events, s.sent = s.sent, nil
	for _, e := range batch.Events {
		batch.Bytes += len(e.Payload)
	}
	return batch, nil
}

// Credit adds up what Credited returns.
func (s *Stream) Credit(bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.credit += bytes
}

// Credited returns the sum of all credit.
func (s *Stream) Credited() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.credit
}

// Close closes the stream.
func (s *Stream) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
}

// Closed reports whether the stream was closed.
func (s *Stream) Closed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Encoding returns the requested encoding; by default protobuf.
func (s *Stream) Encoding() wire.Encoding { return cmp.Or(s.Request.Encoding, wire.EncodingProtobuf) }

// Age returns 0, as if the server had just answered.
func (s *Stream) Age(time.Time) time.Duration { return 0 }
