package object

import (
	"errors"
	"testing"
)

func TestDiscovered(t *testing.T) {
	kinds, err := Discovered([]byte(`{"kind":"APIGroupDiscoveryList","items":[
		{"metadata":{"name":""},"versions":[{"version":"v1","resources":[
			{"resource":"pods","responseKind":{"kind":"Pod"},"scope":"Namespaced","singularResource":"pod","shortNames":["po"],"verbs":["list","watch","get"]},
			{"resource":"bindings","responseKind":{"kind":"Binding"},"scope":"Namespaced","verbs":["create"]}]}]},
		{"metadata":{"name":"example.com"},"versions":[
			{"version":"v2","resources":[{"resource":"widgets","responseKind":{"kind":"Widget"},"scope":"Cluster","singularResource":"widget","verbs":["list","watch"]}]},
			{"version":"v1","resources":[{"resource":"widgets","responseKind":{"kind":"Widget"},"scope":"Cluster","verbs":["list","watch"]},{"resource":"olds","responseKind":{"kind":"Old"},"scope":"Cluster","verbs":["list","watch"]}]}]}]}`))
	if err != nil || len(kinds) != 3 {
		t.Fatal(kinds, err)
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
		if _, err := Discovered([]byte(doc)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%q: %v", doc, err)
		}
	}
}

// TestYoung shows that a kind that not every server has is printed where it is served
// as it is known, and nowhere else.
func TestYoung(t *testing.T) {
	for version, printed := range map[string]bool{"v1": true, "v1beta3": false} {
		kinds, err := Discovered([]byte(`{"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"flowcontrol.apiserver.k8s.io"},"versions":[{"version":"` + version + `","resources":[
			{"resource":"flowschemas","responseKind":{"kind":"FlowSchema"},"scope":"Cluster","singularResource":"flowschema","verbs":["list","watch"]}]}]}]}`))
		if err != nil || len(kinds) != 1 || kinds[0].Printed() != printed {
			t.Errorf("%s: %+v, %v", version, kinds, err)
		}
	}
	if k, ok := Builtin("flowschemas"); ok {
		t.Errorf("%s is taken for one that every server has", k.ID())
	}
}
