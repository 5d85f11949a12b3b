package rbac

import (
	"encoding/json"
	"strings"

	"watchglass/internal/object"
)

// The resources that a Policy is made of.
const (
	Roles               = "roles.rbac.authorization.k8s.io"
	ClusterRoles        = "clusterroles.rbac.authorization.k8s.io"
	RoleBindings        = "rolebindings.rbac.authorization.k8s.io"
	ClusterRoleBindings = "clusterrolebindings.rbac.authorization.k8s.io"
)

// The added columns that have what a Policy reads.
const (
	rulesPath    = "{.rules}"
	rolePath     = "{.roleRef}"
	subjectsPath = "{.subjects}"
)

// Paths returns the added columns that a Policy reads of a resource, sorted; nil for others. Sources
// with exactly these keep no bodies.
func Paths(resource string) []string {
	switch resource {
	case Roles, ClusterRoles:
		return []string{rulesPath}
	case RoleBindings, ClusterRoleBindings:
		return []string{rolePath, subjectsPath}
	}
	return nil
}

// binding is a RoleBinding or ClusterRoleBinding.
type binding struct {
	namespace, name string // without a namespace it is a ClusterRoleBinding
	role            roleRef
	subjects        []Subject // normalized, each once
}

// own reports whether the binding is one of Kubernetes' own, by its name and place.
func (b *binding) own() bool {
	return strings.HasPrefix(b.name, "system:") && (b.namespace == "" || b.namespace == "kube-system")
}

// roleRef names a role. A ClusterRole has no namespace.
type roleRef struct{ namespace, name string }

// Policy is what is known of the roles and bindings. The zero Policy has none.
type Policy struct {
	roles    map[roleRef][]Rule
	bindings map[string]binding // by "namespace/name"
}

// Set adds or replaces an object of a resource, which was decoded with the columns of Paths. It returns how
// much work that was: that of an ordinary object is 1, but a binding may have ten thousand subjects.
func (p *Policy) Set(resource string, columns []object.Column, o *object.Object) (work int) {
	cells := make([]string, len(Paths(resource)))
	work = 1
	for i := range cells {
		cells[i] = o.Cell(columns, len(columns)-len(cells)+i).Text
		work += len(cells[i]) >> 10
	}
	p.set(resource, o.Namespace(), o.Name(), cells)
	return work
}

// set adds or replaces an object, by its cells in the order of Paths.
func (p *Policy) set(resource, namespace, name string, cells []string) {
	if p.roles == nil {
		p.roles, p.bindings = make(map[roleRef][]Rule), make(map[string]binding)
	}
	switch resource {
	case Roles, ClusterRoles:
		var rules []Rule
		_ = json.Unmarshal([]byte(cells[0]), &rules) // a role without rules has none
		p.roles[roleRef{namespace, name}] = rules
	case RoleBindings, ClusterRoleBindings:
		b := binding{namespace: namespace, name: name}
		b.role = readRole(namespace, cells[0])
		b.subjects = readSubjects(namespace, cells[1])
		p.bindings[namespace+"/"+name] = b
	}
}

// Remove removes an object.
func (p *Policy) Remove(resource, namespace, name string) {
	switch resource {
	case Roles, ClusterRoles:
		delete(p.roles, roleRef{namespace, name})
	case RoleBindings, ClusterRoleBindings:
		delete(p.bindings, namespace+"/"+name)
	}
}

// readRole reads which role a binding grants; the zero roleRef if there can be none, like a Role for
// a ClusterRoleBinding.
func readRole(namespace, cell string) roleRef {
	var to struct{ Kind, Name string }
	_ = json.Unmarshal([]byte(cell), &to) // the zero one grants nothing
	switch {
	case to.Kind == "ClusterRole":
		return roleRef{name: to.Name}
	case to.Kind == "Role" && namespace != "":
		return roleRef{namespace, to.Name}
	}
	return roleRef{}
}

// readSubjects reads to whom a binding grants its role.
func readSubjects(namespace, cell string) []Subject {
	var subjects []Subject
	_ = json.Unmarshal([]byte(cell), &subjects) // a binding without subjects has none
	seen := make(map[Subject]bool, len(subjects))
	out := subjects[:0]
	for _, s := range subjects {
		if s, known := s.normal(namespace); known && !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}
