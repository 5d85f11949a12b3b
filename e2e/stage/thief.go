//lint:file-ignore SA1019 as in the proxy's socket.go

package stage

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"nhooyr.io/websocket"

	"watchglass/internal/edge/edgetest"
	"watchglass/internal/wire"
)

// Thief is a program that has the cookies of somebody's browser, and sends what it likes.
type Thief struct {
	T      *testing.T
	Origin string // of the page, which it claims to be
	Cookie string
	Key    *edgetest.Key // one of its own, if it has one
}

// Steal takes what a browser sends to another port of this machine: cookies do not know
// ports. Visit has the browser open an address.
func Steal(t *testing.T, origin string, visit func(address string)) Thief {
	t.Helper()
	got := make(chan string, 10)
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case got <- r.Header.Get("Cookie"):
		default:
		}
	}))
	t.Cleanup(s.Close)
	visit(s.URL)
	cookie := <-got
	if !strings.Contains(cookie, "watchglass") {
		t.Fatalf("another port is sent %q, so that this shows nothing", cookie)
	}
	return Thief{T: t, Origin: origin, Cookie: cookie}
}

// With is the thief with another key.
func (th Thief) With(key *edgetest.Key) Thief {
	th.Key = key
	return th
}

func (th Thief) header() http.Header {
	return http.Header{"Origin": {th.Origin}, "Cookie": {th.Cookie}}
}

// Posts sends a login or a logout to a proxy, and returns the answer's code, and whether
// it came with a cookie.
func (th Thief) Posts(proxy, path string) (code int, cookie bool) {
	th.T.Helper()
	r, err := http.NewRequestWithContext(th.T.Context(), http.MethodPost, proxy+path, nil)
	if err != nil {
		th.T.Fatal(err)
	}
	r.Header = th.header()
	r.Host = strings.TrimPrefix(th.Origin, "http://")
	if th.Key != nil {
		th.Key.Sign(r)
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		th.T.Fatal(err)
	}
	resp.Body.Close()
	for _, c := range resp.Cookies() {
		cookie = cookie || c.MaxAge >= 0
	}
	return resp.StatusCode, cookie
}

// Enters opens a socket at a proxy, says hello, and reports whether it is welcome.
func (th Thief) Enters(proxy string) bool {
	th.T.Helper()
	ctx, cancel := context.WithTimeout(th.T.Context(), Soon)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, proxy+"/-/socket", &websocket.DialOptions{HTTPHeader: th.header(), Host: strings.TrimPrefix(th.Origin, "http://")})
	if err != nil {
		return false
	}
	defer conn.CloseNow()
	hello := []byte(`{"v":1,"early":"secrets"}`)
	if th.Key != nil {
		hello = th.Key.Hello(wire.Version, th.Origin, "", "", "secrets")
	}
	if err := conn.Write(ctx, websocket.MessageText, hello); err != nil {
		return false
	}
	_, msg, err := conn.Read(ctx)
	if err != nil {
		return false
	}
	f, err := wire.ParseFrame(msg)
	return err != nil || f.Kind == wire.KindWelcome
}
