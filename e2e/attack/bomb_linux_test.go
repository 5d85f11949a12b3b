package attack_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"watchglass/e2e/proxy"
	"watchglass/internal/socket"
	"watchglass/internal/wire"
)

// maxResident is how much memory the proxy may ever take for what one user asks for.
const maxResident = 256 << 20

const bombHead = `{"apiVersion":"e2e.example.com/v1","kind":"Bomb","metadata":{"name":"bomb","resourceVersion":"1"},"spec":`

// bombs are as large as etcd stores objects, and have as many values as fit.
func bombs() map[string]string {
	const nodes, keys = 280_000, 100_000
	var members strings.Builder
	for i := range keys {
		fmt.Fprintf(&members, `"%d":{},`, i)
	}
	return map[string]string{
		"values": bombHead + `{"a":[` + strings.Repeat("{},", nodes-1) + `{}]}}`,
		"keys":   bombHead + "{" + members.String() + `"z":1}}`,
	}
}

// podJSON is an ordinary object.
const podJSON = `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","namespace":"a","resourceVersion":"7"}}`

// bombServer answers every get of a bomb with body, and others with a pod. It returns a
// kubeconfig.
func bombServer(t *testing.T, body string) string {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		answer := podJSON
		if strings.Contains(r.URL.Path, "/bombs/") {
			answer = body
		}
		_, _ = w.Write([]byte(answer)) // to somebody who may have gone
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	path := filepath.Join(t.TempDir(), "kubeconfig")
	config := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":{"cluster":"k","user":"u"}}],
		"clusters":[{"name":"k","cluster":{"server":%q,"certificate-authority-data":%q}}],"users":[{"name":"u","user":{"token":"t"}}]}`,
		s.URL, base64.StdEncoding.EncodeToString(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})))
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// besieged is a proxy that serves several users, and an apiserver with a bomb.
type besieged struct {
	*proxy.Proxy
	t *testing.T
}

func besiege(t *testing.T, body string) besieged {
	t.Helper()
	listen := freePort(t)
	p, err := proxy.Start(t.Context(), proxy.Options{
		Kubeconfig: bombServer(t, body), Listen: listen,
		Args: []string{"--public-url", "http://" + listen, "--auth", "proxy", "--front-cidr", "127.0.0.0/8", "--audit=off"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return besieged{p, t}
}

// browser is one of a user's.
func (b besieged) browser(user string) *proxy.Browser {
	b.t.Helper()
	signedIn, err := b.SignIn(b.t.Context(), http.Header{"X-Forwarded-User": {user}, "X-Forwarded-Groups": {"dev"}})
	if err != nil {
		b.t.Fatal(err)
	}
	return signedIn
}

// peak is the most memory the proxy ever took, as the kernel has it.
func (b besieged) peak() int {
	b.t.Helper()
	doc, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", b.PID()))
	if err != nil {
		b.t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(doc), "\nVmHWM:")
	kilobytes, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		b.t.Fatal(err)
	}
	return kilobytes << 10
}

func (b besieged) holdPeak() {
	b.t.Helper()
	peak := b.peak()
	b.t.Logf("peak %d MB", peak>>20)
	if peak > maxResident {
		b.t.Errorf("the proxy took %d MB, want %d at most", peak>>20, maxResident>>20)
	}
}

// text reads one object.
func text(ctx context.Context, c *socket.Client, r wire.Request) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 4*soon)
	defer cancel()
	stream, err := c.Open(ctx, r)
	if err != nil {
		return "", err
	}
	defer stream.Close()
	var read strings.Builder
	for {
		batch, err := stream.Next(ctx)
		if errors.Is(err, io.EOF) {
			return read.String(), nil
		}
		if err != nil {
			return "", err
		}
		for _, e := range batch.Events {
			read.Write(e.Payload)
		}
		stream.Credit(batch.Bytes)
	}
}

var bomb = wire.Request{Verb: wire.Get, Group: "e2e.example.com", Version: "v1", Resource: "bombs", Namespace: "a", Name: "bomb", Encoding: wire.EncodingJSON}

var ordinary = wire.Request{Verb: wire.Get, Version: "v1", Resource: "pods", Namespace: "a", Name: "p", Encoding: wire.EncodingJSON}

// atOnce is how many bombs a user asks for at once.
const atOnce = 64

// TestBomb has one user ask for many bombs at once. Each of them comes whole or with a
// status, the others are served, and the proxy stays small.
func TestBomb(t *testing.T) {
	for name, want := range bombs() {
		t.Run(name, func(t *testing.T) {
			p := besiege(t, want)
			mallory, _ := connect(t, p.browser("mallory"))
			ana, _ := connect(t, p.browser("ana"))
			type outcome struct {
				text string
				err  error
			}
			outcomes := make(chan outcome, atOnce)
			for range atOnce {
				go func() {
					have, err := text(t.Context(), mallory, bomb)
					outcomes <- outcome{have, err}
				}()
			}
			whole := 0
			for range atOnce {
				if have, err := text(t.Context(), ana, ordinary); err != nil || have != podJSON {
					t.Errorf("another user has %q, %v", have, err)
				}
				o := <-outcomes
				if status := wire.StatusOf(o.err); status != nil && status.TooManyRequests() {
					continue // and the page asks again
				}
				if o.err != nil || o.text != want {
					t.Errorf("%d bytes, want %d: %v", len(o.text), len(want), o.err)
				}
				whole++
			}
			if whole == 0 {
				t.Error("none came whole")
			}
			p.holdPeak()
		})
	}
}

// TestBombUnread has a user ask for bombs on many connections and read nothing. Another
// gets a bomb meanwhile, and the proxy stays small.
func TestBombUnread(t *testing.T) {
	want := bombs()["values"]
	p := besiege(t, want)
	mallory := p.browser("mallory")
	const connections = 4
	for range connections {
		conn, err := mallory.Dial(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		for i := range uint32(atOnce / connections) {
			body, err := json.Marshal(bomb)
			if err != nil {
				t.Fatal(err)
			}
			if err := conn.Write(t.Context(), append(wire.AppendHeader(nil, wire.KindOpen, i+2), body...)); err != nil {
				t.Fatal(err)
			}
		}
	}
	ana, _ := connect(t, p.browser("ana"))
	for range 8 {
		if have, err := text(t.Context(), ana, bomb); err != nil || have != want {
			t.Errorf("%d bytes, want %d: %v", len(have), len(want), err)
		}
	}
	p.holdPeak()
}
