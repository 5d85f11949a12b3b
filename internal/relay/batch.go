//go:build !js

package relay

import (
	"sync"
	"sync/atomic"
	"time"

	"watchglass/internal/wire"
)

// batch collects the events of one stream into frames, since one message per event costs three
// times as much. On average a frame leaves every wire.BatchLinger at most, and batchAhead frames
// may leave before their time: at a pace of a hundred events a second, which come at uneven
// intervals, each leaves at once. Under more load an event waits until the next frame is due, or
// until its frame is full. An object larger than wire.BatchBytes travels alone.
//
// send blocks while the tab has no room, and then add blocks too.
type batch struct {
	stream uint32
	read   *atomic.Int64 // when the stream last read, in unix nanoseconds
	send   func(frame []byte, read int64) error

	mu     sync.Mutex
	frame  *[]byte // header, sequence and events; nil without events
	events int
	since  int64 // when the first event was read
	seq    uint64
	due    time.Time // when the next frame would leave, if none could leave before its time
	timer  *time.Timer
	failed error
}

// batchAhead is how many frames may leave before they are due.
const batchAhead = 2

// spare holds the buffers that no frame uses. All tabs share them, so an idle tab holds none.
var spare = sync.Pool{New: func() any { return new([]byte) }}

func newBatch(stream uint32, read *atomic.Int64, send func(frame []byte, read int64) error) *batch {
	return &batch{stream: stream, read: read, send: send}
}

// add adds an event to the frame, and sends the frame if it is due.
func (b *batch) add(t wire.EventType, payload []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	size := wire.EventSize(len(payload))
	if b.events > 0 && len(*b.frame)+size > wire.BatchBytes {
		b.flushLocked()
	}
	if b.failed != nil {
		return b.failed
	}
	if b.events == 0 {
		b.seq++
		b.since = b.read.Load()
		b.frame = spare.Get().(*[]byte)
		*b.frame = wire.AppendData((*b.frame)[:0], b.stream, b.seq)
	}
	*b.frame = wire.AppendEvent(*b.frame, t, payload)
	b.events++
	switch {
	case len(*b.frame) >= wire.BatchBytes:
		b.flushLocked()
	case b.events == 1:
		b.arm(time.Until(b.due.Add(-batchAhead * wire.BatchLinger)))
	}
	return b.failed
}

// arm sends the frame after a wait, or at once if there is none.
func (b *batch) arm(wait time.Duration) {
	switch {
	case wait <= 0:
		b.flushLocked()
	case b.timer == nil:
		b.timer = time.AfterFunc(wait, func() { b.flush() })
	default:
		b.timer.Reset(wait)
	}
}

// flush sends the frame. The timer calls it too.
func (b *batch) flush() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flushLocked()
	return b.failed
}

func (b *batch) flushLocked() {
	if b.timer != nil {
		b.timer.Stop()
	}
	if b.events == 0 || b.failed != nil {
		return
	}
	b.failed = b.send(*b.frame, b.since)
	if now := time.Now(); b.due.Before(now) {
		b.due = now
	}
	b.due = b.due.Add(wire.BatchLinger)
	if cap(*b.frame) <= 2*wire.BatchBytes { // a larger one, grown by a huge object, is freed
		spare.Put(b.frame)
	}
	b.frame, b.events = nil, 0
}

// close ends the batch without sending. Its timer never fires again.
func (b *batch) close(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timer != nil {
		b.timer.Stop()
	}
	b.failed = err
}
