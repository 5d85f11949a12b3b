package related

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// orderPasses is how many times the order of the blocks is improved.
const orderPasses = 8

// sort orders the blocks of each layer by what they are connected to. Blocks of the previous
// layout keep their order; new ones are inserted between them.
func (d *drawing) sort() {
	sort.Slice(d.blocks, func(i, j int) bool {
		a, b := d.blocks[i], d.blocks[j]
		return cmp.Or(a.layer-b.layer, strings.Compare(a.key, b.key)) < 0
	})
	fresh := make([]bool, len(d.blocks))
	anew := true
	for i, b := range d.blocks {
		previous := d.previous(b)
		if fresh[i] = previous == nil; previous != nil {
			b.order, anew = previous.order, false
		}
	}
	if anew {
		d.spread()
	}
	connections := d.connections()
	for range orderPasses {
		for i, b := range d.blocks {
			if fresh[i] && len(connections[i]) > 0 {
				sum := 0.0
				for _, other := range connections[i] {
					sum += d.blocks[other].order
				}
				b.order = sum / float64(len(connections[i]))
			}
		}
		if d.byOrder(); anew {
			d.spread()
		}
	}
}

func (d *drawing) previous(b *block) *block {
	if d.before == nil {
		return nil
	}
	return d.before.blocks[b.key]
}

// byOrder sorts ranked. It does not sort blocks, because joined refers to blocks by index.
func (d *drawing) byOrder() {
	d.ranked = slices.Clone(d.blocks)
	sort.Slice(d.ranked, func(i, j int) bool {
		a, b := d.ranked[i], d.ranked[j]
		return cmp.Or(a.layer-b.layer, cmp.Compare(a.order, b.order), strings.Compare(a.key, b.key)) < 0
	})
}

// spread sets the order of each layer's blocks to the middle of each, relative to the middle of
// the layer.
func (d *drawing) spread() {
	if d.ranked == nil {
		d.byOrder()
	}
	for from := 0; from < len(d.ranked); {
		to, length := from, -blockGap
		for ; to < len(d.ranked) && d.ranked[to].layer == d.ranked[from].layer; to++ {
			across, _ := d.arrangement.size(d.ranked[to])
			length += across + blockGap
		}
		at := -length / 2
		for _, b := range d.ranked[from:to] {
			across, _ := d.arrangement.size(b)
			b.order = float64(at) + float64(across)/2
			at += across + blockGap
		}
		from = to
	}
}

// connections returns, for each block, the indexes of the blocks it is connected to, one per
// relation.
func (d *drawing) connections() [][]int {
	place := make(map[*block]int, len(d.blocks))
	for i, b := range d.blocks {
		place[b] = i
	}
	all := make([][]int, len(d.blocks))
	for _, e := range d.g.Edges {
		a, b := place[d.of[e.From]], place[d.of[e.To]]
		if a != b {
			all[a], all[b] = append(all[a], b), append(all[b], a)
		}
	}
	return all
}

// layout returns the layout, moved so that no coordinate is negative.
func (d *drawing) layout() *Layout {
	l := &Layout{Down: d.arrangement.down, Layers: d.layer, arrangement: d.arrangement, blocks: make(map[string]*block), slot: make(map[string]int), layer: make(map[string]int), Nodes: make([]Point, len(d.g.Nodes))}
	left, top := 0, 0
	for _, b := range d.blocks {
		left, top = min(left, b.x), min(top, b.y)
	}
	shown := make(map[*block]int)
	for _, b := range d.ranked {
		l.blocks[b.key] = b
		l.Width, l.Height = max(l.Width, b.x-left+b.width()), max(l.Height, b.y-top+b.height())
		for _, i := range b.members {
			at := d.slots[i]
			l.Nodes[i] = Point{b.x - left + at/b.rows*(NodeWidth+gapAcross), b.y - top + at%b.rows*(NodeHeight+gapDown)}
			key := d.key(i)
			l.slot[key], l.layer[key] = at, b.layer
		}
		if len(b.members) > 1 {
			shown[b] = len(l.Blocks)
			l.Blocks = append(l.Blocks, Block{b.x - left, b.y - top, b.width(), b.height()})
		}
	}
	l.Lines = d.lines(shown)
	return l
}

// lines returns the lines to draw. A relation that all nodes of a block have is drawn once; those of
// a group's head lead to the frame around the group.
func (d *drawing) lines(shown map[*block]int) []Line {
	lines := make([]Line, len(d.g.Edges))
	for i, e := range d.g.Edges {
		lines[i] = Line{From: d.frame(e.From, shown), To: d.frame(e.To, shown), Verb: e.Verb}
	}
	merge := func(end func(*Line) *int) {
		type bundle struct {
			b     *block
			other Line
		}
		count := make(map[bundle]int)
		of := func(l Line) (bundle, bool) {
			at := end(&l)
			if *at < 0 {
				return bundle{}, false
			}
			b := d.of[*at]
			_, ok := shown[b]
			*at = 0
			return bundle{b, l}, ok
		}
		for _, l := range lines {
			if s, ok := of(l); ok {
				count[s]++
			}
		}
		done := make(map[bundle]bool)
		lines = slices.DeleteFunc(lines, func(l Line) bool {
			s, ok := of(l)
			if !ok || count[s] < len(s.b.members) {
				return false
			}
			if done[s] {
				return true
			}
			done[s] = true
			return false
		})
		for i, l := range lines {
			if s, ok := of(l); ok && done[s] {
				*end(&lines[i]) = -1 - shown[s.b]
			}
		}
	}
	merge(func(l *Line) *int { return &l.To })
	merge(func(l *Line) *int { return &l.From })
	d.markBroken(lines, shown)
	return lines
}

// frame returns the end of a line at a node.
func (d *drawing) frame(node int, shown map[*block]int) int {
	if b, ok := shown[d.of[node]]; ok && d.g.Nodes[node].Heads {
		return -1 - b
	}
	return node
}

// markBroken marks the lines of the relations that lead to something broken.
func (d *drawing) markBroken(lines []Line, shown map[*block]int) {
	at := make(map[Line]int, len(lines))
	for i, l := range lines {
		at[l] = i
	}
	ends := func(node int) [2]int {
		if b, ok := shown[d.of[node]]; ok {
			return [2]int{node, -1 - b}
		}
		return [2]int{node, node}
	}
	_, edges := d.g.BrokenPaths()
	for i, broken := range edges {
		if !broken {
			continue
		}
		e := d.g.Edges[i]
		for _, from := range ends(e.From) {
			for _, to := range ends(e.To) {
				if line, ok := at[Line{From: from, To: to, Verb: e.Verb}]; ok {
					lines[line].Broken = true
				}
			}
		}
	}
}
