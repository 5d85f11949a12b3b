//go:build !js

package main

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// straighten returns a code section in which functions jump directly. A goroutine may have to continue behind any
// call, so Go's compiler makes of a function a switch (br_table) over its basic blocks, in a loop, and jumps by
// saying which is next and beginning the loop again:
//
//	loop
//	  block block block
//	    local.get $next
//	    br_table 0 1 2
//	  end
//	  (block 0) if i32.const 2 local.set $next br 3 end
//	  end
//	  (block 1)
//	  end
//	  (block 2)
//	end
//
// As the blocks are nested in their order, the jump to a later one can be a br_if of its block, here of 1. A jump
// back becomes one to a loop around the blocks that it repeats, if control enters them only at the first; behind a
// call, a resumed goroutine could enter elsewhere, so loops with calls stay as they are. Without jumps to it, the outer
// loop goes.
//
// That is less to send, to compile and to do. It also keeps the browser from optimizing what runs once: it
// judges how hot a function is by the bytes that its backward jumps span; here each spanned the whole function.
//
// Each function that changes is proved to do the same. One of another shape stays as it is. If these are more than 1 %,
// straighten fails: a new version of Go may write all jumps in another way, and none would become direct.
func straighten(section []byte) ([]byte, error) {
	r := reader{b: section}
	n := r.uint()
	out := binary.AppendUvarint(make([]byte, 0, len(section)), uint64(n))
	var s straightener
	for i := 0; i < n && !r.bad; i++ {
		straight, err := s.function(r.take(r.uint()))
		if err != nil {
			return nil, fmt.Errorf("function %d: %w", i, err)
		}
		out = append(binary.AppendUvarint(out, uint64(len(straight))), straight...)
	}
	if r.bad || len(r.b) > 0 {
		return nil, errModule
	}
	if s.left*100 > s.switched {
		return nil, fmt.Errorf("%w: %d of %d functions with jumps have another shape than Go 1.26 gives them", errModule, s.left, s.switched)
	}
	return out, nil
}

// straightener makes the jumps of functions direct, one after the other in the same memory, and counts.
type straightener struct {
	body     body
	prover   prover
	switched int // functions with a switch and a loop
	left     int // those of them that have another shape, and stay as they are
}

// function returns the body of a function with direct jumps, proved to do the same, or as it is.
func (s *straightener) function(bytes []byte) ([]byte, error) {
	if err := s.body.read(bytes); err != nil {
		return nil, err
	}
	straight, ok, err := s.body.straighten()
	if err != nil {
		return nil, err
	}
	if s.body.has(opBranchTable) && s.body.has(opLoop) {
		s.switched++
		if !ok {
			s.left++
		}
	}
	if ok {
		err = s.prover.prove(&s.body, straight)
	}
	return straight, err
}

// none is no block.
const none = -1

// straighten returns the body with direct jumps. If it has no switch, or anything that Go does not write, ok is false
// and it is returned as it is.
func (b *body) straighten() (straight []byte, ok bool, err error) {
	d, ok := b.dispatch()
	if !ok {
		return b.bytes, false, nil
	}
	f := b.flow(d)
	if f.odd {
		return b.bytes, false, nil
	}
	w := writer{body: b, dispatch: d, flow: f, nodes: f.nodes()}
	straight, err = w.straight()
	return straight, err == nil, err
}

// has reports whether there is such an instruction.
func (b *body) has(op byte) bool {
	return slices.ContainsFunc(b.code, func(i instruction) bool { return i.op == op })
}
