package hub

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/disk"
	"watchglass/internal/hub/cluster"
	"watchglass/internal/hub/focus"
	"watchglass/internal/hub/list"
	"watchglass/internal/hub/loop"
	"watchglass/internal/hub/past"
	"watchglass/internal/inspection"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/savedlist"
	"watchglass/internal/socket"
	"watchglass/internal/timeslice"
)

// packedBudget limits the packed bytes of all objects of all clusters. The least recently
// shown are dropped first, so a list that lingers gives way to one on screen.
const packedBudget = 192 << 20

// Options of a Hub.
type Options struct {
	// Dial connects to the proxy for a context of its kubeconfig; "" is its default. If it is nil, there is
	// no proxy, and pages show only recordings.
	Dial func(ctx context.Context, context string) (socket.Connection, error)
	// Published waits for the recording that was published with the page, decompressed and intact. If it is nil,
	// there is none.
	Published func(ctx context.Context) ([]byte, error)
	// Worker says what runs the hub, for inspect.
	Worker Worker
	// AuditEvery is the mean time between two audits (default 5 minutes). Only tests set it.
	AuditEvery time.Duration
	// Disk stores history that does not fit into memory (default: such history is dropped).
	Disk disk.Disk
	// SavedLists stores lists for the next visit (default: each visit begins with a list).
	SavedLists savedlist.Disk
	// Rest lets the browser deliver its events during long work (default timeslice.Sleep).
	Rest timeslice.Rest
	// HistoryLimit is the maximum size of history in memory, in bytes (default history.Limit). Only tests set it.
	HistoryLimit int
}

// Worker says what runs a hub.
type Worker struct {
	Name   string
	Shared bool // by all tabs of the browser
}

// Hub serves pages: it keeps a Cluster for each context and user that one of them looks at.
// Connect may be called from any goroutine; everything else runs on the loop of Run.
type Hub struct {
	loop     *loop.Loop
	options  Options
	budget   *object.Budget
	memory   *history.Memory
	archive  *disk.Archive // nil: there is no disk
	ctx      context.Context
	inbox    chan inbound
	begun    time.Time
	audits   audits
	clusters []*cluster.Cluster
	pages    []*Page
	lastPage uint32
	// keepsDisk: history that does not fit into memory goes to disk. One page says so for all, which share the
	// browser's setting.
	keepsDisk bool
}

// inbound is a message of a page.
type inbound struct {
	page    *Page
	message port.Message
}

// Connection says what connects a page.
type Connection struct {
	Port    port.Port
	Context string // of the kubeconfig; "" is the proxy's default
	// Identity names the user, so that two users of one context share nothing.
	Identity string
	// Early is a resource whose list is opened before the page asks for it; it may be empty.
	Early string
}

// New returns a hub that ends with the context. Run runs it.
func New(ctx context.Context, o Options) *Hub {
	return &Hub{loop: loop.New(o.Rest), options: o, budget: object.NewBudget(packedBudget), memory: history.NewMemory(cmp.Or(o.HistoryLimit, history.Limit), o.Rest), archive: newArchive(o), ctx: ctx, inbox: make(chan inbound), begun: time.Now(), audits: newAudits(o.AuditEvery, time.Now())}
}

// Connect serves a page until disconnect is called, or the hub ends. Disconnect releases
// what only this page held.
func (h *Hub) Connect(c Connection) (disconnect func()) {
	ctx, end := context.WithCancel(h.ctx)
	h.loop.Post(ctx, func() {
		p := h.connect(c)
		h.loop.Start(func() { h.receive(ctx, p) })
	})
	return end
}

// connect adds a page.
func (h *Hub) connect(c Connection) *Page {
	h.lastPage++
	p := &Page{id: h.lastPage, port: c.Port, clusters: func(name string) *cluster.Cluster { return h.cluster(name, c.Identity) }, overview: h.overview, keepHistory: func(on bool) { h.keepsDisk = on }, paneOf: focus.Pane, visible: true, connected: time.Now(), memory: list.NewMemory(), transfers: port.NewTransfers(c.Port)}
	p.past = past.New(p, pastHub{h})
	p.files = past.NewFiles(p.past)
	p.elsewhere = func() []*cluster.Cluster { return h.elsewhere(p, c.Identity) }
	if p.cluster = h.cluster(c.Context, c.Identity); p.cluster.Opened == nil {
		p.cluster.Early = c.Early
	}
	h.pages = append(h.pages, p)
	if h.options.Published != nil {
		p.files.ReadPublished(h.options.Published)
	}
	return p
}

// receive forwards a page's messages to the loop until the page is gone.
func (h *Hub) receive(ctx context.Context, p *Page) {
	for {
		select {
		case m := <-p.port.Receive():
			select {
			case h.inbox <- inbound{p, m}:
			case <-ctx.Done():
			}
		case <-ctx.Done():
			h.loop.Post(h.ctx, func() { h.disconnect(p) })
			return
		}
	}
}

// disconnect releases all that a page held.
func (h *Hub) disconnect(p *Page) {
	p.close()
	h.pages = slices.DeleteFunc(h.pages, func(other *Page) bool { return other == p })
	if p.dues > 0 {
		p.past.Own().AskAnother()
	}
}

// cluster returns the cluster of a context as an identity sees it, and creates it unless
// there is one that has not moved.
func (h *Hub) cluster(name, identity string) *cluster.Cluster {
	for _, c := range h.clusters {
		if c.Relay == nil && c.Context == name && c.Identity == identity && !c.UserChanged() && !c.IdentityMismatch(c.Client.Link().Welcome) {
			return c
		}
	}
	var dial func(context.Context) (socket.Connection, error)
	if h.options.Dial != nil {
		dial = func(ctx context.Context) (socket.Connection, error) { return h.options.Dial(ctx, name) }
	}
	c := cluster.New(h.ctx, cluster.Options{Context: name, Identity: identity, Loop: h.loop, Budget: h.budget, History: history.NewStore(h.memory), Archive: h.archive, SavedLists: h.options.SavedLists, Dial: dial})
	h.clusters = append(h.clusters, c)
	return c
}

// elsewhere returns the clusters that a page's user has open in other contexts. Those of other users are
// none of its business.
func (h *Hub) elsewhere(p *Page, identity string) (all []*cluster.Cluster) {
	for _, c := range h.clusters {
		if c.Relay == nil && c.Identity == identity && c.Context != p.past.Own().Context {
			all = append(all, c)
		}
	}
	return all
}

// prune ends the clusters that no page uses.
func (h *Hub) prune() {
	h.clusters = slices.DeleteFunc(h.clusters, func(c *cluster.Cluster) bool {
		used := slices.ContainsFunc(h.pages, func(p *Page) bool { return p.uses(c) })
		if !used {
			c.Close()
		}
		return !used
	})
}

// Run serves pages until the hub's context ends, and returns when all goroutines of the hub
// have ended. A panic waits for none of them: the worker has to end, so that pages notice.
func (h *Hub) Run() {
	if h.archive != nil {
		h.loop.Start(func() { h.archive.Run(h.ctx) })
	}
	ticker, soon := time.NewTicker(loop.Tick), time.NewTimer(loop.Tick)
	defer ticker.Stop()
	defer soon.Stop()
	h.loop.RequestStep()
	for {
		select {
		case <-h.ctx.Done():
			h.loop.Wait()
			return
		case in := <-h.inbox:
			in.page.receive(in.message, time.Now())
		case f := <-h.loop.Posts():
			f()
		case <-h.loop.Requested():
		case <-ticker.C:
		case <-soon.C:
		}
		h.step(time.Now())
		h.pause(soon)
	}
}

// pause schedules the next step, if one was asked for. If it is already due, pause rests, so that the browser can
// deliver its events, and then receives messages that wait. Otherwise what the user types would wait for a step
// or two.
func (h *Hub) pause(soon *time.Timer) {
	if h.loop.Next().IsZero() {
		return
	}
	if wait := time.Until(h.loop.Next()); wait > 0 {
		soon.Reset(wait)
		return
	}
	h.loop.Rest()
	h.receiveWaiting()
	h.loop.RequestStep()
}

// waitingMost is how many messages of each page are received before a step that is due.
const waitingMost = 4

// receiveWaiting receives the messages that wait. Their number is limited, so that a page that floods the hub
// does not stop it.
func (h *Hub) receiveWaiting() {
	for range waitingMost * len(h.pages) {
		select {
		case in := <-h.inbox:
			in.page.receive(in.message, time.Now())
			runtime.Gosched() // the page's next message comes to the inbox
		default:
			return
		}
	}
}

// step brings everything up to date.
func (h *Hub) step(now time.Time) {
	h.loop.ForgetNext()
	h.prune()
	for _, c := range h.clusters {
		c.Step(now, h.shows(c))
		if due, ok := c.SessionDue(now); ok {
			h.askPage(c, due)
		}
	}
	for _, p := range h.pages {
		p.step(now)
	}
	h.stepDisk()
	h.audit(now)
}

// shows reports whether a page that is on screen uses a cluster.
func (h *Hub) shows(c *cluster.Cluster) bool {
	return slices.ContainsFunc(h.pages, func(p *Page) bool { return p.visible && p.uses(c) })
}

// askPage asks one of a cluster's pages to check or renew the session. It prefers a page that
// was asked less often since it last renewed, then one on screen.
func (h *Hub) askPage(c *cluster.Cluster, due port.Due) {
	var best *Page
	for _, p := range h.pages {
		if p.uses(c) && (best == nil || p.dueBefore(best)) {
			best = p
		}
	}
	if best != nil {
		if best.dues++; best.past.Own() != c {
			due.Context = c.Context
		}
		best.port.Send(due)
	}
}

// overview returns the clusters and the pages.
func (h *Hub) overview() inspection.Hub {
	out := inspection.Hub{Worker: inspection.Worker{Name: h.options.Worker.Name, Shared: h.options.Worker.Shared, Since: h.begun.UTC()}}
	out.Packed.Bytes, out.Packed.Objects, out.Packed.Dropped = h.budget.Used()
	out.Packed.Limit = packedBudget
	out.History.Bytes, out.History.Limit, out.History.Dropped = h.memory.Used()
	if h.archive != nil {
		s := h.archive.Status()
		out.History.Disk = inspection.Disk{On: s.On, Bytes: s.Bytes, Room: s.Room, Failed: s.Failed}
	}
	for _, c := range h.clusters {
		out.Clusters = append(out.Clusters, c.Inspect())
	}
	for _, p := range h.pages {
		out.Pages = append(out.Pages, p.summary())
	}
	return out
}
