package diff

import (
	"encoding/json"
	"maps"
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
	Moved   Kind = "moved" // the order of a list changed
)

// Change is one field that differs.
type Change struct {
	Steps  []Step
	Kind   Kind
	Before any // for Moved, the names in order
	After  any
	Field  string // for Moved, the field with the names
}

// Step leads from a field to one inside it: by a key, by the field that identifies a list
// element, or by its index.
type Step struct {
	Key   string
	Field string // identifies the element; Key is its value as text
	Index int    // of an element: in the old list, or in the new one if it was added
	Item  bool
}

// Path returns the field's path: spec.containers[web].image. What is beyond longestPath is cut off.
func (c Change) Path() string {
	var out strings.Builder
	for i, s := range c.Steps {
		if out.Len() > longestPath {
			break
		}
		key := s.Key[:min(len(s.Key), longestPath)] // a tenant's key may be as long as an object
		switch {
		case s.Item && s.Field != "":
			out.WriteString("[" + key + "]")
		case s.Item:
			out.WriteString("[" + strconv.Itoa(s.Index) + "]")
		case key == "" || strings.ContainsFunc(key, odd):
			out.WriteString("[" + strconv.Quote(key) + "]")
		default:
			if i > 0 {
				out.WriteByte('.')
			}
			out.WriteString(key)
		}
	}
	return Cut(out.String(), longestPath)
}

// longestPath is the longest path in bytes. Kubernetes's own kinds have none that is a tenth as long.
const longestPath = 4 << 10

// odd reports whether a character forces quotes around a key.
func odd(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_')
}

// Noise reports whether the change means nothing by itself: it accompanies other changes, or
// only updates a time.
func (c Change) Noise() bool {
	return slices.ContainsFunc(noises, func(n string) bool { return matches(c.Steps, strings.Split(n, ".")) })
}

// noises are the paths of such fields; a star stands for a list element.
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

// Objects returns the fields that differ between two objects, sorted by name. It never returns
// the values of Secrets. Whole is false if the comparison was cut short, as by Walk.
func Objects(before, after any) (all []Change, whole bool) {
	_, whole = Walk(before, after, func(c Change) {
		c.Steps = slices.Clone(c.Steps)
		all = append(all, c)
	})
	return all, whole
}

// Walk calls each with the fields that differ between two objects, in the order of Objects, and
// returns how many values are equal. Whole is false if the objects have too many values to compare them all:
// then what was not compared is neither equal nor different. The steps of a change are valid only during the call: an
// object made to be large has more of them than fit in memory. If one of the two is a Secret,
// only the names of the data are compared, and equal names are not counted.
func Walk(before, after any, each func(Change)) (equal int, whole bool) {
	d := differ{each: each, withheld: IsSecret(before) || IsSecret(after), effort: Most, looks: mostLooks}
	if d.withheld {
		before, after = withoutData(before), withoutData(after)
	}
	d.values(nil, before, after)
	return d.equal, !d.cut()
}

// LastApplied is the annotation that repeats the whole object.
const LastApplied = "kubectl.kubernetes.io/last-applied-configuration"

// Withheld returns an object without secret values. The relay does not send any; this is a
// second line of defence.
func Withheld(object any) any {
	if !IsSecret(object) {
		return object
	}
	return withoutData(object)
}

// IsSecret reports whether an object is a Secret.
func IsSecret(object any) bool {
	o, _ := object.(map[string]any)
	return o["kind"] == "Secret" && o["apiVersion"] == "v1"
}

// withoutData returns an object without the values of its data.
func withoutData(object any) any {
	o, ok := object.(map[string]any)
	if !ok {
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
		if notes, ok := meta["annotations"].(map[string]any); ok && notes[LastApplied] != nil {
			meta, notes = maps.Clone(meta), maps.Clone(notes)
			delete(notes, LastApplied)
			meta["annotations"], o["metadata"] = notes, meta
		}
	}
	return o
}

// valuesEqual reports whether two values are equal. Unlike reflect.DeepEqual, it allocates nothing, however
// deep they are. The answer means nothing once the comparison is cut short.
func (d *differ) valuesEqual(a, b any) bool {
	if d.looks--; d.cut() {
		return false
	}
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key, x := range a {
			if y, ok := b[key]; !ok || !d.valuesEqual(x, y) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, d.valuesEqual)
	}
	return isScalar(b) && a == b
}

// differ compares two objects.
type differ struct {
	each     func(Change)
	equal    int  // values so far
	withheld bool // the values of the data are not known
	effort   Effort
	looks    int // at values, that are left
}

// mostLooks is how often values are looked at to compare two objects. A megabyte of usual JSON takes half of it.
const mostLooks = 1 << 18

// cut reports whether the comparison is cut short. From then on nothing is counted, and no change is found.
func (d *differ) cut() bool { return d.looks < 0 }

// deepest is how many steps a path may have. What is deeper is compared as a whole.
const deepest = 64

func (d *differ) add(steps []Step, kind Kind, before, after any) {
	if d.looks--; !d.cut() {
		d.each(Change{Steps: steps, Kind: kind, Before: before, After: after})
	}
}

// same counts the values of an element that both objects have.
func (d *differ) same(v any) {
	n := values(v)
	if d.looks -= n; !d.cut() {
		d.equal += n
	}
}

// values returns how many values there are in a value: one, unless it is a map or a list.
func values(v any) (n int) {
	switch v := v.(type) {
	case map[string]any:
		for _, e := range v {
			n += values(e)
		}
		return n
	case []any:
		for _, e := range v {
			n += values(e)
		}
		return n
	}
	return 1
}

func (d *differ) values(at []Step, a, b any) {
	if d.looks--; d.cut() {
		return
	}
	if len(at) == deepest && d.valuesEqual(a, b) {
		d.same(a)
		return
	} else if len(at) == deepest {
		d.add(at, Changed, a, b)
		return
	}
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
			if !d.withheld || len(at) == 0 || at[0].Key != "data" && at[0].Key != "stringData" {
				d.equal++
			}
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
	if d.looks -= len(a) + len(b); d.cut() {
		return // before the keys are sorted
	}
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

// mergeKeys are the fields that identify list elements, the likeliest first.
var mergeKeys = []string{"name", "key", "type", "mountPath", "devicePath", "containerPort", "port", "ip", "uid", "topologyKey", "hostname", "manager"}

func (d *differ) lists(at []Step, a, b []any) {
	for _, field := range mergeKeys {
		was, ok := d.named(a, field)
		if !ok {
			continue
		}
		if is, ok := d.named(b, field); ok && len(a)+len(b) > 0 {
			d.merge(at, field, a, b, was, is)
			return
		}
	}
	d.align(at, a, b)
}

// named returns the indexes of a list's elements by the value of a field; false if the values
// are not distinct or not all present.
func (d *differ) named(list []any, field string) (map[string]int, bool) {
	if len(list) > 0 {
		if _, ok := nameOf(list[0], field); !ok {
			return nil, false
		}
	}
	out := make(map[string]int, len(list))
	for i, e := range list {
		name, ok := nameOf(e, field)
		if d.looks--; d.cut() {
			return nil, false
		}
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
	var before, after []any // the names present in both
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
	if !slices.Equal(before, after) && !d.cut() {
		d.each(Change{Steps: at, Kind: Moved, Before: before, After: after, Field: field})
	}
}

// Effort is how many pairs of elements may still be looked at to align lists, or lines of texts.
type Effort int

const (
	// alignMost is the largest number of pairs of elements for which two lists are aligned.
	alignMost = 1 << 18
	// Most is the effort for two objects: an object may have hundreds of lists that are as long as that.
	Most Effort = 8 * alignMost
)

// spend takes the effort to align two lists, and reports whether they may be aligned.
func (e *Effort) spend(a, b int) bool {
	pairs := a * b
	if pairs == 0 || pairs > min(alignMost, int(*e)) {
		return false
	}
	*e -= Effort(pairs)
	return true
}

// align compares lists whose elements have no names. Equal elements at both ends keep their
// place. So do equal ones in between, unless there are too many to align, in this list or in all so far.
func (d *differ) align(at []Step, a, b []any) {
	first := 0
	for first < len(a) && first < len(b) && d.valuesEqual(a[first], b[first]) {
		d.same(a[first])
		first++
	}
	endA, endB := len(a), len(b)
	for endA > first && endB > first && max(endA, endB) > first+1 && d.valuesEqual(a[endA-1], b[endB-1]) { // one each: they differ
		d.same(a[endA-1])
		endA, endB = endA-1, endB-1
	}
	i, j := first, first
	for _, pair := range d.commonElements(a[first:endA], b[first:endB]) {
		d.gap(at, a, b, i, first+pair[0], j, first+pair[1])
		d.same(a[first+pair[0]])
		i, j = first+pair[0]+1, first+pair[1]+1
	}
	d.gap(at, a, b, i, endA, j, endB)
}

// gap compares the elements between two that stayed. It pairs them in order and counts each
// pair as one changed element.
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

// commonElements returns the indexes of the longest common subsequence of two lists; nil if they
// are too long for that.
func (d *differ) commonElements(a, b []any) [][2]int {
	if d.looks -= len(a) + len(b); d.cut() || len(a)*len(b) == 1 || !d.effort.spend(len(a), len(b)) { // one each: they differ
		return nil
	}
	return common(texts(a), texts(b))
}

// numbers returns a number for each text, the same for equal texts: what is compared again and again may be long.
func numbers(x, y []string) (a, b []int) {
	known := make(map[string]int, len(x)+len(y))
	number := func(texts []string) []int {
		out := make([]int, len(texts))
		for i, text := range texts {
			n, ok := known[text]
			if !ok {
				n = len(known)
				known[text] = n
			}
			out[i] = n
		}
		return out
	}
	return number(x), number(y)
}

// common returns the indexes of the longest common subsequence of two lists of texts.
func common(as, bs []string) [][2]int {
	x, y := numbers(as, bs)
	wide := len(y) + 1
	longest := make([]int32, (len(x)+1)*wide) // from each pair of indexes on
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			if at := i*wide + j; x[i] == y[j] {
				longest[at] = longest[at+wide+1] + 1
			} else {
				longest[at] = max(longest[at+wide], longest[at+1])
			}
		}
	}
	var out [][2]int
	for i, j := 0, 0; i < len(x) && j < len(y); {
		switch {
		case x[i] == y[j]:
			out = append(out, [2]int{i, j})
			i, j = i+1, j+1
		case longest[(i+1)*wide+j] >= longest[i*wide+j+1]:
			i++
		default:
			j++
		}
	}
	return out
}

// texts returns elements as JSON, which is the same for equal elements.
func texts(list []any) []string {
	out := make([]string, len(list))
	for i, e := range list {
		doc, err := json.Marshal(e)
		if err != nil {
			doc = []byte(strconv.Itoa(i)) // cannot happen: it was JSON
		}
		out[i] = string(doc)
	}
	return out
}
