package list

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// payload is what Helm stores of a release: nobody may read it.
const payload = "correct horse battery staple of a chart"

// helm writes the Secrets of releases in a namespace, as Helm does.
type helm struct {
	*testing.T
	ns string
}

func (h helm) name(release string, revision int) string {
	return fmt.Sprint("sh.helm.release.v1.", release, ".v", revision)
}

// store creates the Secret of a revision.
func (h helm) store(release string, revision int, status string) {
	h.Helper()
	s := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: h.name(release, revision), Labels: map[string]string{"owner": "helm", "name": release, "version": strconv.Itoa(revision), "status": status, "createdAt": "1767225600"}},
		Type:       "helm.sh/release.v1", StringData: map[string]string{"release": payload},
	}
	if _, err := stage.Admin.CoreV1().Secrets(h.ns).Create(h.Context(), s, metav1.CreateOptions{}); err != nil {
		h.Fatal(err)
	}
}

// set changes the status of a revision.
func (h helm) set(release string, revision int, status string) {
	h.Helper()
	secrets := stage.Admin.CoreV1().Secrets(h.ns)
	s, err := secrets.Get(h.Context(), h.name(release, revision), metav1.GetOptions{})
	if err == nil {
		s.Labels["status"], s.Labels["modifiedAt"] = status, "1767225660"
		_, err = secrets.Update(h.Context(), s, metav1.UpdateOptions{})
	}
	if err != nil {
		h.Fatal(err)
	}
}

func (h helm) remove(release string, revision int) {
	h.Helper()
	if err := stage.Admin.CoreV1().Secrets(h.ns).Delete(h.Context(), h.name(release, revision), metav1.DeleteOptions{}); err != nil {
		h.Fatal(err)
	}
}

// wire keeps what is asked about Secrets, and what the apiserver answers.
type wire struct {
	http.RoundTripper
	mu     sync.Mutex
	asked  []string // Accept headers
	answer bytes.Buffer
}

// RoundTrip keeps requests for Secrets.
func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := w.RoundTripper.RoundTrip(r)
	if err == nil && strings.Contains(r.URL.Path, "/secrets") {
		w.mu.Lock()
		w.asked = append(w.asked, r.URL.RawQuery+" "+r.Header.Get("Accept"))
		w.mu.Unlock()
		resp.Body = struct {
			io.Reader
			io.Closer
		}{io.TeeReader(resp.Body, w), resp.Body}
	}
	return resp, err
}

// Write keeps a part of an answer.
func (w *wire) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.answer.Write(b)
}

// TestReleases follows releases through their lives, opens one, and goes to its objects and back. Of
// their Secrets the apiserver is asked for metadata alone, so that what they store does not even reach the
// proxy.
func TestReleases(t *testing.T) {
	h := helm{t, stage.Namespace(t)}
	for _, r := range []struct {
		release  string
		revision int
		status   string
	}{{"web", 1, "superseded"}, {"web", 2, "deployed"}, {"db", 1, "failed"}} {
		h.store(r.release, r.revision, r.status)
	}
	stage.Create(t, h.ns, "web-0", func(p *corev1.Pod) {
		p.Labels = map[string]string{"app.kubernetes.io/instance": "web", "app.kubernetes.io/managed-by": "Helm"}
		p.Annotations = map[string]string{"meta.helm.sh/release-name": "web", "meta.helm.sh/release-namespace": h.ns}
	})
	kept := new(wire)
	kubeconfig := stage.Between(t, func(p *httputil.ReverseProxy) {
		kept.RoundTripper = p.Transport
		p.Transport = kept
	})
	e := synced(t, stage.Serve(t, proxy.Options{Kubeconfig: kubeconfig}).At("/helm?n="+h.ns))
	web, db := h.ns+"/web", h.ns+"/db"
	e.AwaitCell(web, "Revision", "2")
	e.AwaitCell(db, "Status", "failed")
	e.Await(item("releases.helm.sh") + `.getAttribute("aria-current") === "page"`)

	h.store("web", 3, "pending-upgrade") // an upgrade, which fails and is rolled back
	e.AwaitCell(web, "Status", "pending-upgrade")
	e.Await(`document.querySelector('[data-key="` + web + `"] [data-column="Status"] [data-tone="warning"], [data-key="` + web + `"] [data-column="Status"][data-tone="warning"]')`)
	h.set("web", 3, "failed")
	e.AwaitCell(web, "Status", "failed")
	h.store("web", 4, "deployed")
	h.set("web", 2, "superseded")
	e.AwaitCell(web, "Revision", "4")
	e.AwaitCell(web, "Stored", "4")
	h.remove("web", 1) // of which only so many are kept
	e.AwaitCell(web, "Stored", "3")
	h.remove("web", 4)
	e.AwaitCell(web, "Revision", "3")
	h.store("web", 4, "deployed")
	e.Await(`watchglass.facets().then(all => JSON.stringify(all.find(f => f.name === "Status")?.values.map(v => v.value + v.count).sort()) === '["deployed1","failed1"]')`)

	stage.Eval[any](e, `document.querySelector('[data-key="`+web+`"]').click()`)
	e.Await(`[...document.querySelectorAll(".drawer [role=tab]")].map(t => t.textContent).join() === "Summary,Changes"`)
	e.Says("#pane", "not read", "superseded")
	e.Await(`document.querySelector('#pane a[href*="/pods?"]')?.textContent === "1"`)
	e.Axe(stage.AxeSource(t))
	e.Keep("release")
	stage.Eval[any](e, `document.querySelector('#pane a[href*="/pods?"]').click()`)
	e.AwaitState("live")
	e.AwaitCount(1)
	stage.Eval[any](e, `document.querySelector('[data-key="`+h.ns+`/web-0"]').click()`)
	e.Await(`document.querySelector('#pane a[href*="/releases.helm.sh"]')?.textContent === "web"`)
	stage.Eval[any](e, `document.querySelector('#pane a[href*="/releases.helm.sh"]').click()`)
	e.Says(".drawer .head", "Release", "web")
	e.AwaitState("live")

	for n := 2; n <= 4; n++ { // uninstalled
		h.remove("web", n)
	}
	e.Await(`!document.querySelector('.grid [data-key="` + web + `"]')`)
	e.Says(".drawer .head", "Deleted")

	kept.mu.Lock()
	defer kept.mu.Unlock()
	if len(kept.asked) == 0 || !bytes.Contains(kept.answer.Bytes(), []byte(h.name("web", 3))) {
		t.Errorf("the wire saw nothing of the releases: %q", kept.asked)
	}
	for _, asked := range kept.asked {
		if _, accept, _ := strings.Cut(asked, " "); strings.Count(accept, "as=PartialObjectMetadata") != len(strings.Split(accept, ",")) {
			t.Errorf("more than metadata was asked for: %s", asked)
		}
	}
	if bytes.Contains(kept.answer.Bytes(), []byte(payload)) || bytes.Contains(kept.answer.Bytes(), []byte("Y29ycmVjdCBob3JzZSBi")) {
		t.Error("the payload reached the proxy")
	}
}

// TestReleasesDenied checks that a user who may not list Secrets is told that, and that one who may in a
// namespace sees its releases.
func TestReleasesDenied(t *testing.T) {
	e := eyes{deniedPage.Open(t, "/releases.helm.sh")}
	e.AwaitState("denied")
	e.Says(".panel", "secrets is forbidden")
	e.Keep("denied")
	h := helm{t, stage.Namespace(t)}
	h.store("web", 1, "deployed")
	someone := stage.Someone(t)
	stage.Grant(t, someone, h.ns, stage.Reads, "secrets")
	e = open(t, stage.ServeTo(t, someone, h.ns).At("/releases.helm.sh"))
	e.AwaitCell(h.ns+"/web", "Status", "deployed")
	e.AwaitState("live")
}
