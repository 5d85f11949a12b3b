//go:build !js

package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// What the functions call that are generated here.
const (
	callAsk    = iota // whether to jump
	callUnwind        // whether the goroutine stops here
	callBlock         // and the number of a basic block is added
)

// generate makes a function of n basic blocks as Go's compiler writes it, with random jumps.
func generate(r *rand.Rand, n int) []byte {
	var pcs []int // by block: how it is resumed
	var table []byte
	for i := range n {
		for range 1 + r.IntN(2) {
			table = append(table, byte(i))
		}
		pcs = append(pcs, len(table)-1)
	}
	if pcs[n-1]++; r.IntN(2) == 0 { // the last block is also that of all other numbers
		pcs[n-1]--
	}
	b := []byte{0, opBlock, typeEmpty, opLoop, typeEmpty}
	for range n {
		b = append(b, opBlock, typeEmpty)
	}
	b = append(b, opLocalGet, 0, opBranchTable, byte(len(table)))
	b = append(append(append(b, table...), byte(n-1)), opEnd)
	jump := func(from, depth int) {
		b = append(appendInt(append(b, opI32Const), pcs[r.IntN(n)]), opLocalSet, 0, opBranch, byte(n-1-from+depth))
	}
	for i := range n {
		b = append(b, opCall, byte(callBlock+i))
		for range r.IntN(3) {
			b = append(b, opCall, callAsk, opIf, typeEmpty)
			more := r.IntN(8)
			if more == 0 {
				b = append(b, opCall, byte(callBlock+n+i))
			}
			jump(i, 1)
			if more == 1 { // is never reached
				b = append(b, opCall, byte(callBlock+n+i))
			}
			b = append(b, opEnd)
		}
		switch r.IntN(7) {
		case 0:
			b = append(b, opCall, callUnwind, opBranchIf, byte(n-1-i+1))
		case 1:
			jump(i, 0)
		case 2:
			b = append(b, opI32Const, 0, opReturn)
		case 3: // a call of what is kept in the local for a moment
			b = append(b, opI32Const, 7, opLocalSet, 0, opI32Const, 0, opLocalGet, 0, opCallIndirect, 0, 0, opBranchIf, byte(n-1-i+1))
		case 4: // a nil check, behind which nothing is resumed
			b = append(b, opCall, callAsk, opIf, typeEmpty, opI32Const, 1, opBranchIf, byte(n-1-i+2), opEnd)
		}
		b = append(b, opEnd)
	}
	return append(b, opUnreachable, opEnd, opI32Const, 1, opEnd)
}

// TestStraighten makes the jumps of random functions direct, and proves that they do the same.
func TestStraighten(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var p prover
	shorter, without := 0, 0
	for range 1000 {
		before := generate(r, 2+r.IntN(12))
		b := read(t, before)
		straight, ok, err := b.straighten()
		if !ok || err != nil {
			t.Fatalf("%x stays as it is: %v", before, err)
		}
		if err := p.prove(b, straight); err != nil {
			t.Fatalf("%x becomes %x: %v", before, straight, err)
		}
		if len(straight) < len(before) {
			shorter++
		}
		if _, ok := read(t, straight).dispatch(); !ok {
			without++
		}
	}
	if shorter < 800 || without < 150 {
		t.Errorf("of 1000 functions %d are shorter, and %d have lost their loop", shorter, without)
	}
}

// read parses a body.
func read(t *testing.T, bytes []byte) *body {
	t.Helper()
	var b body
	if err := b.read(bytes); err != nil {
		t.Fatal(err)
	}
	return &b
}

// TestStraightenSection makes a loop without calls one of WebAssembly, in the second of two functions.
func TestStraightenSection(t *testing.T) {
	before := []byte{0, opLoop, typeEmpty, opBlock, typeEmpty, opBlock, typeEmpty, opBlock, typeEmpty, opLocalGet, 0, opBranchTable, 3, 0, 1, 2, 2, opEnd,
		opCall, callBlock, opEnd,
		opCall, callBlock + 1, opCall, callAsk, opIf, typeEmpty, opI32Const, 1, opLocalSet, 0, opBranch, 2, opEnd, opEnd,
		opI32Const, 0, opReturn, opEnd, opUnreachable, opEnd}
	want := []byte{0, opBlock, typeEmpty, opBlock, typeEmpty, opBlock, typeEmpty, opLocalGet, 0, opBranchTable, 3, 0, 1, 2, 2, opEnd,
		opCall, callBlock, opEnd,
		opLoop, typeEmpty, opCall, callBlock + 1, opCall, callAsk, opBranchIf, 0, opEnd, opEnd,
		opI32Const, 0, opReturn, opUnreachable, opEnd}
	other := []byte{0, opI32Const, 0, opEnd}
	got, err := straighten(section(other, before))
	if err != nil || !bytes.Equal(got, section(other, want)) {
		t.Errorf("%x\nbecomes %x, %v,\nnot     %x", before, got, err, want)
	}
}

// section writes a code section.
func section(bodies ...[]byte) []byte {
	s := binary.AppendUvarint(nil, uint64(len(bodies)))
	for _, b := range bodies {
		s = append(binary.AppendUvarint(s, uint64(len(b))), b...)
	}
	return s
}

// shape is a function as Go writes it, in parts, each of which can be another.
type shape struct{ prologue, open, table, block, rest []byte }

// goShape has two basic blocks. The first one jumps back to itself, and falls to the second one.
func goShape() shape {
	return shape{
		prologue: []byte{0, opBlock, typeEmpty},
		open:     []byte{opLoop, typeEmpty, opBlock, typeEmpty, opBlock, typeEmpty, opLocalGet, 0},
		table:    []byte{opBranchTable, 2, 0, 1, 1, opEnd},
		block:    []byte{opCall, callAsk, opIf, typeEmpty, opI32Const, 0, opLocalSet, 0, opBranch, 2, opEnd},
		rest:     []byte{opEnd, opCall, callUnwind, opBranchIf, 1, opEnd, opUnreachable, opEnd, opI32Const, 1, opEnd},
	}
}

func (s shape) bytes() []byte { return slices.Concat(s.prologue, s.open, s.table, s.block, s.rest) }

// TestStraightenLeaves what is almost a function of Go as it is, byte for byte. The build fails if there are many.
func TestStraightenLeaves(t *testing.T) {
	if got, ok, err := read(t, goShape().bytes()).straighten(); !ok || err != nil || bytes.Equal(got, goShape().bytes()) {
		t.Fatalf("the function to begin with stays as it is: %v", err)
	}
	stops := []byte{opEnd, opUnreachable, opEnd, opUnreachable, opEnd, opI32Const, 1, opEnd} // in the second block
	for _, tc := range []struct {
		name   string
		change func(*shape)
	}{
		{"no switch", func(s *shape) { s.table = []byte{opDrop, opEnd} }},
		{"a switch by what is no local", func(s *shape) { copy(s.open[6:], []byte{opI32Const, 0}) }},
		{"no loop", func(s *shape) { s.open[0] = opBlock }},
		{"an if instead of the loop", func(s *shape) { s.prologue, s.open[0] = append(s.prologue, opCall, callAsk), opIf }},
		{"a loop with a result", func(s *shape) { s.open[1] = typeI32 }},
		{"a block with a result", func(s *shape) { s.open[3] = typeI32 }},
		{"another first block", func(s *shape) { s.table[2] = 1 }},
		{"a switch out of the blocks", func(s *shape) { s.table[4] = 2 }},
		{"something before the first block", func(s *shape) { s.table = slices.Insert(s.table, 5, byte(opUnreachable)) }},
		{"no end behind the switch", func(s *shape) { s.table[5], s.rest = opDrop, slices.Insert(s.rest, 7, byte(opEnd)) }},
		{"a second switch", func(s *shape) { s.block = append(s.block, opLocalGet, 1, opBranchTable, 0, 0) }},
		{"a block in a block", func(s *shape) { s.block, s.rest = append(s.block, opBlock, typeEmpty, opEnd), stops }},
		{"a loop in a block", func(s *shape) { s.block, s.rest = append(s.block, opLoop, typeEmpty, opEnd), stops }},
		{"an else", func(s *shape) { s.block = append(s.block, opCall, callAsk, opIf, typeEmpty, opElse, opEnd) }},
		{"an if with a result", func(s *shape) { s.block[3] = typeI32 }},
		{"something behind the last block", func(s *shape) { s.rest = slices.Insert(s.rest, 6, byte(opCall), callBlock) }},
		{"a block less", func(s *shape) { s.rest = s.rest[:5] }},
		{"a jump that sets another local", func(s *shape) { s.block[7] = 1 }},
		{"a jump that calls", func(s *shape) { s.block[6] = opCall }},
		{"a jump beyond the switch", func(s *shape) { s.block[5] = 3 }},
		{"a jump before the switch", func(s *shape) { s.block[5] = 0x7f }},
		{"a jump that leads to a block", func(s *shape) { s.block[9] = 1 }},
		{"a jump out of the loop", func(s *shape) { s.block[9] = 3 }},
		{"a jump that sets nothing", func(s *shape) { s.block = slices.Delete(s.block, 4, 8) }},
		{"a branch to the end of its if", func(s *shape) { s.block[9] = 0 }},
		{"a condition that leads to a block", func(s *shape) { s.rest[4] = 2; s.block = append(s.block, opCall, callAsk, opBranchIf, 0) }},
		{"a condition that leads to the loop", func(s *shape) { s.rest[4] = 0 }},
		{"a condition that leads out of the function", func(s *shape) { s.rest[4] = 2 }},
		{"a call in the midst of a block", func(s *shape) { s.rest = slices.Insert(s.rest, 5, byte(opCall), callBlock) }},
		{"next read in a block", func(s *shape) { s.block = append(s.block, opLocalGet, 0, opDrop) }},
		{"next read where it was not set", func(s *shape) { s.block = append(s.block, opI32Const, 0, opLocalGet, 0, opDrop, opDrop) }},
		{"next read where another local was set", func(s *shape) {
			s.block = append(s.block, opI32Const, 7, opLocalSet, 1, opI32Const, 0, opLocalGet, 0, opDrop, opDrop)
		}},
		{"next read where it was set long before", func(s *shape) {
			s.block = append(s.block, opI32Const, 7, opLocalSet, 0, opCall, callAsk, opLocalGet, 0, opDrop, opDrop)
		}},
		{"next set and kept", func(s *shape) { s.block = append(s.block, opI32Const, 0, opLocalTee, 0, opDrop) }},
		{"next set before the switch", func(s *shape) { s.prologue = append([]byte{0, opI32Const, 0, opLocalSet, 0}, s.prologue[1:]...) }},
		{"next read at the start", func(s *shape) { s.prologue = append([]byte{0, opLocalGet, 0, opDrop}, s.prologue[1:]...) }},
		{"next set at the end", func(s *shape) { s.rest = append(s.rest[:8], opI32Const, 1, opLocalSet, 0, opI32Const, 1, opEnd) }},
		{"next read at the end", func(s *shape) { s.rest = append(s.rest[:8], opLocalGet, 0, opEnd) }},
	} {
		s := goShape()
		tc.change(&s)
		got, ok, err := read(t, s.bytes()).straighten()
		if ok || err != nil || !bytes.Equal(got, s.bytes()) {
			t.Errorf("%s: %x becomes %x, %v", tc.name, s.bytes(), got, err)
		}
	}
}

// TestStraightenFew fails if more than one in a hundred functions is left as it is.
func TestStraightenFew(t *testing.T) {
	other := goShape()
	other.table[2] = 1
	bodies := [][]byte{other.bytes()}
	for range 98 {
		bodies = append(bodies, goShape().bytes())
	}
	if _, err := straighten(section(bodies...)); !errors.Is(err, errModule) {
		t.Errorf("1 of 99 functions is left: %v", err)
	}
	loop := []byte{0, opLoop, typeEmpty, opEnd, opEnd}
	table := []byte{0, opBlock, typeEmpty, opLocalGet, 0, opBranchTable, 0, 0, opEnd, opEnd}
	if _, err := straighten(section(append(bodies, goShape().bytes(), loop, table)...)); err != nil {
		t.Errorf("1 of 100 functions is left, and two have nothing to make direct: %v", err)
	}
}

// TestStraightenLost fails where a basic block cannot lead to the next one: here the order of blocks is wrong.
func TestStraightenLost(t *testing.T) {
	b := read(t, goShape().bytes())
	d, _ := b.dispatch()
	w := writer{body: b, dispatch: d, flow: b.flow(d), nodes: []node{{block: 1}, {block: 0}}}
	if _, err := w.straight(); !errors.Is(err, errLost) {
		t.Errorf("a block that leads nowhere: %v", err)
	}
}

// TestStraightenProves fails if a function cannot be proved: this one branches before its switch.
func TestStraightenProves(t *testing.T) {
	s := goShape()
	s.prologue = []byte{0, opCall, callAsk, opIf, typeEmpty, opEnd, opBlock, typeEmpty}
	if _, err := straighten(section(s.bytes())); !errors.Is(err, errProof) {
		t.Errorf("a function that branches before its switch: %v", err)
	}
}

// TestOperands reads a function with operands of every kind: behind each, the reader is at the next instruction.
func TestOperands(t *testing.T) {
	for _, operands := range [][]byte{
		{opUnreachable}, {0x01}, {opBlock, typeEmpty}, {opLoop, typeEmpty}, {opIf, typeEmpty}, {opElse}, {opBranch, 0x80, 1}, {opBranchIf, 0x80, 1},
		{opBranchTable, 0, 7}, {opBranchTable, 2, 0, 0x80, 1, 7}, {opReturn}, {opCall, 0x80, 1}, {opCallIndirect, 0x80, 1, 0}, {opDrop}, {opSelect},
		{opLocalGet, 0x80, 1}, {opLocalSet, 0x80, 1}, {opLocalTee, 0x80, 1}, {0x23, 0x80, 1}, {opGlobalSet, 0x80, 1},
		{opI32Load, 2, 0x80, 1}, {opI64Store32, 2, 0x80, 1}, {opMemorySize, 0}, {opMemoryGrow, 0},
		{opI32Const, 0xff, 0x7e}, {opI64Const, 0xff, 0xff, 0x7e}, {opF32Const, 1, 2, 3, 4}, {opF64Const, 1, 2, 3, 4, 5, 6, 7, 8},
		{0x45}, {lastNumeric}, {opMemory, 0}, {opMemory, lastTruncate}, {opMemory, memoryCopy, 0, 0}, {opMemory, memoryFill, 0},
	} {
		b := read(t, slices.Concat([]byte{1, 2, typeI32}, operands, []byte{opI32Add, opEnd}))
		want := []instruction{{at: 3, end: 3 + len(operands), op: operands[0]}, {at: 3 + len(operands), end: 4 + len(operands), op: opI32Add}, {at: 4 + len(operands), end: 5 + len(operands), op: opEnd}}
		for i := range b.code {
			b.code[i].operand = 0
		}
		if !slices.Equal(b.code, want) {
			t.Errorf("%x is read as %v", operands, b.code)
		}
	}
}

// TestStraightenRefuses what Go does not write.
func TestStraightenRefuses(t *testing.T) {
	for _, body := range [][]byte{{0, 0x06, opEnd}, {0, opMemory, 0x0c, 0, opEnd}, {0, lastNumeric + 1, opEnd}, {0, 0xd0, 0x70, opEnd}, {0, opI32Const}, {3, 1}} {
		if b, err := straighten(section(body)); !errors.Is(err, errModule) {
			t.Errorf("%x becomes %x, %v", body, b, err)
		}
	}
	for _, section := range [][]byte{{}, {2, 2, 0, opEnd}, {1, 2, 0, opEnd, 0}} {
		if _, err := straighten(section); !errors.Is(err, errModule) {
			t.Errorf("section %x: %v", section, err)
		}
	}
}
