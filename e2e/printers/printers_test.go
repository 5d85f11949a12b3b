// Package printers holds the columns that the tab computes to the printers of the
// apiserver itself, for objects that no client could make: random ones.
//
// The printers are of e2e's module, and what is held to them is of the root's, which
// has another version of the API: the objects and their cells go over in a file.
package printers

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/networking/install"
	"k8s.io/kubernetes/pkg/printers"
	printersinternal "k8s.io/kubernetes/pkg/printers/internalversion"
	"sigs.k8s.io/randfill"
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
}

// perKind is how many objects of each kind are printed.
const perKind = 400

// kindPrinted is what goes over: a kind, its columns, and objects with their cells.
type kindPrinted struct {
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	Columns    []string        `json:"columns"`
	Objects    []objectPrinted `json:"objects"`
}

type objectPrinted struct {
	Payload []byte   `json:"payload"`
	Cells   []string `json:"cells"`
	Before  int64    `json:"before"` // unix seconds between which it was printed
	After   int64    `json:"after"`
}

// TestPrinters has the root's tests compare what the tab prints with what the
// apiserver does.
func TestPrinters(t *testing.T) {
	generator := printers.NewTableGenerator().With(printersinternal.AddHandlers)
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	fill := filler(seed)
	var all []kindPrinted
	for _, gvk := range kinds {
		k := kindPrinted{APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind}
		for len(k.Objects) < perKind {
			print(t, generator, gvk, fill, &k)
		}
		all = append(all, k)
	}
	doc, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "printed.json")
	if err := os.WriteFile(file, doc, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "./internal/object", "-run", "^TestPrinted$", "-printed", file)
	cmd.Dir = filepath.Join("..", "..")
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Contains(string(out), "no tests to run") {
		t.Fatalf("%v\n%s", err, out)
	}
}

// print makes a random object as the apiserver would have read it from its store,
// and prints it.
func print(t *testing.T, generator printers.TableGenerator, gvk schema.GroupVersionKind, fill *randfill.Filler, into *kindPrinted) {
	t.Helper()
	random, err := legacyscheme.Scheme.New(gvk)
	if err != nil {
		t.Fatal(err)
	}
	fill.Fill(random)
	object, err := meta.Accessor(random)
	if err != nil {
		t.Fatal(err)
	}
	object.SetName(fmt.Sprint("name-", len(into.Objects)))
	legacyscheme.Scheme.Default(random)
	hub := schema.GroupVersion{Group: gvk.Group, Version: runtime.APIVersionInternal}
	internal, err := legacyscheme.Scheme.ConvertToVersion(random, hub)
	if err != nil {
		return // of values that make no sense
	}
	sent, err := legacyscheme.Scheme.ConvertToVersion(internal, gvk.GroupVersion())
	if err != nil {
		t.Fatal(err)
	}
	sent.GetObjectKind().SetGroupVersionKind(gvk)
	payload, err := runtime.Encode(protobuf.NewSerializer(legacyscheme.Scheme, legacyscheme.Scheme), sent)
	if err != nil {
		t.Fatal(err)
	}
	before := time.Now().Unix()
	table, err := generator.GenerateTable(internal, printers.GenerateOptions{Wide: true})
	if err != nil {
		t.Fatal(err)
	}
	o := objectPrinted{Payload: payload, Before: before, After: time.Now().Unix()}
	for _, cell := range table.Rows[0].Cells {
		o.Cells = append(o.Cells, fmt.Sprint(cell))
	}
	into.Objects, into.Columns = append(into.Objects, o), nil
	for _, c := range table.ColumnDefinitions {
		into.Columns = append(into.Columns, fmt.Sprint(c.Name, " ", c.Priority))
	}
}

// words are texts that mean something somewhere, or look like it.
var words = []string{
	"", "a", "a-b", "a.b", "a0", "b", "B", "web-7", "10.0.0.1", "fd00::1", "line\nbreak", " spaces ", "Größe", "x,y", "node-7",
	"example.com/a", "example.com/a-b", "_no", "UPPER.com/x", "kubernetes.io/role", "node-role.kubernetes.io/worker", "node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/",
	"storageclass.kubernetes.io/is-default-class", "volume.beta.kubernetes.io/storage-class", "storage", "true",
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
	"ConditionStatus":  {"True", "False", "Unknown"}, "MetricSourceType": {"Resource", "Pods", "Object", "External", "ContainerResource"},
}

// filler makes objects of few and telling values.
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
