package timeline

import (
	"strings"

	"watchglass/internal/object"
)

// Rule folds changes that say nothing to people. A change is folded if rules cover each of the fields
// that it is of, and counts for the first of them.
type Rule struct {
	Name  string
	Words string // what it folds
	// covers reports whether the rule covers a field of a kind; nil: the rule is about whole changes.
	covers func(k *object.Kind, path string) bool
}

// The rules that are about whole changes, by index in Rules.
const (
	foundByList = iota
	normalEvents
	expiredEvents
	lostNodes
)

// Rules are all rules, in the order in which they apply.
var Rules = []Rule{
	foundByList:   {"Existing objects", "objects that already existed when the tab began to watch them, or did again", nil},
	normalEvents:  {"Normal events", "events that are no warnings", nil},
	expiredEvents: {"Expired events", "events that the cluster forgets, usually after an hour", nil},
	lostNodes:     {"Pods of lost nodes", "pods that are not ready since their node stopped reporting, or ready again since it reports: the node's own entry says so", nil},
	{"Leases", "times at which a Lease was renewed or acquired", func(k *object.Kind, path string) bool {
		return k.Name == "Lease" && (path == "spec.renewTime" || path == "spec.acquireTime")
	}},
	{"Leader election", "annotations of Endpoints and ConfigMaps that a leader renews", func(_ *object.Kind, path string) bool {
		return path == "metadata.annotations[control-plane.alpha.kubernetes.io/leader]"
	}},
	{"Heartbeats of nodes", "times at which a kubelet reported", func(k *object.Kind, path string) bool {
		return k.Name == "Node" && strings.HasSuffix(path, "].lastHeartbeatTime")
	}},
	{"Condition times", "times of conditions whose status stays", func(_ *object.Kind, path string) bool {
		return strings.HasPrefix(path, "status.conditions[") && (strings.HasSuffix(path, "Time") || strings.HasSuffix(path, ".observedGeneration"))
	}},
	{"Endpoints", "addresses of Services, which follow their pods", func(k *object.Kind, path string) bool {
		return k.Name == "EndpointSlice" && strings.HasPrefix(path, "endpoints") || k.Name == "Endpoints" && strings.HasPrefix(path, "subsets") || strings.HasPrefix(path, "metadata.annotations[endpoints.kubernetes.io/")
	}},
	{"Notes of controllers", "annotations that controllers and kubectl apply write for themselves", func(_ *object.Kind, path string) bool {
		note, ok := strings.CutPrefix(path, "metadata.annotations[")
		return ok && (strings.HasPrefix(note, "deployment.kubernetes.io/") || strings.HasPrefix(note, "pv.kubernetes.io/") || strings.HasPrefix(note, "node.alpha.kubernetes.io/") || note == "kubectl.kubernetes.io/last-applied-configuration]")
	}},
	{"Status only", "status without a change of phase, of a condition or of restarts", func(k *object.Kind, path string) bool {
		return strings.HasPrefix(path, "status.") && !significant(k, path)
	}},
	{"Managed fields and versions", "what the API server notes about each write", func(_ *object.Kind, path string) bool {
		switch path {
		case "metadata.managedFields", "metadata.resourceVersion", "metadata.generation", "metadata.selfLink", "metadata.deletionGracePeriodSeconds":
			return true
		}
		return false
	}},
}

// significant reports whether a field of a status matters: its phase, its conditions' status and its
// restarts. Of a pod's conditions, the status of Ready does: every new pod gets its conditions.
func significant(k *object.Kind, path string) bool {
	switch {
	case path == "status.phase":
		return true
	case strings.HasPrefix(path, "status.conditions["):
		name, ok := conditionOf(path)
		return ok && (k.Name != "Pod" || name == "Ready" && !strings.HasSuffix(path, "]"))
	}
	return strings.HasSuffix(path, "].restartCount")
}

// conditionOf returns the name of the condition whose status a field is, or that is the field as a whole, since it
// was added or removed.
func conditionOf(path string) (name string, ok bool) {
	name, ok = strings.CutPrefix(path, "status.conditions[")
	if !ok {
		return "", false
	}
	if whole, ok := strings.CutSuffix(name, "]"); ok {
		return whole, true
	}
	return strings.CutSuffix(name, "].status")
}

// ruleOf returns the number of the first rule that covers a field, from 1; 0 if none does.
func ruleOf(k *object.Kind, path string) uint8 {
	for i := range Rules {
		if covers := Rules[i].covers; covers != nil && covers(k, path) {
			return uint8(i + 1)
		}
	}
	return 0
}
