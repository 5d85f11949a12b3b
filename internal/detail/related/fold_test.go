package related

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"watchglass/internal/object/tone"
)

// withStates gives the nodes of a graph random states.
func withStates(r *rand.Rand, g Graph) Graph {
	for i := range g.Nodes {
		n := &g.Nodes[i]
		switch r.IntN(12) {
		case 0:
			n.State, n.Tone = "CrashLoopBackOff", tone.Failed
		case 1:
			n.State, n.Tone = "Running", tone.Warning
		case 2:
			n.Presence = Missing
		case 3:
			n.Presence = Coming
		default:
			n.State, n.Tone = "Running", tone.OK
		}
	}
	return g
}

// likeGraph returns a random graph with crowds of like nodes, some of which have relations of their
// own.
func likeGraph(r *rand.Rand) Graph {
	g := randomGraph(r, 2+r.IntN(30))
	for crowd := range r.IntN(6) {
		parent, resource, verb := r.IntN(len(g.Nodes)), []string{pods, nodes, claims, endpoints}[r.IntN(4)], Verb(r.IntN(int(verbs)))
		before := len(g.Nodes)
		for i := range 1 + r.IntN(24) {
			g.Nodes = append(g.Nodes, Node{ID: ID{resource, "a", fmt.Sprintf("c%d-%02d", crowd, i)}})
			g.Edges = append(g.Edges, Edge{parent, len(g.Nodes) - 1, verb})
			if other := r.IntN(before); other != parent && r.IntN(3) > 0 {
				g.Edges = append(g.Edges, Edge{len(g.Nodes) - 1, other, Runs})
			}
		}
	}
	order(g)
	return withStates(r, g)
}

// counted is what a graph says about its objects, however many of them are in groups.
type counted struct {
	objects, broken int
	states          map[string]int
}

func countAll(g Graph) counted {
	c := counted{states: make(map[string]int)}
	for i := range g.Nodes {
		switch n := &g.Nodes[i]; {
		case n.Heads:
			c.objects += n.Group.Count
			c.broken += n.Group.Broken
			for _, s := range n.Group.States {
				c.states[s.State+string(s.Tone)] += s.Count
			}
		case n.Group == nil || n.More > 0:
			c.objects++
			state, as := n.Shown()
			c.states[state+string(as)]++
			if as == tone.Failed || as == tone.Warning {
				c.broken++
			}
		}
	}
	return c
}

// TestFold checks on random graphs that a folded one has every object once, on its own or counted
// in a group, with its state; that no relation is lost or invented; and that a closed group shows
// its worst members.
func TestFold(t *testing.T) {
	groups := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 11))
		g := likeGraph(r)
		folded := Fold(g, func(name string) bool { return len(name)%2 == 0 })
		if folded.Nodes[0].ID != g.Nodes[0].ID || folded.Nodes[0].Group != nil {
			t.Fatalf("seed %d: the focus is %+v", seed, folded.Nodes[0])
		}
		if got, want := fmt.Sprint(countAll(folded)), fmt.Sprint(countAll(g)); got != want {
			t.Fatalf("seed %d: %s, want %s", seed, got, want)
		}
		groups += checkMembers(t, g, folded)
		checkRelations(t, g, folded)
	}
	if groups < 300 {
		t.Fatalf("%d groups: that shows little", groups)
	}
}

// checkMembers checks which members each group shows, and returns the number of groups.
func checkMembers(t *testing.T, g, folded Graph) (groups int) {
	t.Helper()
	shown := make(map[*Group][]*Node)
	for i := range folded.Nodes {
		if n := &folded.Nodes[i]; n.Group != nil && !n.Heads {
			shown[n.Group] = append(shown[n.Group], n)
		}
	}
	for i := range folded.Nodes {
		n := folded.Nodes[i]
		if !n.Heads {
			continue
		}
		groups++
		failed, broken := 0, 0
		for _, m := range shown[n.Group] {
			if m.Broken() {
				broken++
			}
			if rank(m) == 2 {
				failed++
			}
		}
		all := 0
		for _, s := range n.Group.States {
			if s.Tone == tone.Failed || s.State == "not found" {
				all += s.Count
			}
		}
		want := min(n.Group.Broken, brokenShown)
		if n.Group.Open {
			want = n.Group.Count
		}
		if len(shown[n.Group]) != want || !n.Group.Open && (broken != want || failed != min(all, brokenShown)) || n.Group.Hidden != n.Group.Count-want {
			t.Fatalf("%+v shows %d, of these %d broken and %d failed", n.Group, len(shown[n.Group]), broken, failed)
		}
		if n.Group.Count <= unfolded {
			t.Fatalf("a group of %d", n.Group.Count)
		}
	}
	return groups
}

// checkRelations checks that each relation is in the folded graph, at the objects or the heads of
// their groups, and that nothing else is.
func checkRelations(t *testing.T, g, folded Graph) {
	t.Helper()
	classes, _ := classify(g)
	own, heads := make(map[ID]int), make(map[string]int)
	for i, n := range folded.Nodes {
		if n.Heads {
			heads[n.Group.Key] = i
		} else {
			own[n.ID] = i
		}
	}
	ends := func(i int) (all []int) {
		if at, ok := own[g.Nodes[i].ID]; ok {
			all = append(all, at)
		}
		if at, ok := heads[classes[i]]; ok {
			all = append(all, at)
		}
		return all
	}
	have, meant := make(map[Edge]bool), make(map[Edge]bool)
	for _, e := range folded.Edges {
		have[e] = true
	}
	for _, e := range g.Edges {
		found := classes[e.From] != "" && classes[e.From] == classes[e.To]
		for _, from := range ends(e.From) {
			for _, to := range ends(e.To) {
				meant[Edge{from, to, e.Verb}] = true
				found = found || have[Edge{from, to, e.Verb}]
			}
		}
		if !found {
			t.Fatalf("%v %v %v is lost", g.Nodes[e.From].ID, e.Verb, g.Nodes[e.To].ID)
		}
	}
	for e := range have {
		if !meant[e] {
			t.Fatalf("%v %v %v is invented", folded.Nodes[e.From], e.Verb, folded.Nodes[e.To])
		}
	}
}

// TestFoldDeployment checks the groups of a deployment: its pods, of which two are broken, and the
// nodes that they run on. The live ReplicaSet is not among the old ones.
func TestFoldDeployment(t *testing.T) {
	g := deploymentWithPods(40) // 3, 20 nodes, 17 pods
	for i := range 6 {
		g.Nodes = append(g.Nodes, Node{ID: ID{replicaSets, "a", fmt.Sprint("old-", i)}})
		g.Edges = append(g.Edges, Edge{0, len(g.Nodes) - 1, Owns})
	}
	for i := range g.Nodes {
		if g.Nodes[i].Resource == pods {
			g.Nodes[i].State, g.Nodes[i].Tone = "Running", tone.OK
		}
	}
	g.Nodes[30].State, g.Nodes[30].Tone = "CrashLoopBackOff", tone.Failed
	g.Nodes[33].State, g.Nodes[33].Tone = "Running", tone.Warning
	order(g)
	tell := func(open string) (all []string) {
		for _, n := range Fold(g, func(name string) bool { return name == open }).Nodes {
			if n.Heads {
				all = append(all, fmt.Sprint(n.Group.Name, " ", n.Group.Count, " ", n.Group.States, n.Group.Open))
			} else {
				all = append(all, n.Name)
			}
		}
		return all
	}
	want := []string{ // three nodes have no pod
		"web", "web-1", "web", "node-00", "node-01", "node-02", "nodes/pods 17 [{  17}] false",
		"pods/web-1 17 [{CrashLoopBackOff failed 1} {Running warning 1} {Running ok 15}] false", "web-1-0030", "web-1-0033",
		"replicasets/web 6 [{  6}] false",
	}
	got := tell("")
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
	if n := len(tell("pods/web-1")); n != len(tell(""))+15 {
		t.Errorf("with its pods: %d", n)
	}
}

// TestFoldedShape checks that a folded graph is laid out and listed as any other, that the members
// of a group are in its layer and below its head, and that keys reach every node.
func TestFoldedShape(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 13))
		g := Fold(likeGraph(r), func(string) bool { return r.IntN(3) == 0 })
		l := Arrange(g, nil, rooms[seed%uint64(len(rooms))])
		checkApart(t, g, l)
		heads := g.memberships()
		for i, head := range heads {
			if head >= 0 && l.Layers[i] != l.Layers[head] {
				t.Fatalf("seed %d: %v is not in the layer of its group", seed, g.Nodes[i])
			}
		}
		checkListed(t, g, heads)
		checkReached(t, g, l)
	}
}

// checkListed checks that each relation is in one row, that each node has one, and that the first
// row of a member of a group is below one of its head, or told by a relation of its own.
func checkListed(t *testing.T, g Graph, heads []int) {
	t.Helper()
	edges, shown, above := make(map[int]int), make(map[int]bool), []int{}
	for _, row := range Tree(g) {
		above = append(above[:row.Depth], row.Node)
		if head := heads[row.Node]; head >= 0 && row.Edges == nil && (row.Depth == 0 || above[row.Depth-1] != head) {
			t.Fatalf("%v is not below its group", g.Nodes[row.Node])
		}
		shown[row.Node] = true
		for _, n := range row.Edges {
			edges[n]++
		}
	}
	for i := range g.Edges {
		if edges[i] != 1 {
			t.Fatalf("%v is told %d times", g.Edges[i], edges[i])
		}
	}
	if len(shown) != len(g.Nodes) {
		t.Fatalf("%d of %d nodes", len(shown), len(g.Nodes))
	}
}

// checkReached checks that arrow keys lead from the focus to all nodes.
func checkReached(t *testing.T, g Graph, l *Layout) {
	t.Helper()
	reached := map[int]bool{0: true}
	for line := []int{0}; len(line) > 0; line = line[1:] {
		for _, way := range []Direction{Left, Up, Right, Down} {
			if to := l.Step(g, line[0], way); !reached[to] {
				reached[to] = true
				line = append(line, to)
			}
		}
	}
	if len(reached) != len(g.Nodes) {
		t.Fatalf("keys reach %d of %d nodes", len(reached), len(g.Nodes))
	}
}

// TestStep checks where the arrow keys lead in a drawing from left to right, and that they turn with
// it.
func TestStep(t *testing.T) {
	g := deploymentWithPods(40)
	g = Fold(g, func(string) bool { return false })
	name := func(i int) string { return g.Nodes[i].Resource + " " + g.Nodes[i].Name }
	for _, c := range []struct {
		room        Room
		back, forth Direction
	}{{Room{1700, 700}, Left, Right}, {Room{500, 900}, Up, Down}} {
		l := Arrange(g, nil, c.room)
		var way []string
		at := 0
		for range 3 {
			at = l.Step(g, at, c.forth)
			way = append(way, name(at))
		}
		if want := []string{"replicasets.apps web-1", "pods ", "nodes "}; !slices.Equal(way, want) {
			t.Errorf("in %v: %q", c.room, way)
		}
		if at = l.Step(g, l.Step(g, at, c.back), c.back); name(at) != "replicasets.apps web-1" {
			t.Errorf("in %v, back: %s", c.room, name(at))
		}
	}
}

// TestBrokenPaths checks that marked relations lead from everything broken to the focus, and that
// nothing else is marked.
func TestBrokenPaths(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 17))
		g := Fold(likeGraph(r), func(string) bool { return r.IntN(2) == 0 })
		nodes, edges := g.BrokenPaths()
		of := g.groupHeads()
		reached := map[int]bool{0: true}
		for range g.Nodes {
			for i, e := range g.Edges {
				if from, to := of[e.From], of[e.To]; edges[i] && reached[from] != reached[to] {
					reached[from], reached[to] = true, true
				}
			}
		}
		for i := range g.Nodes {
			if g.Nodes[i].Broken() && !reached[of[i]] {
				t.Fatalf("seed %d: nothing leads from %v to the focus", seed, g.Nodes[i])
			}
			if nodes[i] && !reached[of[i]] {
				t.Fatalf("seed %d: %v is on no way", seed, g.Nodes[i])
			}
		}
	}
	g := deploymentWithPods(30)
	g.Nodes[25].Tone = tone.Failed
	nodes, edges := g.BrokenPaths()
	for i, e := range g.Edges {
		if want := e == (Edge{0, 1, Owns}) || e == (Edge{1, 25, Owns}); edges[i] != want {
			t.Errorf("%v: %v", e, edges[i])
		}
	}
	for i, marked := range nodes {
		if marked != (i < 2) {
			t.Errorf("%v: %v", g.Nodes[i], marked)
		}
	}
	l := Arrange(g, nil, Room{})
	for _, line := range l.Lines {
		if broken := line.Verb == Owns && line.To != 0; line.Broken != broken {
			t.Errorf("%+v", line)
		}
	}
}

// BenchmarkFold folds, lists and lays out 500 nodes, as the page does with each change.
func BenchmarkFold(b *testing.B) {
	g := withStates(rand.New(rand.NewPCG(1, 3)), deploymentWithPods(500))
	for name, open := range map[string]bool{"closed": false, "open": true} {
		b.Run(name, func(b *testing.B) {
			var folded Graph
			b.ReportAllocs()
			for b.Loop() {
				folded = Fold(g, func(string) bool { return open })
				Tree(folded)
				Arrange(folded, nil, Room{556, 700})
			}
			b.ReportMetric(float64(len(folded.Nodes)), "nodes")
		})
	}
}
