//go:build !js

package apiserver

import (
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode"
)

// TestPluginBackoff counts the runs of a failing plugin under constant requests: as many for five
// tabs as for one, fewer over time, and at once after Retry.
func TestPluginBackoff(t *testing.T) {
	for _, tabs := range []int{1, 5} {
		t.Run(fmt.Sprint(tabs), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var runs, signedIn atomic.Int64
				p := newPlugin(func() error {
					runs.Add(1)
					time.Sleep(100 * time.Millisecond) // as a process takes
					if signedIn.Load() == 0 {
						return errors.New("failed")
					}
					return nil
				}, nil)
				ctx, cancel := context.WithCancel(t.Context())
				var asking sync.WaitGroup
				var got atomic.Int64
				for range 3 * tabs { // a tab has some sources
					asking.Go(func() {
						for ctx.Err() == nil {
							if p.get(ctx) == nil {
								got.Add(1)
							}
							time.Sleep(200 * time.Millisecond)
						}
					})
				}
				ran := func(after time.Duration) int64 {
					time.Sleep(after)
					synctest.Wait()
					return runs.Swap(0)
				}
				if n := ran(time.Minute); n < 4 || n > 6 {
					t.Errorf("%d runs in the first minute", n)
				}
				if n := ran(10 * time.Minute); n < 18 || n > 21 {
					t.Errorf("%d runs in ten minutes more", n)
				}
				p.retry()
				p.retry()
				if n := ran(time.Second); n != 1 {
					t.Errorf("%d runs for somebody who asked", n)
				}
				signedIn.Store(1)
				p.retry()
				if n := ran(2 * time.Second); n < 1 || got.Load() == 0 {
					t.Errorf("%d runs, and credentials %d times", n, got.Load())
				}
				cancel()
				asking.Wait()
			})
		})
	}
}

// TestPluginRefresh counts the runs of a plugin whose credentials are rejected.
func TestPluginRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, may := newPlugin(nil, nil), 0
		for range 600 {
			if p.mayRefresh(time.Now()) {
				may++
			}
			time.Sleep(100 * time.Millisecond)
		}
		if may < 4 || may > 6 {
			t.Errorf("%d times in a minute", may)
		}
		p.accepted()
		if !p.mayRefresh(time.Now()) {
			t.Error("not when it is refused again")
		}
		if p.mayRefresh(time.Now()) {
			t.Error("twice at once")
		}
		p.retry()
		if !p.mayRefresh(time.Now()) {
			t.Error("not for somebody who asks")
		}
	})
}

// script is a credential plugin. It counts its runs, writes to its standard error, and fails until
// a file says that the user has signed in.
const script = `#!/bin/sh
echo run >> runs
if test -e signed-in; then
	echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"of-the-plugin"}}'
	exit 0
fi
i=0; while test $i -lt 2000; do echo "line $i of much"; i=$((i+1)); done >&2
printf 'waiting\rYour session \033[1;31mhas expired\033[0m\007.\n\n' >&2
printf 'To sign in, run:\tsso login --profile \342\200\256prod' >&2
exit 3
`

// withPlugin starts an apiserver, and loads a kubeconfig whose user has a credential plugin.
func withPlugin(t *testing.T, answer http.HandlerFunc, o Options) (target *Target, dir string) {
	t.Helper()
	server := httptest.NewTLSServer(answer)
	t.Cleanup(server.Close)
	dir = t.TempDir()
	ca := filepath.Join(dir, "ca.pem")
	files := map[string]string{
		ca:                           string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})),
		filepath.Join(dir, "sso"):    "#!/bin/sh\ncd " + dir + " && exec ./plugin\n",
		filepath.Join(dir, "plugin"): script,
		filepath.Join(dir, "config"): fmt.Sprintf(`
apiVersion: v1
kind: Config
current-context: here
contexts: [{name: here, context: {cluster: here, user: me}}]
clusters: [{name: here, cluster: {server: %q, certificate-authority: %q}}]
users: [{name: me, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: %q, interactiveMode: Never}}}]
`, server.URL, ca, filepath.Join(dir, "sso")),
	}
	for name, text := range files {
		if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	o.Kubeconfig = filepath.Join(dir, "config")
	target, err := Load(o)
	if err != nil {
		t.Fatal(err)
	}
	return target, dir
}

// runs counts the runs of the plugin.
func runs(t *testing.T, dir string) int {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "runs"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return strings.Count(string(text), "run")
}

// statusOf sends a request, and returns the status code.
func statusOf(t *testing.T, target *Target) (int, error) {
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target.Base.String(), nil)
	if err != nil {
		return 0, err
	}
	resp, err := target.Transport.RoundTrip(r)
	if err != nil {
		return 0, err
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	return resp.StatusCode, nil
}

// atOnce sends concurrent requests from five tabs, and returns their results.
func atOnce(t *testing.T, target *Target) (codes []int, errs []error) {
	var mu sync.Mutex
	var asking sync.WaitGroup
	for range 5 * 3 {
		asking.Go(func() {
			code, err := statusOf(t, target)
			mu.Lock()
			defer mu.Unlock()
			codes, errs = append(codes, code), append(errs, err)
		})
	}
	asking.Wait()
	return codes, errs
}

// TestPlugin runs a real plugin that fails. All requests share one run, and get the end of its
// output. After the user has signed in, Retry runs it again.
func TestPlugin(t *testing.T) {
	target, dir := withPlugin(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer of-the-plugin" {
			w.WriteHeader(http.StatusForbidden)
		}
	}, Options{})
	_, errs := atOnce(t, target)
	for _, err := range errs {
		var failed *CredentialsError
		if !errors.As(err, &failed) {
			t.Fatal(err)
		}
		if want := "getting credentials: exec: executable " + filepath.Join(dir, "sso") + " failed with exit code 3"; err.Error() != want {
			t.Errorf("%q", err)
		}
		said := failed.Credentials()
		if !strings.HasSuffix(said, "line 1999 of much\nYour session has expired.\nTo sign in, run: sso login --profile prod") {
			t.Errorf("%q", said)
		}
		if len(said) > 2*saidBytes || strings.ContainsFunc(said, func(r rune) bool { return r != '\n' && unicode.IsControl(r) }) {
			t.Errorf("%q", said)
		}
	}
	if n := runs(t, dir); n != 1 {
		t.Errorf("it ran %d times", n)
	}
	if err := os.WriteFile(filepath.Join(dir, "signed-in"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for code, err := statusOf(t, target); err != nil || code != http.StatusOK; code, err = statusOf(t, target) {
		target.Retry()
	}
	if n := runs(t, dir); n != 2 {
		t.Errorf("it ran %d times", n)
	}
}

// TestPluginNotAccepted checks that a real plugin whose token is rejected is not run for each
// refused request.
func TestPluginNotAccepted(t *testing.T) {
	target, dir := withPlugin(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnauthorized) }, Options{})
	if err := os.WriteFile(filepath.Join(dir, "signed-in"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		codes, errs := atOnce(t, target)
		for i, code := range codes {
			if code != http.StatusUnauthorized {
				t.Errorf("%d %v", code, errs[i])
			}
		}
	}
	if n := runs(t, dir); n > 3 {
		t.Errorf("it ran %d times", n)
	}
}

// TestPluginOfOthers checks that the output of a plugin is logged, and hidden from users who did
// not start the proxy.
func TestPluginOfOthers(t *testing.T) {
	var mu sync.Mutex
	var lines []string
	target, _ := withPlugin(t, func(http.ResponseWriter, *http.Request) {}, Options{PluginLog: func(line string) {
		mu.Lock()
		defer mu.Unlock()
		lines = append(lines, line)
	}})
	_, err := statusOf(t, target)
	var failed *CredentialsError
	if !errors.As(err, &failed) || strings.Contains(failed.Credentials(), "session") {
		t.Errorf("%v", err)
	}
	mu.Lock()
	defer mu.Unlock()
	if n := len(lines); n != 2003 || lines[n-1] != "To sign in, run: sso login --profile prod" {
		t.Errorf("%d lines: %q", n, lines[max(0, n-3):])
	}
}

// TestLastLines checks how the output of a plugin is shortened and cleaned.
func TestLastLines(t *testing.T) {
	for text, want := range map[string]string{
		"":                                   "",
		"\n\n":                               "",
		"one\r\n two \r\n":                   "one\ntwo",
		"10%\r50%\r100%\n":                   "100%",
		"\x1b]0;title\x07\x1b[2J\x1b[1mbold": "bold",
		"\xff\x00a\u202eb\u200b":             "�ab",
		strings.Repeat("x\n", 20):            "x\nx\nx\nx\nx",
		strings.Repeat("é", 2000):            "…" + strings.Repeat("é", saidBytes/2),
	} {
		if got := lastLines(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestPluginWaits checks that a request can be cancelled while a plugin waits for its user, that
// its error says so, and that the next request uses the plugin's credentials.
func TestPluginWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int64
		signedIn, stderr := make(chan struct{}), &pluginStderr{}
		p := newPlugin(func() error {
			runs.Add(1)
			stderr.take([]byte("Opening your browser.\r\nYour code is ABCD.\n"), io.Discard)
			<-signedIn
			return nil
		}, stderr)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for range 2 {
			if err := p.get(ctx); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("the request ended with %v", err)
			} else if waiting := (*CredentialsError)(nil); !errors.As(err, &waiting) {
				t.Errorf("%v says nothing of the plugin", err)
			} else if want := "still running, and may be waiting for you to sign in" + ": Opening your browser.\nYour code is ABCD."; waiting.Credentials() != want {
				t.Errorf("%q", waiting.Credentials())
			}
		}
		if n := runs.Load(); n != 1 {
			t.Errorf("%d runs while one waits", n)
		}
		close(signedIn)
		if err := p.get(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestPluginWithinRequest has client-go start the plugin within a request, after get: the request can be
// cancelled all the same, and its error blames the plugin. One that was sent has the error of its
// connection instead, and the body of a late answer is closed.
func TestPluginWithinRequest(t *testing.T) {
	for _, c := range []struct {
		name        string
		credentials time.Duration // how long the plugin takes
		answers     bool          // whether the apiserver does, then
	}{
		{"plugin", 2 * time.Second, true},
		{"apiserver", 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPlugin(func() error { return nil }, nil)
				body := &closeable{}
				server := p.inner(roundTripperFunc(func(r *http.Request) (*http.Response, error) {
					if c.answers { // although the request has ended
						return &http.Response{StatusCode: http.StatusOK, Body: body}, nil
					}
					<-r.Context().Done()
					return nil, r.Context().Err()
				}))
				client := p.outer(roundTripperFunc(func(r *http.Request) (*http.Response, error) {
					time.Sleep(c.credentials) // client-go does not look at the context
					return server.RoundTrip(r)
				}))
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				began := time.Now()
				_, err := client.RoundTrip(httptest.NewRequestWithContext(ctx, http.MethodGet, "/", nil))
				if took := time.Since(began); took != time.Second || !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("after %v: %v", took, err)
				}
				if blamed := errors.As(err, new(*CredentialsError)); blamed != c.answers {
					t.Errorf("the plugin is blamed: %v: %v", blamed, err)
				}
				time.Sleep(2 * time.Second)
				synctest.Wait()
				if closed := body.closed.Load(); closed != c.answers {
					t.Errorf("the late body is closed: %v", closed)
				}
			})
		})
	}
}

// closeable is an empty body that knows whether it was closed.
type closeable struct{ closed atomic.Bool }

func (*closeable) Read([]byte) (int, error) { return 0, io.EOF }

func (c *closeable) Close() error {
	c.closed.Store(true)
	return nil
}

// asksAgain is a plugin whose first token is soon rejected. When it runs again, it waits for its user.
const asksAgain = `#!/bin/sh
echo run >> runs
token=old
if test $(wc -l < runs) -gt 1; then
	token=new
	echo 'Your code is ABCD.' >&2
	while ! test -e signed-in; do sleep 0.01; done
fi
echo '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"'$token'"}}'
`

// TestPluginAsksAgain has the apiserver reject the credentials of a real plugin, which then waits for its
// user: the request that learns it is answered at once, others can end meanwhile and say what the
// plugin has written, and later ones have the new credentials.
func TestPluginAsksAgain(t *testing.T) {
	target, dir := withPlugin(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer new" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}, Options{})
	if err := os.WriteFile(filepath.Join(dir, "plugin"), []byte(asksAgain), 0o700); err != nil {
		t.Fatal(err)
	}
	if code, err := statusOf(t, target); code != http.StatusUnauthorized {
		t.Fatalf("%d, %v", code, err)
	}
	for said := ""; !strings.Contains(said, "ABCD"); {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, target.Base.String(), nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := target.Transport.RoundTrip(req)
		cancel()
		if err == nil { // it was sent before the plugin ran again
			resp.Body.Close()
			continue
		}
		waiting := (*CredentialsError)(nil)
		if !errors.As(err, &waiting) || !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		said = waiting.Credentials()
	}
	if err := os.WriteFile(filepath.Join(dir, "signed-in"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, err := statusOf(t, target); code != http.StatusOK {
		t.Errorf("with new credentials: %d, %v", code, err)
	}
	if n := runs(t, dir); n != 2 {
		t.Errorf("it ran %d times", n)
	}
}
