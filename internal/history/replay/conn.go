package replay

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"watchglass/internal/socket"
	"watchglass/internal/timeslice"
	"watchglass/internal/wire"
)

// conn is one connection. The relay's lock guards its fields, except timer, which belongs to Read.
type conn struct {
	timer   timeslice.Timer
	relay   *Relay
	more    chan struct{} // capacity 1: wakes Read
	control [][]byte      // frames that need no credit
	streams map[uint32]*stream
	order   []uint32 // of the streams; the first is read next
	sent    int      // bytes sent but not yet credited, of all streams
	beat    time.Time
	closed  bool
}

// Dial connects to the relay. The connection needs no greeting.
func (r *Relay) Dial(context.Context) (socket.Connection, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := &conn{relay: r, more: make(chan struct{}, 1), streams: make(map[uint32]*stream), timer: r.timer, beat: r.now().Add(wire.BeatEvery)}
	c.queue(wire.JSONFrame(wire.KindWelcome, 0, r.welcome))
	r.conns = append(r.conns, c)
	return socket.Connection{Conn: c, Greeted: true}, nil
}

// forget removes a connection.
func (r *Relay) forget(c *conn) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.conns = slices.DeleteFunc(r.conns, func(other *conn) bool { return other == c })
}

// readsFor is how long Read works before it rests. The browser delivers events only while Go sleeps, so
// Read rests regularly, and as soon as the objects on screen have been read.
const readsFor = 24 * time.Millisecond

// Write receives a frame of the tab.
func (c *conn) Write(_ context.Context, msg []byte) error {
	r := c.relay
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.closed {
		return io.ErrClosedPipe
	}
	if len(msg) > wire.MaxControl {
		return fmt.Errorf("%w: %d bytes", wire.ErrFrame, len(msg))
	}
	f, err := wire.ParseFrame(msg)
	if err != nil {
		return err
	}
	defer c.wake()
	switch f.Kind {
	case wire.KindOpen:
		return c.open(f)
	case wire.KindCredit:
		n, err := f.Credit()
		if s := c.streams[f.Stream]; s != nil && err == nil {
			n = min(n, s.sent)
			s.sent, c.sent = s.sent-n, c.sent-n
		}
		return err
	case wire.KindClose:
		c.remove(f.Stream)
	case wire.KindBeat:
	default:
		return fmt.Errorf("%w: kind %d from the tab", wire.ErrFrame, f.Kind)
	}
	return nil
}

// open handles a request.
func (c *conn) open(f wire.Frame) error {
	var q wire.Request
	if err := f.JSON(&q); err != nil {
		return err
	}
	if c.streams[f.Stream] != nil || f.Stream == 0 {
		return fmt.Errorf("%w: stream %d is open", wire.ErrFrame, f.Stream)
	}
	if len(c.streams) >= wire.MaxStreams {
		c.end(f.Stream, refusal(429, wire.ReasonTooManyRequests, "too many streams are open"))
		return nil
	}
	c.relay.tick()
	s := &stream{conn: c, id: f.Stream, request: q}
	encoding, status := s.answer()
	if status != nil {
		c.end(f.Stream, status)
		return nil
	}
	c.streams[s.id], c.order = s, append(c.order, s.id)
	c.queue(wire.JSONFrame(wire.KindOpened, s.id, wire.Opened{Encoding: encoding}))
	return nil
}

// Read returns the next frame.
func (c *conn) Read(ctx context.Context) ([]byte, error) {
	c.timer.RestIfDue()
	for {
		frame, wait, err := c.next()
		if frame != nil || err != nil {
			return frame, err
		}
		timer := time.NewTimer(wait)
		select {
		case <-c.more:
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
		timer.Stop()
	}
}

// next returns a frame, or how long to wait for one.
func (c *conn) next() (frame []byte, wait time.Duration, err error) {
	r := c.relay
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.closed {
		return nil, 0, io.EOF
	}
	r.tick()
	now := r.now()
	if !now.Before(c.beat) {
		c.sendBeat(now)
	}
	if len(c.control) > 0 {
		frame := c.control[0]
		c.control = c.control[1:]
		return frame, 0, nil
	}
	for range len(c.order) {
		id := c.order[0]
		c.order = append(c.order[1:], id)
		if frame := c.streams[id].next(); frame != nil {
			return frame, 0, nil
		}
	}
	wait = max(c.beat.Sub(now), time.Millisecond)
	if r.clock.speed > 0 {
		wait = min(wait, max(playEvery-now.Sub(r.clock.shown), time.Millisecond))
	}
	return nil, wait, nil
}

// sendBeat sends a heartbeat: every stream is fresh.
func (c *conn) sendBeat(now time.Time) {
	c.beat = now.Add(wire.BeatEvery)
	ages := make([]wire.Age, len(c.order))
	for i, id := range c.order {
		ages[i].Stream = id
		c.streams[id].mark(now)
	}
	c.queue(wire.BeatFrame(ages))
}

func (c *conn) queue(frame []byte) { c.control = append(c.control, frame) }

// end ends a stream.
func (c *conn) end(id uint32, status *wire.Status) {
	c.remove(id)
	c.queue(wire.JSONFrame(wire.KindEnd, id, wire.End{Status: status}))
}

func (c *conn) remove(id uint32) {
	if s := c.streams[id]; s != nil {
		c.sent -= s.sent
		s.leave()
		delete(c.streams, id)
		c.order = slices.DeleteFunc(c.order, func(other uint32) bool { return other == id })
	}
}

// wake makes Read look for frames again.
func (c *conn) wake() {
	select {
	case c.more <- struct{}{}:
	default:
	}
}

// Close ends the connection.
func (c *conn) Close() error {
	c.relay.forget(c)
	c.relay.mu.Lock()
	defer c.relay.mu.Unlock()
	for _, s := range c.streams {
		s.leave()
	}
	c.closed, c.streams, c.order, c.control = true, nil, nil, nil
	c.wake()
	return nil
}
