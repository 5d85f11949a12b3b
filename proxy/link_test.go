//go:build !js

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"watchglass/internal/apiserver"
	"watchglass/internal/edge/session"
)

// TestLinkOfNothing checks that --link prints no address if no proxy is listening.
func TestLinkOfNothing(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	key := filepath.Join(t.TempDir(), "key")
	if _, err := session.LoadKey(key); err != nil {
		t.Fatal(err)
	}
	link := func() (string, error) {
		o, err := parse([]string{"--link", "--listen", l.Addr().String(), "--key-file", key}, noEnv)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		err = o.printLink(&out)
		return out.String(), err
	}
	if out, err := link(); err != nil || !strings.Contains(out, "/#token=") {
		t.Errorf("%q, %v", out, err)
	}
	l.Close()
	if out, err := link(); err == nil || out != "" || !strings.Contains(err.Error(), "no Watchglass is listening") {
		t.Errorf("%q, %v", out, err)
	}
}

// TestUnreached checks what the log says of an apiserver that was not reached.
func TestUnreached(t *testing.T) {
	for want, err := range map[string]error{
		"apiserver unreachable":              context.DeadlineExceeded,
		"credential plugin failed":           errors.New("getting credentials: exit code 3"),
		"credential plugin has not finished": fmt.Errorf("getting credentials: still running: %w", context.DeadlineExceeded),
	} {
		if got := unreached(err); got != want {
			t.Errorf("%v: %q", err, got)
		}
	}
}

// TestGreet checks that only a server that answers like an apiserver is logged as one, and that
// tabs get its release.
func TestGreet(t *testing.T) {
	for text, code := range map[string]int{
		`{"major":"1","minor":"36","gitVersion":"v1.36.3"}`: 200, `{"kind":"Status"}`: 403,
		`<html>Sign in</html>`: -200, `{}`: -200, `moved`: -302, `none`: -404, `down`: -503,
	} {
		resp := &http.Response{StatusCode: max(code, -code), Body: io.NopCloser(strings.NewReader(text))}
		release, got := releaseOf(resp)
		if want := map[bool]string{true: "1.36"}[code == 200]; got != (code > 0) || release != want {
			t.Errorf("%d %s: %v %q, want %q", max(code, -code), text, got, release, want)
		}
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	var out bytes.Buffer
	s := &server{options: new(options), log: new(options).logger(&out)}
	if s.greet(stopped, nowhere("x", "not there")); out.Len() > 0 {
		t.Errorf("a stop is logged: %s", out.String())
	}
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"major":"1","minor":"30+","gitVersion":"v1.30.1"}`)
	}))
	defer api.Close()
	base, err := url.Parse(api.URL)
	if err != nil {
		t.Fatal(err)
	}
	target := &apiserver.Target{Base: base, Transport: http.DefaultTransport}
	if s.greet(t.Context(), target); target.Release() != "1.30+" {
		t.Errorf("the release is %q", target.Release())
	}
	if s.greet(t.Context(), nowhere("x", "not there")); !strings.Contains(out.String(), "not there") {
		t.Errorf("it logs %q", out.String())
	}
}
