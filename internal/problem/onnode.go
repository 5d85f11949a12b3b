package problem

import "strings"

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
	gone.Words = c.Brief + ", node " + c.onNode + " not found"
	return &gone
}
