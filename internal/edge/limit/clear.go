//go:build !js

package limit

import "net"

// ClearBuffers makes the connections of a listener clear their read buffers. The buffer of a
// connection lives as long as the connection, which a browser keeps for minutes, and contains the
// cookies of its last request.
func ClearBuffers(l net.Listener) net.Listener { return clearingListener{l} }

type clearingListener struct{ net.Listener }

func (l clearingListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return clearingConn{conn}, nil
}

type clearingConn struct{ net.Conn }

// Read clears the buffer before it waits.
func (c clearingConn) Read(b []byte) (int, error) {
	clear(b)
	return c.Conn.Read(b)
}

// NetConn returns the underlying connection, as that of tls.Conn does.
func (c clearingConn) NetConn() net.Conn { return c.Conn }
