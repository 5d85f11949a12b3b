package embed

import (
	"fmt"
	"testing"

	"watchglass/e2e/cluster"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// podsMany is how many pods the list has whose memory is measured.
const podsMany = 10_000

// heapMost is the heap of the worker with ten elements on one list, as a multiple of that with one.
const heapMost = 1.15

// TestHeap checks the memory of ten elements on a page of another site, with third-party cookies
// blocked: they share one worker, whose heap is hardly larger than for one element. Both are measured
// after a garbage collection, in browsers of their own. The cluster doesn't change, because the
// worker also remembers changes.
func TestHeap(t *testing.T) {
	c, err := cluster.Start(t.Context(), cluster.Options{Users: []cluster.User{{Name: vera.Name, Token: vera.Token, Groups: []string{"system:masters"}}}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err := c.SeedPods(t.Context(), podsMany, cluster.PodOptions{}); err != nil {
		t.Fatal(err)
	}
	kubeconfig, err := c.Kubeconfig(cluster.Admin(), cluster.KubeconfigOptions{Path: t.TempDir() + "/kubeconfig"})
	if err != nil {
		t.Fatal(err)
	}
	one, ten := heap(t, kubeconfig, 1), heap(t, kubeconfig, 10)
	t.Logf("the worker's heap is %.1f MB with one element and %.1f MB with ten: %.3f ×", one/1e6, ten/1e6, ten/one)
	if ten > heapMost*one {
		t.Errorf("ten elements take %.2f × of the heap of one, want at most %.2f ×", ten/one, heapMost)
	}
}

// heap returns the bytes of Go heap of the worker that serves n elements.
func heap(t *testing.T, kubeconfig string, n int) float64 {
	t.Helper()
	p, listen := newPortal(t), stage.FreePort(t)
	w := stage.Serve(t, proxy.Options{Kubeconfig: kubeconfig, Listen: listen, Args: []string{"--auth", "token", "--public-url", "http://" + listen, "--embed-origin", p.origin}})
	p.shows(w.Origin(), elements(w.Origin(), n))
	e := p.visit(t, true)
	live(e, n)
	f := frame(e, w.Origin())
	f.Await(fmt.Sprintf(`watchglass.inspect().then(i => i.worker.shared && i.pages.length === %d && i.sources.length === 1 && i.sources[0].objects === %d)`, n, podsMany))
	// Lists that have just opened still count and save: the heap is as large as it stays once readings in a row are alike.
	f.Await(`watchglass.inspect({gc: true}).then(i => {
		const was = window.heap ?? 0
		window.heap = i.memory.worker
		window.alike = Math.abs(window.heap - was) < was / 500 ? (window.alike ?? 0) + 1 : 0
		return window.alike >= 10
	})`)
	return stage.Eval[float64](f, `window.heap`)
}
