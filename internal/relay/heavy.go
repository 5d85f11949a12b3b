//go:build !js

package relay

import "context"

// Heavy limits the memory that large objects take on their way through the process, and shares
// it fairly between users. Objects up to 64 KB are not limited.
type Heavy struct {
	room *fair // bytes of objects
}

// heavyRoom is how many bytes of large objects may be on their way at once. Each object is in
// memory up to three times: as read, as sent, and in its frame.
const heavyRoom = 48 << 20

// heavyCrowd is how many single objects of one user may wait for room. The transport reads up
// to 4 MB ahead for each of them.
const heavyCrowd = 64

// NewHeavy returns the limit of a process.
func NewHeavy() *Heavy {
	return &Heavy{room: newFair(heavyRoom)}
}

// hold is the room that one stream holds for its current object. A nil hold limits nothing.
type hold struct {
	heavy *Heavy
	user  string
	crowd int
	ctx   context.Context // of the stream
	held  int
}

// reserve waits for room for an object that has reached size and may grow to most. If the held
// room is too small, it is released first; see fair.
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

// shrink releases the room that the object does not need, now that its size is known.
func (h *hold) shrink(size int) {
	if h != nil && h.held > size {
		h.heavy.room.release(h.user, h.held-size)
		h.held = size
	}
}

// release releases all room: the object has been sent, or never will be.
func (h *hold) release() { h.shrink(0) }
