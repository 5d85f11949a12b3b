package yaml

import (
	"cmp"
	"strconv"
	"strings"
)

// YAML is a parsed YAML text as kubectl prints it. It is immutable.
type YAML struct {
	text  string
	lines []line
	nodes []node // in the order in which they begin: each node precedes its children
}

type line struct {
	at    uint32 // where it begins
	size  uint32 // without its line ending
	carry carry  // the state it begins in
	fold  int32  // the outermost node of several lines that begins here, or -1
}

// node is a key with its value, or a list element.
type node struct {
	parent, end int32 // end is the index after its last descendant
	first, last int32 // lines
	at, nameEnd uint32
	id          uint64 // hash of its path
	item        bool   // a list element
	long        bool   // complex keys: "? key" and ": value" are lines of their own
	column      int32
	children    int32
}

// Parse parses a text. Invalid YAML is not an error: its lines are split as well as possible.
func Parse(text string) *YAML {
	y := &YAML{text: text}
	y.nodes = append(y.nodes, node{parent: -1, column: -1})
	p := parser{YAML: y, stack: []int32{0}}
	var l lexer
	for at := 0; at < len(text); {
		size, end := lineEnd(text[at:])
		y.lines = append(y.lines, line{at: uint32(at), size: uint32(size), carry: l.carry, fold: -1})
		l.line(text[at : at+size])
		for _, o := range l.openers {
			p.open(o, at)
		}
		at += end
	}
	for len(p.stack) > 1 {
		p.close(int32(len(y.lines)))
	}
	y.nodes[0].first, y.nodes[0].last, y.nodes[0].end = 0, int32(len(y.lines)-1), int32(len(y.nodes))
	y.identify()
	return y
}

// lineEnd returns where a line ends and where the next one begins. YAML has several line
// breaks; those other than \n are visible, and stay in the line.
func lineEnd(s string) (size, next int) {
	usual := strings.IndexByte(s, '\n')
	if usual < 0 {
		usual = len(s)
	}
	for i := 0; ; {
		k := strings.Index(s[i:usual], "\u2028"[:2]) // and of U+2029
		if k < 0 {
			return usual, min(usual+1, len(s))
		}
		if i += k + 2; i < usual && (s[i] == 0xa8 || s[i] == 0xa9) {
			return i + 1, i + 1
		}
	}
}

// parser keeps the open nodes.
type parser struct {
	*YAML
	stack []int32
}

func (p *parser) top() *node { return &p.nodes[p.stack[len(p.stack)-1]] }

// open begins a node on the last line.
func (p *parser) open(o opener, line int) {
	now := int32(len(p.lines) - 1)
	for top := p.top(); int(top.column) >= o.column && p.top().parent >= 0; top = p.top() {
		if int(top.column) == o.column && (o.sign == '-' && !top.item || o.sign == ':' && top.long) {
			break // a list may be at the same column as its key
		}
		p.close(now)
	}
	if o.sign == ':' {
		return // the value of the open key
	}
	parent := p.stack[len(p.stack)-1]
	p.nodes[parent].children++
	p.stack = append(p.stack, int32(len(p.nodes)))
	p.nodes = append(p.nodes, node{
		parent: parent, first: now, at: uint32(line + o.at), nameEnd: uint32(line + o.end),
		item: o.sign == '-', long: o.sign == '?', column: int32(o.column),
	})
}

// close ends the innermost node before a line.
func (p *parser) close(line int32) {
	at := p.stack[len(p.stack)-1]
	n := &p.nodes[at]
	n.last, n.end = max(line-1, n.first), int32(len(p.nodes))
	if n.last > n.first {
		p.lines[n.first].fold = at // the outermost is closed last
	}
	p.stack = p.stack[:len(p.stack)-1]
}

// Text returns the whole text.
func (y *YAML) Text() string { return y.text }

// Lines returns the number of lines.
func (y *YAML) Lines() int { return len(y.lines) }

// Line returns a line without its line ending.
func (y *YAML) Line(i int) string {
	l := y.lines[i]
	return y.text[l.at : l.at+l.size]
}

// name returns the name of a key as written; "" for a list element.
func (y *YAML) name(n *node) string {
	if n.item {
		return ""
	}
	return y.text[n.at:n.nameEnd]
}

// body returns a node's text from its name on; for a list element, what follows the dash.
func (y *YAML) body(n *node) string {
	last := y.lines[n.last]
	return y.text[min(n.at, last.at+last.size) : last.at+last.size]
}

// tokens returns the tokens of a line.
func (y *YAML) tokens(l *lexer, i int) []token {
	l.carry = y.lines[i].carry
	l.line(y.Line(i))
	if len(l.tokens) == 0 || l.tokens[0].at > 0 {
		l.tokens = append([]token{{0, Plain}}, l.tokens...)
	}
	return l.tokens
}

// each calls f for every child of a node.
func (y *YAML) each(of int32, f func(at int32, n *node)) {
	for at := of + 1; at < y.nodes[of].end; at = y.nodes[at].end {
		f(at, &y.nodes[at])
	}
}

// mergeKeys are the fields that identify list elements in Kubernetes. The first one counts that
// every element has with a different value.
var mergeKeys = []string{"name", "key", "type", "mountPath", "devicePath", "containerPort", "port", "ip", "uid", "topologyKey", "hostname", "manager"}

// known returns a list's elements by the value of a field; nil if the field does not identify
// them. To compare two lists, the field must identify the elements of both.
func (y *YAML) known(list int32, field string) map[string]int32 {
	var out map[string]int32
	for item := list + 1; item < y.nodes[list].end; item = y.nodes[item].end {
		value, found := y.valueOf(item, field)
		if _, twice := out[value]; !found || twice {
			return nil // most lists end here, at their first element
		}
		if out == nil {
			out = make(map[string]int32, y.nodes[list].children)
		}
		out[value] = item
	}
	return out
}

// valueOf returns the text of a list element's field.
func (y *YAML) valueOf(item int32, field string) (value string, found bool) {
	for at := item + 1; at < y.nodes[item].end; at = y.nodes[at].end {
		if c := &y.nodes[at]; !c.item && y.name(c) == field && c.children == 0 {
			last := y.lines[c.last]
			return y.text[c.nameEnd : last.at+last.size], true
		}
	}
	return "", false
}

// identify gives each node an identity that it keeps in other versions of the object.
func (y *YAML) identify() {
	names := make(map[int32]string) // of list elements
	for i := range y.nodes {
		at := int32(i)
		n := &y.nodes[at]
		if n.parent >= 0 {
			name := y.name(n)
			if n.item {
				name = cmp.Or(names[at], strconv.Itoa(i))
			}
			n.id = mixed(y.nodes[n.parent].id, name)
		}
		if n.children > 0 && y.nodes[at+1].item {
			y.nameItems(at, names)
		}
	}
}

func (y *YAML) nameItems(list int32, names map[int32]string) {
	for _, field := range mergeKeys {
		if known := y.known(list, field); known != nil {
			for name, item := range known {
				names[item] = field + name
			}
			return
		}
	}
	place := 0
	y.each(list, func(item int32, _ *node) {
		names[item] = "#" + strconv.Itoa(place)
		place++
	})
}

// mixed returns the identity of a name below another identity (FNV-1a).
func mixed(id uint64, name string) uint64 {
	id = (id ^ 0xcbf29ce484222325) * 0x100000001b3
	for i := range len(name) {
		id = (id ^ uint64(name[i])) * 0x100000001b3
	}
	return id
}
