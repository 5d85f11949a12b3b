//go:build !js

package main

import "slices"

// dispatch is the switch of a function over its basic blocks.
type dispatch struct {
	head   int // the index of the loop around it
	next   int // the local that says where to go
	blocks []block
}

// block is a basic block of a function: a range of its instructions.
type block struct{ begin, end int }

// end returns the index of the instruction that ends the loop around the switch.
func (d *dispatch) end() int { return d.blocks[len(d.blocks)-1].end }

// dispatch finds the switch of a function. There is none unless the function has the shape that Go 1.26 gives to one
// with jumps; cmd/internal/obj/wasm writes it.
func (b *body) dispatch() (d dispatch, ok bool) {
	table := slices.IndexFunc(b.code, func(i instruction) bool { return i.op == opBranchTable })
	if table < 1 || b.code[table-1].op != opLocalGet { // no switch by a local
		return d, false
	}
	first := table - 1
	for first > 0 && b.code[first-1].op == opBlock {
		first--
	}
	n := table - 1 - first
	if first == 0 || b.code[first-1].op != opLoop { // nothing jumps back to the switch
		return d, false
	}
	if b.table[0] != 0 { // the function does not begin with its first block, as nest expects
		return d, false
	}
	if slices.Max(b.table) >= n { // the switch leads out of the blocks
		return d, false
	}
	if table+1 == len(b.code) || b.code[table+1].op != opEnd { // the first block does not follow the switch
		return d, false
	}
	d = dispatch{head: first - 1, next: b.code[table-1].operand}
	for _, opened := range b.code[d.head : table-1] {
		if opened.operand != typeEmpty { // control brings a value along
			return d, false
		}
	}
	return d, d.read(b, table+2, n) && d.hidden(b, table-1)
}

// read finds n basic blocks that begin at an instruction. It refuses what Go does not write there: blocks have no
// structure but ifs, without an else and without a result. Control must not pass the end of the last one.
func (d *dispatch) read(b *body, at, n int) bool {
	ifs, begin := 0, at
	for ; at < len(b.code) && len(d.blocks) < n; at++ {
		switch i := b.code[at]; i.op {
		case opBlock, opLoop, opElse, opBranchTable:
			return false
		case opIf:
			if ifs++; i.operand != typeEmpty {
				return false
			}
		case opEnd:
			if ifs--; ifs < 0 {
				d.blocks = append(d.blocks, block{begin, at})
				begin, ifs = at+1, 0
			}
		}
	}
	return len(d.blocks) == n && at < len(b.code) && b.code[at].op == opUnreachable
}

// hidden reports whether the local of the switch is used for nothing else, as a direct jump does not set it. Only the
// switch at an instruction reads it. The basic blocks set it to jump, and Go also keeps a function there that it
// calls, while it pushes a 0.
func (d *dispatch) hidden(b *body, at int) bool {
	for i, op := range b.code {
		local := opLocalGet <= op.op && op.op <= opLocalTee && op.operand == d.next
		if !local || i == at {
			continue
		}
		if i < d.blocks[0].begin || i >= d.end() {
			return false
		}
		before, set := b.code[i-1], b.code[i-2]
		kept := op.op == opLocalGet && before.op == opI32Const && set.op == opLocalSet && set.operand == d.next
		if op.op != opLocalSet && !kept {
			return false
		}
	}
	return true
}

// jump reports whether there is a jump to another basic block, and to which. The loop around the switch is depth
// levels up.
func (b *body) jump(at, next, depth int) (to int, ok bool) {
	if at+2 >= len(b.code) {
		return 0, false
	}
	where, set, branch := b.code[at], b.code[at+1], b.code[at+2]
	if where.op != opI32Const || where.operand < 0 || where.operand >= len(b.table) {
		return 0, false
	}
	if set.op != opLocalSet || set.operand != next || branch.op != opBranch || branch.operand != depth {
		return 0, false
	}
	return b.table[where.operand], true
}
