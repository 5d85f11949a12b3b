package oracle

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"testing"

	"watchglass/internal/wire/wiretest"
)

// cutter stands on the way of a tab and breaks every connection behind a number of
// bytes, drawn from a seed: between the relay and the apiserver, and between the
// tab and the relay.
type cutter struct {
	listener net.Listener
	target   string
	running  sync.WaitGroup

	mu     sync.Mutex
	random *rand.Rand
	open   map[io.Closer]struct{}
	steady bool // nothing is cut
	dark   bool // nobody gets through to the apiserver
	cuts   int
}

// newCutter starts one in front of an address. It ends with the test.
func newCutter(t *testing.T, target string, seed uint64) *cutter {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cutter{listener: l, target: target, random: rand.New(rand.NewPCG(seed, 0)), open: make(map[io.Closer]struct{}), steady: true}
	c.running.Go(c.accept)
	t.Cleanup(func() {
		l.Close()
		c.cut()
		c.running.Wait()
	})
	return c
}

// one in so many connections to the apiserver breaks before it is of any use: in
// the greeting, in a request, in the head of an answer.
const earlyCuts = 12

// The bytes that pass: of an early cut, and of all others.
const (
	fewBytes  = 8 << 10
	manyBytes = 4 << 20
)

// draw draws how many bytes pass.
func (c *cutter) draw() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.random.IntN(earlyCuts) == 0 {
		return c.random.IntN(fewBytes)
	}
	return fewBytes + c.random.IntN(manyBytes)
}

// set says whether connections are cut, and whether any is let through.
func (c *cutter) set(steady, dark bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.steady, c.dark = steady, dark
}

// cut breaks all connections at once.
func (c *cutter) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cuts++
	for conn := range c.open {
		conn.Close()
	}
}

// count is how many connections were cut.
func (c *cutter) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.cuts
}

// hold notes an open connection; let forgets and closes it.
func (c *cutter) hold(conn io.Closer) (let func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[conn] = struct{}{}
	return func() {
		conn.Close()
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.open, conn)
	}
}

func (c *cutter) accept() {
	for {
		near, err := c.listener.Accept()
		if err != nil {
			return // the test is over
		}
		c.running.Go(func() { c.carry(near.(*net.TCPConn)) })
	}
}

// carry carries the bytes of one connection, both ways.
func (c *cutter) carry(near *net.TCPConn) {
	defer c.hold(near)()
	c.mu.Lock()
	dark, abrupt := c.dark, c.random.IntN(2) == 0
	c.mu.Unlock()
	if abrupt {
		_ = near.SetLinger(0) // reset, where else the end is an orderly one
	}
	if dark {
		return
	}
	far, err := net.Dial("tcp", c.target)
	if err != nil {
		return
	}
	defer c.hold(far)()
	b := &budget{cutter: c, left: c.draw()}
	var back sync.WaitGroup
	back.Go(func() { b.carry(far, near) })
	b.carry(near, far)
	back.Wait()
}

// budget is what may yet pass of a connection. The cutter's lock guards it.
type budget struct {
	cutter *cutter
	left   int
	spent  bool
}

// take takes as much as may pass; over says that it ends there.
func (b *budget) take(n int) (may int, over bool) {
	b.cutter.mu.Lock()
	defer b.cutter.mu.Unlock()
	switch {
	case b.spent:
		return 0, true
	case b.cutter.steady:
		return n, false
	case n < b.left:
		b.left -= n
		return n, false
	}
	b.spent = true
	b.cutter.cuts++
	return b.left, true
}

// carry carries one direction, and closes both ends where it ends.
func (b *budget) carry(to, from net.Conn) {
	defer to.Close()
	defer from.Close()
	chunk := make([]byte, 32<<10)
	for {
		n, err := from.Read(chunk)
		n, over := b.take(n)
		if _, failed := to.Write(chunk[:n]); failed != nil || err != nil || over {
			return
		}
	}
}

// pipe is a WebSocket in memory whose far end is cut.
func (c *cutter) pipe() (near *wiretest.Conn, far *cutConn) {
	near, end := wiretest.Pipe(256)
	return near, &cutConn{Conn: end, budget: &budget{cutter: c, left: c.draw()}}
}

// cutConn is the relay's end of a WebSocket. A message that is cut does not come.
type cutConn struct {
	*wiretest.Conn
	budget *budget
}

var errCut = errors.New("the connection was cut")

// Write sends a message, or cuts the connection within it.
func (c *cutConn) Write(ctx context.Context, msg []byte) error {
	if _, over := c.budget.take(len(msg)); over {
		c.Close()
		return errCut
	}
	return c.Conn.Write(ctx, msg)
}
