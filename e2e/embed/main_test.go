// Package embed tests Watchglass inside the pages of others: the element <watch-glass>, plain
// frames, and the recipes, with the real proxy and a real kube-apiserver, in a real Chromium.
package embed

import (
	"context"
	"os"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
)

// vera and otto are the portal's users.
var (
	vera = cluster.User{Name: "vera", Token: "vera-token-0123456789"}
	otto = cluster.User{Name: "otto", Token: "otto-token-0123456789"}
)

const podsSeeded = 60

func TestMain(m *testing.M) {
	os.Exit(stage.Main(m, stage.Options{
		Cluster: cluster.Options{Users: []cluster.User{vera, otto}},
		Prepare: func(ctx context.Context) error {
			see := &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: "see"}, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"pods", "configmaps", "namespaces", "events"}, Verbs: []string{"get", "list", "watch"}}}}
			if _, err := stage.Admin.RbacV1().ClusterRoles().Create(ctx, see, metav1.CreateOptions{}); err != nil {
				return err
			}
			binding := &rbacv1.ClusterRoleBinding{
				ObjectMeta: metav1.ObjectMeta{Name: "portal"},
				Subjects:   []rbacv1.Subject{{Kind: "User", APIGroup: rbacv1.GroupName, Name: vera.Name}, {Kind: "User", APIGroup: rbacv1.GroupName, Name: otto.Name}},
				RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "see"},
			}
			if _, err := stage.Admin.RbacV1().ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{}); err != nil {
				return err
			}
			if _, err := stage.Admin.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}, metav1.CreateOptions{}); err != nil {
				return err
			}
			return stage.Cluster.SeedPods(ctx, podsSeeded, cluster.PodOptions{})
		},
	}))
}
