//go:build !js

package recording

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"

	"watchglass/internal/history"
	"watchglass/internal/history/historytest"
	"watchglass/internal/object"
	"watchglass/internal/object/rewrite"
)

func encode(t *testing.T, o runtime.Object) []byte {
	t.Helper()
	kinds, _, err := scheme.Scheme.ObjectKinds(o)
	if err != nil {
		t.Fatal(err)
	}
	o.GetObjectKind().SetGroupVersionKind(kinds[0])
	var b bytes.Buffer
	if err := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Encode(o, &b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func decode(t *testing.T, payload []byte, into runtime.Object) {
	t.Helper()
	if _, _, err := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme).Decode(payload, nil, into); err != nil {
		t.Fatal(err)
	}
}

const envCanary, annotationCanary, secretCanary = "hunter2-CANARY", "noted-CANARY", "shh-CANARY"

func template() corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "billing", "app.kubernetes.io/name": "billing", "topology.kubernetes.io/zone": "eu-1a"}},
		Spec: corev1.PodSpec{NodeName: "worker-acme-7", Containers: []corev1.Container{{
			Name: "ledger", Image: "registry.acme.com/billing:1.2", Env: []corev1.EnvVar{{Name: "PASSWORD", Value: envCanary}},
			VolumeMounts: []corev1.VolumeMount{{Name: "settings", MountPath: "/etc/settings"}},
		}}, Volumes: []corev1.Volume{{Name: "settings", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "tariffs"}}}}}},
	}
}

// shop is a record of a billing system, each kind in one stream.
func shop(t *testing.T) *historytest.Model {
	yes := true
	record := historytest.New(begun)
	put := func(s history.Stream, key string, payloads ...[]byte) {
		n := record.Open(s)
		for i, p := range payloads {
			record.Put(n, begun.Add(time.Duration(i)*time.Second), key, fmt.Sprint("uid-", n), p)
		}
	}
	meta := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Name: name, Namespace: "payments", UID: "u-1", Labels: map[string]string{"app": "billing"}, Annotations: map[string]string{
			"note": annotationCanary, "kubectl.kubernetes.io/last-applied-configuration": `{"spec":{"env":"` + envCanary + `"}}`, "deployment.kubernetes.io/revision": "7",
		}}
	}
	pod := &corev1.Pod{ObjectMeta: meta("billing-7d9f-abcde"), Spec: template().Spec, Status: corev1.PodStatus{HostIP: "10.1.2.3", PodIP: "10.244.9.9", PodIPs: []corev1.PodIP{{IP: "10.244.9.9"}}, ContainerStatuses: []corev1.ContainerStatus{{Name: "ledger", Image: "registry.acme.com/billing:1.2", ImageID: "registry.acme.com/billing@sha256:00"}}}}
	pod.GenerateName = "billing-7d9f-"
	pod.OwnerReferences = []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "billing-7d9f", UID: "u-2", Controller: &yes}}
	later := pod.DeepCopy()
	later.Status.Message = "moved from worker-acme-7 at 10.1.2.3:10250"
	put(history.Stream{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true}, "payments/billing-7d9f-abcde", encode(t, pod), encode(t, later))
	deploy := &appsv1.Deployment{ObjectMeta: meta("billing"), Spec: appsv1.DeploymentSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "billing"}}, Template: template()}}
	put(history.Stream{Group: "apps", Version: "v1", Resource: "deployments", Kind: "Deployment", Namespaced: true}, "payments/billing", encode(t, deploy))
	revision := &appsv1.ControllerRevision{ObjectMeta: meta("billing-5"), Data: runtime.RawExtension{Raw: []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"ledger","image":"registry.acme.com/billing:1.2","env":[{"name":"PASSWORD","value":"` + envCanary + `"}]}]}}}}`)}}
	put(history.Stream{Group: "apps", Version: "v1", Resource: "controllerrevisions", Kind: "ControllerRevision", Namespaced: true}, "payments/billing-5", encode(t, revision))
	config := &corev1.ConfigMap{ObjectMeta: meta("tariffs"), Data: map[string]string{"type": envCanary}, BinaryData: map[string][]byte{"b": []byte(envCanary)}}
	put(history.Stream{Version: "v1", Resource: "configmaps", Kind: "ConfigMap", Namespaced: true}, "payments/tariffs", encode(t, config))
	event := &corev1.Event{ObjectMeta: meta("billing-7d9f-zzzzz.17a3"), InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: "payments", Name: "billing-7d9f-zzzzz"}, Source: corev1.EventSource{Host: "worker-acme-7"},
		Reason: "Scheduled", Message: `Successfully assigned payments/billing-7d9f-zzzzz to worker-acme-7: Pulling image "registry.acme.com/billing:1.2", failed container ledger in pod billing-7d9f-zzzzz_payments(u-1), host pay.acme.com`}
	put(history.Stream{Version: "v1", Resource: "events", Kind: "Event", Namespaced: true}, "payments/billing-7d9f-zzzzz.17a3", encode(t, event))
	ingress := &networkingv1.Ingress{ObjectMeta: meta("billing"), Spec: networkingv1.IngressSpec{Rules: []networkingv1.IngressRule{{Host: "pay.acme.com"}}, TLS: []networkingv1.IngressTLS{{Hosts: []string{"pay.acme.com"}}}}}
	put(history.Stream{Group: "networking.k8s.io", Version: "v1", Resource: "ingresses", Kind: "Ingress", Namespaced: true}, "payments/billing", encode(t, ingress))
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "worker-acme-7", Labels: map[string]string{"kubernetes.io/hostname": "worker-acme-7"}}, Status: corev1.NodeStatus{Addresses: []corev1.NodeAddress{{Type: "InternalIP", Address: "10.1.2.3"}, {Type: "Hostname", Address: "worker-acme-7"}}, Images: []corev1.ContainerImage{{Names: []string{"registry.acme.com/billing:1.2"}}}}}
	put(history.Stream{Version: "v1", Resource: "nodes", Kind: "Node"}, "worker-acme-7", encode(t, node))
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "payments", Labels: map[string]string{"kubernetes.io/metadata.name": "payments"}}}
	put(history.Stream{Version: "v1", Resource: "namespaces", Kind: "Namespace"}, "payments", encode(t, namespace))
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "keys", Namespace: "payments"}, Data: map[string][]byte{"password": {}}}
	full := secret.DeepCopy()
	full.Data["password"] = []byte(secretCanary)
	put(history.Stream{Version: "v1", Resource: "secrets", Kind: "Secret", Namespaced: true}, "payments/keys", encode(t, secret), encode(t, full), encode(t, secret))
	put(history.Stream{Version: "v1", Resource: "secrets", Kind: "Secret", Namespaced: true, Columns: []byte(`[]`)}, "payments/row", []byte(`{"cells":["row"],"object":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"row"},"data":{"password":"`+secretCanary+`"}}}`))
	put(history.Stream{Group: "acme.io", Version: "v1", Resource: "bills", Kind: "Bill", Namespaced: true}, "payments/october", []byte(`{"cells":["october","pay.acme.com","registry.acme.com/billing:1.2"],"object":{"apiVersion":"acme.io/v1","kind":"Bill","metadata":{"name":"october","namespace":"payments","labels":{"app":"billing"}},"spec":{"host":"pay.acme.com","env":[{"name":"A","value":"`+envCanary+`"}],"podRef":{"name":"billing-7d9f-abcde"}}}}`))
	return record
}

var everything = Choices{HideNamespaces: true, HideObjects: true, HideNodes: true, HideAnnotations: true, HideValues: true, HideImages: true, HideHosts: true, Logs: anyLog}

// textOf returns a file with each payload as JSON, so that a name is found however it is written.
func textOf(t *testing.T, file []byte) string {
	t.Helper()
	record, err := read(file, 1<<20)
	if err != nil || record.Damage != "" {
		t.Fatal(err, record.Damage)
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%+v %+v\n", record.Header, record.Logs())
	for i, s := range record.Streams() {
		fmt.Fprintf(&b, "%+v\n", s)
		k := object.Kind{Group: s.Group, Version: s.Version, Resource: s.Resource, Name: s.Kind}
		each := func(payload []byte) {
			o, err := object.NewDecoder(k, true).Decode(payload)
			if err != nil {
				t.Fatalf("%s: %v", s.Resource, err)
			}
			doc, err := k.Document(o)
			if err != nil {
				t.Fatalf("%s: %v", s.Resource, err)
			}
			fmt.Fprintf(&b, "%s %s\n", o.Key(), doc)
		}
		record.At(i, begun, func(o history.Object) bool {
			each(o.Payload)
			return true
		})
		record.Between(i, begun, begun.Add(time.Hour), func(c history.Change) bool {
			if c.After != nil {
				each(c.After)
			}
			return true
		})
	}
	return b.String()
}

// header names a user whom no replacement can spell: those have no y and no c.
func header() Header {
	return Header{Cluster: "acme-prod", User: "hyacinth@acme.com", From: begun, To: begun.Add(time.Minute), Version: "test"}
}

// TestCanaries holds that what was chosen is in no byte of a file, and what was not chosen is.
func TestCanaries(t *testing.T) {
	logs := []history.Log{{Namespace: "payments", Pod: "billing-7d9f-abcde", Container: "ledger", Text: []byte("2026-11-23T14:02:01Z connecting to pay.acme.com (10.1.2.3:443) for payments/billing with x" + envCanary + "y at october\n")}}
	record := loggedRecord{shop(t), logs}
	all := map[string]string{
		"value": envCanary, "annotation": annotationCanary, "object": "billing", "container": "ledger", "node": "worker-acme", "namespace": "payments", "host": "acme.com",
		"registry": "registry", "address": "10.1.2.3", "pod address": "10.244", "suffix": "zzzzz", "hash": "7d9f", "ConfigMap": "tariffs", "custom object": "october", "user": "hyacinth", "cluster": "acme-prod",
	}
	file := write(t, record, header(), everything)
	text := textOf(t, file)
	for what, canary := range all {
		if strings.Contains(text, canary) || bytes.Contains(file, []byte(canary)) {
			at := max(strings.Index(text, canary)-200, 0)
			t.Errorf("%s %q is in the file: %s", what, canary, text[at:min(at+400, len(text))])
		}
	}
	for _, kept := range []string{"Successfully assigned ", "deployment.kubernetes.io/revision", "PASSWORD", "eu-1a"} {
		if !strings.Contains(text, kept) {
			t.Errorf("%q is not in the file", kept)
		}
	}
	lines := string(write(t, record, header(), Choices{Logs: anyLog, HideValues: true, Kinds: []string{"pods", "configmaps", "deployments.apps"}}))
	if strings.Contains(lines, envCanary) || !strings.Contains(lines, "connecting to pay.acme.com (10.1.2.3:443) for payments/billing with xvalue-") {
		t.Error("a value of a kind that is left out is in a line, or the line is not there")
	}
	plain := textOf(t, write(t, record, header(), Choices{Logs: anyLog}))
	for what, canary := range all {
		if !strings.Contains(plain, canary) {
			t.Errorf("%s %q is not in a file without choices: this test finds nothing", what, canary)
		}
	}
	for _, c := range []Choices{{}, everything} {
		if file := write(t, record, header(), c); bytes.Contains(file, []byte(secretCanary)) {
			t.Error("the value of a Secret is in the file")
		}
	}
}

// TestConsistent holds that a name is replaced by the same one wherever it stands, and by another in another
// file.
func TestConsistent(t *testing.T) {
	record := shop(t)
	payloads := func() (all map[string][]byte) {
		got, err := read(write(t, record, header(), everything), 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		all = make(map[string][]byte)
		for i, s := range got.Streams() {
			got.At(i, begun, func(o history.Object) bool {
				all[s.Resource] = bytes.Clone(o.Payload)
				return true
			})
		}
		return all
	}
	all := payloads()
	var pod corev1.Pod
	var deploy appsv1.Deployment
	var event corev1.Event
	var node corev1.Node
	var namespace corev1.Namespace
	var config corev1.ConfigMap
	for resource, into := range map[string]runtime.Object{"pods": &pod, "deployments": &deploy, "events": &event, "nodes": &node, "namespaces": &namespace, "configmaps": &config} {
		decode(t, all[resource], into)
	}
	for what, pair := range map[string][2]string{
		"namespace":    {pod.Namespace, namespace.Name},
		"label":        {pod.Labels["app"], deploy.Name},
		"selector":     {deploy.Spec.Selector.MatchLabels["app"], pod.Labels["app"]},
		"node":         {pod.Spec.NodeName, node.Name},
		"hostname":     {node.Labels["kubernetes.io/hostname"], node.Name},
		"node address": {node.Status.Addresses[1].Address, node.Name},
		"host of pod":  {pod.Status.HostIP, node.Status.Addresses[0].Address},
		"event's node": {event.Source.Host, node.Name},
		"config":       {pod.Spec.Volumes[0].ConfigMap.Name, config.Name},
		"image":        {pod.Spec.Containers[0].Image, node.Status.Images[0].Names[0]},
		"status":       {pod.Status.ContainerStatuses[0].Name, pod.Spec.Containers[0].Name},
		"environment":  {pod.Spec.Containers[0].Env[0].Value, deploy.Spec.Template.Spec.Containers[0].Env[0].Value},
		"zone":         {deploy.Spec.Template.Labels["topology.kubernetes.io/zone"], "eu-1a"},
	} {
		if pair[0] != pair[1] || pair[0] == "" {
			t.Errorf("%s: %q and %q", what, pair[0], pair[1])
		}
	}
	owner := pod.OwnerReferences[0].Name
	if !strings.HasPrefix(pod.Name, owner+"-") || !strings.HasPrefix(owner, deploy.Name+"-") || pod.OwnerReferences[0].Kind != "ReplicaSet" {
		t.Errorf("pod %s of %s of %s", pod.Name, owner, deploy.Name)
	}
	want := fmt.Sprintf("Successfully assigned %s/%s to %s: Pulling image %q, failed container %s in pod %s_%s(u-1), host ", namespace.Name, event.InvolvedObject.Name, node.Name, pod.Spec.Containers[0].Image, pod.Spec.Containers[0].Name, event.InvolvedObject.Name, namespace.Name)
	if !strings.HasPrefix(event.Message, want) {
		t.Errorf("message %q, want %q…", event.Message, want)
	}
	if !strings.HasPrefix(event.Name, event.InvolvedObject.Name+".") {
		t.Errorf("event %q of %q", event.Name, event.InvolvedObject.Name)
	}
	var row struct{ Cells []string }
	if err := json.Unmarshal(all["bills"], &row); err != nil || row.Cells[2] != pod.Spec.Containers[0].Image {
		t.Errorf("%v, cells %v", err, row.Cells)
	}
	var again corev1.Namespace
	decode(t, payloads()["namespaces"], &again)
	if again.Name == namespace.Name {
		t.Error("two files have the same names")
	}
}

// TestRewriteNothing holds that an edit that changes nothing leaves each payload as it is.
func TestRewriteNothing(t *testing.T) {
	record := shop(t)
	for i, s := range record.Streams() {
		k := object.Kind{Group: s.Group, Version: s.Version, Resource: s.Resource, Name: s.Kind}
		record.At(i, begun, func(o history.Object) bool {
			got, err := rewrite.Once(k, o.Payload, func(_ []string, text string) (string, bool) { return text, true })
			if err != nil {
				t.Fatalf("%s: %v", s.Resource, err)
			}
			d := object.NewDecoder(k, true)
			a, _ := d.Decode(o.Payload)
			b, err := d.Decode(got)
			if err != nil || !bytes.Equal(a.Packed(), b.Packed()) {
				t.Errorf("%s: %v\n%q\nwant\n%q", s.Resource, err, got, o.Payload)
			}
			return true
		})
	}
}

// TestURLs replaces a URL in a text with all that it has: a user, a password and a query may be secrets.
func TestURLs(t *testing.T) {
	r := newRedactor(Choices{HideHosts: true})
	for _, text := range []string{
		"get https://acme.example/path?token=CANARY&x=CANARY#CANARY failed", "dial postgres://ana:p%40CANARY!@acme.example:5432/db?x=CANARY",
		"--server=https://$CANARY@acme.example", `{"url":"https://acme.example/?a=1,CANARY"}`, "(https://ana:CANARY@acme.example).",
	} {
		once, again := r.text(text, false), r.text(text, false)
		if strings.Contains(once, "CANARY") || strings.Contains(once, "acme") || !strings.Contains(once, "host-") || once != again {
			t.Errorf("%s\n%s\n%s", text, once, again)
		}
	}
	if got := r.text(`a "https://acme.example/x?y" failed: b=c`, false); !strings.HasPrefix(got, `a "host-`) || !strings.HasSuffix(got, `" failed: b=c`) {
		t.Error(got)
	}
}

// TestKept holds that replaced names leave what has a meaning for the page: Helm's revisions, versions of
// programs, and words of one letter; and that hosts in messages are found although no field has them.
func TestKept(t *testing.T) {
	r := newRedactor(everything)
	r.collect = true
	for _, name := range []string{"v1.apps", "v2beta1.autoscaling", "a", "sh.helm.release.v1.wombat-rel.v12"} {
		r.note(objectName, name)
	}
	r.collect = false
	if got := r.name(objectName, "sh.helm.release.v1.wombat-rel.v12"); !strings.HasPrefix(got, "sh.helm.release.v1.") || !strings.HasSuffix(got, ".v12") || strings.Contains(got, "wombat") {
		t.Errorf("a revision of Helm is named %q", got)
	}
	for _, text := range []string{"v1.36.3", "Saw a job", "deployments.apps", "java.lang.NullPointerException", "node.kubernetes.io", "1.2.3-rc", "see https"} {
		if got := r.text(text, false); got != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	for _, text := range []string{"lookup registry.wallaroo-corp.internal: no such host", "dial vault-7.wallaroo.example.com:8200"} {
		if got := r.text(text, false); strings.Contains(got, "wallaroo") || !strings.Contains(got, "host-") {
			t.Errorf("%q became %q", text, got)
		}
	}
}
