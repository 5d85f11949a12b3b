//go:build !js

package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// straighten returns a code section in which functions jump directly. A goroutine may have to continue behind any
// call, so Go's compiler makes of a function a switch (br_table) over its basic blocks, in a loop, and jumps by
// saying which is next and beginning the loop again:
//
//	loop
//	  block block block
//	    local.get $next
//	    br_table 0 1 2
//	  end
//	  (block 0) if i32.const 2 local.set $next br 3 end
//	  end
//	  (block 1)
//	  end
//	  (block 2)
//	end
//
// As the blocks are nested in their order, the jump to a later one can be a br_if of its block, here of 1. A jump
// back becomes one to a loop around the blocks that it repeats, if nothing else leads into their midst; after a
// call in it something may, so loops with calls stay as they are. Without jumps to it, the outer loop goes.
//
// That is less to send, to compile and to do. It also keeps the browser from optimizing what runs once: it
// takes a function for busy by the bytes of code that its jumps back span, which were all of them.
func straighten(section []byte) ([]byte, error) {
	r := reader{b: section}
	n := r.uint()
	out := binary.AppendUvarint(make([]byte, 0, len(section)), uint64(n))
	var b body
	var p prover
	for i := 0; i < n && !r.bad; i++ {
		if err := b.read(r.take(r.uint())); err != nil {
			return nil, fmt.Errorf("function %d: %w", i, err)
		}
		straight := b.straighten()
		if !bytes.Equal(straight, b.bytes) {
			if err := p.prove(&b, straight); err != nil {
				return nil, fmt.Errorf("function %d: %w", i, err)
			}
		}
		out = append(binary.AppendUvarint(out, uint64(len(straight))), straight...)
	}
	if r.bad || len(r.b) > 0 {
		return nil, errModule
	}
	return out, nil
}

// straighten returns the body with direct jumps, or as it is if it has no dispatch, or one that Go does not write.
func (b *body) straighten() []byte {
	d, ok := b.dispatch()
	if !ok {
		return b.bytes
	}
	w := writer{body: b, dispatch: d, flow: b.flow(d)}
	if w.odd {
		return b.bytes
	}
	w.nodes, _ = w.nest(w.all(), none)
	w.number()
	if w.write(false); w.back {
		w.write(true)
	}
	return w.out
}

// none is no block.
const none = -1

// flow says where control goes from basic block to basic block.
type flow struct {
	edges   []edge
	resumes []bool // by block: whether a goroutine may be resumed behind it
	falls   []bool // by block: whether it leads to the next
	odd     bool   // there is a branch that Go does not write
}

type edge struct{ from, to int }

// flow reads the branches of the basic blocks.
func (b *body) flow(d dispatch) flow {
	n := len(d.blocks)
	f := flow{resumes: make([]bool, n), falls: make([]bool, n)}
	for i, block := range d.blocks {
		depth, open := 0, n-1-i // in the block; blocks of the dispatch around it
		f.falls[i] = true
		for at := block.begin; at < block.end; at++ {
			switch op := b.code[at]; op.op {
			case opBlock, opLoop, opIf:
				depth++
			case opEnd:
				depth--
				f.falls[i] = true
			case opUnreachable, opReturn:
				f.falls[i] = depth > 0
			case opBranch, opBranchIf:
				out := op.operand - depth - open // 0 is the loop of the dispatch, and 1 is around that
				to, jumps := b.jump(at-2, d.next, depth+open)
				switch {
				case op.op == opBranch && jumps && at-2 >= block.begin:
					f.edges = append(f.edges, edge{i, to})
				case out <= 0 && op.operand >= depth:
					f.odd = true
				case out > 0 && depth == 0:
					f.resumes[i] = true
				}
				if op.op == opBranch {
					f.falls[i] = depth > 0
				}
			}
		}
		if f.falls[i] && i+1 < n {
			f.edges = append(f.edges, edge{i, i + 1})
		}
	}
	return f
}

// node is a basic block, or a loop of nodes, which begins with its first.
type node struct {
	block int
	loop  []node
}

// all returns all basic blocks.
func (f *flow) all() []int {
	all := make([]int, len(f.falls))
	for i := range all {
		all[i] = i
	}
	return all
}

// nest finds the loops in a row of basic blocks. If the row is itself one, it repeats from its first block, the
// header, and is refused if jumps back to others remain. Otherwise these are left to the dispatch.
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
		if !ok && header != none {
			return nil, false
		}
		if !ok {
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

// loop makes a loop of the blocks of a row from first to last, and of what follows if it leads into it. It is
// refused unless all that leads into it leads to the same block, with which it then begins.
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

// writer writes a body with its blocks in nodes.
type writer struct {
	*body
	dispatch
	flow
	nodes []node
	in    []int // by block: the node
	after []int // by block: which is written next, or none

	out    []byte
	labels []int // what is open around what is written, from outside, by the block to which a branch leads
	back   bool  // a jump needed the loop of the dispatch
}

// number numbers the nodes and the order in which blocks are written.
func (w *writer) number() {
	w.in, w.after = make([]int, len(w.blocks)), make([]int, len(w.blocks))
	last := none
	for i, n := range w.nodes {
		for block := range n.all {
			if w.in[block], w.after[block] = i, none; last != none {
				w.after[last] = block
			}
			last = block
		}
	}
}

// all yields the basic blocks of a node.
func (n node) all(yield func(int) bool) {
	if n.loop == nil {
		yield(n.block)
		return
	}
	for _, inner := range n.loop {
		for block := range inner.all {
			if !yield(block) {
				return
			}
		}
	}
}

// again is the label of the loop of the dispatch.
const again = none

// write writes the body, with the loop of the dispatch or without.
func (w *writer) write(loop bool) {
	head, end := w.code[w.head], w.code[w.blocks[len(w.blocks)-1].end]
	w.out, w.labels, w.back = append(w.out[:0], w.bytes[:head.at]...), w.labels[:0], false
	if loop {
		w.out, w.labels = append(w.out, opLoop, typeEmpty), append(w.labels, again)
	}
	w.out = append(w.out, opBlock, typeEmpty)
	w.open(w.nodes)
	w.out = binary.AppendUvarint(append(w.out, opLocalGet), uint64(w.next))
	w.out = binary.AppendUvarint(append(w.out, opBranchTable), uint64(len(w.table)-1))
	for _, block := range w.table {
		w.out = binary.AppendUvarint(w.out, uint64(w.in[block]))
	}
	w.out = append(w.out, opEnd)
	w.row(w.nodes)
	if loop {
		w.out = append(w.out, opEnd)
	}
	w.out = append(w.out, w.bytes[end.end:]...)
}

// open begins a block for each node but the first, which ends where the node begins.
func (w *writer) open(nodes []node) {
	for _, n := range slices.Backward(nodes[1:]) {
		w.out, w.labels = append(w.out, opBlock, typeEmpty), append(w.labels, n.block)
	}
}

// row writes the nodes, for which blocks are open.
func (w *writer) row(nodes []node) {
	for i, n := range nodes {
		if i > 0 {
			w.close()
		}
		if n.loop == nil {
			w.block(n.block)
			continue
		}
		w.out, w.labels = append(w.out, opLoop, typeEmpty), append(w.labels, n.block)
		w.open(n.loop)
		w.row(n.loop)
		w.close()
	}
}

func (w *writer) close() {
	w.out, w.labels = append(w.out, opEnd), w.labels[:len(w.labels)-1]
}

// block writes the instructions of a basic block, with its branches as they are now.
func (w *writer) block(i int) {
	b, depth, open := w.blocks[i], 0, len(w.blocks)-1-i
	for at := b.begin; at < b.end; at++ {
		op := w.code[at]
		switch op.op {
		case opIf:
			if to, ok := w.jump(at+1, w.next, depth+1+open); ok && w.code[at+4].op == opEnd && w.branch(opBranchIf, to, depth) {
				at += 4
				continue
			}
			depth++
		case opBlock, opLoop:
			depth++
		case opEnd:
			depth--
		case opI32Const:
			if to, ok := w.jump(at, w.next, depth+open); ok {
				if !w.branch(opBranch, to, depth) {
					w.out = append(w.out, w.bytes[op.at:w.code[at+1].end]...)
					w.branch(opBranch, again, depth)
				}
				at += 2
				continue
			}
		case opBranch, opBranchIf:
			if out := op.operand - depth - open - 1; out >= 0 { // around the loop of the dispatch
				w.out = binary.AppendUvarint(append(w.out, op.op), uint64(depth+len(w.labels)+out))
				continue
			}
		}
		w.out = append(w.out, w.bytes[op.at:op.end]...)
	}
	switch last := i+1 == len(w.blocks); {
	case !w.falls[i] || w.after[i] == i+1:
	case !last:
		w.branch(opBranch, i+1, 0)
	case w.after[i] != none:
		w.out = append(w.out, opUnreachable) // as behind the last one
	}
}

// branch writes a branch to a basic block, if one is open that leads there.
func (w *writer) branch(op byte, to, depth int) bool {
	for i, label := range slices.Backward(w.labels) {
		if label == to {
			w.out = binary.AppendUvarint(append(w.out, op), uint64(len(w.labels)-1-i+depth))
			return true
		}
	}
	w.back = true
	return false
}
