package view

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"watchglass/internal/columns"
	"watchglass/internal/object"
	"watchglass/internal/query"
	"watchglass/internal/slots"
	"watchglass/internal/sorting"
	"watchglass/internal/view/meter"
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

	// readAtOnce is about how many cells are read in a step, and readBeside in a step that answers a query, so that rows
	// do not wait for counts. Each kilobyte counts as a cell: a custom resource may have 60 columns of long texts.
	readAtOnce = 40_000
	readBeside = 10_000

	// longestValue is the length in bytes of the longest value that is sent: nobody reads more.
	longestValue = 256
)

// always lists the columns that are facets regardless of how many values they have.
var always = map[string]bool{NamespaceColumn: true, "Status": true, "Node": true, OwnerFacet: true, ImageFacet: true}

// facet counts objects by one of their values.
type facet struct {
	name  string
	field string     // its name in a filter
	at    int        // index of the column with its values; see texts
	most  int        // maximum number of values; 0 if unlimited
	kind  query.Kind // how a filter compares its values

	shorts []short         // the filter's short forms of values, which are counted besides the values
	values *columns.Values // in the texts; one number for those that a filter takes for the same
}

// countsPool has the memory in which the facets of all views are counted, one after the other.
var countsPool = sync.Pool{New: func() any { return new(facetCounts) }}

// facetCounts are the counts of one facet.
type facetCounts struct {
	texts  []int   // by code
	values []tally // by number; those without objects count 0
	live   int     // how many values have objects
	shorts []tally
	only   []string // the values to count; nil if all
}

// tally counts the objects with a value, and sums their measures. The value is written as the first of its objects has it.
type tally struct {
	value string
	count int
	sums  []meter.Sum // one for each reading
}

// mostUnused is about how many values a facet remembers beyond twice those that have objects.
const mostUnused = 10_000

// count counts the objects in a set, by value and by the filter's short forms. It stops, and returns false, if the facet
// would have more values than it may.
func (c *facetCounts) count(f *facet, t *texts, in *slots.Bits, readings []meter.Reading) bool {
	x := t.readColumn(f.at)
	c.reset(f, nil)
	if x.Over() {
		return c.countEach(f, t, x, in, readings)
	}
	sums := c.countTexts(t.table, x, in, readings)
	for code, n := range c.texts {
		if n == 0 {
			continue
		}
		one := tally{count: n}
		if sums != nil {
			one.sums = sums[code : code+1]
		}
		if c.countValues(f, f.values.Of(x, uint32(code)), &one); f.most > 0 && c.live > f.most {
			return false
		}
	}
	if f.values.Len() > 2*max(c.live, x.Texts())+mostUnused {
		f.values.Forget() // most values have no objects any more
	}
	return true
}

// reset forgets all counts. Of the facet's values only these will be counted; all if nil.
func (c *facetCounts) reset(f *facet, only []string) {
	c.live, c.values, c.shorts, c.only = 0, zeros(c.values, f.values.Len()), make([]tally, len(f.shorts)), only
}

// countChosen counts the objects in a set with the values that are chosen, and no others, of a facet with more values than it
// may have.
func (c *facetCounts) countChosen(f *facet, t *texts, in *slots.Bits, readings []meter.Reading, chosen []string) {
	if c.reset(f, chosen); len(chosen) > 0 {
		c.countEach(f, t, t.readColumn(f.at), in, readings)
	}
}

// countValues adds the tally of a text to those of its values, and of the short forms that one of them has.
func (c *facetCounts) countValues(f *facet, of []columns.Value, one *tally) {
	for _, v := range of {
		if c.only != nil && !slices.ContainsFunc(c.only, func(chosen string) bool { return f.same(v.Text, chosen) }) {
			continue
		}
		for int(v.Number) >= len(c.values) {
			c.values = append(c.values, tally{})
		}
		n := &c.values[v.Number]
		if n.count == 0 {
			n.value = v.Text
			c.live++
		}
		n.add(one)
	}
	for i := range f.shorts {
		if slices.ContainsFunc(of, func(v columns.Value) bool { return f.shorts[i].Of(v.Text) }) {
			c.shorts[i].add(one)
		}
	}
}

// countTexts counts the objects in a set by the codes of their texts. It returns their sums, if there are readings.
func (c *facetCounts) countTexts(t *columns.Table, x *columns.Text, in *slots.Bits, readings []meter.Reading) (sums []meter.Sum) {
	c.texts = zeros(c.texts, x.Codes())
	t.Count(x, in, c.texts)
	if readings == nil {
		return nil
	}
	sums = make([]meter.Sum, x.Codes())
	for slot := range in.All() {
		sums[x.Code(slot)].Add(readings[slot], +1)
	}
	return sums
}

// countEach counts object by object, for a column with too many texts to keep, and for the values that are chosen. It stops,
// and returns false, if the facet would have more values than it may.
func (c *facetCounts) countEach(f *facet, t *texts, x *columns.Text, in *slots.Bits, readings []meter.Reading) bool {
	f.values.Forget()
	for slot := range in.All() {
		one := tally{count: 1}
		if readings != nil {
			one.sums = summed(nil, readings[slot:slot+1], +1)
		}
		if c.countValues(f, f.valuesOf(t, x, slot), &one); c.only == nil && c.live > f.most {
			return false
		}
	}
	return true
}

// valuesOf returns the values of an object. They are valid until the next call.
func (f *facet) valuesOf(t *texts, x *columns.Text, slot uint32) []columns.Value {
	if x.Over() {
		return []columns.Value{f.values.Number(strings.Clone(x.Of(t.table.At(slot))))}
	}
	return f.values.Of(x, x.Code(slot))
}

// zeros returns n zero values, in the same memory if there is enough.
func zeros[T any](s []T, n int) []T {
	clear(s) // beyond its end there are zeros already
	return slices.Grow(s[:0], n)[:n]
}

// add adds the counts and sums of another tally.
func (t *tally) add(o *tally) {
	t.count += o.count
	if t.sums == nil && o.sums != nil {
		t.sums = make([]meter.Sum, len(o.sums))
	}
	for i := range o.sums {
		t.sums[i].Merge(o.sums[i])
	}
}

// summed returns sums with readings added, or subtracted if by is -1.
func summed(sums []meter.Sum, readings []meter.Reading, by int) []meter.Sum {
	if sums == nil {
		sums = make([]meter.Sum, len(readings))
	}
	for i, r := range readings {
		sums[i].Add(r, by)
	}
	return sums
}

// facets are all facets of a list. A facet ignores its own terms of the filter: each count is
// what a click would leave.
type facets struct {
	all     []*facet
	texts   *texts
	sum     meter.Meter     // of the measure that is shown besides the counts, if any
	sums    []meter.Reading // of that measure, by slot, as far as they are in summed
	summed  slots.Bits      // the slots that have been measured since their objects changed
	matched slots.Bits      // the objects that match; see setMatched
	only    []slots.Bits    // by facet, the objects that only its terms exclude
	allRead bool            // every cell that a facet needs has been read, and every excerpt that is summed
	thawed  int             // the first slot whose excerpt may have to be taken
	news    bool            // counts have changed since they were sent
	at      time.Time
	// hurried says that the next step counts everything and sends it, even if that is not due.
	hurried bool
}

// Values of what filter.misses returns that are not the index of a facet: hit if the filter includes the
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

// newFacet returns the facet of one of the texts, whose values a filter compares as a kind does.
func newFacet(name string, at int, kind query.Kind, split func(text string) iter.Seq[string]) *facet {
	key := func(value string) string { return query.Key(value, kind) }
	return &facet{name: name, field: Field(name), at: at, kind: kind, values: &columns.Values{Split: split, Key: key}}
}

// newFacets returns the facets for objects of a shape. Computed columns are facets if they are in
// use.
func newFacets(s Shape, used []int) []*facet {
	var all []*facet
	if s.Namespaced {
		all = append(all, newFacet(NamespaceColumn, namespaceAt, query.TextColumn, nil))
	}
	for _, first := range []bool{true, false} { // Status and added columns come first: they are used most
		all = append(all, columnFacets(s.Columns, first)...)
		if first {
			all = append(all, computedFacets(s.Columns, used)...)
		}
	}
	owners := newFacet(OwnerFacet, imagesAndOwnersAt, query.TextColumn, func(text string) iter.Seq[string] {
		return func(yield func(string) bool) { yield(object.ControllerIn(text)) }
	})
	owners.values.Key = nil // no two differ only in how they are written
	all = append(all, owners)
	if s.Images {
		all = append(all, newFacet(ImageFacet, imagesAndOwnersAt, query.TextColumn, object.ImagesIn))
	}
	return all
}

// ownWords are the columns of problems whose cells differ from row to row: as facets they would count
// ones.
var ownWords = map[string]bool{"Name": true, "Problem": true}

func columnFacets(columns []object.Column, first bool) []*facet {
	var all []*facet
	for i, c := range columns {
		added := query.Added(c.Name)
		if c.Computed() || c.Kind != object.TextCell && !added || c.Priority > 0 && !always[c.Name] || (c.Name == "Status" || added) != first || ownWords[c.Name] && !added {
			continue
		}
		f := newFacet(c.Name, i, compares(c.Name, c.Kind), nil)
		if !always[c.Name] && !added {
			f.most, f.values.Few = fewValues, true
		}
		all = append(all, f)
	}
	return all
}

// computedFacets returns the facets of the computed columns in use. Images have a facet anyway.
func computedFacets(columns []object.Column, used []int) (all []*facet) {
	for _, i := range used {
		if c := columns[i]; c.Name != ImageFacet+"s" {
			all = append(all, newFacet(c.Name, i, compares(c.Name, c.Kind), valuesIn))
		}
	}
	return all
}

// valuesIn yields the values in the text of a computed cell; none if they are not known.
func valuesIn(text string) iter.Seq[string] {
	return object.Cell{Text: text, Unknown: text == unknownText}.Values
}

// replace replaces the facets. The caller must select all rows again: only is by facet.
func (f *facets) replace(all []*facet) {
	f.all, f.only, f.allRead = all, make([]slots.Bits, len(all)), false
	for _, one := range all {
		one.values = f.texts.column(one.at).Dictionary.Values(one.name, *one.values)
	}
}

// begin sets the objects that a filter matches, and those that only a facet's terms exclude.
func (f *facets) begin(matched slots.Bits, only []slots.Bits, filter query.Filter) {
	for _, one := range f.all {
		one.shorts = nil
		if one.at == imagesAndOwnersAt {
			one.shorts = filter.Shorts(one.field)
		}
	}
	f.matched, f.only, f.news, f.thawed = matched, only, true, 0
}

// setMatched records whether an object matches. While the rows are stale, every object that has changed and exists counts as
// matching: a filter that narrows the last one need not search others.
func (f *facets) setMatched(slot uint32, matches bool) {
	if f.matched.Remove(slot); matches {
		f.matched.Add(slot)
	}
}

// choose records what the filter says of an object: by is what filter.misses returned.
func (f *facets) choose(slot uint32, by int) {
	f.setMatched(slot, by == hit)
	for i := range f.only {
		if f.only[i].Remove(slot); i == by {
			f.only[i].Add(slot)
		}
	}
}

// by returns what choose has recorded of an object.
func (f *facets) by(slot uint32) int {
	if f.matched.Has(slot) {
		return hit
	}
	if i := slices.IndexFunc(f.only, func(one slots.Bits) bool { return one.Has(slot) }); i >= 0 {
		return i
	}
	return lost
}

// work reads about n of the cells that have not been read yet, then excerpts that are summed, or all if hurried.
func (f *facets) work(n int) {
	if f.hurried {
		n = math.MaxInt
	}
	f.allRead = f.texts.table.Build(n) && f.thaw(n/(readAtOnce/thawAtOnce))
}

// thaw takes up to n of the excerpts that are summed, and reports whether all are taken that can be.
func (f *facets) thaw(n int) bool {
	if m := f.sum.Measures; len(m) == 0 || !m[0].Excerpted() {
		return true
	}
	for t := f.texts.table; f.thawed < t.Len(); f.thawed++ {
		if slot := uint32(f.thawed); f.by(slot) != lost && t.At(slot).TakenExcerpt() == 0 {
			if n--; n < 0 {
				return false
			}
			t.At(slot).Excerpt()
		}
	}
	return true
}

// take returns the counts if they are complete, have changed and are due; otherwise nil. If
// first is set, they need not be due.
func (f *facets) take(now time.Time, first bool, chosen [][]string) []Facet {
	due := first || f.hurried || now.Sub(f.at) >= facetsEvery
	f.hurried = false
	if !f.news || !f.allRead || !due {
		return nil
	}
	f.news, f.at = false, now
	return f.list(chosen, facetValues)
}

// list returns the facets that show, each with its chosen values and at most most values in
// all.
func (f *facets) list(chosen [][]string, most int) []Facet {
	counts := countsPool.Get().(*facetCounts)
	defer countsPool.Put(counts)
	out := make([]Facet, 0, len(f.all))
	readings := f.readings()
	for i, one := range f.all {
		in := f.matched.Clone()
		in.Or(&f.only[i])
		if !counts.count(one, f.texts, &in, readings) {
			counts.countChosen(one, f.texts, &in, readings, chosen[i])
		}
		if one.shows(counts, len(chosen[i]) > 0) {
			out = append(out, one.list(counts, chosen[i], most, f.sum))
		}
	}
	return out
}

// readings returns the measures of the objects that the facets count, by slot; nil if there is no measure. Objects that
// were measured before and have not changed are not measured again.
func (f *facets) readings() []meter.Reading {
	if len(f.sum.Measures) == 0 {
		f.sums, f.summed = nil, slots.Bits{}
		return nil
	}
	in := f.matched.Clone()
	for i := range f.only {
		in.Or(&f.only[i])
	}
	in.AndNot(&f.summed)
	f.summed.Or(&in)
	f.sums = append(f.sums, make([]meter.Reading, max(f.texts.table.Len()-len(f.sums), 0))...)
	for slot := range in.All() {
		f.sums[slot] = f.sum.Read(f.texts.table.At(slot))[0]
	}
	return f.sums
}

// shows reports whether the facet has something to choose from.
func (f *facet) shows(c *facetCounts, chosen bool) bool {
	switch live := c.live; {
	case chosen, f.name == NamespaceColumn:
		return true
	case f.name == OwnerFacet && live == 1:
		return slices.ContainsFunc(c.values, func(t tally) bool { return t.count > 0 && t.value != "" }) // the only value is an owner
	case always[f.name], query.Added(f.name):
		return live > 0
	default:
		return live > 1
	}
}

// same reports whether a filter takes two values for the same.
func (f *facet) same(a, b string) bool {
	return strings.EqualFold(a, b) || f.kind == query.NumberColumn && query.Key(a, f.kind) == query.Key(b, f.kind)
}

// list returns the facet's values and counts. The namespace facet has all values, by sum or name.
// Other facets have the chosen values first, then those with the largest sums, or the most frequent
// ones.
func (f *facet) list(c *facetCounts, chosen []string, most int, of meter.Meter) Facet {
	before := f.order(chosen)
	if f.name == NamespaceColumn {
		most = 0
	}
	var values []FacetValue
	long, cut := 0, false
	for i := range c.values {
		t := &c.values[i]
		if t.count == 0 {
			continue
		}
		if most > 0 && len(t.value) > longestValue {
			long++
			continue
		}
		one := t.as(t.value, of)
		if cut && before(one, values[most-1]) > 0 {
			continue
		}
		if values = append(values, one); most > 0 && len(values) >= 4*most { // there may be tens of thousands
			sorting.By(values, before)
			values, cut = values[:most], true
		}
	}
	for _, value := range chosen {
		switch i := slices.IndexFunc(values, func(v FacetValue) bool { return f.same(v.Value, value) }); {
		case i < 0:
			values = append(values, f.short(c, value, of)) // so that it can be cleared
		case !strings.EqualFold(values[i].Value, value):
			values[i].Value = value // likewise: the filter has it so
		}
	}
	sorting.By(values, before)
	more := long
	if cut || most > 0 && len(values) > most {
		values, more = values[:most], max(c.live-most, 0)
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
