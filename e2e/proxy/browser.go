// The WebSocket library is deprecated in favour of its successor, which differs
// in its import path; the design fixes this one.
//
//lint:file-ignore SA1019 see above

package proxy

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"nhooyr.io/websocket"

	"watchglass/internal/edge/edgetest"
	"watchglass/internal/socket"
	"watchglass/internal/wire"
)

// maxAnswer is more than a login answers with.
const maxAnswer = 64 << 10

// Browser is signed in to a proxy, and shows nothing: each of its tabs is a connection.
type Browser struct {
	origin string
	header http.Header
	key    *edgetest.Key
}

// SignIn exchanges a token for the cookies. The header goes with each request, as from a front.
func (p *Proxy) SignIn(ctx context.Context, header http.Header) (*Browser, error) {
	b := &Browser{origin: p.Origin(), header: header.Clone(), key: edgetest.NewKey()}
	if b.header == nil {
		b.header = make(http.Header)
	}
	b.header.Set("Origin", b.origin)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.origin+"/-/login", strings.NewReader(p.Token()))
	if err != nil {
		return nil, err
	}
	req.Header = b.header.Clone()
	b.key.Sign(req)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return nil, err
	}
	if resp.StatusCode/100 != 2 {
		return nil, fmt.Errorf("sign in: %s: %s", resp.Status, body)
	}
	var cookies []string
	for _, cookie := range resp.Cookies() {
		cookies = append(cookies, cookie.Name+"="+cookie.Value)
	}
	b.header.Set("Cookie", strings.Join(cookies, "; "))
	return b, nil
}

// Dial opens one tab's connection, and greets.
func (b *Browser) Dial(ctx context.Context) (socket.Dialed, error) {
	conn, _, err := websocket.Dial(ctx, b.origin+"/-/socket", &websocket.DialOptions{HTTPHeader: b.header})
	if err != nil {
		return socket.Dialed{}, err
	}
	conn.SetReadLimit(wire.MaxFrame)
	if err := conn.Write(ctx, websocket.MessageText, b.key.Hello(wire.Version, b.origin, "", "", "")); err != nil {
		return socket.Dialed{}, errors.Join(err, conn.CloseNow())
	}
	return socket.Dialed{Conn: tabConn{conn}, Greeted: true}, nil
}

// tabConn is a socket as the tab wants it.
type tabConn struct{ *websocket.Conn }

func (c tabConn) Read(ctx context.Context) ([]byte, error) {
	_, msg, err := c.Conn.Read(ctx)
	return msg, err
}

func (c tabConn) Write(ctx context.Context, msg []byte) error {
	return c.Conn.Write(ctx, websocket.MessageBinary, msg)
}

func (c tabConn) Close() error { return c.CloseNow() }
