//go:build !js

package object

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	networkingv1 "k8s.io/api/networking/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apischema "k8s.io/apimachinery/pkg/runtime/schema"
	aggregator "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"

	"watchglass/internal/object/encoded"
)

// kindOf finds the built-in kind of a typed object, and sets the object's TypeMeta to it.
func kindOf(t testing.TB, obj runtime.Object) Kind {
	t.Helper()
	gvks, _, err := goTypes.ObjectKinds(obj)
	if err != nil {
		t.Fatal(err)
	}
	obj.GetObjectKind().SetGroupVersionKind(gvks[0])
	i := slices.IndexFunc(builtin, func(k Kind) bool { return k.APIVersion() == gvks[0].GroupVersion().String() && k.Name == gvks[0].Kind })
	if i < 0 {
		t.Fatalf("%v is not built in", gvks[0])
	}
	return builtin[i]
}

// rowOf returns what kubectl -o wide prints for an object that was created two days ago.
func rowOf(t testing.TB, obj runtime.Object) string {
	t.Helper()
	d := NewDecoder(kindOf(t, obj), false)
	m, err := meta.Accessor(obj)
	if err != nil {
		t.Fatal(err)
	}
	m.SetName("x")
	m.SetCreationTimestamp(metav1.NewTime(now.Add(-48 * time.Hour)))
	o, err := d.Decode(payload(t, obj))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(printed(d, o), "|")
}

// TestPrint compares states of each kind with what kubectl prints for them. e2e/printers
// compares many more with the apiserver's own printers.
func TestPrint(t *testing.T) {
	at := func(ago time.Duration) metav1.Time { return metav1.NewTime(now.Add(-ago)) }
	ptr := func(ago time.Duration) *metav1.Time { a := at(ago); return &a }
	three, two, yes, zone, tenth := int32(3), int32(2), true, "Europe/Berlin", resource.MustParse("0.1")
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web", "app-b": ""}, MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "NotIn", Values: []string{"z", "b"}}, {Key: "q", Operator: "DoesNotExist"}}}
	template := corev1.PodTemplateSpec{Spec: corev1.PodSpec{NodeSelector: map[string]string{"disk": "ssd", "disk-b": "1"}, Containers: []corev1.Container{{Name: "main", Image: "i:1"}, {Name: "side", Image: "j"}}}}
	gone := metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{Time: now}}
	done := func(conditions ...batchv1.JobConditionType) (out []batchv1.JobCondition) {
		for _, c := range conditions {
			out = append(out, batchv1.JobCondition{Type: c, Status: "True"})
		}
		return out
	}
	for _, c := range []struct {
		obj  runtime.Object
		want string
	}{
		{&appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: &three, Selector: selector, Template: template}, Status: appsv1.DeploymentStatus{ReadyReplicas: 1, UpdatedReplicas: 2, AvailableReplicas: 1}}, "x|1/3|2|1|2d|main,side|i:1,j|a notin (b,z),app=web,app-b=,!q"},
		{&appsv1.Deployment{}, "x|0/1|0|0|2d|||"},
		{&appsv1.Deployment{Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "a", Operator: "Like"}}}}}, "x|0/1|0|0|2d|||<invalid>"},
		{&appsv1.ReplicaSet{Spec: appsv1.ReplicaSetSpec{Replicas: &three, Template: template}, Status: appsv1.ReplicaSetStatus{Replicas: 2, ReadyReplicas: 1}}, "x|3|2|1|2d|main,side|i:1,j|<none>"},
		{&appsv1.ReplicaSet{Spec: appsv1.ReplicaSetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "not valid"}}}}, "x|1|0|0|2d|||<error>"},
		{&appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{Template: template}, Status: appsv1.StatefulSetStatus{ReadyReplicas: 1}}, "x|1/1|2d|main,side|i:1,j"},
		{&appsv1.DaemonSet{Spec: appsv1.DaemonSetSpec{Template: template}, Status: appsv1.DaemonSetStatus{DesiredNumberScheduled: 5, CurrentNumberScheduled: 4, NumberReady: 3, UpdatedNumberScheduled: 2, NumberAvailable: 1}}, "x|5|4|3|2|1|disk-b=1,disk=ssd|2d|main,side|i:1,j|<none>"},
		{&batchv1.Job{}, "x|Running|0/1||2d|||<none>"},
		{&batchv1.Job{Spec: batchv1.JobSpec{Parallelism: &three}, Status: batchv1.JobStatus{StartTime: ptr(3 * time.Minute), Succeeded: 2}}, "x|Running|2/1 of 3|3m|2d|||<none>"},
		{&batchv1.Job{Spec: batchv1.JobSpec{Completions: &two, Parallelism: &three}, Status: batchv1.JobStatus{StartTime: ptr(time.Hour), CompletionTime: ptr(50 * time.Minute), Succeeded: 2, Conditions: done("SuccessCriteriaMet", "Complete")}}, "x|Complete|2/2|10m|2d|||<none>"},
		{&batchv1.Job{ObjectMeta: gone, Status: batchv1.JobStatus{Conditions: done("Suspended")}}, "x|Terminating|0/1||2d|||<none>"},
		{&batchv1.Job{ObjectMeta: gone, Status: batchv1.JobStatus{Conditions: done("FailureTarget", "Failed")}}, "x|Failed|0/1||2d|||<none>"},
		{&batchv1.Job{Status: batchv1.JobStatus{Conditions: done("SuccessCriteriaMet", "FailureTarget")}}, "x|FailureTarget|0/1||2d|||<none>"},
		{&batchv1.CronJob{Spec: batchv1.CronJobSpec{Schedule: "*/5 * * * *"}}, "x|*/5 * * * *|<none>|<unset>|0|<none>|2d|||<none>"},
		{&batchv1.CronJob{Spec: batchv1.CronJobSpec{Schedule: "@daily", TimeZone: &zone, Suspend: &yes, JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: template}}}, Status: batchv1.CronJobStatus{Active: make([]corev1.ObjectReference, 2), LastScheduleTime: ptr(90 * time.Second)}}, "x|@daily|Europe/Berlin|True|2|90s|2d|main,side|i:1,j|<none>"},
		{&corev1.Service{Spec: corev1.ServiceSpec{Type: "ClusterIP", ClusterIPs: []string{"None"}}}, "x|ClusterIP|None|<none>|<none>|2d|<none>"},
		{&corev1.Service{Spec: corev1.ServiceSpec{Type: "NodePort", ClusterIPs: []string{"10.0.0.1", "fd00::1"}, ExternalIPs: []string{"9.9.9.9", "8.8.8.8"}, Selector: map[string]string{"a": "b"}, Ports: []corev1.ServicePort{{Port: 80, NodePort: 30080, Protocol: "TCP"}, {Port: 53, Protocol: "UDP"}}}}, "x|NodePort|10.0.0.1|9.9.9.9,8.8.8.8|80:30080/TCP,53/UDP|2d|a=b"},
		{&corev1.Service{Spec: corev1.ServiceSpec{Type: "LoadBalancer"}}, "x|LoadBalancer|<none>|<pending>|<none>|2d|<none>"},
		{&corev1.Service{Spec: corev1.ServiceSpec{Type: "LoadBalancer", ExternalIPs: []string{"9.9.9.9"}}, Status: corev1.ServiceStatus{LoadBalancer: corev1.LoadBalancerStatus{Ingress: []corev1.LoadBalancerIngress{{Hostname: "lb.example"}, {IP: "1.2.3.4", Hostname: "no"}, {IP: "1.2.3.4"}, {}}}}}, "x|LoadBalancer|<none>|1.2.3.4,lb.example,9.9.9.9|<none>|2d|<none>"},
		{&corev1.Service{Spec: corev1.ServiceSpec{Type: "ExternalName", ExternalName: "a.example"}}, "x|ExternalName|<none>|a.example|<none>|2d|<none>"},
		{&corev1.Node{}, "x|Unknown|<none>|2d||<none>|<none>|<unknown>|<unknown>|<unknown>"},
		{&corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"node-role.kubernetes.io/worker": "", "node-role.kubernetes.io/infra": "", "kubernetes.io/role": "worker"}}, Spec: corev1.NodeSpec{Unschedulable: true}, Status: corev1.NodeStatus{
			Conditions: []corev1.NodeCondition{{Type: "Ready", Status: "True"}}, Addresses: []corev1.NodeAddress{{Type: "Hostname", Address: "h"}, {Type: "InternalIP", Address: "10.0.0.7"}, {Type: "InternalIP", Address: "no"}},
			NodeInfo: corev1.NodeSystemInfo{KubeletVersion: "v1.36.3", OSImage: "Debian 13", KernelVersion: "6.12", Architecture: "arm64", ContainerRuntimeVersion: "containerd://2.1"}}}, "x|Ready,SchedulingDisabled|infra,worker|2d|v1.36.3|10.0.0.7|<none>|Debian 13|6.12 (arm64)|containerd://2.1"},
		{&corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: "Ready", Status: "Unknown"}}}}, "x|NotReady|<none>|2d||<none>|<none>|<unknown>|<unknown>|<unknown>"},
		{&corev1.Namespace{Status: corev1.NamespaceStatus{Phase: "Terminating"}}, "x|Terminating|2d"},
		{&corev1.ConfigMap{Data: map[string]string{"a": "", "b": ""}, BinaryData: map[string][]byte{"c": nil}}, "x|3|2d"},
		{&corev1.Secret{Type: "Opaque", Data: map[string][]byte{"a": nil, "b": nil}}, "x|Opaque|2|2d"},
		{&corev1.Event{}, "<unknown>|||||||<unknown>|1|x"},
		{&corev1.Event{FirstTimestamp: at(time.Hour), LastTimestamp: at(time.Minute), Count: 7, Type: "Warning", Reason: "BackOff", Message: " one\n\ttwo ", InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "web", FieldPath: "spec.containers{main}"}, Source: corev1.EventSource{Component: "kubelet", Host: "n1"}}, "60s|Warning|BackOff|pod/web|spec.containers{main}|kubelet, n1|one  two|60m|7|x"},
		{&corev1.Event{EventTime: metav1.NewMicroTime(now.Add(-time.Minute)), InvolvedObject: corev1.ObjectReference{Kind: "ReplicaSet"}, ReportingController: "example.com/c", ReportingInstance: "c-0"}, "60s|||replicaset||example.com/c, c-0||60s|1|x"},
		{&corev1.Event{FirstTimestamp: at(time.Hour), LastTimestamp: at(time.Hour), Count: 1, Series: &corev1.EventSeries{Count: 40, LastObservedTime: metav1.NewMicroTime(now.Add(-time.Second))}}, "1s|||||||60m|40|x"},
		{&autoscalingv2.HorizontalPodAutoscaler{}, "x|/|<none>|<unset>|0|0|2d"},
		{&autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{MinReplicas: &two, MaxReplicas: 9, ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{Kind: "Deployment", Name: "web"}, Metrics: []autoscalingv2.MetricSpec{
			{Type: "Resource", Resource: &autoscalingv2.ResourceMetricSource{Name: "cpu", Target: autoscalingv2.MetricTarget{AverageUtilization: &three}}},
			{Type: "External", External: &autoscalingv2.ExternalMetricSource{Target: autoscalingv2.MetricTarget{AverageValue: &tenth}}},
			{Type: "Pods"}}}, Status: autoscalingv2.HorizontalPodAutoscalerStatus{CurrentReplicas: 4, CurrentMetrics: []autoscalingv2.MetricStatus{
			{Type: "Resource", Resource: &autoscalingv2.ResourceMetricStatus{Current: autoscalingv2.MetricValueStatus{AverageUtilization: &two}}}, {Type: "External", External: &autoscalingv2.ExternalMetricStatus{}}}}}, "x|Deployment/web|cpu: 2%/3%, <unknown>/100m (avg) + 1 more...|2|9|4|2d"},
		{&autoscalingv2.HorizontalPodAutoscaler{Spec: autoscalingv2.HorizontalPodAutoscalerSpec{Metrics: []autoscalingv2.MetricSpec{
			{Type: "ContainerResource", ContainerResource: &autoscalingv2.ContainerResourceMetricSource{Name: "memory", Target: autoscalingv2.MetricTarget{AverageValue: &tenth}}},
			{Type: "Object", Object: &autoscalingv2.ObjectMetricSource{Target: autoscalingv2.MetricTarget{Value: &tenth}}}}}, Status: autoscalingv2.HorizontalPodAutoscalerStatus{CurrentMetrics: []autoscalingv2.MetricStatus{
			{ContainerResource: &autoscalingv2.ContainerResourceMetricStatus{}}, {Object: &autoscalingv2.ObjectMetricStatus{Current: autoscalingv2.MetricValueStatus{Value: &tenth}}}}}}, "x|/|memory: <nil>/100m, 100m/100m|<unset>|0|0|2d"},
		{&corev1.ResourceQuota{Status: corev1.ResourceQuotaStatus{Hard: corev1.ResourceList{"limits.cpu": tenth, "pods": tenth, "cpu": tenth}, Used: corev1.ResourceList{"cpu": tenth}}}, "x|cpu: 100m/100m, pods: 0/100m|limits.cpu: 0/100m|2d"},
		{&corev1.LimitRange{}, "x|2026-11-18T12:00:00Z"},
		{&appsv1.ControllerRevision{ObjectMeta: metav1.ObjectMeta{OwnerReferences: []metav1.OwnerReference{{Kind: "Other"}, {APIVersion: "apps/v1", Kind: "DaemonSet", Name: "ds", Controller: &yes}}}, Revision: 7}, "x|daemonset.apps/ds|7|2d"},
		{&networkingv1.IngressClass{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"ingressclass.kubernetes.io/is-default-class": "true"}}, Spec: networkingv1.IngressClassSpec{Controller: "c", Parameters: &networkingv1.IngressClassParametersReference{APIGroup: &zone, Kind: "Params", Name: "p"}}}, "x (default)|c|Params.Europe/Berlin/p|2d"},
		{&schedulingv1.PriorityClass{Value: -5, GlobalDefault: true}, "x|-5|true|2d|"},
		{&storagev1.CSIDriver{}, "x|true|false|false|<unset>|false|<none>|2d"},
		{&storagev1.CSIDriver{Spec: storagev1.CSIDriverSpec{TokenRequests: []storagev1.TokenRequest{{}}, VolumeLifecycleModes: []storagev1.VolumeLifecycleMode{"Persistent", "Ephemeral"}}}, "x|true|false|false||false|Persistent,Ephemeral|2d"},
		{&certificatesv1.CertificateSigningRequest{Spec: certificatesv1.CertificateSigningRequestSpec{Username: "ana", ExpirationSeconds: &three}, Status: certificatesv1.CertificateSigningRequestStatus{Certificate: []byte("x"), Conditions: []certificatesv1.CertificateSigningRequestCondition{{Type: "Failed"}, {Type: "Approved"}}}}, "x|2d|<none>|ana|3s|Approved,Failed,Issued"},
		{&admissionv1.ValidatingAdmissionPolicyBinding{Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: "p", ParamRef: &admissionv1.ParamRef{Name: "n"}}}, "x|p|*/n|2d"},
		{&admissionv1.MutatingAdmissionPolicyBinding{Spec: admissionv1.MutatingAdmissionPolicyBindingSpec{ParamRef: &admissionv1.ParamRef{Selector: selector}}}, "x||&LabelSelector{MatchLabels:map[string]string{app: web,app-b: ,},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:a,Operator:NotIn,Values:[z b],},LabelSelectorRequirement{Key:q,Operator:DoesNotExist,Values:[],},},}|2d"},
		{&aggregator.APIService{}, "x|Local|Unknown|2d"},
		{&aggregator.APIService{Spec: aggregator.APIServiceSpec{Service: &aggregator.ServiceReference{Namespace: "n", Name: "s"}}, Status: aggregator.APIServiceStatus{Conditions: []aggregator.APIServiceCondition{{Type: "Available", Status: "False", Reason: "Gone"}}}}, "x|n/s|False (Gone)|2d"},
		{&flowcontrolv1.FlowSchema{}, "x||0|<none>|2d|?"},
		{&flowcontrolv1.PriorityLevelConfiguration{Spec: flowcontrolv1.PriorityLevelConfigurationSpec{Type: "Limited", Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{}}}, "x|Limited|0|<none>|<none>|<none>|2d"},
		{&resourcev1.ResourceClaim{ObjectMeta: gone, Status: resourcev1.ResourceClaimStatus{Allocation: &resourcev1.AllocationResult{}, ReservedFor: make([]resourcev1.ResourceClaimConsumerReference, 1)}}, "x|deleted,allocated,reserved|2d"},
		{&resourcev1.ResourceClaim{}, "x|pending|2d"},
	} {
		if got := rowOf(t, c.obj); got != c.want {
			t.Errorf("%T:\nwant %s\ngot  %s", c.obj, c.want, got)
		}
	}
}

// newObject returns an empty object of a kind.
func newObject(t testing.TB, k Kind) runtime.Object {
	t.Helper()
	id := apischema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Name}
	obj, err := goTypes.New(id)
	if err != nil {
		t.Fatal(err)
	}
	obj.GetObjectKind().SetGroupVersionKind(id)
	return obj
}

// randomOf returns a random object of a kind.
func randomOf(t testing.TB, k Kind, seed int64) runtime.Object {
	t.Helper()
	obj := newObject(t, k)
	filler(seed).Fill(obj)
	obj.GetObjectKind().SetGroupVersionKind(apischema.GroupVersionKind{Group: k.Group, Version: k.Version, Kind: k.Name})
	m, err := meta.Accessor(obj)
	if err != nil {
		t.Fatal(err)
	}
	m.SetName("x")
	return obj
}

// TestPrintRandom prints random objects of each kind, whole and truncated, and checks that
// there is a cell for each column.
func TestPrintRandom(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for _, k := range builtin {
		d := NewDecoder(k, false)
		for seed := range int64(60) {
			sent := payload(t, randomOf(t, k, seed))
			o, err := d.Decode(sent)
			if err != nil {
				t.Fatal(k.Name, err)
			}
			texts := strings.Count(o.Text(true), string(separator))
			names := 0
			for _, c := range d.Columns() {
				if c.Kind == NameCell {
					names++
				}
			}
			if cells := printed(d, o); len(cells) != texts+names {
				t.Fatalf("%s: %d columns, and %d cells besides the name", k.Name, len(cells), texts)
			}
			for range 20 {
				broken := slices.Clone(sent[:len(encoded.Magic)+r.Intn(len(sent)-len(encoded.Magic))])
				broken[r.Intn(len(broken))] ^= byte(1 << r.Intn(8))
				if o, err := d.Decode(broken); err == nil {
					printed(d, o)
				}
			}
		}
	}
}

// TestBuiltin finds kinds by every name that kubectl accepts.
func TestBuiltin(t *testing.T) {
	for name, want := range map[string]string{
		"po": "pods", "deploy": "deployments.apps", "deployment": "deployments.apps", "Deployments.apps": "deployments.apps", "deployments.v1.apps": "deployments.apps",
		"rs": "replicasets.apps", "sts": "statefulsets.apps", "ds": "daemonsets.apps", "job": "jobs.batch", "cj": "cronjobs.batch", "svc": "services", "no": "nodes",
		"ns": "namespaces", "ev": "events", "event": "events", "cm": "configmaps", "secret": "secrets", "ing": "ingresses.networking.k8s.io", "pv": "persistentvolumes", "pvc": "persistentvolumeclaims", "sc": "storageclasses.storage.k8s.io", "pdb": "poddisruptionbudgets.policy",
		"rc": "replicationcontrollers", "hpa": "horizontalpodautoscalers.autoscaling", "ep": "endpoints", "quota": "resourcequotas", "limits": "limitranges", "pc": "priorityclasses.scheduling.k8s.io", "csr": "certificatesigningrequests.certificates.k8s.io", "role": "roles.rbac.authorization.k8s.io", "apiservice": "apiservices.apiregistration.k8s.io", "events.events.k8s.io": "events.events.k8s.io",
	} {
		if k, ok := Builtin(name); !ok || k.ID() != want {
			t.Errorf("%s is %q, not %q", name, k.ID(), want)
		}
	}
	for _, name := range []string{"", "deployments.extensions", "pods.", "s", "flowschemas", "resourceclaims.resource.k8s.io"} {
		if k, ok := Builtin(name); ok {
			t.Errorf("%q is %s", name, k.ID())
		}
	}
	const clusterScoped = " nodes namespaces persistentvolumes storageclasses csinodes csidrivers volumeattachments ingressclasses priorityclasses runtimeclasses" +
		" clusterroles clusterrolebindings certificatesigningrequests mutatingwebhookconfigurations validatingwebhookconfigurations apiservices "
	for _, k := range builtin {
		if cluster := strings.Contains(clusterScoped, " "+k.Resource+" "); cluster == k.Namespaced && !k.discoveredOnly {
			t.Errorf("%s: namespaced is %v", k.ID(), k.Namespaced)
		}
	}
}

// TestSpan prints jobs that have ended, are running and have not begun, and checks their order.
func TestSpan(t *testing.T) {
	spans := []Cell{
		{Kind: SpanCell, At: 100, End: 103}, {Kind: SpanCell, At: 10, End: 310}, // ended, by duration
		{Kind: SpanCell, At: 200}, {Kind: SpanCell, At: 150}, // unfinished, youngest first
		{Kind: SpanCell}, // not begun
	}
	for i, want := range []string{"3s", "5m", "50s", "100s", ""} {
		if got := string(spans[i].Append(nil, time.Unix(250, 0))); got != want {
			t.Errorf("%+v is %q, not %q", spans[i], got, want)
		}
	}
	if !slices.IsSortedFunc(spans, Cell.Compare) {
		t.Error("they are in another order")
	}
}

// BenchmarkPrint decodes an object of each kind without keeping its bytes.
func BenchmarkPrint(b *testing.B) {
	for _, k := range builtin {
		sent, d := payload(b, randomOf(b, k, 3)), NewDecoder(k, false)
		b.Run(fmt.Sprint(k.Name, " of ", len(sent), " B"), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := d.Decode(sent); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
