package diff

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Kind is what happened to a field.
type Kind string

// The kinds.
const (
	Changed Kind = "changed"
	Added   Kind = "added"
	Removed Kind = "removed"
	Moved   Kind = "moved" // the elements of a list stand in another order
)

// Change is one field that differs.
type Change struct {
	Steps  []Step
	Kind   Kind
	Before any // of what was moved, the names in their order
	After  any
	Field  string // of what was moved: the names' own
}

// Step goes from a field to one within: by a key, or by what tells an element of a
// list from the others, or else by its place.
type Step struct {
	Key   string
	Field string // by which the element is known; Key is what that is, as text
	Index int    // of an element: where it was, or of one that was added, where it is
	Item  bool
}

// Path is the field's name: spec.containers[web].image.
func (c Change) Path() string {
	var out strings.Builder
	for i, s := range c.Steps {
		switch {
		case s.Item && s.Field != "":
			out.WriteString("[" + s.Key + "]")
		case s.Item:
			out.WriteString("[" + strconv.Itoa(s.Index) + "]")
		case s.Key == "" || strings.ContainsFunc(s.Key, odd):
			out.WriteString("[" + strconv.Quote(s.Key) + "]")
		default:
			if i > 0 {
				out.WriteByte('.')
			}
			out.WriteString(s.Key)
		}
	}
	return out.String()
}

// odd letters in a key have it put in quotes.
func odd(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
}

// Noise reports that the change says nothing by itself: it goes along with others, or
// is a clock's.
func (c Change) Noise() bool {
	return slices.ContainsFunc(noises, func(n string) bool { return matches(c.Steps, strings.Split(n, ".")) })
}

// noises are such fields; a star is an element of a list.
var noises = []string{"metadata.resourceVersion", "metadata.managedFields", "metadata.generation", "status.observedGeneration", "status.conditions.*.lastHeartbeatTime"}

func matches(steps []Step, names []string) bool {
	if len(steps) < len(names) {
		return false
	}
	for i, name := range names {
		if steps[i].Item != (name == "*") || !steps[i].Item && steps[i].Key != name {
			return false
		}
	}
	return true
}

// Objects are the fields in which two objects differ, in the order of their names.
// Values of Secrets are none of them.
func Objects(before, after any) []Change {
	var d differ
	d.values(nil, Withheld(before), Withheld(after))
	return d.changes
}

// lastApplied repeats all of an object.
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Withheld is an object without what is secret in it. The relay sends none of that:
// this is so that nothing hangs on it.
func Withheld(object any) any {
	o, _ := object.(map[string]any)
	if o["kind"] != "Secret" || o["apiVersion"] != "v1" {
		return object
	}
	o = maps.Clone(o)
	for _, field := range []string{"data", "stringData"} {
		if data, ok := o[field].(map[string]any); ok {
			names := make(map[string]any, len(data))
			for name := range data {
				names[name] = ""
			}
			o[field] = names
		} else {
			delete(o, field)
		}
	}
	if meta, ok := o["metadata"].(map[string]any); ok {
		if notes, ok := meta["annotations"].(map[string]any); ok && notes[lastApplied] != nil {
			meta, notes = maps.Clone(meta), maps.Clone(notes)
			delete(notes, lastApplied)
			meta["annotations"], o["metadata"] = notes, meta
		}
	}
	return o
}

// differ gathers changes.
type differ struct{ changes []Change }

func (d *differ) add(steps []Step, kind Kind, before, after any) {
	d.changes = append(d.changes, Change{Steps: slices.Clone(steps), Kind: kind, Before: before, After: after})
}

func (d *differ) values(at []Step, a, b any) {
	switch before := a.(type) {
	case map[string]any:
		if after, ok := b.(map[string]any); ok {
			d.maps(at, before, after)
			return
		}
	case []any:
		if after, ok := b.([]any); ok {
			d.lists(at, before, after)
			return
		}
	default:
		if isScalar(b) && a == b {
			return
		}
	}
	d.add(at, Changed, a, b)
}

func isScalar(v any) bool {
	switch v.(type) {
	case map[string]any, []any:
		return false
	}
	return true
}

func (d *differ) maps(at []Step, a, b map[string]any) {
	keys := slices.Collect(maps.Keys(a))
	for key := range b {
		if _, ok := a[key]; !ok {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		before, was := a[key]
		after, is := b[key]
		within := append(at, Step{Key: key})
		switch {
		case !was:
			d.add(within, Added, nil, after)
		case !is:
			d.add(within, Removed, before, nil)
		default:
			d.values(within, before, after)
		}
	}
}

// mergeKeys are the fields that tell the elements of a list apart, the likeliest first.
var mergeKeys = []string{"name", "key", "type", "mountPath", "devicePath", "containerPort", "port", "ip", "uid", "topologyKey", "hostname", "manager"}

func (d *differ) lists(at []Step, a, b []any) {
	for _, field := range mergeKeys {
		was, ok := named(a, field)
		if !ok {
			continue
		}
		if is, ok := named(b, field); ok && len(a)+len(b) > 0 {
			d.merge(at, field, a, b, was, is)
			return
		}
	}
	d.align(at, a, b)
}

// named are the places of a list's elements by what a field of each is, if that tells
// each from the others.
func named(list []any, field string) (map[string]int, bool) {
	out := make(map[string]int, len(list))
	for i, e := range list {
		name, ok := nameOf(e, field)
		if _, twice := out[name]; !ok || twice {
			return nil, false
		}
		out[name] = i
	}
	return out, true
}

func nameOf(element any, field string) (string, bool) {
	m, _ := element.(map[string]any)
	switch v := m[field].(type) {
	case string:
		return v, true
	case json.Number:
		return v.String(), true
	}
	return "", false
}

// merge compares lists whose elements have names.
func (d *differ) merge(at []Step, field string, a, b []any, was, is map[string]int) {
	var before, after []any // the names of those that are in both
	for i, e := range a {
		name, _ := nameOf(e, field)
		within := append(at, Step{Key: name, Field: field, Index: i, Item: true})
		if j, ok := is[name]; ok {
			before = append(before, name)
			d.values(within, e, b[j])
		} else {
			d.add(within, Removed, e, nil)
		}
	}
	for j, e := range b {
		name, _ := nameOf(e, field)
		if _, ok := was[name]; ok {
			after = append(after, name)
		} else {
			d.add(append(at, Step{Key: name, Field: field, Index: j, Item: true}), Added, nil, e)
		}
	}
	if !slices.Equal(before, after) {
		d.changes = append(d.changes, Change{Steps: slices.Clone(at), Kind: Moved, Before: before, After: after, Field: field})
	}
}

// alignMost bounds the work of aligning two lists: pairs of elements.
const alignMost = 1 << 18

// align compares lists whose elements have no names: what is equal at both ends, and,
// unless there is too much of it, in between, stays where it is.
func (d *differ) align(at []Step, a, b []any) {
	first := 0
	for first < len(a) && first < len(b) && reflect.DeepEqual(a[first], b[first]) {
		first++
	}
	endA, endB := len(a), len(b)
	for endA > first && endB > first && reflect.DeepEqual(a[endA-1], b[endB-1]) {
		endA, endB = endA-1, endB-1
	}
	i, j := first, first
	for _, pair := range common(a[first:endA], b[first:endB]) {
		d.gap(at, a, b, i, first+pair[0], j, first+pair[1])
		i, j = first+pair[0]+1, first+pair[1]+1
	}
	d.gap(at, a, b, i, endA, j, endB)
}

// gap compares what is between two elements that stayed: as many as there are in both
// are the same ones, changed.
func (d *differ) gap(at []Step, a, b []any, i, endA, j, endB int) {
	for ; i < endA && j < endB; i, j = i+1, j+1 {
		d.values(append(at, Step{Index: i, Item: true}), a[i], b[j])
	}
	for ; i < endA; i++ {
		d.add(append(at, Step{Index: i, Item: true}), Removed, a[i], nil)
	}
	for ; j < endB; j++ {
		d.add(append(at, Step{Index: j, Item: true}), Added, nil, b[j])
	}
}

// common are the places of the longest sequence of elements that both lists have; none
// if the lists are too long for that.
func common(a, b []any) [][2]int {
	if len(a) == 0 || len(b) == 0 || len(a)*len(b) > alignMost {
		return nil
	}
	x, y := texts(a), texts(b)
	longest := make([][]int, len(x)+1) // from each pair of places on
	for i := range longest {
		longest[i] = make([]int, len(y)+1)
	}
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if x[i] == y[j] {
				longest[i][j] = longest[i+1][j+1] + 1
			} else {
				longest[i][j] = max(longest[i+1][j], longest[i][j+1])
			}
		}
	}
	var out [][2]int
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i] == y[j]:
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case longest[i+1][j] >= longest[i][j+1]:
			i++
		default:
			j++
		}
	}
	return out
}

// texts are elements as JSON, which equal ones have the same of.
func texts(list []any) []string {
	out := make([]string, len(list))
	for i, e := range list {
		doc, err := json.Marshal(e)
		if err != nil {
			doc = []byte(strconv.Itoa(i)) // of what was JSON: it does not happen
		}
		out[i] = string(doc)
	}
	return out
}
