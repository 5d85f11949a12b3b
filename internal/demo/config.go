//go:build !js

package demo

import (
	"fmt"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const day = 24 * time.Hour

// addShared creates the objects that exist once per cluster.
func (w *world) addShared() {
	born := w.ago(400 * day)
	meta := func(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name, CreationTimestamp: born} }
	w.put(&schedulingv1.PriorityClass{ObjectMeta: meta("system-cluster-critical"), Value: 2000000000, Description: "Used for system critical pods that must run in the cluster."})
	w.put(&schedulingv1.PriorityClass{ObjectMeta: meta("system-node-critical"), Value: 2000001000, Description: "Used for system critical pods that must not be moved from their current node."})
	class := meta(storageClass)
	class.Annotations = map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}
	w.put(&storagev1.StorageClass{
		ObjectMeta: class, Provisioner: "ebs.csi.aws.com", Parameters: map[string]string{"type": "gp3", "encrypted": "true"}, AllowVolumeExpansion: ptr(true),
		ReclaimPolicy: ptr(corev1.PersistentVolumeReclaimDelete), VolumeBindingMode: ptr(storagev1.VolumeBindingWaitForFirstConsumer),
	})
	w.put(&networkingv1.IngressClass{ObjectMeta: meta("nginx"), Spec: networkingv1.IngressClassSpec{Controller: "k8s.io/ingress-nginx"}})
	w.put(&rbacv1.ClusterRole{ObjectMeta: meta("view"), Rules: []rbacv1.PolicyRule{{Verbs: []string{"get", "list", "watch"}, APIGroups: []string{""}, Resources: []string{"pods", "services", "configmaps"}}}})
	w.put(&rbacv1.ClusterRole{ObjectMeta: meta("edit"), Rules: []rbacv1.PolicyRule{{Verbs: []string{"*"}, APIGroups: []string{"", "apps", "batch"}, Resources: []string{"*"}}}})
	w.put(&rbacv1.ClusterRole{ObjectMeta: meta("cluster-admin"), Rules: []rbacv1.PolicyRule{{Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}}}})
	w.put(databaseDefinition(born))
}

// addNamespace creates a namespace and the objects that every namespace has.
func (w *world) addNamespace(namespace, team string) {
	born := w.ago(w.about(200 * day))
	labels := map[string]string{"kubernetes.io/metadata.name": namespace}
	if team != "" {
		labels["team"] = team
	}
	w.put(&corev1.Namespace{
		ObjectMeta: metav1.ObjectMeta{Name: namespace, CreationTimestamp: born, Labels: labels},
		Spec:       corev1.NamespaceSpec{Finalizers: []corev1.FinalizerName{corev1.FinalizerKubernetes}}, Status: corev1.NamespaceStatus{Phase: corev1.NamespaceActive},
	})
	in := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name, CreationTimestamp: born}
	}
	w.put(&corev1.ServiceAccount{ObjectMeta: in("default")})
	w.put(&corev1.ConfigMap{ObjectMeta: in("kube-root-ca.crt"), Data: map[string]string{"ca.crt": "-----BEGIN CERTIFICATE-----\n" + hexes(w.rng, 64) + "\n-----END CERTIFICATE-----\n"}})
	if team == "" {
		return
	}
	w.put(&rbacv1.RoleBinding{
		ObjectMeta: in(team + "-edit"), RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "edit"},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: "Group", Name: "team-" + team}},
	})
	hard := corev1.ResourceList{"requests.cpu": resource.MustParse("400"), "requests.memory": resource.MustParse("1600Gi"), "pods": resource.MustParse("5k")}
	used := corev1.ResourceList{"requests.cpu": resource.MustParse("87"), "requests.memory": resource.MustParse("204Gi"), "pods": resource.MustParse("212")}
	w.put(&corev1.ResourceQuota{ObjectMeta: in("team"), Spec: corev1.ResourceQuotaSpec{Hard: hard}, Status: corev1.ResourceQuotaStatus{Hard: hard, Used: used}})
	w.put(&networkingv1.NetworkPolicy{ObjectMeta: in("default-deny"), Spec: networkingv1.NetworkPolicySpec{PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}}})
}

// addConfig creates an app's configuration. Its Secrets have values, so that a client that must
// not show them can be tested.
func (w *world) addConfig(a *app) {
	meta := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: a.namespace, Name: name, CreationTimestamp: a.created, Labels: a.labels()}
	}
	w.put(&corev1.ServiceAccount{ObjectMeta: meta(a.name)})
	w.put(&corev1.ConfigMap{ObjectMeta: meta(a.name), Data: map[string]string{"config.yaml": fmt.Sprintf("team: %s\nport: 8080\nlog:\n  level: info\n  format: json\nlimits:\n  requests: %d\n", a.team, 100+w.rng.IntN(900))}})
	password := suffix(w.rng, 20)
	database := meta(a.name + "-database")
	database.Annotations = map[string]string{corev1.LastAppliedConfigAnnotation: fmt.Sprintf(`{"apiVersion":"v1","kind":"Secret","stringData":{"password":%q}}`, password)}
	w.put(&corev1.Secret{ObjectMeta: database, Type: corev1.SecretTypeOpaque, Data: map[string][]byte{
		"username": []byte(a.role), "password": []byte(password), "url": fmt.Appendf(nil, "postgres://%s:%s@%s-db.%s.svc:5432/%s", a.role, password, a.team, a.namespace, a.role),
	}})
	if a.role == "web" || a.role == "api" {
		w.put(&corev1.Secret{ObjectMeta: meta(a.name + "-tls"), Type: corev1.SecretTypeTLS, Data: map[string][]byte{
			corev1.TLSCertKey:       []byte("-----BEGIN CERTIFICATE-----\n" + hexes(w.rng, 64) + "\n-----END CERTIFICATE-----\n"),
			corev1.TLSPrivateKeyKey: []byte("-----BEGIN PRIVATE KEY-----\n" + hexes(w.rng, 64) + "\n-----END PRIVATE KEY-----\n"),
		}})
	}
	if a.kind == deployment && a.replicas > 1 {
		w.put(&policyv1.PodDisruptionBudget{
			ObjectMeta: meta(a.name), Spec: policyv1.PodDisruptionBudgetSpec{MaxUnavailable: ptr(intstr.FromInt32(1)), Selector: &metav1.LabelSelector{MatchLabels: a.selector()}},
			Status: policyv1.PodDisruptionBudgetStatus{ObservedGeneration: 1, DisruptionsAllowed: 1, CurrentHealthy: int32(a.replicas), DesiredHealthy: int32(a.replicas - 1), ExpectedPods: int32(a.replicas)},
		})
	}
}

// autoscaler is a HorizontalPodAutoscaler that follows the load of an app.
type autoscaler struct {
	app      *app
	min, max int
	load     int32 // percent of the CPU request
}

// target is the utilization that autoscalers aim for, in percent.
const target = int32(70)

func (w *world) addScaler(a *app) {
	s := &autoscaler{app: a, min: max(1, a.replicas/2), max: a.replicas*2 + 1, load: target - 10 + w.rng.Int32N(20)}
	w.scales = append(w.scales, s)
	w.writeScaler(s)
}

func (w *world) writeScaler(s *autoscaler) {
	a := s.app
	h := &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Namespace: a.namespace, Name: a.name, CreationTimestamp: a.created, Labels: a.labels(), UID: w.uidOf("horizontalpodautoscalers.autoscaling", a.key())},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{Kind: deployment, Name: a.name, APIVersion: "apps/v1"}, MinReplicas: ptr(int32(s.min)), MaxReplicas: int32(s.max),
			Metrics: []autoscalingv2.MetricSpec{{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricSource{
				Name: corev1.ResourceCPU, Target: autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: ptr(target)},
			}}},
		},
		Status: autoscalingv2.HorizontalPodAutoscalerStatus{
			CurrentReplicas: a.count(nil).all, DesiredReplicas: int32(a.replicas), LastScaleTime: &a.since,
			CurrentMetrics: []autoscalingv2.MetricStatus{{Type: autoscalingv2.ResourceMetricSourceType, Resource: &autoscalingv2.ResourceMetricStatus{
				Name: corev1.ResourceCPU, Current: autoscalingv2.MetricValueStatus{AverageUtilization: ptr(s.load), AverageValue: resource.NewMilliQuantity(int64(s.load)*5, resource.DecimalSI)},
			}}},
			Conditions: []autoscalingv2.HorizontalPodAutoscalerCondition{
				{Type: autoscalingv2.AbleToScale, Status: corev1.ConditionTrue, LastTransitionTime: a.created, Reason: "ReadyForNewScale", Message: "recommended size matches current size"},
				{Type: autoscalingv2.ScalingActive, Status: corev1.ConditionTrue, LastTransitionTime: a.created, Reason: "ValidMetricFound", Message: "the HPA was able to successfully calculate a replica count from cpu resource utilization (percentage of request)"},
			},
		},
	}
	w.put(h)
}
