package logs

import (
	"watchglass/internal/detail"
	"watchglass/internal/document"
	"watchglass/internal/object"
)

const cronJobs = "cronjobs.batch"

// selectorOf returns the label selector by which an owner selects its pods. Owners of other
// kinds have no logs. A CronJob selects the pods of any job; its own are those of its jobs.
func selectorOf(kind string, v document.Value) (selector string, ok bool) {
	s := v.At("spec", "selector")
	switch kind {
	case "services", "replicationcontrollers":
		return detail.LabelsText(s), true
	case cronJobs:
		return "job-name", true
	case "deployments.apps", "replicasets.apps", "statefulsets.apps", "daemonsets.apps", "jobs.batch":
		return detail.SelectorText(s), true
	}
	return "", false
}

// noLogs says why an object of a kind has no logs. Pods may belong to it all the same.
func noLogs(kind object.Kind) string {
	switch kind.ID() {
	case "nodes":
		return "There is no combined log for a node. Open one of its pods."
	case "namespaces":
		return "There is no combined log for a namespace. Open one of its pods."
	}
	return kind.Name + " objects have no logs of their own. Their pods, if any, are listed under Related."
}
