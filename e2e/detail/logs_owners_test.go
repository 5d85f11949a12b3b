package detail

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/stage"
)

// logOwner is a kind that runs pods, or selects them. Of its spec, NAME is its own name,
// and TEMPLATE that of its pods.
type logOwner struct{ id, version, kind, spec string }

var logOwners = []logOwner{
	{"statefulsets.apps", "apps/v1", "StatefulSet", `serviceName: web, selector: {matchLabels: {app: NAME}}, TEMPLATE`},
	{"daemonsets.apps", "apps/v1", "DaemonSet", `selector: {matchLabels: {app: NAME}}, TEMPLATE`},
	{"replicasets.apps", "apps/v1", "ReplicaSet", `selector: {matchLabels: {app: NAME}}, TEMPLATE`},
	{"replicationcontrollers", "v1", "ReplicationController", `selector: {app: NAME}, TEMPLATE`},
	{"jobs.batch", "batch/v1", "Job", `TEMPLATE`},
	{"cronjobs.batch", "batch/v1", "CronJob", `schedule: "0 0 1 1 *", jobTemplate: {spec: {TEMPLATE}}`},
	{"services", "v1", "Service", `selector: {app: NAME}, ports: [{port: 80}]`},
}

func (o logOwner) name() string { return strings.ToLower(o.kind) }

func (o logOwner) manifest(ns string) string {
	policy := map[bool]string{true: "Never", false: "Always"}[o.version == "batch/v1"]
	template := "template: {metadata: {labels: {app: NAME}}, spec: {restartPolicy: " + policy + ", containers: [{name: main, image: registry.example/app:1}]}}"
	doc := fmt.Sprintf("{apiVersion: %s, kind: %s, metadata: {name: NAME, namespace: %s}, spec: {%s}}", o.version, o.kind, ns, strings.ReplaceAll(o.spec, "TEMPLATE", template))
	return strings.ReplaceAll(doc, "NAME", o.name())
}

// owns makes an owner, and returns what makes a pod one of its.
func (n node) owns(o logOwner) func(*corev1.Pod) {
	n.T.Helper()
	stage.Apply(n.T, o.manifest(n.ns))
	runner := o.id + "/" + o.name()
	if o.kind == "CronJob" { // it is its Jobs that run pods
		stage.Kubectl(n.T, "create", "job", "-n", n.ns, o.name()+"-1", "--from="+runner)
		runner = "jobs.batch/" + o.name() + "-1"
	}
	var made struct {
		metav1.PartialObjectMetadata
		Spec struct{ Template corev1.PodTemplateSpec }
	}
	n.Must(json.Unmarshal([]byte(strings.Join(stage.Kubectl(n.T, "get", "-n", n.ns, runner, "-o", "json"), "\n")), &made))
	return func(p *corev1.Pod) {
		if p.Labels = made.Spec.Template.Labels; o.kind == "Service" {
			p.Labels = map[string]string{"app": o.name()}
			return
		}
		p.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(&made, made.GroupVersionKind())}
	}
}

// owners reads the logs of all pods of an owner in one: of each that is there, that comes,
// and that goes. All are in one namespace, and none shows another's.
func (n node) owners() {
	for _, o := range logOwners {
		n.T.Run(o.kind, func(t *testing.T) {
			n, name := n.in(t), o.name()
			owned := n.owns(o)
			n.writes(name+"-a/main", 0, "first")
			n.writes(name+"-b/main", 1, "second")
			n.writes(name+"-a/main", 2, "third")
			n.runs(name+"-a", owned)
			leaves := n.runs(name+"-b", owned)
			n.opens(o.id, name, "")
			n.shows("a first", "b second", "a third")
			n.writes(name+"-b/main", 3, "live")
			n.shows("a first", "b second", "a third", "b live")
			n.writes(name+"-c/main", 4, "joins")
			n.runs(name+"-c", owned)
			n.shows("a first", "b second", "a third", "b live", "c joins")
			stage.Remove(t, leaves)
			n.shows("a first", "b second", "a third", "b live", "c joins", "b the pod is gone")
			n.writes(name+"-b/main", 5).End()
			n.Await(`/^1 gone\s*2 live/.test(document.querySelector(".logs .status").innerText)`)
			n.Keep("owner")
		})
	}
}
