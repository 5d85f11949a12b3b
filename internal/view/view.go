package view

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"watchglass/internal/columns"
	"watchglass/internal/object"
	"watchglass/internal/query"
	"watchglass/internal/slots"
)

// Change is one change in the store. Before is nil if the object was added, After if it was
// deleted.
type Change struct{ Before, After *object.Object }

// View keeps one filtered, sorted window over a set of objects.
type View struct {
	mu        sync.Mutex
	shape     Shape
	shows     []int // indexes of the visible columns; may include namespaceAt
	used      []int // indexes of the computed columns in use
	query     Query
	problems  Problems
	filter    filter // selects the rows
	chosenFor filter // the filter that selected them last; another one only while the rows are stale
	order     *order // of the rows
	inForce   force  // the part of the query that filter implements
	before    string // the filter text in force before the current query's
	// asked is the query's filter, without the parts that cannot be parsed; askedAs is the
	// text it was made from. While the user types and nothing matches, meanwhile applies
	// instead.
	asked       filter
	askedAs     force
	meanwhile   *filter
	meanwhileAs string
	held        bool // meanwhile applies

	table   columns.Table     // every object
	byKey   columns.List      // every object, by namespace and name
	rows    columns.List      // the matching objects, in the query's order; unused if that is byKey, see matched
	facets  facets            // counts of the matching objects
	groups  groups            // of the matching objects, if the query groups them
	gone    []uint32          // slots of objects that are deleted, but still in the lists
	pending map[string]Change // by key, since the last step
	gaps    map[int]Gap       // in what the derived columns rest on, by number

	derivation derivation

	stale  bool  // rows must be selected again
	second int64 // time for which rows was selected, in Unix seconds

	// generation changes whenever all rows are selected again, and with every change. Parts of a list
	// with the same generation fit together.
	generation uint64

	sent     Window           // the window that the page has
	objects  []*object.Object // of sent's rows
	answered bool             // a patch for the current query has been returned
}

// Shape describes the objects of a view.
type Shape struct {
	Columns    []object.Column // the columns that they print; nil if not known yet
	Namespaced bool
	Images     bool // the objects' container images are known
	Kind       string
	ID         string // of the kind
}

func (s Shape) same(o Shape) bool {
	return slices.Equal(s.Columns, o.Columns) && s.Namespaced == o.Namespaced && s.Images == o.Images && s.Kind == o.Kind && s.ID == o.ID
}

// generations counts generations across all views.
var generations atomic.Uint64

// New returns a view that has no objects, no columns and no query yet.
func New() *View { return NewSharing(new(columns.Dictionaries)) }

// NewSharing is New for one of several views of objects of one kind, whose texts are kept once for all of them. They are
// for one goroutine at a time, but for Apply. End gives up what the view has of them.
func NewSharing(texts *columns.Dictionaries) *View {
	v := &View{pending: make(map[string]Change), stale: true, order: &order{column: -1}}
	v.byKey = columns.List{Table: &v.table, Compare: byName}
	v.rows.Table = &v.table
	v.facets.texts = newTexts(&v.table, v.shape, texts)
	return v
}

// End gives up what the view has of shared texts. It must not be asked afterwards.
func (v *View) End() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.table.DropColumns()
	v.shape = Shape{}
}

// Start sets the view's initial objects. Changes applied earlier are changes to these
// objects.
func (v *View) Start(objects []*object.Object) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.table.Grow(len(objects))
	v.byKey.Slots = slices.Grow(v.byKey.Slots, len(objects))
	for _, o := range objects {
		slot := v.table.Add(o)
		v.byKey.Slots = append(v.byKey.Slots, slot)
		v.facets.setMatched(slot, true)
	}
	v.byKey.Sort(v.byKey.Slots)
	v.stale, v.derivation.all = true, v.derivation.joined != nil
}

// SetShape sets the shape of the objects. A different shape resets the window and the facets.
func (v *View) SetShape(s Shape) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if s.same(v.shape) {
		return
	}
	v.shape = s
	v.stale, v.answered = true, false
	v.sent, v.objects = Window{}, nil
	v.used, v.groups = nil, groups{}
	v.facets.texts = newTexts(&v.table, s, v.facets.texts.shared)
	v.facets.replace(newFacets(s, nil))
	v.applyQuery()
}

// SetQuery replaces the query. If the new one is invalid, the last valid one stays in force
// and the patch reports the problem.
func (v *View) SetQuery(q Query) {
	v.mu.Lock()
	defer v.mu.Unlock()
	before := v.query
	if q.Text != before.Text {
		if v.stale && v.meanwhile != nil { // whether meanwhile was in force is only known after selecting rows
			v.settle(time.Unix(v.second, 0))
		}
		v.before = v.inForce.text
	}
	v.query, v.answered = q, false
	if q.From != before.From || q.Until != before.Until || q.Sum != before.Sum || q.Text != before.Text || q.Typing != before.Typing || q.Labels != before.Labels || q.Wide != before.Wide || (len(q.Columns) > 0) != (len(before.Columns) > 0) || !slices.Equal(q.Namespaces, before.Namespaces) {
		v.stale = true
	}
	v.applyQuery()
}

func (v *View) applyQuery() {
	v.problems = nil
	if v.shape.Columns == nil {
		return
	}
	v.applyFilter()
	var missing []string
	if v.shows, missing = v.shape.shown(v.query); len(missing) > 0 {
		v.report(Problem{Part: PartColumns, Text: strings.Join(missing, "; ")})
	}
	v.applyGroup()
	v.applySum()
	v.applyOrder()
	if used := v.inUse(); !slices.Equal(used, v.used) {
		v.used, v.stale = used, true
		v.facets.replace(newFacets(v.shape, used))
	}
	if v.stale { // otherwise the rows keep the filter that selected them, which may be meanwhile
		v.filter, v.inForce, v.held = v.asked, v.askedAs, false
	}
}

// report adds an error in the query to those that the patches report.
func (v *View) report(p Problem) { v.problems = append(v.problems, p) }

// applyOrder orders the objects as the query asks for. In a grouped list nobody sees their order.
func (v *View) applyOrder() {
	sort, descending := v.query.Sort, v.query.Descending
	if v.groups.name != "" {
		sort, descending = "", false
	}
	o, ok := newOrder(v.shape.Columns, sort, descending)
	if v.askedAs.sort, v.askedAs.descending = sort, descending; !ok {
		if v.query.Group == "" || sort != ObjectsColumn { // else that there are no groups says it
			v.report(Problem{Part: PartSort, Text: "can't sort by " + sort + ": no such column"})
		}
		v.askedAs.sort, v.askedAs.descending = v.inForce.sort, v.inForce.descending
		o, _ = newOrder(v.shape.Columns, v.inForce.sort, v.inForce.descending)
	}
	if b := v.order; b.column != o.column || b.descending != o.descending {
		v.stale = true
	}
	v.order = &o
	v.rows.Compare = o.compare
}

// inUse returns the indexes of the computed columns with texts, which have facets, that are shown, sorted by, filtered by, summed or
// grouped by.
func (v *View) inUse() (used []int) {
	for i, c := range v.shape.Columns {
		if c.Computed() && c.Kind == object.TextCell && v.uses(i) {
			used = append(used, i)
		}
	}
	return used
}

// uses reports whether a column is shown, sorted by, filtered by, summed or grouped by.
func (v *View) uses(i int) bool {
	name := v.shape.Columns[i].Name
	if v.groups.name != "" && (name == v.groups.name || v.groups.sums(i)) || name == v.query.Sum {
		return true
	}
	return slices.Contains(v.shows, i) || v.order.column == i || v.asked.text.Reads(query.FieldName(name))
}

// applyFilter parses the query's filter, and the one that applies while nothing matches it.
func (v *View) applyFilter() {
	before := v.inForce
	before.text = v.before
	v.asked, v.askedAs, v.problems = newFilter(v.query, before, v.shape)
	v.meanwhile = nil
	if q := v.query; q.Typing && v.problems == nil {
		q.Text = query.Meanwhile(before.text, q.Text)
		if f, as, wrong := newFilter(q, before, v.shape); wrong == nil && as.text != v.askedAs.text {
			v.meanwhile, v.meanwhileAs = &f, as.text
		}
	}
}

// Apply queues changes from the store for the next step.
func (v *View) Apply(changes []Change) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, c := range changes {
		obj := c.After
		if obj == nil {
			obj = c.Before
		}
		if earlier, ok := v.pending[obj.Key()]; ok {
			c.Before = earlier.Before // the version in the lists
		}
		if c.Before == nil && c.After == nil {
			delete(v.pending, obj.Key())
		} else {
			v.pending[obj.Key()] = c
		}
	}
}

// Namespaces returns the namespaces that the query chooses; none: all.
func (v *View) Namespaces() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.query.Namespaces
}

// Dirty reports whether a step has work to do, apart from the passing of time.
func (v *View) Dirty() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.shape.Columns != nil && (v.facets.news || v.dirtyRows())
}

// Waits returns how long a step has nothing to do but to send counts that are not due; 0 if it has other work.
func (v *View) Waits(now time.Time) time.Duration {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.dirtyRows() || v.facets.news && !v.facets.allRead || v.facets.hurried {
		return 0
	}
	return max(0, facetsEvery-now.Sub(v.facets.at))
}

// dirtyRows is Dirty without the facets.
func (v *View) dirtyRows() bool {
	return !v.answered || v.stale || v.groups.meter.Cold() || len(v.pending) > 0 && len(v.pending) != v.sent.Waiting || !v.query.Paused && v.derivation.due()
}

// Pending reports whether objects have changed since the last step, or since the view was paused.
func (v *View) Pending() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return len(v.pending) > 0
}

// Hurry makes the next step count all objects and send the facets if they changed, without waiting facetsEvery.
func (v *View) Hurry() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.facets.hurried = true
}

// Step updates the window to now. It returns the patch, and false if nothing changed.
func (v *View) Step(now time.Time) (Patch, bool) { return v.StepAt(now, now) }

// StepAt is Step for objects of another time: that of their world is at. Facets are still sent as often as
// time passes here, since the other time may stand still or go back.
func (v *View) StepAt(now, at time.Time) (Patch, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.shape.Columns == nil {
		return Patch{}, false
	}
	v.settle(at)
	p := v.window(at)
	p.Facets = v.facets.take(now, !v.answered, v.chosen())
	if v.answered && p.empty(v.sent) {
		return p, false
	}
	v.sent = v.sent.Apply(p)
	v.answered = true
	return p, true
}

// Sent returns the objects of the rows in the window that was sent last. Groups have none.
func (v *View) Sent() []*object.Object {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.sent.Group != "" {
		return nil
	}
	out := make([]*object.Object, len(v.objects))
	for i, o := range v.objects {
		out[i] = o.Base()
	}
	return out
}

// settle applies the pending changes to the lists, unless the view is paused, and sorts and
// selects the rows again where that is due.
func (v *View) settle(now time.Time) {
	if second := now.Unix(); second != v.second && v.filter.ticks() && !v.query.Paused {
		v.second, v.stale = second, true
	} else if v.stale {
		v.second = second
	}
	if !v.query.Paused {
		if v.derivation.all {
			v.deriveAll()
		}
		if len(v.pending) > 0 || v.derivation.due() {
			v.update()
		}
	}
	if v.stale {
		v.choose()
	}
	if v.groups.settle(v.facets.texts, &v.facets.matched) {
		v.generation = generations.Add(1)
	}
}

// matched returns the matching objects, in the query's order. If these are all objects by namespace and name, no separate list
// is kept.
func (v *View) matched() *columns.List {
	if v.filter.empty() && v.order.column < 0 && !v.order.descending {
		return &v.byKey
	}
	return &v.rows
}

// choose selects the matching rows among all objects.
func (v *View) choose() {
	v.stale, v.generation, v.groups.stale = false, generations.Add(1), true
	before := v.chosenFor
	v.filter, v.inForce, v.held = v.asked, v.askedAs, false
	matched, only := v.matchAll(before)
	if v.meanwhile != nil && matched.Len() == 0 && !v.filter.empty() {
		v.filter = *v.meanwhile
		if others, but := v.matchAll(before); others.Len() > 0 || v.filter.empty() {
			matched, only, v.held, v.inForce.text = others, but, true, v.meanwhileAs
		} else {
			v.filter = v.asked
		}
	}
	rows := v.rows.Spare()
	switch {
	case v.matched() == &v.byKey:
	case v.filter.empty():
		rows = append(rows, v.byKey.Slots...)
	default:
		rows = slices.Grow(rows, matched.Len())
		for _, slot := range v.byKey.Slots {
			if matched.Has(slot) {
				rows = append(rows, slot)
			}
		}
	}
	v.order.begin(&v.rows, rows, v.facets.texts)
	v.facets.begin(matched, only, v.filter.text)
	v.chosenFor = v.filter
}

// matchAll returns the objects that the filter matches, and by facet those that only its terms exclude. While somebody types
// a word, only the objects that matched its first letters are searched.
func (v *View) matchAll(before filter) (matched slots.Bits, only []slots.Bits) {
	if v.filter.narrows(&before) {
		return v.filter.search(&v.table, &v.facets.matched), make([]slots.Bits, len(v.facets.all))
	}
	return v.filter.choose(v.facets.texts, v.facets.all, time.Unix(v.second, 0))
}

// update applies the pending changes to the lists. It skips lists that are about to be
// rebuilt.
func (v *View) update() {
	v.generation = generations.Add(1)
	for _, c := range v.pending {
		v.change(v.derivation.change(c))
	}
	v.pending = emptied(v.pending)
	v.flush() // an object is looked up by its copy
	if changes := v.derivation.takeTouched(); len(changes) > 0 {
		for _, c := range changes {
			v.change(c)
		}
		v.flush()
	}
}

// spacious is how many changes memory is kept for between two steps. A list that comes brings more, all
// at once and only once.
const spacious = 512

// emptied returns an empty map, in the same memory unless that is large.
func emptied(pending map[string]Change) map[string]Change {
	if len(pending) > spacious {
		return make(map[string]Change)
	}
	clear(pending)
	return pending
}

func (v *View) flush() {
	v.byKey.Flush()
	v.rows.Flush()
	for _, slot := range v.gone {
		v.table.Remove(slot)
	}
	v.gone = v.gone[:0]
}

// change applies a change to the table and the lists. An object that is deleted keeps its slot until they are flushed.
func (v *View) change(c Change) {
	slot, was := v.byKey.Find(c.Before)
	before := lost
	if was {
		before = v.facets.by(slot)
	}
	if before == hit {
		v.groups.count(v.facets.texts, slot, -1)
	}
	moved := was && c.After != nil && v.order.compare(v.table.At(slot), c.After) != 0
	switch {
	case !was && c.After == nil:
		return
	case !was:
		slot = v.table.Add(c.After)
		v.byKey.Add(slot)
	case c.After == nil:
		v.byKey.Remove(slot)
		v.gone = append(v.gone, slot)
	default:
		v.table.Set(slot, c.After)
	}
	v.facets.summed.Remove(slot)
	v.groups.meter.Forget(slot)
	if v.stale {
		v.facets.setMatched(slot, c.After != nil)
		return
	}
	if v.held && c.After != nil && v.asked.misses(c.After, v.facets.all, time.Unix(v.second, 0)) == hit {
		v.stale = true // the filter that was asked for now matches something
		v.facets.setMatched(slot, true)
		return
	}
	after := v.match(c.After)
	if before != after || after != lost && (c.Before.Base() != c.After.Base() || len(v.facets.sum.Measures) > 0) {
		v.facets.news = true
	}
	v.facets.choose(slot, after)
	if after == hit {
		v.groups.count(v.facets.texts, slot, +1)
	}
	if v.matched() == &v.rows {
		v.rows.Update(slot, before == hit, after == hit, moved)
	}
}

// match tests an object; nil is lost.
func (v *View) match(o *object.Object) int {
	if o == nil {
		return lost
	}
	return v.filter.misses(o, v.facets.all, time.Unix(v.second, 0))
}

// Matches reports whether an object matches the query as rows do. It may be one that the view does not
// have: its derived cells are empty then.
func (v *View) Matches(o *object.Object) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	if c := v.derivation.copies[o.Key()]; c != nil && c.Base() == o.Base() {
		o = c
	}
	return v.filter.empty() || v.match(o) == hit
}
