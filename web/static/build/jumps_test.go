//go:build !js

package main

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// What the functions call that are generated here.
const (
	callAsk    = iota // pushes whether to jump
	callUnwind        // pushes whether the goroutine stops here
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
			jump(i, 1)
			b = append(b, opEnd)
		}
		switch r.IntN(6) {
		case 0:
			b = append(b, opCall, callUnwind, opBranchIf, byte(n-1-i+1))
		case 1:
			jump(i, 0)
		case 2:
			b = append(b, opI32Const, 0, opReturn)
		case 3: // a nil check, behind which nothing is resumed
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
		straight := b.straighten()
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

// TestStraightenLoop makes a loop without calls one of WebAssembly.
func TestStraightenLoop(t *testing.T) {
	before := []byte{0, opLoop, typeEmpty, opBlock, typeEmpty, opBlock, typeEmpty, opBlock, typeEmpty, opLocalGet, 0, opBranchTable, 3, 0, 1, 2, 2, opEnd,
		opCall, callBlock, opEnd,
		opCall, callBlock + 1, opCall, callAsk, opIf, typeEmpty, opI32Const, 1, opLocalSet, 0, opBranch, 2, opEnd, opEnd,
		opI32Const, 0, opReturn, opEnd, opUnreachable, opEnd}
	want := []byte{0, opBlock, typeEmpty, opBlock, typeEmpty, opBlock, typeEmpty, opLocalGet, 0, opBranchTable, 3, 0, 1, 2, 2, opEnd,
		opCall, callBlock, opEnd,
		opLoop, typeEmpty, opCall, callBlock + 1, opCall, callAsk, opBranchIf, 0, opEnd, opEnd,
		opI32Const, 0, opReturn, opUnreachable, opEnd}
	if got := read(t, before).straighten(); !slices.Equal(got, want) {
		t.Errorf("%x\nbecomes %x,\nnot     %x", before, got, want)
	}
}

// TestStraightenLeaves functions alone whose branches Go does not write: one to the loop that sets no target.
func TestStraightenLeaves(t *testing.T) {
	before := []byte{0, opLoop, typeEmpty, opBlock, typeEmpty, opLocalGet, 0, opBranchTable, 0, 0, opEnd, opCall, callBlock, opBranch, 0, opEnd, opEnd}
	if got := read(t, before).straighten(); !slices.Equal(got, before) {
		t.Errorf("%x\nbecomes %x", before, got)
	}
}

// TestStraightenRefuses what Go does not write.
func TestStraightenRefuses(t *testing.T) {
	for _, body := range [][]byte{{0, 0x06, opEnd}, {0, opMemory, 0x0c, 0, opEnd}, {0, 0xd0, 0x70, opEnd}, {0, opI32Const}, {3, 1}} {
		section := append(binary.AppendUvarint([]byte{1}, uint64(len(body))), body...)
		if b, err := straighten(section); !errors.Is(err, errModule) {
			t.Errorf("%x becomes %x, %v", body, b, err)
		}
	}
	if _, err := straighten([]byte{2, 2, 0, opEnd}); !errors.Is(err, errModule) {
		t.Errorf("a section that is cut off: %v", err)
	}
}
