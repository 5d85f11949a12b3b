package front

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"watchglass/e2e/stage"
)

// converter is a conversion webhook that fails while it is told to.
type converter struct {
	*httptest.Server
	broken atomic.Bool
	asked  atomic.Int64
}

// startConverter starts one, and a kind of the cluster's that is converted by it.
func startConverter(t *testing.T) *converter {
	t.Helper()
	c := &converter{}
	c.Server = httptest.NewTLSServer(c)
	t.Cleanup(c.Close)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate().Raw})
	stage.Apply(t, fmt.Sprintf(converted, base64.StdEncoding.EncodeToString(ca), c.URL))
	stage.Kubectl(t, "wait", "--for=condition=Established", "crd/gauges.front.example.com")
	t.Cleanup(func() {
		c.broken.Store(false)
		_, _ = stage.Cluster.Kubectl(context.Background(), "delete", "crd", "gauges.front.example.com")
	})
	return c
}

const converted = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gauges.front.example.com}
spec:
  group: front.example.com
  scope: Namespaced
  names: {plural: gauges, singular: gauge, kind: Gauge}
  conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1], clientConfig: {caBundle: %s, url: "%s"}}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
  - {name: v2, served: true, storage: false, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
`

// ServeHTTP answers a ConversionReview: what differs between the versions is their name.
func (c *converter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.asked.Add(1)
	var review struct {
		Request struct {
			UID               string
			DesiredAPIVersion string
			Objects           []map[string]any
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil || c.broken.Load() {
		http.Error(w, "out of order", http.StatusInternalServerError)
		return
	}
	for _, o := range review.Request.Objects {
		o["apiVersion"] = review.Request.DesiredAPIVersion
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{ // the apiserver notices if it fails
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "ConversionReview",
		"response": map[string]any{"uid": review.Request.UID, "convertedObjects": review.Request.Objects, "result": map[string]string{"status": "Success"}},
	})
}

// TestConversion breaks a conversion webhook for so long that the apiserver gives up its cache
// of the kind: when it is mended, what there is shows within seconds, as kubectl has it.
func TestConversion(t *testing.T) {
	c := startConverter(t)
	f := start(t, straight)
	gauge := func(name string) {
		stage.Apply(t, "{apiVersion: front.example.com/v1, kind: Gauge, metadata: {name: "+name+", namespace: default}}")
	}
	gauge("one")
	e := stage.Synced(t, f.serve(t).At("/gauges.front.example.com"))
	c.broken.Store(true)
	gauge("two") // which the cache cannot take in
	e.Must(e.Tab.AwaitState("stale", 2*time.Minute))
	awaitUnready(t)
	e.Says(".banner", "conversion webhook")
	e.Keep("broken")
	if failed := failures(f); failed > 30 {
		t.Errorf("%d requests that failed", failed)
	}
	c.broken.Store(false)
	e.Await(`!!document.querySelector('[data-key="default/two"]')`)
	gauges, _ := f.seen("/gauges?limit=500")
	if !slices.ContainsFunc(gauges, func(a answered) bool { return a.code == http.StatusOK }) {
		t.Error("it waited for the watch")
	}
	e.AwaitState("live")
	e.AwaitCount(2)
}

// awaitUnready waits until the apiserver asks who wants to watch gauges for much patience.
func awaitUnready(t *testing.T) {
	t.Helper()
	client, err := rest.HTTPClientFor(stage.Cluster.Config())
	if err != nil {
		t.Fatal(err)
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for asked := 0; asked < 10; <-tick.C {
		resp, err := client.Get(stage.Cluster.URL() + "/apis/front.example.com/v2/gauges?watch=true&timeoutSeconds=1")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		asked, _ = strconv.Atoi(resp.Header.Get("Retry-After"))
	}
}

// failures counts the requests for gauges that failed.
func failures(f *front) (n int) {
	gauges, _ := f.seen("/gauges?")
	for _, a := range gauges {
		if a.code != http.StatusOK {
			n++
		}
	}
	return n
}
