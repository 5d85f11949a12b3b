package rbac

import (
	"slices"
	"strings"
)

// Question asks who may do something to an object, or to the objects of a kind.
type Question struct {
	Group, Resource string
	ID              string // of the kind, as addresses name it
	Namespaced      bool
	// Name is the object's; "" asks about the kind.
	Name string
	// Namespaces are those to look at: of an object its own. None of a namespaced kind are all.
	Namespaces []string
	// Before35 says that the apiserver is older than 1.35: whoever may get pods/exec may open a
	// WebSocket there, and so run commands.
	Before35 bool
}

// Reads returns the resources that answer the question.
func (q *Question) Reads() []string {
	if q.inNamespace() != 0 {
		return []string{ClusterRoleBindings, ClusterRoles, RoleBindings, Roles}
	}
	return []string{ClusterRoleBindings, ClusterRoles}
}

// Verbs returns the verbs that the question is about.
func (q *Question) Verbs() (asked Verbs) {
	for _, c := range q.checks() {
		asked |= c.bit
	}
	return asked
}

// checks returns the requests to authorize. Nobody creates an object that exists, and a request to
// create or to delete several has no name.
func (q *Question) checks() (all []check) {
	for i, verb := range verbNames {
		c := check{bit: 1 << i, verb: verb, group: q.Group, resource: q.Resource, name: q.Name}
		switch c.bit {
		case Create:
			if q.Name != "" {
				continue
			}
		case DeleteCollection:
			c.name = ""
		}
		all = append(all, c)
	}
	if !strings.Contains(withPods, " "+q.ID+" ") {
		return all
	}
	pod := ""
	if q.ID == "pods" {
		pod = q.Name
	}
	all = append(all, check{Exec, "create", "", "pods", "exec", pod}, check{Logs, "get", "", "pods", "log", pod})
	if q.Before35 {
		all = append(all, check{Exec, "get", "", "pods", "exec", pod})
	}
	return all
}

// ofOthers returns the verbs that count if a role allows them for objects that it names: those that are not about the
// one object that the question names. A workload's pods have other names than itself.
func (q *Question) ofOthers() Verbs {
	switch {
	case q.Name == "":
		return ^Verbs(0)
	case q.ID == "pods":
		return 0
	}
	return Exec | Logs
}

// inNamespace returns the verbs that a RoleBinding can grant. A namespace is in itself when it is
// requested by its name, but not in a list.
func (q *Question) inNamespace() Verbs {
	switch {
	case q.Namespaced:
		return ^Verbs(0)
	case q.ofNamespaces():
		return Get | Update | Patch | Delete
	}
	return 0
}

// ofNamespaces reports whether the question is about a namespace, or about all of them.
func (q *Question) ofNamespaces() bool { return q.Resource == "namespaces" && q.Group == "" }

// itself returns the requests for a namespace itself. If the question is about all namespaces, a RoleBinding in one can
// allow only these.
func (q *Question) itself(namespace string) []check {
	of := *q
	of.Name = namespace
	return of.checks()
}

// looksAt reports whether a namespace is one of those to look at.
func (q *Question) looksAt(namespace string) bool {
	return len(q.Namespaces) == 0 || slices.Contains(q.Namespaces, namespace)
}
