package yaml

import "strings"

// Look is what a piece of a line is, as the style sheet names it.
type Look = string

// The looks of YAML. What is a plain string has none.
const (
	Plain   Look = ""
	Key     Look = "y-key"
	Quoted  Look = "y-quoted"
	Block   Look = "y-block" // text of a block scalar
	Number  Look = "y-number"
	Word    Look = "y-word" // true, false, null
	Mark    Look = "y-mark" // dashes, colons, and what begins a block scalar
	Comment Look = "y-comment"
	Control Look = "y-control" // what would not be seen
	More    Look = "y-more"    // ours: how much is not shown
)

// token is a piece of a line: from there on it looks so, up to the next.
type token struct {
	at   int
	look Look
}

// opener is where a line begins a node: an element of a list, or a key.
type opener struct {
	sign   byte // '-', '?', ':' or, of a key, 'k'
	column int
	at     int // where its name, or what an element is, begins
	end    int // of the name
}

// mode is what a line begins within.
type mode uint8

const (
	open   mode = iota // nothing: it says itself what it is
	block              // a block scalar
	double             // "…
	single             // '…
	plain              // a plain scalar, which goes on where it is indented
)

// carry is what a line leaves to the next.
type carry struct {
	mode   mode
	column int // of the node that the text belongs to: what is not deeper is not its
	indent int // of a block scalar's text; 0 until it is known
}

// lexer takes lines apart, one after the other.
type lexer struct {
	carry   carry
	tokens  []token
	openers []opener
}

func (l *lexer) put(at int, look Look) {
	if n := len(l.tokens); n > 0 && l.tokens[n-1].at == at {
		l.tokens[n-1].look = look
		return
	}
	l.tokens = append(l.tokens, token{at, look})
}

// line takes a line apart, and keeps what the next one has to know.
func (l *lexer) line(s string) {
	l.tokens, l.openers = l.tokens[:0], l.openers[:0]
	depth := indentOf(s)
	blank := depth == len(s) || s[depth:] == "\u2028" || s[depth:] == "\u2029"
	switch c := &l.carry; c.mode {
	case block:
		if blank || depth > c.column && (c.indent == 0 || depth >= c.indent) {
			if !blank && c.indent == 0 {
				c.indent = depth
			}
			l.put(0, Block)
			return
		}
	case double, single:
		l.put(0, Quoted)
		if end := closing(s, 0, c.mode); end >= 0 {
			l.carry = carry{}
			l.rest(s, end)
		}
		return
	case plain:
		if blank || depth > c.column {
			l.put(0, Plain)
			l.comment(s, depth)
			return
		}
	}
	l.carry = carry{}
	if !blank {
		l.structure(s, depth)
	}
}

// structure reads a line that says itself what it is, from where its indentation ends.
func (l *lexer) structure(s string, i int) {
	column := i
	for i < len(s) && strings.IndexByte("-?:", s[i]) >= 0 && (i+1 == len(s) || s[i+1] == ' ') {
		column = i
		l.put(i, Mark)
		at := i + 1 + indentOf(s[i+1:])
		l.openers = append(l.openers, opener{sign: s[i], column: i, at: at, end: len(s)})
		i = at
	}
	if i == len(s) {
		return
	}
	if name := keyEnd(s, i); name >= 0 {
		column = i
		l.put(i, Key)
		l.put(name, Mark)
		l.openers = append(l.openers, opener{sign: 'k', column: i, at: i, end: name})
		i = name + 1 + indentOf(s[name+1:])
	}
	l.scalar(s, i, column)
}

// scalar reads a value, or the beginning of one, of the node that begins at a column.
func (l *lexer) scalar(s string, i, column int) {
	if i < len(s) && s[i] == '!' { // a tag
		l.put(i, Mark)
		for i < len(s) && s[i] != ' ' {
			i++
		}
		i += indentOf(s[i:])
	}
	if i >= len(s) {
		return
	}
	switch s[i] {
	case '|', '>':
		l.put(i, Mark)
		l.carry = carry{mode: block, column: column}
		for _, c := range s[i+1:] {
			if c >= '1' && c <= '9' {
				l.carry.indent = column + int(c-'0')
			}
		}
	case '"', '\'':
		l.put(i, Quoted)
		l.carry = carry{mode: map[byte]mode{'"': double, '\'': single}[s[i]], column: column}
		if end := closing(s, i+1, l.carry.mode); end >= 0 {
			l.carry = carry{}
			l.rest(s, end)
		}
	case '{', '[':
		l.put(i, Mark)
	case '#':
		l.put(i, Comment)
	default:
		look := lookOf(s[i:])
		if n := len(l.openers); n > 0 && l.openers[n-1].sign == '?' {
			look = Key
		}
		l.put(i, look)
		l.carry = carry{mode: plain, column: column}
		l.comment(s, i)
	}
}

// rest is what stands behind a quoted text.
func (l *lexer) rest(s string, i int) {
	if i < len(s) {
		l.put(i, Plain)
		l.comment(s, i)
	}
}

// comment looks for one in what is not quoted.
func (l *lexer) comment(s string, from int) {
	if i := strings.Index(s[from:], " #"); i >= 0 {
		l.put(from+i+1, Comment)
		l.carry = carry{}
	}
}

func indentOf(s string) int {
	i := 0
	for i < len(s) && s[i] == ' ' {
		i++
	}
	return i
}

// keyEnd is where the name ends of a key that begins at i, and its colon stands; it is
// negative if there is none.
func keyEnd(s string, i int) int {
	switch s[i] {
	case '"', '\'':
		end := closing(s, i+1, map[byte]mode{'"': double, '\'': single}[s[i]])
		if end >= 0 && end < len(s) && s[end] == ':' && (end+1 == len(s) || s[end+1] == ' ') {
			return end
		}
		return -1
	case '|', '>', '{', '[', '#', '!':
		return -1
	}
	for j := i; ; j++ {
		k := strings.IndexByte(s[j:], ':')
		if k < 0 {
			return -1
		}
		if j += k; j+1 == len(s) || s[j+1] == ' ' {
			if c := strings.Index(s[i:j], " #"); c >= 0 {
				return -1
			}
			return j
		}
	}
}

// closing is where a quoted text ends, behind its quote; it is negative if that is on
// another line.
func closing(s string, i int, m mode) int {
	if m == single {
		for {
			k := strings.IndexByte(s[i:], '\'')
			if k < 0 {
				return -1
			}
			if i += k + 1; i == len(s) || s[i] != '\'' {
				return i
			}
			i++
		}
	}
	for {
		k := strings.IndexAny(s[i:], `"\`)
		if k < 0 {
			return -1
		}
		if i += k + 1; s[i-1] == '"' {
			return i
		}
		if i++; i > len(s) { // the break of the line is escaped
			return -1
		}
	}
}

// words are the plain scalars that are none of text.
var words = map[string]bool{"true": true, "false": true, "null": true, "~": true, ".inf": true, "-.inf": true, ".nan": true}

// lookOf is how a plain scalar looks.
func lookOf(s string) Look {
	s, _, _ = strings.Cut(s, " #")
	s = strings.TrimRight(s, " ")
	if words[s] {
		return Word
	}
	if strings.Count(s, ".") > 1 { // a version, an address
		return Plain
	}
	digits := false
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9':
			digits = true
		case c == '.', (c == '-' || c == '+') && (i == 0 || s[i-1] == 'e' || s[i-1] == 'E'), (c == 'e' || c == 'E') && digits:
		default:
			return Plain
		}
	}
	if !digits {
		return Plain
	}
	return Number
}
