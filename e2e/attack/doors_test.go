package attack_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/internal/edge/edgetest"
)

// public is the address under which browsers know the proxies of shared modes here.
const public = "https://wg.example.com"

// freePort is one that nobody listened on a moment ago.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// raw sends bytes from an address of this machine, and returns all that is answered.
func raw(t *testing.T, from, to, text string) string {
	t.Helper()
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := d.Dial("tcp", to)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(soon)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if err != nil && len(answer) == 0 {
		t.Fatal(err)
	}
	return string(answer)
}

// login is a request to sign in, as a browser with a key sends it.
func login(token string, headers ...string) string {
	r, _ := http.NewRequestWithContext(context.Background(), http.MethodPost, public+"/-/login", strings.NewReader(token))
	r.Header.Set("Origin", public)
	edgetest.NewKey().Sign(r)
	var text strings.Builder
	fmt.Fprintf(&text, "POST /-/login HTTP/1.1\r\nHost: wg.example.com\r\nConnection: close\r\nContent-Length: %d\r\n", len(token))
	_ = r.Header.Write(&text) // a strings.Builder takes all
	for _, h := range headers {
		text.WriteString(h + "\r\n")
	}
	return text.String() + "\r\n" + token
}

// serviceAccount makes one, and a token of it.
func serviceAccount(t *testing.T, w *world) string {
	t.Helper()
	admin, err := kubernetes.NewForConfig(w.cluster.Config())
	if err != nil {
		t.Fatal(err)
	}
	account, err := admin.CoreV1().ServiceAccounts("default").Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{GenerateName: "user-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	token, err := admin.CoreV1().ServiceAccounts("default").CreateToken(t.Context(), account.Name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return token.Status.Token
}

// TestNobodyStopsSignIns has one address send junk as fast as it can, while others sign in.
func TestNobodyStopsSignIns(t *testing.T) {
	w := theWorld(t)
	token := serviceAccount(t, w)
	host := freePort(t)
	w.serve(t, proxy.Options{Listen: host, Args: []string{"--auth", "token", "--public-url", public, "--front-cidr", "127.0.0.0/8"}})
	stop := make(chan struct{})
	var junk sync.WaitGroup
	var sent, refused atomic.Int64
	for range 8 {
		junk.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				sent.Add(1)
				if strings.HasPrefix(raw(t, "127.0.0.1", host, login("junk", "X-Forwarded-For: 192.0.2.66")), "HTTP/1.1 429") {
					refused.Add(1)
				}
			}
		})
	}
	for deadline := time.Now().Add(soon); refused.Load() == 0 && time.Now().Before(deadline); <-time.After(time.Millisecond) {
	}
	good := 0
	for n := range 20 {
		answer := raw(t, "127.0.0.1", host, login(token, fmt.Sprintf("X-Forwarded-For: 198.51.100.%d", n+1)))
		if strings.HasPrefix(answer, "HTTP/1.1 200") {
			good++
		} else {
			t.Logf("%.200s", answer)
		}
	}
	close(stop)
	junk.Wait()
	t.Logf("%d of junk, of which %d were refused unasked; %d of 20 good ones", sent.Load(), refused.Load(), good)
	if good != 20 || refused.Load() == 0 {
		t.Errorf("%d of 20 came in", good)
	}
}

// TestFrontsHeaders sends what a client may slip past a front that adds its own.
func TestFrontsHeaders(t *testing.T) {
	w := theWorld(t)
	groups := []string{"--front-group-header", "X-Forwarded-Groups"}
	for name, c := range map[string]struct {
		args    []string
		headers []string
		want    string
	}{
		"one of each":             {groups, []string{"X-Forwarded-User: ana", "X-Forwarded-Groups: dev"}, "200"},
		"two of groups":           {groups, []string{"X-Forwarded-User: ana", "X-Forwarded-Groups: dev", "X-Forwarded-Groups: kubeadm:cluster-admins"}, "403"},
		"the same, another case":  {groups, []string{"X-Forwarded-User: ana", "x-forwarded-groups: kubeadm:cluster-admins", "X-Forwarded-Groups: dev"}, "403"},
		"two of users":            {groups, []string{"X-Forwarded-User: ana", "X-Forwarded-User: bob"}, "403"},
		"two users in one":        {groups, []string{"X-Forwarded-User: ana,bob"}, "403"},
		"a name that turns round": {groups, []string{"X-Forwarded-User: ana\u202e"}, "401"},
		"groups that nobody sets": {nil, []string{"X-Forwarded-User: ana", "X-Forwarded-Groups: kubeadm:cluster-admins", "X-Forwarded-Groups: x"}, "200"},
	} {
		host := freePort(t)
		w.serve(t, proxy.Options{Listen: host, Args: append([]string{"--auth", "proxy", "--public-url", public, "--front-cidr", "127.0.0.9/32"}, c.args...)})
		if answer := raw(t, "127.0.0.9", host, login("", c.headers...)); !strings.HasPrefix(answer, "HTTP/1.1 "+c.want) {
			t.Errorf("%s: %.200s, want %s", name, answer, c.want)
		}
		if answer := raw(t, "127.0.0.1", host, login("", c.headers...)); !strings.HasPrefix(answer, "HTTP/1.1 403") {
			t.Errorf("%s, past the front: %.200s", name, answer)
		}
	}
}

// ends runs the proxy, and returns what it said if it ended by itself.
func ends(t *testing.T, args ...string) (said string, ended bool) {
	t.Helper()
	binary, err := proxy.Binary()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), soon)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, append([]string{"--listen", "127.0.0.1:0"}, args...)...)
	cmd.Env = []string{"HOME=" + t.TempDir()}
	out, err := cmd.StdoutPipe()
	var errors2 strings.Builder
	cmd.Stderr = &errors2
	if err = errors.Join(err, cmd.Start()); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n') // none, if it ends
	cancel()
	_ = cmd.Wait() // it was told to
	return errors2.String(), !strings.HasPrefix(line, "Watchglass is at ")
}

// TestUnprotectedUpstream starts the proxy before apiservers that anybody on the way could
// stand in for: where users bring credentials it does not start, unless it is told to.
func TestUnprotectedUpstream(t *testing.T) {
	write := func(cluster string) string {
		file := filepath.Join(t.TempDir(), "kubeconfig")
		text := `{"apiVersion":"v1","kind":"Config","current-context":"c","contexts":[{"name":"c","context":{"cluster":"k"}}],"clusters":[{"name":"k","cluster":` + cluster + `}]}`
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	modes := map[string][]string{
		"local": nil, "token": {"--auth", "token"}, "oidc": {"--auth", "oidc", "--oidc-issuer-url", "https://127.0.0.1:1", "--oidc-client-id", "x"},
		"proxy": {"--auth", "proxy", "--front-cidr", "127.0.0.9/32"},
	}
	for name, c := range map[string]struct {
		cluster string
		safe    bool
	}{
		"https": {`{"server":"https://192.0.2.1:6443"}`, true}, "unverified": {`{"server":"https://192.0.2.1:6443","insecure-skip-tls-verify":true}`, false},
		"plain": {`{"server":"http://192.0.2.1:8080"}`, false}, "plain on this machine": {`{"server":"http://127.0.0.1:8080"}`, true},
		"plain through a proxy": {`{"server":"http://127.0.0.1:8080","proxy-url":"http://192.0.2.1:3128"}`, false}, "https through a proxy": {`{"server":"https://192.0.2.1:6443","proxy-url":"http://192.0.2.1:3128"}`, true},
		"plain by a name": {`{"server":"http://localhost.example:8080"}`, false},
	} {
		for mode, args := range modes {
			args := append([]string{"--kubeconfig", write(c.cluster)}, args...)
			if mode != "local" {
				args = append(args, "--public-url", public)
			}
			said, ended := ends(t, args...)
			if want := mode != "local" && !c.safe; ended != want || ended && !strings.Contains(said, "--allow-insecure-upstream") {
				t.Errorf("%s, %s: it ended: %v, want %v: %s", mode, name, ended, want, said)
			}
			if mode == "local" || c.safe {
				continue
			}
			if said, ended := ends(t, append(args, "--allow-insecure-upstream")...); ended {
				t.Errorf("%s, %s, allowed: %s", mode, name, said)
			}
		}
	}
}

// TestOperatorsDoors asks for metrics and profiles as a page of another site would, and by
// a name that has become this machine's.
func TestOperatorsDoors(t *testing.T) {
	metrics, debug := freePort(t), freePort(t)
	demo(t, "--metrics-listen", metrics, "--debug-listen", debug, "--host", "metrics.internal:9117")
	for _, c := range []struct{ at, path, host, header, want string }{
		{metrics, "/metrics", metrics, "", "200"},
		{metrics, "/metrics", "10.1.2.3:9117", "", "200"},
		{metrics, "/metrics", "metrics.internal:9117", "", "200"},
		{metrics, "/metrics", "evil.example", "", "421"},
		{metrics, "/metrics", "127.0.0.1.evil.example", "", "421"},
		{metrics, "/metrics", metrics, "Sec-Fetch-Site: cross-site\r\n", "403"},
		{metrics, "/metrics", metrics, "Sec-Fetch-Site: same-site\r\n", "403"},
		{metrics, "/metrics", metrics, "Sec-Fetch-Site: none\r\n", "200"},
		{metrics, "/metrics", metrics, "Origin: http://evil.example\r\n", "403"},
		{metrics, "/livez", "evil.example", "", "421"},
		{debug, "/debug/pprof/cmdline", debug, "", "200"},
		{debug, "/debug/pprof/cmdline", "evil.example", "", "421"},
		{debug, "/debug/pprof/cmdline", debug, "Sec-Fetch-Site: same-site\r\n", "403"},
		{debug, "/debug/pprof/heap", debug, "Origin: null\r\n", "403"},
	} {
		answer := raw(t, "127.0.0.1", c.at, "GET "+c.path+" HTTP/1.1\r\nHost: "+c.host+"\r\n"+c.header+"Connection: close\r\n\r\n")
		if !strings.HasPrefix(answer, "HTTP/1.1 "+c.want) {
			t.Errorf("%+v: %.100s", c, answer)
		}
	}
}

// TestSpellings asks by addresses and bodies that somebody on the way may read otherwise.
func TestSpellings(t *testing.T) {
	p := demo(t)
	host := strings.TrimPrefix(p.Origin(), "http://")
	for _, path := range []string{"/%2fevil.example", "/%2Fevil.example/..", "/%5cevil.example", "/pods%2f..%2f-%2fsocket", "//evil.example", "/-%2flogin"} {
		answer := raw(t, "127.0.0.1", host, "GET "+path+" HTTP/1.1\r\nHost: "+host+"\r\nConnection: close\r\n\r\n")
		if !strings.HasPrefix(answer, "HTTP/1.1 404") || strings.Contains(answer, "Location:") {
			t.Errorf("%s: %.100s", path, answer)
		}
	}
	smuggled := "POST /-/login HTTP/1.1\r\nHost: " + host + "\r\nOrigin: " + p.Origin() + "\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" +
		"GET /-/livez HTTP/1.1\r\nHost: x\r\n\r\n"
	if answer := raw(t, "127.0.0.1", host, smuggled); !strings.HasPrefix(answer, "HTTP/1.1 400") || strings.Count(answer, "HTTP/1.1 ") != 1 {
		t.Errorf("both lengths: %s", answer)
	}
}

// TestKeyFiles starts the proxy with keys that others may have.
func TestKeyFiles(t *testing.T) {
	kubeconfig, err := theWorld(t).cluster.Kubeconfig(cluster.Admin(), cluster.KubeconfigOptions{})
	if err != nil {
		t.Fatal(err)
	}
	good := []byte("0123456789abcdefghijklmnopqrstuv")
	for name, c := range map[string]struct {
		key           []byte
		mode          os.FileMode
		local, shared bool // whether it starts
	}{
		"of its own": {good, 0o600, true, true}, "of a Secret": {good, 0o440, false, true}, "that all may read": {good, 0o644, false, false},
		"that all may write": {good, 0o666, false, false}, "of zeros": {make([]byte, 32), 0o600, false, false},
	} {
		file := filepath.Join(t.TempDir(), "key")
		if err := errors.Join(os.WriteFile(file, c.key, 0o600), os.Chmod(file, c.mode)); err != nil {
			t.Fatal(err)
		}
		for mode, want := range map[string]bool{"local": c.local, "token": c.shared} {
			args := []string{"--kubeconfig", kubeconfig, "--key-file", file}
			if mode == "token" {
				args = append(args, "--auth", "token", "--public-url", public)
			}
			if said, ended := ends(t, args...); ended == want {
				t.Errorf("%s, a key %s: %s", mode, name, said)
			}
		}
	}
}
