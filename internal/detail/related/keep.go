package related

import (
	"cmp"
	"sort"

	"watchglass/internal/object"
)

// omittedNodes is a number of like nodes that are not in the graph.
type omittedNodes struct {
	group     *nodeGroup
	by        step
	from      *node  // the node whose step led to the first of them
	namespace string // their namespace, if they share one
	count     int
}

// keep chooses the nodes of the graph: of like nodes, as many as fit.
func (w *walk) keep(most int) (kept []*node, more []*omittedNodes) {
	if kept, more = w.reach(most); len(kept)+len(more) <= most {
		return kept, more
	}
	each := sort.Search(most, func(each int) bool {
		kept, more := w.reach(each + 1)
		return len(kept)+len(more) > most
	})
	return w.reach(max(each, 1))
}

// reach walks from the focus. Of like nodes it follows the first each, and counts the others.
func (w *walk) reach(each int) (kept []*node, more []*omittedNodes) {
	w.x.walks++
	kept = append(kept, w.focus)
	for _, n := range w.order {
		if w.ancestors[n] {
			kept = append(kept, n)
		}
	}
	for _, n := range kept {
		n.lastWalk = w.x.walks
	}
	counts, omitted := make(map[*nodeGroup]int), make(map[*nodeGroup]*omittedNodes)
	for i := 0; i < len(kept); i++ {
		for _, s := range w.next[kept[i]] {
			if s.to.lastWalk == w.x.walks {
				continue
			}
			s.to.lastWalk = w.x.walks
			if counts[s.group]++; counts[s.group] <= each {
				kept = append(kept, s.to)
				continue
			}
			c := omitted[s.group]
			if c == nil {
				c = &omittedNodes{group: s.group, by: s, from: kept[i], namespace: s.to.id.Namespace}
				omitted[s.group] = c
				more = append(more, c)
			}
			if c.count++; c.namespace != s.to.id.Namespace {
				c.namespace = ""
			}
		}
	}
	return kept, more
}

// draw returns the graph of the nodes that were kept.
func (w *walk) draw(kept []*node, more []*omittedNodes, presence PresenceFunc) Graph {
	g, place := Graph{}, make(map[*node]int, len(kept))
	for i, n := range kept {
		place[n] = i
		g.Nodes = append(g.Nodes, n.show(presence))
	}
	g.Edges = w.withoutRedundant(w.among(kept, place), kept)
	for _, c := range more {
		of := c.from.id
		id := ID{Resource: c.group.resource, Namespace: c.namespace}
		e := Edge{From: place[c.from], To: len(g.Nodes), Verb: c.by.verb}
		if !c.by.out {
			e.From, e.To = e.To, e.From
		}
		g.Nodes = append(g.Nodes, Node{ID: id, Kind: c.by.to.kind, More: c.count, Of: &of})
		g.Edges = append(g.Edges, e)
	}
	sortEdges(g.Edges)
	return g
}

// among returns the relations between the nodes that were kept.
func (w *walk) among(kept []*node, place map[*node]int) map[Edge]bool {
	all := make(map[Edge]bool)
	for i, n := range kept {
		for _, s := range n.links {
			j, ok := place[s.to]
			switch {
			case !ok || !w.x.holds(s):
			case s.back:
				all[Edge{j, i, s.verb}] = true
			default:
				all[Edge{i, j, s.verb}] = true
			}
		}
		if !n.selects {
			continue
		}
		for j, pod := range kept {
			if pod.object != nil && pod.id.Resource == pods && pod.id.Namespace == n.id.Namespace && n.selector.Matches(pod.object.Labels()) {
				all[Edge{i, j, Selects}] = true
			}
		}
	}
	return all
}

// withoutRedundant leaves out redundant relations: one that an owner of the node has too, and one
// of the focus's owners that the focus has too. All relations of the focus itself stay.
func (w *walk) withoutRedundant(all map[Edge]bool, kept []*node) (edges []Edge) {
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
		redundant := e.Verb != Owns && e.From != 0 && e.To != 0 &&
			(above(e) || w.ancestors[kept[e.From]] && all[Edge{0, e.To, e.Verb}])
		if !redundant {
			edges = append(edges, e)
		}
	}
	return edges
}

// show returns the graph's node.
func (n *node) show(presence PresenceFunc) Node {
	out := Node{ID: n.id, Kind: n.kind}
	if n.object == nil {
		known, reason := presence(n.id)
		if out.Presence = known; reason != nil {
			out.Error = reason.Error()
		}
		return out
	}
	out.UID = n.object.UID()
	out.State, out.Tone = object.State(n.kind, n.object, n.columns), object.ToneOfObject(n.kind, n.object, n.columns)
	return out
}

// sortEdges uses sort.Slice, like all sorting in this package: the slices package is compiled
// for each type, which added 100 KB to what the browser downloads.
func sortEdges(edges []Edge) {
	sort.Slice(edges, func(i, j int) bool { return edges[i].before(edges[j]) })
}

func (e Edge) before(o Edge) bool {
	return cmp.Or(e.From-o.From, e.To-o.To, int(e.Verb)-int(o.Verb)) < 0
}
