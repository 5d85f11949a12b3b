package main

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// A link is a slow line between a browser and one proxy: all connections over it share its
// rate in each direction, and each byte takes half of its round trip. A browser's own
// emulation of slow networks does not reach shared workers. To the proxy, the browser is on
// another machine.
type link struct {
	net.Listener
	to       string
	from     net.Dialer
	way      time.Duration // one way
	up, down pace
}

// newLink starts a line to an address that lasts as long as the context.
func newLink(ctx context.Context, to string, megabits float64, roundTrip time.Duration) (*link, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = listener.Close() }) // the line ends
	from, err := elsewhere()
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	l := &link{Listener: listener, to: to, from: net.Dialer{LocalAddr: from}, way: roundTrip / 2, up: pace{perSecond: megabits * 1e6 / 8}, down: pace{perSecond: megabits * 1e6 / 8}}
	go l.serve(ctx)
	return l, nil
}

// elsewhere returns an address of this machine that is not loopback, since proxies do not
// compress for a tab on the same machine.
func elsewhere() (net.Addr, error) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	for _, a := range all {
		if network, ok := a.(*net.IPNet); ok && network.IP.To4() != nil && !network.IP.IsLoopback() {
			return &net.TCPAddr{IP: network.IP}, nil
		}
	}
	return nil, errors.New("this machine has no address but its loopback")
}

// rule returns the resolver rule by which a browser reaches the proxy over the line, at the
// proxy's own address.
func (l *link) rule() string { return "MAP " + l.to + " " + l.Addr().String() }

func (l *link) serve(ctx context.Context) {
	for {
		near, err := l.Accept()
		if err != nil {
			return // the context has ended
		}
		go func() {
			far, err := l.from.DialContext(ctx, "tcp", l.to)
			if err != nil {
				_ = near.Close()
				return
			}
			stop := context.AfterFunc(ctx, func() { _, _ = near.Close(), far.Close() })
			defer stop()
			var both sync.WaitGroup
			both.Go(func() { l.carry(far, near, &l.up) })
			both.Go(func() { l.carry(near, far, &l.down) })
			both.Wait()
		}()
	}
}

// parcel is the result of one read, and when it arrives.
type parcel struct {
	bytes []byte
	at    time.Time
}

// window is how many parcels of a connection may wait: enough to fill the line alone, and few
// enough that others soon get their turn.
const window = 4

// carry forwards what one end sends to the other, until either is closed.
func (l *link) carry(to, from net.Conn, p *pace) {
	defer to.Close()
	defer from.Close()
	sent := make(chan parcel, window)
	go func() {
		defer close(sent)
		for {
			b := make([]byte, 16<<10)
			n, err := from.Read(b)
			if n > 0 {
				sent <- parcel{b[:n], p.leaves(time.Now(), n).Add(l.way)}
			}
			if err != nil {
				return
			}
		}
	}()
	var err error
	for one := range sent { // to the end, so that the sender does not block
		if err == nil {
			time.Sleep(time.Until(one.at))
			if _, err = to.Write(one.bytes); err != nil {
				_ = from.Close()
			}
		}
	}
}

// pace is the rate of one direction.
type pace struct {
	perSecond float64 // bytes
	mu        sync.Mutex
	free      time.Time // when the line has sent all that it was given
}

// leaves returns when the line has sent the last of so many bytes.
func (p *pace) leaves(now time.Time, bytes int) time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.free.Before(now) {
		p.free = now
	}
	p.free = p.free.Add(time.Duration(float64(bytes) / p.perSecond * float64(time.Second)))
	return p.free
}
