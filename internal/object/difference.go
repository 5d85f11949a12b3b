package object

import (
	"bytes"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"watchglass/internal/query"
)

// Difference is a field in which two versions of an object differ. It is valid until the function
// returns that it is passed to.
type Difference struct {
	// Path names the field: "spec.containers[web].image". An element of a list is named by its name
	// or type if it has one, and by its index otherwise.
	Path          []byte
	before, after part
}

// Before returns the text of the field before the change; "" if it was absent. A message is in JSON.
func (d *Difference) Before() string { return d.before.text() }

// Removed reports whether the field is absent after the change.
func (d *Difference) Removed() bool { return !d.after.there }

// After returns the text of the field after the change; "" if it is absent.
func (d *Difference) After() string { return d.after.text() }

// part is a field, an element of a list or an entry of a map, in protobuf or in JSON.
type part struct {
	field *Field // nil: JSON
	name  string // in JSON
	key   []byte // of an entry of a map
	value Value
	json  []byte
	there bool
}

func (p *part) text() string {
	var n query.Node
	switch {
	case !p.there:
		return ""
	case p.field == nil:
		n = jsonNode(p.json)
	default:
		n = p.field.element(p.value)
	}
	if n == nil {
		return ""
	}
	return n.Text()
}

// Differ finds the differences between versions of objects. It descends only into what differs, so
// two versions that share most of their bytes take little more than comparing those. It reuses
// memory: only one goroutine may use it.
type Differ struct {
	path  []byte
	parts []part
	found Difference
	left  int // how many fields may still be looked at
	each  func(*Difference) bool
}

// managedFields are never looked into.
const managedFields = "metadata.managedFields"

// longestPath is the longest path that is looked into, in bytes.
const longestPath = 1 << 10

// mostCompared is how many fields of two versions are looked at: an object may have a million.
const mostCompared = 20_000

// usualParts is more than the fields that are compared of nearly every pair.
const usualParts = 1 << 10

// Root returns an object of the kind as paths traverse it, from a payload that a Decoder decodes; nil
// if that is malformed or of another kind. Of a row of a Table it is the object in the row.
func (k Kind) Root(payload []byte) query.Node {
	p := k.root(payload)
	switch {
	case !p.there:
		return nil
	case p.field == nil:
		return jsonNode(p.json)
	}
	return messageNode{p.field.Message(), p.value.Bytes}
}

func (k Kind) root(payload []byte) part {
	raw, ok := bytes.CutPrefix(payload, magic)
	if !ok {
		_, doc, err := splitRow(payload)
		return part{json: doc, there: err == nil}
	}
	apiVersion, kind, raw, ok := envelope(raw)
	m, known := MessageOf(k.APIVersion(), k.Name)
	if !ok || !known || string(kind) != k.Name || string(apiVersion) != k.APIVersion() {
		return part{}
	}
	return part{field: &m.alone, value: Value{Bytes: raw}, there: true}
}

// Spec returns the bytes of the spec in a payload of an object of the kind; nil if it has none in protobuf. It
// does not look into the spec, so it is quick.
func (k Kind) Spec(payload []byte) []byte { return k.root(payload).spec() }

// spec returns the bytes of an object's spec in protobuf; nil if it has none.
func (p part) spec() []byte {
	if p.field == nil || !p.there {
		return nil
	}
	for _, f := range p.field.Message().Fields {
		if f.Name == "spec" {
			return fieldBytes(p.value.Bytes, f.Number)
		}
	}
	return nil
}

// Compare calls each with the differences between two payloads of objects of a kind, until it returns
// false. Malformed parts count as equal: the decoder reports them.
func (d *Differ) Compare(k Kind, before, after []byte, each func(*Difference) bool) {
	d.path, d.parts, d.left, d.each = d.path[:0], d.parts[:0], mostCompared, each
	defer d.forget()
	if a, b := k.root(before), k.root(after); a.there && b.there && (a.field == nil) == (b.field == nil) {
		d.compare(a, b)
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

// compare compares two versions of a part, and reports whether to go on.
func (d *Differ) compare(a, b part) bool {
	if a.field == nil && b.field == nil && a.there != b.there && (jsonList(a.json) || jsonList(b.json) || d.inMap(a, b)) {
		a, b = a.orEmpty(&b), b.orEmpty(&a)
	}
	if a.there && b.there {
		if a.equal(&b) {
			return true
		}
		switch open := d.left > 0 && len(d.path) < longestPath && string(d.path) != managedFields; {
		case open && a.nests() && b.nests():
			return d.members(a, b)
		case open && jsonList(a.json) && jsonList(b.json):
			start := len(d.parts)
			d.parts = appendElements(d.parts, a.json)
			middle := len(d.parts)
			d.parts = appendElements(d.parts, b.json)
			more := d.elements(start, middle, len(d.parts))
			d.parts = d.parts[:start]
			return more
		}
	}
	return d.report(a, b)
}

// orEmpty returns the part, or an empty one of the other's kind if it is absent: in protobuf there are no
// empty lists and maps.
func (p part) orEmpty(other *part) part {
	if !p.there {
		p.there, p.json = true, emptyList
		if other.json[0] == '{' {
			p.json = emptyObject
		}
	}
	return p
}

var emptyList, emptyObject = []byte("[]"), []byte("{}")

// inMap reports whether two parts in JSON are of a map that every kind has: its keys are no fields.
func (d *Differ) inMap(a, b part) bool {
	return (string(d.path) == "metadata.labels" || string(d.path) == "metadata.annotations") && (!a.there || a.nests()) && (!b.there || b.nests())
}

// report reports a difference at the path.
func (d *Differ) report(a, b part) bool {
	d.found = Difference{d.path, a, b}
	return d.each(&d.found)
}

func (p *part) equal(o *part) bool {
	return p.value.Num == o.value.Num && bytes.Equal(p.value.Bytes, o.value.Bytes) && bytes.Equal(p.json, o.json)
}

// nests reports whether the part is an object with members.
func (p *part) nests() bool {
	if p.field != nil {
		return p.field.scalar == isMessage && p.field.message != nil
	}
	return len(p.json) > 0 && p.json[0] == '{'
}

func jsonList(doc []byte) bool { return len(doc) > 0 && doc[0] == '[' }

// members compares the members of two objects.
func (d *Differ) members(a, b part) bool {
	start := len(d.parts)
	d.parts = a.appendMembers(d.parts)
	middle := len(d.parts)
	d.parts = b.appendMembers(d.parts)
	end := len(d.parts)
	defer func() { d.parts = d.parts[:start] }()
	d.left -= end - start
	at := start // members mostly have the same order
	for i := middle; i < end; {
		run := d.run(i, end)
		other := d.like(i, at, start, middle)
		otherEnd := other
		if other < middle {
			otherEnd = d.run(other, middle)
			at = otherEnd
		}
		if !d.member(other, otherEnd, i, run) {
			return false
		}
		i = run
	}
	for i := start; i < middle; {
		run := d.run(i, middle)
		if d.like(i, middle, middle, end) == end && !d.member(i, run, end, end) {
			return false
		}
		i = run
	}
	return true
}

// run returns the end of the occurrences of a field that begin at i.
func (d *Differ) run(i, end int) int {
	next := i + 1
	for f := d.parts[i].field; f != nil && next < end && d.parts[next].field == f; {
		next++
	}
	return next
}

// like returns the first part from at on, and then from start on, of the same field as the i-th; end if there is none.
func (d *Differ) like(i, at, start, end int) int {
	of := &d.parts[i]
	is := func(p part) bool { return p.field == of.field && p.name == of.name }
	if n := slices.IndexFunc(d.parts[at:end], is); n >= 0 {
		return at + n
	}
	if n := slices.IndexFunc(d.parts[start:at], is); n >= 0 {
		d.left -= n
		return start + n
	}
	return end
}

// member compares the occurrences of one member: those from a to aEnd were, those from b to bEnd are.
func (d *Differ) member(a, aEnd, b, bEnd int) bool {
	p := &d.parts[min(a, len(d.parts)-1)]
	if b < bEnd {
		p = &d.parts[b]
	}
	length := len(d.path)
	switch {
	case p.field != nil:
		d.step(p.field.Name)
	case d.inMap(part{}, part{}):
		d.path = append(append(append(d.path, '['), p.name...), ']')
	default:
		d.step(p.name)
	}
	more := true
	if p.field != nil && (p.field.Repeated || p.field.Map) {
		if string(d.path) == managedFields {
			more = d.same(a, aEnd, b, bEnd) || d.report(part{}, part{})
		} else {
			more = d.pair(a, aEnd, b, bEnd)
		}
	} else {
		more = d.compare(d.last(a, aEnd), d.last(b, bEnd))
	}
	d.path = d.path[:length]
	return more
}

// step adds a field's name to the path.
func (d *Differ) step(name string) {
	if len(d.path) > 0 {
		d.path = append(d.path, '.')
	}
	d.path = append(d.path, name...)
}

// same reports whether two runs of parts are equal.
func (d *Differ) same(a, aEnd, b, bEnd int) bool {
	return slices.EqualFunc(d.parts[a:aEnd], d.parts[b:bEnd], func(x, y part) bool { return x.equal(&y) })
}

// last returns the last of a run, which counts; an absent part if it is empty.
func (d *Differ) last(i, end int) part {
	if i >= end {
		return part{}
	}
	return d.parts[end-1]
}

// elements compares the elements of two lists in JSON.
func (d *Differ) elements(start, middle, end int) bool {
	d.left -= end - start
	return d.pair(start, middle, middle, end)
}

// pair compares the elements of two lists, or the entries of two maps. Those with a key are
// compared with that of the same key, others with that of the same index.
func (d *Differ) pair(a, aEnd, b, bEnd int) bool {
	used := make([]bool, aEnd-a)
	for i := b; i < bEnd; i++ {
		key := d.parts[i].keyed()
		other := a + i - b
		if key != nil {
			other = d.keyed(a, aEnd, other, key, used)
		}
		was := part{}
		if other < aEnd {
			was, used[other-a] = d.parts[other], true
		}
		if !d.element(was, d.parts[i], key, i-b) {
			return false
		}
	}
	for i := a; i < aEnd; i++ {
		if !used[i-a] && !d.element(d.parts[i], part{}, d.parts[i].keyed(), i-a) {
			return false
		}
	}
	return true
}

// keyed returns the unused part of a key, which is probably the one at guess; end if there is none.
func (d *Differ) keyed(from, end, guess int, key []byte, used []bool) int {
	if guess < end && !used[guess-from] && bytes.Equal(d.parts[guess].keyed(), key) {
		return guess
	}
	for i := from; i < end && d.left > 0; i++ {
		d.left--
		if !used[i-from] && bytes.Equal(d.parts[i].keyed(), key) {
			return i
		}
	}
	return end
}

// element compares two versions of an element.
func (d *Differ) element(was, is part, key []byte, index int) bool {
	length := len(d.path)
	d.path = append(d.path, '[')
	if key != nil {
		d.path = append(d.path, key...)
	} else {
		d.path = strconv.AppendInt(d.path, int64(index), 10)
	}
	d.path = append(d.path, ']')
	more := d.compare(was, is)
	d.path = d.path[:length]
	return more
}

// keyed returns what names an element of a list or an entry of a map among the others; nil if nothing
// does.
func (p *part) keyed() []byte {
	switch {
	case p.key != nil:
		return p.key
	case p.field == nil:
		for _, name := range keyNames {
			if n, ok := jsonNode(p.json).Member(name).(jsonNode); ok && len(n) > 2 && n[0] == '"' {
				return []byte(n.Text())
			}
		}
	case p.nests():
		for _, name := range keyNames {
			if key := p.field.Message().textOf(p.value.Bytes, name); len(key) > 0 {
				return key
			}
		}
	}
	return nil
}

// textOf returns a field that is a text, also of a message that JSON inlines; nil if there is none of
// the name.
func (m *Message) textOf(raw []byte, name string) []byte {
	for i := range m.Fields {
		switch f := &m.Fields[i]; {
		case f.Name == name && f.scalar == isString && !f.Repeated:
			return fieldBytes(raw, f.Number)
		case f.Name == "" && f.Message() != m:
			if text := f.Message().textOf(fieldBytes(raw, f.Number), name); text != nil {
				return text
			}
		}
	}
	return nil
}

// keyNames are the fields that name an element.
var keyNames = [...]string{"name", "type"}

// fieldBytes returns the bytes of one field of a message, or nil.
func fieldBytes(raw []byte, number int) (found []byte) {
	for len(raw) > 0 {
		n, typ, size := protowire.ConsumeTag(raw)
		if size < 0 {
			return nil
		}
		raw = raw[size:]
		_, value, size := consume(n, typ, raw)
		if size < 0 {
			return nil
		}
		if raw = raw[size:]; int(n) == number {
			found = value
		}
	}
	return found
}

// appendMembers adds the members of an object, with those that JSON inlines.
func (p *part) appendMembers(all []part) []part {
	if p.field != nil {
		return appendParts(all, p.field.Message(), p.value.Bytes, 0)
	}
	_ = Members(p.json, func(name string, value []byte) error { // malformed parts count as missing
		if string(value) != "null" {
			all = append(all, part{name: name, json: value, there: true})
		}
		return nil
	})
	return all
}

func appendElements(all []part, list []byte) []part {
	_ = Elements(list, func(value []byte) error { // as above
		all = append(all, part{json: value, there: true})
		return nil
	})
	return all
}

// appendParts adds the fields of a message.
func appendParts(all []part, m *Message, raw []byte, depth int) []part {
	for len(raw) > 0 && depth <= maxDepth {
		number, typ, size := protowire.ConsumeTag(raw)
		if size < 0 {
			return all
		}
		raw = raw[size:]
		p := part{field: m.Field(int(number)), there: true}
		if p.value.Num, p.value.Bytes, size = consume(number, typ, raw); size < 0 {
			return all
		}
		raw = raw[size:]
		switch f := p.field; {
		case f == nil:
			continue
		case f.Name == "":
			all = appendParts(all, f.Message(), p.value.Bytes, depth+1)
			continue
		case f.Map:
			p.key, p.value = entryOf(p.value.Bytes)
		case !f.Always && !f.Repeated && f.isZero(p.value):
			continue // absent in JSON
		}
		all = append(all, p)
	}
	return all
}

// entryOf splits an entry of a map.
func entryOf(raw []byte) (key []byte, value Value) {
	key = []byte{}
	for len(raw) > 0 {
		number, typ, size := protowire.ConsumeTag(raw)
		if size < 0 {
			break
		}
		raw = raw[size:]
		var v Value
		if v.Num, v.Bytes, size = consume(number, typ, raw); size < 0 {
			break
		}
		if raw = raw[size:]; number == 1 {
			key = v.Bytes
		} else if number == 2 {
			value = v
		}
	}
	return key, value
}
