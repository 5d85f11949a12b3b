package related

import "strings"

// ID identifies an object: its resource as in addresses, its namespace and its name.
type ID struct {
	Resource  string `json:"resource"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// Compare orders IDs by resource, namespace and name.
func (a ID) Compare(b ID) int {
	if c := strings.Compare(a.Resource, b.Resource); c != 0 {
		return c
	}
	if c := strings.Compare(a.Namespace, b.Namespace); c != 0 {
		return c
	}
	return strings.Compare(a.Name, b.Name)
}

// Group returns the API group of the resource.
func (a ID) Group() string {
	_, group, _ := strings.Cut(a.Resource, ".")
	return group
}

// The resources that this package treats specially.
const (
	pods         = "pods"
	nodes        = "nodes"
	services     = "services"
	secrets      = "secrets"
	configMaps   = "configmaps"
	claims       = "persistentvolumeclaims"
	volumes      = "persistentvolumes"
	accounts     = "serviceaccounts"
	deployments  = "deployments.apps"
	replicaSets  = "replicasets.apps"
	statefulSets = "statefulsets.apps"
	daemonSets   = "daemonsets.apps"
	revisions    = "controllerrevisions.apps"
	jobs         = "jobs.batch"
	cronJobs     = "cronjobs.batch"
	controllers  = "replicationcontrollers"
	autoscalers  = "horizontalpodautoscalers.autoscaling"
	budgets      = "poddisruptionbudgets.policy"
	ingresses    = "ingresses.networking.k8s.io"
	policies     = "networkpolicies.networking.k8s.io"
	endpoints    = "endpointslices.discovery.k8s.io"
	classes      = "storageclasses.storage.k8s.io"
	ingressClass = "ingressclasses.networking.k8s.io"
	priorities   = "priorityclasses.scheduling.k8s.io"
	runtimes     = "runtimeclasses.node.k8s.io"
	attachments  = "volumeattachments.storage.k8s.io"
	leases       = "leases.coordination.k8s.io"
	csiNodes     = "csinodes.storage.k8s.io"
	roles        = "roles.rbac.authorization.k8s.io"
	clusterRoles = "clusterroles.rbac.authorization.k8s.io"
	bindings     = "rolebindings.rbac.authorization.k8s.io"
	definitions  = "customresourcedefinitions.apiextensions.k8s.io"
	mutating     = "mutatingwebhookconfigurations.admissionregistration.k8s.io"
	validating   = "validatingwebhookconfigurations.admissionregistration.k8s.io"
	clusterBinds = "clusterrolebindings.rbac.authorization.k8s.io"
)

// leaseNamespace is the namespace of the kubelets' node leases.
const leaseNamespace = "kube-node-lease"
