//go:build !js

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"testing/synctest"
	"time"

	"watchglass/internal/edge/edgetest"
	"watchglass/internal/edge/limit"
	"watchglass/internal/history/historytest"
	"watchglass/internal/history/recording"
	"watchglass/web/static"
)

// recorded writes a file that begins as recordings do, and returns its path and content.
func recorded(t *testing.T) (file string, body []byte) {
	t.Helper()
	var text strings.Builder
	header := recording.Header{Cluster: "prod-eu", Version: "v1", From: time.Unix(1000, 0), To: time.Unix(2000, 0)}
	if _, err := recording.Write(historytest.New(header.From), header, recording.Choices{}, func(piece []byte) error {
		text.Write(piece)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	file, body = filepath.Join(t.TempDir(), "prod eu.watchglass"), gzipped(text.String())
	if err := os.WriteFile(file, body, 0o600); err != nil {
		t.Fatal(err)
	}
	return file, body
}

func TestReplayRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, body []byte) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, body, 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	good, whole := recorded(t)
	if _, err := openRecording(good); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		write("newer.gz", gzipped("watchglass recording 99\n")): "open it with a newer Watchglass",
		write("first.gz", gzipped("watchglass recording 1\n")):  "not a Watchglass recording",
		filepath.Join(dir, "missing"):                           "no such file",
		dir:                                                     "is not a file",
		write("empty", nil):                                     "not a Watchglass recording",
		write("text", []byte("kind: Pod\n")):                    "not a Watchglass recording",
		write("other.gz", gzipped("kind: Pod\n")):               "not a Watchglass recording",
		write("cut.gz", whole[:12]):                             "not a Watchglass recording",
		write("short.gz", gzipped("watch")):                     "not a Watchglass recording",
	} {
		for _, args := range [][]string{{"--replay", file}, {"page", filepath.Join(dir, "copy"), "--replay", file}} {
			err := run(t.Context(), args, noEnv, func() (*static.Site, error) { return testSite(t), nil }, io.Discard, io.Discard)
			if err == nil || !strings.Contains(err.Error(), "--replay: ") || !strings.Contains(err.Error(), want) {
				t.Errorf("%v: %v", args, err)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "copy")); err == nil {
		t.Error("a copy was written")
	}
	for _, args := range []string{"--replay x --demo", "--replay x --context y", "--replay x --auth token --public-url https://a.example", "page", "page a b"} {
		if _, err := parse(strings.Fields(args), noEnv); err == nil {
			t.Errorf("%s is accepted", args)
		}
	}
}

// TestReplayed holds that only the browser that signed in gets the recording, and not by a copied cookie.
func TestReplayed(t *testing.T) {
	file, body := recorded(t)
	r := newRig(t, func(s *server) { s.replayed = &recordingFile{file} })
	client := new(http.Client)
	defer client.CloseIdleConnections()
	as, err := r.signIn(t.Context(), client)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, method, origin string
		cookie               *http.Cookie
		key                  *edgetest.Key
		code                 int
	}{
		{"the browser", http.MethodPost, r.address, as.cookie, r.key, 200},
		{"another browser with its cookie", http.MethodPost, r.address, as.cookie, edgetest.NewKey(), 401},
		{"nobody's browser", http.MethodPost, r.address, nil, r.key, 401},
		{"another page", http.MethodPost, "http://evil.example", as.cookie, r.key, 403},
		{"a link", http.MethodGet, r.address, as.cookie, r.key, 405},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, r.address+"/-/recording", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Origin", c.origin)
		if c.cookie != nil {
			req.AddCookie(c.cookie)
		}
		c.key.Sign(req)
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != c.code || bytes.Equal(got, body) != (c.code == 200) {
			t.Errorf("%s: %s, %q, %v", c.name, resp.Status, got, err)
		}
		if name := resp.Header.Get("Watchglass-Name"); c.code == 200 && name != "prod%20eu.watchglass" {
			t.Errorf("%s: it is named %q", c.name, name)
		}
	}
}

// TestReplayedAnswer holds that an answer names no folder of this machine, and that the page can read any name.
func TestReplayedAnswer(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "CANARY")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	_, body := recorded(t)
	for _, test := range []struct {
		name string
		body []byte // nil: it is gone
		code int
		want string
	}{
		{"gone", nil, http.StatusInternalServerError, "the recording can't be read: no such file or directory\n"},
		{"a\xff\r\nx: \u202e%.watchglass", body, http.StatusOK, "a%EF%BF%BD%0D%0Ax:%20%E2%80%AE%25.watchglass"},
	} {
		file := filepath.Join(dir, test.name)
		if test.body != nil {
			if err := os.WriteFile(file, test.body, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		w := httptest.NewRecorder()
		(&recordingFile{file}).ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/", nil))
		got := w.Header().Get("Watchglass-Name")
		if w.Code != http.StatusOK {
			got = w.Body.String()
		}
		if w.Code != test.code || got != test.want {
			t.Errorf("%q: %d, %q, want %q", test.name, w.Code, got, test.want)
		}
	}
}

// TestReplayedSlowly checks that a recording arrives whole over a slow link, however long that takes.
func TestReplayedSlowly(t *testing.T) {
	file, want := filepath.Join(t.TempDir(), "large"), bytes.Repeat([]byte("recording "), 100_000)
	if err := os.WriteFile(file, want, 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		near, far := net.Pipe()
		l := &piped{conns: make(chan net.Conn, 1)}
		l.conns <- far
		s := &http.Server{Handler: limit.Requests{Within: writeWithin}.Handler(&recordingFile{file})}
		go func() { _ = s.Serve(l) }()
		defer s.Close()
		client := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
			return slowConn{near, 500 * time.Millisecond}, nil
		}, DisableKeepAlives: true}}
		began := time.Now()
		resp, err := client.Get("http://link.test/")
		if err != nil {
			t.Fatal(err)
		}
		defer time.Sleep(time.Second) // a read of the link ends
		defer resp.Body.Close()
		got, err := io.ReadAll(resp.Body)
		if took := time.Since(began); err != nil || !bytes.Equal(got, want) || resp.ContentLength != int64(len(want)) || took < writeWithin {
			t.Errorf("%d of %d bytes after %v: %v", len(got), resp.ContentLength, took, err)
		}
	})
}

// pageSite is a site with the page, as the build makes it.
func pageSite(t *testing.T) *static.Site {
	t.Helper()
	page, err := os.ReadFile("../web/static/index.html")
	if err != nil {
		t.Fatal(err)
	}
	text, files := string(page), fstest.MapFS{"licenses.txt.gz": {Data: []byte("x")}}
	for _, name := range []string{"app.wasm", "wasm_exec.js", "paint.js", "session.js", "signin.js", "frame.js", "glimpse.js", "copy.js", "disk.js", "visits.js", "boot.js", "worker.js", "style.css", "icon.svg"} {
		stem, ext, _ := strings.Cut(name, ".")
		hashed := "files/" + stem + ".0123456789ab." + ext
		text = strings.ReplaceAll(text, "{{"+name+"}}", "-/"+hashed)
		files[hashed], files[hashed+".br"], files[hashed+".gz"] = &fstest.MapFile{Data: []byte("x")}, &fstest.MapFile{Data: []byte("x")}, &fstest.MapFile{Data: []byte("x")}
	}
	for _, suffix := range []string{"", ".br", ".gz"} {
		files["index.html"+suffix] = &fstest.MapFile{Data: []byte(text)}
	}
	delete(files, "files/app.0123456789ab.wasm")
	site, err := static.Open(files)
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// TestPageAgain holds that a copy without a recording removes the one that was published with an earlier copy, and no
// other.
func TestPageAgain(t *testing.T) {
	file, body := recorded(t)
	dir := filepath.Join(t.TempDir(), "site")
	published := filepath.Join(dir, publishedName)
	write := func(replay string) {
		t.Helper()
		if err := (&options{page: dir, replay: replay}).writePage(pageSite(t), io.Discard); err != nil {
			t.Fatal(err)
		}
	}
	write(file)
	write(published) // itself
	if got, err := os.ReadFile(published); err != nil || !bytes.Equal(got, body) {
		t.Fatalf("%v, %d bytes", err, len(got))
	}
	write("")
	if _, err := os.Stat(published); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the recording is still published: %v", err)
	}
	if err := os.WriteFile(published, body, 0o600); err != nil {
		t.Fatal(err)
	}
	write("")
	if _, err := os.Stat(published); err != nil {
		t.Errorf("a file that is no part of the copy is removed: %v", err)
	}
}

// TestReplayedNowhere holds that a proxy with a cluster has no recording.
func TestReplayedNowhere(t *testing.T) {
	r := newRig(t, nil)
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, r.address+"/-/recording", nil)
	if err != nil {
		t.Fatal(err)
	}
	client := new(http.Client)
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if resp.Body.Close(); resp.StatusCode != http.StatusNotFound {
		t.Error(resp.Status)
	}
}
