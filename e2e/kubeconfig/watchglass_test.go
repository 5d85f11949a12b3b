// The WebSocket library is deprecated in favour of its successor, which differs
// in its import path; the design fixes this one.
//
//lint:file-ignore SA1019 see above

package kubeconfig_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"nhooyr.io/websocket"

	"watchglass/internal/edge/edgetest"
	"watchglass/internal/wire"
)

// patience is far more than anything here takes.
const patience = time.Minute

// watchglass is the proxy while it runs.
type watchglass struct {
	command        *exec.Cmd
	stdout, stderr *screen
	done           chan struct{}
	err            error // of its end; read it after done
}

// watchglassPath is $WATCHGLASS_BIN, else what 'make build' made.
func watchglassPath(t *testing.T) string {
	t.Helper()
	path := os.Getenv("WATCHGLASS_BIN")
	if path == "" {
		path = filepath.Join("..", "..", "bin", "watchglass")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v: run 'make build', or name it in WATCHGLASS_BIN", err)
	}
	return path
}

// watchglass starts the proxy; it has ended when the test has.
func (p *place) watchglass(t *testing.T, env, args []string) *watchglass {
	t.Helper()
	c := p.command(t, watchglassPath(t), env, append([]string{"--listen", "127.0.0.1:0"}, args...))
	w := &watchglass{command: c, stdout: newScreen(), stderr: newScreen(), done: make(chan struct{})}
	c.Stdout, c.Stderr = w.stdout, w.stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		w.err = c.Wait()
		w.stdout.close()
		w.stderr.close()
		close(w.done)
	}()
	t.Cleanup(func() {
		_ = c.Process.Kill()
		<-w.done
	})
	return w
}

// stop ends it as Ctrl-C does.
func (w *watchglass) stop(t *testing.T) {
	t.Helper()
	if err := w.command.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	w.ended(t)
	if w.err != nil {
		t.Errorf("watchglass ended with %v: %s", w.err, w.stderr)
	}
}

// ended waits for its end.
func (w *watchglass) ended(t *testing.T) {
	t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-w.done:
	case <-late.C:
		t.Fatalf("it goes on: %s%s", w.stdout, w.stderr)
	}
}

// welcome is what the tab is told first, as far as it matters here.
type welcome struct {
	Context, Cluster, User, Namespace string
	Narrow                            bool
	Reach                             []string // the flags of the commands that the page copies
}

// The kinds of frames that are awaited.
const (
	frameWelcome = 5
	frameOpened  = 6
	frameEnd     = 8
)

// browser is signed in to the proxy.
type browser struct {
	key             *edgetest.Key
	address, cookie string
}

// openTab opens the first tab of a browser.
func (w *watchglass) openTab(t *testing.T) welcome {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return w.signIn(ctx, t).openTab(ctx, t)
}

// signIn comes in by the token of the printed address.
func (w *watchglass) signIn(ctx context.Context, t *testing.T) browser {
	t.Helper()
	_, rest, ok := strings.Cut(w.stdout.await(t, "\n"), "Watchglass is at ")
	address, token, ok2 := strings.Cut(strings.TrimSpace(rest), "/#token=")
	if !ok || !ok2 {
		t.Fatalf("no address: %s%s", w.stdout, w.stderr)
	}
	key := edgetest.NewKey()
	return browser{key, address, login(ctx, t, key, address, token)}
}

// openTab does what a tab does that shows pods: it connects, waits until its watch
// has been accepted, and leaves.
func (b browser) openTab(ctx context.Context, t *testing.T) welcome {
	t.Helper()
	conn := b.connect(ctx, t)
	defer func() { _ = conn.CloseNow() }()
	var told welcome
	if err := json.Unmarshal(nextFrame(ctx, t, conn, frameWelcome), &told); err != nil {
		t.Fatal(err)
	}
	nextFrame(ctx, t, conn, frameOpened)
	return told
}

// connect says hello with a request to watch pods.
func (b browser) connect(ctx context.Context, t *testing.T) *websocket.Conn {
	t.Helper()
	header := http.Header{"Origin": {b.address}, "Cookie": {b.cookie}}
	conn, _, err := websocket.Dial(ctx, b.address+"/-/socket", &websocket.DialOptions{HTTPHeader: header})
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Write(ctx, websocket.MessageText, b.key.Hello(wire.Version, b.address, "", "", "pods")); err != nil {
		t.Fatal(err)
	}
	return conn
}

// login exchanges the token for a cookie.
func login(ctx context.Context, t *testing.T, key *edgetest.Key, address, token string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, address+"/-/login", strings.NewReader(token))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", address)
	key.Sign(r)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if len(resp.Cookies()) != 1 {
		t.Fatalf("login: %s", resp.Status)
	}
	return resp.Cookies()[0].Name + "=" + resp.Cookies()[0].Value
}

// nextFrame reads until a frame of a kind comes, and returns its body. Stream
// numbers are below 128 here: one byte.
func nextFrame(ctx context.Context, t *testing.T, conn *websocket.Conn, kind byte) []byte {
	t.Helper()
	for {
		_, frame, err := conn.Read(ctx)
		if err != nil {
			t.Fatalf("wait for frame %d: %v", kind, err)
		}
		switch frame[0] {
		case kind:
			return frame[2:]
		case frameEnd:
			t.Fatalf("the watch ended: %s", frame[2:])
		}
	}
}

// screen is what a program has written so far.
type screen struct {
	mu      sync.Mutex
	text    bytes.Buffer
	closed  bool
	changed chan struct{}
}

func newScreen() *screen { return &screen{changed: make(chan struct{})} }

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
	return s.text.Write(b)
}

func (s *screen) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	close(s.changed)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// await waits for words and returns all there is then.
func (s *screen) await(t *testing.T, words string) string {
	t.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	for {
		s.mu.Lock()
		text, closed, changed := inOneLine(s.text.String()), s.closed, s.changed
		s.mu.Unlock()
		if strings.Contains(text, words) {
			return text
		}
		if closed {
			t.Fatalf("it ended without the words %q: %s", words, text)
		}
		select {
		case <-changed:
		case <-late.C:
			t.Fatalf("it does not say %q: %s", words, text)
		}
	}
}
