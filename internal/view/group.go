package view

import (
	"cmp"
	"slices"
	"strconv"

	"watchglass/internal/columns"
	"watchglass/internal/object"
	"watchglass/internal/query"
	"watchglass/internal/slots"
	"watchglass/internal/view/meter"
)

// The columns of groups beside the value and the sums.
const (
	ObjectsColumn   = "Objects"
	UnhealthyColumn = "Unhealthy"
	warningsColumn  = "Warnings" // of events
)

// NoValue is the text of a group of objects without a value.
const NoValue = "<none>"

// groups are the lines of a grouped list: a line for each value of a facet, with the number of its objects and their sums.
// A changed object is subtracted from its groups and added again, unless all are counted anew.
type groups struct {
	name    string // of the facet; "": the list is not grouped
	facet   *facet
	meter   meter.Meter // stays for the next groups
	columns []object.Column
	shows   []int
	tallies []groupTally   // by the number of the value
	changed []uint32       // the numbers of those that have changed since their lines were made
	made    *columns.Table // the lines, by slot
	byKey   columns.List   // every line
	rows    columns.List   // every line, in the query's order
	order   *order
	stale   bool // the matching objects must be counted again
	resort  bool // rows must be sorted again
	cold    bool // what is in excerpts is not known
	thawed  bool // the excerpts of all cold objects have been taken
}

// groupTally is the tally of a group, and its line.
type groupTally struct {
	tally
	slot    uint32 // of the line
	made    bool   // there is a line
	changed bool   // since the line was made
}

// applyGroup groups the list by the query's facet, or by none.
func (v *View) applyGroup() {
	g := &v.groups
	if v.query.Group == "" {
		*g = groups{meter: g.meter}
		g.meter.Stop()
		return
	}
	f := v.shape.facet(v.query.Group)
	if f == nil {
		v.report(Problem{Part: PartGroup, Text: "there is no facet " + v.query.Group + " to group by", InForce: g.name})
		return
	}
	sums, columns := v.shape.measures(f.name, v.query, v.shows)
	if g.name != f.name || !slices.Equal(g.columns, columns) {
		if g.meter.Measures == nil || !g.meter.Is(&sums) {
			g.meter = sums
		}
		*g = groups{name: f.name, facet: f, meter: g.meter, columns: columns, stale: true}
		v.facets.texts.column(f.at).RemoveLimit()
		for i := range columns {
			g.shows = append(g.shows, i)
		}
	}
	sort, descending := v.query.Sort, v.query.Descending
	if sort == "" {
		sort, descending = ObjectsColumn, true
	}
	o, ok := newOrder(columns, sort, descending)
	if !ok {
		v.report(Problem{Part: PartSort, Text: "there is no column " + sort + " to sort groups by"})
		o, _ = newOrder(columns, ObjectsColumn, true)
	}
	if b := g.order; b == nil || b.column != o.column || b.descending != o.descending {
		g.order, g.resort = &o, true
		g.rows.Compare = o.compare
	}
}

// derivedText returns the column of the groups' values.
//
//go:noinline
func derivedText(name string) object.Column {
	c := object.DerivedColumn(name, 0, 0)
	c.Kind = object.NameCell
	return c
}

// facet returns a facet to group by, by its name; nil if there is none.
//
//go:noinline
func (s Shape) facet(name string) *facet {
	var used []int
	for i, c := range s.Columns {
		if c.Computed() && c.Name == name {
			used = append(used, i)
		}
	}
	for _, f := range newFacets(s, used) {
		if f.name == name {
			f.most, f.values.Few = 0, false
			return f
		}
	}
	return nil
}

// measures returns the measures of groups and their columns: the value, how many objects, how many of them
// unhealthy, and the sums of the visible columns. Unless the user chose columns, what pods request
// is included.
//
//go:noinline
func (s Shape) measures(facet string, q Query, shows []int) (m meter.Meter, columns []object.Column) {
	var all []meter.Measure
	columns = []object.Column{derivedText(facet)}
	add := func(name string) {
		columns = append(columns, object.DerivedColumn(name, 0, len(columns)))
	}
	if add(ObjectsColumn); s.Kind != "Problem" {
		if m, is := meter.Unhealthy(s.Kind, s.Columns); is {
			all = append(all, m)
			add(map[bool]string{false: UnhealthyColumn, true: warningsColumn}[s.Kind == "Event"])
		}
	}
	summed := slices.Clone(shows)
	for i, c := range s.Columns {
		if c.FromExcerpts() && c.Priority == -1 && len(q.Columns) == 0 {
			summed = append(summed, i)
		}
	}
	for _, i := range summed {
		if i >= 0 && s.Columns[i].Unit() != object.NoUnit {
			all = append(all, meter.Of(s.Columns, i))
			add(s.Columns[i].Name)
		}
	}
	return meter.New(all...), columns
}

// summed returns which of the objects' columns one of the groups' columns sums, by its index; the zero value if none.
func (g *groups) summed(column int, columns []object.Column) object.Column {
	if column < 2 {
		return object.Column{}
	}
	if at := g.meter.Measures[column-2].At; at >= 0 {
		return columns[at]
	}
	return object.Column{}
}

// sums reports whether the groups sum a column, by its index.
func (g *groups) sums(column int) bool {
	return slices.ContainsFunc(g.meter.Measures, func(m meter.Measure) bool { return m.At == column })
}

// lines returns the groups as lines of the list.
func (g *groups) lines() lines { return lines{g.columns, g.shows, &g.byKey, &g.rows} }

// thawAtOnce is how many excerpts are taken in one step. Until all are, the sums that need them are
// not known.
const thawAtOnce = 2000

// thaw takes excerpts of cold objects. With the last one, all objects are counted again.
func (g *groups) thaw() {
	if g.meter.Thaw(thawAtOnce) {
		g.thawed, g.stale = true, true
	}
}

// count adds the object of a slot to its groups, or removes it if by is -1, before another version of it takes its place.
func (g *groups) count(t *texts, slot uint32, by int) {
	if g.name == "" || g.stale {
		return
	}
	x := t.readColumn(g.facet.at)
	g.add(x, x.Code(slot), g.meter.Class(slot, t.table.At(slot), t.table.Len()), by)
}

// add counts objects with a text and of a class, or removes an object if by is -1.
func (g *groups) add(x *columns.Text, code, class uint32, by int) {
	readings := g.meter.Of(class)
	for _, v := range g.facet.values.Of(x, code) {
		n := g.tally(v)
		n.count += by
		n.sums = summed(n.sums, readings, by)
	}
}

// tally returns the tally of a value, which is about to change.
func (g *groups) tally(v columns.Value) *groupTally {
	for int(v.Number) >= len(g.tallies) {
		g.tallies = append(g.tallies, groupTally{})
	}
	n := &g.tallies[v.Number]
	if n.count == 0 {
		n.value = v.Text
	}
	if !n.changed {
		n.changed, g.changed = true, append(g.changed, v.Number)
	}
	return n
}

// countAll counts the objects of a set. As far as there is room, it first counts how many have the same text and class, since
// they are mostly many, and each is only one addition.
func (g *groups) countAll(t *texts, in *slots.Bits) {
	x := t.readColumn(g.facet.at)
	var byClass [][]int32 // by the code of the text
	most := 4 * in.Len() / max(x.Codes(), 1)
	for slot := range in.All() {
		class, code := g.meter.Class(slot, t.table.At(slot), t.table.Len()), x.Code(slot)
		if class == 0 || int(class) > most {
			g.add(x, code, class, +1)
			continue
		}
		for int(class) > len(byClass) {
			byClass = append(byClass, make([]int32, x.Codes()))
		}
		byClass[class-1][code]++
	}
	for code := range uint32(x.Codes()) {
		for i, counts := range byClass {
			if n := counts[code]; n > 0 {
				g.add(x, code, uint32(i)+1, int(n))
			}
		}
	}
}

// settle brings the lines up to date with the objects that match.
func (g *groups) settle(t *texts, matched *slots.Bits) (recounted bool) {
	if g.name == "" {
		return false
	}
	g.thaw()
	if recounted = g.stale; recounted {
		g.recount(t, matched)
	} else {
		g.update()
	}
	if g.resort {
		g.order.begin(&g.rows, slices.Clone(g.byKey.Slots), newTexts(g.made, Shape{Columns: g.columns}, nil))
		g.resort, recounted = false, true
	}
	return recounted
}

// update replaces the lines whose tallies have changed.
func (g *groups) update() {
	var gone []uint32
	for _, number := range g.changed {
		t := &g.tallies[number]
		was, is, moved, renamed := t.made, t.count > 0, false, false
		switch t.made, t.changed = is, false; {
		case is && was:
			line := g.line(t)
			before := g.made.At(t.slot)
			moved, renamed = g.order.compare(before, line) != 0, byName(before, line) != 0
			g.made.Set(t.slot, line)
		case is:
			t.slot = g.made.Add(g.line(t))
		case was:
			gone = append(gone, t.slot)
		}
		g.byKey.Update(t.slot, was, is, renamed)
		if !g.resort {
			g.rows.Update(t.slot, was, is, moved)
		}
	}
	g.changed = g.changed[:0]
	g.byKey.Flush()
	g.rows.Flush()
	for _, slot := range gone {
		g.made.Remove(slot)
	}
	g.stale = len(g.tallies) > 2*g.byKey.Len()+mostUnused // most have no objects any more
}

// recount counts the matching objects.
func (g *groups) recount(t *texts, matched *slots.Bits) {
	g.facet.values.Forget()
	g.stale, g.resort, g.tallies, g.changed = false, true, nil, nil
	g.meter.Begin(!g.thawed, thawAtOnce)
	g.thawed = false
	g.countAll(t, matched)
	g.cold = g.meter.End()
	g.made = new(columns.Table)
	g.byKey, g.rows = columns.List{Table: g.made, Compare: byName}, columns.List{Table: g.made, Compare: g.order.compare}
	g.update()
	g.resort = true
}

// line makes the line of a tally.
func (g *groups) line(t *groupTally) *object.Object {
	return object.NewLine(t.value, &group{t.value, t.count, slices.Clone(t.sums), g.meter.Measures, g.cold})
}

// group is what a group's objects came to when its line was made.
type group struct {
	value    string
	count    int
	sums     []meter.Sum
	measures []meter.Measure
	cold     bool // those from excerpts are not known
}

// LineCell returns the cell of a column: of the value, the number of objects, or a sum.
func (g *group) LineCell(number int) object.Cell {
	switch number {
	case 0:
		return object.Cell{Text: cmp.Or(g.value, NoValue)}
	case 1:
		return object.Cell{Kind: object.AmountCell, Amount: float64(g.count), Text: strconv.Itoa(g.count)}
	}
	m, s := &g.measures[number-2], g.sums[number-2]
	if g.cold && m.Excerpted() {
		return object.Cell{Kind: object.AmountCell, Text: "…", Unknown: true}
	}
	return object.Cell{Kind: object.AmountCell, Amount: s.Float(), Text: m.Text(s, g.count)}
}

// applySum has the facets sum the query's column, or none.
func (v *View) applySum() {
	name, m := v.query.Sum, &v.facets.sum
	at := slices.IndexFunc(v.shape.Columns, func(c object.Column) bool { return c.Name == name && c.Unit() != object.NoUnit })
	switch {
	case at < 0:
		if *m = (meter.Meter{}); name != "" {
			v.report(Problem{Part: PartSum, Text: "there is no column " + name + " to sum"})
		}
	default:
		if sum := meter.New(meter.Of(v.shape.Columns, at)); !m.Is(&sum) {
			*m = sum
			v.facets.summed.Clear()
		}
	}
}

// Include returns a filter that leaves only the objects with a value of a facet, and otherwise what
// another filter leaves.
func Include(text, facet, value string) string {
	field := Field(facet)
	in, out := query.Sound(text).Facet(field)
	for _, other := range slices.Concat(in, out) {
		text = query.Clear(text, field, other)
	}
	return query.Include(text, field, value)
}
