//go:build !js

package relay

import (
	"context"
	"runtime"
	"time"
)

// Heavy bounds the memory that large objects take while they pass, over all sessions of a
// process, and shares it fairly between users. Objects up to 64 KB pass freely.
type Heavy struct {
	room  *fair // bytes of objects
	turns *fair // goroutines that write YAML, which takes the processor for a while
}

// heavyRoom is how many bytes of large objects may pass at a time. Each is in memory up to
// three times: as it was read, as it is sent, and in its frame.
const heavyRoom = 48 << 20

// heavyCrowd is how many single objects of one user may wait for room. Behind each of them
// the transport has read up to 4 MB ahead.
const heavyCrowd = 64

// NewHeavy returns the bound of a process.
func NewHeavy() *Heavy {
	return &Heavy{room: newFair(heavyRoom), turns: newFair(max(1, runtime.GOMAXPROCS(0)/2))}
}

// hold is the room that one stream holds for the object at hand. A nil hold bounds nothing.
type hold struct {
	heavy *Heavy
	user  string
	crowd int
	ctx   context.Context // of the stream
	held  int
}

// reserve waits until there is room for an object that has reached a size, and may grow to
// another. Room that is too small is given back first, see fair.
func (h *hold) reserve(size, most int) error {
	if h == nil || size <= max(keepBytes, h.held) {
		return nil
	}
	h.release()
	if err := h.heavy.room.acquire(h.ctx, h.user, most, h.crowd); err != nil {
		return err
	}
	h.held = most
	return nil
}

// shrink gives back what the object, now that all of it is there, does not need.
func (h *hold) shrink(size int) {
	if h != nil && h.held > size {
		h.heavy.room.release(h.user, h.held-size)
		h.held = size
	}
}

// release gives all back: the object has passed, or never will.
func (h *hold) release() { h.shrink(0) }

// turn runs what takes the processor, when it is the user's turn. A turn lasts twice as long
// as the work, so that others find the processor free half of the time: that halves their
// latency, and costs a third of the rate.
func (h *hold) turn(work func()) error {
	if h == nil || h.held == 0 {
		work()
		return nil
	}
	if err := h.heavy.turns.acquire(h.ctx, h.user, 1, 0); err != nil {
		return err
	}
	began := time.Now()
	work()
	time.AfterFunc(time.Since(began), func() { h.heavy.turns.release(h.user, 1) })
	return nil
}
