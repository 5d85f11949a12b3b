package tabs

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// rollout is a balancer before two proxies of different builds. While it is replacing one by the other,
// the first requests for each file go to the old one, and everything else to the new one.
type rollout struct {
	mu       sync.Mutex
	old, new http.Handler
	asked    map[string]int // how often; nil: only the old one is there
}

// wrong returns how many requests for a file go to the old proxy: those for the program while it is being
// fetched, and those for the style sheet until nothing else is missing.
func wrong(path string) int {
	switch {
	case !strings.HasPrefix(path, "/-/files/"):
		return 0
	case strings.HasSuffix(path, ".wasm"):
		return 4
	case strings.HasSuffix(path, ".css"):
		return 12
	}
	return 1
}

func (r *rollout) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r.mu.Lock()
	to := r.old
	if r.asked != nil {
		if r.asked[req.URL.Path]++; r.asked[req.URL.Path] > wrong(req.URL.Path) {
			to = r.new
		}
	}
	r.mu.Unlock()
	to.ServeHTTP(w, req)
}

// TestTwoBuilds loads two pages of a new build while their files are still asked of the old one, too: they
// are loaded again until they have all of them.
func TestTwoBuilds(t *testing.T) {
	stage.Grant(t, vera, "", stage.Reads, "pods", "namespaces")
	key, secret := filepath.Join(t.TempDir(), "key"), make([]byte, 32)
	_, _ = rand.Read(secret) // it does not fail
	write(t, key, secret)
	r := &rollout{}
	front := httptest.NewServer(r)
	t.Cleanup(front.Close)
	serve := func(binary string) http.Handler {
		to := &url.URL{Scheme: "http", Host: stage.FreePort(t)}
		stage.Serve(t, proxy.Options{Kubeconfig: stage.Kubeconfig(t, vera, cluster.KubeconfigOptions{}), Listen: to.Host, Binary: binary, Args: []string{"--auth", "token", "--public-url", front.URL, "--key-file", key}})
		return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(to); r.Out.Host = r.In.Host }}
	}
	r.old, r.new = serve(""), serve(buildOther(t))

	e := stage.Open(t, front.URL+"/pods", notYet, `Failed to load resource|Refused to apply style|is not defined|the worker ended`)
	e.SignIn(vera.Token)
	e.AwaitState("live")
	r.mu.Lock()
	r.asked = make(map[string]int)
	r.mu.Unlock()
	both := []stage.Eyes{e, e.Another(`Failed to load resource|Refused to apply style|is not defined|the worker ended`)}
	for _, e := range both {
		e.Must(e.Open(front.URL + "/pods"))
	}
	for _, e := range both {
		e.Await(fmt.Sprintf(`document.documentElement.dataset.state === "live" && document.styleSheets.length === 1 && document.querySelector("script[data-worker]").dataset.worker.includes(%q)`, otherHash))
		e.AwaitCount(podsSeeded)
	}
}
