package view

import (
	"slices"

	"watchglass/internal/columns"
	"watchglass/internal/object"
	"watchglass/internal/sorting"
)

// begin makes slots the rows of a list, in the order that compare gives. They must be in the order of keys. The list sorts
// them as far as somebody looks: a window costs a pass over what a column keeps of each object.
func (o *order) begin(l *columns.List, slots []uint32, t *texts) {
	if o.column < 0 {
		if o.descending {
			slices.Reverse(slots)
		}
		l.BeginSorted(slots)
		return
	}
	base := byName
	if o.then != nil { // equal cells keep their order
		then := columns.List{Table: l.Table, Compare: o.then.compare}
		o.then.begin(&then, slots, t)
		slots, base = then.All(), o.then.compare
	}
	l.Begin(slots, base, func(rest []uint32, n int) int { return o.first(rest, n, t) })
}

// first puts at least n slots in front that come first, in order. The others, and those with equal cells, keep their order. It
// returns how many are in front.
func (o *order) first(some []uint32, n int, t *texts) int {
	switch c := &o.columns[o.column]; {
	case o.ownName() && o.then == nil && n <= len(some)/2:
		t.readColumn(namespaceAt).FirstNames(some, n, o.descending, func(slot uint32) string { return t.table.At(slot).Name() })
		return n
	case o.quantities || c.Kind != object.TextCell && c.Kind != object.NameCell:
		return o.firstNumbers(some, n, t)
	case t.shape.textOnly(o.column):
		if x := t.readColumn(o.column); !x.Over() {
			return x.First(some, n, o.descending)
		}
	}
	o.sortTexts(some, t.table)
	return len(some)
}

// firstNumbers is first by number. Cells without a number come last, or first when descending, as in compare.
func (o *order) firstNumbers(some []uint32, n int, t *texts) int {
	if o.columns[o.column].Computed() { // its cells become known without a change, so they are read once
		n = len(some)
	}
	sorted, begin, end := t.numbers(o).First(some, n, o.descending, o.descending && !o.unknownLast())
	unknown := columns.List{Table: t.table, Compare: o.compare}
	unknown.Sort(some[begin:end])
	return sorted
}

// sortTexts sorts slots by the text of each object.
func (o *order) sortTexts(some []uint32, t *columns.Table) {
	before := slices.Clone(some)
	keys := sorting.Texts(len(some), func(i int) string { return o.text(t.At(some[i])) })
	if !o.descending {
		for i, k := range keys {
			some[i] = before[k.At]
		}
		return
	}
	for at, end := 0, len(keys); end > 0; { // backwards, but equal texts keep their order
		start := end - 1
		for start > 0 && keys[start-1].Text == keys[start].Text {
			start--
		}
		for _, k := range keys[start:end] {
			some[at] = before[k.At]
			at++
		}
		end = start
	}
}
