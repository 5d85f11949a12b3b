package tree

import (
	"bytes"
	"encoding/json"
	"fmt"

	"watchglass/internal/object/encoded"
)

// Part is an object whose members are read once, and only when they are asked for, so that of a large object only what is
// needed is read. It is for package document, and for one goroutine.
type Part struct {
	node    Node
	members []Member
	is      []any          // what was read of the members
	places  map[string]int // in members; nil: there are few
	depth   int
}

const (
	// smallJSON is how many bytes are read at once.
	smallJSON = 32 << 10
	// deepestJSON is how deep an object is read in parts. Each level is searched for its end anew, so a deeper one is read
	// at once.
	deepestJSON = 8
	// fewMembers is how many are searched one by one.
	fewMembers = 64
)

// NewPart returns an object, with further members that are not in it.
func NewPart(n Node, more ...Member) (*Part, error) { return newPart(n, 0, more...) }

func newPart(n Node, depth int, more ...Member) (*Part, error) {
	if depth > encoded.MaxDepth {
		return nil, fmt.Errorf("%w: nests deeper than %d", encoded.ErrMalformed, encoded.MaxDepth)
	}
	members, err := n.AppendMembers(make([]Member, 0, n.runs()+len(more)))
	if err != nil {
		return nil, err
	}
	for i := range members {
		members[i].Name = validName(members[i].Name)
	}
	members = append(members, more...)
	p := &Part{node: n, members: members, is: make([]any, len(members)), depth: depth}
	if len(members) > fewMembers {
		p.places = make(map[string]int, len(members))
		for i := range members {
			p.places[members[i].Name] = i
		}
	}
	return p, nil
}

// runs returns about how many members a message has.
func (n Node) runs() (count int) {
	if n.IsJSON() {
		return 0
	}
	number := 0
	for all := encoded.FieldsOf(n.raw); all.Next(); {
		if all.Number != number {
			number = all.Number
			count++
		}
	}
	return count
}

// Member returns a member as encoding/json would read it, with numbers as json.Number and objects as *Part, unless they
// are small and in JSON; nil if it is absent.
func (p *Part) Member(name string) any {
	i := p.place(name)
	if i < 0 {
		return nil
	}
	if p.is[i] == nil {
		p.is[i] = p.members[i].read(p.depth + 1)
	}
	return p.is[i]
}

// place returns which member has a name, the last of several; -1 if none has.
func (p *Part) place(name string) int {
	if p.places != nil {
		if i, ok := p.places[name]; ok {
			return i
		}
		return -1
	}
	for i := len(p.members) - 1; i >= 0; i-- {
		if p.members[i].Name == name {
			return i
		}
	}
	return -1
}

// Names returns the names of the members that are present, each once, in no order.
func (p *Part) Names() (all []string) {
	for i := range p.members {
		if name := p.members[i].Name; p.place(name) == i && p.Member(name) != nil {
			all = append(all, name)
		}
	}
	return all
}

// jsonPart is a Part in JSON, which can be read at once.
type jsonPart struct{ *Part }

// Any returns the object as encoding/json reads it.
func (p jsonPart) Any() any {
	is, _ := decodeJSON(p.node.raw)
	return is
}

func (p *Part) any() any {
	if p.node.IsJSON() {
		return jsonPart{p}
	}
	return p
}

// Decode returns a value as encoding/json reads it, or as a *Part if it is a large object.
func Decode(n Node) (any, error) {
	switch {
	case n.kind == Object && (n.field != nil || len(n.raw) > smallJSON):
		p, err := NewPart(n)
		if err != nil {
			return nil, err
		}
		return p.any(), nil
	case n.field == nil:
		return decodeJSON(n.raw)
	}
	return n.read(0), nil
}

func decodeJSON(doc []byte) (is any, err error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	err = d.Decode(&is)
	return is, err
}

// read reads a value, of an object no more than its names. In JSON, all of it is read if it is small or deep.
func (n Node) read(depth int) any {
	switch {
	case n.field == nil && (len(n.raw) <= smallJSON || depth >= deepestJSON || n.kind != Object && n.kind != List):
		is, err := decodeJSON(n.raw)
		if err != nil {
			return nil
		}
		return is
	case n.kind == Object:
		p, err := newPart(n, depth)
		if err != nil {
			return nil
		}
		return p.any()
	case n.kind == Map:
		all := make(map[string]any)
		for key, value := range n.entries() {
			all[validText(key)] = value.read(depth)
		}
		return all
	case n.kind == List:
		return n.readElements(depth)
	case n.kind == String:
		return n.Text()
	case n.kind == Number:
		return json.Number(n.Text())
	case n.kind == Bool:
		return n.num != 0
	}
	return nil
}

func (n Node) readElements(depth int) any {
	var all []any
	if n.IsJSON() {
		if encoded.Elements(n.raw, func(value []byte) error {
			all = append(all, FromJSON(value).read(depth+1))
			return nil
		}) != nil {
			return nil
		}
		return all
	}
	for e := range n.Elements() {
		all = append(all, e.read(depth))
	}
	return all
}
