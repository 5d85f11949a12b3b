package hub

import (
	"context"
	"sync/atomic"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/replay"
	"watchglass/internal/history/shelf"
	"watchglass/internal/hub/inspect"
	"watchglass/internal/hub/kinds"
	"watchglass/internal/hub/listcache"
	"watchglass/internal/hub/loop"
	"watchglass/internal/hub/problems"
	"watchglass/internal/hub/recorder"
	"watchglass/internal/hub/releases"
	"watchglass/internal/hub/source"
	"watchglass/internal/hub/sums"
	"watchglass/internal/hub/timelines"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/reflector"
	"watchglass/internal/socket"
	"watchglass/internal/visit"
	"watchglass/internal/wire"
)

// linger is how long a source is kept after its last reader has left: people go back.
const linger = time.Minute

// Cluster is one cluster as one identity sees it: its socket, its sources and what is known
// of its kinds. Clusters share nothing but the loop and the budget of packed bytes. Its
// methods are for the loop, except those whose doc says who else may call them.
type Cluster struct {
	*loop.Loop
	context  string // of the kubeconfig; "" is the proxy's default
	identity string // the user, as the page names it
	ctx      context.Context
	end      context.CancelFunc
	client   *socket.Client
	factory  *informer.Factory[*object.Object]
	kinds    *kinds.Set
	budget   *object.Budget
	codes    object.CodeTable // of all its objects
	requests *sums.Requests
	history  *history.Store
	archive  *shelf.Archive // for older history; nil: none
	lists    *listcache.Cache
	samples  *sums.Samples
	uid      *clusterUID
	problems *problems.Board
	timeline *timelines.Board
	relay    *replay.Relay // serves a moment of the past; nil: the cluster is live
	recorded history.Tape  // source of its timeline, in place of its history; nil: its history
	online   atomic.Bool   // the browser says it has a network
	// differences counts the comparisons of all sources that found one. It outlives the sources.
	differences atomic.Int64
	waking      waking
	recorder    *recorder.Recorder
	meters      inspect.Meters

	user          userQuestion
	opened        *wire.Welcome // under which its sources were opened
	mismatched    *wire.Welcome // the first, if it named another user
	ready         bool          // sources may be opened
	minor         minorQuestion
	tables        map[string]tableQuestion // by kinds.TableKey
	session       session
	updatingKinds bool   // the kinds are kept up to date
	early         string // resource to open before a page asks for it; "" once opened
	earlyLease    *source.Lease
	heldUntil     time.Time // when the early list continues even if no page has painted; zero: it is not held
}

// clusterOptions of a Cluster.
type clusterOptions struct {
	Context  string // of the kubeconfig; "" is the proxy's default
	Identity string // the user, as the page names it
	Loop     *loop.Loop
	Budget   *object.Budget // of packed bytes
	History  *history.Store // of what happens in it
	Archive  *shelf.Archive // for older history; nil: none
	Visits   visit.Disk     // for the lists of the next visit; nil: none
	Relay    *replay.Relay  // serves a moment of the past; nil: the cluster is live
	Recorded history.Tape   // source of its timeline, in place of its history; nil: its history
	// Dial connects to the proxy; nil: there is none.
	Dial func(context.Context) (socket.Dialed, error)
}

// newCluster returns a cluster that connects at once. Its end function ends it.
func newCluster(ctx context.Context, o clusterOptions) *Cluster {
	c := &Cluster{
		Loop: o.Loop, context: o.Context, identity: o.Identity, kinds: new(kinds.Set), budget: o.Budget, history: o.History, archive: o.Archive, relay: o.Relay, recorded: o.Recorded,
		samples: sums.NewSamples(), uid: newClusterUID(), tables: make(map[string]tableQuestion),
	}
	c.kinds.Serve(problems.Kind)
	c.kinds.Serve(timelines.Kind)
	c.kinds.Derive(releases.Kind, releases.Printing)
	c.problems, c.requests = problems.New(problemsHost{c}), sums.NewRequests(&c.codes)
	c.timeline = timelines.New(timelineHost{c})
	c.ctx, c.end = context.WithCancel(ctx)
	c.online.Store(true)
	c.client = socket.New(socket.Options{Dial: o.Dial, Changed: o.Loop.RequestStep})
	c.factory = informer.NewFactory(c.ctx, linger, c.newInformer)
	c.lists = listcache.New(listcache.Options{Disk: o.Visits, Place: c.context, Host: c, Loop: c.Loop, Context: c.ctx, Client: c.client, Factory: c.factory, Budget: c.budget})
	c.recorder = recorder.New(recorder.Options{History: c.history, Loop: c.Loop, Link: c.Link, Restores: c.lists.Restores})
	c.Start(c.factory.Wait)
	if o.Dial != nil {
		c.Start(func() { _ = c.client.Run(c.ctx) }) // it ends with the context
	}
	return c
}

// step asks the server what must be known before sources are opened, then opens the early
// list.
func (c *Cluster) step(now time.Time) {
	c.samples.Trim(now)
	c.problems.Look(now)
	c.recorder.Step(now)
	c.meters.Measure(c.factory, c.Link(), now)
	welcome := c.client.Link().Welcome // once: another user's may come meanwhile
	if c.reconnectOnMismatch(welcome) {
		return
	}
	c.askUser()
	waits := c.askMinor(now)
	if c.ready = welcome != nil && !waits; !c.ready {
		return
	}
	if c.opened == nil {
		c.opened = welcome
	}
	c.openEarly(now)
	c.awaitPainted(now)
}

// findKind repeats discovery until found returns true or the context ends, since a kind may
// be installed at any time. The loop calls found after each attempt. A wake ends the wait before
// the next attempt, because a user has come back to look.
func (c *Cluster) findKind(ctx context.Context, found func(err error) (done bool)) {
	c.Start(func() {
		for wait := discoverFirst; ctx.Err() == nil; wait *= 2 {
			woken := c.waking.next() // before the attempt: a wake during it must end the wait, too
			err, done := c.discover(ctx), make(chan bool, 1)
			c.Post(ctx, func() { done <- ctx.Err() != nil || found(err) })
			select {
			case <-ctx.Done():
			case enough := <-done:
				if enough {
					return
				}
			}
			wait = min(wait, discoverWithin(err))
			pause(ctx, wait, woken)
		}
	})
}

// openEarly opens the list that the address names before the page asks for it. The page's
// first list takes it over, or releases it if it is another.
func (c *Cluster) openEarly(now time.Time) {
	resource := c.early
	if c.early = ""; resource == "" {
		return
	}
	if kind, ok := object.Builtin(resource); ok {
		c.kinds.Print(&kind)
		c.lists.Hold()
		c.earlyLease, c.heldUntil = c.lease(kind, c.Scope(), nil), now.Add(holdEarly)
	}
}

// holdEarly is how long the early list may pause at one screenful while the starting page
// needs the processor more. After a longer pause the source would look stalled.
const holdEarly = 2 * time.Second

// awaitPainted lets the early list continue after holdEarly if no page has painted by then.
func (c *Cluster) awaitPainted(now time.Time) {
	switch {
	case c.heldUntil.IsZero():
	case now.Before(c.heldUntil):
		c.WakeAt(c.heldUntil)
	default:
		c.continueEarly()
	}
}

// continueEarly lets the early list continue beyond one screenful.
func (c *Cluster) continueEarly() {
	if !c.heldUntil.IsZero() {
		c.heldUntil = time.Time{}
		c.client.Watched()
		c.lists.Release()
	}
}

// releaseEarly releases the early list: the page's own list holds the source now, or shows
// another.
func (c *Cluster) releaseEarly() {
	if c.earlyLease != nil {
		c.earlyLease.Release()
		c.earlyLease = nil
	}
}

// Link returns the state of the connection to the proxy, as sources need it. Any goroutine
// may call it.
func (c *Cluster) Link() informer.Link {
	l := c.client.Link()
	return informer.Link{Connected: l.Connected, Heard: l.Heard, Online: c.online.Load(), Err: l.Err}
}

// Open opens a stream. Any goroutine but the loop's may call it: it waits.
func (c *Cluster) Open(ctx context.Context, r wire.Request) (reflector.Stream, error) {
	return c.client.Open(ctx, r)
}

// Scope returns the widest scope that the proxy serves: one namespace, or "" for the whole
// cluster. Any goroutine may call it.
func (c *Cluster) Scope() string {
	if w := c.client.Link().Welcome; w != nil && w.Narrow {
		return w.Namespace
	}
	return ""
}

// lease leases the list of a kind, with added columns. Any goroutine may call it.
func (c *Cluster) lease(kind object.Kind, namespace string, extras []object.Extra) *source.Lease {
	return c.leaseSource(source.Request(kind, namespace, extras...), &kind, extras)
}

// leaseSource leases the source of a request for objects of a kind.
func (c *Cluster) leaseSource(r wire.Request, kind *object.Kind, extras []object.Extra) *source.Lease {
	if !kind.Namespaced {
		r.Namespace = ""
	}
	return c.factory.LeaseVariant(r, source.Variant(kind, extras))
}

// UserChanged reports whether the proxy that came back serves another cluster, or the same one as
// another user. Resource versions of one mean nothing in the other.
func (c *Cluster) UserChanged() bool {
	w := c.client.Link().Welcome
	return w != nil && c.opened != nil && w != c.opened && !w.Same(*c.opened)
}

// IdentityMismatch reports whether a proxy serves another user than the one that the pages named.
func (c *Cluster) IdentityMismatch(w *wire.Welcome) bool {
	return w != nil && w.User != "" && c.identity != "" && w.User != c.identity
}

// reconnectOnMismatch reconnects once if the proxy serves another user before any source was
// opened: the connection may be older than the sign-in. If it names another user again, the session
// is that user's; pages that connect later get a cluster of their own.
func (c *Cluster) reconnectOnMismatch(w *wire.Welcome) (waiting bool) {
	if c.opened == nil && c.mismatched == nil && c.IdentityMismatch(w) {
		c.mismatched = w
		c.client.Renew()
	}
	return c.mismatched != nil && c.mismatched == w
}

// wake ends all waits before a retry, because the page is visible or the browser online
// again.
func (c *Cluster) wake() {
	c.client.Wake()
	c.factory.Each(func(_ wire.Request, i *informer.Informer[*object.Object]) { i.Wake() })
	c.waking.wake()
}

// pause waits, unless the context ends or woken is closed first. Nobody can wake it if woken is nil.
func pause(ctx context.Context, d time.Duration, woken <-chan struct{}) {
	select {
	case <-ctx.Done():
	case <-woken:
	case <-time.After(d):
	}
}

// state returns the connection to the proxy and the authenticated user.
func (c *Cluster) state() port.State {
	link := c.client.Link()
	out := port.State{
		Link:  port.Link{Connected: link.Connected, Since: link.Since, Attempts: link.Attempts},
		Proxy: link.Welcome, Replayed: c.relay != nil, User: c.user.name, Groups: c.user.groups, Differences: int(c.differences.Load()),
	}
	if link.Timed {
		out.Link.Ahead = int(link.Ahead / time.Minute)
	}
	if link.Err != nil {
		out.Link.Error = link.Err.Error()
	}
	return out
}
