//go:build !js

package api

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

var (
	all    = []string{"all"}
	status = []string{"status"}
)

// builtin are the kinds that a cluster of the demo's size would use, in the order of a real
// server's discovery.
var builtin = []*Kind{
	{Version: "v1", Resource: "configmaps", Name: "ConfigMap", Singular: "configmap", Short: []string{"cm"}, Namespaced: true, New: func() Message { return new(corev1.ConfigMap) }},
	{Version: "v1", Resource: "events", Name: "Event", Singular: "event", Short: []string{"ev"}, Namespaced: true, New: func() Message { return new(corev1.Event) }, Fields: eventFields},
	{Version: "v1", Resource: "limitranges", Name: "LimitRange", Singular: "limitrange", Short: []string{"limits"}, Namespaced: true, New: func() Message { return new(corev1.LimitRange) }},
	{Version: "v1", Resource: "namespaces", Name: "Namespace", Singular: "namespace", Short: []string{"ns"}, Subresources: status, New: func() Message { return new(corev1.Namespace) }, Fields: map[string]Field{"status.phase": at(3, 1)}},
	{Version: "v1", Resource: "nodes", Name: "Node", Singular: "node", Short: []string{"no"}, Subresources: status, New: func() Message { return new(corev1.Node) }, Fields: map[string]Field{"spec.unschedulable": {Path: []int32{2, 4}, Default: "false"}}},
	{Version: "v1", Resource: "persistentvolumeclaims", Name: "PersistentVolumeClaim", Singular: "persistentvolumeclaim", Short: []string{"pvc"}, Namespaced: true, Subresources: status, New: func() Message { return new(corev1.PersistentVolumeClaim) }},
	{Version: "v1", Resource: "persistentvolumes", Name: "PersistentVolume", Singular: "persistentvolume", Short: []string{"pv"}, Subresources: status, New: func() Message { return new(corev1.PersistentVolume) }},
	{Version: "v1", Resource: "pods", Name: "Pod", Singular: "pod", Short: []string{"po"}, Categories: all, Namespaced: true, Subresources: []string{"log", "status"}, New: func() Message { return new(corev1.Pod) }, Fields: podFields},
	{Version: "v1", Resource: "resourcequotas", Name: "ResourceQuota", Singular: "resourcequota", Short: []string{"quota"}, Namespaced: true, Subresources: status, New: func() Message { return new(corev1.ResourceQuota) }},
	{Version: "v1", Resource: "secrets", Name: "Secret", Singular: "secret", Namespaced: true, New: func() Message { return new(corev1.Secret) }, Fields: map[string]Field{"type": at(3)}},
	{Version: "v1", Resource: "serviceaccounts", Name: "ServiceAccount", Singular: "serviceaccount", Short: []string{"sa"}, Namespaced: true, New: func() Message { return new(corev1.ServiceAccount) }},
	{Version: "v1", Resource: "services", Name: "Service", Singular: "service", Short: []string{"svc"}, Categories: all, Namespaced: true, Subresources: status, New: func() Message { return new(corev1.Service) }, Fields: map[string]Field{"spec.clusterIP": at(2, 3), "spec.type": at(2, 4)}},

	{Group: "apps", Version: "v1", Resource: "controllerrevisions", Name: "ControllerRevision", Singular: "controllerrevision", Namespaced: true, New: func() Message { return new(appsv1.ControllerRevision) }},
	{Group: "apps", Version: "v1", Resource: "daemonsets", Name: "DaemonSet", Singular: "daemonset", Short: []string{"ds"}, Categories: all, Namespaced: true, Subresources: status, New: func() Message { return new(appsv1.DaemonSet) }},
	{Group: "apps", Version: "v1", Resource: "deployments", Name: "Deployment", Singular: "deployment", Short: []string{"deploy"}, Categories: all, Namespaced: true, Subresources: status, New: func() Message { return new(appsv1.Deployment) }},
	{Group: "apps", Version: "v1", Resource: "replicasets", Name: "ReplicaSet", Singular: "replicaset", Short: []string{"rs"}, Categories: all, Namespaced: true, Subresources: status, New: func() Message { return new(appsv1.ReplicaSet) }},
	{Group: "apps", Version: "v1", Resource: "statefulsets", Name: "StatefulSet", Singular: "statefulset", Short: []string{"sts"}, Categories: all, Namespaced: true, Subresources: status, New: func() Message { return new(appsv1.StatefulSet) }},
	{Group: "autoscaling", Version: "v2", Resource: "horizontalpodautoscalers", Name: "HorizontalPodAutoscaler", Singular: "horizontalpodautoscaler", Short: []string{"hpa"}, Categories: all, Namespaced: true, Subresources: status, New: func() Message { return new(autoscalingv2.HorizontalPodAutoscaler) }},
	{Group: "batch", Version: "v1", Resource: "cronjobs", Name: "CronJob", Singular: "cronjob", Short: []string{"cj"}, Categories: all, Namespaced: true, Subresources: status, New: func() Message { return new(batchv1.CronJob) }},
	{Group: "batch", Version: "v1", Resource: "jobs", Name: "Job", Singular: "job", Categories: all, Namespaced: true, Subresources: status, New: func() Message { return new(batchv1.Job) }, Fields: map[string]Field{"status.successful": {Path: []int32{3, 5}, Default: "0"}}},
	{Group: "coordination.k8s.io", Version: "v1", Resource: "leases", Name: "Lease", Singular: "lease", Namespaced: true, New: func() Message { return new(coordinationv1.Lease) }},
	{Group: "discovery.k8s.io", Version: "v1", Resource: "endpointslices", Name: "EndpointSlice", Singular: "endpointslice", Namespaced: true, New: func() Message { return new(discoveryv1.EndpointSlice) }},
	{Group: "networking.k8s.io", Version: "v1", Resource: "ingressclasses", Name: "IngressClass", Singular: "ingressclass", New: func() Message { return new(networkingv1.IngressClass) }},
	{Group: "networking.k8s.io", Version: "v1", Resource: "ingresses", Name: "Ingress", Singular: "ingress", Short: []string{"ing"}, Namespaced: true, Subresources: status, New: func() Message { return new(networkingv1.Ingress) }},
	{Group: "networking.k8s.io", Version: "v1", Resource: "networkpolicies", Name: "NetworkPolicy", Singular: "networkpolicy", Short: []string{"netpol"}, Namespaced: true, New: func() Message { return new(networkingv1.NetworkPolicy) }},
	{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets", Name: "PodDisruptionBudget", Singular: "poddisruptionbudget", Short: []string{"pdb"}, Namespaced: true, Subresources: status, New: func() Message { return new(policyv1.PodDisruptionBudget) }},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings", Name: "ClusterRoleBinding", Singular: "clusterrolebinding", New: func() Message { return new(rbacv1.ClusterRoleBinding) }},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles", Name: "ClusterRole", Singular: "clusterrole", New: func() Message { return new(rbacv1.ClusterRole) }},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings", Name: "RoleBinding", Singular: "rolebinding", Namespaced: true, New: func() Message { return new(rbacv1.RoleBinding) }},
	{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles", Name: "Role", Singular: "role", Namespaced: true, New: func() Message { return new(rbacv1.Role) }},
	{Group: "scheduling.k8s.io", Version: "v1", Resource: "priorityclasses", Name: "PriorityClass", Singular: "priorityclass", Short: []string{"pc"}, New: func() Message { return new(schedulingv1.PriorityClass) }},
	{Group: "storage.k8s.io", Version: "v1", Resource: "storageclasses", Name: "StorageClass", Singular: "storageclass", Short: []string{"sc"}, New: func() Message { return new(storagev1.StorageClass) }},
	{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions", Name: "CustomResourceDefinition", Singular: "customresourcedefinition", Short: []string{"crd", "crds"}, Categories: []string{"api-extensions"}, Subresources: status, New: func() Message { return new(apiextensionsv1.CustomResourceDefinition) }},
}

var podFields = map[string]Field{
	"spec.nodeName": at(2, 10), "spec.restartPolicy": at(2, 3), "spec.schedulerName": at(2, 19), "spec.serviceAccountName": at(2, 8),
	"spec.hostNetwork": {Path: []int32{2, 11}, Default: "false"},
	"status.phase":     at(3, 1), "status.podIP": at(3, 6), "status.nominatedNodeName": at(3, 11),
}

var eventFields = map[string]Field{
	"involvedObject.kind": at(2, 1), "involvedObject.namespace": at(2, 2), "involvedObject.name": at(2, 3), "involvedObject.uid": at(2, 4),
	"involvedObject.apiVersion": at(2, 5), "involvedObject.resourceVersion": at(2, 6), "involvedObject.fieldPath": at(2, 7),
	"reason": at(3), "source": at(5, 1), "reportingComponent": at(14), "type": at(9),
}
