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

// SignIn exchanges a token of the launch for the cookies. The header goes with each request, as
// from a front.
func (p *Proxy) SignIn(ctx context.Context, header http.Header) (*Browser, error) {
	return SignIn(ctx, p.Origin(), p.Token(), header)
}

// SignIn exchanges a token for the cookies of the proxy at an origin: a token of the launch, or a
// user's token in token mode. The header goes with each request, as from a front.
func SignIn(ctx context.Context, origin, token string, header http.Header) (*Browser, error) {
	b := &Browser{origin: origin, header: header.Clone(), key: edgetest.NewKey()}
	if b.header == nil {
		b.header = make(http.Header)
	}
	b.header.Set("Origin", b.origin)
	cookies, err := b.login(ctx, b.origin, token)
	if err != nil {
		return nil, err
	}
	var all []string
	for _, cookie := range cookies {
		all = append(all, cookie.Name+"="+cookie.Value)
	}
	b.header.Set("Cookie", strings.Join(all, "; "))
	return b, nil
}

// Check returns an error unless the session is valid at the replica at an origin. It goes past
// whatever is in front of the replica, and keeps no renewed cookie.
func (b *Browser) Check(ctx context.Context, replica string) error {
	_, err := b.login(ctx, replica, "")
	return err
}

// login signs in with a token at a replica. Without a token, it succeeds if the session is valid.
func (b *Browser) login(ctx context.Context, replica, token string) ([]*http.Cookie, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, replica+"/-/login", strings.NewReader(token))
	if err != nil {
		return nil, err
	}
	req.Header = b.header.Clone()
	_, req.Host, _ = strings.Cut(b.origin, "://")
	req.Close = true // a socket would use an idle connection, which no balancer places
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
	return resp.Cookies(), nil
}

// Dial opens one tab's connection, and greets.
func (b *Browser) Dial(ctx context.Context) (socket.Connection, error) {
	conn, _, err := websocket.Dial(ctx, b.origin+"/-/socket", &websocket.DialOptions{HTTPHeader: b.header})
	if err != nil {
		return socket.Connection{}, err
	}
	conn.SetReadLimit(wire.MaxFrame)
	if err := conn.Write(ctx, websocket.MessageText, b.key.Hello(wire.Version, b.origin, "", "", "")); err != nil {
		return socket.Connection{}, errors.Join(err, conn.CloseNow())
	}
	return socket.Connection{Conn: tabConn{conn}, Greeted: true}, nil
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
