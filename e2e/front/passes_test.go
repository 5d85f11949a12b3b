package front

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/stage"
)

// straight lets everything through as it comes.
func straight(*http.Request) pass { return pass{} }

// TestBuffered puts a front before the apiserver that holds answers back until it has 8 KB of
// them: what there is shows all the same, and what changes a few seconds later, and the page
// says so and never that it is live.
func TestBuffered(t *testing.T) {
	for name, head := range map[string]bool{"with their heads": true, "after their heads": false} {
		t.Run(name, func(t *testing.T) {
			f := start(t, func(*http.Request) pass { return pass{hold: 8 << 10, head: head} })
			e := stage.Open(t, f.serve(t).At("/namespaces"))
			e.Await("!!document.documentElement")
			stage.Eval[bool](e, neverLive)
			e.Await(`!!document.querySelector("[data-key=kube-system]")`)
			e.Says("#badge", "Polled")
			e.Says(".banner", "watch events may arrive late")
			e.KeepLooks("polled")
			ns, err := stage.Admin.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-"}}, metav1.CreateOptions{})
			e.Must(err)
			e.Await(fmt.Sprintf(`!!document.querySelector("[data-key=%s]")`, ns.Name))
			if stage.Now[bool](e, "wasLive") {
				t.Error("it was called live")
			}
			want := 1
			if head { // the short watch-list brings what there is
				want = 0
			}
			if lists, _ := f.seen("/namespaces?limit"); len(lists) != want {
				t.Errorf("it was listed %d times, not %d: %v", len(lists), want, lists)
			}
			f.passes(straight)
			e.AwaitState("live")
		})
	}
}

// TestGateway puts a front before the apiserver that answers watches with 504 and lets lists
// through: what there is shows and is polled, and it is live when watches pass again.
func TestGateway(t *testing.T) {
	f := start(t, func(r *http.Request) pass {
		if r.URL.Query().Get("watch") != "" {
			return pass{instead: http.StatusGatewayTimeout}
		}
		return pass{}
	})
	e := stage.Open(t, f.serve(t).At("/namespaces"))
	e.Await(`!!document.querySelector("[data-key=kube-system]")`)
	e.Says("#badge", "Polled")
	ns, err := stage.Admin.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "e2e-"}}, metav1.CreateOptions{})
	e.Must(err)
	e.Await(fmt.Sprintf(`!!document.querySelector("[data-key=%s]")`, ns.Name))
	f.passes(straight)
	stage.Eval[bool](e, `document.dispatchEvent(new Event("visibilitychange"))`) // somebody looks
	e.AwaitState("live")
}

// neverLive notes whether the page says from now on that it is live.
const neverLive = `(() => {
	window.wasLive = false;
	new MutationObserver(() => { wasLive ||= document.documentElement.dataset.state === "live" }).observe(document.documentElement, {attributes: true});
	return true;
})()`

// TestReset puts a front before the apiserver that resets each connection after some megabytes,
// of which the list has several times as many: what has come stays, and the rest comes in pages.
func TestReset(t *testing.T) {
	const cut = 6 << 20
	f := start(t, func(r *http.Request) pass {
		if strings.HasPrefix(r.URL.Path, "/api/v1/pods") {
			return pass{cut: cut}
		}
		return pass{}
	})
	e := stage.Open(t, f.serve(t).At("/pods"))
	e.AwaitState("live")
	e.AwaitSource(func(s stage.Source) bool { return s.Objects == podsSeeded })
	pages, all := f.seen("/pods?")
	whole := 0
	for _, p := range pages {
		if strings.Contains(p.address, "limit=") {
			whole++
		}
	}
	if all < 3*cut || whole < podsSeeded/500 || whole > podsSeeded/500+2 {
		t.Errorf("%d pages, %d bytes in all: %v", whole, all, pages)
	}
}
