package query

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// Line searches lines of text for a word or a regular expression. The search is
// case-sensitive if the pattern has capital letters. A Line is for one goroutine at a time.
type Line struct {
	in   func(text string) bool
	find func(text string, most int) [][]int
}

// ParseLine returns a Line for a word or a regular expression. The error is an *Error, with
// its position in the source.
func ParseLine(source string, expression bool) (*Line, error) {
	if expression && source != "" {
		return parseLineExpression(source)
	}
	index := newFinder(source).index
	if strings.IndexFunc(source, unicode.IsUpper) >= 0 {
		index = func(text string) int { return strings.Index(text, source) }
	}
	return &Line{
		in: func(text string) bool { return index(text) >= 0 },
		find: func(text string, most int) (all [][]int) {
			for at := 0; len(all) < most; at += len(source) {
				next := index(text[at:])
				if next < 0 || source == "" {
					break
				}
				at += next
				all = append(all, []int{at, at + len(source)})
			}
			return all
		},
	}, nil
}

func parseLineExpression(source string) (*Line, error) {
	if err := checkExpression(source, span{-1, len(source)}); err != nil { // there are no slashes
		var wrong *Error
		if errors.As(err, &wrong) {
			wrong.From = max(wrong.From, 0)
		}
		return nil, err
	}
	flags, prefix := expressionFlags, "(?i)"
	if !lowerCase(source) {
		flags, prefix = flags&^syntax.FoldCase, ""
	}
	re, err := syntax.Parse(source, flags)
	if err != nil {
		panic(err) // it was checked
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		panic(err)
	}
	return &Line{in: narrowed(re, newAutomaton(prog, oneLine).in), find: regexp.MustCompile(prefix + source).FindAllStringIndex}, nil
}

// lowerCase reports whether an expression has no capital letters, apart from its syntax, as
// in \S or \PL.
func lowerCase(source string) bool {
	for i := 0; i < len(source); i++ {
		switch c := source[i]; {
		case c == '\\' && i+1 < len(source) && (source[i+1] == 'p' || source[i+1] == 'P'):
			i += 2
			if i < len(source) && source[i] == '{' {
				i += max(strings.IndexByte(source[i:], '}'), 0)
			}
		case c == '\\':
			i++
		case c >= 0x80:
			return strings.IndexFunc(source[i:], unicode.IsUpper) < 0
		case c >= 'A' && c <= 'Z':
			return false
		}
	}
	return true
}

// Marks returns what to mark in the lines that a filter matches: its words and expressions that are
// not negated.
func (f Filter) Marks() (all []*Line) {
	for _, t := range f.terms {
		all = marks(all, t.node)
	}
	return all
}

func marks(all []*Line, n node) []*Line {
	switch n := n.(type) {
	case both:
		for _, n := range n {
			all = marks(all, n)
		}
	case either:
		for _, n := range n {
			all = marks(all, n)
		}
	case termAt:
		return marks(all, n.node)
	case text:
		if l, err := ParseLine(lower(n.word), false); err == nil {
			return append(all, l)
		}
	case pattern:
		if l, err := ParseLine(n.source, true); err == nil {
			return append(all, l)
		}
	}
	return all
}

// In reports whether a line matches.
func (l *Line) In(text string) bool { return l.in(text) }

// Find returns the positions of the matches in a line, from left to right, at most most of
// them. Empty matches are left out.
func (l *Line) Find(text string, most int) [][]int {
	return slices.DeleteFunc(l.find(text, most), func(at []int) bool { return at[0] == at[1] })
}
