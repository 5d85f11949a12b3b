package detail

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"watchglass/e2e/proxy"
	"watchglass/e2e/stage"
)

// classed are classes and a cluster role, all named NAME, and who in a namespace names them.
const classed = `
{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: NAME}, value: 1}
---
{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: NAME}, handler: h}
---
{apiVersion: networking.k8s.io/v1, kind: IngressClass, metadata: {name: NAME}, spec: {controller: example.com/c}}
---
{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: NAME}, rules: []}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: NAME}
spec:
  replicas: 0
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      priorityClassName: NAME
      runtimeClassName: NAME
      containers: [{name: main, image: registry.example/web:1}]
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: new, namespace: NAME}
spec: {ingressClassName: NAME, defaultBackend: {service: {name: web, port: {number: 80}}}}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: {name: old, namespace: NAME, annotations: {kubernetes.io/ingress.class: NAME}}
spec: {defaultBackend: {service: {name: web, port: {number: 80}}}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: grant, namespace: NAME}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: NAME}
`

// TestRelatedClasses holds that who names a class, or a cluster role, is shown with it,
// whatever namespace it is in.
func TestRelatedClasses(t *testing.T) {
	ns := stage.Namespace(t)
	stage.Apply(t, strings.ReplaceAll(classed, "NAME", ns))
	t.Cleanup(func() {
		if _, err := stage.Cluster.Kubectl(context.Background(), "delete", "priorityclass/"+ns, "runtimeclass/"+ns, "ingressclass/"+ns, "clusterrole/"+ns); err != nil {
			t.Error(err)
		}
	})
	p := stage.Serve(t, proxy.Options{})
	e := synced(t, p.At("/deployments.apps?n="+ns))
	for _, c := range []struct{ focus, verb, by string }{
		{"priorityclasses.scheduling.k8s.io", "uses", "deployments.apps %s/web"},
		{"runtimeclasses.node.k8s.io", "uses", "deployments.apps %s/web"},
		{"ingressclasses.networking.k8s.io", "uses", "ingresses.networking.k8s.io %s/new"},
		{"ingressclasses.networking.k8s.io", "uses", "ingresses.networking.k8s.io %s/old"},
		{"clusterroles.rbac.authorization.k8s.io", "binds", "rolebindings.rbac.authorization.k8s.io %s/grant"},
	} {
		e.Must(e.Open(p.Origin() + "/" + c.focus + "?sel=" + ns + "&tab=related"))
		e.Await(`document.querySelector("[data-action=related-tree]")`)
		e.Must(e.Click("[data-action=related-tree]"))
		e.Await(fmt.Sprintf(`document.querySelector('#graph .item[data-edge="%s|%s|%s %s"]')`, fmt.Sprintf(c.by, ns), c.verb, c.focus, ns))
	}
}
