package problems

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"watchglass/e2e/cluster"
	"watchglass/e2e/stage"
)

// fault is a state of a cluster that the list of problems has to show. Each has a namespace of its
// own, NS in every text. Its rows are in faults.yaml of package recorded, by its name.
type fault struct {
	name  string
	raise func(place) error
	mend  func(place) error
}

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
func ofKubelet(name, kind string) fault {
	return fault{name, steps(write(pod("bad", kind) + well)), setFault("Pod/bad", "")}
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

func onNode(name, kind string) fault {
	return fault{name, steps(node(""), setFault("Node/NS", kind)), setFault("Node/NS", "")}
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
		patch("Deployment/bad", `{spec: {template: {metadata: {labels: {`+cluster.FaultLabel+`: null}}}}}`)},
	{"out of memory", write(deployment("bad", 1, "", labelled+cluster.OOMKilled, `containers: [{name: main, image: a, resources: {limits: {memory: 512Mi}}}]`) + deployment("well", 1, "", "", app)),
		patch("Deployment/bad", `{spec: {template: {metadata: {labels: {`+cluster.FaultLabel+`: null}}}}}`)},
	ofKubelet("image pull", cluster.ImagePull),
	ofKubelet("missing ConfigMap", cluster.ConfigError),
	{"missing Secret", manual("Pending", `state: {waiting: {reason: CreateContainerConfigError, message: 'secret "db" not found'}}`), recovered},
	{"missing key", manual("Pending", `state: {waiting: {reason: CreateContainerConfigError, message: "couldn't find key url in ConfigMap NS/app"}}`), recovered},
	{"cannot start", manual("Pending", `state: {waiting: {reason: RunContainerError, message: "exec: \"/app\": no such file or directory"}}`), recovered},
	{"invalid image", manual("Pending", `state: {waiting: {reason: InvalidImageName, message: "couldn't parse image name"}}`), recovered},
	{"restarts", manual("Running", `restartCount: 2, ready: true, started: true, state: {running: {startedAt: @-1m}}, lastState: {terminated: {exitCode: 3, reason: Error, startedAt: @-6m, finishedAt: @-1m}}`, `{type: Ready, status: "True"}`), recovered},
	{"node lost", manual("Unknown", `state: {running: {startedAt: @-7m}}`), recovered},
	{"readiness gate", manual("Running", `ready: true, started: true, state: {running: {startedAt: @-7m}}`, `{type: ContainersReady, status: "True"}`, `{type: Ready, status: "False", reason: ReadinessGatesNotReady, message: 'the status of pod readiness gate "lb" is not "True"', lastTransitionTime: @-7m}`), recovered},
	{"unschedulable", write(well + `
{kind: Pod, apiVersion: v1, metadata: {name: bad}, spec: {nodeSelector: {disk: NS}, ` + app + `}}`),
		patch("Node/node-1", `{metadata: {labels: {disk: NS}}}`)},
	ofKubelet("not ready", cluster.NotReady),
	{"missing volume", steps(write(pod("bad", cluster.Creating) + well + `
{kind: Event, apiVersion: v1, metadata: {name: mount}, involvedObject: {kind: Pod, namespace: NS, name: bad}, type: Warning, reason: FailedMount, message: 'MountVolume.SetUp failed for volume "tls" : secret "tls" not found', firstTimestamp: @-6m, lastTimestamp: @-1m, count: 9}`)),
		setFault("Pod/bad", "")},
	{"finalizer", steps(write(well+`
{kind: Pod, apiVersion: v1, metadata: {name: bad, finalizers: [example.com/hold]}, spec: {`+app+`}}`), waits("Pod/bad", "Running", "status", "phase"), remove("Pod/bad")),
		patch("Pod/bad", `{metadata: {finalizers: null}}`)},
	{"kubelet does not end it", steps(write(pod("bad", cluster.Terminating)+well), waits("Pod/bad", "Running", "status", "phase"), func(p place) error {
		second := int64(1)
		return p.of("Pod").Delete(p.ctx, "bad", metav1.DeleteOptions{GracePeriodSeconds: &second})
	}), setFault("Pod/bad", "")},
	{"evicted", write(pod("bad", cluster.Evicted) + well), remove("Pod/bad")},
	{"failed", write(`
{kind: Pod, apiVersion: v1, metadata: {name: bad, labels: {` + cluster.FaultLabel + `: crash-loop}}, spec: {restartPolicy: Never, ` + app + `}}
{kind: Pod, apiVersion: v1, metadata: {name: well}, spec: {restartPolicy: Never, ` + app + `}}`), remove("Pod/bad")},
	{"init fails", write(`
{kind: Pod, apiVersion: v1, metadata: {name: bad, labels: {` + cluster.FaultLabel + `: init-crash-loop}}, spec: {initContainers: [{name: init, image: a}], ` + app + `}}
{kind: Pod, apiVersion: v1, metadata: {name: well}, spec: {initContainers: [{name: init, image: a}], ` + app + `}}`), setFault("Pod/bad", "")},
	{"init hangs", write(`
{kind: Pod, apiVersion: v1, metadata: {name: bad, labels: {` + cluster.FaultLabel + `: init-stuck}}, spec: {initContainers: [{name: init, image: a}], ` + app + `}}` + well), setFault("Pod/bad", "")},
	{"liveness probe", write(well + `
{kind: Pod, apiVersion: v1, metadata: {name: other}, spec: {` + app + `}}
{kind: Event, apiVersion: v1, metadata: {name: probe}, involvedObject: {kind: Pod, namespace: NS, name: well}, type: Warning, reason: Unhealthy, message: "Liveness probe failed: 500", firstTimestamp: @-6m, lastTimestamp: @-1m, count: 5}`),
		remove("Event/probe")},

	{"progress deadline", steps(write(deployment("bad", 2, "progressDeadlineSeconds: 2,", "", app)+deployment("well", 2, "progressDeadlineSeconds: 2,", "", app)), waits("Deployment/bad", "2", "status", "availableReplicas"),
		patch("Deployment/bad", `{spec: {template: {spec: {schedulingGates: [{name: example.com/gate}]}}}}`)),
		patch("Deployment/bad", `{spec: {template: {spec: {schedulingGates: null}}}}`)},
	{"paused", steps(write(deployment("bad", 1, "", "", app)+deployment("well", 1, "", "", app)), waits("Deployment/bad", "1", "status", "availableReplicas"), patch("Deployment/bad", `{spec: {paused: true}}`)),
		patch("Deployment/bad", `{spec: {paused: false}}`)},
	{"created paused", write(deployment("bad", 1, "paused: true,", "", app)), patch("Deployment/bad", `{spec: {paused: false}}`)},
	{"over quota", write(small + deployment("bad", 2, "", "", app)),
		steps(patch("ResourceQuota/small", `{spec: {hard: {pods: "9"}}}`), patch("Deployment/bad", `{spec: {replicas: 1}}`))},
	{"StatefulSet short", write(small + `
{kind: StatefulSet, apiVersion: apps/v1, metadata: {name: bad}, spec: {replicas: 2, serviceName: db, selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec: {` + app + `}}}}`),
		steps(patch("ResourceQuota/small", `{spec: {hard: {pods: "9"}}}`), patch("StatefulSet/bad", `{spec: {replicas: 1}}`))},
	{"DaemonSet short", write(`
{kind: ResourceQuota, apiVersion: v1, metadata: {name: small}, spec: {hard: {pods: "2"}}}
{kind: DaemonSet, apiVersion: apps/v1, metadata: {name: bad}, spec: {selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}, spec: {` + app + `}}}}`),
		steps(patch("ResourceQuota/small", `{spec: {hard: {pods: "9"}}}`), patch("DaemonSet/bad", `{spec: {template: {metadata: {labels: {a: b}}}}}`))},
	{"misscheduled", steps(node(""), patch("Node/NS", `{metadata: {labels: {of: NS}}}`), write(`
{kind: DaemonSet, apiVersion: apps/v1, metadata: {name: bad}, spec: {selector: {matchLabels: {app: bad}}, template: {metadata: {labels: {app: bad}}, spec: {nodeSelector: {of: NS}, tolerations: [{key: example.com/own}], `+app+`}}}}
{kind: DaemonSet, apiVersion: apps/v1, metadata: {name: well}, spec: {selector: {matchLabels: {app: well}}, template: {metadata: {labels: {app: well}}, spec: {nodeSelector: {of: NS}, tolerations: [{operator: Exists}], `+app+`}}}}`),
		waits("DaemonSet/bad", "1", "status", "numberReady"), waits("DaemonSet/well", "1", "status", "numberReady"),
		patch("Node/NS", `{spec: {taints: [{key: example.com/own, effect: NoSchedule}, {key: example.com/gpu, effect: NoSchedule}]}}`),
		countsMisscheduled),
		patch("Node/NS", `{spec: {taints: [{key: example.com/own, effect: NoSchedule}]}}`)},
	{"job failed", write(`
{kind: Job, apiVersion: batch/v1, metadata: {name: bad}, spec: {backoffLimit: 0, template: {metadata: {labels: {` + cluster.FaultLabel + `: crash-loop}}, spec: {restartPolicy: Never, ` + app + `}}}}
{kind: Job, apiVersion: batch/v1, metadata: {name: well}, spec: {backoffLimit: 0, template: {spec: {restartPolicy: Never, ` + app + `}}}}`),
		remove("Job/bad")},
	{"job deadline", write(`
{kind: Job, apiVersion: batch/v1, metadata: {name: bad}, spec: {activeDeadlineSeconds: 1, template: {metadata: {annotations: {` + cluster.RunFor + `: 1h}}, spec: {restartPolicy: Never, ` + app + `}}}}
{kind: Job, apiVersion: batch/v1, metadata: {name: well}, spec: {template: {metadata: {annotations: {` + cluster.RunFor + `: 1h}}, spec: {restartPolicy: Never, ` + app + `}}}}`),
		remove("Job/bad")},
	{"job backs off", steps(write(`
{kind: Job, apiVersion: batch/v1, metadata: {name: bad}, spec: {template: {metadata: {labels: {`+cluster.FaultLabel+`: crash-loop}}, spec: {restartPolicy: Never, `+app+`}}}}
{kind: Job, apiVersion: batch/v1, metadata: {name: well}, spec: {template: {metadata: {annotations: {`+cluster.RunFor+`: 1h}}, spec: {restartPolicy: Never, `+app+`}}}}`),
		waits("Job/bad", "1", "status", "failed")), remove("Job/bad")},
	{"suspended", write(`
{kind: CronJob, apiVersion: batch/v1, metadata: {name: bad}, spec: {suspend: true, schedule: "@daily", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, ` + app + `}}}}}}
{kind: CronJob, apiVersion: batch/v1, metadata: {name: well}, spec: {schedule: "@daily", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, ` + app + `}}}}}}`),
		patch("CronJob/bad", `{spec: {suspend: false}}`)},
	{"suspended for long", steps(write(`
{kind: CronJob, apiVersion: batch/v1, metadata: {name: bad}, spec: {suspend: true, schedule: "0 * * * *", startingDeadlineSeconds: 1, jobTemplate: {spec: {template: {spec: {restartPolicy: Never, `+app+`}}}}}}`),
		patch("CronJob/bad/status", `{status: {lastScheduleTime: @-100h}}`)), // the controller says that it missed 100 runs
		patch("CronJob/bad", `{spec: {suspend: false}}`)},
	{"missed", write(`
{kind: CronJob, apiVersion: batch/v1, metadata: {name: bad}, spec: {schedule: "* * * * *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, ` + app + `}}}}}}
{kind: CronJob, apiVersion: batch/v1, metadata: {name: well}, spec: {schedule: "@hourly", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, ` + app + `}}}}}}`),
		patch("CronJob/bad", `{spec: {schedule: "@hourly"}}`)},

	onNode("kubelet not ready", cluster.NodeNotReady),
	{"no heartbeat", steps(node(""), patch("Node/NS", `{metadata: {labels: {watchglass.example.com/kubelet: ""}}}`)), patch("Node/NS", `{metadata: {labels: {watchglass.example.com/kubelet: kwok}}}`)},
	onNode("memory pressure", cluster.MemoryPressure),
	onNode("disk pressure", cluster.DiskPressure),
	onNode("process pressure", cluster.PIDPressure),
	onNode("no network", cluster.NodeNetworkUnavailable),
	{"cordoned", steps(node(""), patch("Node/NS", `{spec: {unschedulable: true}}`)), patch("Node/NS", `{spec: {unschedulable: null}}`)},
	{"version skew", node("v1.30.2"), patch("Node/NS/status", `{status: {nodeInfo: {kubeletVersion: v1.36.0}}}`)},

	{"no StorageClass", write(`
{kind: PersistentVolumeClaim, apiVersion: v1, metadata: {name: bad}, spec: {storageClassName: fast, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}` + bound),
		write(`
{kind: PersistentVolume, apiVersion: v1, metadata: {name: late-NS}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /tmp/NS}, storageClassName: fast, claimRef: {namespace: NS, name: bad}, persistentVolumeReclaimPolicy: Retain}}`)},
	{"claim lost", steps(write(bound), waits("PersistentVolumeClaim/well", "Bound", "status", "phase"), remove("PersistentVolume/NS"), patch("PersistentVolume/NS", `{metadata: {finalizers: null}}`)),
		remove("PersistentVolumeClaim/well")},
	{"volume failed", steps(write(bound), patch("PersistentVolume/NS", `{spec: {persistentVolumeReclaimPolicy: Delete}}`), waits("PersistentVolumeClaim/well", "Bound", "status", "phase"), remove("PersistentVolumeClaim/well")),
		remove("PersistentVolume/NS")},

	{"no IngressClass", write(`
{kind: Service, apiVersion: v1, metadata: {name: well}, spec: {ports: [{port: 80}]}}
{kind: Ingress, apiVersion: networking.k8s.io/v1, metadata: {name: bad}, spec: {ingressClassName: class-NS, defaultBackend: {service: {name: well, port: {number: 80}}}}}`),
		patch("Ingress/bad", `{spec: {ingressClassName: null}}`)},

	{"no endpoints", write(well + `
{kind: Service, apiVersion: v1, metadata: {name: bad}, spec: {selector: {app: bad}, ports: [{port: 80}]}}
{kind: Service, apiVersion: v1, metadata: {name: well}, spec: {selector: {app: well}, ports: [{port: 80}]}}`),
		write(`
{kind: Pod, apiVersion: v1, metadata: {name: late, labels: {app: bad}}, spec: {` + app + `}}`)},
	{"no ready endpoints", write(`
{kind: Service, apiVersion: v1, metadata: {name: bad}, spec: {selector: {app: bad}, ports: [{port: 80}]}}
{kind: EndpointSlice, apiVersion: discovery.k8s.io/v1, metadata: {name: bad, labels: {kubernetes.io/service-name: bad, endpointslice.kubernetes.io/managed-by: test}}, addressType: IPv4, endpoints: [{addresses: [10.9.9.9], conditions: {ready: false}}], ports: []}`),
		patch("EndpointSlice/bad", `{endpoints: [{addresses: [10.9.9.9], conditions: {ready: true}}]}`)},
	{"named port", write(`
{kind: Pod, apiVersion: v1, metadata: {name: well, labels: {app: bad}}, spec: {` + app + `}}
{kind: Service, apiVersion: v1, metadata: {name: bad}, spec: {selector: {app: bad}, ports: [{port: 80, targetPort: web}]}}`),
		patch("Service/bad", `{spec: {ports: [{port: 80, targetPort: 80}]}}`)},
	{"no scheduler", write(well + `
{kind: Pod, apiVersion: v1, metadata: {name: bad}, spec: {schedulerName: nobody, ` + app + `}}`),
		remove("Pod/bad")},
	{"missing service", write(well + `
{kind: Service, apiVersion: v1, metadata: {name: well}, spec: {selector: {app: well}, ports: [{port: 80}]}}
{kind: Ingress, apiVersion: networking.k8s.io/v1, metadata: {name: bad}, spec: {defaultBackend: {service: {name: gone, port: {number: 80}}}}}
{kind: Ingress, apiVersion: networking.k8s.io/v1, metadata: {name: port}, spec: {defaultBackend: {service: {name: well, port: {number: 8080}}}}}
{kind: Ingress, apiVersion: networking.k8s.io/v1, metadata: {name: well}, spec: {defaultBackend: {service: {name: well, port: {number: 80}}}}}`),
		steps(write(`
{kind: Service, apiVersion: v1, metadata: {name: gone}, spec: {ports: [{port: 80}]}}`), patch("Service/well", `{spec: {ports: [{name: a, port: 80}, {name: b, port: 8080}]}}`))},

	{"no metrics", write(deployment("well", 1, "", "", app) + `
{kind: HorizontalPodAutoscaler, apiVersion: autoscaling/v2, metadata: {name: bad}, spec: {maxReplicas: 5, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: well}, metrics: [{type: Resource, resource: {name: cpu, target: {type: Utilization, averageUtilization: 50}}}]}}`),
		remove("HorizontalPodAutoscaler/bad")},
	{"at maximum", steps(write(deployment("bad", 2, "", "", measured) + deployment("well", 2, "", "", measured) + autoscaler("bad", 50) + autoscaler("well", 900) + `
{kind: ConfigMap, apiVersion: v1, metadata: {name: usage}, data: {cpu: 900m, memory: 64Mi}}`)),
		patch("ConfigMap/usage", `{data: {cpu: 50m}}`)},
	{"budget blocks", write(deployment("well", 2, "", "", app) + `
{kind: PodDisruptionBudget, apiVersion: policy/v1, metadata: {name: bad}, spec: {minAvailable: 2, selector: {matchLabels: {app: well}}}}`),
		patch("PodDisruptionBudget/bad", `{spec: {minAvailable: 1}}`)},
	{"budget lacks pods", write(deployment("well", 2, "", "", app) + `
{kind: PodDisruptionBudget, apiVersion: policy/v1, metadata: {name: bad}, spec: {minAvailable: 5, selector: {matchLabels: {app: well}}}}`),
		patch("PodDisruptionBudget/bad", `{spec: {minAvailable: 1}}`)},
	{"quota", write(`
{kind: ResourceQuota, apiVersion: v1, metadata: {name: bad}, spec: {hard: {requests.memory: 1000Mi}}}
{kind: ResourceQuota, apiVersion: v1, metadata: {name: well}, spec: {hard: {pods: "2"}}}
{kind: Pod, apiVersion: v1, metadata: {name: well}, spec: {containers: [{name: main, image: a, resources: {requests: {memory: 950Mi}}}]}}`),
		patch("ResourceQuota/bad", `{spec: {hard: {requests.memory: 2000Mi}}}`)},
	{"webhook without endpoints", write(`
{kind: Service, apiVersion: v1, metadata: {name: hook}, spec: {selector: {app: hook}, ports: [{port: 443}]}}
{kind: ValidatingWebhookConfiguration, apiVersion: admissionregistration.k8s.io/v1, metadata: {name: NS}, webhooks: [{name: a.example.com, failurePolicy: Fail, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {service: {namespace: NS, name: hook}}, rules: [{apiGroups: [e2e.example.com], apiVersions: [v1], operations: [CREATE], resources: [nothing]}]}]}`),
		write(`
{kind: Pod, apiVersion: v1, metadata: {name: hook, labels: {app: hook}}, spec: {` + app + `}}`)},
	{"webhook without service", write(`
{kind: MutatingWebhookConfiguration, apiVersion: admissionregistration.k8s.io/v1, metadata: {name: NS}, webhooks: [{name: b.example.com, failurePolicy: Ignore, sideEffects: None, admissionReviewVersions: [v1], clientConfig: {service: {namespace: NS, name: gone}}, rules: [{apiGroups: [e2e.example.com], apiVersions: [v1], operations: [CREATE], resources: [nothing]}]}]}`),
		remove("MutatingWebhookConfiguration/NS")},
	{"API unavailable", write(`
{kind: APIService, apiVersion: apiregistration.k8s.io/v1, metadata: {name: v1.NS.example.com}, spec: {group: NS.example.com, version: v1, groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true, service: {namespace: NS, name: gone}}}`),
		remove("APIService/v1.NS.example.com")},
	{"namespace hangs", steps(write(`
{kind: Namespace, apiVersion: v1, metadata: {name: of-NS, finalizers: [example.com/hold]}}`), remove("Namespace/of-NS")), patch("Namespace/of-NS", `{metadata: {finalizers: null}}`)},
	{"custom resource", steps(write(`
{kind: Engine, apiVersion: problems.example.com/v1, metadata: {name: bad}}
{kind: Engine, apiVersion: problems.example.com/v1, metadata: {name: well}}`), patch("Engine/bad/status", `{status: {conditions: [{type: Synced, status: "True"}, {type: Ready, status: "False", reason: NoOil, message: "the engine has no oil", lastTransitionTime: @-5m}]}}`),
		patch("Engine/well/status", `{status: {conditions: [{type: Ready, status: "True", reason: Running, lastTransitionTime: @-5m}, {type: Broken, status: "False"}]}}`)),
		patch("Engine/bad/status", `{status: {conditions: [{type: Ready, status: "True", reason: Running, lastTransitionTime: @-0s}]}}`)},
	{"event", write(`
{kind: ConfigMap, apiVersion: v1, metadata: {name: well}}
{kind: Event, apiVersion: v1, metadata: {name: odd}, involvedObject: {kind: ConfigMap, apiVersion: v1, namespace: NS, name: well}, type: Warning, reason: Odd, message: "odd things", firstTimestamp: @-1m, lastTimestamp: @-1m, count: 2}
{kind: Event, apiVersion: v1, metadata: {name: late}, involvedObject: {kind: ConfigMap, apiVersion: v1, namespace: NS, name: well}, type: Warning, reason: Late, message: 'Operation cannot be fulfilled on configmaps "well": the object has been modified; please apply your changes to the latest version and try again', firstTimestamp: @-1m, lastTimestamp: @-1m, count: 1}
{kind: Event, apiVersion: v1, metadata: {name: usual}, involvedObject: {kind: ConfigMap, apiVersion: v1, namespace: NS, name: well}, type: Normal, reason: Usual, message: "usual things", firstTimestamp: @-1m, lastTimestamp: @-1m, count: 2}`),
		remove("Event/odd")},
}

// bound is a claim with its volume.
const bound = `
{kind: PersistentVolume, apiVersion: v1, metadata: {name: NS}, spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], hostPath: {path: /data/NS}, storageClassName: "", persistentVolumeReclaimPolicy: Retain, claimRef: {namespace: NS, name: well}}}
{kind: PersistentVolumeClaim, apiVersion: v1, metadata: {name: well}, spec: {storageClassName: "", volumeName: NS, accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}`
