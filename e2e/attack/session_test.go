package attack_test

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
	"watchglass/internal/edge/edgetest"
)

// withPlugin is a kubeconfig with a context "prod" whose credential plugin leaves a file.
func withPlugin(t *testing.T, first string) (config, ran string) {
	t.Helper()
	ran = filepath.Join(t.TempDir(), "ran")
	config = filepath.Join(t.TempDir(), "prod")
	text := fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","contexts":[{"name":"prod","context":{"cluster":"prod","user":"prod"}}],
		"clusters":[{"name":"prod","cluster":{"server":"https://127.0.0.1:1"}}],
		"users":[{"name":"prod","user":{"exec":{"apiVersion":"client.authentication.k8s.io/v1","interactiveMode":"Never","command":"/bin/sh","args":["-c","echo ran >> %s; exit 1"]}}}]}`, ran)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return first + ":" + config, ran
}

// TestForeignLink follows a link from a page of another origin to a context that this
// browser has not used: its plugin does not run before the user says so, once.
func TestForeignLink(t *testing.T) {
	w := theWorld(t)
	first, err := w.cluster.Kubeconfig(cluster.Admin(), cluster.KubeconfigOptions{})
	if err != nil {
		t.Fatal(err)
	}
	config, ran := withPlugin(t, first)
	p := w.serve(t, proxy.Options{Kubeconfig: config})
	user := w.open(t, p.At("/pods")).live()
	page := user.beside("http://" + evil + ":" + attacker(t) + "/")
	link := func() {
		t.Helper()
		eval[bool](page, fmt.Sprintf(`(location.href = %q, true)`, p.Origin()+"/secrets?c=prod"))
		page.await(`location.pathname === "/secrets"`)
	}
	hasRun := func() bool { _, err := os.Stat(ran); return err == nil }
	link()
	page.await(`document.querySelector(".crash h1")?.innerText === "Open context prod?"`)
	if at := eval[string](page, `document.activeElement.innerText`); at != "Open default context" {
		t.Errorf("Enter would choose %q", at)
	}
	if hasRun() {
		t.Error("the plugin ran unasked")
	}
	if err := page.Press("\r"); err != nil {
		t.Fatal(err)
	}
	page.await(`location.search === ""`)
	page.live()
	if err := page.Open("http://" + evil + ":" + attacker(t) + "/"); err != nil {
		t.Fatal(err)
	}
	page.await(`document.title === "kittens"`)
	link()
	page.await(`document.querySelector(".crash button")`)
	if hasRun() {
		t.Error("the plugin ran unasked")
	}
	if err := page.Click(".crash button"); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(soon); !hasRun(); <-time.After(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the plugin does not run, though the user said so")
		}
	}
	if err := page.Open(p.Origin() + "/pods?c=prod"); err != nil {
		t.Fatal(err)
	}
	page.await(`document.querySelector("#grid")`)
	if eval[bool](page, `!!document.querySelector(".crash")`) {
		t.Error("a context that was opened before is asked about again")
	}
}

// TestCopiedCookie takes the cookie of a user's tab, which the browser sends to every port
// of this machine. It opens nothing, renews nothing, and signs nobody out; and the user's
// own session ends at a time that is set.
func TestCopiedCookie(t *testing.T) {
	w := theWorld(t)
	p := w.watchglass(t)
	user := w.open(t, p.At("/pods")).live()
	thief := stage.Steal(t, p.Origin(), func(address string) { user.beside(address) })
	for name, key := range map[string]*edgetest.Key{"without a key": nil, "with a key of its own": edgetest.NewKey()} {
		th := thief.With(key)
		if code, cookie := th.Posts(p.Origin(), "/-/login"); code != http.StatusUnauthorized || cookie {
			t.Errorf("%s the session is renewed: %d", name, code)
		}
		if th.Enters(p.Origin()) {
			t.Errorf("%s the socket is welcome", name)
		}
		th.Posts(p.Origin(), "/-/logout")
	}
	if state := eval[string](user, `document.documentElement.dataset.state`); state != "live" {
		t.Errorf("the user's tab is %s", state)
	}
	again := user.beside(p.Origin() + "/pods")
	again.live()
	key := eval[string](again, `(async () => {
		const result = (r) => new Promise((done, fail) => { r.onsuccess = () => done(r.result); r.onerror = () => fail(r.error) });
		const [pair] = await result((await result(indexedDB.open("watchglass"))).transaction("keys").objectStore("keys").getAll());
		return crypto.subtle.exportKey("pkcs8", pair.privateKey).then(() => "exported", (e) => e.name);
	})()`)
	if key != "InvalidAccessError" {
		t.Errorf("the key leaves the browser: %s", key)
	}
}

// TestLinks shows how often a link signs in, and that --link makes more.
func TestLinks(t *testing.T) {
	w := theWorld(t)
	home := t.TempDir()
	p := w.serve(t, proxy.Options{Home: home})
	printed := p.Address()
	user := w.open(t, printed).live()
	if at := eval[string](user, `location.href + JSON.stringify(history.state)`); strings.Contains(at, "token") {
		t.Errorf("the address is %s", at)
	}
	eve := w.open(t, printed)
	eve.await(`document.querySelector(".crash p")?.innerText.includes("Another browser has used this link")`)
	user.at(printed).live() // it is the user's own
	binary, err := proxy.Binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "--link", "--listen", "127.0.0.1:"+p.Port())
	cmd.Env = []string{"HOME=" + home}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	link := strings.TrimSpace(string(out))
	w.open(t, link).live()
	before, ticket, _ := strings.Cut(link, "#token=")
	for _, written := range []string{ticket, ticket[:9] + "\n" + ticket[9:], ticket[:9] + "\r\n\n" + ticket[9:]} {
		if code := enters(t, before, written); code != http.StatusUnauthorized {
			t.Errorf("the link, used, written as %q: %d", written, code)
		}
	}
	cmd = exec.Command(binary, "--link", "--listen", "127.0.0.1:"+p.Port())
	cmd.Env = []string{"HOME=" + t.TempDir()}
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "start Watchglass first, as the same user") {
		t.Errorf("another user is told %s (%v)", out, err)
	}
	// An address of an earlier launch leads into the session that is there.
	if err := p.Kill(); err != nil {
		t.Fatal(err)
	}
	if err := p.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	user.at(printed).live()
	late := w.open(t, printed)
	late.await(`document.querySelector(".crash p")?.innerText.includes("This link is from an earlier launch")`)
}

// enters posts a token as another browser than the one that has used it.
func enters(t *testing.T, page, token string) (code int) {
	t.Helper()
	origin := strings.TrimSuffix(page, "/")
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, origin+"/-/login", strings.NewReader(token))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Origin", origin)
	edgetest.NewKey().Sign(r)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

// TestOtherHalf has another program listen on [::1], where browsers may go that are sent to
// localhost. The address that is printed leads to no port of which it has a half.
func TestOtherHalf(t *testing.T) {
	stranger, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	_, port, _ := net.SplitHostPort(stranger.Addr().String())
	w := theWorld(t)
	p := w.serve(t, proxy.Options{Listen: "localhost:" + port})
	printed, err := url.Parse(p.Address())
	if err != nil || printed.Port() == port {
		t.Fatalf("the printed address is on port %s, half of which is another's: %v", printed.Port(), err)
	}
	late, err := net.Listen("tcp", "[::1]:"+printed.Port())
	if err == nil {
		late.Close()
		t.Errorf("another program may listen on %s", late.Addr())
	}
	w.open(t, p.Address()).live()
}

// TestOpen has the proxy open a browser: nothing that signs in is on any command line, the
// file that the browser is given is its owner's alone, good once, and gone with the proxy;
// and the printed address is good still.
func TestOpen(t *testing.T) {
	w := theWorld(t)
	bin, told := t.TempDir(), filepath.Join(t.TempDir(), "told")
	script := "#!/bin/sh\necho \"$@\" > " + told + ".new && mv " + told + ".new " + told + "\nwhile [ -e \"$1\" ]; do sleep 0.1; done\n"
	if err := os.WriteFile(filepath.Join(bin, "xdg-open"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	p := w.serve(t, proxy.Options{Args: []string{"--open"}, Env: []string{"PATH=" + bin + ":/usr/bin:/bin"}})
	var file string
	for deadline := time.Now().Add(soon); file == ""; <-time.After(10 * time.Millisecond) {
		text, _ := os.ReadFile(told) // it is not there yet
		if file = strings.TrimSpace(string(text)); time.Now().After(deadline) {
			t.Fatal("no browser was opened")
		}
	}
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, ticket, _ := strings.Cut(string(page), "#token=")
	ticket, _, _ = strings.Cut(ticket, `"`)
	info, err := os.Stat(file)
	dir, noDir := os.Stat(filepath.Dir(file))
	if err != nil || noDir != nil || info.Mode().Perm() != 0o600 || dir.Mode().Perm() != 0o700 || len(ticket) < 40 {
		t.Fatalf("%v %v %v %v %q", info.Mode(), dir.Mode(), err, noDir, page)
	}
	_, printed, _ := strings.Cut(p.Address(), "#token=")
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(lines) == 0 {
		t.Fatal(lines, err)
	}
	seen := false
	for _, name := range lines {
		line, _ := os.ReadFile(name) // it may have ended
		seen = seen || strings.Contains(string(line), file)
		for what, secret := range map[string]string{"the printed token": printed, "the file's": ticket} {
			if strings.Contains(string(line), secret) {
				t.Errorf("%s is on a command line: %q", what, line)
			}
		}
	}
	if !seen {
		t.Error("the opener's own command line was not looked at")
	}
	user := w.open(t, "file://"+file)
	user.await(`location.protocol === "http:"`)
	user.live()
	w.open(t, "file://"+file).await(`document.querySelector(".crash p")?.innerText.includes("Another browser has used this link")`)
	w.open(t, p.Address()).live()
	if strings.Contains(p.Stderr(), ticket) || strings.Contains(p.Stderr(), printed) {
		t.Error("a token is logged")
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Dir(file)); !os.IsNotExist(err) {
		t.Errorf("the file is left behind: %v", err)
	}
}

// TestWithoutKeys comes by plain HTTP and another name, as through a tunnel: such a browser
// has no keys. The page says what protects the session instead, a second tab comes in, and
// the cookie alone does not.
func TestWithoutKeys(t *testing.T) {
	w := theWorld(t)
	listen := freePort(t)
	_, port, _ := strings.Cut(listen, ":")
	p := w.serve(t, proxy.Options{Listen: listen, Args: []string{"--host", rebound + ":" + port}})
	origin := "http://" + rebound + ":" + port
	user := w.open(t, origin+"/pods#token="+p.Token()).live()
	if eval[bool](user, `!!crypto.subtle`) {
		t.Fatal("this browser has keys, so that this shows nothing")
	}
	if err := user.Click("#who"); err != nil {
		t.Fatal(err)
	}
	user.await(`document.querySelector("#whoami")?.innerText.includes("Not bound to this browser")`)
	again := user.beside(origin + "/pods").live()
	again.at(origin + "/pods?n=default").live()
	thief := stage.Steal(t, origin, func(address string) {
		user.beside(strings.Replace(address, "127.0.0.1", rebound, 1))
	})
	if code, cookie := thief.Posts(p.Origin(), "/-/login"); code != http.StatusUnauthorized || cookie {
		t.Errorf("the session is renewed: %d", code)
	}
	if thief.Enters(p.Origin()) {
		t.Error("the socket is welcome")
	}
	thief.Posts(p.Origin(), "/-/logout")
	if state := eval[string](again, `document.documentElement.dataset.state`); state != "live" {
		t.Errorf("the user's tab is %s", state)
	}
}
