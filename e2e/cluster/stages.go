package cluster

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// FaultLabel names the fault that the simulated kubelet reports for a pod or a node: one
// of the constants below. It may be set in a Deployment's template, or added and removed
// later. Without it the pod or node recovers.
const FaultLabel = "watchglass.example.com/fault"

// Annotations of pods, each a duration such as 2s.
const (
	// ReadyAfter is how long the pod takes to become ready. Default: 0s.
	ReadyAfter = "watchglass.example.com/ready-after"
	// RunFor is how long the containers run before they exit with 0, unless the pod's
	// restart policy is Always. Default: 1s.
	RunFor = "watchglass.example.com/run-for"
)

// Faults of pods. The first container has the fault and the others run; InitStuck and
// InitCrashLoop are faults of the first init container. The status is that of a fault
// that has lasted a while: a container that crashes has restarted five times. Recovery
// counts as one more restart. A pod whose restart policy is Never fails.
const (
	CrashLoop     = "crash-loop"        // exits with 1: CrashLoopBackOff
	OOMKilled     = "oom-killed"        // exits with 137, OOMKilled: CrashLoopBackOff
	ImagePull     = "image-pull"        // ImagePullBackOff
	ConfigError   = "config-error"      // CreateContainerConfigError: no such ConfigMap
	NotReady      = "not-ready"         // runs; the readiness probe fails
	Creating      = "creating"          // ContainerCreating, forever
	InitStuck     = "init-stuck"        // Init:0/1
	InitCrashLoop = "init-crash-loop"   // Init:CrashLoopBackOff
	Evicted       = "evicted"           // by a node that is low on memory
	Terminating   = "stuck-terminating" // runs, and stays when it is deleted

	// Manual leaves the status to the test. The pod is still removed when it is deleted.
	Manual = "manual"
)

// Faults of nodes. For a node that stops its heartbeats see Controllers.StopHeartbeat.
const (
	NodeNotReady           = "node-not-ready" // the container runtime is down
	MemoryPressure         = "memory-pressure"
	DiskPressure           = "disk-pressure"
	PIDPressure            = "pid-pressure"
	NodeNetworkUnavailable = "network-unavailable"
)

//go:embed podstatus.tmpl
var podTemplate string

// podStage is a step in the life of a pod that has a node.
type podStage struct {
	name              string
	fault             string // which the pod must have; default: the pod must have none
	anyFault          bool   // the pod may have any fault but Manual
	when              []requirement
	delayAnnotation   string
	delayMilliseconds int

	phase, containers, inits string // for podstatus.tmpl
	event                    podEvent
}

// podEvent is the event that the kubelet writes with the status. Without a reason there
// is none. The message is a template expression.
type podEvent struct{ kind, reason, message string }

// requirement is an element of a stage's matchExpressions: a jq expression whose result
// is, or is not, one of the values.
type requirement struct {
	Key      string   `json:"key"`
	Operator string   `json:"operator"`
	Values   []string `json:"values,omitempty"`
}

func in(key string, values ...string) requirement    { return requirement{key, "In", values} }
func notIn(key string, values ...string) requirement { return requirement{key, "NotIn", values} }
func exists(key string) requirement                  { return requirement{key, "Exists", nil} }
func missing(key string) requirement                 { return requirement{key, "DoesNotExist", nil} }

const (
	faultKey    = `.metadata.labels["` + FaultLabel + `"]`
	deletedKey  = `.metadata.deletionTimestamp`
	startedKey  = `.status.startTime`
	phaseKey    = `.status.phase`
	readyKey    = `.status.conditions[]? | select(.type == "Ready") | .status`
	waitingKey  = `.status.containerStatuses[0]? | .state.waiting.reason`
	exitKey     = `.status.containerStatuses[0]? | (.lastState.terminated, .state.terminated) | values | .reason`
	runsKey     = `[(` + readyKey + `), (.status.containerStatuses[0]? | .state | if .running then "running" else empty end)] | join(",")`
	initKey     = `.status.initContainerStatuses[0]? | (.state | if .running then "running" else .waiting.reason end)`
	restartsKey = `.spec.restartPolicy`
)

var (
	live    = in(phaseKey, "Pending", "Running")
	backOff = podEvent{"Warning", "BackOff", `(printf "Back-off restarting failed container %s in pod %s_%s(%s)" (index .spec.containers 0).name .metadata.name .metadata.namespace .metadata.uid)`}
)

// podStages are exclusive: at most one matches a pod. None matches a pod that already has
// the status which the stage would write.
var podStages = []podStage{
	{name: "pod-create", anyFault: true, when: []requirement{missing(startedKey), in(phaseKey, "Pending")},
		phase: "Pending", containers: "ContainerCreating", inits: "PodInitializing"},
	{name: "pod-ready", when: []requirement{exists(startedKey), live, notIn(readyKey, "True")}, delayAnnotation: ReadyAfter,
		phase: "Running", containers: "running", inits: "initialized"},
	{name: "pod-complete", when: []requirement{in(phaseKey, "Running"), in(readyKey, "True"), in(restartsKey, "Never", "OnFailure")},
		delayAnnotation: RunFor, delayMilliseconds: 1000,
		phase: "Succeeded", containers: "completed", inits: "initialized"},

	{name: "pod-" + CrashLoop, fault: CrashLoop, when: []requirement{live, notIn(waitingKey, "CrashLoopBackOff")},
		phase: "Running", containers: "crash-loop", inits: "initialized", event: backOff},
	{name: "pod-" + OOMKilled, fault: OOMKilled, when: []requirement{live, notIn(exitKey, "OOMKilled")},
		phase: "Running", containers: "oom-killed", inits: "initialized", event: backOff},
	{name: "pod-" + ImagePull, fault: ImagePull, when: []requirement{live, notIn(waitingKey, "ImagePullBackOff")},
		phase: "Pending", containers: "image-pull", inits: "initialized",
		event: podEvent{"Warning", "Failed", `(printf "Failed to pull image %q: rpc error: code = NotFound desc = failed to pull and unpack image %q: failed to resolve reference %q: %s: not found" $image $image $image $image)`}},
	{name: "pod-" + ConfigError, fault: ConfigError, when: []requirement{live, notIn(waitingKey, "CreateContainerConfigError")},
		phase: "Pending", containers: "config-error", inits: "initialized",
		event: podEvent{"Warning", "Failed", `(printf "Error: configmap %q not found" (printf "%s-config" (index .spec.containers 0).name))`}},
	{name: "pod-" + NotReady, fault: NotReady, when: []requirement{live, notIn(runsKey, "False,running")},
		phase: "Running", containers: "not-ready", inits: "initialized",
		event: podEvent{"Warning", "Unhealthy", `"Readiness probe failed: HTTP probe failed with statuscode: 503"`}},
	{name: "pod-" + InitStuck, fault: InitStuck, when: []requirement{in(phaseKey, "Pending"), notIn(initKey, "running")},
		phase: "Pending", containers: "PodInitializing", inits: "not-ready"},
	{name: "pod-" + InitCrashLoop, fault: InitCrashLoop, when: []requirement{in(phaseKey, "Pending"), notIn(initKey, "CrashLoopBackOff")},
		phase: "Pending", containers: "PodInitializing", inits: "crash-loop"},
	{name: "pod-" + Evicted, fault: Evicted, when: []requirement{live},
		phase: "Failed", containers: "evicted", inits: "initialized",
		event: podEvent{"Warning", "Evicted", `"The node was low on resource: memory. Threshold quantity: 100Mi, available: 61324Ki."`}},
	{name: "pod-" + Terminating, fault: Terminating, when: []requirement{in(phaseKey, "Pending")},
		phase: "Running", containers: "running", inits: "initialized"},
}

// nodeCondition is a condition that a kubelet reports, in both of its forms.
type nodeCondition struct {
	kind, fault      string
	healthy          bool // its status when the node is well
	well, wellNote   string
	wrong, wrongNote string
}

var nodeConditions = []nodeCondition{
	{"MemoryPressure", MemoryPressure, false, "KubeletHasSufficientMemory", "kubelet has sufficient memory available",
		"KubeletHasInsufficientMemory", "kubelet has insufficient memory available"},
	{"DiskPressure", DiskPressure, false, "KubeletHasNoDiskPressure", "kubelet has no disk pressure",
		"KubeletHasDiskPressure", "kubelet has disk pressure"},
	{"PIDPressure", PIDPressure, false, "KubeletHasSufficientPID", "kubelet has sufficient PID available",
		"KubeletHasInsufficientPID", "kubelet has insufficient PID available"},
	{"NetworkUnavailable", NodeNetworkUnavailable, false, "RouteCreated", "RouteController created a route",
		"NoRouteCreated", "RouteController failed to create a route"},
	{"Ready", NodeNotReady, true, "KubeletReady", "kubelet is posting ready status",
		"KubeletNotReady", "container runtime is down, PLEG is not healthy: pleg was last seen active 3m12s ago; threshold is 3m0s"},
}

// stages returns the configuration of kwok: what it does with pods and nodes, and extra,
// which are further Stages in YAML.
func stages(extra []string) ([]byte, error) {
	var list []any
	for _, s := range podStages {
		list = append(list, s.stage())
	}
	list = append(list, stage("pod-delete", "Pod", []requirement{exists(deletedKey), notIn(faultKey, Terminating)}, map[string]any{
		"steps": []any{map[string]any{"delete": true}},
	}))
	for _, fault := range append([]string{""}, nodeFaults()...) {
		list = append(list, nodeStage(fault))
	}
	list = append(list, heartbeat())
	var out bytes.Buffer
	for _, s := range list {
		text, err := yaml.Marshal(s)
		if err != nil {
			return nil, fmt.Errorf("write the stages: %w", err)
		}
		fmt.Fprintf(&out, "---\n%s", text)
	}
	for _, s := range extra {
		fmt.Fprintf(&out, "---\n%s\n", s)
	}
	return out.Bytes(), nil
}

// stage returns a Stage of kwok. The fields of more are added to its spec.
func stage(name, kind string, when []requirement, more map[string]any) map[string]any {
	spec := map[string]any{
		"resourceRef": map[string]any{"apiGroup": "v1", "kind": kind},
		"selector":    map[string]any{"matchExpressions": when},
	}
	for k, v := range more {
		spec[k] = v
	}
	return map[string]any{"apiVersion": "kwok.x-k8s.io/v1alpha1", "kind": "Stage", "metadata": map[string]any{"name": name}, "spec": spec}
}

func patchStatus(template string) map[string]any {
	return map[string]any{"patch": map[string]any{"subresource": "status", "root": "status", "type": "strategic", "template": template}}
}

func (s podStage) stage() map[string]any {
	when := append([]requirement{missing(deletedKey)}, s.when...)
	switch {
	case s.anyFault:
		when = append(when, notIn(faultKey, Manual))
	case s.fault == "":
		when = append(when, missing(faultKey))
	default:
		when = append(when, in(faultKey, s.fault), exists(startedKey))
	}
	steps := []any{patchStatus(podTemplate + fmt.Sprintf(`{{ template "status" dict "pod" . "phase" %q "containers" %q "inits" %q }}`, s.phase, s.containers, s.inits))}
	if e := s.event; e.reason != "" {
		template := podTemplate + fmt.Sprintf(`{{ $image := (index .spec.containers 0).image }}{{ template "event" dict "pod" . "type" %q "reason" %q "message" %s }}`, e.kind, e.reason, e.message)
		steps = append(steps, map[string]any{"apply": map[string]any{"template": template}})
	}
	more := map[string]any{"steps": steps}
	if s.delayAnnotation != "" {
		more["delay"] = map[string]any{
			"durationMilliseconds": s.delayMilliseconds,
			"durationFrom":         map[string]any{"jq": map[string]any{"expression": `.metadata.annotations["` + s.delayAnnotation + `"]`}},
		}
	}
	return stage(s.name, "Pod", when, more)
}

func nodeFaults() (list []string) {
	for _, c := range nodeConditions {
		list = append(list, c.fault)
	}
	return list
}

// nodeStage writes the conditions of a node with a fault, or with "" of a healthy node.
func nodeStage(fault string) map[string]any {
	name, when := "node-healthy", missing(faultKey)
	if fault != "" {
		name, when = "node-"+strings.TrimPrefix(fault, "node-"), in(faultKey, fault)
	}
	var want, template []string
	for _, c := range nodeConditions {
		holds, reason, message := c.healthy, c.well, c.wellNote
		if c.fault == fault {
			holds, reason, message = !holds, c.wrong, c.wrongNote
		}
		status := map[bool]string{true: "True", false: "False"}[holds]
		want = append(want, c.kind+"="+status)
		template = append(template, fmt.Sprintf(`{{ $at := Now }}{{ range .status.conditions }}{{ if and (eq .type %[1]q) (eq .status %[2]q) }}{{ $at = .lastTransitionTime }}{{ end }}{{ end -}}
{"type": %[1]q, "status": %[2]q, "reason": %[3]q, "message": %[4]q, "lastHeartbeatTime": {{ Now | toJson }}, "lastTransitionTime": {{ toJson $at }}}`, c.kind, status, reason, message))
	}
	slices.Sort(want)
	is := `[.status.conditions[]? | .type + "=" + .status] | sort | join(",")`
	return stage(name, "Node", []requirement{when, notIn(is, strings.Join(want, ","))}, map[string]any{
		"weight": 1, // before the heartbeat
		"steps":  []any{patchStatus(`{"conditions": [` + strings.Join(template, ",\n") + `]}`)},
	})
}

// heartbeat renews the times of a node's conditions, as a kubelet does. The node lifecycle
// controller mostly looks at the node's lease, which kwok renews itself.
func heartbeat() map[string]any {
	return stage("node-heartbeat", "Node", []requirement{exists(readyKey)}, map[string]any{
		"delay": map[string]any{"durationMilliseconds": 10000, "jitterDurationMilliseconds": 12000},
		"steps": []any{patchStatus(`{"conditions": [{{ range $i, $c := .status.conditions }}{{ if $i }}, {{ end -}}
{"type": {{ toJson $c.type }}, "lastHeartbeatTime": {{ Now | toJson }}}{{ end }}]}`)},
	})
}
