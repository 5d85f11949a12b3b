package query

import (
	"slices"
	"sort"
	"strings"
)

// Suggestion is a text that can replace the bytes from From to To of a filter.
type Suggestion struct {
	Text     string
	From, To int
	Count    int // number of rows with the value or the label; otherwise 0
	Kind     SuggestionKind
}

// SuggestionKind is the kind of a suggestion.
type SuggestionKind uint8

// The kinds of suggestions.
const (
	SuggestField SuggestionKind = iota // a field with its operator
	SuggestValue                       // a field's value, with the field if that is not typed yet
	SuggestKeyword
	SuggestTerm // what a word that people use means here
)

// ValueCount is a value and the number of rows that have it.
type ValueCount struct {
	Text  string
	Count int
}

// Values returns the values of a field that begin with a prefix, in the sense of [Begins]. The
// values of "label" are the names of labels.
type Values func(field, prefix string) []ValueCount

// Begins reports whether a value of a field begins with a prefix, ignoring case. For an owner
// or an image, a short form may begin with it too.
func Begins(field, value, prefix string) bool {
	begins := func(text string) bool { return len(text) >= len(prefix) && equalFold(text[:len(prefix)], prefix) }
	switch field {
	case "owner":
		return ownerForms(value, begins)
	case "image":
		return imageForms(value, begins)
	}
	return begins(value)
}

// mostSuggestions is the maximum number of suggestions: nobody reads more.
const mostSuggestions = 20

// Complete returns suggestions for the text at the cursor, the likeliest first.
func Complete(filter string, cursor int, s Schema, values Values) []Suggestion {
	cursor = min(max(cursor, 0), len(filter))
	c := completer{text: filter, cursor: cursor, schema: s, values: values}
	p := parser{text: filter[:cursor]}
	from := p.last()
	c.complete(from)
	return c.found[:min(len(c.found), mostSuggestions)]
}

// FieldAtEnd returns the field whose value a filter ends in; "" if it ends in none.
func FieldAtEnd(filter string) string {
	p := parser{text: filter}
	p = parser{text: filter, at: p.last()}
	if n, op := p.name(); op != "" {
		return n.canonical()
	}
	return ""
}

// last skips to the end of the text, ignoring errors. It returns the start of the term that
// the text ends in or after.
func (p *parser) last() int {
	for {
		p.skip()
		from := p.at
		if from == len(p.text) {
			return from
		}
		if strings.IndexByte("()!", p.text[from]) >= 0 {
			p.at++
			continue
		}
		_, _ = p.term()
		if p.at == from { // a keyword
			p.at = max(wordEnd(p.text, from, "("), from+1)
		}
		if p.at == len(p.text) {
			return from
		}
	}
}

type completer struct {
	text   string
	cursor int
	schema Schema
	values Values
	found  []Suggestion
}

func (c *completer) add(kind SuggestionKind, text string, count int, at span) {
	c.found = append(c.found, Suggestion{Text: text, From: at.from, To: at.to, Count: count, Kind: kind})
}

func (c *completer) complete(from int) {
	typed := c.text[from:c.cursor]
	p := parser{text: typed}
	switch {
	case typed == "":
		c.word(from, typed)
	case typed[0] == '/':
	case p.flag("-l") && len(typed) > len("-l"):
		p.skip()
		c.selector(from + p.at)
	case p.at == 0 && p.flag("-f") && len(typed) > len("-f"):
	default:
		p.at = 0
		if n, op := p.name(); op != "" {
			c.relation(n.canonical(), op, from+p.at)
		} else if typed[0] != '"' {
			c.word(from, typed)
		}
	}
}

// word completes a word that may become a field, a value or a keyword.
func (c *completer) word(from int, typed string) {
	at := span{from, max(wordEnd(c.text, from, ":<>="), c.cursor)}
	if typed == "" {
		at.to = from
	} else if at.to < len(c.text) && c.text[at.to] == ':' {
		at.to++
	}
	begins := func(name string) bool { return strings.HasPrefix(name, lower(typed)) }
	fields := c.schema.fields()
	for _, f := range fields {
		if begins(f) {
			c.field(f, typed, at)
		}
	}
	if c.schema.Open {
		for _, v := range c.most("", typed) {
			c.add(SuggestField, writtenName(v.Text)+":", v.Count, at)
		}
	} else if key, ok := strings.CutPrefix(typed, "label."); ok {
		for _, v := range c.most("label", key) {
			c.add(SuggestField, "label."+v.Text+":", v.Count, at)
		}
	} else if begins("label.") {
		c.add(SuggestField, "label.", 0, at)
	}
	c.spoken(fields, typed, at)
	if len(typed) > 1 {
		c.anywhere(fields, typed, at)
	}
	follows := c.follows(from)
	for _, k := range []string{"or ", "and ", "not ", "-l ", "-f "} {
		if begins(k) && (follows || k != "or " && k != "and ") {
			c.add(SuggestKeyword, k, 0, at)
		}
	}
}

// spoken are words of people for a term. The term is suggested where its field is known.
var spoken = []struct{ word, field, term string }{
	{"oomkilled", "exit", "exit:OOMKilled"},
	{"out-of-memory", "exit", "exit:OOMKilled"},
	{"restarted", "last-restart", "last-restart<1h"},
}

// leastSpoken is how many letters of such a word have to be typed.
const leastSpoken = 3

// spoken suggests the terms whose words begin with what was typed.
func (c *completer) spoken(fields []string, typed string, at span) {
	for _, s := range spoken {
		if len(typed) >= leastSpoken && strings.HasPrefix(s.word, lower(typed)) && slices.Contains(fields, s.field) {
			c.add(SuggestTerm, s.term, 0, at)
		}
	}
}

// follows reports whether "and" or "or" can follow the text before from.
func (c *completer) follows(from int) bool {
	before := strings.TrimRight(c.text[:from], " \t\r\n")
	if before == "" || strings.HasSuffix(before, "(") || strings.HasSuffix(before, "!") {
		return false
	}
	p := parser{text: before, at: strings.LastIndexAny(before, " \t\r\n(") + 1}
	return p.keyword() == ""
}

// field completes a field with its operators, the most used ones first. The more of the name
// is typed, the more operators it suggests.
func (c *completer) field(f, typed string, at span) {
	operators := []string{":", "!="}
	if c.schema.kind(f) != TextColumn {
		operators = []string{">", "<", ">=", "<=", ":"}
	}
	switch lower(typed) {
	case f:
	case "":
		operators = operators[:1]
	default:
		operators = operators[:len(operators)/2]
	}
	for _, op := range operators {
		c.add(SuggestField, f+op, 0, at)
	}
}

// most returns the values of a field, the most frequent first.
func (c *completer) most(field, prefix string) []ValueCount {
	all := append(byCount(nil), c.values(field, prefix)...)
	sort.Stable(all)
	return all
}

// byCount sorts the most frequent first.
type byCount []ValueCount

func (b byCount) Len() int           { return len(b) }
func (b byCount) Less(i, j int) bool { return b[i].Count > b[j].Count }
func (b byCount) Swap(i, j int)      { b[i], b[j] = b[j], b[i] }

// anywhere completes values of the fields that have few values, the most frequent first.
func (c *completer) anywhere(fields []string, typed string, at span) {
	var all byCount
	for _, f := range []string{"status", "ns", "node", "owner", "image"} {
		if slices.Contains(fields, f) {
			for _, v := range c.values(f, typed) {
				all = append(all, ValueCount{f + ":" + written(v.Text), v.Count})
			}
		}
	}
	sort.Stable(all)
	for _, v := range all {
		c.add(SuggestValue, v.Text, v.Count, at)
	}
}

// amounts are the suggested durations.
var amounts = []string{"5m", "1h", "1d", "7d", "30d"}

// relation completes the value after a field's operator.
func (c *completer) relation(field, op string, from int) {
	if op[0] == '<' || op[0] == '>' {
		p := parser{text: c.text, at: from}
		p.skip()
		at := span{min(p.at, c.cursor), max(wordEnd(c.text, p.at, ""), c.cursor)}
		for _, a := range amounts {
			if c.schema.kind(field) == DurationColumn && strings.HasPrefix(a, c.text[at.from:c.cursor]) {
				c.add(SuggestValue, a, 0, at)
			}
		}
		return
	}
	at := c.lastValue(from)
	typed := strings.TrimPrefix(c.text[at.from:c.cursor], `"`)
	if strings.HasPrefix(typed, "/") {
		return
	}
	p := parser{text: c.text[:max(at.from-1, from)], at: from}
	chosen, _ := p.values()
	if at.to < len(c.text) && c.text[at.to] == ',' {
		p = parser{text: c.text, at: at.to + 1}
		after, _ := p.values()
		chosen = append(chosen, after...)
	}
	for _, v := range c.most(field, typed) {
		if !slices.ContainsFunc(chosen, func(o value) bool { return equalFold(o.text, v.Text) }) {
			c.add(SuggestValue, written(v.Text), v.Count, at)
		}
	}
}

// lastValue returns the position of the value at the cursor, in the list of values that begins
// at from.
func (c *completer) lastValue(from int) span {
	start, quoted := from, false
	for i := from; i < c.cursor; i++ {
		switch ch := c.text[i]; {
		case ch == '"':
			quoted = !quoted
		case ch == '\\' && quoted:
			i++
		case ch == ',' && !quoted, space(ch) && i == start:
			start = i + 1
		}
	}
	p := parser{text: c.text, at: start}
	if start < len(c.text) && c.text[start] == '"' {
		if _, err := p.quoted(","); err == nil {
			return span{start, max(p.at, c.cursor)}
		}
		return span{start, c.cursor}
	}
	return span{start, max(wordEnd(c.text, start, ","), c.cursor)}
}

// selector completes a label or its value, in the selector that begins at from.
func (c *completer) selector(from int) {
	start := from + strings.LastIndexByte(c.text[from:c.cursor], ',') + 1
	for start < c.cursor && (space(c.text[start]) || c.text[start] == '!') {
		start++
	}
	key, typed, isValue := strings.Cut(c.text[start:c.cursor], "=")
	if !isValue {
		at := span{start, max(wordEnd(c.text, start, ",=!"), c.cursor)}
		for _, v := range c.most("label", key) {
			c.add(SuggestField, v.Text+"=", v.Count, at)
		}
		return
	}
	typed = strings.TrimPrefix(typed, "=")
	at := span{c.cursor - len(typed), max(wordEnd(c.text, c.cursor, ","), c.cursor)}
	for _, v := range c.most("label."+strings.TrimSuffix(key, "!"), typed) {
		if v.Text != "" { // the empty value is already there
			c.add(SuggestValue, v.Text, v.Count, at)
		}
	}
}

// written returns a value as written in a filter, quoted if needed.
func written(text string) string { return string(value{text: text}.append(nil)) }
