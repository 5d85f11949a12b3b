package query

import (
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// automaton reports whether a text matches a regular expression. It computes a state when a
// text first reaches it, so most letters cost one table lookup. Go's regexp, which also
// reports where the match is, takes ten times as long. An automaton is for one goroutine.
type automaton struct {
	prog    *syntax.Prog
	start   *state
	matched *state
	states  map[string]*state
	classes []rune // where letters that match other instructions begin, beyond ASCII
}

// mostStates is the maximum number of states, or less if their tables are larger. When it is reached, all states are dropped and
// computed again as needed.
const mostStates = 1000

// state is a set of positions in the program, and what the assertions know of the text before.
type state struct {
	at []uint8 // instructions; the program is short enough for uint8
	before
	next [utf8.RuneSelf + 1]*state // by letter; the last entry is for the end of the text
	wide []*state                  // by class of letters beyond ASCII; nil until one is met
}

// ending is the index in state.next for the end of a text.
const ending = utf8.RuneSelf

// before is what assertions need to know about the text before a position.
type before uint8

const (
	nothing   before = 1 << iota
	cellBegan        // a cell begins, or the name after the namespace
	wordChar
	inKey   // in the key of a row, before its first slash
	oneLine // a line of text, without separators between cells
)

// newAutomaton returns an automaton for the texts of single cells, of lines (oneLine), or of
// rows (inKey). The text of a row begins with namespace/name and has a control character
// between cells.
func newAutomaton(prog *syntax.Prog, of before) *automaton {
	a := &automaton{prog: prog, matched: &state{}, states: make(map[string]*state), classes: classesOf(prog)}
	a.start = &state{at: []uint8{uint8(prog.Start)}, before: nothing | cellBegan | of}
	return a
}

func (a *automaton) in(text string) bool {
	s := a.start
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			next := s.next[c]
			if next == nil {
				next = a.step(s, rune(c))
				s.next[c] = next
			}
			s = next
			i++
		} else {
			r, size := utf8.DecodeRuneInString(text[i:])
			s = a.stepWide(s, r)
			i += size
		}
		if s == a.matched {
			return true
		}
	}
	if s.next[ending] == nil {
		s.next[ending] = a.step(s, -1)
	}
	return s.next[ending] == a.matched
}

// stepWide returns the state after a letter beyond ASCII, which is the same for all letters of its class.
func (a *automaton) stepWide(s *state, r rune) *state {
	from, to := 0, len(a.classes)
	for from < to {
		if at := (from + to) / 2; a.classes[at] <= r {
			from = at + 1
		} else {
			to = at
		}
	}
	if s.wide == nil {
		s.wide = make([]*state, len(a.classes)+1)
	}
	if s.wide[from] == nil {
		s.wide[from] = a.step(s, r)
	}
	return s.wide[from]
}

// classesOf returns the letters beyond ASCII from which on a program matches other ones, in order.
func classesOf(prog *syntax.Prog) (bounds []rune) {
	for i := range prog.Inst {
		switch in := &prog.Inst[i]; {
		case in.Op != syntax.InstRune && in.Op != syntax.InstRune1:
		case len(in.Rune) == 1:
			for r := in.Rune[0]; ; { // and the same letter in another case
				bounds = append(bounds, r, r+1)
				if r = unicode.SimpleFold(r); r == in.Rune[0] {
					break
				}
			}
		default:
			for j, r := range in.Rune {
				bounds = append(bounds, r+rune(j%2)) // ranges, from the first letter to the last
			}
		}
	}
	slices.Sort(bounds)
	return slices.DeleteFunc(slices.Compact(bounds), func(r rune) bool { return r <= utf8.RuneSelf })
}

// step returns the state after a letter. After the end of the text, it returns a.matched if
// the text matches, and any other state if not.
func (a *automaton) step(s *state, r rune) *state {
	asserted := s.before.asserts(r)
	after := []uint8{uint8(a.prog.Start)} // a match may begin anywhere
	open := slices.Clone(s.at)
	var seen [longestExpression]bool
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		switch i := &a.prog.Inst[at]; i.Op {
		case syntax.InstMatch:
			return a.matched
		case syntax.InstAlt, syntax.InstAltMatch:
			open = append(open, uint8(i.Out), uint8(i.Arg))
		case syntax.InstCapture, syntax.InstNop:
			open = append(open, uint8(i.Out))
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(i.Arg)&^asserted == 0 {
				open = append(open, uint8(i.Out))
			}
		default:
			if s.before.takes(i, r) && !slices.Contains(after, uint8(i.Out)) {
				after = append(after, uint8(i.Out))
			}
		}
	}
	return a.state(after, s.before.with(r))
}

// takes reports whether an instruction matches a letter. A separator between cells counts as
// a space.
func (b before) takes(i *syntax.Inst, r rune) bool {
	if r >= 0 && b.separates(r) {
		r = ' '
	}
	switch i.Op {
	case syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return r >= 0
	case syntax.InstRune, syntax.InstRune1:
		return r >= 0 && i.MatchRune(r)
	}
	return false
}

// state returns the state with these positions, and creates it if needed.
func (a *automaton) state(at []uint8, b before) *state {
	slices.Sort(at)
	key := string(append(at, byte(b)))
	if s := a.states[key]; s != nil {
		return s
	}
	if len(a.states) >= mostStates/(1+len(a.classes)/utf8.RuneSelf) {
		clear(a.states)
		a.start = &state{at: a.start.at, before: a.start.before}
	}
	s := &state{at: at, before: b}
	a.states[key] = s
	return s
}

// separates reports whether a letter, or the end of the text, ends a cell.
func (b before) separates(r rune) bool { return r < ' ' && (r < 0 || b&oneLine == 0) }

// asserts returns the assertions that hold between the text before and a letter.
func (b before) asserts(r rune) syntax.EmptyOp {
	var all syntax.EmptyOp
	if b&nothing != 0 {
		all |= syntax.EmptyBeginText
	}
	if b&cellBegan != 0 {
		all |= syntax.EmptyBeginLine
	}
	if r < 0 {
		all |= syntax.EmptyEndText
	}
	if b.separates(r) {
		all |= syntax.EmptyEndLine
	}
	if (b&wordChar != 0) != syntax.IsWordChar(r) {
		return all | syntax.EmptyWordBoundary
	}
	return all | syntax.EmptyNoWordBoundary
}

// with returns the value of before after a letter.
func (b before) with(r rune) (after before) {
	if b.separates(r) {
		return cellBegan
	}
	after = b & oneLine
	if syntax.IsWordChar(r) {
		after |= wordChar
	}
	if b&inKey != 0 && r == '/' {
		return after | cellBegan
	}
	return after | b&inKey
}
