package stage

import (
	"context"
	"net/http/httptest"
	"net/url"
	"testing"
)

// Aggregate has the apiserver serve a version of a group from another server, for as long as the
// test runs.
func Aggregate(t *testing.T, s *httptest.Server, group, version string) {
	t.Helper()
	ns, name := Namespace(t), version+"."+group
	at, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	Apply(t, `
apiVersion: v1
kind: Service
metadata: {name: away, namespace: `+ns+`}
spec: {type: ExternalName, externalName: localhost}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: `+name+`}
spec: {group: `+group+`, version: `+version+`, groupPriorityMinimum: 100, versionPriority: 10, insecureSkipTLSVerify: true, service: {name: away, namespace: `+ns+`, port: `+at.Port()+`}}
`)
	t.Cleanup(func() {
		if _, err := Cluster.Kubectl(context.Background(), "delete", "apiservice", name); err != nil {
			t.Error(err)
		}
	})
	Kubectl(t, "wait", "--for=condition=Available", "--timeout=60s", "apiservice/"+name)
}
