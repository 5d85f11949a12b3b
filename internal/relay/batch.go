//go:build !js

package relay

import (
	"sync"
	"sync/atomic"
	"time"

	"watchglass/internal/wire"
)

// batch gathers the events of one stream into frames. An event goes at once if no
// frame went for a while; else it waits for the rest of that while, or until its
// frame is full, since a message an event costs three times as much. An object
// larger than a frame should be travels alone.
//
// send blocks while the tab has no room; the batch then blocks whoever adds.
type batch struct {
	stream uint32
	read   *atomic.Int64 // when the stream last read, in unix nanoseconds
	send   func(frame []byte, read int64) error

	mu     sync.Mutex
	frame  *[]byte // header, sequence and events; none while there are none
	events int
	since  int64 // when the first of them was read
	seq    uint64
	last   time.Time // when the last frame went
	timer  *time.Timer
	failed error
}

// spare are the buffers of no frame: a tab that nothing
// comes to holds on to none.
var spare = sync.Pool{New: func() any { return new([]byte) }}

func newBatch(stream uint32, read *atomic.Int64, send func(frame []byte, read int64) error) *batch {
	return &batch{stream: stream, read: read, send: send}
}

// add puts an event into the frame, and sends the frame if it is time.
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
		b.arm(wire.BatchLinger - time.Since(b.last))
	}
	return b.failed
}

// arm sees to it that what is in the frame waits no longer than that for more.
func (b *batch) arm(wait time.Duration) {
	switch {
	case wait <= 0:
		b.flushLocked()
	case b.timer == nil:
		b.timer = time.AfterFunc(wait, b.flush)
	default:
		b.timer.Reset(wait)
	}
}

// flush sends what there is. It is also what the timer does.
func (b *batch) flush() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flushLocked()
}

func (b *batch) flushLocked() {
	if b.timer != nil {
		b.timer.Stop()
	}
	if b.events == 0 || b.failed != nil {
		return
	}
	b.failed = b.send(*b.frame, b.since)
	b.last = time.Now()
	if cap(*b.frame) <= 2*wire.BatchBytes { // one that a huge object stretched is let go
		spare.Put(b.frame)
	}
	b.frame, b.events = nil, 0
}

// close ends the batch without sending; its timer never fires again.
func (b *batch) close(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.timer != nil {
		b.timer.Stop()
	}
	b.failed = err
}
