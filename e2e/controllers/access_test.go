package controllers

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"watchglass/e2e/access"
	"watchglass/e2e/stage"
	"watchglass/internal/detail/rbac"
)

// applyWorld creates the roles and bindings of a World, and removes them when the test ends.
func applyWorld(t *testing.T, w *access.World) {
	t.Helper()
	api := stage.Admin.RbacV1()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, o := range w.Roles {
		_, err := api.Roles(o.Namespace).Create(t.Context(), o, metav1.CreateOptions{})
		check(err)
	}
	for _, o := range w.RoleBindings {
		_, err := api.RoleBindings(o.Namespace).Create(t.Context(), o, metav1.CreateOptions{})
		check(err)
	}
	for _, o := range w.ClusterRoles {
		_, err := api.ClusterRoles().Create(t.Context(), o, metav1.CreateOptions{})
		check(err)
		t.Cleanup(func() { check(api.ClusterRoles().Delete(context.Background(), o.Name, metav1.DeleteOptions{})) })
	}
	for _, o := range w.ClusterRoleBindings {
		_, err := api.ClusterRoleBindings().Create(t.Context(), o, metav1.CreateOptions{})
		check(err)
		t.Cleanup(func() { check(api.ClusterRoleBindings().Delete(context.Background(), o.Name, metav1.DeleteOptions{})) })
	}
}

// learnAll returns the Policy of all roles and bindings that the apiserver lists.
func learnAll(t *testing.T) *rbac.Policy {
	t.Helper()
	p, api := new(rbac.Policy), stage.Admin.RbacV1()
	add := func(resource string, o runtime.Object) {
		t.Helper()
		if err := access.Learn(p, resource, o); err != nil {
			t.Fatal(err)
		}
	}
	roles, err1 := api.Roles("").List(t.Context(), metav1.ListOptions{})
	clusterRoles, err2 := api.ClusterRoles().List(t.Context(), metav1.ListOptions{})
	bindings, err3 := api.RoleBindings("").List(t.Context(), metav1.ListOptions{})
	clusterBindings, err4 := api.ClusterRoleBindings().List(t.Context(), metav1.ListOptions{})
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	for i := range roles.Items {
		add(rbac.Roles, &roles.Items[i])
	}
	for i := range clusterRoles.Items {
		add(rbac.ClusterRoles, &clusterRoles.Items[i])
	}
	for i := range bindings.Items {
		add(rbac.RoleBindings, &bindings.Items[i])
	}
	for i := range clusterBindings.Items {
		add(rbac.ClusterRoleBindings, &clusterBindings.Items[i])
	}
	return p
}

// canI asks the apiserver as 'kubectl auth can-i --as' does: as the user, what this user may do.
func canI(t *testing.T, q access.Question) bool {
	t.Helper()
	config := stage.Cluster.Config()
	config.Impersonate = rest.ImpersonationConfig{UserName: q.User}
	for _, g := range q.Groups {
		if !strings.HasPrefix(g, "system:") { // the apiserver adds those itself
			config.Impersonate.Groups = append(config.Impersonate.Groups, g)
		}
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	var review *authorizationv1.SelfSubjectAccessReview
	if review, err = client.AuthorizationV1().SelfSubjectAccessReviews().Create(t.Context(), q.Review(), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	return review.Status.Allowed
}

// TestWhoCan asks 300 random questions about random roles, one of which is aggregated by the
// controller, and compares the answers with the apiserver's. It asks kubectl itself the first five of either answer.
func TestWhoCan(t *testing.T) {
	w := access.NewWorld(rand.New(rand.NewPCG(19, 7)), "whocan-", stage.Namespace(t), stage.Namespace(t))
	w.Aggregate()
	applyWorld(t, w)
	sum := w.ClusterRoles[len(w.ClusterRoles)-1].Name
	stage.WaitFor(t, "the rules of the aggregated role", func() bool {
		role, err := stage.Admin.RbacV1().ClusterRoles().Get(t.Context(), sum, metav1.GetOptions{})
		return err == nil && len(role.Rules) > 0
	})
	policy, allowed := learnAll(t), 0
	asked := map[bool]int{} // kubectl, by the answer
	for range 300 {
		q := w.Question()
		want := canI(t, q)
		equal := q.Answer(policy) == want || stage.Within(10*time.Second, func() bool { // the apiserver's authorizer may not have heard of all yet
			policy, want = learnAll(t), canI(t, q)
			return q.Answer(policy) == want
		})
		if !equal {
			t.Fatalf("%s: %v, the apiserver says %v\n%s", q, !want, want, w)
		}
		if want {
			allowed++
		}
		if asked[want]++; asked[want] > 5 {
			continue
		}
		out, err := stage.Cluster.Kubectl(t.Context(), q.CanI()...)
		if said := strings.HasPrefix(out, "yes"); said != want || out == "" {
			t.Errorf("kubectl %s: %q, %v; the apiserver says %v", strings.Join(q.CanI(), " "), out, err, want)
		}
	}
	t.Logf("%d of 300 were allowed", allowed)
	if allowed < 15 || allowed > 150 {
		t.Errorf("%d of 300 were allowed: the questions show little", allowed)
	}
}
