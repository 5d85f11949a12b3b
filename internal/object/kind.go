package object

import (
	"slices"
	"strconv"
	"strings"

	"watchglass/internal/object/schema"
)

// Kind is a kind of object as the API serves it.
type Kind struct {
	Group, Version string
	Resource, Name string // "pods", "Pod"
	Singular       string // if it is not the name in lower case
	Short          []string
	Namespaced     bool
	Unwatched      bool                   // it can be listed but not watched
	discoveredOnly bool                   // older servers lack this version, so only discovery finds the kind
	printer        func(release) *printer // nil: the server's Table, or name and age
	excerpt        []string               // paths of what other lists and computed columns compute with
	facts          func(*paths) func(*Values) facts
	changes        []release // releases in which the server's own printer changed, oldest first
	printing       *Printing // immutable; nil is the zero Printing
}

// Printing is what is known about how a server prints a kind. The zero Printing assumes the
// usual.
type Printing struct {
	// Release is the minor version of a server that prints the kind differently from the
	// newest; 0 is the newest.
	Release int
	// Body says that the dates of its Table need whole objects in the rows.
	Body bool
	// Definition has the paths of its Table's columns, if they had to be requested.
	Definition Definition
}

// Printing returns what is known about how the server prints the kind.
func (k *Kind) Printing() Printing {
	if k.printing == nil {
		return Printing{}
	}
	return *k.printing
}

// printingMark separates the parts of a Printing's key.
const printingMark = "\x1e"

// Key returns the Printing as a text for ParsePrinting; empty for a zero Printing.
func (p Printing) Key() string {
	if p == (Printing{}) {
		return ""
	}
	return strconv.Itoa(p.Release) + printingMark + strconv.FormatBool(p.Body) + printingMark + string(p.Definition)
}

// ParsePrinting parses a Printing's key.
func ParsePrinting(key string) (p Printing) {
	release, key, _ := strings.Cut(key, printingMark)
	body, definition, _ := strings.Cut(key, printingMark)
	p = Printing{Body: body == "true", Definition: Definition(definition)}
	p.Release, _ = strconv.Atoi(release) // ours, or 0
	return p
}

// PrintAs sets what is known about how the server prints the kind: the release, for a kind
// printed here; what its Table needs, for others.
func (k *Kind) PrintAs(p Printing) {
	if k.printer != nil {
		p = Printing{Release: int(k.asOf(release(p.Release)))}
	} else {
		p.Release = 0
	}
	k.printing = &p
}

// APIVersion returns "v1" or "apps/v1".
func (k Kind) APIVersion() string {
	if k.Group == "" {
		return k.Version
	}
	return k.Group + "/" + k.Version
}

// ID returns the kind's name in URLs: "pods", "deployments.apps".
func (k Kind) ID() string {
	if k.Group == "" {
		return k.Resource
	}
	return k.Resource + "." + k.Group
}

// Answers reports whether kubectl would accept the name for the kind: plural, singular, short
// or kind, alone or followed by ".group" or ".version.group".
func (k Kind) Answers(name string) bool { return k.answers(strings.ToLower(name)) }

// answers is Answers of a name in lower case. It copies nothing: each step of the hub looks up many names.
func (k *Kind) answers(name string) bool {
	name, group, qualified := strings.Cut(name, ".")
	if name == "" || qualified && (group == "" || group != k.Group && group != k.Version+"."+k.Group) {
		return false
	}
	return name == k.Resource || name == k.Singular || name == strings.ToLower(k.Name) || slices.Contains(k.Short, name)
}

// Printed reports whether the columns of the kind are computed here. The columns of all others
// come from the server's Table.
func (k Kind) Printed() bool { return k.printer != nil }

// Native reports whether the kind is Kubernetes' own, whichever server serves it.
func (k Kind) Native() bool { return schema.Known(k.APIVersion(), k.Name) }

// builtin lists the kinds whose columns are computed here.
var builtin = []Kind{
	{Version: "v1", Resource: "pods", Name: "Pod", Short: []string{"po"}, Namespaced: true, printer: pods, excerpt: podExcerpt, facts: podFacts, changes: []release{28, 31, 35}},
	{Group: "apps", Version: "v1", Resource: "deployments", Name: "Deployment", Short: []string{"deploy"}, Namespaced: true, printer: deployments},
	{Group: "apps", Version: "v1", Resource: "replicasets", Name: "ReplicaSet", Short: []string{"rs"}, Namespaced: true, printer: replicaSets},
	{Group: "apps", Version: "v1", Resource: "statefulsets", Name: "StatefulSet", Short: []string{"sts"}, Namespaced: true, printer: statefulSets},
	{Group: "apps", Version: "v1", Resource: "daemonsets", Name: "DaemonSet", Short: []string{"ds"}, Namespaced: true, printer: daemonSets},
	{Group: "batch", Version: "v1", Resource: "jobs", Name: "Job", Namespaced: true, printer: jobs, changes: []release{30, 34}},
	{Group: "batch", Version: "v1", Resource: "cronjobs", Name: "CronJob", Short: []string{"cj"}, Namespaced: true, printer: cronJobs, changes: []release{30}},
	{Version: "v1", Resource: "services", Name: "Service", Short: []string{"svc"}, Namespaced: true, printer: services},
	{Version: "v1", Resource: "configmaps", Name: "ConfigMap", Short: []string{"cm"}, Namespaced: true, printer: configMaps},
	{Version: "v1", Resource: "secrets", Name: "Secret", Namespaced: true, printer: secrets},
	{Version: "v1", Resource: "nodes", Name: "Node", Short: []string{"no"}, printer: nodes, excerpt: nodeExcerpt, facts: nodeFacts, changes: []release{36}},
	{Version: "v1", Resource: "namespaces", Name: "Namespace", Short: []string{"ns"}, printer: namespaces},
	{Version: "v1", Resource: "events", Name: "Event", Short: []string{"ev"}, Namespaced: true, printer: events},
	{Group: "networking.k8s.io", Version: "v1", Resource: "ingresses", Name: "Ingress", Short: []string{"ing"}, Namespaced: true, printer: ingresses},
	{Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies", Name: "NetworkPolicy", Short: []string{"netpol"}, Namespaced: true, printer: networkPolicies},
	{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices", Name: "EndpointSlice", Namespaced: true, printer: endpointSlices},
	{Version: "v1", Resource: "persistentvolumes", Name: "PersistentVolume", Short: []string{"pv"}, printer: persistentVolumes, changes: []release{29}},
	{Version: "v1", Resource: "persistentvolumeclaims", Name: "PersistentVolumeClaim", Short: []string{"pvc"}, Namespaced: true, printer: persistentVolumeClaims, changes: []release{29}},
	{Group: "storage.k8s.io", Version: "v1", Resource: "storageclasses", Name: "StorageClass", Short: []string{"sc"}, printer: storageClasses},
	{Version: "v1", Resource: "serviceaccounts", Name: "ServiceAccount", Short: []string{"sa"}, Namespaced: true, printer: serviceAccounts, changes: []release{35}},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings", Name: "RoleBinding", Namespaced: true, printer: bindings},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings", Name: "ClusterRoleBinding", printer: bindings},
	{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets", Name: "PodDisruptionBudget", Short: []string{"pdb"}, Namespaced: true, printer: disruptionBudgets},
	{Group: "coordination.k8s.io", Version: "v1", Resource: "leases", Name: "Lease", Namespaced: true, printer: leases},
	{Version: "v1", Resource: "replicationcontrollers", Name: "ReplicationController", Short: []string{"rc"}, Namespaced: true, printer: replicationControllers},
	{Version: "v1", Resource: "podtemplates", Name: "PodTemplate", Namespaced: true, printer: podTemplates},
	{Group: "apps", Version: "v1", Resource: "controllerrevisions", Name: "ControllerRevision", Namespaced: true, printer: controllerRevisions},
	{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers", Name: "HorizontalPodAutoscaler", Short: []string{"hpa"}, Namespaced: true, printer: autoscalers, changes: []release{30}},
	{Version: "v1", Resource: "endpoints", Name: "Endpoints", Short: []string{"ep"}, Namespaced: true, printer: endpoints},
	{Group: "networking.k8s.io", Version: "v1", Resource: "ingressclasses", Name: "IngressClass", printer: ingressClasses, changes: []release{36}},
	{Group: "networking.k8s.io", Version: "v1", Resource: "servicecidrs", Name: "ServiceCIDR", discoveredOnly: true, printer: serviceCIDRs},
	{Group: "networking.k8s.io", Version: "v1", Resource: "ipaddresses", Name: "IPAddress", discoveredOnly: true, printer: ipAddresses},
	{Version: "v1", Resource: "resourcequotas", Name: "ResourceQuota", Short: []string{"quota"}, Namespaced: true, printer: resourceQuotas, changes: []release{33}},
	{Version: "v1", Resource: "limitranges", Name: "LimitRange", Short: []string{"limits"}, Namespaced: true, printer: limitRanges},
	{Group: "scheduling.k8s.io", Version: "v1", Resource: "priorityclasses", Name: "PriorityClass", Short: []string{"pc"}, printer: priorityClasses, changes: []release{32}},
	{Group: "node.k8s.io", Version: "v1", Resource: "runtimeclasses", Name: "RuntimeClass", printer: runtimeClasses},
	{Group: "storage.k8s.io", Version: "v1", Resource: "csinodes", Name: "CSINode", printer: csiNodes},
	{Group: "storage.k8s.io", Version: "v1", Resource: "csidrivers", Name: "CSIDriver", printer: csiDrivers},
	{Group: "storage.k8s.io", Version: "v1", Resource: "csistoragecapacities", Name: "CSIStorageCapacity", Namespaced: true, printer: csiStorageCapacities},
	{Group: "storage.k8s.io", Version: "v1", Resource: "volumeattachments", Name: "VolumeAttachment", printer: volumeAttachments},
	{Group: "storage.k8s.io", Version: "v1", Resource: "volumeattributesclasses", Name: "VolumeAttributesClass", discoveredOnly: true, printer: volumeAttributesClasses},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles", Name: "Role", Namespaced: true, printer: roles},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles", Name: "ClusterRole", printer: roles},
	{Group: "certificates.k8s.io", Version: "v1", Resource: "certificatesigningrequests", Name: "CertificateSigningRequest", Short: []string{"csr"}, printer: certificateRequests},
	{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "mutatingwebhookconfigurations", Name: "MutatingWebhookConfiguration", printer: webhooks},
	{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations", Name: "ValidatingWebhookConfiguration", printer: webhooks},
	{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "mutatingadmissionpolicies", Name: "MutatingAdmissionPolicy", discoveredOnly: true, printer: mutatingPolicies},
	{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "mutatingadmissionpolicybindings", Name: "MutatingAdmissionPolicyBinding", discoveredOnly: true, printer: policyBindings},
	{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicies", Name: "ValidatingAdmissionPolicy", discoveredOnly: true, printer: validatingPolicies},
	{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicybindings", Name: "ValidatingAdmissionPolicyBinding", discoveredOnly: true, printer: policyBindings},
	{Group: "events.k8s.io", Version: "v1", Resource: "events", Name: "Event", Namespaced: true, printer: newEvents},
	{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices", Name: "APIService", printer: apiServices},
	{Group: "flowcontrol.apiserver.k8s.io", Version: "v1", Resource: "flowschemas", Name: "FlowSchema", discoveredOnly: true, printer: flowSchemas},
	{Group: "flowcontrol.apiserver.k8s.io", Version: "v1", Resource: "prioritylevelconfigurations", Name: "PriorityLevelConfiguration", discoveredOnly: true, printer: priorityLevels},
	{Group: "resource.k8s.io", Version: "v1", Resource: "deviceclasses", Name: "DeviceClass", discoveredOnly: true, printer: devices},
	{Group: "resource.k8s.io", Version: "v1", Resource: "resourceclaims", Name: "ResourceClaim", discoveredOnly: true, printer: resourceClaims},
	{Group: "resource.k8s.io", Version: "v1", Resource: "resourceclaimtemplates", Name: "ResourceClaimTemplate", discoveredOnly: true, printer: devices},
	{Group: "resource.k8s.io", Version: "v1", Resource: "resourceslices", Name: "ResourceSlice", discoveredOnly: true, printer: resourceSlices},
}

// Builtin finds a kind that every server has, by any name that kubectl accepts for it.
func Builtin(name string) (Kind, bool) {
	name = strings.ToLower(name)
	for i := range builtin {
		if k := &builtin[i]; !k.discoveredOnly && k.answers(name) {
			return *k, true
		}
	}
	return Kind{}, false
}

// BuiltinNamed finds a kind by its group and kind name.
func BuiltinNamed(group, name string) (Kind, bool) {
	for _, k := range builtin {
		if k.Group == group && k.Name == name {
			return k, true
		}
	}
	return Kind{}, false
}
