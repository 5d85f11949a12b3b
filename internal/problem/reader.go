package problem

import (
	"strconv"

	"watchglass/internal/object"
)

// reader reads the facts of objects of one kind, and whether it is worth the time to read the whole
// document. It uses cells and, for what they do not show, a plan: a scan of a few fields.
type reader struct {
	kind   *kind
	plan   *object.Plan // nil if cells are enough
	values object.Values
}

// The slots of the plans.
var plans = map[string][]string{
	deployments: {"spec.paused", "status.conditions[].type", "status.conditions[].status"},
	replicaSets: {"metadata.annotations{}", "spec.template.spec.containers[].name", "spec.template.spec.containers[].image", "status.conditions[].type"},
	daemonSets:  {"status.numberMisscheduled"},
}

func newReader(k *kind) *reader {
	r := &reader{kind: k}
	paths, ok := plans[k.id]
	if !ok {
		return r
	}
	if m, ok := object.MessageOf(k.APIVersion(), k.Kind.Name); ok {
		plan, err := object.NewPlan(m, paths...)
		if err != nil {
			panic("problem: " + err.Error()) // TestReaders
		}
		r.plan = plan
	}
	return r
}

// scan runs the plan, and reports whether its values are there.
func (r *reader) scan(o *object.Object) bool {
	raw := o.Packed()
	return r.plan != nil && raw != nil && raw[0] != '{' && r.plan.Scan(raw, &r.values) == nil
}

// facts returns what others need to know of an object.
func (r *reader) facts(of *record) (f facts) {
	if climbs[r.kind.id] {
		f.controller = controllerOf(of.object)
		f.hash = of.object.Labels().Get("pod-template-hash")
	}
	switch r.kind.id {
	case deployments, replicaSets, statefulSets, daemonSets:
		_, f.desired, _ = readiness(of.columns, of.object)
	}
	if r.kind.id == replicaSets {
		f.template = r.template(of, f.controller)
	}
	return f
}

// suspect reports whether an object may have causes, so that its document must be read.
func (r *reader) suspect(of *record, minor int) bool {
	o := of.object
	cell := func(name string) string {
		if i := column(of.columns, name); i >= 0 {
			return o.Cell(of.columns, i).Text
		}
		return ""
	}
	have, want, ok := readiness(of.columns, o)
	switch r.kind.id {
	case nodes:
		return cell("Status") != "Ready" || o.Health() != object.Plain || skewWords(cell("Version"), minor) != ""
	case deployments:
		updated, err := strconv.ParseInt(cell("Up-to-date"), 10, 64)
		available, err2 := strconv.ParseInt(cell("Available"), 10, 64)
		return !ok || have < want || err != nil || err2 != nil || updated < want || available < want || !r.scan(o) || r.values.Int(0) != 0 || r.failing()
	case replicaSets:
		return !of.owned() && (!ok || have < want || !r.scan(o) || r.values.Len(3) > 0)
	case statefulSets:
		return !ok || have < want
	case daemonSets:
		available, err := strconv.ParseInt(cell("Available"), 10, 64)
		return !ok || have < want || err != nil || available < want || !r.scan(o) || r.values.Int(0) != 0
	case jobs:
		return o.Health() != object.OK
	}
	return true
}

// failing reports whether a Deployment's conditions are not those of a healthy one.
func (r *reader) failing() bool {
	for i := range r.values.Len(1) {
		kind, _ := r.values.At(1, i)
		status, _ := r.values.At(2, i)
		if healthy := string(kind.Bytes) != "ReplicaFailure"; healthy != (string(status.Bytes) == "True") {
			return true
		}
	}
	return false
}

// owned reports whether a controller answers for the object.
func (r *record) owned() bool { return r.facts.controller.Name != "" }
