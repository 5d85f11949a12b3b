//go:build !js

package main

import (
	"fmt"
	"slices"
)

// graph is a body with the places to which its branches lead. A place is the index of an instruction.
type graph struct {
	*body
	next     int   // the local that says which basic block is next
	dispatch int   // the place of the switch, which reads next; a br_table follows
	labels   []int // by operand of the br_table: where it leads

	follow  []int  // by place: the first one at or behind it that is more than the border of a block
	target  []int  // by place: where a branch leads; for a block, a loop or an if, where branches to it lead
	entered []bool // by place: whether the runtime may enter there, other than at the start

	open    []int // while it is read: what is open, from outside
	begin   int   // where the basic block begins
	resumes bool  // the runtime may enter behind the basic block
}

// endless is the place to which control comes that only goes around.
const endless = -2

// read finds the places in a body. It refuses a body with what Go does not write: no switch or several, an else, or
// blocks with results.
func (g *graph) read(b *body) bool {
	n := len(b.code)
	g.body, g.dispatch, g.labels, g.open, g.begin, g.resumes = b, none, g.labels[:0], g.open[:0], 0, false
	g.follow, g.target = slices.Grow(g.follow[:0], n)[:n], slices.Grow(g.target[:0], n)[:n]
	g.entered = slices.Grow(g.entered[:0], n+1)[:n+1]
	clear(g.entered)
	for at := range b.code {
		if !g.structure(at) {
			return false
		}
	}
	if g.dispatch == none || b.code[n-1].op != opEnd {
		return false
	}
	g.resolve()
	return true
}

// structure notes what an instruction opens or closes. For a branch it notes what opened that to which it leads.
func (g *graph) structure(at int) bool {
	switch i := g.code[at]; i.op {
	case opBlock, opLoop, opIf:
		g.open, g.target[at] = append(g.open, at), at+1
		return i.operand == typeEmpty
	case opEnd:
		return g.closes(at)
	case opBranch, opBranchIf:
		if g.target[at] = g.opener(i.operand); i.op == opBranchIf {
			g.stops()
		}
		return g.target[at] != endless
	case opBranchTable:
		if at == 0 || g.code[at-1].op != opLocalGet || g.dispatch != none {
			return false
		}
		g.dispatch, g.next = at-1, g.code[at-1].operand
		for _, depth := range g.table {
			g.labels = append(g.labels, g.opener(depth))
		}
		return !slices.Contains(g.labels, endless)
	case opElse:
		return false
	}
	return true
}

// closes notes that an end closes what was opened last, or the function. Behind that of a block or a loop, a basic
// block begins.
func (g *graph) closes(at int) bool {
	last := len(g.open) - 1
	if last < 0 || at == len(g.code)-1 {
		return last < 0 && at == len(g.code)-1
	}
	opener := g.open[last]
	g.open = g.open[:last]
	if g.code[opener].op != opLoop {
		g.target[opener] = at + 1
	}
	if g.code[opener].op != opIf {
		g.begin, g.entered[at+1], g.resumes = at+1, g.resumes, false
	}
	return true
}

// stops notes that a goroutine may stop in a basic block: there is a br_if in it behind a call. The runtime then enters
// at the next one. When a panic is recovered, it also enters at the block with the call, which runs deferred functions.
// A br_if in an if is behind a failed nil check, to which the runtime does not return.
func (g *graph) stops() {
	if n := len(g.open); n > 0 && g.code[g.open[n-1]].op == opIf {
		return
	}
	g.entered[g.begin], g.resumes = true, true
}

// opener returns what opened that to which a branch leads: none is the function, and endless is nothing.
func (g *graph) opener(depth int) int {
	n := len(g.open)
	if depth < 0 || depth > n {
		return endless
	}
	if depth == n {
		return none
	}
	return g.open[n-1-depth]
}

// resolve puts places where structure noted openers.
func (g *graph) resolve() {
	last := len(g.code) - 1
	place := func(opener int) int {
		if opener == none {
			return last
		}
		return g.target[opener]
	}
	for at := last; at >= 0; at-- {
		g.follow[at] = at
		switch op := g.code[at].op; {
		case op == opBranch, op == opBranchIf:
			g.target[at] = place(g.target[at])
		case op == opBlock, op == opLoop, op == opEnd && at < last:
			g.follow[at] = g.follow[at+1]
		}
	}
	for i, opener := range g.labels {
		g.labels[i] = place(opener)
	}
}

// settle follows control from a place to the first instruction that is not a jump. From a jump on, it knows which
// basic block is next. It returns endless if control only goes around.
func (g *graph) settle(at int) int {
	next, known := 0, false
	before, wait := pair{none, none}, 1 // a state of before, and in how many steps to replace it
	for step := 0; ; step++ {
		at = g.follow[at]
		switch i := g.code[at]; {
		case i.op == opBranch:
			at = g.target[at]
		case g.jumps(at):
			next, known, at = i.operand, true, g.target[at+2]
		case at == g.dispatch && known:
			at = g.labels[min(uint(next), uint(len(g.labels)-1))]
		default:
			return at
		}
		if before == (pair{at, next}) {
			return endless
		}
		if step == wait {
			before, wait = pair{at, next}, 2*wait
		}
	}
}

// jumps reports whether three instructions say which basic block is next, and branch.
func (g *graph) jumps(at int) bool {
	return g.code[at].op == opI32Const && g.code[at+1].op == opLocalSet && g.writesNext(at+1) && g.code[at+2].op == opBranch
}

// writesNext reports whether an instruction says which basic block is next.
func (g *graph) writesNext(at int) bool {
	op := g.code[at]
	return (op.op == opLocalSet || op.op == opLocalTee) && op.operand == g.next
}

// readsNext reports whether an instruction reads which basic block is next. With direct jumps the local does not say so.
// It may be read where it has nothing to do with that: Go keeps the function there that it calls, while it pushes a 0.
func (g *graph) readsNext(at int) bool {
	op := g.code[at]
	if op.op != opLocalGet || op.operand != g.next {
		return false
	}
	return at < 2 || g.code[at-1].op != opI32Const || !g.writesNext(at-2)
}

// sides returns where control goes at a condition that holds, and at one that does not.
func (g *graph) sides(at int) (taken, passed int) {
	if g.code[at].op == opIf {
		return at + 1, g.target[at]
	}
	return g.target[at], at + 1
}

// byteOf says where in the body a place is.
func (g *graph) byteOf(at int) string {
	if at == endless {
		return "no byte"
	}
	return fmt.Sprintf("byte %d (%x)", g.code[at].at, g.bytes[g.code[at].at:g.code[at].end])
}
