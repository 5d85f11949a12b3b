package record

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"watchglass/e2e/stage"
)

// wire is the connection of a proxy to the apiserver, which can be cut.
type wire struct {
	listener net.Listener
	running  sync.WaitGroup

	mu   sync.Mutex
	dark bool // nobody gets through
	open []net.Conn
}

// newWire returns one that ends with the test.
func newWire(t *testing.T) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: l}
	w.running.Go(w.accept)
	t.Cleanup(func() {
		l.Close()
		w.cut()
		w.running.Wait()
	})
	return w
}

func (w *wire) accept() {
	for {
		near, err := w.listener.Accept()
		if err != nil {
			return // the test is over
		}
		w.running.Go(func() { w.carry(near) })
	}
}

// carry carries a connection to the apiserver until it is cut.
func (w *wire) carry(near net.Conn) {
	defer near.Close()
	far, err := net.Dial("tcp", strings.TrimPrefix(stage.Cluster.URL(), "https://"))
	if err != nil {
		return
	}
	defer far.Close()
	if !w.hold(near, far) {
		return
	}
	w.running.Go(func() {
		defer near.Close()
		defer far.Close()
		_, _ = io.Copy(far, near) // it was cut
	})
	_, _ = io.Copy(near, far)
}

// hold reports whether connections may stay until they are cut.
func (w *wire) hold(ends ...net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = append(w.open, ends...)
	return !w.dark
}

// cut breaks all connections, and lets no other through until mend.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dark = true
	for _, c := range w.open {
		c.Close()
	}
	w.open = nil
}

func (w *wire) mend() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.dark = false
}
