//go:build !js

package problem

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"watchglass/internal/demo"
	"watchglass/internal/object"
	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/text"
)

// broken is what the demo cluster breaks on purpose.
const broken = " CrashLoopBackOff OOMKilled Restarting ImagePullBackOff Unschedulable NotReady Evicted BackoffLimitExceeded Retrying "

// unserved are the kinds that the demo cluster does not have.
const unserved = " " + kinds.APIServices + " " + kinds.ValidatingWebhooks + " " + kinds.MutatingWebhooks + " " + kinds.ControllerRevisions + " "

// TestDemo holds that the rows of the demo cluster are what it breaks on purpose, and no other: its
// rollouts, drains, Services, claims, budgets and autoscalers are well. A probe fails now and then, and
// a Service with a single pod is down until it succeeds.
func TestDemo(t *testing.T) {
	c := newCluster(t)
	cluster := demo.New(demo.Options{Seed: 1, Pods: 300, Now: func() time.Time { return c.now }})
	seen := 0
	for range 3 {
		c.engine, c.rows, c.objects, c.totals = New(Options{ServerMinor: func() int { return 37 }}), make(map[string]Row), make(map[string]Change), facts.Totals{}
		for _, resource := range kinds.Resources() {
			if kind, ok := object.Builtin(resource); ok && !text.Listed(unserved, resource) {
				list(t, cluster.Handler(), c, kind)
			}
		}
		c.text()
		if n := c.engine.Warnings(c.now); c.totals.Pods < 200 || n == 0 {
			t.Errorf("%+v, %d warnings", c.totals, n)
		}
		for _, r := range c.rows {
			if seen++; !text.Listed(broken, r.Reason) && !(r.Reason == "NoReadyEndpoints" && blinks(t, cluster.Handler(), r)) {
				t.Errorf("%v: %+v", c.now, r)
			}
		}
		c.now = c.now.Add(4 * time.Minute)
		cluster.Advance(c.now)
	}
	if seen < 10 {
		t.Errorf("%d rows", seen)
	}
}

// blinks reports whether all pods behind a Service of the demo run and are not ready.
func blinks(t *testing.T, server http.Handler, of Row) bool {
	t.Helper()
	pods := get(t, server, "/api/v1/namespaces/"+of.Namespace+"/pods?labelSelector="+url.QueryEscape("app.kubernetes.io/instance="+of.Name))
	for _, pod := range pods {
		text, err := json.Marshal(pod["status"])
		if err != nil {
			t.Fatal(err)
		}
		if status := string(text); !strings.Contains(status, `"phase":"Running"`) || !strings.Contains(status, `"ContainersNotReady"`) {
			return false
		}
	}
	return len(pods) > 0
}

// get reads a list.
func get(t *testing.T, server http.Handler, path string) []map[string]any {
	t.Helper()
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("Accept", "application/json")
	w := httptest.NewRecorder()
	server.ServeHTTP(w, r)
	var items struct{ Items []map[string]any }
	if err := json.Unmarshal(w.Body.Bytes(), &items); err != nil || w.Code != http.StatusOK {
		t.Fatalf("%s: %d %v", path, w.Code, err)
	}
	return items.Items
}

// list applies all objects of a kind.
func list(t *testing.T, server http.Handler, c *cluster, kind object.Kind) {
	t.Helper()
	path := "/api/v1/" + kind.Resource
	if kind.Group != "" {
		path = "/apis/" + kind.APIVersion() + "/" + kind.Resource
	}
	for _, item := range get(t, server, path) {
		item["kind"], item["apiVersion"] = kind.Name, kind.APIVersion() // a list leaves them out
		text, err := json.Marshal(item)
		if err != nil {
			t.Fatal(err)
		}
		c.apply(decode(t, true, string(text)))
	}
}
