package related

import (
	"cmp"
	"sort"
	"strings"

	"watchglass/internal/object"
)

// counted are nodes that are alike and not in the graph.
type counted struct {
	like *likeness
	by   step
	from *node  // whose step led to the first of them
	in   string // the namespace, if they have but one
	n    int
}

// keep chooses what is in the graph: of those that are alike, as many as fit.
func (w *walk) keep(most int) (kept []*node, more []*counted) {
	if kept, more = w.reach(most); len(kept)+len(more) <= most {
		return kept, more
	}
	each := sort.Search(most, func(each int) bool {
		kept, more := w.reach(each + 1)
		return len(kept)+len(more) > most
	})
	return w.reach(max(each, 1))
}

// reach goes the ways from the focus. Of nodes that are alike it goes to the first
// ones, and counts the others.
func (w *walk) reach(each int) (kept []*node, more []*counted) {
	w.x.reaches++
	kept = append(kept, w.focus)
	for _, n := range w.order {
		if w.ancestors[n] {
			kept = append(kept, n)
		}
	}
	for _, n := range kept {
		n.reached = w.x.reaches
	}
	so, over := make(map[*likeness]int), make(map[*likeness]*counted)
	for i := 0; i < len(kept); i++ {
		for _, s := range w.next[kept[i]] {
			if s.to.reached == w.x.reaches {
				continue
			}
			s.to.reached = w.x.reaches
			if so[s.like]++; so[s.like] <= each {
				kept = append(kept, s.to)
				continue
			}
			c := over[s.like]
			if c == nil {
				c = &counted{like: s.like, by: s, from: kept[i], in: s.to.id.Namespace}
				over[s.like] = c
				more = append(more, c)
			}
			if c.n++; c.in != s.to.id.Namespace {
				c.in = ""
			}
		}
	}
	return kept, more
}

// draw writes down what was kept.
func (w *walk) draw(kept []*node, more []*counted, sight Sight) Graph {
	g, place := Graph{}, make(map[*node]int, len(kept))
	for i, n := range kept {
		place[n] = i
		g.Nodes = append(g.Nodes, n.show(sight))
	}
	g.Edges = w.plain(w.among(kept, place), kept)
	for _, c := range more {
		of := c.from.id
		id := ID{Resource: c.like.resource, Namespace: c.in}
		e := Edge{From: place[c.from], To: len(g.Nodes), Verb: c.by.verb}
		if !c.by.out {
			e.From, e.To = e.To, e.From
		}
		g.Nodes = append(g.Nodes, Node{ID: id, Kind: c.by.to.kind, More: c.n, Of: &of})
		g.Edges = append(g.Edges, e)
	}
	sortEdges(g.Edges)
	return g
}

// among are the relations between nodes that were kept.
func (w *walk) among(kept []*node, place map[*node]int) map[Edge]bool {
	all := make(map[Edge]bool)
	for i, n := range kept {
		for _, s := range n.says {
			j, ok := place[s.to]
			switch {
			case !ok || !s.holds():
			case s.back:
				all[Edge{j, i, s.verb}] = true
			default:
				all[Edge{i, j, s.verb}] = true
			}
		}
		if !n.chooses {
			continue
		}
		for j, pod := range kept {
			if pod.object != nil && pod.id.Resource == pods && pod.id.Namespace == n.id.Namespace && n.by.Matches(pod.object.Labels()) {
				all[Edge{i, j, Selects}] = true
			}
		}
	}
	return all
}

// plain leaves out what goes without saying: what an owner says already of another, or,
// of the focus's owners, what the focus does. The focus's own relations all stay.
func (w *walk) plain(all map[Edge]bool, kept []*node) (edges []Edge) {
	owners := make(map[int][]int)
	for e := range all {
		if e.Verb == Owns {
			owners[e.To] = append(owners[e.To], e.From)
		}
	}
	above := func(e Edge) bool {
		seen := map[int]bool{e.From: true}
		for line := []int{e.From}; len(line) > 0; line = line[1:] {
			for _, owner := range owners[line[0]] {
				if all[Edge{owner, e.To, e.Verb}] {
					return true
				}
				if !seen[owner] {
					seen[owner] = true
					line = append(line, owner)
				}
			}
		}
		return false
	}
	for e := range all {
		said := e.Verb != Owns && e.From != 0 && e.To != 0 &&
			(above(e) || w.ancestors[kept[e.From]] && all[Edge{0, e.To, e.Verb}])
		if !said {
			edges = append(edges, e)
		}
	}
	return edges
}

// show is a node as the graph has it.
func (n *node) show(sight Sight) Node {
	out := Node{ID: n.id, Kind: n.kind}
	if n.object == nil {
		stand, said := sight(n.id)
		if out.Stand = stand; said != nil {
			out.Said = said.Error()
		}
		return out
	}
	out.UID = n.object.UID()
	out.State, out.Tone = stateOf(n), object.ToneOfObject(n.kind, n.object, n.columns)
	return out
}

// states are the columns that tell how an object is, with what stands between, where
// that is not its status, or how many are ready.
var states = map[string]string{
	replicaSets: "Ready/Desired", daemonSets: "Ready/Desired", controllers: "Ready/Desired", services: "Type",
	budgets: "Allowed Disruptions", autoscalers: "Replicas", cronJobs: "Schedule", jobs: "Status",
}

// stateColumns are the columns that tell how an object is of any kind, the most telling
// first, whatever the case in which a definition writes them.
var stateColumns = []string{"Status", "Ready", "Phase", "State", "Succeeded", "Healthy", "Available", "Synced", "Installed"}

// stateOf is what the list of its kind shows of how an object is. A condition that is not met is
// told by its reason, if there is a column of that.
func stateOf(n *node) string {
	if words, ok := states[n.id.Resource]; ok {
		var parts []string
		for name := range strings.SplitSeq(words, "/") {
			text, _ := n.text(name)
			parts = append(parts, text)
		}
		if state := strings.Join(parts, "/"); state != "" {
			return state
		}
		done, _ := n.text("Completions") // jobs of servers before 1.30 have no status
		return done
	}
	for _, name := range stateColumns {
		text, ok := n.text(name)
		if !ok || text == "" || text == "<none>" {
			continue
		}
		reason, _ := n.text("Reason")
		switch text {
		case "True":
			return name
		case "False":
			return cmp.Or(reason, "Not "+strings.ToLower(name))
		case "Unknown":
			return cmp.Or(reason, text)
		}
		return text
	}
	return ""
}

// text is what the list of its kind shows of a node in a column, unless that ticks.
func (n *node) text(column string) (string, bool) {
	c, ok := cellOf(n.object, n.columns, column)
	return c.Text, ok && !c.Kind.Ticks()
}

// cellOf is what a list shows of an object in the column of a name, in whatever case that
// is written.
func cellOf(o *object.Object, columns []object.Column, name string) (object.Cell, bool) {
	for i, c := range columns {
		if strings.EqualFold(c.Name, name) {
			return o.Cell(columns, i), true
		}
	}
	return object.Cell{}, false
}

// sortEdges sorts by sort.Slice, as all is sorted here: the slices package would be
// compiled anew for each type, which cost 100 KB of what the browser loads.
func sortEdges(edges []Edge) {
	sort.Slice(edges, func(i, j int) bool { return edges[i].before(edges[j]) })
}

func (e Edge) before(o Edge) bool {
	return cmp.Or(e.From-o.From, e.To-o.To, int(e.Verb)-int(o.Verb)) < 0
}
