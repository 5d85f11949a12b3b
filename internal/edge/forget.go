//go:build !js

package edge

import "net"

// Forgetful makes the connections of a listener clear their read buffers. The buffer of a
// connection lives as long as the connection, which a browser keeps for minutes, and contains the
// cookies of its last request.
func Forgetful(l net.Listener) net.Listener { return forgetful{l} }

type forgetful struct{ net.Listener }

func (l forgetful) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return forgetfulConn{conn}, nil
}

type forgetfulConn struct{ net.Conn }

// Read clears the buffer before it waits.
func (c forgetfulConn) Read(b []byte) (int, error) {
	clear(b)
	return c.Conn.Read(b)
}

// NetConn returns the underlying connection, as that of tls.Conn does.
func (c forgetfulConn) NetConn() net.Conn { return c.Conn }
