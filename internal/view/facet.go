package view

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/query"
	"watchglass/internal/sorting"
)

// namespaceField is the name of the namespace field in a filter.
const namespaceField = "ns"

// OwnerFacet is the name of the facet by controller, and ImageFacet of the facet by image.
const (
	OwnerFacet = "Owner"
	ImageFacet = "Image"
)

const (
	// fewValues is the maximum number of values of a column that becomes a facet.
	// facetValues is the maximum number of values sent per facet: nobody reads more.
	fewValues   = 40
	facetValues = 100

	// facetsEvery is the minimum time between two updates of the facets. Nobody reads faster,
	// and drawing facets costs the page more than drawing rows.
	facetsEvery = 400 * time.Millisecond

	// countAtOnce is the maximum number of objects counted in one step. countBeside is the
	// maximum in a step that answers a query, so that rows do not wait for counts.
	countAtOnce = 4000
	countBeside = 1000

	// readAtOnce is the maximum number of values read in a step, each kilobyte of an object's texts counted as one:
	// a list of a custom resource may have 60 columns, and long texts in each.
	readAtOnce = 40_000

	// longestValue is the length in bytes of the longest value that is sent: nobody reads more.
	longestValue = 256
)

// always lists the columns that are facets regardless of how many values they have.
var always = map[string]bool{NamespaceColumn: true, "Status": true, "Node": true, OwnerFacet: true, ImageFacet: true}

// facet counts objects by one of their values.
type facet struct {
	name   string
	field  string // its name in a filter
	value  func(o *object.Object) string
	many   func(o *object.Object) iter.Seq[string] // used instead of value if an object has several values
	place  int                                     // index of the value's code in an object; -1 if there is none
	most   int                                     // maximum number of values; 0 if unlimited
	shared bool                                    // values are parts of short strings that many objects share
	owned  bool                                    // values are parts of ImagesAndOwners
	kind   query.Kind                              // how a filter compares its values
	exact  bool                                    // no two values differ only in how they are written
	counts map[string]*tally                       // by value; some may be 0, and values that a filter takes for the same have one
	byCode []*tally                                // the same tallies by code; nil for codes not counted yet
	live   int                                     // number of counts that are not 0
	last   string                                  // the ImagesAndOwners that was counted last
	lasts  []*tally                                // of its values; nil: they have to be looked up
	turn   uint32                                  // number of the object whose values were collected last

	shorts []short // values that the filter has in a short form: they count, but are none of the facet's

	changed []*tally // since the last call of changes
	notes   bool     // keep changed
	spare   []tally  // for the next values, made together
	spares  []sum
}

// tally counts the objects with a value, and sums their measures.
type tally struct {
	value   string
	count   int
	sums    []sum  // one for each reading
	turn    uint32 // facet.turn of the last object that has the value
	shared  bool   // a line has the sums, so they must not change
	changed bool
}

// add adds by, which is +1 or -1, to the counts of an object's values, and the object's readings to
// their sums.
func (f *facet) add(o *object.Object, by int, readings []reading) {
	f.dropSparse()
	switch {
	case f.counts == nil: // dropped: too many values
	case f.owned:
		for _, t := range f.countersOwned(o) {
			f.count(t, by, readings)
		}
		f.countShorts(by, readings)
	case f.many != nil:
		for _, t := range f.countersOf(o) {
			f.count(t, by, readings)
		}
	default:
		f.count(f.counterOf(o), by, readings)
	}
}

// countersOwned returns the tallies of the values that an object has. In a list by name, the objects of an
// owner follow one another, so most have those of the object before.
func (f *facet) countersOwned(o *object.Object) []*tally {
	text := o.ImagesAndOwners()
	if f.lasts != nil && text == f.last {
		return f.lasts
	}
	f.last, f.lasts = text, f.lasts[:0]
	if f.many == nil {
		f.lasts = append(f.lasts, f.counter(f.value(o)))
		return f.lasts
	}
	return f.countersOf(o)
}

// countersOf returns the tallies of an object's several values, each once: a filter finds an object once. An object may
// have tens of thousands of values, so each tally says whether it is among them.
func (f *facet) countersOf(o *object.Object) []*tally {
	f.lasts = f.lasts[:0]
	if f.turn++; f.turn == 0 { // after 4 billion objects
		for _, t := range f.counts {
			t.turn = 0
		}
		f.turn = 1
	}
	for value := range f.many(o) {
		if t := f.counter(value); t.turn != f.turn {
			t.turn, f.lasts = f.turn, append(f.lasts, t)
		}
	}
	return f.lasts
}

// counterOf returns the tally of the value that an object has.
func (f *facet) counterOf(o *object.Object) *tally {
	code := int(o.Code(f.place))
	if code == 0 {
		return f.counter(f.value(o))
	}
	if code >= len(f.byCode) {
		f.byCode = append(f.byCode, make([]*tally, code+64-len(f.byCode))...)
	}
	if f.byCode[code] == nil {
		f.byCode[code] = f.counter(f.value(o))
	}
	return f.byCode[code]
}

// mostSpare is the most tallies that are made together.
const mostSpare = 32

// counter returns the tally of a value. It stays the same until the facet is reset, or its count of 0 is
// dropped. Values that a filter takes for the same have the tally of the first of them, so that its count is what a
// click leaves.
func (f *facet) counter(value string) *tally {
	t, ok := f.counts[value]
	if ok {
		return t
	}
	if !f.shared {
		value = strings.Clone(value) // otherwise the tally would keep the whole object in memory
	}
	key := value
	if !f.exact {
		key = query.Key(value, f.kind)
	}
	if t, ok = f.counts[key]; !ok {
		if len(f.spare) == 0 {
			f.spare = make([]tally, min(len(f.counts)+1, mostSpare))
		}
		t, f.spare = &f.spare[0], f.spare[1:]
		t.value = value
		f.counts[key] = t
	}
	if key != value {
		f.counts[value] = t
	}
	return t
}

// sparse is the maximum number of entries of counts that nothing needs.
const sparse = 10_000

// dropSparse drops counts of 0 and values that are written in another way than that of their tally, if there are too many,
// but not while an object is counted. At most two entries of each tally stay: its value, and the key by which counter finds
// it again.
func (f *facet) dropSparse() {
	if len(f.counts) <= 2*f.live+sparse {
		return
	}
	maps.DeleteFunc(f.counts, func(value string, t *tally) bool {
		return t.count == 0 || value != t.value && value != query.Key(t.value, f.kind)
	})
	f.byCode, f.lasts = nil, nil
}

func (f *facet) count(t *tally, by int, readings []reading) {
	before := t.count
	switch t.count += by; {
	case before == 0:
		f.live++
	case t.count == 0:
		f.live--
	}
	if len(readings) > 0 {
		f.sum(t, by, readings)
	}
	if f.notes && !t.changed {
		t.changed, f.changed = true, append(f.changed, t)
	}
	if f.most > 0 && f.live > f.most {
		f.counts, f.byCode, f.live = nil, nil, 0
	}
}

// sum adds readings to a tally's sums, or subtracts them if by is -1.
func (f *facet) sum(t *tally, by int, readings []reading) {
	n := len(readings)
	if t.sums == nil || t.shared {
		if len(f.spares) < n {
			f.spares = make([]sum, n*min(len(f.counts)+1, mostSpare))
		}
		copy(f.spares[:n], t.sums)
		t.sums, f.spares, t.shared = f.spares[:n:n], f.spares[n:], false
	}
	for i, r := range readings {
		t.sums[i].add(r, by)
	}
}

// changes returns the tallies that have changed since the last call.
func (f *facet) changes() []*tally {
	all := f.changed
	for _, t := range all {
		t.changed = false
	}
	f.changed = nil
	return all
}

// reset drops all counts.
func (f *facet) reset() {
	f.counts, f.byCode, f.live, f.changed, f.spare, f.spares, f.lasts = make(map[string]*tally), nil, 0, nil, nil, nil, nil
}

// facets are all facets of a list. A facet ignores its own terms of the filter: each count is
// what a click would leave.
type facets struct {
	all  []*facet
	sum  meter       // of the measure that is shown besides the counts, if any
	todo []countTask // objects still to be counted; those that change meanwhile are counted at once
	news bool        // counts have changed since they were sent
	at   time.Time
	// hurried says that the next step counts everything and sends it, even if that is not due.
	hurried bool
}

// countTask is an object, and the only facet by which the filter excludes it.
type countTask struct {
	obj *object.Object
	by  int
}

// Values of missed.by that are not the index of a facet: hit if the filter includes the
// object, lost if it excludes it by several facets or by something else.
const (
	hit  = -1
	lost = -2
)

// Field returns the name of a facet in a filter.
func Field(facet string) string {
	if facet == NamespaceColumn {
		return namespaceField
	}
	return query.FieldName(facet)
}

// newFacets returns the facets for objects of a shape. Computed columns are facets if they are in
// use.
func newFacets(s Shape, used []int) []*facet {
	var all []*facet
	if s.Namespaced {
		all = append(all, &facet{name: NamespaceColumn, field: Field(NamespaceColumn), value: (*object.Object).Namespace, place: object.NamespaceCode})
	}
	for _, first := range []bool{true, false} { // Status and added columns come first: they are used most
		all = append(all, columnFacets(s.Columns, first)...)
		if first {
			all = append(all, computedFacets(s.Columns, used)...)
		}
	}
	all = append(all, &facet{name: OwnerFacet, field: Field(OwnerFacet), value: (*object.Object).Controller, place: -1, shared: true, owned: true, exact: true})
	if s.Images {
		all = append(all, &facet{name: ImageFacet, field: Field(ImageFacet), many: (*object.Object).Images, place: -1, shared: true, owned: true})
	}
	for _, f := range all {
		f.reset()
	}
	return all
}

// ownWords are the columns of problems whose cells differ from row to row: as facets they would count
// ones.
var ownWords = map[string]bool{"Name": true, "Problem": true}

func columnFacets(columns []object.Column, first bool) []*facet {
	var all []*facet
	codes := object.Codes(columns)
	for i, c := range columns {
		added := query.Added(c.Name)
		if c.Computed() || c.Kind != object.TextCell && !added || c.Priority > 0 && !always[c.Name] || (c.Name == "Status" || added) != first || ownWords[c.Name] && !added {
			continue
		}
		f := &facet{name: c.Name, field: Field(c.Name), value: func(o *object.Object) string { return o.Cell(columns, i).Text }, place: codes[i], kind: compares(c.Name, c.Kind)}
		if !always[c.Name] && !added {
			f.most = fewValues
		}
		all = append(all, f)
	}
	return all
}

// computedFacets returns the facets of the computed columns in use. Images have a facet anyway.
func computedFacets(columns []object.Column, used []int) (all []*facet) {
	for _, i := range used {
		if c := columns[i]; c.Name != ImageFacet+"s" {
			all = append(all, &facet{name: c.Name, field: Field(c.Name), place: -1, shared: true, kind: compares(c.Name, c.Kind), many: func(o *object.Object) iter.Seq[string] {
				return o.Cell(columns, i).Values
			}})
		}
	}
	return all
}

// replace replaces the facets. The objects still to be counted are dropped, since they refer to the old facets
// by index: the caller has to choose all objects again.
func (f *facets) replace(all []*facet) { f.all, f.todo = all, nil }

// begin drops all counts, and queues the objects for counting under a filter.
func (f *facets) begin(todo []countTask, filter query.Filter) {
	for _, one := range f.all {
		one.reset()
		if one.owned {
			one.shorts = shortsOf(filter, one.field)
		}
	}
	f.todo, f.news = todo, true
}

// work counts up to n of the objects that are not counted yet, fewer if they have many or long values, or all in
// a hurry.
func (f *facets) work(n int) {
	left := readAtOnce
	if f.hurried {
		n, left = len(f.todo), math.MaxInt
	}
	done := 0
	for ; done < min(n, len(f.todo)) && left > 0; done++ {
		m := f.todo[done]
		f.add(m, +1)
		left -= len(f.all) * (1 + len(m.obj.Text(true))>>10)
	}
	if f.todo = f.todo[done:]; len(f.todo) == 0 {
		f.todo = nil
	}
}

// add adds by to the counts of an object in every facet that includes it.
func (f *facets) add(m countTask, by int) {
	switch m.by {
	case lost:
	case hit:
		f.news = true
		readings := f.sum.read(m.obj)
		for _, one := range f.all {
			one.add(m.obj, by, readings)
		}
	default:
		f.news = true
		f.all[m.by].add(m.obj, by, f.sum.read(m.obj))
	}
}

// take returns the counts if they are complete, have changed and are due; otherwise nil. If
// first is set, they need not be due.
func (f *facets) take(now time.Time, first bool, chosen [][]string) []Facet {
	due := first || f.hurried || now.Sub(f.at) >= facetsEvery
	f.hurried = false
	if !f.news || len(f.todo) > 0 || !due {
		return nil
	}
	f.news, f.at = false, now
	return f.list(chosen, facetValues)
}

// list returns the facets that show, each with its chosen values and at most most values in
// all.
func (f *facets) list(chosen [][]string, most int) []Facet {
	out := make([]Facet, 0, len(f.all))
	for i, one := range f.all {
		if !one.shows(len(chosen[i]) > 0) {
			continue
		}
		out = append(out, one.list(chosen[i], most, f.sum))
	}
	return out
}

// shows reports whether the facet has something to choose from.
func (f *facet) shows(chosen bool) bool {
	switch {
	case chosen, f.name == NamespaceColumn:
		return true
	case f.name == OwnerFacet && f.live == 1:
		t := f.counts[""]
		return t == nil || t.count == 0 // the only value is an owner
	case always[f.name], query.Added(f.name):
		return f.live > 0
	}
	return f.live > 1
}

// same reports whether a filter takes two values for the same.
func (f *facet) same(a, b string) bool {
	return strings.EqualFold(a, b) || f.kind == query.NumberColumn && query.Key(a, f.kind) == query.Key(b, f.kind)
}

// list returns the facet's values and counts. The namespace facet has all values, by sum or name.
// Other facets have the chosen values first, then those with the largest sums, or the most frequent
// ones.
func (f *facet) list(chosen []string, most int, of meter) Facet {
	before := f.order(chosen)
	if f.name == NamespaceColumn {
		most = 0
	}
	var values []FacetValue
	long := 0
	for value, t := range f.counts {
		if t.count == 0 || value != t.value {
			continue
		}
		if most > 0 && len(value) > longestValue {
			long++
			continue
		}
		values = append(values, t.as(value, of))
		if most > 0 && len(values) >= 4*most { // there may be tens of thousands
			sorting.By(values, before)
			values = values[:most]
		}
	}
	for _, value := range chosen {
		switch i := slices.IndexFunc(values, func(v FacetValue) bool { return f.same(v.Value, value) }); {
		case i < 0:
			values = append(values, f.short(value, of)) // so that it can be cleared
		case !strings.EqualFold(values[i].Value, value):
			values[i].Value = value // likewise: the filter has it so
		}
	}
	sorting.By(values, before)
	more := long
	if most > 0 && len(values) > most {
		values, more = values[:most], max(f.live-most, 0)
	}
	return Facet{Name: f.name, Values: slices.Clone(values), More: more} // without the room for the others
}

// order returns the order of the facet's values.
func (f *facet) order(chosen []string) func(a, b FacetValue) int {
	isChosen := func(v FacetValue) bool {
		return slices.ContainsFunc(chosen, func(c string) bool { return f.same(c, v.Value) })
	}
	return func(a, b FacetValue) int {
		x, y := isChosen(a), isChosen(b)
		switch {
		case f.name == NamespaceColumn:
			return cmp.Or(cmp.Compare(b.amount, a.amount), strings.Compare(a.Value, b.Value))
		case x != y && x:
			return -1
		case x != y:
			return 1
		}
		return cmp.Or(cmp.Compare(b.amount, a.amount), cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value))
	}
}
