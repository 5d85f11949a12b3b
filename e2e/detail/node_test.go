package detail

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"watchglass/e2e/stage"
)

// heartbeats are the leases of two nodes, as kubelets make them: one says whose it is.
const heartbeats = `
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: %[1]s-1, namespace: kube-node-lease, ownerReferences: [{apiVersion: v1, kind: Node, name: %[1]s-1, uid: %[2]s}]}
spec: {holderIdentity: %[1]s-1}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: %[1]s-2, namespace: kube-node-lease}
spec: {holderIdentity: %[1]s-2}
`

// TestNode holds that the lease of a node is related to it, and that neither it
// nor a ConfigMap has a Logs tab.
func TestNode(t *testing.T) {
	f := family{t, stage.Namespace(t)}
	node := f.put("v1", "Node", f.ns+"-1", doc{})
	f.put("v1", "Node", f.ns+"-2", doc{})
	stage.Apply(t, fmt.Sprintf(heartbeats, f.ns, node.text("metadata", "uid")))
	t.Cleanup(func() {
		for _, args := range [][]string{{"delete", "node", f.ns + "-1", f.ns + "-2"}, {"delete", "lease", "-n", "kube-node-lease", "--ignore-not-found", f.ns + "-1", f.ns + "-2"}} {
			if _, err := stage.Cluster.Kubectl(context.Background(), args...); err != nil {
				t.Error(err)
			}
		}
	})
	stage.Create(t, f.ns, "web", func(p *corev1.Pod) { p.Spec.NodeName = f.ns + "-1" })
	e := show(t, "/nodes")
	for name, verb := range map[string]string{f.ns + "-1": "owns", f.ns + "-2": "uses"} {
		e.GoTo("/nodes?sel=" + name + "&tab=related")
		e.Await(`document.querySelector("[data-action=related-tree]")`)
		e.Must(e.Click("[data-action=related-tree]"))
		e.Await(fmt.Sprintf(`document.querySelector('#graph .item[data-edge="nodes %[1]s|%[2]s|leases.coordination.k8s.io kube-node-lease/%[1]s"]')`, name, verb))
	}
	e.GoTo("/nodes?sel=" + f.ns + "-1&tab=logs")
	e.Await(`document.querySelector("#tab-summary[aria-selected=true]") && !document.querySelector("#tab-logs")`)
	e.Press("l")
	e.Says("#notice", "No logs for Nodes.")
	e.GoTo("/configmaps?n=" + f.ns + "&sel=" + f.ns + "/kube-root-ca.crt&tab=logs")
	f.put("v1", "ConfigMap", "kube-root-ca.crt", doc{})
	e.opened("ConfigMap", "kube-root-ca.crt", "summary")
	e.Await(`document.querySelector("#tab-summary[aria-selected=true]") && !document.querySelector("#tab-logs")`)
}
