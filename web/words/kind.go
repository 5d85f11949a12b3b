package words

import "watchglass/internal/detail"

// Kind is a common kind: its name in addresses and the name shown.
type Kind struct{ ID, Name string }

// KindGroup is a group of common kinds.
type KindGroup struct {
	Name  string
	Kinds []Kind
}

// KindGroups are the common kinds by group, as the sidebar has them. Once the served kinds are known, it leaves out the others.
var KindGroups = []KindGroup{
	{"Workloads", []Kind{
		{"pods", "Pods"}, {"deployments.apps", "Deployments"}, {"replicasets.apps", "ReplicaSets"}, {"statefulsets.apps", "StatefulSets"},
		{"daemonsets.apps", "DaemonSets"}, {"jobs.batch", "Jobs"}, {"cronjobs.batch", "CronJobs"}, {detail.Releases, "Helm releases"},
	}},
	{"Network", []Kind{
		{"services", "Services"}, {"ingresses.networking.k8s.io", "Ingresses"}, {"ingressclasses.networking.k8s.io", "IngressClasses"},
		{"endpointslices.discovery.k8s.io", "EndpointSlices"}, {"networkpolicies.networking.k8s.io", "NetworkPolicies"},
	}},
	{"Config", []Kind{
		{"configmaps", "ConfigMaps"}, {"secrets", "Secrets"}, {"horizontalpodautoscalers.autoscaling", "HPAs"}, {"poddisruptionbudgets.policy", "PDBs"},
		{"resourcequotas", "ResourceQuotas"}, {"limitranges", "LimitRanges"}, {"priorityclasses.scheduling.k8s.io", "PriorityClasses"},
	}},
	{"Storage", []Kind{
		{"persistentvolumeclaims", "PVCs"}, {"persistentvolumes", "PVs"}, {"storageclasses.storage.k8s.io", "StorageClasses"},
	}},
	{"Access", []Kind{
		{"serviceaccounts", "ServiceAccounts"}, {"roles.rbac.authorization.k8s.io", "Roles"}, {"rolebindings.rbac.authorization.k8s.io", "RoleBindings"},
		{"clusterroles.rbac.authorization.k8s.io", "ClusterRoles"}, {"clusterrolebindings.rbac.authorization.k8s.io", "ClusterRoleBindings"},
	}},
	{"Cluster", []Kind{
		{"nodes", "Nodes"}, {"namespaces", "Namespaces"}, {"events", "Events"}, {"leases.coordination.k8s.io", "Leases"},
		{"customresourcedefinitions.apiextensions.k8s.io", "CRDs"},
	}},
}

// Kinds returns the common kinds, in their order.
func Kinds() (all []Kind) {
	for _, part := range KindGroups {
		all = append(all, part.Kinds...)
	}
	return all
}
