package kubeconfig_test

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// tunnel is a proxy that leads to one server, whatever it is asked for, and
// remembers what that was. It speaks HTTP's CONNECT at one address and SOCKS 5
// at another.
type tunnel struct {
	connect, socks net.Listener
	target         string

	mu    sync.Mutex
	asked map[string]string // by the address from which the server is reached
	open  []net.Conn
}

func startTunnel(t *testing.T, target string) *tunnel {
	t.Helper()
	p := &tunnel{target: target, asked: make(map[string]string)}
	p.connect = p.listen(t, p.serveConnect)
	p.socks = p.listen(t, p.serveSOCKS)
	t.Cleanup(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		for _, c := range p.open {
			_ = c.Close()
		}
	})
	return p
}

func (p *tunnel) listen(t *testing.T, serve func(net.Conn) error) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return // the test is over
			}
			go func() {
				defer c.Close()
				_ = serve(c) // who is not served says so itself
			}()
		}
	}()
	return l
}

// carried is what was asked of the proxy by the client that the server sees at
// an address; nothing, if it did not come this way.
func (p *tunnel) carried(address string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asked[address]
}

// serveConnect reads one request, CONNECT.
func (p *tunnel) serveConnect(c net.Conn) error {
	from := bufio.NewReader(c)
	r, err := http.ReadRequest(from)
	if err != nil {
		return err
	}
	if r.Method != http.MethodConnect {
		return fmt.Errorf("%s %s", r.Method, r.URL)
	}
	asked := strings.TrimSpace("CONNECT " + r.Host + " " + r.Header.Get("Proxy-Authorization"))
	return p.carry(c, from, asked, "HTTP/1.1 200 OK\r\n\r\n")
}

// serveSOCKS reads a greeting and a request to connect to a name (RFC 1928).
func (p *tunnel) serveSOCKS(c net.Conn) error {
	from := bufio.NewReader(c)
	greeting := make([]byte, 2)
	if _, err := io.ReadFull(from, greeting); err != nil {
		return err
	}
	if _, err := from.Discard(int(greeting[1])); err != nil {
		return err
	}
	if _, err := c.Write([]byte{5, 0}); err != nil { // no authentication
		return err
	}
	head := make([]byte, 5) // version, CONNECT, reserved, by name, its length
	if _, err := io.ReadFull(from, head); err != nil {
		return err
	}
	if head[1] != 1 || head[3] != 3 {
		return fmt.Errorf("SOCKS request %v", head)
	}
	rest := make([]byte, int(head[4])+2)
	if _, err := io.ReadFull(from, rest); err != nil {
		return err
	}
	name, port := rest[:head[4]], binary.BigEndian.Uint16(rest[head[4]:])
	return p.carry(c, from, fmt.Sprintf("SOCKS %s:%d", name, port), "\x05\x00\x00\x01\x00\x00\x00\x00\x00\x00")
}

// carry connects the client to the server and copies both ways until one ends.
func (p *tunnel) carry(c net.Conn, from io.Reader, asked, accepted string) error {
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return err
	}
	defer server.Close()
	p.mu.Lock()
	p.asked[server.LocalAddr().String()] = asked
	p.open = append(p.open, c, server)
	p.mu.Unlock()
	if _, err := io.WriteString(c, accepted); err != nil {
		return err
	}
	ended := make(chan error, 2)
	go func() { _, err := io.Copy(server, from); ended <- err }()
	go func() { _, err := io.Copy(c, server); ended <- err }()
	return <-ended
}
