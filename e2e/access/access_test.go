package access

import (
	"context"
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
