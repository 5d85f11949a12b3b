package access

import (
	"context"
	"math/bits"
	"math/rand/v2"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/kubernetes/pkg/registry/rbac/validation"
	authority "k8s.io/kubernetes/plugin/pkg/auth/authorizer/rbac"

	"watchglass/internal/detail/rbac"
)

// learn tells a Policy of a whole World, in the encoding that the apiserver uses.
func learn(t *testing.T, w *World) *rbac.Policy {
	t.Helper()
	p := new(rbac.Policy)
	add := func(resource string, o runtime.Object) {
		t.Helper()
		if err := Learn(p, resource, o); err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range w.Roles {
		add(rbac.Roles, o)
	}
	for _, o := range w.ClusterRoles {
		add(rbac.ClusterRoles, o)
	}
	for _, o := range w.RoleBindings {
		add(rbac.RoleBindings, o)
	}
	for _, o := range w.ClusterRoleBindings {
		add(rbac.ClusterRoleBindings, o)
	}
	return p
}

// TestAuthorizer asks random questions about random roles, and compares the answers with those of
// the apiserver's authorizer.
func TestAuthorizer(t *testing.T) {
	allowed, asked := 0, 0
	for seed := range uint64(300) {
		w := NewWorld(rand.New(rand.NewPCG(seed, 7)), "", "a", "b")
		_, static := validation.NewTestRuleResolver(w.Roles, w.RoleBindings, w.ClusterRoles, w.ClusterRoleBindings)
		oracle, policy := authority.New(static, static, static, static), learn(t, w)
		for range 100 {
			q := w.Question()
			decision, _, err := oracle.Authorize(context.Background(), q.Attributes())
			if err != nil {
				t.Fatal(err)
			}
			want := decision == authorizer.DecisionAllow
			if got := q.Answer(policy); got != want {
				t.Fatalf("seed %d: %s: %v, the authorizer says %v\n%s", seed, q, got, want, w)
			}
			if asked++; want {
				allowed++
			}
		}
	}
	t.Logf("%d of %d were allowed", allowed, asked)
	if allowed < asked/20 || allowed > asked/2 {
		t.Errorf("%d of %d were allowed: the questions show little", allowed, asked)
	}
}

// TestAuthorizerNamespaces asks who can do something to the namespaces, and compares that with what the apiserver's
// authorizer says of each of them. A request for a namespace is one in that namespace.
func TestAuthorizerNamespaces(t *testing.T) {
	some := 0
	for seed := range uint64(300) {
		w := NewWorld(rand.New(rand.NewPCG(seed, 11)), "", "a", "b")
		_, static := validation.NewTestRuleResolver(w.Roles, w.RoleBindings, w.ClusterRoles, w.ClusterRoleBindings)
		oracle, policy := authority.New(static, static, static, static), learn(t, w)
		for range 20 {
			q := w.Question()
			q.about = rbac.Question{Resource: "namespaces", ID: "namespaces"}
			for _, bit := range []rbac.Verbs{rbac.Get, rbac.Update, rbac.Patch, rbac.Delete} {
				q.bit = bit
				q.Verb, q.Group, q.Resource, q.Subresource = verbs[bits.TrailingZeros16(uint16(bit))], "", "namespaces", ""
				allowed := false
				for _, q.Name = range w.namespaces {
					q.Namespace = q.Name
					decision, _, err := oracle.Authorize(context.Background(), q.Attributes())
					if err != nil {
						t.Fatal(err)
					}
					allowed = allowed || decision == authorizer.DecisionAllow
				}
				in, named := q.Some(policy)
				if in && !allowed || allowed && !in && !named {
					t.Fatalf("seed %d: %s: %v, by name %v, the authorizer says %v\n%s", seed, q, in, named, allowed, w)
				}
				if in && !q.Answer(policy) {
					some++
				}
			}
		}
	}
	if t.Logf("%d were allowed by a RoleBinding", some); some < 300 {
		t.Error("the questions show little")
	}
}
