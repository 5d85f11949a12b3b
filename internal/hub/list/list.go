package list

import (
	"context"
	"slices"
	"time"

	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/problems"
	"watchglass/internal/hub/source"
	"watchglass/internal/hub/sums"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/view"
	"watchglass/internal/wire"
)

// List is one list of a page: a query and a window over the sources of one kind, shown as
// patches. Its methods are for the loop.
type List struct {
	id      uint32
	cluster *cluster.Cluster
	page    port.Sender
	memory  *Memory
	ctx     context.Context // ends when the list is closed, or shows another kind
	end     context.CancelFunc

	query   port.ListQuery
	extras  []object.Extra  // added columns that the decoder prints
	labels  []object.Column // added columns of labels
	begun   bool            // its kind is known, or being requested
	shown   *listing        // nil until the kind is known
	problem *wire.Status    // why it is not
	next    *listing        // takes the place of shown once it is in
	wide    *source.Lease   // of the whole cluster, while that is denied
	asWide  object.Kind     // the kind that wide lists
	printed int             // the kinds.Set.Printings that shown was last checked against

	state   informer.Freshness
	since   time.Time
	patches patches
	reports Reporter
	rights  rights
}

// New returns a list that shows nothing until SetQuery is called.
func New(id uint32, c *cluster.Cluster, page port.Sender, m *Memory) *List {
	return &List{id: id, cluster: c, page: page, memory: m}
}

// SetQuery changes what the list shows.
func (l *List) SetQuery(m port.ListQuery, now time.Time) {
	switch kind, _ := l.cluster.Kinds.Find(m.Resource); {
	case l.cluster.Local.Only(kind) != nil: // the tab prints these objects itself
		l.extras, l.labels = nil, nil
	case m.Resource != l.query.Resource || !slices.Equal(m.Columns, l.query.Columns):
		l.extras, l.labels = source.Added(m.Columns)
	}
	other := l.query.Resource != m.Resource || l.ctx == nil
	l.query = m
	if other {
		l.release((*listing).close)
		l.ctx, l.end = context.WithCancel(l.cluster.Ctx)
		l.begun, l.problem = false, nil
		l.state, l.since = informer.Connecting, now
		l.patches = patches{}
	}
	if l.shown != nil {
		l.setShape()
		l.setQuery()
		l.reprint()
		l.patches.skipPause()
	}
}

// Close releases all that the list holds. Its sources linger unless atOnce is set: nobody
// comes back to a page that is gone.
func (l *List) Close(atOnce bool) {
	if atOnce {
		l.release((*listing).closeAtOnce)
	} else {
		l.release((*listing).close)
	}
}

// release closes what is shown with the given function, and drops what was to replace it.
func (l *List) release(way func(*listing)) {
	if l.end != nil {
		l.end()
	}
	l.cluster.Problems.Want(l, problems.Wants{})
	if l.shown != nil {
		way(l.shown)
		l.shown = nil
	}
	l.dropNext()
	l.releaseWide()
}

func (l *List) releaseWide() {
	if l.wide != nil {
		l.wide.Release()
		l.wide = nil
	}
}

// Step brings the list up to date, and sends the page what is new.
func (l *List) Step(now time.Time) {
	if l.cluster.UserChanged() { // what comes now is of another cluster or user than the page shows
		l.report(now)
		return
	}
	if l.cluster.Ready {
		l.begin()
	}
	if l.shown != nil {
		l.replace(now)
		if printed := l.cluster.Kinds.Printings(); printed != l.printed {
			l.printed = printed
			l.reprint()
		}
		l.learn(now)
		l.shown.derive(now)
	}
	l.review(now)
	l.report(now)
	l.paint(now)
}

// begin opens the sources, or asks for the resource's kind if it is not known.
func (l *List) begin() {
	if l.begun {
		return
	}
	l.begun = true
	defer l.cluster.ReleaseEarly()
	if kind, ok := l.cluster.Kinds.Find(l.query.Resource); ok {
		l.open(kind, []string{l.cluster.Scope()})
		return
	}
	l.cluster.FindKind(l.ctx, l.found)
}

// open opens the sources of a kind, and shows them.
func (l *List) open(kind object.Kind, scopes []string) {
	l.shown = newListing(l.cluster, kind, scopes, l.extras)
	l.memory.Narrowed[kind.ID()] = !l.shown.isWide()
	l.shown.open()
	l.setShape()
	l.setQuery()
}

// setQuery gives the view the query. A pause begins once the listing has been whole: it holds back changes,
// and a list that is still coming in would stay empty.
func (l *List) setQuery() {
	q := l.query.Query
	q.Paused = q.Paused && l.shown.whole
	l.shown.view.SetQuery(q)
}

// notePause begins a pause that was asked for before the listing was whole, once all of it has been sent.
func (l *List) notePause(now time.Time) {
	if l.shown.whole || !l.shown.filled() {
		return
	}
	l.shown.whole = true
	if l.query.Paused {
		l.sendAll(now)
		l.setQuery()
	}
}

// setShape gives the view the columns of the objects. Those of a Table are known with its
// first row.
func (l *List) setShape() {
	decoder := l.shown.decoder()
	columns := sums.Columns(l.shown.kind.ID(), decoder.Columns(), l.shown.metered() || l.awaitsMetrics(), l.cluster.Requests.Columns())
	if l.shown.local != nil { // the name of a row is only its key
		columns = slices.DeleteFunc(slices.Clone(columns), func(c object.Column) bool { return c.Kind == object.NameCell })
	}
	l.shown.view.SetShape(view.Shape{Columns: slices.Concat(columns, l.shown.kind.ComputedColumns(), l.labels), Namespaced: l.shown.kind.Namespaced, Images: decoder.Images(), Kind: l.shown.kind.Name, ID: l.shown.kind.ID()})
}

// awaitsMetrics reports whether the query asks for usage before it is known whether the server has
// metrics. Until then the columns are there, and empty. It has the cluster ask.
func (l *List) awaitsMetrics() bool {
	if kinds, id := l.cluster.Kinds, l.shown.kind.ID(); sums.MetricsOf(id) == "" || !kinds.Awaits(sums.MetricsOf(id)) || !slices.ContainsFunc(sums.UsageNames(id), l.query.Query.Names) {
		return false
	}
	l.cluster.KeepKinds()
	return true
}

// found opens the list if its kind is known by now, and otherwise records why not.
func (l *List) found(err error) (done bool) {
	if kind, ok := l.cluster.Kinds.Find(l.query.Resource); ok {
		l.problem = nil
		l.open(kind, []string{l.cluster.Scope()})
		return true
	}
	switch l.problem = wire.StatusOf(err); {
	case err == nil:
		l.problem = l.cluster.Kinds.Unknown(l.query.Resource)
	case l.problem == nil:
		l.problem = &wire.Status{Origin: wire.FromTab, Reason: wire.ReasonUnreachable, Message: err.Error()}
	}
	return false
}

// learn has the cluster find out what the dates of a Table need.
func (l *List) learn(now time.Time) {
	s := l.shown
	if s.table == "" {
		return
	}
	l.cluster.LearnTable(s.table, s.needs(), func() []object.Column {
		if l.shown == nil || l.shown.table != s.table {
			return nil
		}
		return l.shown.decoder().Columns()
	}, now)
}
