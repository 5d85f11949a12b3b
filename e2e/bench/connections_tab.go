// The WebSocket library is deprecated in favour of its successor, which differs
// in its import path; the design fixes this one.
//
//lint:file-ignore SA1019 see above

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"nhooyr.io/websocket"

	"watchglass/e2e/proxy"
	"watchglass/internal/object"
	"watchglass/internal/socket"
	"watchglass/internal/wire"
)

// asMany are more connections and lists than there are, all of one user.
const asMany = "10000"

// maxAnswer is more than a login answers with.
const maxAnswer = 64 << 10

// tabs are the tabs of one browser: it came in once, and each of them has a
// connection of its own, and the tab's own end of it.
type tabs struct {
	*proxy.Proxy
	cookies []string
	hello   []byte
}

// startTabs starts a proxy, and comes in.
func startTabs(ctx context.Context, kubeconfig string) (*tabs, error) {
	p, err := proxy.Start(ctx, proxy.Options{Kubeconfig: kubeconfig, Args: []string{"--max-connections=" + asMany, "--max-lists=" + asMany}})
	if err != nil {
		return nil, err
	}
	t := &tabs{Proxy: p}
	if err := t.enter(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("come in: %w", err), p.Close())
	}
	return t, nil
}

// enter exchanges the token of the launch for the cookies, and for the proof that
// every hello has to carry, if the proxy wants one.
func (t *tabs) enter(ctx context.Context) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, t.Origin()+"/-/login", strings.NewReader(t.Token()))
	if err != nil {
		return err
	}
	req.Header.Set("Origin", t.Origin())
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return err
	}
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s: %s", resp.Status, body)
	}
	for _, cookie := range resp.Cookies() {
		t.cookies = append(t.cookies, cookie.Name+"="+cookie.Value)
	}
	t.hello, err = hello(body)
	return err
}

// hello makes a tab's first message of what the login answered.
func hello(answer []byte) ([]byte, error) {
	var told struct {
		Proof string `json:"proof"`
	}
	if len(answer) > 0 {
		if err := json.Unmarshal(answer, &told); err != nil {
			return nil, fmt.Errorf("the login's answer %q: %w", answer, err)
		}
	}
	return json.Marshal(struct {
		V     int    `json:"v"`
		Proof string `json:"proof,omitempty"`
	}{wire.Version, told.Proof})
}

// dial opens one tab's connection, and greets.
func (t *tabs) dial(ctx context.Context) (socket.Dialed, error) {
	header := http.Header{"Origin": {t.Origin()}, "Cookie": {strings.Join(t.cookies, "; ")}}
	conn, _, err := websocket.Dial(ctx, t.Origin()+"/-/socket", &websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		return socket.Dialed{}, err
	}
	conn.SetReadLimit(wire.MaxFrame)
	if err := conn.Write(ctx, websocket.MessageText, t.hello); err != nil {
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

// follow is a tab that watches the pods of a namespace.
func (t *tabs) follow(ctx context.Context, c *crowd, namespace string) error {
	return t.open(ctx, c, namespace, "pods")
}

// open is a tab that watches some kinds in a namespace. It returns when the
// apiserver has accepted all of them.
func (t *tabs) open(ctx context.Context, c *crowd, namespace string, resources ...string) error {
	client := socket.New(socket.Options{Dial: t.dial})
	c.run(client.Run)
	for _, resource := range resources {
		stream, err := client.Open(ctx, wire.InitialWatch("", "v1", resource, namespace))
		if err != nil {
			return errors.Join(fmt.Errorf("watch %s in %s: %w", resource, namespace, err), client.Link().Err)
		}
		w := c.add(namespace)
		c.run(func(ctx context.Context) error { return readStream(ctx, stream, w) })
	}
	return nil
}

// readStream does what a tab does with a watch, up to its store.
func readStream(ctx context.Context, s *socket.Stream, w *watcher) error {
	for {
		batch, err := s.Next(ctx)
		if err != nil {
			return err
		}
		at := time.Now()
		for _, e := range batch.Events {
			switch e.Type {
			case wire.Bookmark:
				w.settle()
			case wire.Modified:
				id, err := object.ReadIdentity(e.Payload)
				if err != nil {
					return err
				}
				w.hear(id.Version, at, len(e.Payload))
			}
		}
		s.Credit(batch.Bytes)
	}
}
