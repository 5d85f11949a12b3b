package revision

import "watchglass/internal/document"

// Input is what is known of a workload. A list that is not known is empty.
type Input struct {
	Workload  document.Value
	Stored    []document.Value // its ReplicaSets or ControllerRevisions
	HasStored bool             // these are all of them
	Pods      []Pod
	HasPods   bool
	Causes    []Cause                // what is wrong with the workload itself
	Why       func(pod string) Cause // why a pod is not ready; may be nil
}

// Cause is what is wrong with an object.
type Cause struct{ Reason, Words, Tone string }

// reader reads a History.
type reader struct {
	in       Input
	kind     string
	all      []*Revision // newest first
	target   int         // the revision with the workload's template; -1 if that is not stored
	observed bool        // by the workload's controller
}
