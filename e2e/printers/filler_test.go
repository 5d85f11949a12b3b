package printers

import (
	"math/rand"
	"reflect"
	"slices"
	"time"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	registrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/randfill"
)

// words are texts that mean something somewhere, or look like it.
var words = []string{
	"", "a", "a-b", "a.b", "a0", "b", "B", "web-7", "10.0.0.1", "fd00::1", "line\nbreak", " spaces ", "Größe", "x,y", "node-7",
	"example.com/a", "example.com/a-b", "_no", "UPPER.com/x", "apps/v1", "batch.v1", "kubernetes.io/role", "node-role.kubernetes.io/worker", "node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/",
	"storageclass.kubernetes.io/is-default-class", "ingressclass.kubernetes.io/is-default-class", "volume.beta.kubernetes.io/storage-class", "storage", "true",
	"True", "False", "Unknown", "Ready", "InternalIP", "ExternalIP", "Hostname", "ServiceAccount", "User", "Group",
	"Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet", "Running", "Succeeded", "Pending", "Completed", "NodeLost", "Initialized", "PodScheduled", "SchedulingGated",
	"In", "NotIn", "Exists", "DoesNotExist", "Equals", "ClusterIP", "NodePort", "LoadBalancer", "ExternalName", "Always",
	"ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod", "Resource", "Pods", "Object", "External", "ContainerResource",
}

// some are the words of the fields that hold one of a few.
var some = map[string][]string{
	"ServiceType": {"ClusterIP", "NodePort", "LoadBalancer", "ExternalName", "Other"}, "Protocol": {"TCP", "UDP", "SCTP"},
	"LabelSelectorOperator": {"In", "NotIn", "Exists", "DoesNotExist", "In", "Nothing"},
	"NodeConditionType":     {"Ready", "DiskPressure"}, "NodeAddressType": {"InternalIP", "ExternalIP", "Hostname"},
	"JobConditionType": {"Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet"},
	"ConditionStatus":  {"True", "False", "Unknown"}, "MetricSourceType": {"Resource", "Pods", "Object", "External", "ContainerResource", "Other"},
	"ResourceName":            {"storage", "cpu", "limits.cpu", "limits.memory", "requests.cpu", "limits", "count/pods"},
	"RequestConditionType":    {"Approved", "Denied", "Failed", "Other"},
	"APIServiceConditionType": {"Available", "Other"},
	"FlowSchemaConditionType": {"Dangling", "Other"},
	"VolumeLifecycleMode":     {"Persistent", "Ephemeral"},
}

// maker makes objects of few and telling values.
type maker struct {
	*randfill.Filler
	random *rand.Rand
}

func newMaker(seed int64) maker { return maker{filler(seed), rand.New(rand.NewSource(seed))} }

// Make fills an object, and leaves some pointers nil: those whose types have a
// function of their own never are.
func (m maker) Make(object any) {
	m.Fill(object)
	m.lose(reflect.ValueOf(object).Elem())
}

// lost are the types that pointers lose, besides those of scalars.
var lost = []reflect.Type{reflect.TypeFor[resource.Quantity](), reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.LabelSelector]()}

func (m maker) lose(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return
		}
		if e := v.Type().Elem(); (e.Kind() != reflect.Struct || slices.Contains(lost, e)) && m.random.Intn(3) == 0 {
			v.SetZero()
			return
		}
		m.lose(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			m.lose(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				m.lose(v.Field(i))
			}
		}
	}
}

func filler(seed int64) *randfill.Filler {
	return randfill.New().RandSource(rand.NewSource(seed)).NilChance(.3).NumElements(0, 4).MaxDepth(14).Funcs(
		func(s *string, c randfill.Continue) { *s = words[c.Intn(len(words))] },
		func(n *int32, c randfill.Continue) { *n = []int32{0, 1, 2, 3, 17, 80, 30080, -1}[c.Intn(8)] },
		func(q *resource.Quantity, c randfill.Continue) {
			*q = resource.MustParse([]string{"0", "1", "10Gi", "1500m", "1e3", "0.5Ki"}[c.Intn(6)])
		},
		func(v *metav1.Time, c randfill.Continue) { v.Time = instant(c) },
		func(v *metav1.MicroTime, c randfill.Continue) { v.Time = instant(c) },
		func(v *intstr.IntOrString, c randfill.Continue) {
			if *v = intstr.FromInt32(int32(c.Intn(100))); c.Bool() {
				*v = intstr.FromString("25%")
			}
		},
		func(v *runtime.RawExtension, c randfill.Continue) { v.Raw = []byte(`{}`) },
		func(v *metav1.FieldsV1, c randfill.Continue) { v.SetRawBytes([]byte(`{}`)) },
		func(v *metav1.LabelSelector, c randfill.Continue) {
			c.FillNoCustom(v)
			if c.Intn(4) > 0 { // else hardly one would be valid
				tidy(v, c)
			}
		},
		func(v *corev1.PodSpec, c randfill.Continue) {
			c.FillNoCustom(v)
			v.Volumes = nil // one of many, and not several
		},
		func(v *batchv1.JobStatus, c randfill.Continue) {
			c.FillNoCustom(v)
			for _, at := range []**metav1.Time{&v.StartTime, &v.CompletionTime} {
				if *at != nil && (*at).IsZero() {
					*at = nil // JSON has no other
				}
			}
		},
		func(v *corev1.EndpointAddress, c randfill.Continue) {
			c.FillNoCustom(v)
			v.IP = []string{"10.0.0.1", "fd00::1", "10.0.0.2"}[c.Intn(3)]
		},
		func(v *autoscalingv2.MetricSpec, c randfill.Continue) {
			c.FillNoCustom(v)
			sourced(v, c)
		},
		func(v *autoscalingv2.HorizontalPodAutoscaler, c randfill.Continue) {
			for range 8 { // else hardly two would have something in common
				if c.FillNoCustom(v); len(v.Spec.Metrics) > 0 && len(v.Status.CurrentMetrics) > 0 {
					break
				}
			}
		},
		few[corev1.ResourceName], few[certificatesv1.RequestConditionType], few[storagev1.VolumeLifecycleMode],
		few[registrationv1.APIServiceConditionType], few[registrationv1.ConditionStatus],
		few[flowcontrolv1.FlowSchemaConditionType], few[flowcontrolv1.ConditionStatus], few[autoscalingv2.MetricSourceType],
		few[corev1.ServiceType], few[corev1.Protocol], few[metav1.LabelSelectorOperator], few[corev1.NodeConditionType], few[corev1.NodeAddressType],
		few[batchv1.JobConditionType], few[corev1.ConditionStatus],
	)
}

// few picks one of the words of a type.
func few[T ~string](v *T, c randfill.Continue) {
	of := some[reflect.TypeFor[T]().Name()]
	*v = T(of[c.Intn(len(of))])
}

// instant is none, some time ago, or just now.
func instant(c randfill.Continue) time.Time {
	switch c.Intn(4) {
	case 0:
		return time.Time{}
	case 1:
		return time.Unix(time.Now().Unix()-int64(c.Intn(300)), 0)
	}
	return time.Unix(time.Now().Unix()-c.Int63n(5e8), 0)
}

// tidy leaves of a selector what the apiserver admits.
func tidy(v *metav1.LabelSelector, c randfill.Continue) {
	v.MatchLabels = map[string]string{}
	for _, key := range []string{"app", "a", "a-b", "example.com/a"} {
		if c.Bool() {
			v.MatchLabels[key] = []string{"", "web", "b.c_d"}[c.Intn(3)]
		}
	}
	for i := range v.MatchExpressions {
		e := &v.MatchExpressions[i]
		e.Key = []string{"tier", "a", "z/y"}[c.Intn(3)]
		switch e.Operator {
		case "In", "NotIn":
			e.Values = []string{"x", "b", "a"}[:1+c.Intn(3)]
		default:
			e.Operator, e.Values = "Exists", nil
		}
	}
}

// sourced gives a metric the source that it says it has, as the apiserver demands.
func sourced(v *autoscalingv2.MetricSpec, c randfill.Continue) {
	switch v.Type {
	case "Resource":
		v.Resource = filled(v.Resource, c)
	case "ContainerResource":
		v.ContainerResource = filled(v.ContainerResource, c)
	case "Pods":
		v.Pods = filled(v.Pods, c)
	case "Object":
		v.Object = filled(v.Object, c)
	case "External":
		v.External = filled(v.External, c)
	}
}

// filled is what there is, or else something.
func filled[T any](v *T, c randfill.Continue) *T {
	if v == nil {
		v = new(T)
		c.Fill(v)
	}
	return v
}
