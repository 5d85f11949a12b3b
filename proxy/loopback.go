//go:build !js

package main

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
)

// loopback listens on both addresses that browsers resolve localhost to. Otherwise another
// user of the machine could listen on the other one and receive our requests, such as the
// link of the launch.
type loopback struct {
	net.Listener // of the requested address
	other        net.Listener

	accepted chan acceptResult
	closed   chan struct{}
	close    sync.Once
	loops    sync.WaitGroup
}

type acceptResult struct {
	conn net.Conn
	err  error
}

// bind listens on an address. For 127.0.0.1 and [::1] it listens on both, and fails if either
// is in use.
func bind(ctx context.Context, address string) (net.Listener, error) {
	var config net.ListenConfig
	first, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	other := otherHalf(first.Addr())
	if !other.IsValid() {
		return first, nil
	}
	second, err := config.Listen(ctx, "tcp", other.String())
	switch {
	case err == nil:
		return both(first, second), nil
	case noSuchAddress(err):
		return first, nil // this machine has no such address
	}
	return nil, errors.Join(err, first.Close())
}

// otherHalf returns [::1] for 127.0.0.1 and vice versa, or the zero AddrPort.
func otherHalf(address net.Addr) netip.AddrPort {
	at, err := netip.ParseAddrPort(address.String())
	v4, v6 := netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()
	switch {
	case err == nil && at.Addr() == v4:
		return netip.AddrPortFrom(v6, at.Port())
	case err == nil && at.Addr() == v6:
		return netip.AddrPortFrom(v4, at.Port())
	}
	return netip.AddrPort{}
}

func both(first, second net.Listener) *loopback {
	l := &loopback{Listener: first, other: second, accepted: make(chan acceptResult), closed: make(chan struct{})}
	for _, half := range []net.Listener{first, second} {
		l.loops.Go(func() { l.accept(half) })
	}
	return l
}

// accept passes on the connections of one half until it is closed.
func (l *loopback) accept(half net.Listener) {
	for {
		conn, err := half.Accept()
		select {
		case l.accepted <- acceptResult{conn, err}:
		case <-l.closed:
			if err == nil {
				conn.Close()
			}
			return
		}
	}
}

// Accept returns the next connection to either half.
func (l *loopback) Accept() (net.Conn, error) {
	select {
	case a := <-l.accepted:
		return a.conn, a.err
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close closes both halves.
func (l *loopback) Close() (err error) {
	l.close.Do(func() {
		close(l.closed)
		err = errors.Join(l.Listener.Close(), l.other.Close())
		l.loops.Wait()
	})
	return err
}
