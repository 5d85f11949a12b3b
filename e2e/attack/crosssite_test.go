package attack_test

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	corev1 "k8s.io/api/core/v1"
)

// script is what a page of another origin tries: to read by a WebSocket, which asks for
// no leave, and to write by a POST that looks like a form's. It is given HOST, the
// paths to read from, and the path to write to, and comes to all that it has read and
// what it may know of its writes.
const script = `(async ({host, read, write, hello, object}) => {
	const listen = path => new Promise(done => {
		let got = "";
		const s = new WebSocket("ws://" + host + path);
		s.onopen = () => { got += "open "; try { s.send(hello) } catch {} };
		s.onmessage = async m => { got += typeof m.data === "string" ? m.data : await m.data.text() };
		s.onclose = () => done(got);
		setTimeout(() => { s.close(); done(got) }, 3000);
	});
	const post = path => fetch("http://" + host + path, {method: "POST", mode: "no-cors", credentials: "include", body: new Blob([object])}).then(r => r.type, e => "");
	const got = path => fetch("http://" + host + path, {credentials: "include"}).then(r => r.text(), e => "");
	const reads = await Promise.all(read.map(listen));
	const plain = await Promise.all(read.map(got));
	await Promise.all(write.map(post));
	return reads.concat(plain).join("");
})(%s)`

// tried runs the script in a page.
func tried(b tab, host, namespace, name string) string {
	b.t.Helper()
	path := "/api/v1/namespaces/" + namespace + "/configmaps"
	args, err := json.Marshal(map[string]any{
		"host": host, "hello": `{"v":1,"early":"configmaps"}`,
		"read":   []string{path + "?watch=1", "/-/socket", "/-/socket?c=admin"},
		"write":  []string{path, "/-/login", "/-/logout", "/-/socket"},
		"object": fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":%q}}`, name),
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return eval[string](b, fmt.Sprintf(script, args))
}

// attacker serves a page of the attacker's, and returns its port.
func attacker(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>kittens</title>")
	}))
	t.Cleanup(s.Close)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// canary is in an object that only who may read the cluster can know.
const canary = "canary-in-a-configmap"

// planted makes a namespace with the canary in it, and returns a client to look with.
func planted(t *testing.T, w *world) (*kubernetes.Clientset, string) {
	t.Helper()
	admin, err := kubernetes.NewForConfig(w.cluster.Config())
	if err != nil {
		t.Fatal(err)
	}
	ns, err := admin.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "attack-"}}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: canary}, Data: map[string]string{"a": "b"}}
	if _, err := admin.CoreV1().ConfigMaps(ns.Name).Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return admin, ns.Name
}

func exists(t *testing.T, admin *kubernetes.Clientset, namespace, name string) bool {
	t.Helper()
	list, err := admin.CoreV1().ConfigMaps(namespace).List(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	if err != nil {
		t.Fatal(err)
	}
	return len(list.Items) > 0
}

// TestCrossSite runs one script in pages of other origins, in a browser whose user has
// both proxies open: kubectl proxy is read from and written to, which shows that the
// script works, and Watchglass is not.
func TestCrossSite(t *testing.T) {
	w := theWorld(t)
	admin, namespace := planted(t, w)
	kubectl := w.kubectlProxy(t)
	p := w.watchglass(t)
	user := w.open(t, p.At("/configmaps?n="+namespace))
	user.await(`document.documentElement.dataset.state === "live"`)
	port := attacker(t)
	for i, origin := range []string{"http://" + evil + ":" + port, "http://localhost:" + port, "http://127.0.0.1:" + port} {
		t.Run(origin, func(t *testing.T) {
			page := user.beside(origin + "/")
			page.t = t
			theirs, ours := fmt.Sprintf("by-kubectl-proxy-%d", i), fmt.Sprintf("by-watchglass-%d", i)
			if got := tried(page, kubectl, namespace, theirs); !strings.Contains(got, canary) {
				t.Errorf("kubectl proxy was not read from, so that this shows nothing: %q", got)
			}
			if !exists(t, admin, namespace, theirs) {
				t.Error("kubectl proxy was not written to, so that this shows nothing")
			}
			host := strings.TrimPrefix(p.Origin(), "http://")
			if got := tried(page, host, namespace, ours); got != "" {
				t.Errorf("read from Watchglass: %q", got)
			}
			if exists(t, admin, namespace, ours) {
				t.Error("Watchglass was written to")
			}
		})
	}
	if state := eval[string](user, `document.documentElement.dataset.state`); state != "live" {
		t.Errorf("the user's own tab is %s", state)
	}
}

// TestRebound comes by a name of the attacker's that has become this machine's: page,
// login and socket are refused, with the right token and from its own origin.
func TestRebound(t *testing.T) {
	w := theWorld(t)
	p := w.watchglass(t)
	user := w.open(t, p.At("/pods")) // so that there is a session to steal
	user.await(`document.documentElement.dataset.state === "live"`)
	origin := "http://" + rebound + ":" + p.Port()
	page := user.beside(origin + "/pods#token=" + p.Token())
	if got := eval[string](page, `document.body.innerText`); !strings.Contains(got, "not a name of this server") || !strings.Contains(got, rebound) {
		t.Errorf("the page by another name: %q", got)
	}
	for what, c := range map[string]struct {
		script string
		want   int
	}{
		"page":    {`fetch("/pods").then(r => r.status)`, 421},
		"file":    {`fetch("/-/files/boot.js").then(r => r.status)`, 421},
		"login":   {fmt.Sprintf(`fetch("/-/login", {method: "POST", body: %q}).then(r => r.status)`, p.Token()), 421},
		"renewal": {`fetch("/-/login", {method: "POST"}).then(r => r.status)`, 421},
		"logout":  {`fetch("/-/logout", {method: "POST"}).then(r => r.status)`, 421},
		"upgrade": {`fetch("/-/socket").then(r => r.status)`, 421},
		"socket":  {`new Promise(done => { const s = new WebSocket("ws://" + location.host + "/-/socket"); s.onopen = () => done(101); s.onclose = () => done(0) })`, 0},
	} {
		if have := eval[int](page, c.script); have != c.want {
			t.Errorf("%s: %d, want %d", what, have, c.want)
		}
	}
	if cookies := eval[string](page, `document.cookie`); cookies != "" {
		t.Errorf("cookies: %q", cookies)
	}
}
