package problems

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
)

// fault is a state of a cluster that the list of problems has to show. Each has a namespace of its
// own, NS in every text.
type fault struct {
	name  string
	raise func(place) error
	mend  func(place) error
	rows  []want // all rows of the namespace, and of the objects without one that the fault makes
}

// want is a row: its key, such as "pods/NS/bad/NotReady", its severity and a part of its words.
type want struct{ key, severity, words string }

// steps does one thing after the other.
func steps(all ...func(place) error) func(place) error {
	return func(p place) error {
		for _, do := range all {
			if err := do(p); err != nil {
				return err
			}
		}
		return nil
	}
}

func write(text string) func(place) error { return func(p place) error { return p.create(text) } }

func patch(what, text string) func(place) error {
	return func(p place) error { return p.patch(what, text) }
}

func remove(what string) func(place) error { return func(p place) error { return p.remove(what) } }

func waits(what, value string, path ...string) func(place) error {
	return func(p place) error { return p.is(what, value, path...) }
}

// pod returns a pod with the fault of a kubelet.
func pod(name, fault string) string {
	return fmt.Sprintf(`
{kind: Pod, apiVersion: v1, metadata: {name: %[1]s, labels: {app: %[1]s, %[2]s: %[3]q}}, spec: {%[4]s}}`, name, cluster.FaultLabel, fault, app)
}

// well is a pod without a fault, which stands beside every broken one.
const well = `
{kind: Pod, apiVersion: v1, metadata: {name: well, labels: {app: well}}, spec: {` + app + `}}`

// setFault sets the fault of a pod or a node; none is "".
func setFault(what, fault string) func(place) error {
	text := "null"
	if fault != "" {
		text = fault
	}
	return patch(what, `{metadata: {labels: {`+cluster.FaultLabel+`: `+text+`}}}`)
}

// deployment returns a Deployment. More is what its template's metadata and spec have besides.
func deployment(name string, replicas int, spec, labels, podSpec string) string {
	return fmt.Sprintf(`
{kind: Deployment, apiVersion: apps/v1, metadata: {name: %[1]s}, spec: {replicas: %[2]d, %[3]s selector: {matchLabels: {app: %[1]s}}, template: {metadata: {labels: {app: %[1]s%[4]s}}, spec: {%[5]s}}}}`, name, replicas, spec, labels, podSpec)
}

const (
	labelled   = ", " + cluster.FaultLabel + ": "
	healthyRun = `{phase: Running, conditions: [{type: PodScheduled, status: "True"}, {type: Initialized, status: "True"}, {type: Ready, status: "True"}, {type: ContainersReady, status: "True"}], containerStatuses: [{name: main, image: a, imageID: a, ready: true, started: true, restartCount: 0, state: {running: {startedAt: @-7m}}, lastState: {}}]}`
)

// manual is a pod whose status the test writes, as a kubelet would: container is its container's
// status.
func manual(phase, container string, conditions ...string) func(place) error {
	more := ""
	for _, c := range conditions {
		more += ", " + c
	}
	return steps(write(pod("bad", cluster.Manual)+well), waits("Pod/well", "Running", "status", "phase"), waitsNode,
		patch("Pod/bad/status", `{status: {phase: `+phase+`, startTime: @-7m, conditions: [{type: PodScheduled, status: "True", lastTransitionTime: @-7m}`+more+`], containerStatuses: [{name: main, image: a, imageID: a, restartCount: 0, ready: false, `+container+`}]}}`))
}

// waitsNode waits until a pod is scheduled.
func waitsNode(p place) error {
	return p.until("Pod/bad", "a node", func(o map[string]any) bool { return o["nodeName"] != nil }, "spec")
}

var recovered = patch("Pod/bad/status", `{status: `+healthyRun+`}`)

// ofKubelet is a fault that the simulated kubelet reports of a pod, and recovers from.
func ofKubelet(name, kind string, rows ...want) fault {
	return fault{name, steps(write(pod("bad", kind) + well)), setFault("Pod/bad", ""), rows}
}

// node adds a node to which nothing is scheduled. Its name is that of the namespace.
func node(version string) func(place) error {
	return func(p place) error {
		_, err := stage.Cluster.Controllers().AddNode(p.ctx, func(n *corev1.Node) {
			n.Name = p.name
			n.Spec.Taints = []corev1.Taint{{Key: "example.com/own", Effect: corev1.TaintEffectNoSchedule}}
			if version != "" {
				n.Status.NodeInfo.KubeletVersion = version
			}
		})
		if err != nil {
			return err
		}
		return p.until("Node/NS", "ready", func(o map[string]any) bool {
			all, _ := o["conditions"].([]any)
			for _, c := range all {
				if c, _ := c.(map[string]any); c["type"] == "Ready" && c["status"] == "True" {
					return true
				}
			}
			return false
		}, "status")
	}
}

func onNode(name, kind string, row want) fault {
	return fault{name, steps(node(""), setFault("Node/NS", kind)), setFault("Node/NS", ""), []want{row}}
}

// measured is a container with the request of which autoscalers take a percentage.
const measured = `containers: [{name: main, image: a, resources: {requests: {cpu: 100m}}}]`

// autoscaler returns one that may have two pods, for a Deployment of its name.
func autoscaler(name string, percent int) string {
	return fmt.Sprintf(`
{kind: HorizontalPodAutoscaler, apiVersion: autoscaling/v2, metadata: {name: %[1]s}, spec: {maxReplicas: 2, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: %[1]s}, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: %[2]d}}}]}}`, name, percent)
}

// countsMisscheduled has the controller count the pods on wrong nodes: a taint alone does not.
func countsMisscheduled(p place) error {
	n := 0
	return p.until("DaemonSet/bad", "misscheduled", func(status map[string]any) bool {
		n++
		_ = p.patch("DaemonSet/bad", fmt.Sprintf(`{metadata: {annotations: {counted: "%d times"}}}`, n)) // fails with until
		return fmt.Sprint(status["numberMisscheduled"]) == "1"
	}, "status")
}

const small = `
{kind: ResourceQuota, apiVersion: v1, metadata: {name: small}, spec: {hard: {pods: "1"}}}`

var faults = []fault{
	{"crash loop", write(deployment("bad", 2, "", labelled+cluster.CrashLoop, app) + deployment("well", 2, "", "", app)),
		patch("Deployment/bad", `{spec: {template: {metadata: {labels: {`+cluster.FaultLabel+`: null}}}}}`),
		[]want{{"deployments.apps/NS/bad/CrashLoopBackOff", "Error", "CrashLoopBackOff, last exit code 1, 2 of 2 pods"}}},
	{"out of memory", write(deployment("bad", 1, "", labelled+cluster.OOMKilled, `containers: [{name: main, image: a, resources: {limits: {memory: 512Mi}}}]`) + deployment("well", 1, "", "", app)),
		patch("Deployment/bad", `{spec: {template: {metadata: {labels: {`+cluster.FaultLabel+`: null}}}}}`),
		[]want{{"deployments.apps/NS/bad/OOMKilled", "Error", "OOMKilled (limit 512Mi), exit code 137, 5 restarts"}}},
	ofKubelet("image pull", cluster.ImagePull, want{"pods/NS/bad/ImagePullBackOff", "Error", "ImagePullBackOff, image registry.example/app:1: "}),
	ofKubelet("missing ConfigMap", cluster.ConfigError, want{"pods/NS/bad/CreateContainerConfigError", "Error", `configmap "main-config" not found`}),
	{"missing Secret", manual("Pending", `state: {waiting: {reason: CreateContainerConfigError, message: 'secret "db" not found'}}`), recovered,
		[]want{{"pods/NS/bad/CreateContainerConfigError", "Error", `container main: CreateContainerConfigError: secret "db" not found`}}},
	{"missing key", manual("Pending", `state: {waiting: {reason: CreateContainerConfigError, message: "couldn't find key url in ConfigMap NS/app"}}`), recovered,
		[]want{{"pods/NS/bad/CreateContainerConfigError", "Error", "couldn't find key url in ConfigMap"}}},
	{"cannot start", manual("Pending", `state: {waiting: {reason: RunContainerError, message: "exec: \"/app\": no such file or directory"}}`), recovered,
		[]want{{"pods/NS/bad/RunContainerError", "Error", "no such file or directory"}}},
	{"invalid image", manual("Pending", `state: {waiting: {reason: InvalidImageName, message: "couldn't parse image name"}}`), recovered,
		[]want{{"pods/NS/bad/InvalidImageName", "Error", "InvalidImageName, image registry.example/app:1"}}},
	{"restarts", manual("Running", `restartCount: 2, ready: true, started: true, state: {running: {startedAt: @-1m}}, lastState: {terminated: {exitCode: 3, reason: Error, startedAt: @-6m, finishedAt: @-1m}}`, `{type: Ready, status: "True"}`), recovered,
		[]want{{"pods/NS/bad/Restarting", "Warning", "Restarting, running now, last exit code 3, 2 restarts"}}},
	{"node lost", manual("Unknown", `state: {running: {startedAt: @-7m}}`), recovered,
		[]want{{"pods/NS/bad/NodeLost", "Error", "pod phase Unknown"}}},
	{"readiness gate", manual("Running", `ready: true, started: true, state: {running: {startedAt: @-7m}}`, `{type: ContainersReady, status: "True"}`, `{type: Ready, status: "False", reason: ReadinessGatesNotReady, message: 'the status of pod readiness gate "lb" is not "True"', lastTransitionTime: @-7m}`), recovered,
		[]want{{"pods/NS/bad/ReadinessGatesNotReady", "Warning", `readiness gate "lb"`}}},
	{"unschedulable", write(well + `
{kind: Pod, apiVersion: v1, metadata: {name: bad}, spec: {nodeSelector: {disk: NS}, ` + app + `}}`),
		patch("Node/node-1", `{metadata: {labels: {disk: NS}}}`),
		[]want{{"pods/NS/bad/Unschedulable", "Error", "didn't match Pod's node affinity/selector"}}},
	ofKubelet("not ready", cluster.NotReady, want{"pods/NS/bad/NotReady", "Error", "container main: not ready: Readiness probe failed: HTTP probe failed with statuscode: 503"}),
	{"missing volume", steps(write(pod("bad", cluster.Creating) + well + `
{kind: Event, apiVersion: v1, metadata: {name: mount}, involvedObject: {kind: Pod, namespace: NS, name: bad}, type: Warning, reason: FailedMount, message: 'MountVolume.SetUp failed for volume "tls" : secret "tls" not found', firstTimestamp: @-6m, lastTimestamp: @-1m, count: 9}`)),
		setFault("Pod/bad", ""), []want{{"pods/NS/bad/ContainerCreating", "Warning", `secret "tls" not found`}}},
	{"finalizer", steps(write(well+`
{kind: Pod, apiVersion: v1, metadata: {name: bad, finalizers: [example.com/hold]}, spec: {`+app+`}}`), waits("Pod/bad", "Running", "status", "phase"), remove("Pod/bad")),
		patch("Pod/bad", `{metadata: {finalizers: null}}`), []want{{"pods/NS/bad/Terminating", "Warning", "finalizers example.com/hold"}}},
	{"kubelet does not end it", steps(write(pod("bad", cluster.Terminating)+well), waits("Pod/bad", "Running", "status", "phase"), func(p place) error {
		second := int64(1)
		return p.of("Pod").Delete(p.ctx, "bad", metav1.DeleteOptions{GracePeriodSeconds: &second})
	}), setFault("Pod/bad", ""), []want{{"pods/NS/bad/Terminating", "Warning", "Terminating beyond the grace period, node node-"}}},
	{"evicted", write(pod("bad", cluster.Evicted) + well), remove("Pod/bad"), []want{{"pods/NS/bad/Evicted", "Warning", "The node was low on resource: memory"}}},
	{"failed", write(`
{kind: Pod, apiVersion: v1, metadata: {name: bad, labels: {` + cluster.FaultLabel + `: crash-loop}}, spec: {restartPolicy: Never, ` + app + `}}
{kind: Pod, apiVersion: v1, metadata: {name: well}, spec: {restartPolicy: Never, ` + app + `}}`), remove("Pod/bad"), []want{{"pods/NS/bad/Error", "Warning", "container main: last exit code 1"}}},
	{"init fails", write(`
{kind: Pod, apiVersion: v1, metadata: {name: bad, labels: {` + cluster.FaultLabel + `: init-crash-loop}}, spec: {initContainers: [{name: init, image: a}], ` + app + `}}
{kind: Pod, apiVersion: v1, metadata: {name: well}, spec: {initContainers: [{name: init, image: a}], ` + app + `}}`), setFault("Pod/bad", ""), []want{{"pods/NS/bad/CrashLoopBackOff", "Error", "init container init: CrashLoopBackOff, last exit code 1"}}},
	{"init hangs", write(`
{kind: Pod, apiVersion: v1, metadata: {name: bad, labels: {` + cluster.FaultLabel + `: init-stuck}}, spec: {initContainers: [{name: init, image: a}], ` + app + `}}` + well), setFault("Pod/bad", ""), []want{{"pods/NS/bad/PodInitializing", "Warning", "init container init: not completed"}}},
	{"liveness probe", write(well + `
{kind: Pod, apiVersion: v1, metadata: {name: other}, spec: {` + app + `}}
{kind: Event, apiVersion: v1, metadata: {name: probe}, involvedObject: {kind: Pod, namespace: NS, name: well}, type: Warning, reason: Unhealthy, message: "Liveness probe failed: 500", firstTimestamp: @-6m, lastTimestamp: @-1m, count: 5}`),
		remove("Event/probe"), []want{{"pods/NS/well/Unhealthy", "Warning", "Liveness probe failed: 500 (×5)"}}},

	{"progress deadline", steps(write(deployment("bad", 2, "progressDeadlineSeconds: 2,", "", app)+deployment("well", 2, "progressDeadlineSeconds: 2,", "", app)), waits("Deployment/bad", "2", "status", "availableReplicas"),
		patch("Deployment/bad", `{spec: {template: {spec: {schedulingGates: [{name: example.com/gate}]}}}}`)),
		patch("Deployment/bad", `{spec: {template: {spec: {schedulingGates: null}}}}`), []want{{"deployments.apps/NS/bad/ProgressDeadlineExceeded", "Warning", "has timed out progressing"}}},
	{"paused", steps(write(deployment("bad", 1, "", "", app)+deployment("well", 1, "", "", app)), waits("Deployment/bad", "1", "status", "availableReplicas"), patch("Deployment/bad", `{spec: {paused: true}}`)),
		patch("Deployment/bad", `{spec: {paused: false}}`), []want{{"deployments.apps/NS/bad/Paused", "Warning", "rollout paused"}}},
	{"created paused", write(deployment("bad", 1, "paused: true,", "", app)), patch("Deployment/bad", `{spec: {paused: false}}`), []want{{"deployments.apps/NS/bad/Paused", "Warning", "rollout paused, no pods created"}}},
	{"over quota", write(small + deployment("bad", 2, "", "", app)),
		steps(patch("ResourceQuota/small", `{spec: {hard: {pods: "9"}}}`), patch("Deployment/bad", `{spec: {replicas: 1}}`)),
		[]want{{"deployments.apps/NS/bad/ReplicaFailure", "Warning", "exceeded quota: small"}, {"resourcequotas/NS/small/QuotaFull", "Warning", "pods 1 of 1"}}},
	{"StatefulSet short", write(small + `
{kind: StatefulSet, apiVersion: apps/v1, metadata: {name: bad}, spec: {replicas: 2, serviceName: db, selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec: {` + app + `}}}}`),
		steps(patch("ResourceQuota/small", `{spec: {hard: {pods: "9"}}}`), patch("StatefulSet/bad", `{spec: {replicas: 1}}`)),
		[]want{{"statefulsets.apps/NS/bad/BelowDesired", "Warning", ", 1 of 2 pods ready"}, {"resourcequotas/NS/small/QuotaFull", "Warning", "pods 1 of 1"}}},
	{"DaemonSet short", write(`
{kind: ResourceQuota, apiVersion: v1, metadata: {name: small}, spec: {hard: {pods: "2"}}}
{kind: DaemonSet, apiVersion: apps/v1, metadata: {name: bad}, spec: {selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec: {` + app + `}}}}`),
		steps(patch("ResourceQuota/small", `{spec: {hard: {pods: "9"}}}`), patch("DaemonSet/bad", `{spec: {template: {metadata: {labels: {a: b}}}}}`)),
		[]want{{"daemonsets.apps/NS/bad/BelowDesired", "Warning", " pods available"}, {"resourcequotas/NS/small/QuotaFull", "Warning", "pods 2 of 2"}}},
	{"misscheduled", steps(node(""), patch("Node/NS", `{metadata: {labels: {of: NS}}}`), write(`
{kind: DaemonSet, apiVersion: apps/v1, metadata: {name: bad}, spec: {selector: {matchLabels: {app: bad}}, template: {metadata: {labels: {app: bad}}, spec: {nodeSelector: {of: NS}, tolerations: [{key: example.com/own}], `+app+`}}}}
{kind: DaemonSet, apiVersion: apps/v1, metadata: {name: well}, spec: {selector: {matchLabels: {app: well}}, template: {metadata: {labels: {app: well}}, spec: {nodeSelector: {of: NS}, tolerations: [{operator: Exists}], `+app+`}}}}`),
		waits("DaemonSet/bad", "1", "status", "numberReady"), waits("DaemonSet/well", "1", "status", "numberReady"),
		patch("Node/NS", `{spec: {taints: [{key: example.com/own, effect: NoSchedule}, {key: example.com/gpu, effect: NoSchedule}]}}`),
		countsMisscheduled),
		patch("Node/NS", `{spec: {taints: [{key: example.com/own, effect: NoSchedule}]}}`),
		[]want{{"daemonsets.apps/NS/bad/Misscheduled", "Warning", "1 pod on nodes that the DaemonSet does not select"}}},
	{"job failed", write(`
{kind: Job, apiVersion: batch/v1, metadata: {name: bad}, spec: {backoffLimit: 0, template: {metadata: {labels: {` + cluster.FaultLabel + `: crash-loop}}, spec: {restartPolicy: Never, ` + app + `}}}}
{kind: Job, apiVersion: batch/v1, metadata: {name: well}, spec: {backoffLimit: 0, template: {spec: {restartPolicy: Never, ` + app + `}}}}`),
		remove("Job/bad"), []want{{"jobs.batch/NS/bad/BackoffLimitExceeded", "Error", "BackoffLimitExceeded, last exit code 1, container main"}}},
	{"job deadline", write(`
{kind: Job, apiVersion: batch/v1, metadata: {name: bad}, spec: {activeDeadlineSeconds: 1, template: {metadata: {annotations: {` + cluster.RunFor + `: 1h}}, spec: {restartPolicy: Never, ` + app + `}}}}
{kind: Job, apiVersion: batch/v1, metadata: {name: well}, spec: {template: {metadata: {annotations: {` + cluster.RunFor + `: 1h}}, spec: {restartPolicy: Never, ` + app + `}}}}`),
		remove("Job/bad"), []want{{"jobs.batch/NS/bad/DeadlineExceeded", "Error", "Job was active longer than specified deadline"}}},
	{"job backs off", steps(write(`
{kind: Job, apiVersion: batch/v1, metadata: {name: bad}, spec: {template: {metadata: {labels: {`+cluster.FaultLabel+`: crash-loop}}, spec: {restartPolicy: Never, `+app+`}}}}
{kind: Job, apiVersion: batch/v1, metadata: {name: well}, spec: {template: {metadata: {annotations: {`+cluster.RunFor+`: 1h}}, spec: {restartPolicy: Never, `+app+`}}}}`),
		waits("Job/bad", "1", "status", "failed")), remove("Job/bad"), []want{{"jobs.batch/NS/bad/Retrying", "Warning", " failed, retrying"}}},
	{"suspended", write(`
{kind: CronJob, apiVersion: batch/v1, metadata: {name: bad}, spec: {suspend: true, schedule: "@daily", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, ` + app + `}}}}}}
{kind: CronJob, apiVersion: batch/v1, metadata: {name: well}, spec: {schedule: "@daily", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, ` + app + `}}}}}}`),
		patch("CronJob/bad", `{spec: {suspend: false}}`), []want{{"cronjobs.batch/NS/bad/Suspended", "Warning", "suspended"}}},
	{"suspended for long", steps(write(`
{kind: CronJob, apiVersion: batch/v1, metadata: {name: bad}, spec: {suspend: true, schedule: "0 * * * *", startingDeadlineSeconds: 1, jobTemplate: {spec: {template: {spec: {restartPolicy: Never, `+app+`}}}}}}`),
		patch("CronJob/bad/status", `{status: {lastScheduleTime: @-100h}}`)), // the controller says that it missed 100 runs
		patch("CronJob/bad", `{spec: {suspend: false}}`), []want{{"cronjobs.batch/NS/bad/Suspended", "Warning", "suspended"}}},
	{"missed", write(`
{kind: CronJob, apiVersion: batch/v1, metadata: {name: bad}, spec: {schedule: "* * * * *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, ` + app + `}}}}}}
{kind: CronJob, apiVersion: batch/v1, metadata: {name: well}, spec: {schedule: "@hourly", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, ` + app + `}}}}}}`),
		patch("CronJob/bad", `{spec: {schedule: "@hourly"}}`), []want{{"cronjobs.batch/NS/bad/MissedSchedule", "Warning", "no Job started on schedule * * * * *"}}},

	onNode("kubelet not ready", cluster.NodeNotReady, want{"nodes//NS/NotReady", "Error", "container runtime is down"}),
	{"no heartbeat", steps(node(""), patch("Node/NS", `{metadata: {labels: {watchglass.example.com/kubelet: ""}}}`)), patch("Node/NS", `{metadata: {labels: {watchglass.example.com/kubelet: kwok}}}`),
		[]want{{"nodes//NS/NotReady", "Error", "NotReady: Kubelet stopped posting node status."}}},
	onNode("memory pressure", cluster.MemoryPressure, want{"nodes//NS/MemoryPressure", "Warning", "kubelet has insufficient memory available"}),
	onNode("disk pressure", cluster.DiskPressure, want{"nodes//NS/DiskPressure", "Warning", "kubelet has disk pressure"}),
	onNode("process pressure", cluster.PIDPressure, want{"nodes//NS/PIDPressure", "Warning", "kubelet has insufficient PID"}),
	onNode("no network", cluster.NodeNetworkUnavailable, want{"nodes//NS/NetworkUnavailable", "Error", "RouteController failed"}),
	{"cordoned", steps(node(""), patch("Node/NS", `{spec: {unschedulable: true}}`)), patch("Node/NS", `{spec: {unschedulable: null}}`), []want{{"nodes//NS/SchedulingDisabled", "Warning", "cordoned"}}},
	{"version skew", node("v1.30.2"), patch("Node/NS/status", `{status: {nodeInfo: {kubeletVersion: v1.36.0}}}`), []want{{"nodes//NS/VersionSkew", "Warning", "kubelet v1.30.2 is 6 minor versions older than the server's 1.36"}}},

	{"no StorageClass", write(`
{kind: PersistentVolumeClaim, apiVersion: v1, metadata: {name: bad}, spec: {storageClassName: fast, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}` + bound),
		write(`
{kind: PersistentVolume, apiVersion: v1, metadata: {name: late-NS}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /tmp/NS}, storageClassName: fast, claimRef: {namespace: NS, name: bad}, persistentVolumeReclaimPolicy: Retain}}`),
		[]want{{"persistentvolumeclaims/NS/bad/Pending", "Warning", "no StorageClass fast"}}},
	{"claim lost", steps(write(bound), waits("PersistentVolumeClaim/well", "Bound", "status", "phase"), remove("PersistentVolume/NS"), patch("PersistentVolume/NS", `{metadata: {finalizers: null}}`)),
		remove("PersistentVolumeClaim/well"), []want{{"persistentvolumeclaims/NS/well/Lost", "Error", "volume NS does not exist"}}},
	{"volume failed", steps(write(bound), patch("PersistentVolume/NS", `{spec: {persistentVolumeReclaimPolicy: Delete}}`), waits("PersistentVolumeClaim/well", "Bound", "status", "phase"), remove("PersistentVolumeClaim/well")),
		remove("PersistentVolume/NS"), []want{{"persistentvolumes//NS/Failed", "Warning", "Failed"}}},

	{"no IngressClass", write(`
{kind: Service, apiVersion: v1, metadata: {name: well}, spec: {ports: [{port: 80}]}}
{kind: Ingress, apiVersion: networking.k8s.io/v1, metadata: {name: bad}, spec: {ingressClassName: class-NS, defaultBackend: {service: {name: well, port: {number: 80}}}}}`),
		patch("Ingress/bad", `{spec: {ingressClassName: null}}`), []want{{"ingresses.networking.k8s.io/NS/bad/IngressClassNotFound", "Warning", "no IngressClass class-NS"}}},

	{"no endpoints", write(well + `
{kind: Service, apiVersion: v1, metadata: {name: bad}, spec: {selector: {app: bad}, ports: [{port: 80}]}}
{kind: Service, apiVersion: v1, metadata: {name: well}, spec: {selector: {app: well}, ports: [{port: 80}]}}`),
		write(`
{kind: Pod, apiVersion: v1, metadata: {name: late, labels: {app: bad}}, spec: {` + app + `}}`), []want{{"services/NS/bad/NoEndpoints", "Warning", "no endpoints for selector app=bad"}}},
	{"no ready endpoints", write(`
{kind: Service, apiVersion: v1, metadata: {name: bad}, spec: {selector: {app: bad}, ports: [{port: 80}]}}
{kind: EndpointSlice, apiVersion: discovery.k8s.io/v1, metadata: {name: bad, labels: {kubernetes.io/service-name: bad, endpointslice.kubernetes.io/managed-by: test}}, addressType: IPv4, endpoints: [{addresses: [10.9.9.9], conditions: {ready: false}}], ports: []}`),
		patch("EndpointSlice/bad", `{endpoints: [{addresses: [10.9.9.9], conditions: {ready: true}}]}`), []want{{"services/NS/bad/NoReadyEndpoints", "Error", "0 of 1 endpoint ready"}}},
	{"named port", write(`
{kind: Pod, apiVersion: v1, metadata: {name: well, labels: {app: bad}}, spec: {` + app + `}}
{kind: Service, apiVersion: v1, metadata: {name: bad}, spec: {selector: {app: bad}, ports: [{port: 80, targetPort: web}]}}`),
		patch("Service/bad", `{spec: {ports: [{port: 80, targetPort: 80}]}}`), []want{{"services/NS/bad/NoPorts", "Error", "no pod has a port named in targetPort"}}},
	{"no scheduler", write(well + `
{kind: Pod, apiVersion: v1, metadata: {name: bad}, spec: {schedulerName: nobody, ` + app + `}}`),
		remove("Pod/bad"), []want{{"pods/NS/bad/NotScheduled", "Error", "not scheduled, no response from nobody"}}},
	{"missing service", write(well + `
{kind: Service, apiVersion: v1, metadata: {name: well}, spec: {selector: {app: well}, ports: [{port: 80}]}}
{kind: Ingress, apiVersion: networking.k8s.io/v1, metadata: {name: bad}, spec: {defaultBackend: {service: {name: gone, port: {number: 80}}}}}
{kind: Ingress, apiVersion: networking.k8s.io/v1, metadata: {name: port}, spec: {defaultBackend: {service: {name: well, port: {number: 8080}}}}}
{kind: Ingress, apiVersion: networking.k8s.io/v1, metadata: {name: well}, spec: {defaultBackend: {service: {name: well, port: {number: 80}}}}}`),
		steps(write(`
{kind: Service, apiVersion: v1, metadata: {name: gone}, spec: {ports: [{port: 80}]}}`), patch("Service/well", `{spec: {ports: [{name: a, port: 80}, {name: b, port: 8080}]}}`)),
		[]want{{"ingresses.networking.k8s.io/NS/bad/ServiceNotFound", "Warning", "service gone not found"}, {"ingresses.networking.k8s.io/NS/port/PortNotFound", "Warning", "service port well:8080 not found"}}},

	{"no metrics", write(deployment("well", 1, "", "", app) + `
{kind: HorizontalPodAutoscaler, apiVersion: autoscaling/v2, metadata: {name: bad}, spec: {maxReplicas: 5, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: well}, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]}}`),
		remove("HorizontalPodAutoscaler/bad"), []want{{"horizontalpodautoscalers.autoscaling/NS/bad/FailedGetResourceMetric", "Warning", "FailedGetResourceMetric"}}},
	{"at maximum", steps(write(deployment("bad", 2, "", "", measured) + deployment("well", 2, "", "", measured) + autoscaler("bad", 50) + autoscaler("well", 900) + `
{kind: ConfigMap, apiVersion: v1, metadata: {name: usage}, data: {cpu: 900m, memory: 64Mi}}`)),
		patch("ConfigMap/usage", `{data: {cpu: 50m}}`), []want{{"horizontalpodautoscalers.autoscaling/NS/bad/TooManyReplicas", "Warning", "at maxReplicas 2 and still above target"}}},
	{"budget blocks", write(deployment("well", 2, "", "", app) + `
{kind: PodDisruptionBudget, apiVersion: policy/v1, metadata: {name: bad}, spec: {minAvailable: 2, selector: {matchLabels: {app: well}}}}`),
		patch("PodDisruptionBudget/bad", `{spec: {minAvailable: 1}}`), []want{{"poddisruptionbudgets.policy/NS/bad/DisruptionsBlocked", "Warning", "2 of 2 pods must stay"}}},
	{"budget lacks pods", write(deployment("well", 2, "", "", app) + `
{kind: PodDisruptionBudget, apiVersion: policy/v1, metadata: {name: bad}, spec: {minAvailable: 5, selector: {matchLabels: {app: well}}}}`),
		patch("PodDisruptionBudget/bad", `{spec: {minAvailable: 1}}`), []want{{"poddisruptionbudgets.policy/NS/bad/InsufficientPods", "Warning", "2 of 5 healthy pods required"}}},
	{"quota", write(`
{kind: ResourceQuota, apiVersion: v1, metadata: {name: bad}, spec: {hard: {requests.memory: 1000Mi}}}
{kind: ResourceQuota, apiVersion: v1, metadata: {name: well}, spec: {hard: {pods: "2"}}}
{kind: Pod, apiVersion: v1, metadata: {name: well}, spec: {containers: [{name: main, image: a, resources: {requests: {memory: 950Mi}}}]}}`),
		patch("ResourceQuota/bad", `{spec: {hard: {requests.memory: 2000Mi}}}`), []want{{"resourcequotas/NS/bad/QuotaNearlyFull", "Warning", "requests.memory 950Mi of 1000Mi"}}},
	{"webhook without endpoints", write(`
{kind: Service, apiVersion: v1, metadata: {name: hook}, spec: {selector: {app: hook}, ports: [{port: 443}]}}
{kind: ValidatingWebhookConfiguration, apiVersion: admissionregistration.k8s.io/v1, metadata: {name: NS}, webhooks: [{name: a.example.com, failurePolicy: Fail, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {service: {namespace: NS, name: hook}}, rules: [{apiGroups: [e2e.example.com], apiVersions: [v1], operations: [CREATE], resources: [nothing]}]}]}`),
		write(`
{kind: Pod, apiVersion: v1, metadata: {name: hook, labels: {app: hook}}, spec: {` + app + `}}`),
		[]want{{"services/NS/hook/NoEndpoints", "Warning", "app=hook"}, {"validatingwebhookconfigurations.admissionregistration.k8s.io//NS/WebhookUnavailable", "Error", "webhook a.example.com: service NS/hook has no ready endpoints, failurePolicy Fail"}}},
	{"webhook without service", write(`
{kind: MutatingWebhookConfiguration, apiVersion: admissionregistration.k8s.io/v1, metadata: {name: NS}, webhooks: [{name: b.example.com, failurePolicy: Ignore, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {service: {namespace: NS, name: gone}}, rules: [{apiGroups: [e2e.example.com], apiVersions: [v1], operations: [CREATE], resources: [nothing]}]}]}`),
		remove("MutatingWebhookConfiguration/NS"), []want{{"mutatingwebhookconfigurations.admissionregistration.k8s.io//NS/WebhookUnavailable", "Warning", "service NS/gone not found"}}},
	{"API unavailable", write(`
{kind: APIService, apiVersion: apiregistration.k8s.io/v1, metadata: {name: v1.NS.example.com}, spec: {group: NS.example.com, version: v1, groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true, service: {namespace: NS, name: gone}}}`),
		remove("APIService/v1.NS.example.com"), []want{{"apiservices.apiregistration.k8s.io//v1.NS.example.com/APIServiceUnavailable", "Error", "ServiceNotFound"}}},
	{"namespace hangs", steps(write(`
{kind: Namespace, apiVersion: v1, metadata: {name: of-NS, finalizers: [example.com/hold]}}`), remove("Namespace/of-NS")), patch("Namespace/of-NS", `{metadata: {finalizers: null}}`),
		[]want{{"namespaces//of-NS/Terminating", "Warning", "Terminating"}}},
	{"custom resource", steps(write(`
{kind: Engine, apiVersion: problems.example.com/v1, metadata: {name: bad}}
{kind: Engine, apiVersion: problems.example.com/v1, metadata: {name: well}}`), patch("Engine/bad/status", `{status: {conditions: [{type: Synced, status: "True"}, {type: Ready, status: "False", reason: NoOil, message: "the engine has no oil", lastTransitionTime: @-5m}]}}`),
		patch("Engine/well/status", `{status: {conditions: [{type: Ready, status: "True", reason: Running, lastTransitionTime: @-5m}, {type: Broken, status: "False"}]}}`)),
		patch("Engine/bad/status", `{status: {conditions: [{type: Ready, status: "True", reason: Running, lastTransitionTime: @-0s}]}}`),
		[]want{{"engines.problems.example.com/NS/bad/NotReady", "Warning", "not ready: NoOil: the engine has no oil"}}},
	{"event", write(`
{kind: ConfigMap, apiVersion: v1, metadata: {name: well}}
{kind: Event, apiVersion: v1, metadata: {name: odd}, involvedObject: {kind: ConfigMap, apiVersion: v1, namespace: NS, name: well}, type: Warning, reason: Odd, message: "odd things", firstTimestamp: @-1m, lastTimestamp: @-1m, count: 2}
{kind: Event, apiVersion: v1, metadata: {name: late}, involvedObject: {kind: ConfigMap, apiVersion: v1, namespace: NS, name: well}, type: Warning, reason: Late, message: 'Operation cannot be fulfilled on configmaps "well": the object has been modified; please apply your changes to the latest version and try again', firstTimestamp: @-1m, lastTimestamp: @-1m, count: 1}
{kind: Event, apiVersion: v1, metadata: {name: usual}, involvedObject: {kind: ConfigMap, apiVersion: v1, namespace: NS, name: well}, type: Normal, reason: Usual, message: "usual things", firstTimestamp: @-1m, lastTimestamp: @-1m, count: 2}`),
		remove("Event/odd"), []want{{"configmaps/NS/well/Odd", "Warning", "Odd: odd things (×2)"}}},
}

// bound is a claim with its volume.
const bound = `
{kind: PersistentVolume, apiVersion: v1, metadata: {name: NS}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /data/NS}, storageClassName: "", persistentVolumeReclaimPolicy: Retain, claimRef: {namespace: NS, name: well}}}
{kind: PersistentVolumeClaim, apiVersion: v1, metadata: {name: well}, spec: {storageClassName: "", volumeName: NS, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}`
