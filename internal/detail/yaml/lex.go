package yaml

import "strings"

// Look is the role of a piece of a line, as the style sheet names it.
type Look = string

// The looks of YAML. A plain string has none.
const (
	Plain   Look = ""
	Key     Look = "y-key"
	Quoted  Look = "y-quoted"
	Block   Look = "y-block" // text of a block scalar
	Number  Look = "y-number"
	Word    Look = "y-word" // true, false, null
	Mark    Look = "y-mark" // dashes, colons, and block scalar indicators
	Comment Look = "y-comment"
	Control Look = "y-control" // an invisible character
	More    Look = "y-more"    // ours: how much is not shown
)

// token is a piece of a line. It extends to the next token.
type token struct {
	at   int
	look Look
}

// opener is where a line begins a node: a list element or a key.
type opener struct {
	sign   byte // '-', '?', ':', or 'k' for a key
	column int
	at     int // where the name or the element begins
	end    int // of the name
}

// mode is the construct that a line begins inside.
type mode uint8

const (
	open   mode = iota // none: the line stands on its own
	block              // a block scalar
	double             // "…
	single             // '…
	plain              // a plain scalar, which continues while indented
)

// carry is the state that a line passes to the next.
type carry struct {
	mode   mode
	column int // of the node that the text belongs to: only deeper lines belong to it
	indent int // of a block scalar's text; 0 until known
}

// lexer splits lines into tokens, one line after the other.
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

// line splits a line, and keeps the state for the next one.
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

// structure splits a line that stands on its own, from the end of its indentation.
func (l *lexer) structure(s string, i int) {
	column := i
	for i < len(s) && strings.IndexByte("-?:", s[i]) >= 0 && (i+1 == len(s) || s[i+1] == ' ') {
		if n := len(l.openers); n > 0 {
			l.openers[n-1].end = i // so that names on one line do not contain each other
		}
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

// scalar reads a value, or its beginning. The value belongs to the node that begins at a
// column.
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

// rest reads what follows a quoted text.
func (l *lexer) rest(s string, i int) {
	if i < len(s) {
		l.put(i, Plain)
		l.comment(s, i)
	}
}

// comment looks for a comment in unquoted text.
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

// keyEnd returns where the name of a key ends that begins at i, which is the position of its
// colon; a negative number if there is no key.
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

// closing returns the position after the closing quote; a negative number if it is on another
// line.
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
		if i++; i > len(s) { // the line break is escaped
			return -1
		}
	}
}

// words are the plain scalars that are not strings.
var words = map[string]bool{"true": true, "false": true, "null": true, "~": true, ".inf": true, "-.inf": true, ".nan": true}

// lookOf returns the look of a plain scalar.
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
