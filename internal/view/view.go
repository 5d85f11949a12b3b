package view

import (
	"slices"
	"strings"
	"sync"
	"time"

	"watchglass/internal/object"
)

// Change is one change of the store: what went, what came, or both.
type Change struct{ Before, After *object.Object }

// View keeps one window over a set of objects.
type View struct {
	mu      sync.Mutex
	columns []object.Column
	plain   bool // objects have no namespace
	query   Query
	filter  filter
	order   order
	problem string

	all     list              // every object, in order
	rows    list              // those that match, in order
	counts  map[string]int    // by namespace, of those that match but for it
	pending map[string]Change // by key, since the last step
	stale   bool              // all has to be sorted, or the rows chosen, anew
	resort  bool

	sent      Window // what the page has
	objects   list   // of its rows
	answered  bool   // the query has been answered
	sentSeq   uint32
	facetsAt  time.Time
	newFacets bool
}

// New returns a view over the objects there are. It has no columns and no query
// yet.
func New(objects []*object.Object) *View {
	v := &View{counts: make(map[string]int), pending: make(map[string]Change), stale: true, resort: true}
	v.all = slices.Clone(objects)
	v.order = order{column: -1}
	return v
}

// SetColumns tells what the objects print. Namespaced says that they have
// namespaces.
func (v *View) SetColumns(columns []object.Column, namespaced bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if slices.Equal(columns, v.columns) && v.plain == !namespaced {
		return
	}
	v.columns, v.plain = columns, !namespaced
	v.stale, v.resort, v.answered = true, true, false
	v.sent, v.objects = Window{}, nil
	v.applyQuery()
}

// SetQuery asks for something else. A query that is wrong leaves the last good
// one in place, with what is wrong in the patch.
func (v *View) SetQuery(q Query) {
	v.mu.Lock()
	defer v.mu.Unlock()
	before := v.query
	v.query, v.answered = q, false
	if q.Sort != before.Sort || q.Descending != before.Descending {
		v.stale, v.resort = true, true
	}
	if q.Text != before.Text || q.Labels != before.Labels || q.Wide != before.Wide || !slices.Equal(q.Namespaces, before.Namespaces) {
		v.stale = true
	}
	v.applyQuery()
}

func (v *View) applyQuery() {
	v.problem = ""
	if v.columns == nil {
		return
	}
	if f, err := newFilter(v.query, v.searched()); err != nil {
		v.problem = err.Error()
	} else {
		v.filter = f
	}
	o, ok := newOrder(v.columns, v.query)
	if !ok {
		v.problem = "there is no column " + v.query.Sort + " to sort by"
	}
	v.order = o
}

// searched is how many cells after the name a text filter searches: those shown.
func (v *View) searched() int {
	n := 0
	for i, c := range v.columns[1:] {
		if c.Priority == 0 || v.query.Wide {
			n = i + 1
		}
	}
	return n
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
	return v.columns != nil && (!v.answered || v.stale || len(v.pending) > 0 || v.newFacets)
}

// facetsEvery bounds how often facets are sent: nobody reads faster.
const facetsEvery = 200 * time.Millisecond

// Step brings the window up to now and returns what changed in it, if anything
// did.
func (v *View) Step(now time.Time) (Patch, bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.columns == nil {
		return Patch{}, false
	}
	v.settle()
	p := v.window(now)
	if v.answered && p.empty(v.sent) {
		return p, false
	}
	v.sent = v.sent.Apply(p)
	v.answered = true
	return p, true
}

// settle brings the lists up to the pending changes.
func (v *View) settle() {
	if len(v.pending) > 0 {
		v.update()
	}
	if v.resort {
		slices.SortFunc(v.all, v.order.compare)
		v.resort = false
	}
	if v.stale {
		v.choose()
	}
}

// choose goes through all objects for those that match.
func (v *View) choose() {
	v.stale, v.newFacets = false, true
	clear(v.rows)
	v.rows = v.rows[:0]
	clear(v.counts)
	namespace, n := "", 0
	for _, o := range v.all {
		if !v.filter.rest(o) {
			continue
		}
		if ns := o.Namespace(); ns != namespace { // they come in runs, mostly
			if n > 0 {
				v.counts[namespace] += n
			}
			namespace, n = strings.Clone(ns), 0
		}
		n++
		if v.filter.namespace(o) {
			v.rows = append(v.rows, o)
		}
	}
	if n > 0 {
		v.counts[namespace] += n
	}
}

// update applies the pending changes to the lists. Where lists have to be made
// anew in any case, only the set of all objects is kept up.
func (v *View) update() {
	var all, rows struct{ without, with list }
	place := func(l list, before, after *object.Object) bool {
		if before == nil || after == nil || v.order.compare(before, after) != 0 {
			return false
		}
		i, found := l.index(&v.order, before)
		if found {
			l[i] = after
		}
		return found
	}
	for _, c := range v.pending {
		if v.resort || !place(v.all, c.Before, c.After) {
			all.without, all.with = appendObject(all.without, c.Before), appendObject(all.with, c.After)
		}
		if v.stale {
			continue
		}
		before, after := v.matching(c.Before, -1), v.matching(c.After, +1)
		if !place(v.rows, before, after) {
			rows.without, rows.with = appendObject(rows.without, before), appendObject(rows.with, after)
		}
	}
	clear(v.pending)
	if v.resort {
		v.all = v.all.exchange(all.without, all.with)
		return
	}
	if len(all.without)+len(all.with) > 0 {
		v.all = v.all.merge(&v.order, all.without, all.with)
	}
	if len(rows.without)+len(rows.with) > 0 {
		v.rows = v.rows.merge(&v.order, rows.without, rows.with)
	}
}

func appendObject(l list, o *object.Object) list {
	if o == nil {
		return l
	}
	return append(l, o)
}

// exchange takes objects out and puts others in, of a list in no order.
func (l list) exchange(without, with list) list {
	gone := make(map[*object.Object]bool, len(without))
	for _, o := range without {
		gone[o] = true
	}
	l = slices.DeleteFunc(l, func(o *object.Object) bool { return gone[o] })
	return append(l, with...)
}

// matching is the object if it matches, and counts it for its namespace.
func (v *View) matching(o *object.Object, by int) *object.Object {
	if o == nil || !v.filter.rest(o) {
		return nil
	}
	v.newFacets = true
	ns := o.Namespace()
	if n, ok := v.counts[ns]; ok {
		if v.counts[ns] = n + by; n+by == 0 {
			delete(v.counts, ns)
		}
	} else {
		v.counts[strings.Clone(ns)] = by
	}
	if !v.filter.namespace(o) {
		return nil
	}
	return o
}
