package soak

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"
)

// manner is how a gate treats its connections. The zero value passes everything.
type manner struct {
	refuse  bool          // nobody listens
	stall   bool          // connections stay open, and nothing passes: half-open
	says    string        // the answer to each new connection, instead of passing it
	slices  int           // so many bytes of each read pass one at a time
	cut     int           // each connection breaks after at most so many bytes
	resets  time.Duration // each connection is reset within that time
	latency time.Duration // one way
	rate    float64       // bytes per second, of each direction
}

// gate stands between two ends, passes TCP connections on, and breaks them as its manner says.
type gate struct {
	address string
	running sync.WaitGroup

	mu       sync.Mutex
	listener net.Listener
	to       func() (net.Conn, error)
	manner   manner
	changed  chan struct{} // closed when the manner changes
	open     map[net.Conn]struct{}
	random   *rand.Rand
	up, down pace
	broken   int // connections, in this manner
}

// The ports of gates and proxies come from below the range for outgoing connections.
const firstPort, lastPort = 20000, 30000

// newGate starts a gate, which ends with the test.
func newGate(t testing.TB, seed uint64, to func() (net.Conn, error)) *gate {
	t.Helper()
	g := &gate{to: to, changed: make(chan struct{}), open: make(map[net.Conn]struct{}), random: rand.New(rand.NewPCG(seed, 2))}
	g.address = freePort(t)
	if err := g.listen(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.end)
	return g
}

// freePort returns an address of this machine that nobody listens on, and that no connection takes while
// its server is away.
func freePort(t testing.TB) string {
	t.Helper()
	for range 100 {
		address := fmt.Sprintf("127.0.0.1:%d", firstPort+rand.IntN(lastPort-firstPort))
		if l, err := net.Listen("tcp", address); err == nil {
			l.Close()
			return address
		}
	}
	t.Fatal("no port is free")
	return ""
}

func (g *gate) listen() error {
	l, err := net.Listen("tcp", g.address)
	if err != nil {
		return err
	}
	g.mu.Lock()
	g.listener = l
	g.mu.Unlock()
	g.running.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return // it refuses, or the test is over
			}
			g.running.Go(func() { g.pass(near.(*net.TCPConn)) })
		}
	})
	return nil
}

func (g *gate) end() {
	_ = g.set(manner{})
	g.mu.Lock()
	g.listener.Close()
	g.mu.Unlock()
	g.cut()
	g.running.Wait()
}

// set changes the manner, also of the connections that are open.
func (g *gate) set(m manner) error {
	g.mu.Lock()
	was := g.manner
	g.manner, g.broken = m, 0
	close(g.changed)
	g.changed = make(chan struct{})
	l := g.listener
	g.mu.Unlock()
	switch {
	case m.refuse && !was.refuse:
		return l.Close()
	case !m.refuse && was.refuse:
		return g.listen()
	}
	return nil
}

// now returns the manner, and what is closed when it changes.
func (g *gate) now() (manner, <-chan struct{}) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.manner, g.changed
}

// breaks counts a connection that breaks as the manner says.
func (g *gate) breaks() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.broken++
}

// counted returns how many connections have broken since set.
func (g *gate) counted() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.broken
}

// lead has new connections go elsewhere.
func (g *gate) lead(to func() (net.Conn, error)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.to = to
}

// cut resets all connections.
func (g *gate) cut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for c := range g.open {
		reset(c)
	}
}

// reset closes a connection with a reset instead of an orderly end.
func reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	c.Close()
}

func (g *gate) hold(c net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open[c] = struct{}{}
}

func (g *gate) release(c net.Conn) {
	c.Close()
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(g.open, c)
}

// draw draws a number below n.
func (g *gate) draw(n int64) int64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.random.Int64N(n)
}

// pass carries one connection, both ways.
func (g *gate) pass(near *net.TCPConn) {
	g.hold(near)
	defer g.release(near)
	m, _ := g.now()
	if m.says != "" {
		_, _ = near.Read(make([]byte, 4<<10))
		_, _ = io.WriteString(near, m.says)
		return
	}
	g.mu.Lock()
	to := g.to
	g.mu.Unlock()
	far, err := to()
	if err != nil {
		reset(near)
		return
	}
	g.hold(far)
	defer g.release(far)
	var both sync.WaitGroup
	both.Go(func() { g.carry(far, near, &g.up) })
	both.Go(func() { g.carry(near, far, &g.down) })
	both.Wait()
}

// carry carries one direction to its end. The other direction ends with it.
func (g *gate) carry(to, from net.Conn, p *pace) {
	var late sync.WaitGroup
	due := make(chan parcel, 4)
	late.Go(func() {
		var err error
		for one := range due { // to the end, so that the reader does not block
			if err == nil {
				if err = g.deliver(to, one); err != nil {
					reset(from)
				}
			}
		}
	})
	defer to.Close()
	defer from.Close()
	defer late.Wait()
	defer close(due)
	c := &connection{gate: g}
	for {
		b := make([]byte, 32<<10)
		n, err := from.Read(b)
		m, _ := g.now()
		n, over := c.may(m, n)
		if n > 0 {
			at := time.Now()
			if m.rate > 0 {
				at = p.leaves(at, n, m.rate)
			}
			due <- parcel{b[:n], at.Add(m.latency)}
		}
		if over {
			g.breaks()
			reset(from)
			reset(to)
			return
		}
		if err != nil {
			return
		}
	}
}

// parcel is the result of one read, and when it arrives.
type parcel struct {
	bytes []byte
	at    time.Time
}

// deliver writes a parcel when it is due and nothing stalls.
func (g *gate) deliver(to net.Conn, p parcel) error {
	if wait := time.Until(p.at); wait > 0 {
		<-time.After(wait)
	}
	m, changed := g.now()
	for m.stall {
		if _, err := to.Write(nil); err != nil {
			return err
		}
		<-changed
		m, changed = g.now()
	}
	for i := range min(m.slices, len(p.bytes)) {
		if _, err := to.Write(p.bytes[i : i+1]); err != nil {
			return err
		}
	}
	_, err := to.Write(p.bytes[min(m.slices, len(p.bytes)):])
	return err
}

// connection is one direction, and where it breaks.
type connection struct {
	gate  *gate
	drawn bool
	left  int
	until time.Time
}

// may returns how much of n bytes may pass, and whether the connection ends there.
func (c *connection) may(m manner, n int) (may int, over bool) {
	if m.cut == 0 && m.resets == 0 {
		c.drawn = false
		return n, false
	}
	if !c.drawn {
		c.drawn = true
		c.left = 1 + int(c.gate.draw(max(1, int64(m.cut))))
		c.until = time.Now().Add(time.Duration(c.gate.draw(max(1, int64(m.resets)))))
	}
	if m.cut > 0 {
		may = min(n, c.left)
		c.left -= may
		return may, c.left == 0
	}
	return n, time.Now().After(c.until)
}

// pace is the rate of one direction of all connections together.
type pace struct {
	mu   sync.Mutex
	free time.Time // when the line has sent all that it was given
}

// leaves returns when the line has sent the last of so many bytes.
func (p *pace) leaves(now time.Time, bytes int, perSecond float64) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.free.Before(now) {
		p.free = now
	}
	p.free = p.free.Add(time.Duration(float64(bytes) / perSecond * float64(time.Second)))
	return p.free
}

// dialing returns what dials the first of some addresses that answers.
func dialing(network string, addresses ...string) func() (net.Conn, error) {
	return func() (net.Conn, error) {
		err := error(syscall.ECONNREFUSED)
		for _, a := range addresses {
			var c net.Conn
			if c, err = net.Dial(network, a); err == nil {
				return c, nil
			}
		}
		return nil, err
	}
}
