package kinds

// The kinds that the rules read, by object.Kind's ID.
const (
	Nodes               = "nodes"
	Pods                = "pods"
	Events              = "events"
	Deployments         = "deployments.apps"
	ReplicaSets         = "replicasets.apps"
	StatefulSets        = "statefulsets.apps"
	DaemonSets          = "daemonsets.apps"
	ControllerRevisions = "controllerrevisions.apps"
	Jobs                = "jobs.batch"
	CronJobs            = "cronjobs.batch"
	Services            = "services"
	EndpointSlices      = "endpointslices.discovery.k8s.io"
	Ingresses           = "ingresses.networking.k8s.io"
	IngressClasses      = "ingressclasses.networking.k8s.io"
	Routes              = "httproutes.gateway.networking.k8s.io"
	ValidatingWebhooks  = "validatingwebhookconfigurations.admissionregistration.k8s.io"
	MutatingWebhooks    = "mutatingwebhookconfigurations.admissionregistration.k8s.io"
	Claims              = "persistentvolumeclaims"
	Volumes             = "persistentvolumes"
	StorageClasses      = "storageclasses.storage.k8s.io"
	Autoscalers         = "horizontalpodautoscalers.autoscaling"
	Budgets             = "poddisruptionbudgets.policy"
	Quotas              = "resourcequotas"
	APIServices         = "apiservices.apiregistration.k8s.io"
	Namespaces          = "namespaces"
)

// kept are the resources of which the engine needs every object: as owners, as targets, or because
// their cells do not show what may be wrong. They are in the order in which they should be asked
// for: few objects that tell much come first.
var kept = []string{
	Nodes, Deployments, StatefulSets, DaemonSets, Jobs, CronJobs, ReplicaSets, ControllerRevisions,
	IngressClasses, Services, EndpointSlices, APIServices, ValidatingWebhooks, MutatingWebhooks,
	Claims, Volumes, StorageClasses, Autoscalers, Budgets, Quotas, Ingresses, Routes, Namespaces,
}

// Resources returns the kinds that the rules read, by object.Kind's ID. Those that tell most for
// what they cost come first: nodes, pods and warnings are the first screen; ReplicaSets and
// EndpointSlices are as many as pods.
func Resources() []string {
	return append([]string{Nodes, Pods, Events}, kept[1:]...)
}

// Keeps reports whether the engine needs every object of a kind.
func Keeps(id string) bool {
	for _, k := range kept {
		if k == id {
			return true
		}
	}
	return false
}
