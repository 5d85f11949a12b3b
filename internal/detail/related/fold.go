package related

import (
	"sort"

	"watchglass/internal/object/tone"
)

const (
	// unfolded is how many like nodes are shown one by one. More become a group.
	unfolded = 4
	// brokenShown is how many broken members a closed group still shows: they are what the user is
	// looking for.
	brokenShown = 3
)

// Group is a number of like nodes. It has a head, the node that stands for all of them; while the
// group is closed, of the members only some broken ones are nodes of their own.
type Group struct {
	Key    string // stays the same while members come and go
	Name   string // the same in short, for addresses: groups of one name open together
	Count  int
	States []StateCount // the worst first, then the most frequent
	Broken int          // how many of the members are broken
	// Hidden and HiddenBroken count the members that are not nodes of their own.
	Hidden, HiddenBroken int
	Open                 bool
	First, Last          string // names of the first and the last member
}

// StateCount is how many members of a group have a state. Those without one have "".
type StateCount struct {
	State string
	Tone  tone.Tone
	Count int
}

// Broken reports whether a node needs attention: its state is bad, it is missing, or it stands for
// such nodes.
func (n *Node) Broken() bool {
	if n.Heads {
		return n.Group.Broken > 0
	}
	return rank(n) > 0
}

// rank returns how bad a node's state is; 0 if it is not broken.
func rank(n *Node) int {
	switch {
	case n.Tone == tone.Failed, n.Presence == Missing:
		return 2
	case n.Tone == tone.Warning:
		return 1
	}
	return 0
}

// fold is a graph that is being folded.
type fold struct {
	g       Graph
	classes []string // of each node; "" if it is like no other
	groups  map[string]*Group
	members map[string][]int
	shown   []bool // of each node
	place   []int  // of each node in the new graph: its own if it is shown, else its head's
	heads   map[string]int
	out     Graph
}

// Fold returns the graph with like nodes gathered in groups: the head of each group, then those of
// its members that are shown. All members of an open group are shown. The focus comes first, as
// before.
func Fold(g Graph, open func(name string) bool) Graph {
	classes, names := classify(g)
	f := &fold{g: g, classes: classes, groups: make(map[string]*Group), members: make(map[string][]int), heads: make(map[string]int), shown: make([]bool, len(g.Nodes)), place: make([]int, len(g.Nodes))}
	for i, class := range classes {
		if class != "" && g.Nodes[i].More == 0 {
			f.members[class] = append(f.members[class], i)
		}
	}
	for class, members := range f.members {
		if len(members) > unfolded {
			f.groups[class] = f.group(class, names[class], members, open(names[class]))
		}
	}
	if len(f.groups) == 0 {
		return g
	}
	f.addNodes()
	f.addEdges()
	return f.out
}

// group counts the members of a group, and chooses those that are shown.
func (f *fold) group(class, name string, members []int, open bool) *Group {
	nodes := f.g.Nodes
	sort.Slice(members, func(i, j int) bool { return nodes[members[i]].ID.Compare(nodes[members[j]].ID) < 0 })
	g := &Group{Key: class, Name: name, Count: len(members), Open: open, First: nodes[members[0]].Name, Last: nodes[members[len(members)-1]].Name}
	for _, i := range members {
		g.count(&nodes[i])
	}
	sort.SliceStable(g.States, func(i, j int) bool {
		a, b := g.States[i], g.States[j]
		if x, y := severity(a.Tone), severity(b.Tone); x != y {
			return x > y
		}
		return a.Count > b.Count
	})
	left := brokenShown
	for worst := 2; worst > 0; worst-- {
		for _, i := range members {
			if left > 0 && rank(&nodes[i]) == worst {
				f.shown[i] = true
				left--
			}
		}
	}
	for _, i := range members {
		if f.shown[i] = f.shown[i] || open; f.shown[i] {
			continue
		}
		if g.Hidden++; rank(&nodes[i]) > 0 {
			g.HiddenBroken++
		}
	}
	return g
}

func severity(t tone.Tone) int {
	switch t {
	case tone.Failed:
		return 3
	case tone.Warning:
		return 2
	case tone.Pending:
		return 1
	}
	return 0
}

// count counts a member.
func (g *Group) count(n *Node) {
	state, as := n.Shown()
	if rank(n) > 0 {
		g.Broken++
	}
	for i := range g.States {
		if s := &g.States[i]; s.State == state && s.Tone == as {
			s.Count++
			return
		}
	}
	g.States = append(g.States, StateCount{state, as, 1})
}

// Shown returns the node's state in words, and its tone: what is known of an object that could not
// be read, too.
func (n *Node) Shown() (state string, as tone.Tone) {
	switch n.Presence {
	case Missing:
		return "not found", tone.Warning
	case Unknown:
		return "unknown", tone.Pending
	case Coming:
		return "…", tone.Pending
	}
	return n.State, n.Tone
}

// addNodes adds the nodes. A group stands where its first node was, its head before its members.
func (f *fold) addNodes() {
	add := func(i int) {
		f.place[i] = len(f.out.Nodes)
		n := f.g.Nodes[i]
		n.Group = f.groups[f.classes[i]]
		f.out.Nodes = append(f.out.Nodes, n)
	}
	for i, n := range f.g.Nodes {
		class := f.classes[i]
		g := f.groups[class]
		switch _, done := f.heads[class]; {
		case g == nil || n.More > 0:
			add(i)
		case !done:
			head := len(f.out.Nodes)
			f.heads[class] = head
			first := f.g.Nodes[f.members[class][0]]
			f.out.Nodes = append(f.out.Nodes, Node{ID: ID{Resource: n.Resource, Namespace: first.Namespace}, Kind: n.Kind, Group: g, Heads: true})
			for _, m := range f.members[class] {
				if f.place[m] = head; f.shown[m] {
					add(m)
				}
			}
		}
	}
}

// addEdges adds the relations. The head has those that all members have, instead of the members,
// and those of the members that are not shown.
func (f *fold) addEdges() {
	type have struct {
		sharedEdge
		member int
	}
	seen, count := make(map[have]bool), make(map[sharedEdge]int)
	for _, e := range f.g.Edges {
		for _, from := range []bool{true, false} {
			if s, member, ok := f.shared(e, from); ok && !seen[have{s, member}] {
				seen[have{s, member}] = true
				count[s]++
			}
		}
	}
	all := make(map[Edge]bool)
	for _, e := range f.g.Edges {
		now := Edge{f.place[e.From], f.place[e.To], e.Verb}
		inside := now.From == now.To && e.From != e.To
		for _, from := range []bool{true, false} {
			if s, member, ok := f.shared(e, from); ok && count[s] == f.groups[f.classes[member]].Count {
				now, inside = s.edge, false
				all[now] = true
			}
		}
		if !inside {
			all[now] = true
		}
	}
	for e := range all {
		f.out.Edges = append(f.out.Edges, e)
	}
	sortEdges(f.out.Edges)
}

// sharedEdge is a relation that the members of a group may share. The group is at one end of it.
type sharedEdge struct {
	edge Edge // with the head of the group at that end
	from bool
}

// shared returns what a relation is to the group at one end, and the member there. A relation
// within a group is nothing to it.
func (f *fold) shared(e Edge, from bool) (s sharedEdge, member int, ok bool) {
	s = sharedEdge{Edge{f.place[e.From], f.place[e.To], e.Verb}, from}
	end, member := &s.edge.To, e.To
	if from {
		end, member = &s.edge.From, e.From
	}
	g := f.groups[f.classes[member]]
	if g == nil || f.g.Nodes[member].More > 0 {
		return s, member, false
	}
	*end = f.heads[g.Key]
	return s, member, s.edge.From != s.edge.To
}

// memberships returns the head of each member of a group; -1 of the other nodes.
func (g Graph) memberships() []int {
	heads := g.groupHeads()
	for i, head := range heads {
		if head == i {
			heads[i] = -1
		}
	}
	return heads
}

// groupHeads returns the head of each member of a group; each other node is its own.
func (g Graph) groupHeads() []int {
	heads, of := make([]int, len(g.Nodes)), make(map[*Group]int)
	for i := range g.Nodes {
		if heads[i] = i; g.Nodes[i].Heads {
			of[g.Nodes[i].Group] = i
		}
	}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Group != nil && n.More == 0 {
			heads[i] = of[n.Group]
		}
	}
	return heads
}
