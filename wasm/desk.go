package main

import (
	"context"
	"slices"
	"sync"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/socket"
	"watchglass/internal/wire"
)

const (
	// packedBudget bounds the packed bytes of all objects.
	packedBudget = 192 << 20
	// linger is how long a source is kept that nobody looks at.
	linger = time.Minute
	// frame is the least time between two patches: that of a fast display, since
	// a change that comes within a slow one's frame is still painted in it. While
	// a list is coming in there is no hurry, and others need the processor.
	frame     = 8 * time.Millisecond
	slowFrame = 150 * time.Millisecond
	// reportEvery is the least time between two reports of the same state.
	reportEvery = 200 * time.Millisecond
	// tick is how often ages and the state are looked at.
	tick = time.Second
	// paintWithin is how long a patch may stay unpainted before the next is
	// sent all the same: a hidden page paints seldom.
	paintWithin = time.Second
)

// desk is the worker: it keeps the sources that the page looks at, and answers
// what it asks.
type desk struct {
	port    port.Port
	client  *socket.Client
	factory *informer.Factory[*object.Object]
	budget  *object.Budget
	history *detail.History
	cluster *cluster
	dirty   chan struct{} // one place: there may be something to show
	posts   chan func()   // to be run by the goroutine that runs

	mu     sync.Mutex
	kinds  []object.Kind // of the server, once asked for
	news   []port.Kind   // the same, until the page is told
	online bool
	user   string
	groups string
	proof  string // of the session

	// Of the goroutine that runs.
	opened   *wire.Welcome // that the sources were opened under
	look     port.Look
	extras   []object.Extra  // columns that the look adds
	labelled []object.Column // and those of labels
	source   *source
	next     *source // the same with other columns, until its list is in
	// What the page remembers of namespaces; not nil once it has said so.
	remembered []string
	rights     rights
	waiting    time.Time // since when a patch is not painted
	sent       time.Time // when the last patch was
	painted    bool      // a row of the source has been
	reported   port.State
	told       time.Time // when that was
	survey     survey
	focus      *focus // the object whose detail is on screen
	paneOf     func(tab string) func(context.Context, *desk, *focus) pane
	// Before these, the page is not asked to see to the session again, and not in doubt.
	dueNext, doubtNext time.Time
}

func newDesk(ctx context.Context, p port.Port, dial func(context.Context) (socket.Dialed, error), proof string) *desk {
	d := &desk{port: p, proof: proof, budget: object.NewBudget(packedBudget), history: detail.NewHistory(detail.HistoryBudget), cluster: newCluster(), dirty: make(chan struct{}, 1), posts: make(chan func(), 16), online: true, paneOf: paneOf}
	d.client = socket.New(socket.Options{Dial: dial, Changed: d.stir, Proof: d.proofOf})
	d.factory = informer.NewFactory(ctx, linger, d.newInformer)
	return d
}

// stir has the desk look whether there is something to show. It does not wait.
func (d *desk) stir() {
	select {
	case d.dirty <- struct{}{}:
	default:
	}
}

// post has f run by the goroutine that runs.
func (d *desk) post(ctx context.Context, f func()) {
	select {
	case d.posts <- f:
	case <-ctx.Done():
	}
}

// run keeps the desk until the context ends. Early names the resource of the
// address: its source comes in before the page has asked.
func (d *desk) run(ctx context.Context, early string) {
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { _ = d.client.Run(ctx) }) // it ends with the context
	running.Go(func() { d.whoami(ctx) })
	if early != "" {
		d.show(early)
	}
	ticker, soon := time.NewTicker(tick), time.NewTimer(0)
	defer ticker.Stop()
	defer soon.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-d.port.Receive():
			d.take(ctx, &running, m)
		case f := <-d.posts:
			f()
		case <-d.dirty:
		case <-ticker.C:
		case <-soon.C:
		}
		d.begin(ctx, &running)
		d.turn(time.Now())
		d.review(ctx, &running, time.Now())
		d.report(time.Now())
		d.keepSession(time.Now())
		d.attend(ctx, &running, time.Now())
		d.tell(time.Now())
		if wait := d.paint(time.Now()); wait > 0 {
			soon.Reset(wait)
		}
	}
}

// take takes a message of the page.
func (d *desk) take(ctx context.Context, running *sync.WaitGroup, m port.Message) {
	switch m := m.(type) {
	case port.Look:
		if !slices.Equal(m.Columns, d.look.Columns) {
			d.extras, d.labelled = added(m.Columns)
		}
		d.look = m
		if d.source == nil || d.source.resource != m.Resource {
			d.show(m.Resource)
		}
		if v := d.source.view; v != nil {
			d.columns()
			v.SetQuery(m.Query)
			d.vary()
			d.sent = time.Time{} // what was asked for is in a hurry
		}
	case port.Focus:
		d.focusOn(m)
	case port.Painted:
		d.waiting = time.Time{}
	case port.Awake:
		d.mu.Lock()
		d.online = m.Online
		d.mu.Unlock()
		d.client.Wake()
		d.factory.Each(func(_ wire.Request, i *informer.Informer[*object.Object]) { i.Wake() })
		if d.source != nil && d.source.state == informer.Denied {
			d.rights.at = time.Time{}
		}
	case port.Known:
		d.remembered = append([]string{}, m.Namespaces...)
	case port.Renewed:
		d.renewed(m.Proof)
	case port.Survey:
		if !d.survey.asked {
			d.survey.asked = true
			running.Go(func() { d.keepKinds(ctx) })
		}
	case port.Ask:
		running.Go(func() { d.answer(ctx, m) })
	}
}

// paint sends a patch if there is one and it is time, and else returns how long
// until it is.
func (d *desk) paint(now time.Time) time.Duration {
	if d.source == nil || d.source.view == nil || d.look.Resource == "" {
		return 0
	}
	if !d.waiting.IsZero() && now.Sub(d.waiting) < paintWithin {
		return 0 // Painted comes
	}
	pace := frame
	if d.source.state == informer.Syncing && d.painted {
		pace = slowFrame
	}
	if wait := d.sent.Add(pace).Sub(now); wait > 0 {
		return wait
	}
	d.step(now)
	if d.source.view.Dirty() {
		return pace
	}
	return 0
}

// step sends a patch if there is one.
func (d *desk) step(now time.Time) {
	if patch, ok := d.source.view.Step(now); ok {
		d.waiting, d.sent = now, now
		d.painted = d.painted || len(patch.Rows) > 0
		d.port.Send(patch)
	}
}

// catchUp sends all that there is, facets too, before the page is told that it is
// live: whoever reads that reads it above the rows and counts it is true of.
func (d *desk) catchUp(now time.Time) {
	if v := d.source.view; v != nil && d.look.Resource != "" {
		d.columns() // they may have come since
		v.Hurry()
		d.step(now)
	}
}
