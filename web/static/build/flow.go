//go:build !js

package main

// flow says where control goes from basic block to basic block.
type flow struct {
	edges   []edge
	resumes []bool // by block: whether it has a call behind which a goroutine may be resumed, at the next block
	falls   []bool // by block: whether it leads to the next, which is an edge, too
	odd     bool   // there is a branch that Go does not write
}

type edge struct{ from, to int }

// flow reads the branches of the basic blocks.
func (b *body) flow(d dispatch) flow {
	n := len(d.blocks)
	f := flow{resumes: make([]bool, n), falls: make([]bool, n)}
	for i := range n {
		if f.block(b, d, i); f.falls[i] && i+1 < n {
			f.edges = append(f.edges, edge{i, i + 1})
		}
	}
	return f
}

// block reads the branches of a basic block.
func (f *flow) block(b *body, d dispatch, i int) {
	ifs := 0 // as many are open
	f.falls[i] = true
	for at := d.blocks[i].begin; at < d.blocks[i].end; at++ {
		switch b.code[at].op {
		case opIf:
			ifs++
		case opEnd:
			ifs--
			f.falls[i] = true // where the condition did not hold
		case opUnreachable, opReturn:
			f.falls[i] = false
		case opBranch:
			f.falls[i] = false
			to, ok := b.jump(at-2, d.next, ifs+len(d.blocks)-1-i)
			f.edges, f.odd = append(f.edges, edge{i, to}), f.odd || !ok
		case opBranchIf:
			f.unwinds(b, d, i, at, ifs)
		}
	}
}

// unwinds reads a br_if. Go writes it behind a call, to leave the function if the goroutine stops: it leads out of the
// loop around the switch, and of the block around that.
func (f *flow) unwinds(b *body, d dispatch, i, at, ifs int) {
	out := b.code[at].operand - ifs - (len(d.blocks) - 1 - i) // 0 is the loop
	switch {
	case out != 1:
		f.odd = true
	case ifs > 0: // behind a failed nil check, to which the runtime does not return
	case at+1 != d.blocks[i].end: // the runtime would return into a block
		f.odd = true
	default:
		f.resumes[i] = true
	}
}
