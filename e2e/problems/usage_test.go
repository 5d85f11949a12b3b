package problems

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/stage"
)

// serveUsage serves metrics.k8s.io behind the apiserver's aggregator, as metrics-server does. Each
// container of a namespace uses what its ConfigMap "usage" says; without one, nothing was measured.
func serveUsage(t *testing.T) {
	t.Helper()
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/apis/metrics.k8s.io/v1beta1"), "/")
		var answer any
		switch {
		case len(parts) == 1:
			answer = metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: "metrics.k8s.io/v1beta1",
				APIResources: []metav1.APIResource{{Name: "pods", Kind: "PodMetrics", Namespaced: true, Verbs: metav1.Verbs{"get", "list"}}}}
		case len(parts) == 4 && parts[1] == "namespaces" && parts[3] == "pods":
			items, err := usage(r, parts[2])
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			answer = map[string]any{"kind": "PodMetricsList", "apiVersion": "metrics.k8s.io/v1beta1", "metadata": map[string]any{}, "items": items}
		default:
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer) // the apiserver may be gone
	}))
	t.Cleanup(s.Close)
	stage.Aggregate(t, s, "metrics.k8s.io", "v1beta1")
}

// usage returns the PodMetrics of the pods that a request selects.
func usage(r *http.Request, ns string) (items []any, err error) {
	maps, err := stage.Admin.CoreV1().ConfigMaps(ns).List(r.Context(), metav1.ListOptions{FieldSelector: "metadata.name=usage"})
	if err != nil || len(maps.Items) == 0 {
		return nil, err
	}
	pods, err := stage.Admin.CoreV1().Pods(ns).List(r.Context(), metav1.ListOptions{LabelSelector: r.URL.Query().Get("labelSelector")})
	if err != nil {
		return nil, err
	}
	for _, p := range pods.Items {
		items = append(items, map[string]any{
			"metadata": map[string]any{"name": p.Name, "namespace": ns}, "timestamp": time.Now().UTC().Format(time.RFC3339), "window": "1s",
			"containers": []any{map[string]any{"name": "main", "usage": maps.Items[0].Data}},
		})
	}
	return items, nil
}
