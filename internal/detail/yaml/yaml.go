package yaml

import "strconv"

// YAML is an object as kubectl prints it, and where its parts are. It is immutable.
type YAML struct {
	text   string
	lines  []line
	nodes  []node // in the order in which they begin: each node precedes its children
	tokens []token
}

type line struct {
	at    uint32 // where it begins
	size  uint32 // without its line ending
	token int32  // the first token
	fold  int32  // the outermost node of several lines that begins here, or -1
}

// node is a key with its value, or a list element.
type node struct {
	parent, end int32 // end is the index after its last descendant
	first, last int32 // lines
	at, nameEnd uint32
	id          uint64 // hash of its path
	item        bool   // a list element
	children    int32
}

// blank returns a YAML without text.
func blank() *YAML { return &YAML{nodes: []node{{parent: -1, end: 1}}} }

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

// tokensOf returns the tokens of a line. What precedes the first is plain.
func (y *YAML) tokensOf(i int) []token {
	if i+1 == len(y.lines) {
		return y.tokens[y.lines[i].token:]
	}
	return y.tokens[y.lines[i].token:y.lines[i+1].token]
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
	for i := 1; i < len(y.nodes); i++ {
		n := &y.nodes[i]
		if !n.item {
			n.id = mixed(y.nodes[n.parent].id, y.name(n))
		}
		if n.children > 0 && y.nodes[i+1].item {
			y.identifyItems(int32(i))
		}
	}
}

// identifyItems gives the elements of a list their identities: by the field that names them, or
// by their places.
func (y *YAML) identifyItems(list int32) {
	id := y.nodes[list].id
	for _, field := range mergeKeys {
		if known := y.known(list, field); known != nil {
			for name, item := range known {
				y.nodes[item].id = mixed(mixed(id, field), name)
			}
			return
		}
	}
	place := 0
	y.each(list, func(_ int32, n *node) {
		n.id = mixed(id, "#"+strconv.Itoa(place))
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
