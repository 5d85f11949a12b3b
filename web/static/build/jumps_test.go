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

// generated is a function as Go's compiler writes it, with random jumps.
type generated struct {
	body  []byte
	pcs   []int // by block: how it is resumed
	loops bool  // it jumps back
}

// generate makes a function of n basic blocks.
func generate(r *rand.Rand, n int) generated {
	var g generated
	var table []byte
	for i := range n {
		for range 1 + r.IntN(2) {
			table = append(table, byte(i))
		}
		g.pcs = append(g.pcs, len(table)-1)
	}
	b := []byte{0, opBlock, typeEmpty, opLoop, typeEmpty}
	for range n {
		b = append(b, opBlock, typeEmpty)
	}
	b = append(b, opLocalGet, 0, opBranchTable, byte(len(table)))
	b = append(append(append(b, table...), byte(n-1)), opEnd)
	jump := func(from, depth int) {
		to := r.IntN(n)
		g.loops = g.loops || to <= from
		b = append(appendInt(append(b, opI32Const), g.pcs[to]), opLocalSet, 0, opBranch, byte(n-1-from+depth))
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
	g.body = append(b, opUnreachable, opEnd, opI32Const, 1, opEnd)
	return g
}

var errSpent = errors.New("enough")

// interpret interprets a body, and returns what it returns.
func interpret(b *body, next int, call func(int) (pushes bool, value int, err error)) (int, error) {
	type label struct{ begin, end, height int } // begin is that of a loop
	var stack []int
	var labels []label
	pop := func() int {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		return v
	}
	for at := 0; at < len(b.code); at++ {
		branch := none
		switch i := b.code[at]; i.op {
		case opBlock, opLoop, opIf:
			l := label{none, b.closes(at), len(stack)}
			if i.op == opLoop {
				l.begin = at
			}
			if i.op == opIf && pop() == 0 {
				at = l.end
				continue
			}
			labels = append(labels, l)
		case opEnd:
			if len(labels) > 0 {
				labels = labels[:len(labels)-1]
			}
		case opCall:
			pushes, v, err := call(i.operand)
			if err != nil {
				return 0, err
			}
			if pushes {
				stack = append(stack, v)
			}
		case opI32Const:
			stack = append(stack, i.operand)
		case opLocalGet:
			stack = append(stack, next)
		case opLocalSet:
			next = pop()
		case opReturn:
			return pop(), nil
		case opUnreachable:
			return 0, errors.New("unreachable")
		case opBranch:
			branch = i.operand
		case opBranchIf:
			if pop() != 0 {
				branch = i.operand
			}
		case opBranchTable:
			branch = b.table[min(pop(), len(b.table)-1)]
		}
		if branch != none {
			l := labels[len(labels)-1-branch]
			if labels = labels[:len(labels)-1-branch]; l.begin != none {
				at = l.begin - 1
			} else {
				at = l.end
			}
		}
	}
	return pop(), nil
}

// closes returns the end of what an instruction opens.
func (b *body) closes(at int) int {
	for depth := 0; ; at++ {
		switch b.code[at].op {
		case opBlock, opLoop, opIf:
			depth++
		case opEnd:
			if depth--; depth == 0 {
				return at
			}
		}
	}
}

// trace runs a function and resumes it where it stops, and returns the blocks that it passes.
func (g generated) trace(t *testing.T, bytes []byte, seed uint64) (blocks []int) {
	t.Helper()
	var b body
	if err := b.read(bytes); err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	steps := 0
	for next := 0; ; {
		unwound := none
		code, err := interpret(&b, next, func(f int) (bool, int, error) {
			if steps++; steps > 300 {
				return false, 0, errSpent
			}
			if f >= callBlock {
				blocks = append(blocks, f-callBlock)
				return false, 0, nil
			}
			v := r.IntN(2)
			if f == callUnwind && v != 0 {
				unwound = blocks[len(blocks)-1]
			}
			return true, v, nil
		})
		if err != nil {
			return append(blocks, none)
		}
		if unwound == none || unwound+1 >= len(g.pcs) {
			return append(blocks, none-1-code)
		}
		next = g.pcs[unwound+1]
	}
}

// TestStraighten makes the jumps of random functions direct: they pass the same blocks, and are resumed at the
// same places.
func TestStraighten(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	shorter, without := 0, 0
	for seed := range uint64(1000) {
		g := generate(r, 2+r.IntN(12))
		var b body
		if err := b.read(g.body); err != nil {
			t.Fatal(err)
		}
		straight := slices.Clone(b.straighten())
		if len(straight) < len(g.body) {
			shorter++
		}
		if err := b.read(straight); err != nil {
			t.Fatal(err)
		}
		if _, ok := b.dispatch(); !ok {
			without++
		}
		for run := range uint64(5) {
			want, got := g.trace(t, g.body, seed*5+run), g.trace(t, straight, seed*5+run)
			if !slices.Equal(got, want) {
				t.Fatalf("function %d: %x\nbecomes %x,\nwhich passes %d\ninstead of %d", seed, g.body, straight, got, want)
			}
		}
	}
	if shorter < 800 || without < 150 {
		t.Errorf("of 1000 functions %d are shorter, and %d have lost their loop", shorter, without)
	}
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
	var b body
	if err := b.read(before); err != nil {
		t.Fatal(err)
	}
	if got := b.straighten(); !slices.Equal(got, want) {
		t.Errorf("%x\nbecomes %x,\nnot     %x", before, got, want)
	}
}

// TestStraightenLeaves functions alone whose branches Go does not write: one to the loop that sets no target.
func TestStraightenLeaves(t *testing.T) {
	before := []byte{0, opLoop, typeEmpty, opBlock, typeEmpty, opLocalGet, 0, opBranchTable, 0, 0, opEnd, opCall, callBlock, opBranch, 0, opEnd, opEnd}
	var b body
	if err := b.read(before); err != nil {
		t.Fatal(err)
	}
	if got := b.straighten(); !slices.Equal(got, before) {
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
