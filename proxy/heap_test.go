//go:build !js

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"watchglass/internal/wire"
)

// asProgram has this binary be the program, and not the tests of it.
const asProgram = "WATCHGLASS_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) == "" {
		os.Exit(m.Run())
	}
	if err := alone(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// alone is the program in a process of its own, until nobody speaks to it any more. To
// each file that it is told, it writes what is alive in it.
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

// child is the program in a process of its own.
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
	if p.first = ch.line(); !strings.HasPrefix(p.first, "Watchglass is at ") || strings.Contains(p.logged.String(), "is taken") {
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

// alive is what is alive in the program.
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

// secrets are what of a user is nobody's business, by what they are, as they may be
// written.
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

// found says which secrets are in something.
func found(secrets map[string][]byte, in []byte) (names []string) {
	for name, secret := range secrets {
		if n := bytes.Count(in, secret); n > 0 {
			names = append(names, fmt.Sprintf("%s (%d times)", name, n))
		}
	}
	return names
}

// forgets sees that nothing of some secrets is alive soon: connections to the apiserver
// that nobody uses are closed after a while, and timers that were stopped go with theirs.
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

// TestHeap shows that when a user has logged out, nothing that is alive in the program
// holds what was theirs, nor anything that it has logged; while they are there, it does.
func TestHeap(t *testing.T) {
	c := newCluster(t)
	p := launchAlone(t, c, "-v", "--log-json")
	b := p.browser(t, "ana")
	b.token = "token-of-ana-" + strings.Repeat("0123456789abcdef", 40)
	b.signIn()
	page := b.open()
	for _, r := range []wire.Request{
		{Verb: wire.Watch, Version: "v1", Resource: "secrets"}, someSecrets(), {Verb: wire.Get, Version: "v1", Resource: "secrets", Name: "object", Namespace: "x"},
	} {
		if got := page.ask(r); !strings.Contains(got, canary("ana")) {
			t.Fatal(got)
		}
	}
	secrets := b.secrets()
	now := found(secrets, p.alive())
	t.Log("while they are there:", now)
	if !strings.Contains(fmt.Sprint(now), "the token (") {
		t.Errorf("the token is not found while it is in use, but %q: what is looked for is not what there is", now)
	}
	if _, text, err := b.send("POST", "/-/logout", ""); err != nil || len(b.cookies) > 0 {
		t.Fatal(text, err)
	}
	for err := error(nil); err == nil; {
		_, _, err = page.conn.Read(t.Context()) // to its end
	}
	p.forgets(secrets)
	if logged := found(secrets, []byte(p.logged.String())); len(logged) > 0 || !strings.Contains(p.logged.String(), `"level":"DEBUG"`) {
		t.Errorf("logged: %q\n%s", logged, p.logged.String())
	}
}
