package port

import (
	"encoding/json"
	"time"

	"watchglass/internal/view"
)

// OpenOverview asks for the overview of a cluster, until the ID is closed. The hub answers with a
// Detail whose part is OverviewPart, and sends another whenever the overview changes.
type OpenOverview struct {
	ID      uint32 `json:"id"`
	Context string `json:"context,omitempty"`
	// Kinds are further kinds to look for problems in, by ID: custom ones, by their conditions. Another
	// OpenOverview of the same ID replaces them.
	Kinds []string `json:"kinds,omitempty"`
}

// OverviewPart is the part of a Detail with an Overview.
const OverviewPart = "overview"

// Problems is the resource of the list of problems, as the address names it. Its rows are made in
// the hub. The key of a row names what it is about: "checkout/deployments.apps:web:OOMKilled", or
// "nodes:node-7:NotReady" without a namespace.
const Problems = "problems"

// Gap is a list that something on the page rests on, and that is not known to be complete and current.
type Gap = view.Gap

// Partial is the state of a Gap whose list is of some namespaces only.
const Partial = view.Partial

// Unread is the state of a Gap whose list lacks objects that can't be read.
const Unread = view.Unread

// Overview says how a cluster is.
type Overview struct {
	Totals []Total `json:"totals"`
	// Rollouts are the last ten, newest first.
	Rollouts []Rollout `json:"rollouts"`
	// Errors and Warnings count the rows of the list of problems.
	Errors   int `json:"errors"`
	Warnings int `json:"warnings"`
	// Gaps are the lists that are not live, or not of the whole cluster. Waits says that objects that
	// changed lately may still turn out to be problems. Unserved says that the server has none of the kinds
	// that are checked. Clear is set only if there is no problem, none may turn out to be one, there is no
	// gap, and something is checked.
	Gaps     []Gap `json:"gaps,omitempty"`
	Waits    bool  `json:"waits,omitempty"`
	Unserved bool  `json:"unserved,omitempty"`
	Clear    bool  `json:"clear,omitempty"`
	// Unlisted are the pods that are not ready and in no row.
	Unlisted UnlistedPods `json:"unlisted,omitzero"`
	// Unchecked is how many custom kinds the server has in which nobody looks for problems.
	Unchecked int `json:"unchecked,omitempty"`
	// UncheckedKinds are the IDs of the first few of them, sorted.
	UncheckedKinds []string `json:"uncheckedKinds,omitempty"`
}

// UnlistedPods are the pods that a total counts and that no row is about.
type UnlistedPods struct {
	Pods  int       `json:"pods"`
	Since time.Time `json:"since"` // of the first
	Names []string  `json:"names"` // of some, in order: "checkout/web-1"
}

// Total is one count of the strip.
type Total struct {
	// Name is "nodes", "pods", "workloads" or "warnings".
	Name string `json:"name"`
	// Bad of Of objects are not well; of workloads, Bad is the number of their problems. Of is 0 for
	// warnings, which have no total: they are those that the server still keeps.
	Bad int `json:"bad"`
	Of  int `json:"of,omitempty"`
	// History has the values of Bad of the last 15 minutes, as package series has them.
	History []float32 `json:"history"`
	// Gap is the worst of the lists that it counts. The counts are complete only if it is live.
	Gap Gap `json:"gap"`
	// At is when the counts were last known to be true, if the lists are stale; zero if they never were.
	At time.Time `json:"at,omitzero"`
	// Resource and Filter are the address of the list that the total counts.
	Resource string `json:"resource"`
	Filter   string `json:"filter,omitempty"`
}

// Rollout is a change of a workload's pod template.
type Rollout struct {
	Resource  string    `json:"resource"`
	Namespace string    `json:"namespace"`
	Name      string    `json:"name"`
	At        time.Time `json:"at"`
	After     bool      `json:"after,omitempty"` // it was later than At: more is not known
	// Images are those that changed, at most three. There are none if something else changed.
	Images []ImageChange `json:"images,omitempty"`
	// Ready of Desired pods of the new template are ready.
	Ready   int `json:"ready"`
	Desired int `json:"desired"`
}

// ImageChange is a container's image before and after. From is empty for a new container.
type ImageChange struct {
	From string `json:"from,omitempty"`
	To   string `json:"to"`
}

// ReadOverview reads the document of a Detail.
func ReadOverview(doc []byte) (o Overview, err error) {
	err = json.Unmarshal(doc, &o)
	return o, err
}
