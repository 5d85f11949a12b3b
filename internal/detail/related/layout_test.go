package related

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
)

// randomGraph returns a graph with blocks, chains and cycles.
func randomGraph(r *rand.Rand, n int) Graph {
	g := Graph{Nodes: []Node{{ID: ID{deployments, "a", "web"}}}}
	resources := []string{pods, services, nodes, configMaps, replicaSets, claims}
	seen := make(map[Edge]bool)
	for i := 1; i < n; i++ {
		g.Nodes = append(g.Nodes, Node{ID: ID{resources[min(r.IntN(len(resources)*3), len(resources)*3-1)/3], "a", fmt.Sprintf("x%03d", i)}})
		for range 1 + r.IntN(2) {
			e := Edge{r.IntN(min(i, 12)), i, Verb(r.IntN(int(verbs)))}
			if r.IntN(6) == 0 {
				e.From, e.To = e.To, e.From
			}
			if !seen[e] {
				seen[e] = true
				g.Edges = append(g.Edges, e)
			}
		}
	}
	order(g)
	return g
}

func order(g Graph) {
	sortEdges(g.Edges)
}

// without returns a graph without one of its nodes.
func without(g Graph, gone int) Graph {
	out := Graph{Nodes: slices.Delete(slices.Clone(g.Nodes), gone, gone+1)}
	for _, e := range g.Edges {
		if e.From == gone || e.To == gone {
			continue
		}
		if e.From > gone {
			e.From--
		}
		if e.To > gone {
			e.To--
		}
		out.Edges = append(out.Edges, e)
	}
	return out
}

// checkApart checks that nodes do not overlap and are inside the drawing, and that every end of a
// line exists.
func checkApart(t *testing.T, g Graph, l *Layout) {
	t.Helper()
	for i, a := range l.Nodes {
		if a.X < 0 || a.Y < 0 || a.X+NodeWidth > l.Width || a.Y+NodeHeight > l.Height {
			t.Fatalf("%v is outside of %d × %d", a, l.Width, l.Height)
		}
		for _, b := range l.Nodes[:i] {
			if a.X < b.X+NodeWidth && b.X < a.X+NodeWidth && a.Y < b.Y+NodeHeight && b.Y < a.Y+NodeHeight {
				t.Fatalf("%v overlaps %v", a, b)
			}
		}
	}
	for i, a := range l.Blocks {
		for _, b := range l.Blocks[:i] {
			if a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H {
				t.Fatalf("block %v overlaps %v", a, b)
			}
		}
	}
	for _, line := range l.Lines {
		for _, end := range []int{line.From, line.To} {
			if end >= len(g.Nodes) || -1-end >= len(l.Blocks) {
				t.Fatalf("%v ends nowhere", line)
			}
		}
	}
}

// linesToEdges returns the relations that the lines stand for.
func linesToEdges(g Graph, l *Layout) map[Edge]bool {
	members := func(end int) (all []int) {
		if end >= 0 {
			return []int{end}
		}
		b := l.Blocks[-1-end]
		for i, p := range l.Nodes {
			if p.X >= b.X && p.X < b.X+b.W && p.Y >= b.Y && p.Y < b.Y+b.H {
				all = append(all, i)
			}
		}
		return all
	}
	out := make(map[Edge]bool)
	for _, line := range l.Lines {
		for _, from := range members(line.From) {
			for _, to := range members(line.To) {
				out[Edge{from, to, line.Verb}] = true
			}
		}
	}
	return out
}

func TestLayout(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 3))
		g := randomGraph(r, 2+r.IntN(120))
		l := Arrange(g, nil, Room{})
		checkApart(t, g, l)
		if again := Arrange(g, nil, Room{}); !reflect.DeepEqual(l, again) {
			t.Fatalf("seed %d: two drawings of the same", seed)
		}
		want := make(map[Edge]bool)
		for _, e := range g.Edges {
			want[e] = true
		}
		if got := linesToEdges(g, l); !reflect.DeepEqual(got, want) {
			t.Fatalf("seed %d: lines\n%v\nmean\n%v\nnot\n%v", seed, l.Lines, got, want)
		}
		for range 5 {
			g = without(g, 1+r.IntN(max(len(g.Nodes)-1, 1)))
			next := Arrange(g, l, Room{})
			checkApart(t, g, next)
			if l = next; len(g.Nodes) < 3 {
				break
			}
		}
	}
}

// TestKeepsPlaces checks that nothing moves when one of many like nodes is removed or added again.
func TestKeepsPlaces(t *testing.T) {
	g := deploymentWithPods(500)
	l := Arrange(g, nil, Room{})
	for _, gone := range []int{30, 250, 499} {
		fewer := without(g, gone)
		less := Arrange(fewer, l, Room{})
		for i, p := range less.Nodes {
			at := i
			if i >= gone {
				at++
			}
			if p != l.Nodes[at] {
				t.Fatalf("without %d, %d moved from %v to %v", gone, at, l.Nodes[at], p)
			}
		}
		if again := Arrange(g, less, Room{}); !reflect.DeepEqual(again.Nodes, l.Nodes) {
			t.Fatalf("with %d again, something moved", gone)
		}
	}
}

// scaleOf returns the scale at which a whole drawing fits in a room.
func scaleOf(room Room, l *Layout) float64 {
	return min(1, float64(room.Width)/float64(l.Width), float64(room.Height)/float64(l.Height))
}

// rooms are those of a phone, of a drawer beside a list, and of a full screen.
var rooms = []Room{{340, 560}, {480, 560}, {530, 760}, {700, 900}, {1340, 760}, {1880, 940}}

// TestFits checks that no drawing is cut off at its sides, whatever its size and room, and that a
// drawing of a few nodes is legible as a whole.
func TestFits(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 7))
		n := 2 + r.IntN(250)
		g := randomGraph(r, n)
		for _, room := range rooms {
			l := Arrange(g, nil, room)
			checkApart(t, g, l)
			if float64(l.Width)*MinScale > float64(room.Width) {
				t.Errorf("seed %d: %d nodes in %v are %d wide", seed, n, room, l.Width)
			}
			most := room.Width * room.Height / 50000
			if scale := scaleOf(room, l); n <= most && scale < MinScale {
				t.Errorf("seed %d: %d nodes in %v are shown at %.2f", seed, n, room, scale)
			}
		}
	}
	for _, room := range rooms {
		if l := Arrange(deploymentWithPods(500), nil, room); float64(l.Width)*MinScale > float64(room.Width) {
			t.Errorf("a crowd in %v is %d wide", room, l.Width)
		}
	}
}

// TestCourse checks that a drawing runs from left to right in a wide room and from top to bottom in
// a high one, and that it does not turn for a small gain.
func TestCourse(t *testing.T) {
	chain := Graph{}
	for i := range 6 {
		chain.Nodes = append(chain.Nodes, Node{ID: ID{configMaps, "a", fmt.Sprint("x", i)}})
		if i > 0 {
			chain.Edges = append(chain.Edges, Edge{i - 1, i, Owns})
		}
	}
	wide := Arrange(chain, nil, Room{1700, 700})
	high := Arrange(chain, wide, Room{500, 900})
	if wide.Down || !high.Down || scaleOf(Room{500, 900}, high) < 1 {
		t.Errorf("down: %v, then %v", wide.Down, high.Down)
	}
	if little := Arrange(chain, wide, Room{1450, 700}); little.Down {
		t.Error("it turned for a little")
	}
	if again := Arrange(chain, high, Room{1200, 700}); !again.Down {
		t.Error("it turned although it fits")
	}
	if hidden := Arrange(chain, nil, Room{}); hidden.Down {
		t.Error("it turned where nobody knows how much room there is")
	}
}

// deploymentWithPods returns a deployment with many pods on a few nodes, behind a service.
func deploymentWithPods(n int) Graph {
	g := Graph{Nodes: []Node{{ID: ID{deployments, "a", "web"}}, {ID: ID{replicaSets, "a", "web-1"}}, {ID: ID{services, "a", "web"}}}, Edges: []Edge{{0, 1, Owns}}}
	const machines = 20
	for i := range machines {
		g.Nodes = append(g.Nodes, Node{ID: ID{nodes, "", fmt.Sprintf("node-%02d", i)}})
	}
	for i := len(g.Nodes); i < n; i++ {
		g.Nodes = append(g.Nodes, Node{ID: ID{pods, "a", fmt.Sprintf("web-1-%04d", i)}})
		g.Edges = append(g.Edges, Edge{1, i, Owns}, Edge{2, i, Selects}, Edge{i, 3 + i%machines, Runs})
	}
	order(g)
	return g
}

// TestBlock checks that many like nodes form a block about as wide as high, with one line to it.
func TestBlock(t *testing.T) {
	g := deploymentWithPods(500)
	l := Arrange(g, nil, Room{})
	for _, b := range l.Blocks {
		if b.W > 3*b.H || b.H > 6*b.W {
			t.Errorf("a block of %d × %d", b.W, b.H)
		}
	}
	if owned := slices.IndexFunc(l.Lines, func(l Line) bool { return l.From == 1 && l.Verb == Owns && l.To < 0 }); owned < 0 {
		t.Error("no line leads to the block")
	}
}

// BenchmarkLayout lays out 500 nodes.
func BenchmarkLayout(b *testing.B) {
	for name, g := range map[string]Graph{"crowd": deploymentWithPods(500), "random": randomGraph(rand.New(rand.NewPCG(1, 2)), 500)} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Arrange(g, nil, Room{})
			}
		})
	}
}

// TestTree checks that each edge is in exactly one row, that each node is in at least one, and that
// no row has a node twice below it.
func TestTree(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 5))
		g := randomGraph(r, 1+r.IntN(60))
		edges, shown, above := make(map[int]int), make(map[int]bool), []map[int]bool{{}}
		for _, row := range Tree(g) {
			shown[row.Node] = true
			if row.Depth >= len(above) {
				t.Fatalf("seed %d: %v is below nothing", seed, row)
			}
			if at := above[row.Depth]; at[row.Node] {
				t.Fatalf("seed %d: %v is there twice", seed, row)
			} else {
				at[row.Node] = true
			}
			above = append(above[:row.Depth+1], map[int]bool{})
			for _, n := range row.Edges {
				edges[n]++
				if e := g.Edges[n]; e.From != row.Node && e.To != row.Node {
					t.Fatalf("seed %d: %v is not of %d", seed, e, row.Node)
				}
			}
		}
		for i := range g.Edges {
			if edges[i] != 1 {
				t.Fatalf("seed %d: %v is told %d times", seed, g.Edges[i], edges[i])
			}
		}
		if len(shown) != len(g.Nodes) {
			t.Fatalf("seed %d: %d of %d nodes", seed, len(shown), len(g.Nodes))
		}
	}
}

// TestTreeOfService checks that a node reached in two ways appears once.
func TestTreeOfService(t *testing.T) {
	id := func(resource, name string) Node { return Node{ID: ID{resource, "a", name}} }
	g := Graph{
		Nodes: []Node{id(services, "web"), id(endpoints, "web-x"), id(ingresses, "web"), id(nodes, "n"), id(pods, "web-1"), id(pods, "web-2")},
		Edges: []Edge{{0, 1, Owns}, {0, 1, Routes}, {0, 4, Selects}, {0, 5, Selects}, {1, 4, Routes}, {2, 0, Routes}, {4, 3, Runs}, {5, 3, Runs}},
	}
	var got []string
	for _, row := range Tree(g) {
		line := fmt.Sprint(row.Depth, " ", g.Nodes[row.Node].Resource, " ", g.Nodes[row.Node].Name)
		for _, n := range row.Edges {
			line += fmt.Sprint(" ", g.Edges[n])
		}
		got = append(got, line)
	}
	want := []string{
		"0 services web",
		"1 endpointslices.discovery.k8s.io web-x {0 1 owns} {0 1 routes to}",
		"0 pods web-1 {0 4 selects} {1 4 routes to}",
		"1 nodes n {4 3 runs on}",
		"0 pods web-2 {0 5 selects}",
		"1 nodes n {5 3 runs on}",
		"0 ingresses.networking.k8s.io web {2 0 routes to}",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant\n%q", got, want)
	}
}
