//go:build !js

package recording

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"watchglass/internal/history"
	"watchglass/internal/history/historytest"
)

var (
	podStream     = history.Stream{Version: "v1", Resource: "pods", Kind: "Pod", Namespaced: true}
	eventStream   = history.Stream{Version: "v1", Resource: "events", Kind: "Event", Namespaced: true}
	nodeStream    = history.Stream{Version: "v1", Resource: "nodes", Kind: "Node"}
	serviceStream = history.Stream{Version: "v1", Resource: "services", Kind: "Service", Namespaced: true}
)

// put adds an object to a stream of its own.
func put(t *testing.T, record *historytest.Model, s history.Stream, o runtime.Object) {
	t.Helper()
	meta := o.(metav1.Object)
	key := meta.GetName()
	if meta.GetNamespace() != "" {
		key = meta.GetNamespace() + "/" + key
	}
	record.Put(record.Open(s), begun, key, "uid-"+key, encode(t, o))
}

func named(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name}
}

// said is an event with a message.
func said(message string) *corev1.Event {
	return &corev1.Event{ObjectMeta: named("ns", "e.1"), InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "e"}, Message: message}
}

// TestWhereNamesHide holds that a name, a host or an image is replaced wherever the apiserver, the kubelet and
// users put it.
func TestWhereNamesHide(t *testing.T) {
	pod := func(o corev1.PodSpec) *corev1.Pod { return &corev1.Pod{ObjectMeta: named("ns", "p"), Spec: o} }
	node := func(name string) *corev1.Node { return &corev1.Node{ObjectMeta: named("", name)} }
	for name, test := range map[string]struct {
		choices Choices
		make    func(record *historytest.Model)
		gone    []string
		kept    string
	}{
		"field path of an event": {
			choices: Choices{HideObjects: true},
			make: func(record *historytest.Model) {
				e := said("Started")
				e.InvolvedObject.FieldPath = "spec.containers{ledger}"
				put(t, record, podStream, pod(corev1.PodSpec{Containers: []corev1.Container{{Name: "ledger"}}}))
				put(t, record, eventStream, e)
			},
			gone: []string{"ledger"}, kept: "spec.containers{",
		},
		"port that is a name": {
			choices: Choices{HideObjects: true},
			make: func(record *historytest.Model) {
				put(t, record, serviceStream, &corev1.Service{ObjectMeta: named("ns", "billing"), Spec: corev1.ServiceSpec{Ports: []corev1.ServicePort{{TargetPort: intstr.FromString("billing")}, {TargetPort: intstr.FromInt32(8443)}}}})
			},
			gone: []string{"billing"}, kept: "8443",
		},
		"name inside another": {
			choices: Choices{HideNamespaces: true},
			make: func(record *historytest.Model) {
				put(t, record, podStream, &corev1.Pod{ObjectMeta: named("payments", "acme-payments-db")})
				put(t, record, eventStream, said("mounted data-payments of -payments at /var/lib/x-payments/1"))
			},
			gone: []string{"payments"}, kept: "acme-",
		},
		"node of a kind that is left out": {
			choices: Choices{HideNodes: true, Kinds: []string{"nodes", "pods"}},
			make: func(record *historytest.Model) {
				put(t, record, nodeStream, node("worker-acme-7"))
				put(t, record, eventStream, said("Successfully assigned ns/p to worker-acme-7"))
			},
			gone: []string{"acme"}, kept: "Successfully assigned ns/p to ",
		},
		"node that only its events name": {
			choices: Choices{HideNodes: true},
			make: func(record *historytest.Model) {
				e := said("Node worker-acme-7 status is now: NodeNotReady")
				e.InvolvedObject = corev1.ObjectReference{Kind: "Node", Name: "worker-acme-7"}
				put(t, record, eventStream, e)
			},
			gone: []string{"acme"}, kept: "status is now: NodeNotReady",
		},
		"another node that only its event names": {
			choices: Choices{HideNodes: true},
			make: func(record *historytest.Model) {
				n := record.Open(eventStream)
				for i, name := range []string{"worker-other-1", "worker-acme-7"} {
					e := said("Node " + name + " status is now: NodeNotReady")
					e.InvolvedObject = corev1.ObjectReference{Kind: "Node", Name: name}
					record.Put(n, begun, fmt.Sprint("ns/e.", i), fmt.Sprint("uid-", i), encode(t, e))
				}
			},
			gone: []string{"acme", "other"}, kept: "status is now: NodeNotReady",
		},
		"namespace that only its events name": {
			choices: Choices{HideNamespaces: true},
			make: func(record *historytest.Model) {
				e := said("payments is full")
				e.InvolvedObject = corev1.ObjectReference{Kind: "Namespace", Name: "payments"}
				put(t, record, eventStream, e)
			},
			gone: []string{"payments"}, kept: " is full",
		},
		"node that a pod is for": {
			choices: Choices{HideNodes: true},
			make: func(record *historytest.Model) {
				p := pod(corev1.PodSpec{Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
					MatchFields: []corev1.NodeSelectorRequirement{{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{"worker-acme-7"}}},
				}}}}}})
				p.Status.NominatedNodeName = "worker-acme-8"
				put(t, record, podStream, p)
			},
			gone: []string{"acme"}, kept: "metadata.name",
		},
		"node named by its address": {
			choices: Choices{HideNodes: true, HideHosts: true},
			make: func(record *historytest.Model) {
				p := pod(corev1.PodSpec{NodeName: "10.1.2.3"})
				p.Status.HostIP = "10.1.2.3"
				put(t, record, podStream, p)
				put(t, record, nodeStream, node("10.1.2.3"))
				put(t, record, eventStream, said("assigned to 10.1.2.3"))
			},
			gone: []string{"10.1.2.3"}, kept: "assigned to ",
		},
		"node named by an address, without hosts": {
			choices: Choices{HideNodes: true},
			make: func(record *historytest.Model) {
				put(t, record, nodeStream, node("10.1.2.3"))
				put(t, record, eventStream, said("assigned to 10.1.2.3"))
			},
			gone: []string{"10.1.2.3"}, kept: "assigned to ",
		},
		"node with its address in the name": {
			choices: Choices{HideNodes: true, HideHosts: true},
			make: func(record *historytest.Model) {
				put(t, record, nodeStream, node("ip-10-1-2-3.ec2.internal"))
				put(t, record, eventStream, said("assigned to ip-10-1-2-3.ec2.internal"))
			},
			gone: []string{"10-1-2-3"}, kept: "assigned to ",
		},
		"host with a port or a path": {
			choices: Choices{HideHosts: true},
			make: func(record *historytest.Model) {
				put(t, record, ingressStream, ingressOf("pay.acme.com"))
				put(t, record, eventStream, said("dial tcp: lookup pay.acme.com:443: timeout; see pay.acme.com/healthz and api.pay.acme.com"))
			},
			gone: []string{"acme"}, kept: "dial tcp: lookup ",
		},
		"host of a wildcard": {
			choices: Choices{HideHosts: true},
			make: func(record *historytest.Model) {
				put(t, record, ingressStream, ingressOf("*.acme.com"))
				put(t, record, eventStream, said("*.acme.com has shop.acme.com:443"))
			},
			gone: []string{"acme"}, kept: " has ",
		},
		"addresses of a connection": {
			choices: Choices{HideHosts: true},
			make: func(record *historytest.Model) {
				put(t, record, eventStream, said("read tcp 10.1.2.3:51234->10.1.2.4:443: reset; nfs:10.1.2.5:/x and root@10.1.2.6:22, range 10.1.2.7-10.1.2.8; v1.28.3"))
			},
			gone: []string{"10.1.2"}, kept: "v1.28.3",
		},
		"image of a volume": {
			choices: Choices{HideImages: true},
			make: func(record *historytest.Model) {
				put(t, record, podStream, pod(corev1.PodSpec{Volumes: []corev1.Volume{{Name: "m", VolumeSource: corev1.VolumeSource{Image: &corev1.ImageVolumeSource{Reference: "quay.io/acme/model:1"}}}}}))
				put(t, record, eventStream, said(`Pulling image "quay.io/acme/model:1"`))
			},
			gone: []string{"acme"}, kept: "Pulling image",
		},
		"image of a volume in the status": {
			choices: Choices{HideImages: true},
			make: func(record *historytest.Model) {
				p := pod(corev1.PodSpec{})
				p.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "a", VolumeMounts: []corev1.VolumeMountStatus{{Name: "m", MountPath: "/m", VolumeStatus: &corev1.VolumeStatus{Image: &corev1.ImageVolumeStatus{ImageRef: "quay.io/acme/model@sha256:00"}}}}}}
				put(t, record, podStream, p)
				put(t, record, eventStream, said("quay.io/acme/model:1 is there"))
			},
			gone: []string{"acme"}, kept: " is there",
		},
		"domain that a pod searches": {
			choices: Choices{HideHosts: true},
			make: func(record *historytest.Model) {
				put(t, record, podStream, pod(corev1.PodSpec{DNSConfig: &corev1.PodDNSConfig{Nameservers: []string{"10.1.2.3"}, Searches: []string{"acme.internal"}}}))
				put(t, record, eventStream, said("lookup db.acme.internal on 10.1.2.3:53: no such host; searched acme.internal"))
			},
			gone: []string{"acme", "10.1.2.3"}, kept: "no such host",
		},
		"image by its full name": {
			choices: Choices{HideImages: true},
			make: func(record *historytest.Model) {
				put(t, record, podStream, pod(corev1.PodSpec{Containers: []corev1.Container{{Name: "a", Image: "acme/app:1.2"}, {Name: "b", Image: "quay.io/acme/other@sha256:00"}}}))
				put(t, record, eventStream, said(`Failed to pull image "acme/app:1.2": failed to resolve reference "docker.io/acme/app:1.2": docker.io/acme/app: not found; quay.io/acme/other:latest`))
			},
			gone: []string{"acme"}, kept: "failed to resolve reference",
		},
	} {
		record := historytest.New(begun)
		test.make(record)
		text := textOf(t, write(t, record, header0(), test.choices))
		for _, canary := range test.gone {
			if at := strings.Index(text, canary); at >= 0 {
				t.Errorf("%s: %q is in the file: %s", name, canary, text[max(at-100, 0):min(at+100, len(text))])
			}
		}
		if !strings.Contains(text, test.kept) {
			t.Errorf("%s: %q is not in the file: %s", name, test.kept, text)
		}
	}
}

var ingressStream = history.Stream{Group: "networking.k8s.io", Version: "v1", Resource: "ingresses", Kind: "Ingress", Namespaced: true}

func ingressOf(host string) *networkingv1.Ingress {
	return &networkingv1.Ingress{ObjectMeta: named("ns", "i"), Spec: networkingv1.IngressSpec{Rules: []networkingv1.IngressRule{{Host: host}}}}
}

// header0 is a header that names nothing.
func header0() Header { return Header{From: header().From, To: header().To} }

// TestHeader holds that the header has nothing that was replaced in the objects.
func TestHeader(t *testing.T) {
	h := Header{Cluster: "admin@api.acme.com:6443", User: "jane@acme.com", Page: "/pods?ns=payments&q=pay.acme.com", From: header().From, To: header().To}
	for name, c := range map[string]Choices{"hosts": {HideHosts: true}, "names": {HideNodes: true}} {
		if file := write(t, shop(t), h, c); bytes.Contains(file[:400], []byte("acme.com")) {
			t.Errorf("%s: %q", name, file[:400])
		}
	}
	for name, c := range map[string]Choices{"namespaces": {Namespaces: []string{"payments"}}, "values": {HideValues: true}} {
		if file := write(t, shop(t), h, c); bytes.Contains(file[:400], []byte("/pods?")) || !bytes.Contains(file[:400], []byte("jane")) {
			t.Errorf("%s: %q", name, file[:400])
		}
	}
}

// TestAddressesDiffer holds that the keys of a file differ, whatever they are replaced by: a reader refuses two objects of one
// key.
func TestAddressesDiffer(t *testing.T) {
	record := historytest.New(begun)
	n := record.Open(history.Stream{Group: "acme.io", Version: "v1", Resource: "addresses", Kind: "Address"})
	for i := range 1200 {
		name := fmt.Sprintf("10.0.%d.%d", i/250, i%250)
		record.Put(n, begun, name, name, fmt.Appendf(nil, `{"metadata":{"name":%q}}`, name))
	}
	got, err := read(write(t, record, header0(), Choices{HideHosts: true}), 1<<20)
	if err != nil || got.Damage != "" || len(historytest.Objects(got, 0, begun)) != 1200 {
		t.Errorf("%v %s: %d objects", err, got.Damage, len(historytest.Objects(got, 0, begun)))
	}
}

// TestAnnotationsOfObjects holds that an annotation that has objects is left out if anything in them is to be replaced,
// however it is written.
func TestAnnotationsOfObjects(t *testing.T) {
	d := &appsv1.Deployment{ObjectMeta: named("ns", "d")}
	d.Annotations = map[string]string{
		"a": "\n  {\"env\":\"CANARY\"}", "b": `"{\"env\":\"CANARY\"}"`, "c": "H4sIAAAAAAAAA6tWCANARY", "d": "eyJlbnYiOiJCANARY", "e": "- env: CANARY\n  name: x", "kept": "a note",
	}
	record := historytest.New(begun)
	put(t, record, history.Stream{Group: "apps", Version: "v1", Resource: "deployments", Kind: "Deployment", Namespaced: true}, d)
	if text := textOf(t, write(t, record, header0(), Choices{HideValues: true})); strings.Contains(text, "CANARY") || !strings.Contains(text, "a note") {
		t.Error(text)
	}
}

// TestValuesElsewhere holds that the value of a variable is replaced where the kubelet, users and operators repeat it.
func TestValuesElsewhere(t *testing.T) {
	const canary = "hunter2-CANARY"
	pod := &corev1.Pod{ObjectMeta: named("ns", "p"), Spec: corev1.PodSpec{Containers: []corev1.Container{{
		Name: "a", ReadinessProbe: &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{
			Path: "/healthz?token=" + canary, HTTPHeaders: []corev1.HTTPHeader{{Name: "Authorization", Value: "Bearer " + canary}},
		}}},
		Env: []corev1.EnvVar{{Name: "A", Value: canary}}, Command: []string{"run", "--password=" + canary}, Args: []string{"-c", "echo " + canary},
	}}}}
	pod.Annotations = map[string]string{"note": "with " + canary}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "a", LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Message: "panic: login with " + canary + " failed"}}}}
	record := historytest.New(begun)
	put(t, record, podStream, pod)
	put(t, record, eventStream, said("Error: exec: "+canary+": not found"))
	n := record.Open(history.Stream{Group: "acme.io", Version: "v1", Resource: "bills", Kind: "Bill", Namespaced: true})
	record.Put(n, begun, "ns/b", "u", []byte(`{"apiVersion":"acme.io/v1","kind":"Bill","metadata":{"name":"b","namespace":"ns"},"spec":{"env":{"A":"`+canary+`1","":"CANARY"},"extraEnvs":[{"name":"B","value":"`+canary+`2"}]},"status":{"message":"bad `+canary+`2","login":"x `+canary+`"}}`))
	record.Put(n, begun, "ns/c", "u2", []byte(`{"cells":["c","acme: token `+canary+` rejected"],"object":{"apiVersion":"acme.io/v1","kind":"Bill","metadata":{"name":"c","namespace":"ns"}}}`))
	for _, c := range []Choices{{HideValues: true}, {HideValues: true, Kinds: []string{"pods"}}, {HideValues: true, HideObjects: true}} {
		text := textOf(t, write(t, record, header0(), c))
		if at := strings.Index(text, "CANARY"); at >= 0 {
			t.Errorf("%+v: %s", c, text[max(at-100, 0):min(at+100, len(text))])
		}
		if !strings.Contains(text, "Error: exec: value-") {
			t.Errorf("%+v: the message is not in the file", c)
		}
	}
}

// TestValuesInLines holds that values and names are found in lines as programs write them.
func TestValuesInLines(t *testing.T) {
	const line = "2026-11-23T14:02:01Z "
	long := strings.Repeat("x", sectionSize-len(line)-4)
	for name, text := range map[string]string{
		"JSON":                     `{"a":"x\nhunter and\tbilling-7d9f"}`,
		"colour":                   "\x1b[32mhunter\x1b[0m \x1b[1;31mbilling-7d9f\x1b[0m",
		"quotes":                   "“hunter” │billing-7d9f│ »hunter«",
		"JSON with a value":        `{"a":"p<\"CANARY"}`,
		"JSON for a page":          `{"a":"p\u003c\"CANARY"}`,
		"across sections":          long + "hunter2-CANARY",
		"name across sections":     long[:len(long)-2] + " billing-7d9f",
		"escaped letter of a name": `\u000abilling-7d9f \x0ahunter`,
	} {
		pod := &corev1.Pod{ObjectMeta: named("ns-0", "billing-7d9f"), Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Env: []corev1.EnvVar{{Name: "A", Value: "hunter"}, {Name: "B", Value: `p<"CANARY`}, {Name: "C", Value: "hunter2-CANARY"}}}}}}
		record := historytest.New(begun)
		put(t, record, podStream, pod)
		logged := loggedRecord{record, []history.Log{{Namespace: "ns-0", Pod: "name-1", Container: "main", Text: []byte(line + text + "\n" + line + "the end\n")}}}
		got, err := read(write(t, logged, header0(), Choices{HideObjects: true, HideValues: true, Logs: anyLog}), 1<<20)
		if err != nil || got.Damage != "" || len(got.Logs()) != 1 {
			t.Fatal(err, got.Damage)
		}
		out := string(got.Logs()[0].Text)
		for _, canary := range []string{"hunter", "CANARY", "billing", "7d9f"} {
			if at := strings.Index(out, canary); at >= 0 {
				t.Errorf("%s: %q is in the line: %s", name, canary, out[max(at-60, 0):min(at+60, len(out))])
			}
		}
		if !strings.HasSuffix(out, "the end\n") {
			t.Errorf("%s: the end is missing", name)
		}
	}
}
