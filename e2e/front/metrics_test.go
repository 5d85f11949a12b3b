package front

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"watchglass/e2e/browser"
	"watchglass/e2e/stage"
)

// meter is an aggregated apiserver of nodes' metrics, as metrics-server is one: it lists them,
// with no UID and no version, and cannot watch.
type meter struct {
	*httptest.Server

	mu      sync.Mutex
	cpu     string
	watched int
}

// startMeter starts one, and has the apiserver serve it.
func startMeter(t *testing.T) *meter {
	t.Helper()
	m := &meter{cpu: "100m"}
	m.Server = httptest.NewTLSServer(m)
	t.Cleanup(m.Close)
	u, err := url.Parse(m.URL)
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(u.Host) // it listens there
	stage.Apply(t, fmt.Sprintf(aggregated, port))
	t.Cleanup(func() {
		if _, err := stage.Cluster.Kubectl(context.Background(), "delete", "apiservice", "v1beta1.metrics.k8s.io"); err != nil {
			t.Error(err)
		}
	})
	stage.Kubectl(t, "wait", "--for=condition=Available", "apiservice/v1beta1.metrics.k8s.io", "--timeout=30s")
	return m
}

const aggregated = `
apiVersion: v1
kind: Service
metadata: {name: meter, namespace: default}
spec: {type: ExternalName, externalName: localhost}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1beta1.metrics.k8s.io}
spec: {group: metrics.k8s.io, version: v1beta1, groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true, service: {namespace: default, name: meter, port: %s}}
`

// set sets what the one node is said to use, and returns how often a watch was asked for.
func (m *meter) set(cpu string) (watched int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cpu = cpu
	return m.watched
}

const (
	discovered = `{"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2","metadata":{},"items":[{"metadata":{"name":"metrics.k8s.io"},"versions":[{"version":"v1beta1","freshness":"Current","resources":[
		{"resource":"nodes","responseKind":{"group":"metrics.k8s.io","version":"v1beta1","kind":"NodeMetrics"},"scope":"Cluster","singularResource":"","verbs":["get","list"]}]}]}]}`
	resources = `{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"metrics.k8s.io/v1beta1","resources":[{"name":"nodes","singularName":"","namespaced":false,"kind":"NodeMetrics","verbs":["get","list"]}]}`
	unwatched = `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"watch is not supported on resources of kind \"nodes.metrics.k8s.io\"","reason":"MethodNotAllowed","code":405}`
	measured  = `{"kind":"Table","apiVersion":"meta.k8s.io/v1","metadata":{},"columnDefinitions":[{"name":"Name","type":"string","format":"name"},{"name":"CPU","type":"string"}],
		"rows":[{"cells":["n1",%q],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"n1","creationTimestamp":null}}}]}`
	measuredWhole = `{"kind":"NodeMetrics","apiVersion":"metrics.k8s.io/v1beta1","metadata":{"name":"n1","creationTimestamp":null},"usage":{"cpu":%q}}`
)

func (m *meter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	code, body, kind := http.StatusOK, "", "application/json"
	switch watch := r.URL.Query().Get("watch") != ""; {
	case r.URL.Path == "/apis":
		body, kind = discovered, "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	case r.URL.Path == "/apis/metrics.k8s.io/v1beta1":
		body = resources
	case r.URL.Path == "/apis/metrics.k8s.io/v1beta1/nodes" && watch:
		m.watched++
		code, body = http.StatusMethodNotAllowed, unwatched
	case r.URL.Path == "/apis/metrics.k8s.io/v1beta1/nodes" && !strings.Contains(r.Header.Get("Accept"), "as=Table"):
		list, _ := json.Marshal(map[string]any{"kind": "NodeMetricsList", "apiVersion": "metrics.k8s.io/v1beta1", "metadata": map[string]string{}, "items": []json.RawMessage{json.RawMessage(fmt.Sprintf(measuredWhole, m.cpu))}})
		body = string(list)
	case r.URL.Path == "/apis/metrics.k8s.io/v1beta1/nodes":
		body = fmt.Sprintf(measured, m.cpu)
		if r.URL.Query().Get("includeObject") == "Object" {
			body = strings.Replace(body, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"n1","creationTimestamp":null}}`, fmt.Sprintf(measuredWhole, m.cpu), 1)
		}
	case r.URL.Path == "/apis/metrics.k8s.io/v1beta1/nodes/n1":
		body = fmt.Sprintf(measuredWhole, m.cpu)
	default:
		code, body = http.StatusNotFound, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":404,"reason":"NotFound","message":"not found"}`
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(code)
	_, _ = w.Write([]byte(body)) // the apiserver notices if it fails
}

// TestListed shows kinds that an apiserver lists and has no watch for: they are there, polled,
// and never called live.
func TestListed(t *testing.T) {
	m := startMeter(t)
	p := start(t, straight)
	address := p.serve(t)
	for path, want := range map[string]string{"/componentstatuses": "etcd-0", "/cs": "scheduler", "/nodes.metrics.k8s.io": "n1"} {
		e := stage.Open(t, address.At(path))
		e.AwaitState("stale")
		e.Says("#badge", "Polled")
		e.Says(".banner", "can't be watched")
		stage.AwaitValue(e, browser.AllRows, func(r browser.Rows) bool { return r.Total > 0 && strings.Contains(fmt.Sprint(r.Rows), want) })
		e.KeepLooks(strings.Trim(path, "/"))
	}
	e := stage.Open(t, address.At("/nodes.metrics.k8s.io?sel=n1"))
	e.AwaitCell("n1", "CPU", "100m")
	if watched := m.set("900m"); watched != 0 {
		t.Errorf("a watch was asked for %d times", watched)
	}
	e.AwaitCell("n1", "CPU", "900m")
	e.Says(".drawer", "Not watched", "900m")
	e.Keep("one")
	e.Press("2")
	e.Says(".drawer", "kind: NodeMetrics")
	m.Close()
	stage.Kubectl(t, "wait", "--for=condition=Available=false", "apiservice/v1beta1.metrics.k8s.io", "--timeout=60s")
	e.Await(`document.querySelector("#badge").innerText.startsWith("Stale")`)
	e.Says(".banner", "apiserver said")
	e.Keep("away")
	unknown := stage.Open(t, address.At("/podmetrics.metrics.k8s.io"))
	unknown.Says(".panel:not([hidden])", "the API server for metrics.k8s.io is not responding")
	unknown.KeepLooks("unknown")
}
