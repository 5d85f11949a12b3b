// Package printers holds the columns that the tab computes to the printers of the
// apiserver itself, for objects that no client could make: random ones.
//
// The printers are of e2e's module, and what is held to them is of the root's, which
// has another version of the API: the objects and their cells go over in a file.
package printers

import (
	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	eventsv1 "k8s.io/api/events/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	registrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	aggregator "k8s.io/kube-aggregator/pkg/apiserver/scheme"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	_ "k8s.io/kubernetes/pkg/printers/internalversion" // installs all others
)

// Kinds are those that the tab prints.
var Kinds = []schema.GroupVersionKind{
	corev1.SchemeGroupVersion.WithKind("Pod"),
	appsv1.SchemeGroupVersion.WithKind("Deployment"),
	appsv1.SchemeGroupVersion.WithKind("ReplicaSet"),
	appsv1.SchemeGroupVersion.WithKind("StatefulSet"),
	appsv1.SchemeGroupVersion.WithKind("DaemonSet"),
	batchv1.SchemeGroupVersion.WithKind("Job"),
	batchv1.SchemeGroupVersion.WithKind("CronJob"),
	corev1.SchemeGroupVersion.WithKind("Service"),
	corev1.SchemeGroupVersion.WithKind("Node"),
	corev1.SchemeGroupVersion.WithKind("Namespace"),
	corev1.SchemeGroupVersion.WithKind("Event"),
	eventsv1.SchemeGroupVersion.WithKind("Event"),
	corev1.SchemeGroupVersion.WithKind("ConfigMap"),
	corev1.SchemeGroupVersion.WithKind("Secret"),
	networkingv1.SchemeGroupVersion.WithKind("Ingress"),
	networkingv1.SchemeGroupVersion.WithKind("NetworkPolicy"),
	discoveryv1.SchemeGroupVersion.WithKind("EndpointSlice"),
	corev1.SchemeGroupVersion.WithKind("PersistentVolume"),
	corev1.SchemeGroupVersion.WithKind("PersistentVolumeClaim"),
	storagev1.SchemeGroupVersion.WithKind("StorageClass"),
	corev1.SchemeGroupVersion.WithKind("ServiceAccount"),
	rbacv1.SchemeGroupVersion.WithKind("RoleBinding"),
	rbacv1.SchemeGroupVersion.WithKind("ClusterRoleBinding"),
	policyv1.SchemeGroupVersion.WithKind("PodDisruptionBudget"),
	coordinationv1.SchemeGroupVersion.WithKind("Lease"),
	corev1.SchemeGroupVersion.WithKind("ReplicationController"),
	corev1.SchemeGroupVersion.WithKind("PodTemplate"),
	appsv1.SchemeGroupVersion.WithKind("ControllerRevision"),
	autoscalingv2.SchemeGroupVersion.WithKind("HorizontalPodAutoscaler"),
	corev1.SchemeGroupVersion.WithKind("Endpoints"),
	networkingv1.SchemeGroupVersion.WithKind("IngressClass"),
	networkingv1.SchemeGroupVersion.WithKind("ServiceCIDR"),
	networkingv1.SchemeGroupVersion.WithKind("IPAddress"),
	corev1.SchemeGroupVersion.WithKind("ResourceQuota"),
	corev1.SchemeGroupVersion.WithKind("LimitRange"),
	schedulingv1.SchemeGroupVersion.WithKind("PriorityClass"),
	nodev1.SchemeGroupVersion.WithKind("RuntimeClass"),
	storagev1.SchemeGroupVersion.WithKind("CSINode"),
	storagev1.SchemeGroupVersion.WithKind("CSIDriver"),
	storagev1.SchemeGroupVersion.WithKind("CSIStorageCapacity"),
	storagev1.SchemeGroupVersion.WithKind("VolumeAttachment"),
	storagev1.SchemeGroupVersion.WithKind("VolumeAttributesClass"),
	rbacv1.SchemeGroupVersion.WithKind("Role"),
	rbacv1.SchemeGroupVersion.WithKind("ClusterRole"),
	certificatesv1.SchemeGroupVersion.WithKind("CertificateSigningRequest"),
	admissionv1.SchemeGroupVersion.WithKind("MutatingWebhookConfiguration"),
	admissionv1.SchemeGroupVersion.WithKind("ValidatingWebhookConfiguration"),
	admissionv1.SchemeGroupVersion.WithKind("MutatingAdmissionPolicy"),
	admissionv1.SchemeGroupVersion.WithKind("MutatingAdmissionPolicyBinding"),
	admissionv1.SchemeGroupVersion.WithKind("ValidatingAdmissionPolicy"),
	admissionv1.SchemeGroupVersion.WithKind("ValidatingAdmissionPolicyBinding"),
	registrationv1.SchemeGroupVersion.WithKind("APIService"),
	flowcontrolv1.SchemeGroupVersion.WithKind("FlowSchema"),
	flowcontrolv1.SchemeGroupVersion.WithKind("PriorityLevelConfiguration"),
	resourcev1.SchemeGroupVersion.WithKind("DeviceClass"),
	resourcev1.SchemeGroupVersion.WithKind("ResourceClaim"),
	resourcev1.SchemeGroupVersion.WithKind("ResourceClaimTemplate"),
	resourcev1.SchemeGroupVersion.WithKind("ResourceSlice"),
}

// SchemeOf finds the scheme that has a kind.
func SchemeOf(gvk schema.GroupVersionKind) *runtime.Scheme {
	if gvk.Kind == "APIService" {
		return aggregator.Scheme
	}
	return legacyscheme.Scheme
}
