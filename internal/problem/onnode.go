package problem

import (
	"slices"
	"strings"

	"watchglass/internal/problem/facts"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/rule"
	"watchglass/internal/problem/text"
)

// Causes of pods that follow from their node: a node that is lost has its own row, and its pods have
// none beside it.

// nodeOf returns the node on which causes depend; "" if they depend on none.
func nodeOf(causes []rule.Cause) string {
	for i := range causes {
		if causes[i].OnNode != "" {
			return causes[i].OnNode
		}
	}
	return ""
}

// byNode reports whether a cause follows from a node that is not ready.
func (e *Engine) byNode(c *rule.Cause) bool {
	if c.OnNode == "" {
		return false
	}
	r := e.records[facts.ID{Resource: kinds.Nodes, Name: c.OnNode}]
	return r != nil && r.Object != nil && !strings.HasPrefix(r.cell("Status"), "Ready")
}

// mayHold reports whether a cause that byNode leaves out holds after all if its node is ready. That is not known of a node of
// which only the metadata is known, as in a recording.
func (e *Engine) mayHold(c *rule.Cause, now int64) bool {
	return e.records[facts.ID{Resource: kinds.Nodes, Name: c.OnNode}].cell("Status") == "" && c.Holds(now)
}

// ofGoneNode returns a cause that follows from its node, with words that say so if the node does not exist.
// Nothing on it will answer any more.
func (e *Engine) ofGoneNode(c *rule.Cause) *rule.Cause {
	if c.OnNode == "" || !e.known(kinds.Nodes) {
		return c
	}
	if r := e.records[facts.ID{Resource: kinds.Nodes, Name: c.OnNode}]; r != nil && r.Object != nil {
		return c
	}
	gone := *c
	gone.Words, gone.Brief = c.Brief+", node "+c.OnNode+" not found", c.Brief+", node not found"
	return &gone
}

// node returns the node to which a pod is bound; "" if the object is none, or is bound to none.
func (r *record) node() string {
	if r.ID.Resource != kinds.Pods {
		return ""
	}
	if name := r.cell("Node"); name != "<none>" && kinds.IsName(name) {
		return name
	}
	return ""
}

// recount has the rows of a node made anew, which say how many of its pods are not ready.
func (e *Engine) recount(id facts.ID) {
	if id.Resource != kinds.Nodes {
		return
	}
	if r := e.records[id]; r != nil {
		e.markDirty(r)
	}
}

// addPods adds how many pods of a lost node are not ready, as the total of pods counts them, which of them,
// and how many are being deleted.
func (e *Engine) addPods(row *Row) {
	id := facts.ID{Resource: row.Resource, Name: row.Name}
	if id.Resource != kinds.Nodes || row.Reason != "NotReady" {
		return
	}
	var unready []string
	leaving := int64(0)
	for r := range e.dependents[id] {
		switch {
		case r.ID.Resource != kinds.Pods || r.Object == nil:
		case r.Object.Deleting():
			leaving++
		case facts.Counts(kinds.Pods, r.kind.columns, r.Object):
			unready = append(unready, r.Object.Key())
		}
	}
	slices.Sort(unready)
	tail := ""
	if n := int64(len(unready)); n > 0 {
		tail = ", " + text.Count(n, "pod") + " not ready: " + text.Names(unready)
	}
	if leaving > 0 {
		tail += ", " + text.Count(leaving, "pod") + " terminating"
	}
	if tail = text.Clip(tail, text.Most/2); tail != "" {
		row.Words = text.Clip(strings.TrimSuffix(row.Words, "."), text.Most-len(tail)) + tail
	}
}
