package view

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/query"
)

// Change is one change of the store: what went, what came, or both.
type Change struct{ Before, After *object.Object }

// View keeps one window over a set of objects.
type View struct {
	mu      sync.Mutex
	shape   Shape
	shows   []int // the columns that show; namespaceAt is one too
	query   Query
	problem Problem
	filter  filter // that rows are chosen by
	inForce force  // what of the query that is
	before  string // the text that was in force before the one that is asked for now
	// asked is what the query asks for, as far as it is understood, and askedAs what of
	// it that is. Meanwhile applies instead while nothing matches and somebody types.
	asked       filter
	askedAs     force
	meanwhile   *filter
	meanwhileAs string
	held        bool // meanwhile applies

	byKey   sorted            // every object, by namespace and name
	all     sorted            // every object, in the query's order, unless that is byKey's
	rows    sorted            // those that match, in the query's order
	facets  facets            // of those that match
	pending map[string]Change // by key, since the last step
	resort  bool              // all has to be arranged anew
	stale   bool              // rows has to be chosen anew
	second  int64             // for which rows was chosen, in unix seconds

	// generation changes with all rows at once: pieces of one fit together.
	generation uint64

	sent     Window // what the page has
	objects  list   // of its rows
	answered bool   // the query has been answered
}

// Shape is what the objects of a view have.
type Shape struct {
	Columns    []object.Column // that they print; nil: it is not known yet
	Namespaced bool
	Images     bool // it is known which they run
}

func (s Shape) same(o Shape) bool {
	return slices.Equal(s.Columns, o.Columns) && s.Namespaced == o.Namespaced && s.Images == o.Images
}

// generations number those of all views.
var generations atomic.Uint64

// New returns a view that has no objects, no columns and no query yet.
func New() *View {
	return &View{pending: make(map[string]Change), stale: true, resort: true, byKey: sorted{order: order{column: -1}}}
}

// Start gives the view the objects that there are. Changes that came in before
// are changes to them.
func (v *View) Start(objects []*object.Object) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.byKey.list = objects
	slices.SortFunc(v.byKey.list, v.byKey.order.compare)
	v.stale, v.resort = true, true
}

// SetShape tells what the objects have.
func (v *View) SetShape(s Shape) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if s.same(v.shape) {
		return
	}
	v.shape = s
	v.stale, v.resort, v.answered = true, true, false
	v.sent, v.objects = Window{}, nil
	v.facets.all = newFacets(s)
	v.applyQuery()
}

// SetQuery asks for something else. A query that is wrong leaves the last good
// one in place, with what is wrong in the patch.
func (v *View) SetQuery(q Query) {
	v.mu.Lock()
	defer v.mu.Unlock()
	before := v.query
	if q.Text != before.Text {
		if v.stale && v.meanwhile != nil { // only the rows tell what of that was in force
			v.settle(time.Unix(v.second, 0))
		}
		v.before = v.inForce.text
	}
	v.query, v.answered = q, false
	if q.Sort != before.Sort || q.Descending != before.Descending {
		v.stale, v.resort = true, true
	}
	if q.Text != before.Text || q.Typing != before.Typing || q.Labels != before.Labels || q.Wide != before.Wide || (len(q.Columns) > 0) != (len(before.Columns) > 0) || !slices.Equal(q.Namespaces, before.Namespaces) {
		v.stale = true
	}
	v.applyQuery()
}

func (v *View) applyQuery() {
	v.problem = Problem{}
	if v.shape.Columns == nil {
		return
	}
	var missing string
	if v.shows, missing = v.shape.shown(v.query); missing != "" {
		v.problem = Problem{Part: PartColumns, Text: missing}
	}
	v.applyFilter()
	o, ok := newOrder(v.shape.Columns, v.query.Sort, v.query.Descending)
	if v.askedAs.sort, v.askedAs.descending = v.query.Sort, v.query.Descending; !ok {
		v.problem = Problem{Part: PartSort, Text: "there is no column " + v.query.Sort + " to sort by"}
		v.askedAs.sort, v.askedAs.descending = v.inForce.sort, v.inForce.descending
		o, _ = newOrder(v.shape.Columns, v.inForce.sort, v.inForce.descending)
	}
	v.all.order, v.rows.order = o, o
	if v.stale { // else the rows are as they were chosen, maybe by less than is asked
		v.filter, v.inForce, v.held = v.asked, v.askedAs, false
	}
}

// applyFilter reads what the query asks of rows, and what applies while nothing meets it.
func (v *View) applyFilter() {
	before := v.inForce
	before.text = v.before
	var err error
	if v.asked, v.askedAs, err = newFilter(v.query, before, v.shape); err != nil {
		v.problem = problem(err)
	}
	v.meanwhile = nil
	if q := v.query; q.Typing && err == nil {
		q.Text = query.Meanwhile(before.text, q.Text)
		if f, as, err := newFilter(q, before, v.shape); err == nil && as.text != v.askedAs.text {
			v.meanwhile, v.meanwhileAs = &f, as.text
		}
	}
}

// every is every object, in the query's order.
func (v *View) every() *sorted {
	if o := &v.all.order; o.column < 0 && !o.descending {
		return &v.byKey
	}
	return &v.all
}

// Apply takes changes of the store.
func (v *View) Apply(changes []Change) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, c := range changes {
		obj := c.After
		if obj == nil {
			obj = c.Before
		}
		if earlier, ok := v.pending[obj.Key()]; ok {
			c.Before = earlier.Before // what the lists hold
		}
		if c.Before == nil && c.After == nil {
			delete(v.pending, obj.Key())
		} else {
			v.pending[obj.Key()] = c
		}
	}
}

// Dirty reports that a step would have something to do, time aside.
func (v *View) Dirty() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.shape.Columns != nil && (!v.answered || v.stale || v.facets.news || len(v.pending) > 0 && len(v.pending) != v.sent.Waiting)
}

// Hurry has the next step send the facets, if they changed, however soon.
func (v *View) Hurry() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.facets.at = time.Time{}
	v.facets.work(len(v.facets.todo))
}

// Step brings the window up to now and returns what changed in it, if anything
// did.
func (v *View) Step(now time.Time) (Patch, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.shape.Columns == nil {
		return Patch{}, false
	}
	v.settle(now)
	p := v.window(now)
	if v.answered && p.empty(v.sent) {
		return p, false
	}
	v.sent = v.sent.Apply(p)
	v.answered = true
	return p, true
}

// Sent are the objects of the rows of the window that was sent last.
func (v *View) Sent() []*object.Object {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.objects // each step makes another
}

// settle brings the lists up to the pending changes.
func (v *View) settle(now time.Time) {
	if second := now.Unix(); second != v.second && v.filter.ticks() && !v.query.Paused {
		v.second, v.stale = second, true
	} else if v.stale {
		v.second = second
	}
	if len(v.pending) > 0 && !v.query.Paused {
		v.update()
	}
	if every := v.every(); v.resort && every == &v.all {
		v.all.list = v.all.order.arrange(v.byKey.list)
	} else if v.resort {
		v.all.list = nil
	}
	v.resort = false
	if v.stale {
		v.choose()
	}
}

// matched are the objects that match, in the query's order: all of them where
// nothing is asked, and then no list of their own is kept.
func (v *View) matched() *sorted {
	if v.filter.empty() {
		return v.every()
	}
	return &v.rows
}

// choose goes through all objects for those that match.
func (v *View) choose() {
	v.stale, v.generation = false, generations.Add(1)
	clear(v.rows.list)
	v.filter, v.inForce, v.held = v.asked, v.askedAs, false
	rows, todo := v.chosenBy()
	if v.meanwhile != nil && len(rows) == 0 && !v.filter.empty() {
		v.filter = *v.meanwhile
		if others, count := v.chosenBy(); len(others) > 0 || v.filter.empty() {
			rows, todo, v.held, v.inForce.text = others, count, true, v.meanwhileAs
		} else {
			v.filter = v.asked
		}
	}
	v.rows.list = rows
	v.facets.begin(todo)
}

// chosenBy are the rows that the filter chooses, and what facets count.
func (v *View) chosenBy() (rows list, todo []missed) {
	every := v.every().list
	rows, todo = v.rows.list[:0], make([]missed, 0, len(every))
	if v.filter.word != nil {
		return v.search(every, rows, todo)
	}
	return v.pick(every, rows, todo)
}

// search chooses by a word alone, as most filters do. It is what pick does, without
// asking for what else there might be.
func (v *View) search(every, rows list, todo []missed) (list, []missed) {
	in, wide := v.filter.word, v.filter.row.wide
	for _, o := range every {
		if in(o.Text(wide)) {
			rows, todo = append(rows, o), append(todo, missed{o, hit})
		}
	}
	return rows, todo
}

// pick chooses what the filter does not miss. Where it asks for nothing no list of
// rows is kept.
func (v *View) pick(every, rows list, todo []missed) (list, []missed) {
	now, all := time.Unix(v.second, 0), v.filter.empty()
	for _, o := range every {
		m := v.filter.misses(o, v.facets.all, now)
		if m.by != lost {
			todo = append(todo, m)
		}
		if !all && m.by == hit {
			rows = append(rows, o)
		}
	}
	return rows, todo
}

// update brings the lists up to the pending changes, but for those that are to
// be made anew.
func (v *View) update() {
	every := v.every()
	for _, c := range v.pending {
		v.byKey.change(c.Before, c.After)
		if every != &v.byKey && !v.resort {
			every.change(c.Before, c.After)
		}
		if v.stale {
			continue
		}
		if v.held && c.After != nil && v.asked.misses(c.After, v.facets.all, time.Unix(v.second, 0)).by == hit {
			v.stale = true // something matches after all
			continue
		}
		before, after := v.matching(c.Before, -1), v.matching(c.After, +1)
		if !v.filter.empty() {
			v.rows.change(before, after)
		}
	}
	clear(v.pending)
	v.byKey.flush()
	v.all.flush()
	v.rows.flush()
}

// matching is the object if it matches, and counts it.
func (v *View) matching(o *object.Object, by int) *object.Object {
	if o == nil {
		return nil
	}
	m := v.filter.misses(o, v.facets.all, time.Unix(v.second, 0))
	v.facets.add(m, by)
	if m.by != hit {
		return nil
	}
	return o
}
