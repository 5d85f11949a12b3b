//go:build !js

//lint:file-ignore SA1019 as in socket.go

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"nhooyr.io/websocket"

	"watchglass/internal/edge/session"
	"watchglass/internal/wire"
)

// asProgram makes this test binary run the program instead of the tests.
const asProgram = "WATCHGLASS_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == completeCommand { // a shell runs it as watchglass
		printCompletion(os.Args[2:], getenv, os.Stdout)
		os.Exit(0)
	}
	if os.Getenv(asProgram) == "" {
		os.Exit(m.Run())
	}
	if err := alone(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// alone runs the program in a separate process until its input is closed. It writes a heap dump to
// each file named on its input.
func alone(args []string) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	o, err := parse(args, getenv)
	if err != nil {
		return err
	}
	site, err := testPage()
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- o.run(ctx, site, getenv, os.Stdout, o.logger(os.Stderr)) }()
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if err := dumpHeap(lines.Text()); err != nil {
			return err
		}
		fmt.Println("dumped")
	}
	cancel()
	return <-done
}

func dumpHeap(file string) error {
	runtime.GC()
	runtime.GC() // a pool lets go of what it holds at the second
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	debug.WriteHeapDump(f.Fd())
	return f.Close()
}

// child is the program in a separate process.
type child struct {
	*program
	t      *testing.T
	orders io.Writer
	says   *bufio.Reader
	dir    string
}

func launchAlone(t *testing.T, c *cluster, args ...string) *child {
	t.Helper()
	p := &program{mode: authToken, listens: freePort(t), cluster: c}
	p.public, _ = url.Parse(publicly)
	args = append([]string{"--kubeconfig", kubeconfig(t, map[string]*cluster{"one": c}, "one"), "--listen", p.listens, "--drain", "0s", "--auth", p.mode, "--public-url", publicly}, args...)
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), asProgram+"=1")
	cmd.Stderr = &p.logged
	in, wrong := cmd.StdinPipe()
	out, err := cmd.StdoutPipe()
	if err := errors.Join(wrong, err, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err, p.logged.String())
		}
	})
	ch := &child{p, t, in, bufio.NewReader(out), t.TempDir()}
	if p.first = ch.line(); !strings.HasPrefix(p.first, "Watchglass is at ") || strings.Contains(p.logged.String(), "port in use") {
		t.Fatal(p.first, p.logged.String())
	}
	return ch
}

func (c *child) line() string {
	c.t.Helper()
	line, err := c.says.ReadString('\n')
	if err != nil {
		c.t.Fatal(err, c.logged.String())
	}
	return line
}

// alive returns a heap dump of the program.
func (c *child) alive() []byte {
	c.t.Helper()
	file := filepath.Join(c.dir, "heap")
	if _, err := fmt.Fprintln(c.orders, file); err != nil {
		c.t.Fatal(err)
	}
	if got := c.line(); got != "dumped\n" {
		c.t.Fatal(got)
	}
	heap, err := os.ReadFile(file)
	if err != nil {
		c.t.Fatal(err)
	}
	return heap
}

// secrets returns a user's secrets by name, in the forms in which they may appear.
func (b *browser) secrets() map[string][]byte {
	value := "value-of-" + canary(b.user)
	all := map[string][]byte{
		"the token":          []byte(b.token),
		"the token, encoded": []byte(base64.StdEncoding.EncodeToString([]byte(b.token))[:40]),
		"the value":          []byte(value),
		"the value, encoded": []byte(base64.StdEncoding.EncodeToString([]byte(value))),
		"the proof":          []byte(b.proof),
	}
	for name, cookie := range b.cookies {
		all["the cookie "+name] = []byte(cookie)
	}
	return all
}

// found returns the secrets that a text contains.
func found(secrets map[string][]byte, in []byte) (names []string) {
	for name, secret := range secrets {
		if n := bytes.Count(in, secret); n > 0 {
			names = append(names, fmt.Sprintf("%s (%d times)", name, n))
		}
	}
	return names
}

// forgets checks that secrets disappear from memory soon. Idle connections to the apiserver are
// closed after a while, and stopped timers are released.
func (c *child) forgets(secrets map[string][]byte) {
	c.t.Helper()
	var left []string
	for deadline := time.Now().Add(15 * time.Second); time.Now().Before(deadline); {
		if left = found(secrets, c.alive()); len(left) == 0 {
			return
		}
		<-time.After(100 * time.Millisecond)
	}
	c.t.Errorf("who has logged out leaves behind: %q", left)
}

// TestHeap checks that after a logout the program's live memory, its log and its metrics contain
// no secrets of the user. Before the logout, the memory does.
func TestHeap(t *testing.T) {
	p := launchAlone(t, newCluster(t), "-v", "--log-json", "--metrics-listen", "127.0.0.1:0")
	b := p.browser(t, "ana")
	page := p.use(b)
	secrets := b.secrets()
	now := found(secrets, p.alive())
	t.Log("while they are there:", now)
	if !strings.Contains(fmt.Sprint(now), "the token (") || !strings.Contains(fmt.Sprint(now), "the value, encoded (") {
		t.Errorf("what is in use is not found, but %q: what is looked for is not what there is", now)
	}
	p.logout(b, page)
	p.forgets(secrets)
	if told := found(secrets, []byte(p.logged.String()+p.metrics())); len(told) > 0 {
		t.Errorf("told: %q\n%s", told, p.logged.String())
	}
}

// TestHeapShared checks memory after a logout while another user uses the same connection to the
// apiserver. It contains no usable credentials. The connection's buffers contain the last bytes
// until more arrive or it is closed.
func TestHeapShared(t *testing.T) {
	p := launchAlone(t, newCluster(t))
	bob := p.browser(t, "bob")
	looks := p.use(bob)
	go func() { _ = looks.toEnd() }()
	ana := p.browser(t, "ana")
	page := p.use(ana)
	secrets := ana.secrets()
	delete(secrets, "the value, encoded")
	p.logout(ana, page)
	p.forgets(secrets)
	if now := found(bob.secrets(), p.alive()); !strings.Contains(fmt.Sprint(now), "the token (") {
		t.Errorf("of who looks on only %q is found", now)
	}
}

// use signs in, and requests secrets in all ways.
func (c *child) use(b *browser) *page {
	c.t.Helper()
	b.token = "token-of-" + b.user + strings.Repeat("-0123456789abcdef", 40)
	b.signIn()
	p := b.open()
	for _, r := range []wire.Request{
		{Verb: wire.Watch, Version: "v1", Resource: "secrets"}, someSecrets(), {Verb: wire.Get, Version: "v1", Resource: "secrets", Name: "object", Namespace: "x"},
	} {
		if got := p.ask(r); !strings.Contains(got, canary(b.user)) {
			c.t.Fatal(got)
		}
	}
	return p
}

// logout signs out, and waits until the page is closed.
func (c *child) logout(b *browser, p *page) {
	c.t.Helper()
	if _, text, err := b.send(http.MethodPost, "/-/logout", ""); err != nil || len(b.cookies) > 0 {
		c.t.Fatal(text, err)
	}
	var closed websocket.CloseError
	if err := p.toEnd(); !errors.As(err, &closed) || closed.Reason != session.SignedOut.Why {
		c.t.Fatal(err)
	}
}

// toEnd reads until the page is closed.
func (p *page) toEnd() (err error) {
	for err == nil {
		_, _, err = p.conn.Read(p.t.Context())
	}
	return err
}

// listensBeside finds the address of the metrics in the log.
var listensBeside = regexp.MustCompile(`"address":"([^"]+)"`)

// metrics returns the program's metrics.
func (c *child) metrics() string {
	c.t.Helper()
	where := listensBeside.FindStringSubmatch(c.logged.String())
	if where == nil {
		c.t.Fatal(c.logged.String())
	}
	resp, err := http.Get("http://" + where[1] + "/metrics")
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(text), "watchglass_") {
		c.t.Fatal(string(text), err)
	}
	return string(text)
}
