package object

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"watchglass/internal/object/encoded"
	"watchglass/internal/object/schema"
)

// A Plan extracts the values of a set of paths from protobuf in one pass, and skips all others.
//
// A path is a field's JSON names joined by dots; "[]" is each element of a list and "{}" each
// entry of a map. A path may end anywhere: at a message it yields the message's bytes, which
// shows that the message is present.
type Plan struct {
	root  *planNode
	slots int
	lists int
}

// planNode is a message on the path to a wanted value.
type planNode struct {
	next []*planNode // by field number
	slot int         // of the value itself, or -1
	list int         // number of the list whose elements it counts, or -1
}

// A Value is what a path found: a number, or bytes that alias the input.
type Value struct {
	Elem  int // index in the path's outermost list
	Num   uint64
	Bytes []byte
}

// Pair returns the key and the value of an entry of a string map.
func (v Value) Pair() (key, value []byte, ok bool) {
	key, value, err := encoded.Pair(v.Bytes)
	return key, value, err == nil
}

// Seconds returns the unix time of a timestamp; 0 if the value is none.
func (v Value) Seconds() int64 { return seconds(v.Bytes) }

// Values holds what a Plan found, by the path's index in the plan. Each Scan overwrites it and
// reuses its memory.
type Values struct {
	slots [][]Value
	lists []int // elements seen so far, by list
}

func mustPlan(m *schema.Message, paths ...string) *Plan {
	p, err := NewPlan(m, paths...)
	if err != nil {
		panic("object: " + err.Error())
	}
	return p
}

// NewPlan resolves the paths against a message.
func NewPlan(m *schema.Message, paths ...string) (*Plan, error) {
	p := &Plan{root: newPlanNode(), slots: len(paths)}
	for slot, path := range paths {
		if err := p.add(m, path, slot); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return p, nil
}

func (p *Plan) add(m *schema.Message, path string, slot int) error {
	node, inList := p.root, false
	for part := range strings.SplitSeq(path, ".") {
		if m == nil {
			return fmt.Errorf("nothing can follow before %q", part)
		}
		name, list := strings.CutSuffix(part, "[]")
		name, dict := strings.CutSuffix(name, "{}")
		chain := m.Lookup(name)
		if chain == nil {
			return fmt.Errorf("%s has no field %q", m.Name, name)
		}
		for _, f := range chain {
			node = node.child(f.Number)
			m = f.Message()
		}
		last := chain[len(chain)-1]
		if last.Repeated != list || last.Map != dict {
			return fmt.Errorf("%s.%s: list and map need [] and {}, and only they", chain[0].Name, name)
		}
		if (list || dict) && !inList {
			if node.list < 0 {
				node.list = p.lists
				p.lists++
			}
			inList = true
		}
	}
	if node.slot >= 0 {
		return errors.New("named twice")
	}
	node.slot = slot
	return nil
}

func newPlanNode() *planNode { return &planNode{slot: -1, list: -1} }

func (n *planNode) child(number int) *planNode {
	for len(n.next) <= number {
		n.next = append(n.next, nil)
	}
	if n.next[number] == nil {
		n.next[number] = newPlanNode()
	}
	return n.next[number]
}

// Scan fills into with the values found in msg, which they alias.
func (p *Plan) Scan(msg []byte, into *Values) error {
	for len(into.slots) < p.slots {
		into.slots = append(into.slots, nil)
	}
	for i := range into.slots {
		into.slots[i] = into.slots[i][:0]
	}
	into.lists = append(into.lists[:0], make([]int, p.lists)...)
	if !p.root.scan(msg, into, 0) {
		return encoded.ErrMalformed
	}
	return nil
}

func (n *planNode) scan(msg []byte, into *Values, elem int) bool {
	f := encoded.FieldsOf(msg)
	for f.Next() {
		if f.Number >= len(n.next) || n.next[f.Number] == nil {
			continue
		}
		child := n.next[f.Number]
		v := Value{elem, f.Num, f.Bytes}
		if child.list >= 0 {
			v.Elem = into.lists[child.list]
			into.lists[child.list]++
		}
		if child.slot >= 0 {
			into.slots[child.slot] = append(into.slots[child.slot], v)
		}
		if child.next != nil && !child.scan(v.Bytes, into, v.Elem) {
			return false
		}
	}
	return f.Err() == nil
}

// Has reports whether a path found anything.
func (v *Values) Has(slot int) bool { return len(v.slots[slot]) > 0 }

// Bytes returns what a path outside of lists found. The last value wins, as in protobuf.
func (v *Values) Bytes(slot int) []byte {
	if s := v.slots[slot]; len(s) > 0 {
		return s[len(s)-1].Bytes
	}
	return nil
}

// Int returns the number that a path outside of lists found, or 0.
func (v *Values) Int(slot int) int64 { return v.IntOr(slot, 0) }

// IntOr returns the number that a path outside of lists found, or other.
func (v *Values) IntOr(slot int, other int64) int64 {
	if s := v.slots[slot]; len(s) > 0 {
		return int64(s[len(s)-1].Num)
	}
	return other
}

// Len returns the number of elements of a list whose path ends in "[]".
func (v *Values) Len(slot int) int { return len(v.slots[slot]) }

// All returns everything that a path found, in order.
func (v *Values) All(slot int) []Value { return v.slots[slot] }

// In returns everything that a path inside a list found in element elem.
func (v *Values) In(slot, elem int) []Value {
	s := v.slots[slot]
	begin, _ := slices.BinarySearchFunc(s, elem, byElem)
	end, _ := slices.BinarySearchFunc(s, elem+1, byElem)
	return s[begin:end]
}

func byElem(v Value, elem int) int { return v.Elem - elem }

// At returns what a path inside a list found in element elem.
func (v *Values) At(slot, elem int) (Value, bool) {
	s := v.slots[slot]
	if elem < len(s) && s[elem].Elem == elem {
		return s[elem], true // every element has one
	}
	i, ok := slices.BinarySearchFunc(s, elem, byElem)
	if !ok {
		return Value{}, false
	}
	return s[i], true
}
