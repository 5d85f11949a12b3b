//go:build !js

package edge

import "net"

// Forgetful has the connections of a listener forget what was read from them. Who reads
// keeps a buffer as long as the connection; a browser keeps that for minutes, and the
// cookies of its last request lie there.
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

// NetConn is the connection itself, as tls.Conn has it.
func (c forgetfulConn) NetConn() net.Conn { return c.Conn }
