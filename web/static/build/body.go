//go:build !js

package main

import "fmt"

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
