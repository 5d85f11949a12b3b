package query

import (
	"errors"
	"regexp/syntax"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// longestExpression is the maximum length of a regular expression, in program instructions.
// Matching takes time in proportion to the text and, at worst, to this length. Counted
// repetitions make it long: a UUID has 44 instructions.
const longestExpression = 250

const expressionFlags = syntax.Perl&^syntax.OneLine | syntax.FoldCase

func parseExpression(source string) (*syntax.Regexp, error) {
	return syntax.Parse(source, expressionFlags)
}

// checkExpression returns the error in the expression between two slashes, if any.
func checkExpression(source string, at span) error {
	const want = "a regular expression"
	if source == "" {
		return at.wrong("nothing between the slashes", want)
	}
	re, err := parseExpression(source)
	var wrong *syntax.Error
	if errors.As(err, &wrong) {
		if i := strings.Index(source, wrong.Expr); i >= 0 && wrong.Expr != "" {
			at = span{at.from + 1 + i, at.from + 1 + i + len(wrong.Expr)}
		}
		code := wrong.Code.String()
		if what, ok := strings.CutPrefix(code, "missing closing "); ok {
			code = "missing " + strconv.Quote(what)
		}
		return at.wrong("invalid regular expression: "+code, "")
	}
	if prog, err := syntax.Compile(re.Simplify()); err != nil || len(prog.Inst) > longestExpression {
		return at.wrong("the regular expression is too long", "a shorter one, or fewer repetitions")
	}
	return nil
}

// compile compiles an expression that checkExpression accepted.
func compile(source string) (*syntax.Regexp, *syntax.Prog) {
	re, err := parseExpression(source)
	if err != nil {
		panic(err)
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		panic(err)
	}
	return re, prog
}

// fieldExpression returns a function that matches an expression against a field's value.
func fieldExpression(source string) func(text string) bool {
	_, prog := compile(source)
	return newAutomaton(prog, 0).in
}

// rowExpression returns a function that matches an expression against a row's text, narrowed
// by the words that it needs. The text is one line, or has cells.
func rowExpression(source string, line bool) func(text string) bool {
	re, prog := compile(source)
	of := inKey
	if line {
		of = oneLine
	}
	return narrowed(re, newAutomaton(prog, of).in)
}

// narrowed returns a function that runs in only on texts with one of the words that the
// expression needs. Finding words is faster.
func narrowed(re *syntax.Regexp, in func(text string) bool) func(text string) bool {
	words := needed(re)
	var finders []*finder
	for _, w := range words {
		finders = append(finders, newFinder(w))
	}
	if re.Op == syntax.OpLiteral && len(words) == 1 && len(words[0]) == len(re.Rune) && re.Flags&syntax.FoldCase != 0 {
		return finders[0].in
	}
	return func(text string) bool {
		if len(finders) > 0 && !slices.ContainsFunc(finders, func(f *finder) bool { return f.in(text) }) {
			return false
		}
		return in(text)
	}
}

// needed returns words such that every matching text has at least one of them; none if there
// are no such words.
func needed(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		return longest(re.Rune)
	case syntax.OpCapture, syntax.OpPlus:
		return needed(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return needed(re.Sub[0])
		}
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			words := needed(sub)
			if words == nil {
				return nil
			}
			all = append(all, words...)
		}
		return all
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if words := needed(sub); words != nil && (best == nil || shortest(words) > shortest(best)) {
				best = words
			}
		}
		return best
	}
	return nil
}

// longest returns the longest word of a literal. It splits at spaces, since a space may match
// the separator between cells.
func longest(literal []rune) (word []string) {
	for w := range strings.FieldsSeq(string(literal)) {
		if ascii := strings.IndexFunc(w, func(r rune) bool { return r >= utf8.RuneSelf }) < 0; ascii && (word == nil || len(w) > len(word[0])) {
			word = []string{lower(w)}
		}
	}
	return word
}

func shortest(words []string) int {
	n := len(words[0])
	for _, w := range words {
		n = min(n, len(w))
	}
	return n
}
