package route

import (
	"strings"
	"testing"

	"watchglass/internal/detail"
	"watchglass/internal/port"
)

// TestObject checks that what is marked goes through the address, with any name, and that
// nonsense marks nothing.
func TestObject(t *testing.T) {
	for _, o := range []Object{
		{Resource: "pods", Namespace: "a", Name: "p"}, {Resource: "nodes", Name: "n"}, {Context: "arn:aws:eks:eu/x@y", Resource: "clusterroles.rbac.authorization.k8s.io", Name: "system:node:x"}, {Resource: "widgets.example.com", Namespace: "a", Name: "w&x=y#z"},
	} {
		a := Address{Resource: "pods", Tab: CompareID, Selected: "a/b", With: o, Flip: true}
		path, query, _ := strings.Cut(a.String(""), "?")
		if got := Parse("", path, query); got.With != o || !got.Flip || got.String("") != a.String("") {
			t.Errorf("%+v became %+v by %s", o, got.With, a.String(""))
		}
	}
	for _, text := range []string{"pods", ":", "pods:", ":a/b", "pods:a/", "a/b"} {
		if got := ParseObject(text, "x"); got != (Object{}) {
			t.Errorf("%q marks %+v", text, got)
		}
	}
	if v := (Address{Resource: "pods", With: Object{Resource: "pods", Name: "x"}}).View(); v.With.Name != "" {
		t.Error("a saved view marks an object")
	}
}

// TestObjectOf checks what the keys of rows stand for.
func TestObjectOf(t *testing.T) {
	mixed, plain := Address{Resource: port.Problems}, Address{Resource: "pods"}
	for _, c := range []struct {
		in   Address
		key  string
		want detail.Ref
	}{
		{plain, "a/b", detail.Ref{Resource: "pods", Namespace: "a", Name: "b"}},
		{plain, "b", detail.Ref{Resource: "pods", Name: "b"}},
		{plain, "", detail.Ref{Resource: "pods"}},
		{mixed, "nodes:n7:NotReady", detail.Ref{Resource: "nodes", Name: "n7"}},
		{mixed, "a/deployments.apps:b:", detail.Ref{Resource: "deployments.apps", Namespace: "a", Name: "b"}},
		{mixed, "a/roles.rbac.authorization.k8s.io:b:c:R", detail.Ref{Resource: "roles.rbac.authorization.k8s.io", Namespace: "a", Name: "b:c"}},
		{mixed, "pods", detail.Ref{Resource: "pods"}},
		{mixed, "", detail.Ref{}},
	} {
		if got := c.in.ObjectOf(c.key); got != c.want {
			t.Errorf("%s %q: %+v", c.in.Resource, c.key, got)
		}
	}
}
