package query

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// Regular expressions take time in proportion to the text and, at worst, to their
// own length, so that length is bounded, in steps. Counted repetitions make it long:
// a UUID has 44 steps.
const longestExpression = 250

func parseExpression(source string) (*syntax.Regexp, error) {
	return syntax.Parse(source, syntax.Perl&^syntax.OneLine|syntax.FoldCase)
}

// checkExpression says what is wrong with the expression between two slashes.
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
		return at.wrong(wrong.Code.String()+" in the regular expression", want)
	}
	if prog, err := syntax.Compile(cellwise(re).Simplify()); err != nil || len(prog.Inst) > longestExpression {
		return at.wrong("the regular expression is too long", "a shorter one, or fewer repetitions")
	}
	return nil
}

// fieldExpression is an expression for the value of a field.
func fieldExpression(source string) *regexp.Regexp {
	return regexp.MustCompile("(?im)" + source)
}

// rowExpression is an expression for what a row prints, cells with control
// characters between. It looks only where one of some words is, if there are
// any that it cannot do without.
func rowExpression(source string) func(text string) bool {
	re, err := parseExpression(source)
	if err != nil {
		panic(err) // it has been checked
	}
	words := needed(re)
	var finders []*finder
	for _, w := range words {
		finders = append(finders, newFinder(w))
	}
	if re.Op == syntax.OpLiteral && len(words) == 1 && re.Flags&syntax.FoldCase != 0 {
		return finders[0].in
	}
	compiled := regexp.MustCompile(cellwise(re).String())
	return func(text string) bool {
		if len(finders) > 0 && !slices.ContainsFunc(finders, func(f *finder) bool { return f.in(text) }) {
			return false
		}
		return compiled.MatchString(text)
	}
}

// The ends of a cell take in what is between cells, since there is no looking
// ahead. The name begins behind its namespace.
var (
	cellStart, _ = syntax.Parse(`(?:\A(?:[^/\x00-\x1f]*/)?|[\x00-\x1f])`, syntax.Perl)
	cellEnd, _   = syntax.Parse(`(?:\z|[\x00-\x1f])`, syntax.Perl)
)

// cellwise has ^ and $ mean the ends of a cell, and spaces as in \s also what is
// between cells.
func cellwise(re *syntax.Regexp) *syntax.Regexp {
	switch re.Op {
	case syntax.OpBeginLine:
		return cellStart
	case syntax.OpEndLine:
		return cellEnd
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			if re.Rune[i] <= ' ' && ' ' <= re.Rune[i+1] {
				re.Rune[i] = min(re.Rune[i], '\x1f')
			}
		}
	}
	for i, sub := range re.Sub {
		re.Sub[i] = cellwise(sub)
	}
	return re
}

// needed returns words of which one at least is in every text that matches; none
// where that cannot be told.
func needed(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r >= utf8.RuneSelf {
				return nil
			}
		}
		return []string{lower(string(re.Rune))}
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

func shortest(words []string) int {
	n := len(words[0])
	for _, w := range words {
		n = min(n, len(w))
	}
	return n
}
