package problem

import (
	"strconv"

	"watchglass/internal/object"
	"watchglass/internal/object/schema"
)

// reader reads the facts of objects of one kind, and whether it is worth the time to read the whole
// document. It uses cells and, for what they do not show, a plan: a scan of a few fields.
type reader struct {
	kind   *kind
	plan   *object.Plan // nil if cells are enough
	each   *object.Plan // of an endpoint, or of a ReplicaSet with an owner
	values object.Values
	one    object.Values
	packed []byte
}

// The slots of the plans, by kind. The labels of a pod template are the first of those that have some.
const (
	templateLabels = 0

	pausedRollout     = 1
	conditionTypes    = 2
	conditionStatuses = 3
	ownGeneration     = 4
	ownObserved       = 5

	setConditions = 1

	rolloutGeneration = 1
	rolloutObserved   = 2
	rolloutUpdated    = 3
	misscheduledPods  = 4

	serviceType      = 0
	serviceSelector  = 1
	servicePublishes = 2
	servicePorts     = 3
	servicePortName  = 4
	servicePort      = 5
	serviceAddresses = 6
	serviceTargets   = 7

	jobActive = 1

	sliceAnnotations = 0
	sliceEndpoints   = 1
	slicePorts       = 2

	endpointReady  = 0
	endpointTarget = 1

	nodeTypes       = 0
	nodeStatuses    = 1
	nodeHeartbeats  = 2
	involvedKind    = 0
	involvedVersion = 1
	involvedName    = 2

	scalingTypes    = 0
	scalingStatuses = 1
)

const labelsPath = "spec.template.metadata.labels{}"

var plans = table{
	{deployments, []string{labelsPath, "spec.paused", "status.conditions[].type", "status.conditions[].status", "metadata.generation", "status.observedGeneration"}},
	{nodes, []string{"status.conditions[].type", "status.conditions[].status", "status.conditions[].lastHeartbeatTime"}},
	{replicaSets, []string{labelsPath, "status.conditions[]"}},
	{statefulSets, []string{labelsPath, "metadata.generation", "status.observedGeneration", "status.updatedReplicas"}},
	{daemonSets, []string{labelsPath, "metadata.generation", "status.observedGeneration", "status.updatedNumberScheduled", "status.numberMisscheduled"}},
	{jobs, []string{labelsPath, "status.active"}},
	{cronJobs, []string{"spec.jobTemplate." + labelsPath}},
	{services, []string{"spec.type", "spec.selector{}", "spec.publishNotReadyAddresses", "spec.ports[]", "spec.ports[].name", "spec.ports[].port", "status.loadBalancer.ingress[]", "spec.ports[].targetPort"}},
	{endpointSlices, []string{"metadata.annotations{}", "endpoints[]", "ports[]"}},
	{events, []string{"involvedObject.kind", "involvedObject.apiVersion", "involvedObject.name"}},
	{autoscalers, []string{"status.conditions[].type", "status.conditions[].status"}},
}

// endpointPaths are read of one endpoint after the other, until one is ready.
var endpointPaths = []string{"conditions.ready", "targetRef.name"}

func newReader(k *kind) *reader {
	r := &reader{kind: k}
	paths := plans.of(k.id)
	if paths == nil {
		return r
	}
	m, ok := schema.Of(k.APIVersion(), k.Kind.Name)
	if !ok {
		return r
	}
	r.plan, _ = object.NewPlan(m, paths...) // another version may lack a field: then documents are read
	if k.id == replicaSets {
		r.each, _ = object.NewPlan(m, "metadata.annotations{}")
	}
	if k.id == endpointSlices && r.plan != nil {
		number := schema.FieldNumber(k.APIVersion(), k.Kind.Name, "endpoints")
		r.each, _ = object.NewPlan(m.Field(number).Message(), endpointPaths...) // TestReaders
	}
	return r
}

// scan runs the plan, and reports whether its values are there.
func (r *reader) scan(o *object.Object) bool {
	raw := o.Packed()
	return r.plan != nil && raw != nil && raw[0] != '{' && r.plan.Scan(raw, &r.values) == nil
}

// facts returns what others need to know of an object, as far as its cells do not say so.
func (r *reader) facts(of *record) *facts {
	switch r.kind.id {
	case deployments, replicaSets:
		if !of.owned() {
			return &facts{runs: r.labels(of.object)}
		}
	case statefulSets, daemonSets:
		f := &facts{progress: r.progress(of)}
		if !of.owned() {
			f.runs = r.labels(of.object)
		}
		return f
	case jobs:
		f := &facts{runs: r.labels(of.object)}
		if r.scan(of.object) {
			f.active = r.values.Int(jobActive)
		}
		return f
	case cronJobs:
		return &facts{runs: r.labels(of.object)}
	case services:
		return &facts{service: r.service(of.object)}
	case endpointSlices:
		s, unready := r.slice(of)
		return &facts{slice: s, references: unready}
	}
	return noFacts
}

// labels returns the labels of the pods that a workload runs.
func (r *reader) labels(o *object.Object) object.Labels {
	if !r.scan(o) {
		return ""
	}
	r.packed = appendPairs(r.packed[:0], r.values.All(templateLabels))
	return object.Labels(r.packed)
}

// suspect reports whether an object may have causes, so that its document must be read.
func (r *reader) suspect(of *record, minor int) bool {
	o, cell := of.object, of.cell
	short := func() bool {
		have, want, ok := readiness(of.kind.columns, o)
		return !ok || have < want
	}
	if o.Deleting() {
		return true
	}
	switch r.kind.id {
	case nodes:
		return cell("Status") != "Ready" || o.Health() != object.Plain || skewWords(cell("Version"), minor) != "" || r.detected(o)
	case deployments:
		_, want, _ := readiness(of.kind.columns, o)
		updated, err := strconv.ParseInt(cell("Up-to-date"), 10, 64)
		available, err2 := strconv.ParseInt(cell("Available"), 10, 64)
		return short() || err != nil || err2 != nil || updated < want || available < want || !r.scan(o) || r.values.Int(pausedRollout) != 0 || r.failing() || r.unobserved(o, ownGeneration, ownObserved)
	case replicaSets:
		return !of.owned() && (short() || !r.scan(o) || r.values.Len(setConditions) > 0)
	case statefulSets:
		return short() || r.unobserved(o, rolloutGeneration, rolloutObserved)
	case daemonSets:
		available, err := strconv.ParseInt(cell("Available"), 10, 64)
		_, want, _ := readiness(of.kind.columns, o)
		return short() || err != nil || available < want || !r.scan(o) || r.values.Int(misscheduledPods) != 0 || r.unobserved(o, rolloutGeneration, rolloutObserved)
	case jobs:
		return o.Health() != object.OK
	case claims:
		return cell("Status") != "Bound"
	case volumes:
		return cell("Status") == "Failed" || cell("Status") == "Released"
	case budgets:
		return cell("Allowed Disruptions") == "0"
	case autoscalers:
		return !r.scan(o) || r.scalesBadly()
	case apiServices:
		return cell("Available") != "True"
	case namespaces, services, endpointSlices, storageClasses, ingressClasses, controllerRevisions:
		return false
	}
	return true
}

// unobserved reports whether a controller has not seen the last change of an object.
func (r *reader) unobserved(o *object.Object, generation, observed int) bool {
	return r.scan(o) && r.values.Int(generation) > r.values.Int(observed)
}

// detected reports whether a condition of a node is one that is no sign of health.
func (r *reader) detected(o *object.Object) bool {
	if !r.scan(o) {
		return true
	}
	for i := range r.values.Len(nodeTypes) {
		kind, _ := r.values.At(nodeTypes, i)
		status, _ := r.values.At(nodeStatuses, i)
		if badNodeCondition(string(kind.Bytes), string(status.Bytes)) {
			return true
		}
	}
	return false
}

// scalesBadly reports whether an autoscaler's conditions are not those of one that scales freely.
func (r *reader) scalesBadly() bool {
	if r.values.Len(scalingTypes) == 0 {
		return true
	}
	for i := range r.values.Len(scalingTypes) {
		kind, _ := r.values.At(scalingTypes, i)
		status, _ := r.values.At(scalingStatuses, i)
		if free := string(kind.Bytes) != "ScalingLimited"; free != (string(status.Bytes) == "True") {
			return true
		}
	}
	return false
}

// failing reports whether a Deployment's conditions are not those of a healthy one.
func (r *reader) failing() bool {
	for i := range r.values.Len(conditionTypes) {
		kind, _ := r.values.At(conditionTypes, i)
		status, _ := r.values.At(conditionStatuses, i)
		if healthy := string(kind.Bytes) != "ReplicaFailure"; healthy != (string(status.Bytes) == "True") {
			return true
		}
	}
	return false
}

// owned reports whether a controller answers for the object.
func (r *record) owned() bool {
	_, owned := r.object.ControllingOwner()
	return owned
}
