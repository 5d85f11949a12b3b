package detail

// common is the sheet that all objects have.
const common = `[Object]
Name: {metadata.name:code}
Namespace: {metadata.namespace:ref Namespace}
Kind: {kind}
API version: {apiVersion}
UID: {metadata.uid:code}
Created: {metadata.creationTimestamp:time}
Deletion due: {metadata.deletionTimestamp:time}
Termination grace period: {metadata.deletionGracePeriodSeconds}s
Controlled by@metadata.ownerReferences: {:controller}
Owned by@metadata.ownerReferences: {:owner}
!release metadata
Finalizers: {metadata.finalizers:lines}
!labels metadata.labels
!annotations metadata.annotations
`

// template is the sheet of a workload's pod template.
const template = `[Pod template -]
Labels: {metadata.labels:pairs}
Annotations: {metadata.annotations:pairs : }
Service account: {spec.serviceAccountName:ref ServiceAccount}
Restart policy: {spec.restartPolicy}
` + podParts

// podParts is the sheet of a pod's parts and settings.
const podParts = `!containers
[Volumes]
!volumes spec.volumes
[Settings]
Priority class name: {spec.priorityClassName:ref PriorityClass.scheduling.k8s.io}
Runtime class name: {spec.runtimeClassName:ref RuntimeClass.node.k8s.io}
Node selectors: {spec.nodeSelector:match none}
Tolerations@spec.tolerations: {key}={value}:{effect} op={operator:but Equal} for {tolerationSeconds}s
Affinity: {spec.affinity:flat}
Topology spread constraints@spec.topologySpreadConstraints: {topologyKey}:{whenUnsatisfiable} when max skew {maxSkew} is exceeded~ for selector {labelSelector:selector}
Scheduling group: {spec.schedulingGroup:flat}
Host network: {spec.hostNetwork}
Host PIDs: {spec.hostPID}
Host IPC: {spec.hostIPC}
Image pull secrets@spec.imagePullSecrets: {name:ref Secret}
Security: {spec.securityContext:flat}
Scheduler: {spec.schedulerName}
DNS: {spec.dnsPolicy} {spec.dnsConfig:flat}
Host aliases@spec.hostAliases: {ip} {hostnames}
Resource claims@spec.resourceClaims: {:flat}
Active deadline: {spec.activeDeadlineSeconds}s
Grace period: {spec.terminationGracePeriodSeconds}s
Resource limits: {spec.resources.limits:resources}
Resource requests: {spec.resources.requests:resources}
Overhead: {spec.overhead:resources}
`

const conditions = `|Conditions@status.conditions|Type {type}|Status {:is}|Since {lastTransitionTime:time}|Reason {reason}|Message {message}|Probed {lastProbeTime:time}|Heartbeat {lastHeartbeatTime:time}|Updated {lastUpdateTime:time}
`

const scopes = `Scopes: {spec.scopes}
Scope selector: {spec.scopeSelector.matchExpressions:scopes}
`

const storage = `StorageClass: {spec.storageClassName:ref StorageClass.storage.k8s.io}
Attributes class: {spec.volumeAttributesClassName:ref VolumeAttributesClass.storage.k8s.io}
Volume mode: {spec.volumeMode}
`

const bound = `[Binding]
Role: {roleRef:object}
|Subjects@subjects|Kind {kind}|Name {:subject}|Namespace {namespace:ref Namespace}
`

const amounts = `=|Resource {@}|>Used {status.used}|>Hard {status.hard}|>Share {:share}
`

const ranges = `=@spec.limits|Type {type}|Resource {@}|>Min {min}|>Max {max}|>Default request {defaultRequest}|>Default limit {default}|>Max limit/request ratio {maxLimitRequestRatio}
`

const granted = `|@rules|Resources {:granted}|Non-resource URLs {nonResourceURLs:code}|Resource names {resourceNames:code}|Verbs {verbs:code}
`

// peer is the sheet of a network policy rule.
const peer = `To port@ports: {port}-{endPort}/{protocol?TCP}
From@from: NamespaceSelector {namespaceSelector:selector namespaces} PodSelector {:pods} IPBlock {ipBlock.cidr:code} except {ipBlock.except}
To@to: NamespaceSelector {namespaceSelector:selector namespaces} PodSelector {:pods} IPBlock {ipBlock.cidr:code} except {ipBlock.except}
`

// sheetOf is the sheet of a kind.
type sheetOf struct{ kind, text string }

// kinds are the sheets by kind. A kind without one is shown by other.
var kinds = []sheetOf{
	{"Pod", `[Pod]
Status: {status.phase:phase}
Failing: {status:failing}
Reason: {status.reason}
Message: {status.message}
Node: {spec.nodeName:ref Node?<none>} {status.hostIP:code}
Nominated node: {status.nominatedNodeName:ref Node}
IP: {status.podIP:code}
IPs: {status.podIPs:others}
Start time: {status.startTime:time}
QoS class: {status.qosClass}
Service account: {spec.serviceAccountName:ref ServiceAccount}
Priority: {spec.priority}
Restart policy: {spec.restartPolicy}
Readiness gates@spec.readinessGates: {conditionType} {conditionType:gate}
` + conditions + podParts},
	{"Deployment", `[Rollout]
Replicas: {spec.replicas} desired | {status.updatedReplicas?0} updated | {status.replicas?0} total | {status.availableReplicas?0} available | {status.unavailableReplicas?0} unavailable
Progress: {:rollout}
!sets
Selector: {spec.selector:selector}
Strategy type: {spec.strategy.type}
Rolling update strategy: {spec.strategy.rollingUpdate.maxUnavailable} max unavailable, {spec.strategy.rollingUpdate.maxSurge} max surge
Min ready seconds: {spec.minReadySeconds?0}
Progress deadline: {spec.progressDeadlineSeconds}s
Revision history limit: {spec.revisionHistoryLimit}
Paused: {spec.paused}
` + conditions + `!template spec.template
`},
	{"ReplicaSet", `[Rollout]
Replicas: {status.replicas?0} current / {spec.replicas} desired, {status.readyReplicas?0} ready, {status.availableReplicas?0} available
!podCounts
Selector: {spec.selector:selector}
Min ready seconds: {spec.minReadySeconds}
` + conditions + `!template spec.template
`},
	{"ReplicationController", `[Rollout]
Replicas: {status.replicas?0} current / {spec.replicas} desired, {status.readyReplicas?0} ready, {status.availableReplicas?0} available
!podCounts
Selector: {spec.selector:match}
` + conditions + `!template spec.template
`},
	{"StatefulSet", `[Rollout]
Replicas: {spec.replicas} desired | {status.replicas?0} total | {status.readyReplicas?0} ready | {status.currentReplicas?0} current | {status.updatedReplicas?0} updated
Progress: {:rollout}
!podCounts
Selector: {spec.selector:selector}
Service: {spec.serviceName:ref Service}
Update strategy: {spec.updateStrategy.type}
Partition: {spec.updateStrategy.rollingUpdate.partition}
Max unavailable: {spec.updateStrategy.rollingUpdate.maxUnavailable}
Pod management: {spec.podManagementPolicy}
Revision: {status.currentRevision:code} {status.updateRevision:code}
PVC retention: {spec.persistentVolumeClaimRetentionPolicy.whenDeleted} when deleted, {spec.persistentVolumeClaimRetentionPolicy.whenScaled} when scaled
|Volume claims@spec.volumeClaimTemplates|Name {metadata.name}|StorageClass {spec.storageClassName:ref StorageClass.storage.k8s.io}|Labels {metadata.labels:pairs}|Annotations {metadata.annotations:pairs}|>Capacity {spec.resources.requests.storage?<default>}|Access modes {spec.accessModes}
` + conditions + `!template spec.template
`},
	{"DaemonSet", `[Rollout]
Desired number of nodes scheduled: {status.desiredNumberScheduled?0}
Current number of nodes scheduled: {status.currentNumberScheduled?0}
Number of nodes scheduled with up-to-date pods: {status.updatedNumberScheduled?0}
Number of nodes scheduled with available pods: {status.numberAvailable?0}
Number of nodes misscheduled: {status.numberMisscheduled?0}
Ready: {status.numberReady?0}
Progress: {:rollout}
!podCounts
Selector: {spec.selector:selector}
Node selector: {spec.template.spec.nodeSelector:match none}
Update strategy: {spec.updateStrategy.type}
Rolling update strategy: {spec.updateStrategy.rollingUpdate.maxUnavailable} max unavailable, {spec.updateStrategy.rollingUpdate.maxSurge} max surge
Min ready seconds: {spec.minReadySeconds}
` + conditions + `!template spec.template
`},
	{"Job", `[Job]
Pod status: {status.active?0} Active ({status.ready?0} Ready) / {status.succeeded?0} Succeeded / {status.failed?0} Failed
Start time: {status.startTime:time}
Completed at: {status.completionTime:time}
Duration: {status:span startTime completionTime}
Completed indexes: {status.completedIndexes}
Failed indexes: {status.failedIndexes}
` + job + conditions + `!template spec.template
`},
	{"CronJob", `[Schedule]
Schedule: {spec.schedule:code}
Time zone: {spec.timeZone}
Suspend: {spec.suspend:yes}
Concurrency policy: {spec.concurrencyPolicy}
Last schedule time: {status.lastScheduleTime:time}
Last successful time: {status.lastSuccessfulTime:time}
Active jobs@status.active: {name:ref Job.batch}
Starting deadline seconds: {spec.startingDeadlineSeconds}s
Successful job history limit: {spec.successfulJobsHistoryLimit}
Failed job history limit: {spec.failedJobsHistoryLimit}
!jobTemplate spec.jobTemplate
`},
	{"Service", `[Service]
Type: {spec.type}
Selector: {spec.selector:match}
IP: {spec.clusterIP:code}
IPs: {spec.clusterIPs:others}
IP family policy: {spec.ipFamilyPolicy}
IP families: {spec.ipFamilies}
External IPs: {spec.externalIPs:code}
Desired LoadBalancer IP: {spec.loadBalancerIP:code}
External name: {spec.externalName:code}
LoadBalancer ingress: {status.loadBalancer.ingress:addresses}
Session affinity: {spec.sessionAffinity} {spec.sessionAffinityConfig:flat}
External traffic policy: {spec.externalTrafficPolicy}
Internal traffic policy: {spec.internalTrafficPolicy}
Health check node port: {spec.healthCheckNodePort}
LoadBalancer source ranges: {spec.loadBalancerSourceRanges:code}
Traffic distribution: {spec.trafficDistribution}
LoadBalancer class: {spec.loadBalancerClass}
Publish not-ready addresses: {spec.publishNotReadyAddresses}
|Ports@spec.ports|Name {name?<unset>}|Port {port}/{protocol}|Target port {targetPort}/{protocol}|Node port {!nodePort}/{protocol}|App protocol {appProtocol}|Endpoints {:endpoints}
` + conditions},
	{"Ingress", `[Ingress]
Address: {status.loadBalancer.ingress:addresses}
Ingress class: {spec.ingressClassName:ref IngressClass.networking.k8s.io}
Default backend: {spec.defaultBackend.service.name:ref Service}{spec.defaultBackend.service:port}{spec.defaultBackend.resource:object} {spec.defaultBackend.resource.apiGroup:quiet} {spec.defaultBackend.service:behind}
TLS@spec.tls: {secretName:ref Secret?SNI} terminates {hosts}
!ingressRules spec.rules
`},
	{"IngressClass", `[Ingress class]
Controller: {spec.controller:code}
Parameters: {spec.parameters:object} {spec.parameters.apiGroup:quiet} {spec.parameters.scope}
`},
	{"NetworkPolicy", `[Policy]
Pod selector: {spec.podSelector:selector}
Policy types: {spec.policyTypes}
!peers
`},
	{"EndpointSlice", `[Endpoints]
Address type: {addressType}
|Ports@ports|Name {name?<unset>}|>Port {port?<unset>}|Protocol {protocol}|App protocol {appProtocol}
|Endpoints@endpoints|Addresses {addresses:code}|Ready {conditions.ready}|Serving {conditions.serving}|Terminating {conditions.terminating}|Target {targetRef:object}|Node {nodeName:ref Node}|Zone {zone}|Hostname {hostname}|Hints {hints:flat}
`},
	{"Endpoints", `[Endpoints]
!subsets subsets
`},
	{"ConfigMap", `[Data]
Immutable: {immutable}
!data data
[Binary data]
!binary binaryData
`},
	{"Secret", `[Secret]
Type: {type}
Immutable: {immutable}
!keys data
`},
	{"ServiceAccount", `[Account]
Image pull secrets@imagePullSecrets: {name:ref Secret}
Mountable secrets@secrets: {name:ref Secret}
Automount: {automountServiceAccountToken}
`},
	{"PersistentVolume", `[Volume]
Status: {status.phase:status}
Reason: {status.reason}
Message: {status.message}
Claim: {spec.claimRef:claim}
Capacity: {spec.capacity.storage}
Access modes: {spec.accessModes:modes}
Reclaim policy: {spec.persistentVolumeReclaimPolicy}
` + storage + `Mount options: {spec.mountOptions:lines}
Node affinity: {spec.nodeAffinity.required.nodeSelectorTerms:terms}
!volumeSource spec
`},
	{"PersistentVolumeClaim", `[Claim]
Status: {status.phase:status}
Volume: {spec.volumeName:ref PersistentVolume}
Capacity: {status.capacity.storage}
Access modes: {status.accessModes:modes}
Requested: {spec.resources.requests.storage} {spec.accessModes:modes}
` + storage + `Selector: {spec.selector:selector none}
Data source: {spec.dataSource:object} {spec.dataSource.apiGroup:quiet}
Data source ref: {spec.dataSourceRef:object}
!usedBy
` + conditions},
	{"StorageClass", `[Storage class]
!defaultClass metadata.annotations
Provisioner: {provisioner:code}
Parameters: {parameters:pairs}
Allow volume expansion: {allowVolumeExpansion:yes}
Mount options: {mountOptions:lines}
Reclaim policy: {reclaimPolicy}
Volume binding mode: {volumeBindingMode}
Allowed topologies: {allowedTopologies:terms}
`},
	{"VolumeAttributesClass", `[Attributes]
Driver name: {driverName:code}
Parameters: {parameters:pairs}
`},
	{"CSINode", `[Drivers]
|@spec.drivers|Driver {name}|Node ID {nodeID:code}|>Count {allocatable.count}|Topology keys {topologyKeys}
`},
	{"CSIDriver", "[Driver]\nSpec: {spec:flat}\n"},
	{"VolumeAttachment", `[Attachment]
Attached: {status.attached:yes}
Attacher: {spec.attacher:code}
Node: {spec.nodeName:ref Node}
Volume: {spec.source.persistentVolumeName:ref PersistentVolume}
Metadata: {status.attachmentMetadata:pairs}
Attach error: {status.attachError.message} {status.attachError.time:time}
Detach error: {status.detachError.message} {status.detachError.time:time}
`},
	{"Node", `[Node]
!roles
Unschedulable: {spec.unschedulable?false}
Taints@spec.taints: {key}={value}:{effect} since {timeAdded:time}
Addresses@status.addresses: {type:quiet} {address:code}
Pod CIDR: {spec.podCIDR:code}
Pod CIDRs: {spec.podCIDRs:others}
Provider ID: {spec.providerID:code}
!lease
` + conditions + `[Resources]
=|Resource {@}|>Capacity {status.capacity}|>Allocatable {status.allocatable}
!allocated
[System info -]
Machine ID: {status.nodeInfo.machineID:code}
System UUID: {status.nodeInfo.systemUUID:code}
Boot ID: {status.nodeInfo.bootID:code}
Kernel version: {status.nodeInfo.kernelVersion}
OS image: {status.nodeInfo.osImage}
Operating system: {status.nodeInfo.operatingSystem}
Architecture: {status.nodeInfo.architecture}
Container runtime version: {status.nodeInfo.containerRuntimeVersion}
Kubelet version: {status.nodeInfo.kubeletVersion}
Volumes in use: {status.volumesInUse:lines}
`},
	{"Namespace", `[Namespace]
Status: {status.phase:status}
Objects: {metadata.name:list pods}
` + conditions + `!ofNamespace
`},
	{"ResourceQuota", "[Quota]\n" + scopes + amounts},
	{"LimitRange", "[Limits]\n" + ranges},
	{"HorizontalPodAutoscaler", `[Scaling]
Reference: {spec.scaleTargetRef:object}
Pods: {status.currentReplicas?0} current / {status.desiredReplicas?0} desired
Min replicas: {spec.minReplicas}
Max replicas: {spec.maxReplicas}
Last scale time: {status.lastScaleTime:time}
!metrics
!behavior spec.behavior
` + conditions},
	{"PodDisruptionBudget", `[Budget]
Allowed disruptions: {status.disruptionsAllowed?0}
Current: {status.currentHealthy?0}
Desired: {status.desiredHealthy?0}
Total: {status.expectedPods?0}
Min available: {spec.minAvailable}
Max unavailable: {spec.maxUnavailable}
Selector: {spec.selector:selector}
Unhealthy pod eviction policy: {spec.unhealthyPodEvictionPolicy}
Disrupted: {status.disruptedPods:pairs}
` + conditions},
	{"PriorityClass", `[Priority]
Value: {value?0}
Global default: {globalDefault?false}
Preemption policy: {preemptionPolicy}
Description: {description}
`},
	{"Role", "[Rules]\n" + granted},
	{"ClusterRole", `[Rules]
Aggregates@aggregationRule.clusterRoleSelectors: {:selector clusterroles.rbac.authorization.k8s.io}
` + granted},
	{"RoleBinding", bound},
	{"ClusterRoleBinding", bound},
	{"CertificateSigningRequest", `[Request]
Status: {:request}
Requesting user: {spec.username}
Groups: {spec.groups}
Signer: {spec.signerName}
Usages: {spec.usages}
Requested duration: {spec.expirationSeconds:duration}
Subject: {spec.request:encoded spec.request}
` + conditions},
	{"Lease", `[Lease]
Holder identity: {spec.holderIdentity:code}
Acquire time: {spec.acquireTime:time}
Renew time: {spec.renewTime:time}
Lease duration seconds: {spec.leaseDurationSeconds}
Lease transitions: {spec.leaseTransitions}
Resource version: {metadata.resourceVersion}
`},
	{"Event", `[Event]
Type: {type:status}
Reason: {reason}
Message: {message}
Object: {involvedObject:object}
Count: {count}
First seen: {firstTimestamp:time}
Last seen: {lastTimestamp:time}
Event time: {eventTime:time}
Series: {series.count} until {series.lastObservedTime:time}
Action: {action}
Source: {source.component} {source.host}
Reported by: {reportingComponent} {reportingInstance}
Related: {related:object}
`},
	{"CustomResourceDefinition", `[Definition]
Group: {spec.group:code}
Scope: {spec.scope}
Kind: {spec.names.kind} {spec.names.plural:definition} {spec.names.shortNames}
Categories: {spec.names.categories}
Conversion: {spec.conversion.strategy}
Stored versions: {status.storedVersions}
|Versions@spec.versions|Name {name}|Served {served}|Storage {storage}|Deprecated {deprecated}|>Columns {additionalPrinterColumns:count}|Scale {subresources.scale.specReplicasPath}
` + conditions},
}

const job = `Selector: {spec.selector:selector}
Parallelism: {spec.parallelism}
Completions: {spec.completions?<unset>}
Completion mode: {spec.completionMode}
Suspend: {spec.suspend}
Backoff limit: {spec.backoffLimit}
TTL seconds after finished: {spec.ttlSecondsAfterFinished}
Active deadline seconds: {spec.activeDeadlineSeconds}s
`
