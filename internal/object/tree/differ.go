package tree

import (
	"bytes"
	"strconv"
)

// Difference is a field in which two versions of an object differ. It is valid until the function
// returns that it is passed to.
type Difference struct {
	// Path names the field: "spec.containers[web].image". An element of a list is named by its name
	// or type if it has one, and by its index otherwise.
	Path          []byte
	before, after Node
}

// Before returns the text of the field before the change; "" if it was absent. A message is in JSON.
func (d *Difference) Before() string { return d.before.Text() }

// Removed reports whether the field is absent after the change.
func (d *Difference) Removed() bool { return !d.after.Exists() }

// After returns the text of the field after the change; "" if it is absent.
func (d *Difference) After() string { return d.after.Text() }

// Differ finds the differences between versions of objects. It descends only into what differs, so
// two versions that share most of their bytes take little more than comparing those. It reuses
// memory: only one goroutine may use it.
type Differ struct {
	path  []byte
	parts []Member
	found Difference
	left  int // how many parts may still be looked at
	each  func(*Difference) bool
}

// managedFields are never looked into.
const managedFields = "metadata.managedFields"

// longestPath is the longest path that is looked into, in bytes.
const longestPath = 1 << 10

// mostCompared is how many fields of two versions are looked at: an object may have a million.
const mostCompared = 20_000

// bytesPerField is how many bytes count as one more field that is looked at: each level of a value is read anew.
const bytesPerField = 4 << 10

// usualParts is more than the fields that are compared of nearly every pair.
const usualParts = 1 << 10

// Compare calls each with the differences between two versions of an object, until it returns false. Malformed parts
// count as equal: the decoder reports them.
func (d *Differ) Compare(before, after Node, each func(*Difference) bool) {
	d.path, d.parts, d.left, d.each = d.path[:0], d.parts[:0], mostCompared, each
	defer d.forget()
	if before.Exists() && after.Exists() && before.IsJSON() == after.IsJSON() {
		d.compare(before, after)
	}
}

// forget releases what was compared: payloads are not kept.
func (d *Differ) forget() {
	if d.parts = d.parts[:0]; cap(d.parts) > usualParts {
		d.parts = nil
	}
	clear(d.parts[:cap(d.parts)])
	d.found, d.each = Difference{}, nil
}

// compare compares two versions of a value, and reports whether to go on.
func (d *Differ) compare(a, b Node) bool {
	a, b = d.orEmpty(a, b), d.orEmpty(b, a)
	switch open := d.left > 0 && len(d.path) < longestPath && string(d.path) != managedFields; {
	case a.equal(&b):
		return true
	case open && a.kind == b.kind && (a.kind == Object || a.kind == Map || a.kind == List):
		return d.parted(a, b)
	}
	d.found = Difference{d.path, a, b}
	return d.each(&d.found)
}

// orEmpty returns a value, or an empty list or map if it is absent and the other is one: in protobuf there are no empty
// ones.
func (d *Differ) orEmpty(n, other Node) Node {
	if n.Exists() {
		return n
	}
	if other.kind == List || other.kind == Map || other.kind == Object && d.atMap(other) {
		return Node{field: other.field, kind: other.kind}
	}
	return Node{}
}

// atMap reports whether a value is a map: in JSON, only those are known to be maps that every kind has.
func (d *Differ) atMap(n Node) bool {
	return n.kind == Map || n.IsJSON() && (string(d.path) == "metadata.labels" || string(d.path) == "metadata.annotations")
}

func (n *Node) equal(o *Node) bool {
	return n.kind == o.kind && n.num == o.num && bytes.Equal(n.raw, o.raw)
}

// parted compares two values part by part: first those of the second, then those that are only in the first.
func (d *Differ) parted(a, b Node) bool {
	start := len(d.parts)
	d.parts = appendParts(d.parts, a)
	middle := len(d.parts)
	d.parts = appendParts(d.parts, b)
	end := len(d.parts)
	defer func() { d.parts = d.parts[:start] }()
	d.left -= end - start + (len(a.raw)+len(b.raw))/bytesPerField
	for i, guess := middle, start; i < end; i++ { // the parts mostly have the same order
		was, at := Node{}, start+i-middle
		if b.kind != List || d.parts[i].Name != "" {
			at = d.like(i, guess, start, middle)
		}
		if at < middle {
			p := &d.parts[at]
			p.used, guess = true, at+1
			if was = p.Node; was.equal(&d.parts[i].Node) {
				continue
			}
		}
		if !d.part(was, d.parts[i].Node, b, d.parts[i].Name, i-middle) {
			return false
		}
	}
	for i := start; i < middle; i++ {
		if !d.parts[i].used && !d.part(d.parts[i].Node, Node{}, a, d.parts[i].Name, i-start) {
			return false
		}
	}
	return true
}

// appendParts adds the members of an object, or the elements of a list with what names them, if anything does.
func appendParts(all []Member, of Node) []Member {
	if of.kind == List {
		for e := range of.Elements() {
			all = append(all, Member{Name: keyOf(e), Node: e})
		}
		return all
	}
	all, _ = of.AppendMembers(all)
	return all
}

// keyOf returns what names an element of a list among the others; "" if nothing does.
func keyOf(e Node) string {
	for _, name := range [...]string{"name", "type"} {
		if key := e.Get(name); key.kind == String && key.Text() != "" {
			return key.Text()
		}
	}
	return ""
}

// fewParts are found in any case.
const fewParts = 100

// like returns the first unused part of the same name as the i-th, from guess on and then before it; end if there is
// none.
func (d *Differ) like(i, guess, start, end int) int {
	at := guess
	for n := range end - start {
		if at >= end {
			at = start
		}
		if p := &d.parts[at]; !p.used && p.Name == d.parts[i].Name {
			return at
		}
		at++
		if d.left--; d.left < 0 && n >= fewParts {
			break
		}
	}
	return end
}

// part compares two versions of a part of a value.
func (d *Differ) part(was, is, of Node, name string, index int) bool {
	length := len(d.path)
	switch {
	case of.kind == List && name == "":
		d.path = append(strconv.AppendInt(append(d.path, '['), int64(index), 10), ']')
	case of.kind == List || d.atMap(of):
		d.path = append(append(append(d.path, '['), name...), ']')
	case length > 0:
		d.path = append(append(d.path, '.'), name...)
	default:
		d.path = append(d.path, name...)
	}
	more := d.compare(was, is)
	d.path = d.path[:length]
	return more
}
