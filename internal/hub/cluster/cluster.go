package cluster

import (
	"context"
	"sync/atomic"
	"time"
	"weak"

	"watchglass/internal/columns"
	"watchglass/internal/history"
	"watchglass/internal/history/disk"
	"watchglass/internal/history/replay"
	"watchglass/internal/hub/inspect"
	"watchglass/internal/hub/kinds"
	"watchglass/internal/hub/listcache"
	"watchglass/internal/hub/local"
	"watchglass/internal/hub/loop"
	"watchglass/internal/hub/problems"
	"watchglass/internal/hub/recorder"
	"watchglass/internal/hub/source"
	"watchglass/internal/hub/sums"
	"watchglass/internal/hub/timelines"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/reflector"
	"watchglass/internal/savedlist"
	"watchglass/internal/socket"
	"watchglass/internal/wire"
)

// Linger is how long a source is kept after its last reader has left: people go back.
const Linger = time.Minute

// Cluster is one cluster as one identity sees it: its socket, its sources and what is known
// of its kinds. Clusters share nothing but the loop and the budget of packed bytes. Its
// methods are for the loop, except those whose doc says who else may call them.
type Cluster struct {
	*loop.Loop
	Context  string          // of the kubeconfig; "" is the proxy's default
	Identity string          // the user, as the page names it
	Ctx      context.Context // ends with the cluster
	Client   *socket.Client
	Factory  *informer.Factory[*object.Object]
	Kinds    *kinds.Set
	Local    local.Kinds
	Codes    object.CodeTable // of all its objects
	Requests *sums.Requests
	Samples  *sums.Samples
	Problems *problems.Monitor
	Timeline *timelines.Tracker
	Meters   inspect.Meters

	History  *history.Store
	Archive  *disk.Archive // for older history; nil: none
	Recorder *recorder.Recorder
	Lists    *listcache.Cache
	Relay    *replay.Relay  // serves a moment of the past; nil: the cluster is live
	Recorded history.Record // source of its timeline, in place of its history; nil: its history

	Online     atomic.Bool   // the browser says it has a network
	Opened     *wire.Welcome // under which its sources were opened
	Ready      bool          // sources may be opened
	Early      string        // resource to open before a page asks for it; "" once opened
	EarlyLease *source.Lease

	end    context.CancelFunc
	budget *object.Budget
	uid    *clusterUID
	// differences counts the comparisons of all sources that found one. It outlives the sources.
	differences   atomic.Int64
	waking        waking
	user          userQuestion
	mismatched    *wire.Welcome // the first, if it named another user
	minor         minorQuestion
	tables        map[string]tableQuestion                      // by kinds.TableKey
	texts         map[string]weak.Pointer[columns.Dictionaries] // by kind
	session       session
	updatingKinds bool      // the kinds are kept up to date
	heldUntil     time.Time // when the early list continues even if no page has painted; zero: it is not held
}

// Options of a Cluster.
type Options struct {
	Context    string // of the kubeconfig; "" is the proxy's default
	Identity   string // the user, as the page names it
	Loop       *loop.Loop
	Budget     *object.Budget // of packed bytes
	History    *history.Store // of what happens in it
	Archive    *disk.Archive  // for older history; nil: none
	SavedLists savedlist.Disk // for the lists of the next visit; nil: none
	Relay      *replay.Relay  // serves a moment of the past; nil: the cluster is live
	Recorded   history.Record // source of its timeline, in place of its history; nil: its history
	// Dial connects to the proxy; nil: there is none.
	Dial func(context.Context) (socket.Connection, error)
}

// New returns a cluster that connects at once. Close, or the end of the context, ends it.
func New(ctx context.Context, o Options) *Cluster {
	c := &Cluster{
		Loop: o.Loop, Context: o.Context, Identity: o.Identity, Kinds: new(kinds.Set), budget: o.Budget, History: o.History, Archive: o.Archive, Relay: o.Relay, Recorded: o.Recorded,
		Samples: sums.NewSamples(), uid: newClusterUID(), tables: make(map[string]tableQuestion), texts: make(map[string]weak.Pointer[columns.Dictionaries]),
	}
	c.Problems, c.Requests = problems.New(problemsHost{c}), sums.NewRequests(&c.Codes)
	c.Timeline = timelines.New(timelineHost{c})
	c.addLocal()
	c.Ctx, c.end = context.WithCancel(ctx)
	c.Online.Store(true)
	c.Client = socket.New(socket.Options{Dial: o.Dial, Changed: o.Loop.RequestStep})
	c.Factory = informer.NewFactory(c.Ctx, Linger, c.newInformer)
	c.Lists = listcache.New(listcache.Options{Disk: o.SavedLists, Place: c.Context, Host: c, Loop: c.Loop, Context: c.Ctx, Client: c.Client, Factory: c.Factory, Budget: c.budget})
	c.Recorder = recorder.New(recorder.Options{History: c.History, Loop: c.Loop, Link: c.Link, Restores: c.Lists.Restores})
	c.Start(c.Factory.Wait)
	if o.Dial != nil {
		c.Start(func() { _ = c.Client.Run(c.Ctx) }) // it ends with the context
	}
	return c
}

// Step brings the cluster up to date. shown says whether a page on screen uses it.
func (c *Cluster) Step(now time.Time, shown bool) {
	c.prepare(now)
	c.Lists.Step(now, c.Ready, shown)
}

// prepare asks the server what must be known before sources are opened, then opens the early
// list.
func (c *Cluster) prepare(now time.Time) {
	c.Samples.Trim(now)
	c.Problems.Refresh(now)
	c.Recorder.Step(now)
	c.Meters.Measure(c.Factory, c.Link(), now)
	welcome := c.Client.Link().Welcome // once: another user's may come meanwhile
	if c.reconnectOnMismatch(welcome) {
		return
	}
	c.askUser()
	waits := c.askMinor(now)
	if c.Ready = welcome != nil && !waits; !c.Ready {
		return
	}
	if c.Opened == nil {
		c.Opened = welcome
	}
	c.openEarly(now)
	c.awaitPainted(now)
}

// FindKind repeats discovery until found returns true or the context ends, since a kind may
// be installed at any time. The loop calls found after each attempt. A wake ends the wait before
// the next attempt, because a user has come back to look.
func (c *Cluster) FindKind(ctx context.Context, found func(err error) (done bool)) {
	c.Start(func() {
		for wait := discoverFirst; ctx.Err() == nil; wait *= 2 {
			woken := c.waking.next() // before the attempt: a wake during it must end the wait, too
			err, done := c.Discover(ctx), make(chan bool, 1)
			c.Post(ctx, func() { done <- found(err) })
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
	resource := c.Early
	if c.Early = ""; resource == "" {
		return
	}
	if kind, ok := object.Builtin(resource); ok {
		c.Kinds.Print(&kind)
		c.Lists.Hold()
		c.EarlyLease, c.heldUntil = c.Lease(kind, c.Scope(), nil), now.Add(HoldEarly)
	}
}

// HoldEarly is how long the early list may pause at one screenful while the starting page
// needs the processor more. After a longer pause the source would look stalled.
const HoldEarly = 2 * time.Second

// awaitPainted lets the early list continue after HoldEarly if no page has painted by then.
func (c *Cluster) awaitPainted(now time.Time) {
	switch {
	case c.heldUntil.IsZero():
	case now.Before(c.heldUntil):
		c.WakeAt(c.heldUntil)
	default:
		c.ContinueEarly()
	}
}

// ContinueEarly lets the early list continue beyond one screenful.
func (c *Cluster) ContinueEarly() {
	if !c.heldUntil.IsZero() {
		c.heldUntil = time.Time{}
		c.Client.Watched()
		c.Lists.Release()
	}
}

// ReleaseEarly releases the early list: the page's own list holds the source now, or shows
// another.
func (c *Cluster) ReleaseEarly() {
	if c.EarlyLease != nil {
		c.EarlyLease.Release()
		c.EarlyLease = nil
	}
}

// Link returns the state of the connection to the proxy, as sources need it. Any goroutine
// may call it.
func (c *Cluster) Link() informer.Link {
	l := c.Client.Link()
	return informer.Link{Connected: l.Connected, Heard: l.Heard, Online: c.Online.Load(), Err: l.Err}
}

// Open opens a stream. Any goroutine but the loop's may call it: it waits.
func (c *Cluster) Open(ctx context.Context, r wire.Request) (reflector.Stream, error) {
	return c.Client.Open(ctx, r)
}

// Scope returns the widest scope that the proxy serves: one namespace, or "" for the whole
// cluster. Any goroutine may call it.
func (c *Cluster) Scope() string {
	if w := c.Client.Link().Welcome; w != nil && w.Narrow {
		return w.Namespace
	}
	return ""
}

// ScopeOf returns the scope to list for a namespace: the whole cluster if that list is in
// and not refused since, else only the namespace, since the user may be allowed no more. A proxy that serves
// one namespace is always asked for that one. Any goroutine may call it.
func (c *Cluster) ScopeOf(kind object.Kind, namespace string) string {
	scope := c.Scope()
	if !kind.Namespaced {
		return ""
	}
	if whole, synced := c.Factory.Synced(source.Request(kind, scope)); scope == "" && (!synced || whole.State(time.Now()).Emptied) {
		return namespace
	}
	return scope
}

// Lease leases the list of a kind, with added columns. Any goroutine may call it.
func (c *Cluster) Lease(kind object.Kind, namespace string, extras []object.Extra) *source.Lease {
	return c.leaseSource(source.Request(kind, namespace, extras...), &kind, extras)
}

// leaseSource leases the source of a request for objects of a kind.
func (c *Cluster) leaseSource(r wire.Request, kind *object.Kind, extras []object.Extra) *source.Lease {
	if !kind.Namespaced {
		r.Namespace = ""
	}
	return c.Factory.LeaseVariant(r, source.Variant(kind, extras))
}

// UserChanged reports whether the proxy that came back serves another cluster, or the same one as
// another user. Resource versions of one mean nothing in the other.
func (c *Cluster) UserChanged() bool {
	w := c.Client.Link().Welcome
	return w != nil && c.Opened != nil && w != c.Opened && !w.Same(*c.Opened)
}

// IdentityMismatch reports whether a proxy serves another user than the one that the pages named.
func (c *Cluster) IdentityMismatch(w *wire.Welcome) bool {
	return w != nil && w.User != "" && c.Identity != "" && w.User != c.Identity
}

// reconnectOnMismatch reconnects once if the proxy serves another user before any source was
// opened: the connection may be older than the sign-in. If it names another user again, the session
// is that user's; pages that connect later get a cluster of their own.
func (c *Cluster) reconnectOnMismatch(w *wire.Welcome) (waiting bool) {
	if c.Opened == nil && c.mismatched == nil && c.IdentityMismatch(w) {
		c.mismatched = w
		c.Client.Renew()
	}
	return c.mismatched != nil && c.mismatched == w
}

// Wake ends all waits before a retry, because the page is visible or the browser online
// again.
func (c *Cluster) Wake() {
	c.Client.Wake()
	c.Factory.Each(func(_ wire.Request, i *informer.Informer[*object.Object]) { i.Wake() })
	c.waking.wake()
}

// State returns the connection to the proxy and the authenticated user.
func (c *Cluster) State() port.State {
	link := c.Client.Link()
	out := port.State{
		Link:  port.Link{Connected: link.Connected, Since: link.Since, Attempts: link.Attempts},
		Proxy: link.Welcome, Replayed: c.Relay != nil, User: c.user.name, Groups: c.user.groups, Differences: int(c.differences.Load()),
	}
	if link.Timed {
		out.Link.Ahead = int(link.Ahead / time.Minute)
	}
	if link.Err != nil {
		out.Link.Error = link.Err.Error()
	}
	return out
}
