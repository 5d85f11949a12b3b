//go:build !js

package main

import (
	"bytes"
	"errors"
	"fmt"
)

var errProof = errors.New("direct jumps would change what a function does")

// prover shows that a function does the same with direct jumps as before. It walks through both bodies in step,
// from every place where the runtime may enter them, and fails unless each instruction, each condition and each
// target is the same. It shares nothing with the code that makes jumps direct but the reader of bodies. Its memory is
// reused for the next function.
type prover struct {
	straight body
	was, is  graph // of the body before, and of the one with direct jumps
	pairs    []int // by instruction of the body before: the one that it became, or none
	todo     []pair
}

// pair is an instruction of the body before, and the one at which the other body has to be then.
type pair struct{ was, is int }

// prove fails unless straight does what the body before does.
func (p *prover) prove(before *body, straight []byte) error {
	if err := p.straight.read(straight); err != nil {
		return err
	}
	if !p.was.read(before) || !p.is.read(&p.straight) || p.was.next != p.is.next || len(p.was.labels) != len(p.is.labels) {
		return fmt.Errorf("%w: its blocks, or its switch, are not as they were", errProof)
	}
	p.pairs = p.pairs[:0]
	for range before.code {
		p.pairs = append(p.pairs, none)
	}
	if err := p.prologue(); err != nil {
		return err
	}
	for pc, at := range p.was.labels {
		if pc == 0 || p.was.entered[at] {
			p.todo = append(p.todo, pair{at, p.is.labels[pc]})
		}
	}
	for len(p.todo) > 0 {
		last := len(p.todo) - 1
		from := p.todo[last]
		p.todo = p.todo[:last]
		if err := p.walk(from); err != nil {
			p.todo = p.todo[:0]
			return err
		}
	}
	return nil
}

// prologue fails unless both bodies have the same locals, and the same instructions before the switch. These may
// neither branch nor set the next block, so the switch leads where the runtime said.
func (p *prover) prologue() error {
	if !bytes.Equal(p.was.bytes[:p.was.code[0].at], p.is.bytes[:p.is.code[0].at]) {
		return fmt.Errorf("%w: its locals are not as they were", errProof)
	}
	for at := (pair{}); ; at.was, at.is = at.was+1, at.is+1 {
		at = pair{p.was.follow[at.was], p.is.follow[at.is]}
		if at.was == p.was.dispatch && at.is == p.is.dispatch {
			return nil
		}
		if op := p.was.code[at.was]; !p.same(at) || op.op <= opReturn || p.was.writesNext(at.was) {
			return p.differ(at)
		}
	}
}

// walk follows both bodies from a pair until they return, stop, or come to a pair that was walked. The other side of
// each condition is left to do.
func (p *prover) walk(at pair) error {
	for {
		at = pair{p.was.settle(at.was), p.is.settle(at.is)}
		switch {
		case at == pair{endless, endless}:
			return nil
		case at.was == endless || at.is == endless || !p.same(at) || p.was.readsNext(at.was):
			return p.differ(at)
		}
		op := p.was.code[at.was].op
		switch known := p.pairs[at.was]; {
		case op == opReturn, op == opUnreachable, op == opEnd, known == at.is:
			return nil
		case known != none: // no instruction is written twice, so this one leads astray
			return p.differ(at)
		}
		p.pairs[at.was] = at.is
		if conditional(op) {
			taken, passed := p.was.sides(at.was)
			nowTaken, nowPassed := p.is.sides(at.is)
			p.todo = append(p.todo, pair{taken, nowTaken})
			at = pair{passed, nowPassed}
			continue
		}
		at = pair{at.was + 1, at.is + 1}
	}
}

// same reports whether both instructions do the same. An if and a br_if both take a side by the same condition.
func (p *prover) same(at pair) bool {
	a, b := p.was.code[at.was], p.is.code[at.is]
	return conditional(a.op) && conditional(b.op) || bytes.Equal(p.was.bytes[a.at:a.end], p.is.bytes[b.at:b.end])
}

func conditional(op byte) bool { return op == opIf || op == opBranchIf }

// differ says where the bodies part, in bytes of each.
func (p *prover) differ(at pair) error {
	return fmt.Errorf("%w: what went on at %s goes on at %s", errProof, p.was.byteOf(at.was), p.is.byteOf(at.is))
}
