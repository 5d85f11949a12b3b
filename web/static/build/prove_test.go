//go:build !js

package main

import (
	"bytes"
	"errors"
	"slices"
	"testing"
)

// proved is a function in which everything matters: the runtime may enter at each basic block. One block is a loop,
// and another jumps back over a call, through the switch.
var proved = []byte{0, opCall, callBlock + 9, opBlock, typeEmpty, opLoop, typeEmpty,
	opBlock, typeEmpty, opBlock, typeEmpty, opBlock, typeEmpty, opBlock, typeEmpty, opBlock, typeEmpty, opBlock, typeEmpty,
	opLocalGet, 0, opBranchTable, 6, 0, 1, 2, 3, 3, 4, 5, opEnd,
	// 0 jumps to 4, or calls
	opCall, callBlock, opCall, callAsk, opIf, typeEmpty, opI32Const, 5, opLocalSet, 0, opBranch, 6, opEnd,
	opCall, callUnwind, opBranchIf, 6, opEnd,
	// 1 checks a pointer, and repeats
	opCall, callBlock + 1, opCall, callAsk, opIf, typeEmpty, opI32Const, 1, opBranchIf, 6, opEnd,
	opCall, callAsk, opIf, typeEmpty, opI32Const, 1, opLocalSet, 0, opBranch, 5, opEnd, opEnd,
	// 2 calls what it keeps in the local for a moment
	opI64Const, 7, opLocalSet, 0, opI32Const, 0, opLocalGet, 0, opCallIndirect, 0, 0, opBranchIf, 4, opEnd,
	// 3 jumps back over that, or returns
	opCall, callAsk, opIf, typeEmpty, opCall, callBlock + 3, opI32Const, 2, opLocalSet, 0, opBranch, 3, opEnd, opI32Const, 0, opReturn, opEnd,
	// 4 panics
	opCall, callUnwind, opBranchIf, 2, opEnd,
	opEnd, opUnreachable, opEnd, opI32Const, 1, opEnd}

// TestProve finds every mutation of a function with direct jumps.
func TestProve(t *testing.T) {
	before := read(t, proved)
	straight, ok, err := before.straighten()
	if !ok || err != nil {
		t.Fatal(ok, err)
	}
	var p prover
	if err := p.prove(before, straight); err != nil {
		t.Fatal(err)
	}
	found := func(mutation []byte, what string, i instruction) {
		t.Helper()
		if err := p.prove(before, mutation); err == nil {
			t.Errorf("%s at byte %d of %x: not found", what, i.at, straight)
		}
	}
	replaced := func(at, end int, by ...byte) []byte { return slices.Concat(straight[:at], by, straight[end:]) }
	for _, i := range read(t, straight).code {
		switch i.op {
		case opCall:
			found(replaced(i.at, i.at, opUnreachable), "one more instruction", i)
			found(replaced(i.at+1, i.end, byte(i.operand+50)), "another call", i)
		case opBlock:
			found(replaced(i.at+1, i.end, typeI32), "a block with a result", i)
			found(replaced(i.at, i.at+1, opLoop), "a block that became a loop", i)
		case opLoop:
			found(replaced(i.at, i.at+1, opBlock), "a loop that became a block", i)
		case opBranch, opBranchIf:
			found(replaced(i.at+1, i.end, byte(i.operand+1)), "a branch too far out", i)
			found(replaced(i.at+1, i.end, byte(i.operand-1)), "a branch too far in", i)
		case opBranchTable:
			found(replaced(i.at-1, i.at, 1), "a switch by another local", i)
			found(replaced(i.at+1, i.end, slices.Concat([]byte{straight[i.at+1] + 1}, straight[i.at+2:i.end], []byte{0})...), "one more target of the switch", i)
			for at := i.at + 2; at < i.end; at++ {
				for to := range byte(7) {
					if straight[at] != to {
						found(replaced(at, at+1, to), "another target of the switch", i)
					}
				}
			}
		}
		found(replaced(i.at, i.end), "a lost instruction", i)
	}
	found(replaced(0, 1, 1, 1, typeI32), "one more local", instruction{})
}

// TestProveNext finds that a function reads which block is next, after a direct jump that does not say it.
func TestProveNext(t *testing.T) {
	begin := []byte{0, opLoop, typeEmpty, opBlock, typeEmpty, opBlock, typeEmpty, opLocalGet, 0, opBranchTable, 2, 0, 1, 1, opEnd}
	end := []byte{opEnd, opLocalGet, 0, opReturn, opEnd, opUnreachable, opEnd}
	before := slices.Concat(begin, []byte{opI32Const, 1, opLocalSet, 0, opBranch, 1}, end)
	straight := slices.Concat(begin, []byte{opBranch, 0}, end)
	var p prover
	if err := p.prove(read(t, before), straight); !errors.Is(err, errProof) {
		t.Errorf("a function that reads what is next: %v", err)
	}
}

// TestProveLocal finds a switch by another local where no jump sets it any more.
func TestProveLocal(t *testing.T) {
	before := read(t, goShape().bytes())
	straight, _, err := before.straighten()
	if err != nil {
		t.Fatal(err)
	}
	straight[bytes.IndexByte(straight, opBranchTable)-1]++
	var p prover
	if err := p.prove(before, straight); !errors.Is(err, errProof) {
		t.Errorf("a function that switches by another local: %v", err)
	}
}

// TestProvePrologue refuses a function that sets which block is next before its switch: it may lead anywhere.
func TestProvePrologue(t *testing.T) {
	s := goShape()
	s.prologue = []byte{0, opI32Const, 1, opLocalSet, 0, opBlock, typeEmpty}
	var p prover
	if err := p.prove(read(t, s.bytes()), s.bytes()); !errors.Is(err, errProof) {
		t.Errorf("a function that sets what is next: %v", err)
	}
}

// TestProveEndless takes a function that only goes around for the same as another, and for no other.
func TestProveEndless(t *testing.T) {
	begin := []byte{0, opLoop, typeEmpty, opBlock, typeEmpty, opLocalGet, 0, opBranchTable, 1, 0, 0, opEnd}
	end := []byte{opEnd, opUnreachable, opEnd}
	before := read(t, slices.Concat(begin, []byte{opI32Const, 0x7f, opLocalSet, 0, opBranch, 0}, end))
	var p prover
	if err := p.prove(before, slices.Concat(begin, []byte{opLoop, typeEmpty, opBranch, 0, opEnd}, end)); err != nil {
		t.Error(err)
	}
	if err := p.prove(before, slices.Concat(begin, []byte{opReturn}, end)); !errors.Is(err, errProof) {
		t.Errorf("a function that returns instead: %v", err)
	}
	once := read(t, slices.Concat(begin, []byte{opCall, callBlock, opI32Const, 0, opLocalSet, 0, opBranch, 0}, end))
	if err := p.prove(once, slices.Concat(begin, []byte{opLoop, typeEmpty, opCall, callBlock, opCall, callBlock, opBranch, 0, opEnd}, end)); !errors.Is(err, errProof) {
		t.Errorf("a function that has an instruction twice: %v", err)
	}
}
