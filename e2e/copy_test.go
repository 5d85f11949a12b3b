package e2e

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// writeCopy writes a copy of the page and returns its folder.
func writeCopy(t *testing.T, args ...string) string {
	t.Helper()
	binary, err := proxy.Binary()
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "copy")
	cmd := exec.CommandContext(t.Context(), binary, append([]string{"page", dir}, args...)...)
	cmd.Env = []string{"HOME=" + t.TempDir()}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// requests are what a web server was asked for.
type requests struct {
	mu  sync.Mutex
	all []string
}

func (r *requests) ServeHTTP(_ http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, q.Method+" "+q.URL.Path)
}

func (r *requests) list() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.all...)
}

// TestCopy opens a copy of the page from a plain file server, without any proxy: at the root and below a
// path, and from a server that answers every path with the page. The copy asks for a file, and for
// nothing but its own files: no sign-in, no socket.
func TestCopy(t *testing.T) {
	dir := writeCopy(t)
	axe := stage.AxeSource(t)
	plain := http.FileServer(http.Dir(dir))
	single := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/" || strings.HasPrefix(r.URL.Path, "/-/files/") {
			plain.ServeHTTP(w, r)
			return
		}
		http.ServeFile(w, r, filepath.Join(dir, "index.html"))
	})
	for _, c := range []struct {
		name, path string
		server     http.Handler
	}{
		{"at the root", "/", plain},
		{"below a path", "/post/mortem/", http.StripPrefix("/post/mortem", plain)},
		{"with an address", "/?view=/pods&q=crash", plain},
		{"of a server of single pages", "/", single},
	} {
		t.Run(c.name, func(t *testing.T) {
			seen := new(requests)
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				seen.ServeHTTP(w, r)
				c.server.ServeHTTP(w, r)
			}))
			t.Cleanup(s.Close)
			e := open(t, s.URL+c.path)
			e.AwaitState("start")
			e.Says(".start", "Open a recording", "Drop a .watchglass file here, or choose one.")
			e.Await(`document.activeElement.id === "choose-recording"`)
			base := c.path[:strings.LastIndex(strings.Split(c.path, "?")[0], "/")+1]
			for _, r := range seen.list() {
				if r != "GET "+base && !strings.HasPrefix(r, "GET "+base+"-/files/") {
					t.Errorf("the copy sent %s", r)
				}
			}
			if c.name != "at the root" {
				return
			}
			for _, l := range stage.Looks[:3] {
				e.At(l)
				e.AxeOf(axe, "the start screen, "+l.Name)
			}
			e.KeepLooks("start")
		})
	}
}
