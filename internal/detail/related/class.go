package related

import (
	"slices"
	"strings"
)

// classifier finds which nodes are alike.
type classifier struct {
	g      Graph
	edges  [][]int // of each node
	owner  []int   // of each node, or -1
	via    []int   // of each node: the edge by which it is reached from the focus, or -1
	class  []string
	names  map[string]string
	counts map[string]int
}

// classify returns the class of each node, and the short name of each class. Nodes of one class
// are of one kind and have the same owner, or are related in the same way to the same object or to
// like ones; and either all of them own something or none does. The focus, its owners and nodes
// that stand for no object have no class.
func classify(g Graph) (classes []string, names map[string]string) {
	n := len(g.Nodes)
	c := &classifier{g: g, edges: make([][]int, n), owner: make([]int, n), via: make([]int, n), class: make([]string, n), names: make(map[string]string), counts: make(map[string]int)}
	for i := range n {
		c.owner[i], c.via[i] = -1, -1
	}
	for i, e := range g.Edges {
		if e.From == e.To {
			continue
		}
		c.edges[e.From] = append(c.edges[e.From], i)
		c.edges[e.To] = append(c.edges[e.To], i)
		if e.Verb == Owns && c.owner[e.To] < 0 {
			c.owner[e.To] = e.From
		}
	}
	if n > 0 {
		c.walk(g.Lineage())
	}
	return c.class, c.names
}

// walk goes through the graph in circles around the focus. Nodes of a circle are classified
// together, since what the next one is related to must be known.
func (c *classifier) walk(apart []bool) {
	reached := make([]bool, len(c.g.Nodes))
	reached[0] = true
	for circle := []int{0}; len(circle) > 0; {
		var next []int
		for _, i := range circle {
			for _, n := range c.edges[i] {
				if other := c.g.Edges[n].From + c.g.Edges[n].To - i; !reached[other] {
					reached[other], c.via[other] = true, n
					next = append(next, other)
				}
			}
		}
		for _, i := range next {
			if n := &c.g.Nodes[i]; !apart[i] && n.Resource != "" && (n.Name != "" || n.More > 0) {
				c.class[i] = c.classOf(i)
			}
		}
		for _, i := range next {
			if c.class[i] != "" && c.g.Nodes[i].More == 0 {
				c.counts[c.class[i]]++
			}
		}
		circle = next
	}
}

// classOf returns the class of a node, and names it.
func (c *classifier) classOf(i int) string {
	resource := c.g.Nodes[i].Resource
	var owns []string
	for _, n := range c.edges[i] {
		if e := c.g.Edges[n]; e.Verb == Owns && e.From == i && !slices.Contains(owns, c.g.Nodes[e.To].Resource) {
			owns = append(owns, c.g.Nodes[e.To].Resource)
		}
	}
	slices.Sort(owns)
	var how, parent, name string
	if owner := c.owner[i]; owner >= 0 {
		how = "owned by"
		parent, name = c.identity(owner, false)
	} else {
		e := c.g.Edges[c.via[i]]
		how = e.Verb.Back()
		if e.From == i {
			how = e.Verb.String()
		}
		parent, name = c.identity(e.From+e.To-i, true)
	}
	class := strings.Join([]string{resource, how, parent, strings.Join(owns, " ")}, "\x00")
	plural, _, _ := strings.Cut(resource, ".")
	c.names[class] = plural + "/" + strings.ReplaceAll(name, ",", "_")
	return class
}

// identity returns what identifies a node among the parents of others, and a name for it: those of
// its class if it is one of a group. A parent that does not own the others stands for its kind if it
// is itself owned: it does not matter which of a ReplicaSet's pods runs on a node.
func (c *classifier) identity(i int, byKind bool) (key, name string) {
	n := c.g.Nodes[i]
	plural, _, _ := strings.Cut(n.Resource, ".")
	switch grouped := c.class[i] != "" && c.counts[c.class[i]] > unfolded; {
	case byKind && i > 0 && (grouped || c.owner[i] >= 0):
		return n.Resource, plural
	case grouped:
		return c.class[i], plural
	}
	return n.Resource + " " + n.Namespace + "/" + n.Name, n.Name
}

// Lineage marks the focus, its owners and their owners.
func (g Graph) Lineage() []bool {
	marks := make([]bool, len(g.Nodes))
	if len(marks) == 0 {
		return marks
	}
	marks[0] = true
	for line := []int{0}; len(line) > 0; line = line[1:] {
		for _, e := range g.Edges {
			if e.Verb == Owns && e.To == line[0] && !marks[e.From] {
				marks[e.From] = true
				line = append(line, e.From)
			}
		}
	}
	return marks
}
