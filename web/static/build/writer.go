//go:build !js

package main

import (
	"encoding/binary"
	"errors"
	"slices"
)

// again is the label of the loop around the switch. Other labels are basic blocks.
const again = -2

// writer writes a body with its blocks in nodes.
type writer struct {
	body     *body
	dispatch dispatch
	flow     flow
	nodes    []node
	in       []int // by block: the node
	after    []int // by block: which is written next, or none

	out    []byte
	labels []int // what is open around what is written, from outside, by the block to which a branch leads
	back   bool  // a jump needed the loop around the switch
	lost   bool  // a block could not lead to the next, which nest excludes
}

var errLost = errors.New("a basic block cannot lead to the next one with direct jumps")

// straight returns the body, with the loop around the switch only if a jump needs it.
func (w *writer) straight() ([]byte, error) {
	w.number()
	if w.write(false); w.back {
		w.write(true)
	}
	if w.lost {
		return nil, errLost
	}
	return w.out, nil
}

// number numbers the nodes and the order in which blocks are written.
func (w *writer) number() {
	n := len(w.dispatch.blocks)
	w.in, w.after = make([]int, n), make([]int, n)
	last := none
	for i, node := range w.nodes {
		for block := range node.blocks {
			if w.in[block], w.after[block] = i, none; last != none {
				w.after[last] = block
			}
			last = block
		}
	}
}

// write writes the body, with the loop around the switch or without.
func (w *writer) write(loop bool) {
	head, end := w.body.code[w.dispatch.head], w.body.code[w.dispatch.end()]
	w.out, w.labels, w.back = append(w.out[:0], w.body.bytes[:head.at]...), w.labels[:0], false
	if loop {
		w.out, w.labels = append(w.out, opLoop, typeEmpty), append(w.labels, again)
	}
	w.out = append(w.out, opBlock, typeEmpty)
	w.open(w.nodes)
	w.out = binary.AppendUvarint(append(w.out, opLocalGet), uint64(w.dispatch.next))
	w.out = binary.AppendUvarint(append(w.out, opBranchTable), uint64(len(w.body.table)-1))
	for _, block := range w.body.table {
		w.out = binary.AppendUvarint(w.out, uint64(w.in[block]))
	}
	w.out = append(w.out, opEnd)
	w.row(w.nodes)
	if loop {
		w.out = append(w.out, opEnd)
	}
	w.out = append(w.out, w.body.bytes[end.end:]...)
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
			w.fall(n.block)
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
	b, code, ifs := w.dispatch.blocks[i], w.body.code, 0
	jump := func(at, ifs int) (to int, ok bool) {
		return w.body.jump(at, w.dispatch.next, ifs+len(w.dispatch.blocks)-1-i)
	}
	for at := b.begin; at < b.end; at++ {
		op := code[at]
		switch op.op {
		case opIf: // one with nothing but a jump becomes a br_if
			if to, ok := jump(at+1, ifs+1); ok && code[at+4].op == opEnd && w.branch(opBranchIf, to, ifs) {
				at += 4
				continue
			}
			ifs++
		case opEnd:
			ifs--
		case opI32Const:
			if to, ok := jump(at, ifs); ok {
				if !w.branch(opBranch, to, ifs) {
					w.out = append(w.out, w.body.bytes[op.at:code[at+1].end]...)
					w.branch(opBranch, again, ifs)
				}
				at += 2
				continue
			}
		case opBranchIf: // out of the function, if the goroutine stops
			w.out = binary.AppendUvarint(append(w.out, opBranchIf), uint64(ifs+len(w.labels)))
			continue
		}
		w.out = append(w.out, w.body.bytes[op.at:op.end]...)
	}
}

// fall writes what leads from the end of a basic block to the next one, if that is not written next.
func (w *writer) fall(i int) {
	switch next := i + 1; {
	case !w.flow.falls[i] || w.after[i] == next:
	case next < len(w.dispatch.blocks):
		w.lost = !w.branch(opBranch, next, 0) || w.lost
	case w.after[i] != none:
		w.out = append(w.out, opUnreachable) // as behind the last one
	}
}

// branch writes a branch to a basic block, if one is open that leads there.
func (w *writer) branch(op byte, to, ifs int) bool {
	for i, label := range slices.Backward(w.labels) {
		if label == to {
			w.out = binary.AppendUvarint(append(w.out, op), uint64(len(w.labels)-1-i+ifs))
			return true
		}
	}
	w.back = true
	return false
}
