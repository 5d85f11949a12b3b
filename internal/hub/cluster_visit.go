package hub

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/reflector"
	"watchglass/internal/visit"
	"watchglass/internal/wire"
)

const (
	// keepFirst is how long a list has been live when it is first kept.
	keepFirst = 5 * time.Second
	// keepEvery is how often a list that changes is kept. A page that is hidden may be closed next, so
	// its lists are kept at once.
	keepEvery = 2 * time.Minute
	// keepIdle is how often a list that does not change is kept: only its version moves on.
	keepIdle = 15 * time.Minute
	// keepShare is the least time between two saves, in multiples of what the last one took.
	keepShare = 50
)

// visits keeps the lists of a cluster for the next visit of this browser, and begins with those of the
// last one.
type visits struct {
	disk visit.Disk // nil: there is none

	opening sync.Mutex
	opened  string // the key that the disk has; "": none yet

	mu  sync.Mutex
	all map[*informer.Informer[*object.Object]]*visited

	// For the loop.
	busy    bool // a list is being written
	shown   bool // a page that is on screen uses the cluster
	cleared bool // the proxy forbids visits, and those there were are removed
	failed  error
}

// visited is a list that is kept.
type visited struct {
	name    string
	changes atomic.Int64 // that were reported

	// For the loop.
	due     time.Time // zero: it was not live yet
	version string    // that was kept last
	kept    int64     // the changes that this has
}

// visitable reports whether a source is kept: the whole list of a kind that is printed here, and not what
// the hub makes itself. Secrets are not, though encrypted.
func (c *Cluster) visitable(r wire.Request, kind *object.Kind) bool {
	whole := r.LabelSelector == "" && r.FieldSelector == "" && r.Encoding == ""
	return c.visits.disk != nil && c.relay == nil && whole && kind.Printed() && kind.ID() != "secrets" &&
		!readsTimeline(r) && !readsProblems(r) && !c.kinds.Derives(*kind)
}

// visitName names the visits of a source: a file name. visits.js looks for one of a resource without a
// namespace, which is of all that the proxy serves.
func (c *Cluster) visitName(r wire.Request, variant string) string {
	if r.Namespace == c.scope() {
		r.Namespace = ""
	}
	name := url.QueryEscape(r.Resource) + "," + url.QueryEscape(r.Namespace) + "," + url.QueryEscape(r.Group) + "," + url.QueryEscape(r.Version)
	if variant != "" {
		hash := fnv.New64a()
		_, _ = hash.Write([]byte(variant))
		name += fmt.Sprintf(",%x", hash.Sum64())
	}
	return name
}

// keepVisit keeps the lists of an informer from now on.
func (c *Cluster) keepVisit(name string, i *informer.Informer[*object.Object]) {
	v, one := &c.visits, &visited{name: name}
	i.Subscribe(func(changes []informer.Change[*object.Object]) { one.changes.Add(int64(len(changes))) })
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.all == nil {
		v.all = make(map[*informer.Informer[*object.Object]]*visited)
	}
	v.all[i] = one
}

// openVisits opens the disk with the key of the session, and reports whether there is one. It waits.
func (c *Cluster) openVisits(ctx context.Context) bool {
	v, key, w := &c.visits, c.client.VisitKey(), c.client.Link().Welcome
	if key == "" || w == nil || c.identityMismatch(w) {
		return false
	}
	v.opening.Lock()
	defer v.opening.Unlock()
	if v.opened != key {
		if err := v.disk.Open(ctx, c.context, key, w.Page+" "+c.scope()); err != nil {
			return false
		}
		v.opened = key
	}
	return true
}

// earlier returns what the last visit left of a source, for the informer that of returns. A list that is
// in memory is newer.
func (c *Cluster) earlier(r wire.Request, name string, decoder *object.Decoder, of func() *informer.Informer[*object.Object]) func(context.Context) (reflector.Earlier[*object.Object], bool) {
	return func(ctx context.Context) (out reflector.Earlier[*object.Object], ok bool) {
		if _, held := c.factory.Synced(r); held || !c.openVisits(ctx) {
			return out, false
		}
		reader, err := c.visits.disk.Read(ctx, c.context, name)
		if err != nil || reader == nil {
			return out, false
		}
		last, err := visit.Read(ctx, reader, decoder)
		if err != nil {
			reader.Close()
			return out, false
		}
		out.Version, out.At, out.Cluster = last.Version, last.At, last.About.Cluster
		out.Objects = func(yield func(*object.Object, error) bool) {
			for o, err := range last.All(ctx) {
				if !yield(o, err) || err != nil {
					last.Close()
					return
				}
			}
			c.start(func() { c.restoreBodies(ctx, last, of()) })
		}
		return out, true
	}
}

// restoreBodies gives the objects of the last visit their bodies back, once they are in the store and as
// long as they are. An object without one is like one whose body was dropped from a full memory.
func (c *Cluster) restoreBodies(ctx context.Context, last *visit.Visit, i *informer.Informer[*object.Object]) {
	defer last.Close()
	if i.WaitForSync(ctx) != nil {
		return
	}
	for batch, err := range last.Bodies(ctx) {
		if err != nil {
			return
		}
		i.Reported(func() {
			for _, b := range batch {
				if held, ok := i.Store().Get(b.Object.Key()); ok && held == b.Object {
					held.Restore(b.Raw)
					c.budget.Keep(held)
				}
			}
		})
		c.rest()
	}
}

// stepVisits keeps the list that is due, if any. shown says whether a page on screen uses the cluster.
func (c *Cluster) stepVisits(now time.Time, shown bool) {
	v := &c.visits
	if v.disk == nil || c.relay != nil || !c.ready || c.userChanged() {
		return
	}
	if c.opened.NoDiskHistory {
		if !v.cleared {
			v.cleared = true
			v.disk.Clear(c.context)
		}
		return
	}
	left := v.shown && !shown
	v.shown = shown
	if one, i := c.dueVisit(now, left); one != nil && !v.busy && v.failed == nil {
		v.busy = true
		c.start(func() { c.saveVisit(one, i) })
	}
}

// dueVisit returns a list that is live and due. If the page was left, all that have changed are.
func (c *Cluster) dueVisit(now time.Time, left bool) (due *visited, of *informer.Informer[*object.Object]) {
	v, link := &c.visits, c.link()
	running := make(map[*informer.Informer[*object.Object]]bool)
	c.factory.Each(func(_ wire.Request, i *informer.Informer[*object.Object]) { running[i] = true })
	v.mu.Lock() // the factory holds its own lock when it calls keepVisit
	defer v.mu.Unlock()
	for i, one := range v.all {
		if !running[i] {
			delete(v.all, i)
			continue
		}
		s := i.State(now)
		if fresh, _, _ := informer.Fresh(s, link, now); fresh != informer.Live || s.Settled == one.version || s.Unread > 0 {
			continue
		}
		changed := one.version == "" || one.changes.Load() != one.kept
		switch {
		case one.due.IsZero():
			one.due = now.Add(keepFirst)
		case left && changed:
			one.due = now
		case !changed && now.Before(one.due.Add(keepIdle)):
			continue
		}
		if !now.Before(one.due) {
			due, of = one, i
		}
	}
	return due, of
}

// saveVisit keeps a list. It waits.
func (c *Cluster) saveVisit(one *visited, i *informer.Informer[*object.Object]) {
	begun, changes := time.Now(), one.changes.Load()
	version, err := c.writeVisit(one.name, i)
	c.post(c.ctx, func() {
		now := time.Now()
		if c.visits.busy, c.visits.failed = false, err; err == nil {
			one.version, one.kept = version, changes
		}
		one.due = now.Add(max(keepEvery, keepShare*now.Sub(begun)))
	})
}

func (c *Cluster) writeVisit(name string, i *informer.Informer[*object.Object]) (version string, err error) {
	if !c.openVisits(c.ctx) {
		return "", nil
	}
	objects, version, err := i.Store().Snapshot(c.ctx)
	if err != nil || version == "" {
		return "", err
	}
	w, err := c.visits.disk.Create(c.ctx, c.context, name)
	if err != nil {
		return "", err
	}
	about := visit.About{Version: version, Cluster: i.State(time.Now()).Cluster, At: time.Now()}
	if err = visit.Write(c.ctx, w, about, objects, c.rest); err == nil {
		err = w.Commit(c.ctx)
	}
	if err != nil {
		w.Abort()
	}
	return version, err
}
