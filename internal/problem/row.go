package problem

import (
	"watchglass/internal/object/tone"
)

// Row is one cause of one owner: a line of the list of problems.
type Row struct {
	Resource, Kind, Namespace, Name string // the owner, or the object itself
	Reason                          string
	Words, Evidence                 string
	Severity                        tone.Tone
	Since                           int64 // unix seconds: the earliest of its objects
	Count                           int   // how many objects have the cause
	Of                              int   // of how many; 0 if unknown
	// Tab, Pod and Container are where to read on: the pod whose logs explain it, if any.
	Tab, Pod, Container string
}

// Key identifies the row: "deployments.apps/checkout/web/OOMKilled". Without a namespace that part
// is empty.
func (r Row) Key() string {
	return r.Resource + "/" + r.Namespace + "/" + r.Name + "/" + r.Reason
}
