package object

import (
	"errors"
	"fmt"
	"testing"

	"watchglass/internal/object/encoded"
)

func TestDiscovered(t *testing.T) {
	d, err := Discovered([]byte(`{"kind":"APIGroupDiscoveryList","items":[
		{"metadata":{"name":""},"versions":[{"version":"v1","resources":[
			{"resource":"pods","responseKind":{"kind":"Pod"},"scope":"Namespaced","singularResource":"pod","shortNames":["po"],"verbs":["list","watch","get"]},
			{"resource":"bindings","responseKind":{"kind":"Binding"},"scope":"Namespaced","verbs":["create"]}]}]},
		{"metadata":{"name":"example.com"},"versions":[
			{"version":"v2","resources":[{"resource":"widgets","responseKind":{"kind":"Widget"},"scope":"Cluster","singularResource":"widget","verbs":["list","watch"]}]},
			{"version":"v1","resources":[{"resource":"widgets","responseKind":{"kind":"Widget"},"scope":"Cluster","verbs":["list","watch"]},{"resource":"olds","responseKind":{"kind":"Old"},"scope":"Cluster","verbs":["list","watch"]}]}]}]}`))
	kinds := d.Kinds
	if err != nil || len(kinds) != 3 || len(d.Stale) != 0 {
		t.Fatal(d, err)
	}
	if kinds[0].printer == nil || kinds[0].ID() != "pods" || !kinds[0].Namespaced {
		t.Errorf("%+v", kinds[0])
	}
	if w := kinds[1]; w.ID() != "widgets.example.com" || w.APIVersion() != "example.com/v2" || w.Namespaced || w.printer != nil {
		t.Errorf("%+v", w)
	}
	for name, want := range map[string]bool{
		"widgets": true, "widget": true, "Widget": true, "widgets.example.com": true, "widget.v2.example.com": true,
		"widgets.example.org": false, "po": false, "": false, "widgets.": false,
	} {
		if got := kinds[1].Answers(name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	if !kinds[0].Answers("po") || !kinds[0].Answers("pods.v1.") || kinds[0].Answers("pods.apps") {
		t.Error("pods")
	}
	for _, doc := range []string{``, `{}`, `{"kind":"APIGroupList"}`, `[]`} {
		if _, err := Discovered([]byte(doc)); !errors.Is(err, encoded.ErrMalformed) {
			t.Errorf("%q: %v", doc, err)
		}
	}
}

// measured returns the discovery of a cluster with a metrics server, whose kinds cannot be
// watched. That server may not answer the apiserver, which then may or may not remember its
// kinds.
func measured(t *testing.T, freshness, resources string) Discovery {
	t.Helper()
	d, err := Discovered([]byte(`{"kind":"APIGroupDiscoveryList","items":[
		{"metadata":{"name":""},"versions":[{"version":"v1","freshness":"Current","resources":[
			{"resource":"componentstatuses","responseKind":{"kind":"ComponentStatus"},"scope":"Cluster","singularResource":"componentstatus","shortNames":["cs"],"verbs":["get","list"]}]}]},
		{"metadata":{"name":"metrics.k8s.io"},"versions":[{"version":"v1beta1","freshness":"` + freshness + `","resources":[` + resources + `]}]}]}`))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

const nodeMetrics = `{"resource":"nodes","responseKind":{"kind":"NodeMetrics"},"scope":"Cluster","verbs":["get","list"]}`

// TestUnwatched checks that every kind that can be listed is found, whether or not it can be
// watched.
func TestUnwatched(t *testing.T) {
	kinds := measured(t, "Current", nodeMetrics).Kinds
	if len(kinds) != 2 || !kinds[0].Unwatched || !kinds[1].Unwatched || !kinds[0].Answers("cs") || kinds[1].ID() != "nodes.metrics.k8s.io" {
		t.Errorf("%+v", kinds)
	}
}

// TestStale checks that the kinds of a server that does not answer the apiserver stay known.
func TestStale(t *testing.T) {
	before := measured(t, "Current", nodeMetrics)
	for name, d := range map[string]Discovery{"known to the apiserver": measured(t, "Stale", nodeMetrics), "forgotten by it": measured(t, "Stale", "")} {
		if after := d.After(before.Kinds).Kinds; len(after) != 2 || after[1].ID() != "nodes.metrics.k8s.io" {
			t.Errorf("%s: %+v", name, after)
		}
	}
	if after := measured(t, "Current", "").After(before.Kinds).Kinds; len(after) != 1 {
		t.Errorf("gone: %+v", after)
	}
	stale := measured(t, "Stale", "")
	for name, want := range map[string]string{
		"nodes.metrics.k8s.io": "[metrics.k8s.io]", "Nodes.v1beta1.metrics.k8s.io": "[metrics.k8s.io]", "nodemetrics": "[metrics.k8s.io]",
		"widgets.example.com": "[]", "nodes.v1.metrics.k8s.io": "[]",
	} {
		if got := fmt.Sprint(stale.StaleGroups(name)); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := before.StaleGroups("nodemetrics"); got != nil {
		t.Error(got)
	}
}

// TestYoung checks that a kind that not every server has is printed here only in the version
// that the printer knows.
func TestYoung(t *testing.T) {
	for version, printed := range map[string]bool{"v1": true, "v1beta3": false} {
		d, err := Discovered([]byte(`{"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"flowcontrol.apiserver.k8s.io"},"versions":[{"version":"` + version + `","resources":[
			{"resource":"flowschemas","responseKind":{"kind":"FlowSchema"},"scope":"Cluster","singularResource":"flowschema","verbs":["list","watch"]}]}]}]}`))
		if err != nil || len(d.Kinds) != 1 || d.Kinds[0].Printed() != printed {
			t.Errorf("%s: %+v, %v", version, d, err)
		}
	}
	if k, ok := Builtin("flowschemas"); ok {
		t.Errorf("%s is taken for one that every server has", k.ID())
	}
}
