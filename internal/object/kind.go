package object

import (
	"slices"
	"strings"
)

// Kind is one kind of object as the API serves it.
type Kind struct {
	Group, Version string
	Resource, Name string // "pods", "Pod"
	Singular       string // where it is not the name in lower case
	Short          []string
	Namespaced     bool
	printer        func() *printer // nil: the server's Table, or name and age
}

// APIVersion is "v1" or "apps/v1".
func (k Kind) APIVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}

// ID is how addresses name the kind: "pods", "deployments.apps".
func (k Kind) ID() string {
	if k.Group == "" {
		return k.Resource
	}
	return k.Resource + "." + k.Group
}

// Answers reports whether kubectl would take the name for the kind: plural,
// singular, short or kind, alone or with ".group" or ".version.group" behind.
func (k Kind) Answers(name string) bool {
	name, group, qualified := strings.Cut(strings.ToLower(name), ".")
	if name == "" || qualified && (group == "" || group != k.Group && group != k.Version+"."+k.Group) {
		return false
	}
	return name == k.Resource || name == k.Singular || name == strings.ToLower(k.Name) || slices.Contains(k.Short, name)
}

// Printed reports that the columns of the kind are computed here; the server's
// Table has those of all others.
func (k Kind) Printed() bool { return k.printer != nil }

// Native reports that the kind is Kubernetes' own, whoever serves it.
func (k Kind) Native() bool {
	schema.once.Do(indexSchema)
	_, ok := schema.kinds[k.APIVersion()+" "+k.Name]
	return ok
}

// builtin are the kinds whose columns are computed here.
var builtin = []Kind{
	{Version: "v1", Resource: "pods", Name: "Pod", Short: []string{"po"}, Namespaced: true, printer: pods},
	{Group: "apps", Version: "v1", Resource: "deployments", Name: "Deployment", Short: []string{"deploy"}, Namespaced: true, printer: deployments},
	{Group: "apps", Version: "v1", Resource: "replicasets", Name: "ReplicaSet", Short: []string{"rs"}, Namespaced: true, printer: replicaSets},
	{Group: "apps", Version: "v1", Resource: "statefulsets", Name: "StatefulSet", Short: []string{"sts"}, Namespaced: true, printer: statefulSets},
	{Group: "apps", Version: "v1", Resource: "daemonsets", Name: "DaemonSet", Short: []string{"ds"}, Namespaced: true, printer: daemonSets},
	{Group: "batch", Version: "v1", Resource: "jobs", Name: "Job", Namespaced: true, printer: jobs},
	{Group: "batch", Version: "v1", Resource: "cronjobs", Name: "CronJob", Short: []string{"cj"}, Namespaced: true, printer: cronJobs},
	{Version: "v1", Resource: "services", Name: "Service", Short: []string{"svc"}, Namespaced: true, printer: services},
	{Version: "v1", Resource: "configmaps", Name: "ConfigMap", Short: []string{"cm"}, Namespaced: true, printer: configMaps},
	{Version: "v1", Resource: "secrets", Name: "Secret", Namespaced: true, printer: secrets},
	{Version: "v1", Resource: "nodes", Name: "Node", Short: []string{"no"}, printer: nodes},
	{Version: "v1", Resource: "namespaces", Name: "Namespace", Short: []string{"ns"}, printer: namespaces},
	{Version: "v1", Resource: "events", Name: "Event", Short: []string{"ev"}, Namespaced: true, printer: events},
	{Group: "networking.k8s.io", Version: "v1", Resource: "ingresses", Name: "Ingress", Short: []string{"ing"}, Namespaced: true, printer: ingresses},
	{Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies", Name: "NetworkPolicy", Short: []string{"netpol"}, Namespaced: true, printer: networkPolicies},
	{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices", Name: "EndpointSlice", Namespaced: true, printer: endpointSlices},
	{Version: "v1", Resource: "persistentvolumes", Name: "PersistentVolume", Short: []string{"pv"}, printer: persistentVolumes},
	{Version: "v1", Resource: "persistentvolumeclaims", Name: "PersistentVolumeClaim", Short: []string{"pvc"}, Namespaced: true, printer: persistentVolumeClaims},
	{Group: "storage.k8s.io", Version: "v1", Resource: "storageclasses", Name: "StorageClass", Short: []string{"sc"}, printer: storageClasses},
	{Version: "v1", Resource: "serviceaccounts", Name: "ServiceAccount", Short: []string{"sa"}, Namespaced: true, printer: serviceAccounts},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings", Name: "RoleBinding", Namespaced: true, printer: bindings},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings", Name: "ClusterRoleBinding", printer: bindings},
	{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets", Name: "PodDisruptionBudget", Short: []string{"pdb"}, Namespaced: true, printer: disruptionBudgets},
	{Group: "coordination.k8s.io", Version: "v1", Resource: "leases", Name: "Lease", Namespaced: true, printer: leases},
}

// Builtin finds a built-in kind by any name that kubectl takes for it.
func Builtin(name string) (Kind, bool) {
	for _, k := range builtin {
		if k.Answers(name) {
			return k, true
		}
	}
	return Kind{}, false
}
