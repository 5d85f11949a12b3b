// Package revision is part of hop 7 of 8: it reads the revisions of a workload's pod template, and
// how far a rollout from one to another has come.
//
// In: the workload, its ReplicaSets or ControllerRevisions, and what is known of its pods. Out: a
// History, as data. It does no I/O.
package revision
