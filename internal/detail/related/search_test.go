//go:build !js

package related

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/internal/object"
)

// custom returns a kind that is not built in.
func custom(group, resource, name string, namespaced bool) object.Kind {
	return object.Kind{Group: group, Version: "v1", Resource: resource, Name: name, Namespaced: namespaced}
}

var installed = []object.Kind{
	custom("cert-manager.io", "certificates", "Certificate", true), custom("cert-manager.io", "certificaterequests", "CertificateRequest", true),
	custom("cert-manager.io", "clusterissuers", "ClusterIssuer", false), custom("acme.cert-manager.io", "orders", "Order", true),
	custom("tekton.dev", "pipelineruns", "PipelineRun", true), custom("pkg.crossplane.io", "providers", "Provider", false),
	custom("pkg.crossplane.io", "providerrevisions", "ProviderRevision", false),
}

func kindNamed(t testing.TB, id string) object.Kind {
	t.Helper()
	if i := slices.IndexFunc(installed, func(k object.Kind) bool { return k.ID() == id }); i >= 0 {
		return installed[i]
	}
	return kindOf(t, id)
}

// TestCandidates checks the kinds that are searched for owned objects, and their likelihoods.
func TestCandidates(t *testing.T) {
	kinds := slices.Clone(installed)
	for _, id := range []string{pods, secrets, deployments, clusterRoles, "events", "leases.coordination.k8s.io"} {
		kinds = append(kinds, kindOf(t, id))
	}
	for _, c := range []struct{ line, seen, likely, possible, remote string }{
		{"certificates.cert-manager.io", "", "certificaterequests.cert-manager.io certificates.cert-manager.io orders.acme.cert-manager.io deployments.apps pods secrets", "pipelineruns.tekton.dev", "leases.coordination.k8s.io"},
		{"certificates.cert-manager.io", "pipelineruns.tekton.dev", "pipelineruns.tekton.dev certificaterequests.cert-manager.io certificates.cert-manager.io orders.acme.cert-manager.io deployments.apps pods secrets", "", "leases.coordination.k8s.io"},
		{"providers.pkg.crossplane.io", "", "providerrevisions.pkg.crossplane.io providers.pkg.crossplane.io clusterroles.rbac.authorization.k8s.io deployments.apps secrets", "certificaterequests.cert-manager.io certificates.cert-manager.io clusterissuers.cert-manager.io orders.acme.cert-manager.io pipelineruns.tekton.dev", "leases.coordination.k8s.io pods"},
		{"deployments.apps", "", "", "certificaterequests.cert-manager.io certificates.cert-manager.io orders.acme.cert-manager.io pipelineruns.tekton.dev", "deployments.apps leases.coordination.k8s.io pods secrets"},
		{"deployments.apps certificates.cert-manager.io", "", "certificaterequests.cert-manager.io certificates.cert-manager.io orders.acme.cert-manager.io deployments.apps pods secrets", "pipelineruns.tekton.dev", "leases.coordination.k8s.io"},
		{"nodes", "", "", "clusterissuers.cert-manager.io providerrevisions.pkg.crossplane.io providers.pkg.crossplane.io", "certificaterequests.cert-manager.io certificates.cert-manager.io clusterroles.rbac.authorization.k8s.io deployments.apps leases.coordination.k8s.io orders.acme.cert-manager.io pipelineruns.tekton.dev pods secrets"},
	} {
		var line []object.Kind
		for id := range strings.FieldsSeq(c.line) {
			line = append(line, kindNamed(t, id))
		}
		got := make(map[Likelihood][]string)
		for _, one := range Candidates(line, kinds, func(_, owned string) bool { return owned == c.seen }) {
			got[one.Likelihood] = append(got[one.Likelihood], one.Kind.ID())
		}
		for chance, want := range map[Likelihood]string{Likely: c.likely, Possible: c.possible, Unlikely: c.remote} {
			if have := strings.Join(got[chance], " "); have != want {
				t.Errorf("%s: chance %d\nis  %s\nnot %s", c.line, chance, have, want)
			}
		}
	}
}

// ownersOnlyChange returns a change of an object as a search sees it.
func ownersOnlyChange(t testing.TB, kind object.Kind, name, uid string, owners ...metav1.OwnerReference) Change {
	t.Helper()
	var refs []string
	for _, o := range owners {
		refs = append(refs, fmt.Sprintf(`{"apiVersion":%q,"kind":%q,"name":%q,"uid":%q}`, o.APIVersion, o.Kind, o.Name, o.UID))
	}
	d := object.NewMetadataDecoder()
	o, err := d.Decode(fmt.Appendf(nil, `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"namespace":"a","name":%q,"uid":%q,"ownerReferences":[%s]}}`, name, uid, strings.Join(refs, ",")))
	if err != nil {
		t.Fatal(err)
	}
	return Change{Kind: kind, Columns: d.Columns(), After: o, OwnersOnly: true}
}

func lookup(name string) (object.Kind, bool) {
	if i := slices.IndexFunc(installed, func(k object.Kind) bool { return k.Answers(name) }); i >= 0 {
		return installed[i], true
	}
	return object.Builtin(name)
}

// TestOwnersOnly checks that an object of which a search knows only the owners exists, and that a
// source with the full object takes precedence as long as there is one.
func TestOwnersOnly(t *testing.T) {
	owner := metav1.OwnerReference{APIVersion: "cert-manager.io/v1", Kind: "Certificate", Name: "web", UID: "c"}
	pod := func(phase corev1.PodPhase) Change {
		return decoded(t, pods, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "p", UID: "p", OwnerReferences: []metav1.OwnerReference{owner}}, Status: corev1.PodStatus{Phase: phase}, Spec: corev1.PodSpec{ServiceAccountName: "runner"}})
	}
	x := NewIndex(lookup)
	focus := ID{"certificates.cert-manager.io", "a", "web"}
	x.Apply([]Change{ownersOnlyChange(t, kindNamed(t, focus.Resource), "web", "c")})
	state := func() string {
		g := x.Graph(focus, allMissing, MaxNodes)
		out := []string{}
		for _, n := range g.Nodes[1:] {
			out = append(out, n.Name+":"+n.State)
		}
		return strings.Join(out, " ")
	}
	partial, first, next := ownersOnlyChange(t, kindOf(t, pods), "p", "p", owner), pod("Pending"), pod("Running")
	gone := func(c Change) Change {
		c.Before, c.After = c.After, nil
		return c
	}
	changed := next
	changed.Before = first.After
	again := partial
	again.Before = partial.After
	for i, step := range []struct {
		change Change
		want   string
	}{
		{partial, "p:"}, {first, "p:Pending runner:"}, {again, "p:Pending runner:"}, {changed, "p:Running runner:"},
		{gone(next), "p:"}, {first, "p:Pending runner:"}, {gone(partial), "p:Pending runner:"}, {gone(first), ""},
	} {
		if x.Apply([]Change{step.change}); state() != step.want {
			t.Fatalf("step %d: %s, want %s", i, state(), step.want)
		}
	}
	if x.Unread() != 0 || len(x.nodes) != 1 {
		t.Errorf("%d are unread, of %d", x.Unread(), len(x.nodes))
	}
}

// TestChain checks that the built-in objects created by a custom kind are treated as what they are:
// for example, what selects the pods of its Deployment is found, but not what uses a Secret of its.
func TestChain(t *testing.T) {
	node := func(resource string) Node { return Node{ID: ID{resource, "a", "x"}} }
	g := Graph{
		Nodes: []Node{node("services.serving.knative.dev"), node("revisions.serving.knative.dev"), node(deployments), node(replicaSets), node(secrets), node(pods), node(configMaps)},
		Edges: []Edge{{0, 1, Owns}, {1, 2, Owns}, {2, 3, Owns}, {0, 4, Owns}, {3, 5, Owns}, {5, 6, Uses}},
	}
	var got []string
	for _, n := range Needs(g.Nodes[0].ID, g) {
		got = append(got, n.Resource)
	}
	want := slices.Clone(needs[deployments])
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestStates checks the state shown for objects of custom kinds.
func TestStates(t *testing.T) {
	kind := kindNamed(t, "pipelineruns.tekton.dev")
	for _, c := range []struct{ columns, cells, state, tone string }{
		{`{"name":"Ready","type":"string"}`, `"True"`, "Ready", "ok"},
		{`{"name":"READY","type":"string"}`, `"False"`, "Not ready", "warning"},
		{`{"name":"Succeeded","type":"string"},{"name":"Reason","type":"string"}`, `"Unknown","Running"`, "Running", "pending"},
		{`{"name":"Succeeded","type":"string"},{"name":"Reason","type":"string"}`, `"False","TaskRunTimeout"`, "TaskRunTimeout", "warning"},
		{`{"name":"Succeeded","type":"string"},{"name":"Reason","type":"string"}`, `"True","Completed"`, "Succeeded", "ok"},
		{`{"name":"Ready","type":"string"},{"name":"State","type":"string"}`, `null,"valid"`, "valid", ""},
		{`{"name":"Ready","type":"string"}`, `"Unknown"`, "Unknown", "pending"},
		{`{"name":"Size","type":"string"}`, `"True"`, "", ""},
	} {
		d := object.NewDecoder(kind, true)
		if _, err := d.SetColumns([]byte(`[{"name":"Name","type":"string","format":"name"},` + c.columns + `]`)); err != nil {
			t.Fatal(err)
		}
		o, err := d.Decode([]byte(`{"cells":["x",` + c.cells + `],"object":{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"namespace":"a","name":"x","uid":"u"}}}`))
		if err != nil {
			t.Fatal(err)
		}
		x := NewIndex(lookup)
		x.Apply([]Change{{Kind: kind, Columns: d.Columns(), After: o}})
		if n := x.Graph(ID{kind.ID(), "a", "x"}, allMissing, MaxNodes).Nodes[0]; n.State != c.state || string(n.Tone) != c.tone {
			t.Errorf("%s %s: %q %q, want %q %q", c.columns, c.cells, n.State, n.Tone, c.state, c.tone)
		}
	}
}

// TestLeaseOfNode checks that the kubelet's lease is related to its node, with or without an owner
// reference, and that no other lease of the same name is.
func TestLeaseOfNode(t *testing.T) {
	lease := func(namespace string, owners ...metav1.OwnerReference) Change {
		return decoded(t, leases, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "n1", UID: "l", OwnerReferences: owners}})
	}
	for _, c := range []struct {
		lease Change
		want  string
	}{
		{lease("kube-node-lease", metav1.OwnerReference{APIVersion: "v1", Kind: "Node", Name: "n1", UID: "n"}), "owns"},
		{lease("kube-node-lease"), "uses"}, {lease("kube-system"), ""},
	} {
		x := NewIndex(lookup)
		x.Apply([]Change{decoded(t, nodes, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", UID: "n"}}), c.lease})
		var got []string
		for _, e := range x.Graph(ID{nodes, "", "n1"}, allMissing, MaxNodes).Edges {
			got = append(got, e.Verb.String())
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %q, want %q", c.lease.After.Key(), got, c.want)
		}
	}
	if !slices.Contains(Needs(ID{nodes, "", "n1"}, Graph{}), Need{Resource: leases, Namespace: "kube-node-lease", Fields: "metadata.name=n1"}) {
		t.Error("nobody asks for the lease of a node")
	}
}

// TestOwnedResources checks that it returns the kinds of an object and of all that it owns.
func TestOwnedResources(t *testing.T) {
	owned := func(kind, name string) []metav1.OwnerReference {
		return []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: kind, Name: name, UID: "u-x"}}
	}
	x := NewIndex(lookup)
	x.Apply([]Change{
		decoded(t, deployments, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "d", UID: "u-x"}}),
		decoded(t, replicaSets, &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "r", UID: "u-x", OwnerReferences: owned("Deployment", "d")}}),
		decoded(t, pods, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "p", OwnerReferences: owned("ReplicaSet", "r")}}),
		decoded(t, secrets, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "other"}}),
	})
	if got, want := x.OwnedResources(ID{deployments, "a", "d"}), []string{deployments, pods, replicaSets}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := x.OwnedResources(ID{deployments, "a", "none"}); !slices.Equal(got, []string{deployments}) {
		t.Errorf("%q", got)
	}
}
