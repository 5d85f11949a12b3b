package list

import (
	"slices"
	"strings"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/problems"
	"watchglass/internal/wire"
)

// Memory is what a page remembers of namespaces, for users who may not list the whole
// cluster.
type Memory struct {
	Remembered []string        // nil until the page has said so
	Narrowed   map[string]bool // kinds that are listed namespace by namespace, by ID
}

// NewMemory returns a memory of a page that has not said anything.
func NewMemory() *Memory { return &Memory{Narrowed: make(map[string]bool)} }

// reported reports whether the page has said what it remembers.
func (m *Memory) reported() bool { return m.Remembered != nil }

// Wanted returns the namespaces to show to a user who may not list the whole cluster: those
// that are requested, else those of --namespaces, else those that the page remembers, else
// the kubeconfig's. Until the page has said what it remembers there are none.
func (m *Memory) Wanted(asked []string, w *wire.Welcome) []string {
	switch {
	case !m.reported() || w == nil:
		return nil
	case len(asked) > 0:
		return cluster.Distinct(asked)
	case w.Namespaces != "":
		return strings.Split(w.Namespaces, ",")
	case len(m.Remembered) > 0:
		return slices.Clone(m.Remembered)
	case w.Namespace != "":
		return []string{w.Namespace}
	}
	return nil
}

// named returns every namespace that is named anywhere, those to show first in front.
func (m *Memory) named(asked []string, w *wire.Welcome) []string {
	if w == nil {
		return nil
	}
	if w.Narrow {
		return []string{w.Namespace}
	}
	return cluster.Distinct(slices.Concat(m.Wanted(asked, w), m.Remembered, strings.Split(w.Namespaces, ","), []string{w.Namespace}))
}

// NameProblems has problems looked for in some kinds, and in namespaces if the user may not list the
// whole cluster.
func (m *Memory) NameProblems(c *cluster.Cluster, who any, asked, kinds []string) {
	w := problems.Wants{Kinds: kinds}
	if welcome := c.Client.Link().Welcome; welcome != nil && !welcome.Narrow {
		w.Namespaces = m.Wanted(asked, welcome)
	}
	c.Problems.Want(who, w)
}
