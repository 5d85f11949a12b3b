// Package wiretest is a seam for tests: a WebSocket in memory, for both sides of package wire.
//
// In: messages of one end. Out: the same messages at the other.
package wiretest

import (
	"context"
	"errors"
	"io"
	"sync"
)

// Conn is one end of a pipe. Like a WebSocket, it carries whole messages, in order, until
// either end closes.
type Conn struct {
	in, out chan []byte
	done    chan struct{}
	once    *sync.Once
}

// ErrClosed is returned for a write to a closed pipe.
var ErrClosed = errors.New("the pipe is closed")

// Pipe returns the two ends of a pipe. Each direction holds up to buffer messages that were
// written and not yet read.
func Pipe(buffer int) (a, b *Conn) {
	x, y := make(chan []byte, buffer), make(chan []byte, buffer)
	done, once := make(chan struct{}), new(sync.Once)
	return &Conn{x, y, done, once}, &Conn{y, x, done, once}
}

// Read returns the next message.
func (c *Conn) Read(ctx context.Context) ([]byte, error) {
	select {
	case msg := <-c.in:
		return msg, nil
	default:
	}
	select {
	case msg := <-c.in:
		return msg, nil
	case <-c.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case msg := <-c.in: // it came just before the end
		return msg, nil
	default:
		return nil, io.EOF
	}
}

// Write sends a copy of a message.
func (c *Conn) Write(ctx context.Context, msg []byte) error {
	select {
	case <-c.done:
		return ErrClosed
	default:
	}
	select {
	case c.out <- append([]byte(nil), msg...):
		return nil
	case <-c.done:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close ends both directions, at both ends.
func (c *Conn) Close() error {
	c.once.Do(func() { close(c.done) })
	return nil
}
