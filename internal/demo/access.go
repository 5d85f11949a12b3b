//go:build !js

package demo

import (
	"math/rand/v2"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// addAccess creates who may do what: everyone may view, the platform team everything, and whoever is
// on call may enter and delete a team's pods. It comes last and has random numbers of its own, so that
// the rest of the cluster does not depend on it.
func (w *world) addAccess(spaces []teamNamespace) {
	rng := rand.New(rand.NewPCG(uint64(len(spaces)), 7))
	meta := func(namespace, name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name, UID: newUID(rng), CreationTimestamp: w.ago(200 * day)}
	}
	to := func(kind, name string) rbacv1.RoleRef {
		return rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: kind, Name: name}
	}
	who := func(kind, name string) rbacv1.Subject {
		return rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: kind, Name: name}
	}
	for _, b := range [][3]string{{"cluster-admin", "cluster-admin", "system:masters"}, {"platform", "cluster-admin", "platform"}, {"view", "view", "system:authenticated"}} {
		w.put(&rbacv1.ClusterRoleBinding{ObjectMeta: meta("", b[0]), RoleRef: to("ClusterRole", b[1]), Subjects: []rbacv1.Subject{who("Group", b[2])}})
	}
	for _, s := range spaces {
		w.put(&rbacv1.Role{ObjectMeta: meta(s.name, "on-call"), Rules: []rbacv1.PolicyRule{
			{Verbs: []string{"create", "get"}, APIGroups: []string{""}, Resources: []string{"pods/exec", "pods/log"}},
			{Verbs: []string{"delete"}, APIGroups: []string{""}, Resources: []string{"pods"}},
		}})
		w.put(&rbacv1.RoleBinding{ObjectMeta: meta(s.name, "on-call"), RoleRef: to("Role", "on-call"), Subjects: []rbacv1.Subject{who("Group", "on-call"), who("User", "ana")}})
	}
}
