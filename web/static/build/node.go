//go:build !js

package main

import "slices"

// node is a basic block, or a loop of nodes, which begins with its first.
type node struct {
	block int
	loop  []node
}

// blocks yields the basic blocks of a node.
func (n node) blocks(yield func(int) bool) {
	if n.loop == nil {
		yield(n.block)
		return
	}
	for _, inner := range n.loop {
		for block := range inner.blocks {
			if !yield(block) {
				return
			}
		}
	}
}

// nodes returns the basic blocks in their order, with loops where there can be some.
func (f *flow) nodes() []node {
	row := make([]int, len(f.falls))
	for i := range row {
		row[i] = i
	}
	nodes, _ := f.nest(row, none)
	return nodes
}

// nest finds the loops in a row of basic blocks. If the row is itself one, it repeats from its first block, the
// header, and is refused if jumps back to others remain. Otherwise these are left to the switch.
//
// So every edge has something to branch to, or is left to the switch: an edge to a later block has the block that ends
// there, and an edge back has its loop. Only a jump can be left to the switch. Where control falls to the next block is
// an edge, too: outside of loops it leads to a later block, and a loop is refused if anything back is missing.
func (f *flow) nest(row []int, header int) (nodes []node, ok bool) {
	place := f.places(row)
	for at := 0; at < len(row); at++ {
		last := at - 1 // to jump back to it
		for _, e := range f.edges {
			if e.to == row[at] && e.to != header && place[e.from] > last {
				last = place[e.from]
			}
		}
		if last < at {
			nodes = append(nodes, node{block: row[at]})
			continue
		}
		inner, end, ok := f.loop(row, place, at, last)
		if !ok {
			if header != none {
				return nil, false
			}
			nodes = append(nodes, node{block: row[at]})
			continue
		}
		nodes, at = append(nodes, node{block: inner[0].block, loop: inner}), end
	}
	return nodes, true
}

// places returns where each basic block is in a row, none if it isn't.
func (f *flow) places(row []int) []int {
	place := slices.Repeat([]int{none}, len(f.falls))
	for i, block := range row {
		place[block] = i
	}
	return place
}

// loop makes a loop of the blocks of a row from first to last, and of what follows if it leads into it.
//
// It guarantees that control enters the loop only at its header. Edges from outside must all lead to the same block, which
// then is the header. The runtime enters the function in three ways:
//   - At block 0. A loop with it begins with it: it is first in its row, and later blocks that lead into the loop
//     become part of it.
//   - Behind a call, at the block after the one with the call. A block with a call is in no loop, so where it leads
//     to the next block, that counts as an edge from outside.
//   - At the call of deferred functions (deferreturn), to recover from a panic. Its block has a call, so it is in no loop.
func (f *flow) loop(row, place []int, first, last int) (inner []node, end int, ok bool) {
	header := none
	for grown := true; grown; {
		grown, header = false, none
		for _, e := range f.edges {
			from, to := place[e.from], place[e.to]
			switch {
			case to < first || to > last || from >= first && from <= last:
			case from > last:
				last, grown = from, true
			case header == none || header == e.to:
				header = e.to
			default:
				return nil, 0, false
			}
		}
	}
	for _, block := range row[first : last+1] {
		if f.resumes[block] {
			return nil, 0, false
		}
	}
	begin := first
	if header != none {
		begin = place[header]
	}
	inner, ok = f.nest(slices.Concat(row[begin:last+1], row[first:begin]), row[begin])
	return inner, last, ok
}
