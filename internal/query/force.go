package query

import (
	"errors"
	"slices"
	"strings"
)

// InForce returns the filter that applies when text replaces the filter in force, and the
// text of that filter. If text is valid, it applies. Otherwise the filter in force stays, with
// one exception: if that was the same text with the beginning of the invalid part as a plain
// word, as happens while a field is typed, the invalid part is left out and the rest applies.
//
// Check returns an error for a filter that the rows do not support, as [Bind] does; it may be
// nil. The error is an *Error.
func InForce(before, text string, check func(Filter) error) (f Filter, as string, err error) {
	f, wrong := understood(text, check)
	if wrong == nil {
		return f, text, nil
	}
	if before != "" && !typedFrom(before, text, partAt(text, wrong)) {
		if f, err := understood(before, check); err == nil {
			return f, before, wrong
		}
	}
	f, as = sound(text, check)
	return f, as, wrong
}

// SelectorInForce does for a label selector and its requirements what InForce does for a
// filter and its parts.
func SelectorInForce(before, text string) (s Selector, as string, err error) {
	if s, err = ParseSelector(text); err == nil {
		return s, text, nil
	}
	all := requirements(text)
	at := len(all) - 1
	for i, end := 0, 0; i < len(all); i++ {
		var wrong *SyntaxError
		if end += len(all[i]) + 1; errors.As(err, &wrong) && wrong.At < end {
			at = i
			break
		}
	}
	rest := slices.Delete(slices.Clone(all), at, at+1)
	if was := requirements(before); before != "" && !slices.EqualFunc(was, rest, sameTrimmed) {
		begun := len(was) == len(all) && IsKey(strings.TrimSpace(was[at])) && strings.HasPrefix(strings.TrimSpace(all[at]), strings.TrimSpace(was[at]))
		if kept, e := ParseSelector(before); e == nil && !(begun && slices.EqualFunc(slices.Delete(was, at, at+1), rest, sameTrimmed)) {
			return kept, before, err
		}
	}
	as = strings.Join(rest, ",")
	if s, e := ParseSelector(as); e == nil {
		return s, as, err
	}
	return nil, "", err
}

func sameTrimmed(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }

// requirements splits a selector's text at the commas outside brackets.
func requirements(text string) (all []string) {
	from, open := 0, false
	for i := range len(text) {
		switch c := text[i]; {
		case c == '(' || c == ')':
			open = c == '('
		case c == ',' && !open:
			all = append(all, text[from:i])
			from = i + 1
		}
	}
	return append(all, text[from:])
}

// Meanwhile returns the text that applies while the last part of a filter is still typed and
// nothing matches. It is what InForce would return if that part were invalid.
func Meanwhile(before, text string) string {
	all := parts(text)
	if len(all) == 0 {
		return text
	}
	last := all[len(all)-1]
	if before != "" && !typedFrom(before, text, last) {
		return before
	}
	_, as := sound(blanked(text, last), nil)
	return as
}

// Last returns the position of the last part of a filter.
func Last(text string) int {
	if all := parts(text); len(all) > 0 {
		return all[len(all)-1].from
	}
	return 0
}

// Sound returns the filter without its invalid parts.
func Sound(text string) Filter {
	f, _ := sound(text, nil)
	return f
}

func understood(text string, check func(Filter) error) (Filter, error) {
	f, err := Parse(text)
	if err == nil && check != nil {
		err = check(f)
	}
	return f, err
}

// mostWrong is the maximum number of attempts to leave out an invalid part. After that, the
// whole filter is left out.
const mostWrong = 16

// sound leaves out the invalid parts, one after the other. It returns the filter and the rest
// of the text.
func sound(text string, check func(Filter) error) (Filter, string) {
	for range mostWrong {
		f, err := understood(text, check)
		if err == nil {
			return f, strings.TrimSpace(text)
		}
		text = blanked(text, partAt(text, err))
	}
	return Filter{}, ""
}

// blanked returns a text with one of its parts replaced by spaces, so that positions stay
// valid.
func blanked(text string, part span) string {
	return text[:part.from] + strings.Repeat(" ", part.to-part.from) + text[part.to:]
}

// squeezed returns a text with runs of spaces replaced by one, and none at its ends.
func squeezed(text string) string { return strings.Join(strings.Fields(text), " ") }

// typedFrom reports whether text can result from typing one part into a filter: before is the
// same text with that part missing, or with its beginning as a plain word.
func typedFrom(before, text string, part span) bool {
	before, head, tail := squeezed(before), squeezed(text[:part.from]), squeezed(text[part.to:])
	begun, ok := strings.CutPrefix(before, head)
	if begun, ok = cutSuffix(begun, tail, ok); !ok {
		return false
	}
	begun = strings.TrimSpace(begun)
	return begun == "" || strings.HasPrefix(text[part.from:part.to], begun) && plainWord(begun)
}

func cutSuffix(text, suffix string, ok bool) (string, bool) {
	text, has := strings.CutSuffix(text, suffix)
	return text, ok && has
}

// plainWord reports whether a filter is a word, negated or not.
func plainWord(filter string) bool {
	f, err := Parse(filter)
	if err != nil || len(f.terms) != 1 {
		return false
	}
	n := f.terms[0].node
	if negated, ok := n.(not); ok {
		n = negated.node
	}
	_, ok := n.(text)
	return ok
}

// partAt returns the part of a text with an error. If the text ends too soon, it is the last
// part.
func partAt(text string, err error) span {
	var wrong *Error
	all := parts(text)
	if !errors.As(err, &wrong) || len(all) == 0 {
		return span{0, len(text)}
	}
	for _, part := range all {
		if wrong.From < part.to {
			return part
		}
	}
	return all[len(all)-1]
}

// parts returns the top-level parts of a filter: its terms and groups with their negations,
// and the words that join them. The filter may be invalid.
func parts(text string) (all []span) {
	p := parser{text: text}
	for !p.done() {
		from := p.at
		p.part()
		all = append(all, span{from, p.at})
	}
	return all
}

// part advances past one part.
func (p *parser) part() {
	for p.at < len(p.text) && p.operator() == "" && p.negation() {
		p.skip()
	}
	if p.at == len(p.text) {
		return
	}
	depth := 0
	for {
		switch from := p.at; {
		case p.text[p.at] == '(':
			p.at, depth = p.at+1, depth+1
		case p.text[p.at] == ')':
			p.at, depth = p.at+1, depth-1
		default:
			_, _ = p.term() // an error is ignored: the position is what matters
			end := from + len(strings.TrimRight(p.text[from:p.at], " \t\r\n"))
			if end == p.at { // text directly after a term belongs to its part
				end = wordEnd(p.text, p.at, "(")
			}
			p.at = max(end, from+1)
		}
		if depth <= 0 || p.done() {
			return
		}
	}
}

// negation advances past a negation.
func (p *parser) negation() bool {
	switch {
	case p.text[p.at] == '!':
		p.at++
	case p.keyword() == "not":
		p.at += len("not")
	default:
		return false
	}
	return true
}
