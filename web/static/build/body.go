//go:build !js

package main

import (
	"fmt"
	"slices"
)

// instruction is one of a function.
type instruction struct {
	op      byte
	operand int // the first
	at, end int // its bytes in the body
}

// body is that of a function.
type body struct {
	bytes []byte
	code  []instruction
	table []int // the operands of its first br_table
}

// read parses a body, in the memory of the one before.
func (b *body) read(bytes []byte) error {
	*b = body{bytes: bytes, code: b.code[:0], table: b.table[:0]}
	r := reader{b: bytes}
	for locals := r.uint(); locals > 0 && !r.bad; locals-- {
		r.uint()
		r.byte()
	}
	for len(r.b) > 0 && !r.bad {
		i := instruction{at: len(bytes) - len(r.b), op: r.byte()}
		if err := b.operands(&i, &r); err != nil {
			return err
		}
		i.end = len(bytes) - len(r.b)
		b.code = append(b.code, i)
	}
	if r.bad {
		return errModule
	}
	return nil
}

// operands reads those of an instruction. It knows what Go writes, and refuses anything else.
func (b *body) operands(i *instruction, r *reader) error {
	switch op := i.op; {
	case op == opBranchTable:
		first := len(b.table) == 0
		for n := r.uint(); n >= 0 && !r.bad; n-- {
			if to := r.uint(); first {
				b.table = append(b.table, to)
			}
		}
	case op == opI32Const, op == opI64Const:
		i.operand = r.int()
	case op == opF32Const:
		r.take(4)
	case op == opF64Const:
		r.take(8)
	case op == opCallIndirect, opI32Load <= op && op <= opI64Store32:
		i.operand = r.uint()
		r.uint()
	case op == opBlock, op == opLoop, op == opIf, op == opBranch, op == opBranchIf, op == opCall,
		opLocalGet <= op && op <= opGlobalSet, op == opMemorySize, op == opMemoryGrow:
		i.operand = r.uint()
	case op == opMemory:
		switch i.operand = r.uint(); {
		case i.operand == memoryCopy:
			r.take(2)
		case i.operand == memoryFill:
			r.take(1)
		case i.operand > lastTruncate:
			return fmt.Errorf("%w: instruction 0xfc %d", errModule, i.operand)
		}
	case op > lastNumeric, opElse < op && op < opEnd, opCallIndirect < op && op < opDrop, opSelect < op && op < opLocalGet, opGlobalSet < op && op < opI32Load:
		return fmt.Errorf("%w: instruction %#x", errModule, op)
	}
	return nil
}

// dispatch is the switch of a function over its basic blocks.
type dispatch struct {
	head   int // the index of the loop around it
	next   int // the local that says where to go
	blocks []block
}

// block is a basic block of a function: a range of its instructions.
type block struct{ begin, end int }

// dispatch finds the switch of a function. There is none if no block is the target of a jump.
func (b *body) dispatch() (d dispatch, ok bool) {
	table := slices.IndexFunc(b.code, func(i instruction) bool { return i.op == opBranchTable })
	if table < 1 || b.code[table-1].op != opLocalGet {
		return d, false
	}
	first := table - 1
	for first > 0 && b.code[first-1].op == opBlock {
		first--
	}
	n := table - 1 - first
	if n == 0 || first == 0 || table+1 == len(b.code) || b.code[first-1].op != opLoop || b.table[0] != 0 || slices.Max(b.table) >= n || b.code[table+1].op != opEnd {
		return d, false
	}
	d = dispatch{head: first - 1, next: b.code[table-1].operand}
	depth, begin := 0, table+2
	for at := begin; at < len(b.code) && len(d.blocks) < n; at++ {
		switch b.code[at].op {
		case opBlock, opLoop, opIf:
			depth++
		case opBranchTable:
			return d, false
		case opEnd:
			if depth--; depth < 0 {
				d.blocks = append(d.blocks, block{begin, at})
				begin, depth = at+1, 0
			}
		}
	}
	return d, len(d.blocks) == n
}

// jump reports whether there is a jump to another basic block, and to which. The loop of the dispatch is depth
// levels up.
func (b *body) jump(at, next, depth int) (to int, ok bool) {
	if at+2 >= len(b.code) {
		return 0, false
	}
	where, set, branch := b.code[at], b.code[at+1], b.code[at+2]
	if where.op != opI32Const || set.op != opLocalSet || set.operand != next || branch.op != opBranch || branch.operand != depth ||
		where.operand < 0 || where.operand >= len(b.table) {
		return 0, false
	}
	return b.table[where.operand], true
}
