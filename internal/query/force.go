package query

import (
	"errors"
	"slices"
	"strings"
)

// InForce returns the filter that applies when text replaces the filter in force, and the
// text of that filter. It is the text itself if all of it is understood. Else what
// was in force stays; but if that was the same text with the wrong part as a plain word,
// as it is while a field is typed, that part is left out and the rest applies.
//
// Check says what a filter may not ask, as [Bind] does; it may be nil. The error is an
// *Error.
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

// SelectorInForce is what InForce is, of a label selector and its requirements.
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

// requirements are those of a selector's text, with commas between that are not in
// brackets.
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

// Meanwhile returns the text that applies while nothing matches a filter whose last part
// is still typed: as InForce has it, if that part were wrong.
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

// Last is where the last part of a filter begins.
func Last(text string) int {
	if all := parts(text); len(all) > 0 {
		return all[len(all)-1].from
	}
	return 0
}

// Sound returns the filter without the parts that are not understood.
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

// mostWrong is how many parts of a filter may be wrong before all of it is left out.
const mostWrong = 16

// sound leaves out what is not understood, one part after the other, and returns what is
// left of the text.
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

// blanked is a text without one of its parts, and with all else where it was.
func blanked(text string, part span) string {
	return text[:part.from] + strings.Repeat(" ", part.to-part.from) + text[part.to:]
}

// squeezed is a text with one space wherever there are several.
func squeezed(text string) string { return strings.Join(strings.Fields(text), " ") }

// typedFrom reports whether a filter is a text but for one part, of which it has the
// beginning as a plain word, or nothing.
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

// partAt is the part of a text that an error is in, or behind: what ends too soon.
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

// parts are the terms and groups of a filter that stand side by side, with their
// negations, and the words that join them: whatever is wrong in or between them.
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
			_, _ = p.term() // it is read as far as it goes
			end := from + len(strings.TrimRight(p.text[from:p.at], " \t\r\n"))
			if end == p.at { // what stands close behind it is of it, too
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
