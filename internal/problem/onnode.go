package problem

import (
	"slices"
	"strings"
)

// Causes of pods that follow from their node: a node that is lost has its own row, and its pods have
// none beside it.

// nodeOf returns the node on which causes depend; "" if they depend on none.
func nodeOf(causes []Cause) string {
	for i := range causes {
		if causes[i].onNode != "" {
			return causes[i].onNode
		}
	}
	return ""
}

// byNode reports whether a cause follows from a node that is not ready.
func (e *Engine) byNode(c *Cause) bool {
	if c.onNode == "" {
		return false
	}
	r := e.records[ID{Resource: nodes, Name: c.onNode}]
	return r != nil && r.object != nil && !strings.HasPrefix(r.cell("Status"), "Ready")
}

// mayHold reports whether a cause that byNode leaves out holds after all if its node is ready. That is not known of a node of
// which only the metadata is known, as in a recording.
func (e *Engine) mayHold(c *Cause, now int64) bool {
	return e.records[ID{Resource: nodes, Name: c.onNode}].cell("Status") == "" && c.holds(now)
}

// ofGoneNode returns a cause that follows from its node, with words that say so if the node does not exist.
// Nothing on it will answer any more.
func (e *Engine) ofGoneNode(c *Cause) *Cause {
	if c.onNode == "" || !e.known(nodes) {
		return c
	}
	if r := e.records[ID{Resource: nodes, Name: c.onNode}]; r != nil && r.object != nil {
		return c
	}
	gone := *c
	gone.Words, gone.Brief = c.Brief+", node "+c.onNode+" not found", c.Brief+", node not found"
	return &gone
}

// node returns the node to which a pod is bound; "" if the object is none, or is bound to none.
func (r *record) node() string {
	if r.id.Resource != pods {
		return ""
	}
	if name := r.cell("Node"); name != "<none>" && isName(name) {
		return name
	}
	return ""
}

// recount has the rows of a node made anew, which say how many of its pods are not ready.
func (e *Engine) recount(id ID) {
	if id.Resource != nodes {
		return
	}
	if r := e.records[id]; r != nil {
		e.markDirty(r)
	}
}

// addPods adds how many pods of a lost node are not ready, as the total of pods counts them, which of them,
// and how many are being deleted.
func (e *Engine) addPods(row *Row) {
	id := ID{Resource: row.Resource, Name: row.Name}
	if id.Resource != nodes || row.Reason != "NotReady" {
		return
	}
	var unready []string
	leaving := int64(0)
	for r := range e.dependents[id] {
		switch {
		case r.id.Resource != pods || r.object == nil:
		case r.object.Deleting():
			leaving++
		case counts(pods, r.kind.columns, r.object):
			unready = append(unready, r.object.Key())
		}
	}
	slices.Sort(unready)
	tail := ""
	if n := int64(len(unready)); n > 0 {
		tail = ", " + count(n, "pod") + " not ready: " + names(unready)
	}
	if leaving > 0 {
		tail += ", " + count(leaving, "pod") + " terminating"
	}
	if tail = clip(tail, mostText/2); tail != "" {
		row.Words = clip(strings.TrimSuffix(row.Words, "."), mostText-len(tail)) + tail
	}
}
