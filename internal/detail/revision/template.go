package revision

import (
	"maps"
	"reflect"

	"watchglass/internal/document"
)

// Kinds that store revisions, by their IDs.
const (
	ReplicaSets         = "replicasets.apps"
	ControllerRevisions = "controllerrevisions.apps"
)

// StoredAs returns the kind that stores the revisions of a workload; "" if it has none.
func StoredAs(workload document.Value) string {
	if workload.TextAt("apiVersion") != "apps/v1" {
		return ""
	}
	switch workload.TextAt("kind") {
	case "Deployment":
		return ReplicaSets
	case "StatefulSet", "DaemonSet":
		return ControllerRevisions
	}
	return ""
}

// hashLabel is what a Deployment adds to the labels of its template.
const hashLabel = "pod-template-hash"

// Template returns the pod template of a workload, ReplicaSet or ControllerRevision, without what
// controllers add to it. The data of a ControllerRevision is a patch.
func Template(v document.Value) document.Value {
	template := v.Get("spec.template")
	if !template.Exists() {
		template = v.Get("data.spec.template")
	}
	out := without(template, "$patch")
	meta := without(template.At("metadata"), "creationTimestamp")
	if labels := template.At("metadata", "labels"); labels.Exists() {
		meta["labels"] = without(labels, hashLabel)
	}
	out["metadata"] = meta
	return document.Of(out)
}

// without returns a copy of the members of an object, except for one.
func without(v document.Value, name string) map[string]any {
	members, _ := v.Any().(map[string]any)
	out := make(map[string]any, len(members)+1)
	maps.Copy(out, members)
	delete(out, name)
	return out
}

// SameTemplate reports whether two templates, as Template returns them, are equal.
func SameTemplate(a, b document.Value) bool { return reflect.DeepEqual(a.Any(), b.Any()) }
