package facts

import (
	"strconv"
	"strings"

	"watchglass/internal/object"
	"watchglass/internal/object/schema"
	"watchglass/internal/object/tone"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/text"
)

// Reader reads the facts of objects of one kind, and whether it is worth the time to read the whole
// document. It uses cells and, for what they do not show, a plan: a scan of a few fields.
type Reader struct {
	id     string
	native bool
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

var plans = text.Table{
	{kinds.Deployments, labelsPath, "spec.paused", "status.conditions[].type", "status.conditions[].status", "metadata.generation", "status.observedGeneration"},
	{kinds.Nodes, "status.conditions[].type", "status.conditions[].status", "status.conditions[].lastHeartbeatTime"},
	{kinds.ReplicaSets, labelsPath, "status.conditions[]"},
	{kinds.StatefulSets, labelsPath, "metadata.generation", "status.observedGeneration", "status.updatedReplicas"},
	{kinds.DaemonSets, labelsPath, "metadata.generation", "status.observedGeneration", "status.updatedNumberScheduled", "status.numberMisscheduled"},
	{kinds.Jobs, labelsPath, "status.active"},
	{kinds.CronJobs, "spec.jobTemplate." + labelsPath},
	{kinds.Services, "spec.type", "spec.selector{}", "spec.publishNotReadyAddresses", "spec.ports[]", "spec.ports[].name", "spec.ports[].port", "status.loadBalancer.ingress[]", "spec.ports[].targetPort"},
	{kinds.EndpointSlices, "metadata.annotations{}", "endpoints[]", "ports[]"},
	{kinds.Events, "involvedObject.kind", "involvedObject.apiVersion", "involvedObject.name"},
	{kinds.Autoscalers, "status.conditions[].type", "status.conditions[].status"},
}

// endpointPaths are read of one endpoint after the other, until one is ready.
var endpointPaths = []string{"conditions.ready", "targetRef.name"}

// NewReader returns a reader of a kind.
func NewReader(k *object.Kind) *Reader {
	r := &Reader{id: k.ID(), native: k.Native()}
	paths := plans.Of(r.id)
	if paths == nil {
		return r
	}
	m, ok := schema.Of(k.APIVersion(), k.Name)
	if !ok {
		return r
	}
	r.plan, _ = object.NewPlan(m, paths...) // another version may lack a field: then documents are read
	if r.id == kinds.ReplicaSets {
		r.each, _ = object.NewPlan(m, "metadata.annotations{}")
	}
	if r.id == kinds.EndpointSlices && r.plan != nil {
		number := schema.FieldNumber(k.APIVersion(), k.Name, "endpoints")
		r.each, _ = object.NewPlan(m.Field(number).Message(), endpointPaths...) // TestReaders
	}
	return r
}

// scan runs the plan, and reports whether its values are there.
func (r *Reader) scan(o *object.Object) bool {
	raw := o.Packed()
	return r.plan != nil && raw != nil && raw[0] != '{' && r.plan.Scan(raw, &r.values) == nil
}

// Facts returns what others need to know of an object, as far as its cells do not say so.
func (r *Reader) Facts(columns []object.Column, o *object.Object) *Facts {
	switch r.id {
	case kinds.Deployments, kinds.ReplicaSets:
		if !owned(o) {
			return &Facts{Runs: r.labels(o)}
		}
	case kinds.StatefulSets, kinds.DaemonSets:
		f := &Facts{Progress: r.progress(columns, o)}
		if !owned(o) {
			f.Runs = r.labels(o)
		}
		return f
	case kinds.Jobs:
		f := &Facts{Runs: r.labels(o)}
		if r.scan(o) {
			f.Active = r.values.Int(jobActive)
		}
		return f
	case kinds.CronJobs:
		return &Facts{Runs: r.labels(o)}
	case kinds.Services:
		return &Facts{Service: r.service(o)}
	case kinds.EndpointSlices:
		s, unready := r.slice(o)
		return &Facts{Slice: s, References: unready}
	}
	return None
}

// labels returns the labels of the pods that a workload runs.
func (r *Reader) labels(o *object.Object) object.Labels {
	if !r.scan(o) {
		return ""
	}
	r.packed = appendPairs(r.packed[:0], r.values.All(templateLabels))
	return object.Labels(r.packed)
}

// Suspect reports whether an object may have causes, so that its document must be read.
func (r *Reader) Suspect(columns []object.Column, o *object.Object, minor int) bool {
	cell := func(name string) string { return Cell(columns, o, name) }
	short := func() bool {
		have, want, ok := Readiness(columns, o)
		return !ok || have < want
	}
	if o.Deleting() {
		return true
	}
	switch r.id {
	case kinds.Nodes:
		return cell("Status") != "Ready" || o.Health() != tone.Plain || SkewWords(cell("Version"), minor) != "" || r.detected(o)
	case kinds.Deployments:
		_, want, _ := Readiness(columns, o)
		updated, err := strconv.ParseInt(cell("Up-to-date"), 10, 64)
		available, err2 := strconv.ParseInt(cell("Available"), 10, 64)
		return short() || err != nil || err2 != nil || updated < want || available < want || !r.scan(o) || r.values.Int(pausedRollout) != 0 || r.failing() || r.unobserved(o, ownGeneration, ownObserved)
	case kinds.ReplicaSets:
		return !owned(o) && (short() || !r.scan(o) || r.values.Len(setConditions) > 0)
	case kinds.StatefulSets:
		return short() || r.unobserved(o, rolloutGeneration, rolloutObserved)
	case kinds.DaemonSets:
		available, err := strconv.ParseInt(cell("Available"), 10, 64)
		_, want, _ := Readiness(columns, o)
		return short() || err != nil || available < want || !r.scan(o) || r.values.Int(misscheduledPods) != 0 || r.unobserved(o, rolloutGeneration, rolloutObserved)
	case kinds.Jobs:
		return o.Health() != tone.OK
	case kinds.Claims:
		return cell("Status") != "Bound"
	case kinds.Volumes:
		return cell("Status") == "Failed" || cell("Status") == "Released"
	case kinds.Budgets:
		return cell("Allowed Disruptions") == "0"
	case kinds.Autoscalers:
		return !r.scan(o) || r.scalesBadly()
	case kinds.APIServices:
		return cell("Available") != "True"
	case kinds.Namespaces, kinds.Services, kinds.EndpointSlices, kinds.StorageClasses, kinds.IngressClasses, kinds.ControllerRevisions:
		return false
	}
	return true
}

// unobserved reports whether a controller has not seen the last change of an object.
func (r *Reader) unobserved(o *object.Object, generation, observed int) bool {
	return r.scan(o) && r.values.Int(generation) > r.values.Int(observed)
}

// detected reports whether a condition of a node is one that is no sign of health.
func (r *Reader) detected(o *object.Object) bool {
	if !r.scan(o) {
		return true
	}
	for i := range r.values.Len(nodeTypes) {
		kind, _ := r.values.At(nodeTypes, i)
		status, _ := r.values.At(nodeStatuses, i)
		if BadNodeCondition(string(kind.Bytes), string(status.Bytes)) {
			return true
		}
	}
	return false
}

// scalesBadly reports whether an autoscaler's conditions are not those of one that scales freely.
func (r *Reader) scalesBadly() bool {
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
func (r *Reader) failing() bool {
	for i := range r.values.Len(conditionTypes) {
		kind, _ := r.values.At(conditionTypes, i)
		status, _ := r.values.At(conditionStatuses, i)
		if healthy := string(kind.Bytes) != "ReplicaFailure"; healthy != (string(status.Bytes) == "True") {
			return true
		}
	}
	return false
}

// owned reports whether a controller answers for an object.
func owned(o *object.Object) bool {
	_, is := o.ControllingOwner()
	return is
}

// LacksBody reports whether the rules read the body of an object, which its cells cannot replace, and the
// body is not here: it was lost, or history has only the metadata of an object that had lost it.
func (r *Reader) LacksBody(columns []object.Column, o *object.Object, minor int) bool {
	return (o.Lost() || object.OnlyMetadata(o) && r.native) && (r.plan != nil || r.Suspect(columns, o, minor))
}

// Heartbeat returns when a node's kubelet last reported; 0 if it does not say.
func (r *Reader) Heartbeat(o *object.Object) (at int64) {
	if !r.scan(o) {
		return 0
	}
	for _, v := range r.values.All(nodeHeartbeats) {
		at = max(at, v.Seconds())
	}
	return at
}

// Subject is the object that an event is about, as the event says.
type Subject struct{ Kind, Version, Name string }

// Involved reads what an event is about: as its cell has it, if its document was dropped.
func (r *Reader) Involved(columns []object.Column, o *object.Object) (v Subject) {
	if r.scan(o) {
		text := func(slot int) string { return string(r.values.Bytes(slot)) }
		return Subject{text(involvedKind), text(involvedVersion), text(involvedName)}
	}
	v.Kind, v.Name, _ = strings.Cut(Cell(columns, o, "Object"), "/")
	return v
}

// Revision returns the number of what an object says of a workload's pod template, which rises when the template is used
// again; 0 if the object is no revision. Its cells have the images.
func (r *Reader) Revision(columns []object.Column, o *object.Object) (number int64) {
	switch owner, _ := o.ControllingOwner(); {
	case r.id == kinds.ReplicaSets && owner.Kind == "Deployment":
		number = r.replicaSet(o)
	case r.id == kinds.ControllerRevisions && owner.Group == "apps" && Revised[owner.Kind] != "":
		number, _ = strconv.ParseInt(Cell(columns, o, "Revision"), 10, 64)
	}
	return number
}

const revisionKey = "deployment.kubernetes.io/revision"

// Revised are the kinds whose templates are ControllerRevisions, by their names.
var Revised = map[string]string{"StatefulSet": kinds.StatefulSets, "DaemonSet": kinds.DaemonSets}

// replicaSet reads the number of a ReplicaSet of a Deployment.
func (r *Reader) replicaSet(o *object.Object) (number int64) {
	raw := o.Packed()
	if raw == nil || raw[0] == '{' || r.each.Scan(raw, &r.one) != nil {
		return 0
	}
	for _, pair := range r.one.All(0) {
		if key, value, ok := pair.Pair(); ok && string(key) == revisionKey {
			number, _ = strconv.ParseInt(string(value), 10, 64)
		}
	}
	return number
}

// progress reads how far the last rollout of a StatefulSet or DaemonSet has come. Pods that are not
// updated are taken for ready, since the status does not say which ones are. Before the controller has
// seen the template, none is.
func (r *Reader) progress(columns []object.Column, o *object.Object) (p Progress) {
	p.Ready, p.Desired, _ = Readiness(columns, o)
	switch {
	case !r.scan(o):
	case r.values.Int(rolloutGeneration) > r.values.Int(rolloutObserved):
		p.Ready = 0
	default:
		updated := r.values.Int(rolloutUpdated)
		p.Ready = max(0, min(updated, p.Ready-(p.Desired-updated)))
	}
	return p
}
