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
	"k8s.io/apiserver/pkg/registry/rest"
	registrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	aggregator "k8s.io/kube-aggregator/pkg/apiserver/scheme"
	apiservice "k8s.io/kube-aggregator/pkg/registry/apiservice/etcd"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	_ "k8s.io/kubernetes/pkg/apis/flowcontrol/install"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	_ "k8s.io/kubernetes/pkg/apis/node/install"
	"k8s.io/kubernetes/pkg/printers"
	printersinternal "k8s.io/kubernetes/pkg/printers/internalversion"
	"k8s.io/kubernetes/pkg/printers/storage"
)

// kinds are those that the tab prints.
var kinds = []schema.GroupVersionKind{
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

// printer prints the objects of a kind as the apiserver does.
type printer struct {
	rest.TableConvertor
	scheme *runtime.Scheme
}

// printerOf finds it: nearly all kinds have columns of their own, which the apiserver
// uses for nearly all that have.
func printerOf(gvk schema.GroupVersionKind) printer {
	switch gvk.Kind {
	case "APIService":
		return printer{new(apiservice.REST), aggregator.Scheme}
	case "Role", "ClusterRole", "LimitRange", "CSIStorageCapacity":
		return printer{rest.NewDefaultTableConvertor(schema.GroupResource{}), legacyscheme.Scheme}
	}
	return printer{storage.TableConvertor{TableGenerator: printers.NewTableGenerator().With(printersinternal.AddHandlers)}, legacyscheme.Scheme}
}
