// Package access asks the same random questions about random roles of Watchglass and of somebody
// who knows: the apiserver's own RBAC authorizer, or a running apiserver.
package access

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// World is a random set of roles and bindings in some namespaces.
type World struct {
	Roles               []*rbacv1.Role
	ClusterRoles        []*rbacv1.ClusterRole
	RoleBindings        []*rbacv1.RoleBinding
	ClusterRoleBindings []*rbacv1.ClusterRoleBinding

	rand       *rand.Rand
	prefix     string // of the names of what is not in a namespace
	namespaces []string
}

// NewWorld makes a World in two namespaces. All names outside of them begin with a prefix.
func NewWorld(r *rand.Rand, prefix, one, other string) *World {
	w := &World{rand: r, prefix: prefix, namespaces: []string{one, other}}
	for i := range 6 {
		name := fmt.Sprint("r", i)
		w.Roles = append(w.Roles, &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: w.oneOf(w.namespaces)}, Rules: w.rules()})
		w.ClusterRoles = append(w.ClusterRoles, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: prefix + name, Labels: map[string]string{prefix + "part": fmt.Sprint(i % 3)}}, Rules: w.rules()})
	}
	for i := range 20 {
		namespace := w.oneOf(w.namespaces)
		w.RoleBindings = append(w.RoleBindings, &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("b", i), Namespace: namespace}, RoleRef: w.ref(true), Subjects: w.subjects(namespace)})
	}
	for i := range 4 {
		w.ClusterRoleBindings = append(w.ClusterRoleBindings, &rbacv1.ClusterRoleBinding{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint(prefix, "b", i)}, RoleRef: w.ref(false), Subjects: w.subjects("")})
	}
	return w
}

// Aggregate adds a ClusterRole whose rules a controller gathers, and a binding to it.
func (w *World) Aggregate() {
	name := w.prefix + "sum"
	w.ClusterRoles = append(w.ClusterRoles, &rbacv1.ClusterRole{ObjectMeta: metav1.ObjectMeta{Name: name}, AggregationRule: &rbacv1.AggregationRule{
		ClusterRoleSelectors: []metav1.LabelSelector{{MatchLabels: map[string]string{w.prefix + "part": "1"}}},
	}})
	w.RoleBindings = append(w.RoleBindings, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "sum", Namespace: w.namespaces[0]}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects: w.subjects(w.namespaces[0]),
	})
}

// String is the World as JSON, to see what a question was about.
func (w *World) String() string {
	doc, _ := json.MarshalIndent(w, "", " ")
	return string(doc)
}

func (w *World) oneOf(all []string) string { return all[w.rand.IntN(len(all))] }

// some picks up to three, at least one.
func (w *World) some(all []string) (out []string) {
	for range 1 + w.rand.IntN(3) {
		out = append(out, w.oneOf(all))
	}
	return out
}

var (
	verbs         = []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "*", "impersonate"}
	ruleGroups    = []string{"", "", "", "apps", "example.com", "*"}
	ruleResources = []string{"pods", "pods", "secrets", "deployments", "widgets", "nodes", "namespaces", "pods/exec", "pods/log", "*/exec", "*/log", "pods/*", "deployments/scale", "*", "*/*"}
	objectNames   = []string{"x", "y"}
)

func (w *World) rules() (all []rbacv1.PolicyRule) {
	for range w.rand.IntN(5) {
		r := rbacv1.PolicyRule{Verbs: w.some(verbs), APIGroups: w.some(ruleGroups), Resources: w.some(ruleResources)}
		if w.rand.IntN(3) == 0 {
			r.ResourceNames = w.some(append(w.namespaces, objectNames...))
		}
		all = append(all, r)
	}
	return all
}

// ref names a role, which may not exist.
func (w *World) ref(local bool) rbacv1.RoleRef {
	to := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: fmt.Sprint(w.prefix, "r", w.rand.IntN(7))}
	if local && w.rand.IntN(2) == 0 {
		to.Kind, to.Name = "Role", fmt.Sprint("r", w.rand.IntN(7))
	}
	return to
}

// subjects names some of those who ask. In a namespace, a ServiceAccount may lack its own.
func (w *World) subjects(namespace string) (all []rbacv1.Subject) {
	for range 1 + w.rand.IntN(2) {
		s := rbacv1.Subject{APIGroup: rbacv1.GroupName}
		switch w.rand.IntN(4) {
		case 0:
			s.Kind, s.Name = rbacv1.UserKind, w.oneOf([]string{w.prefix + "ana", w.prefix + "bob", "system:serviceaccount:" + w.namespaces[0] + ":ci"})
		case 1:
			s.Kind, s.Name = rbacv1.GroupKind, w.oneOf([]string{w.prefix + "devs", w.prefix + "ops", "system:serviceaccounts:" + w.oneOf(w.namespaces)})
		case 2: // one and the same name
			s.Kind, s.Name = w.oneOf([]string{rbacv1.UserKind, rbacv1.GroupKind}), w.prefix+"devs"
		default:
			s.Kind, s.APIGroup, s.Name, s.Namespace = rbacv1.ServiceAccountKind, "", w.oneOf([]string{"ci", "default"}), w.oneOf(w.namespaces)
			if namespace != "" && w.rand.IntN(2) == 0 {
				s.Namespace = "" // the apiserver accepts this only where it has a default
			}
		}
		all = append(all, s)
	}
	return all
}

// user is somebody who asks, with the groups that the apiserver gives them.
func (w *World) user() (name string, groups []string) {
	if w.rand.IntN(2) == 0 {
		namespace := w.oneOf(w.namespaces)
		name = "system:serviceaccount:" + namespace + ":" + w.oneOf([]string{"ci", "default"})
		return name, []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"}
	}
	name = w.prefix + w.oneOf([]string{"ana", "bob", "devs"})
	for _, g := range []string{"devs", "ops"} {
		if w.rand.IntN(3) == 0 {
			groups = append(groups, w.prefix+g)
		}
	}
	return name, append(groups, "system:authenticated")
}

// isAccount reports whether a user is a ServiceAccount, whose groups the apiserver knows.
func isAccount(user string) bool { return strings.HasPrefix(user, "system:serviceaccount:") }
