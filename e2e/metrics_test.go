package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"watchglass/e2e/browser"
	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// TestUsage shows what pods use, from a server of metrics behind the apiserver's aggregator: the
// numbers follow, what is not measured is empty, and the columns are there only with the server. The
// drawer of a pod has its history. A server that fails or refuses is named, and what it said last is
// not shown to a user who is refused.
func TestUsage(t *testing.T) {
	ns := stage.Namespace(t)
	for _, name := range []string{"measured", "missing"} {
		pod := stage.Create(t, ns, name, func(p *corev1.Pod) {
			p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{"cpu": resource.MustParse("500m"), "memory": resource.MustParse("64Mi")}
			p.Spec.Containers[0].Resources.Limits = corev1.ResourceList{"memory": resource.MustParse("128Mi")}
		})
		stage.SetStatus(t, pod, stage.Running(0))
	}
	p := stage.Serve(t, proxy.Options{})
	without := synced(t, p.At("/pods?n="+ns+"&cols=Name,CPU"))
	without.Says(".banner", "There is no column")

	var nanocores, refused atomic.Int64
	nanocores.Store(100_000_001)
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch code := int(refused.Load()); {
		case code != 0 && strings.HasSuffix(r.URL.Path, "/pods"):
			w.WriteHeader(code)
			fmt.Fprintf(w, `{"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": "refused for a test", "reason": %q, "code": %d}`, strings.ReplaceAll(http.StatusText(code), " ", ""), code)
		case r.URL.Path == "/apis/metrics.k8s.io/v1beta1":
			fmt.Fprint(w, `{"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "metrics.k8s.io/v1beta1", "resources": [{"name": "pods", "singularName": "", "kind": "PodMetrics", "namespaced": true, "verbs": ["get", "list"]}]}`)
		case strings.HasSuffix(r.URL.Path, "/pods"):
			fmt.Fprintf(w, `{"kind": "PodMetricsList", "apiVersion": "metrics.k8s.io/v1beta1", "metadata": {}, "items": [{"metadata": {"name": "measured", "namespace": %q, "creationTimestamp": null}, "timestamp": %q, "window": "15s", "containers": [{"name": "main", "usage": {"cpu": "%dn", "memory": "32768Ki"}}]}]}`,
				ns, time.Now().UTC().Format(time.RFC3339), nanocores.Load())
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(s.Close)
	stage.Aggregate(t, s, "metrics.k8s.io", "v1beta1")
	measured := "/pods?n=" + ns + "&sort=-CPU&cols=Name,CPU,Memory,Memory+of+Limit,Measured"
	e := synced(t, p.At(measured))
	e.AwaitCell(ns+"/measured", "CPU", "101m (20%)")
	e.AwaitCell(ns+"/measured", "Memory", "32Mi (50%)")
	e.AwaitCell(ns+"/measured", "Memory of Limit", "25%")
	e.AwaitCell(ns+"/missing", "CPU", "")
	stage.AwaitValue(e, browser.AllRows, func(r browser.Rows) bool { return slices.Equal(r.Keys(), []string{ns + "/measured", ns + "/missing"}) })
	nanocores.Store(600_000_000)
	e.AwaitCell(ns+"/measured", "CPU", "600m (120%)")
	e.Keep("usage")
	e.Visit("/pods?n=" + ns + "&q=cpu>550m")
	e.AwaitCount(1)
	e.Visit("/namespaces?q=" + ns + "&cols=Name,Pods,CPU,Memory")
	e.AwaitCell(ns, "CPU", "600m")
	e.AwaitCell(ns, "Pods", "2")
	e.Keep("namespaces")

	e.Visit("/pods?n=" + ns + "&sel=" + ns + "/measured")
	usage := `document.querySelector('[data-section="Usage"]')`
	e.Says(`[data-section="Usage"] [data-name="CPU"]`, "600m · 120% of request 500m")
	e.Says(`[data-section="Usage"] [data-name="Memory"]`, "32Mi · 50% of request 64Mi · 25% of limit 128Mi")
	e.Says(`[data-section="Usage"] .badge-of`, "s ago")
	line := usage + `.querySelector("path").getAttribute("d").split("L").length`
	e.Await(fmt.Sprintf("%s > %d", line, stage.Eval[int](e, line)))
	nanocores.Store(700_000_000)
	e.Says(`[data-section="Usage"] [data-name="CPU"]`, "700m · 140% of request 500m")
	e.Keep("drawer")
	e.Visit("/pods?n=" + ns + "&sel=" + ns + "/missing")
	e.Says(`[data-section="Usage"] .badge-of`, "Not measured")

	e.Visit(measured)
	e.AwaitCell(ns+"/measured", "CPU", "700m (140%)")
	refused.Store(http.StatusServiceUnavailable)
	e.Says(".banner", "Metrics", "stale")
	e.AwaitCell(ns+"/measured", "CPU", "700m (140%)")
	e.Keep("unavailable")
	refused.Store(http.StatusForbidden)
	e.Says(".banner", "Metrics", "no permission to list")
	e.AwaitCell(ns+"/measured", "CPU", "")
	e.Keep("refused")
	refused.Store(0)
	e.AwaitCell(ns+"/measured", "CPU", "700m (140%)")
	e.Await(`!document.querySelector(".banner:not([hidden])")?.innerText.includes("Metrics")`)
}
