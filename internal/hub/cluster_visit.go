package hub

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"watchglass/internal/hub/loop"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/reflector"
	"watchglass/internal/visit"
	"watchglass/internal/wire"
)

const (
	// saveFirst is how long a list must be live before its first save.
	saveFirst = 5 * time.Second
	// saveEvery is how often a list that changes is saved while a page is on screen.
	saveEvery = 2 * time.Minute
	// saveIdle is the same for a list that does not change, whose version moves on, and while no page is
	// on screen. A save that failed is tried again after it.
	saveIdle = 15 * time.Minute
	// saveHidden is the least time between two saves because the page was hidden: it may be closed next.
	saveHidden = 30 * time.Second
	// savePause is the minimum pause between two saves, as a multiple of the last one's duration.
	savePause = 50
	// saveRate is how many bytes a second are written on average, before they are compressed.
	saveRate = 512 << 10
	// snapshotWithin is how long a save waits for a moment at which the list has a version.
	snapshotWithin = 10 * time.Second
	// visitWithin is how long a list waits for the disk, before it is requested from the server.
	visitWithin = 2 * time.Second
	// screenful is how many rows of the first list come before the page has painted.
	screenful = 200
	// visitLasts is how old a visit may be.
	visitLasts = 24 * time.Hour
)

// visits saves a cluster's lists for the next visit of this browser, and restores those of the last.
type visits struct {
	disk visit.Disk // nil: there is none

	opening sync.Mutex // held while the disk opens a folder

	mu     sync.Mutex
	key    string // the folder's
	folder visit.Folder
	lists  map[*informer.Informer[*object.Object]]*savedList
	reads  map[*informer.Informer[*object.Object]]bool // lists whose bodies are being read
	ran    map[wire.Request]bool                       // sources that ran before in this worker: history knows more of them
	held   chan struct{}                               // closed when the first list may go on beyond a screenful; nil: it may

	// For the loop.
	busy    bool      // a list is being saved
	next    time.Time // when the next may be
	looked  time.Time // when it was last looked which is due
	shown   bool      // a page that is on screen uses the cluster
	endings int       // how often the session has ended
	cleared bool      // the proxy forbids visits; existing ones were removed
	failed  error     // of the last save; for inspect
}

// savedList is a list that is saved.
type savedList struct {
	name    string
	changes atomic.Int64 // that were reported

	// For the loop.
	due     time.Time // zero: it was not live yet
	soon    bool      // the page was hidden since it changed
	at      time.Time // of the last save
	version string    // of the last save
	saved   int64     // the changes that it has
}

// noisy are kinds whose lists change all the time, and are of little use once they are old.
var noisy = []string{"events", "events.events.k8s.io", "leases.coordination.k8s.io"}

// visitable reports whether a source is saved: whole lists of built-in kinds. Lists that the hub derives,
// and Secrets, are never saved.
func (c *Cluster) visitable(r wire.Request, kind *object.Kind) bool {
	whole := r.LabelSelector == "" && r.FieldSelector == "" && r.Encoding == ""
	return c.visits.disk != nil && c.relay == nil && whole && kind.Printed() && kind.Resource != "secrets" && kind.Name != "Secret" &&
		!slices.Contains(noisy, kind.ID()) && !readsTimeline(r) && !readsProblems(r) && !c.kinds.Derives(*kind)
}

// visitName names the visits of a source. An empty namespace means all that the proxy serves; visits.js
// looks for that one.
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

// trackVisit saves the list of an informer from now on.
func (c *Cluster) trackVisit(name string, i *informer.Informer[*object.Object]) {
	v, list := &c.visits, &savedList{name: name}
	i.Subscribe(func(changes []informer.Change[*object.Object]) { list.changes.Add(int64(len(changes))) })
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.lists == nil {
		v.lists = make(map[*informer.Informer[*object.Object]]*savedList)
	}
	v.lists[i] = list
}

// visitFolder returns the folder of the session, or nil if there is none. It waits for the disk.
func (c *Cluster) visitFolder(ctx context.Context) visit.Folder {
	v, key, w := &c.visits, c.client.VisitKey(), c.client.Link().Welcome
	if key == "" || w == nil || c.identityMismatch(w) || c.sessionOver() {
		return nil
	}
	v.opening.Lock()
	defer v.opening.Unlock()
	v.mu.Lock()
	folder, known := v.folder, v.key == key
	v.mu.Unlock()
	if known {
		return folder
	}
	folder, err := v.disk.Open(ctx, c.context, key, w.Identity())
	if err != nil {
		return nil
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.key, v.folder = key, folder
	return folder
}

// hold lets lists pause after a screenful, like a list of the server's, while the starting page needs the
// processor more.
func (v *visits) hold() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.held = make(chan struct{})
}

// release lets them go on.
func (v *visits) release() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.held != nil {
		close(v.held)
		v.held = nil
	}
}

// closeVisits removes the visits of the session: it is over, or another user's. If the session was renewed after all,
// each list is saved again as if for the first time.
func (v *visits) closeVisits() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.folder == nil {
		return
	}
	v.folder.Close()
	v.folder, v.key = nil, ""
	v.endings++
	for _, list := range v.lists {
		list.due, list.at, list.version, list.soon = time.Time{}, time.Time{}, "", false
	}
}

// earlier returns a function that reads the saved list of a source. It has nothing if the source ran
// before in this worker, or runs with other columns. of returns its informer.
func (c *Cluster) earlier(r wire.Request, name string, decoder *object.Decoder, of func() *informer.Informer[*object.Object]) func(context.Context) (reflector.Earlier[*object.Object], bool) {
	v := &c.visits
	v.mu.Lock()
	ran, held := v.ran[r], v.held
	if v.ran == nil {
		v.ran = make(map[wire.Request]bool)
	}
	v.ran[r] = true
	v.mu.Unlock()
	if ran {
		return nil
	}
	return func(ctx context.Context) (out reflector.Earlier[*object.Object], ok bool) {
		last := c.lastVisit(ctx, name, decoder)
		if last == nil {
			return out, false
		}
		v.reading(of(), true)
		out.Version, out.At, out.Cluster = last.Version, last.At, last.About.Cluster
		out.Tally = reflector.Tally{Since: last.Since, Changes: last.Changes}
		out.Objects = func(yield func(*object.Object, error) bool) {
			shown := 0
			for o, err := range last.All(ctx) {
				if !yield(o, err) || err != nil {
					last.Close()
					v.reading(of(), false)
					return
				}
				if shown++; shown == screenful && held != nil {
					select {
					case <-held:
					case <-ctx.Done():
					}
				}
			}
			c.Start(func() { c.restoreBodies(ctx, last, of()) })
		}
		return out, true
	}
}

// lastVisit returns the last visit of a source, or nil if there is none, or the disk does not answer.
func (c *Cluster) lastVisit(ctx context.Context, name string, decoder *object.Decoder) *visit.Visit {
	ctx, cancel := context.WithTimeout(ctx, visitWithin)
	defer cancel()
	folder := c.visitFolder(ctx)
	if folder == nil {
		return nil
	}
	reader, err := folder.Read(ctx, name)
	if err != nil || reader == nil {
		return nil
	}
	last, err := visit.Read(ctx, reader, decoder)
	if err != nil {
		reader.Close()
		return nil
	}
	if age := time.Since(last.At); age < 0 || age > visitLasts {
		last.Close()
		return nil
	}
	return last
}

// restoreBodies restores the bodies of saved objects that are still in the store. An object without its
// body is like one whose body a full memory has dropped.
func (c *Cluster) restoreBodies(ctx context.Context, last *visit.Visit, i *informer.Informer[*object.Object]) {
	defer last.Close()
	defer c.visits.reading(i, false)
	if i.WaitForSync(ctx) != nil {
		return
	}
	for batch, err := range last.Bodies(ctx) {
		if err != nil {
			return
		}
		c.restore(ctx, i, batch)
		c.Rest()
	}
}

// restore gives objects back their bodies, if they are still in the store of a source.
func (c *Cluster) restore(ctx context.Context, i *informer.Informer[*object.Object], bodies []visit.Body) {
	i.Reported(func() {
		if ctx.Err() != nil { // the objects were released
			return
		}
		for _, b := range bodies {
			if held, ok := i.Store().Get(b.Object.Key()); ok && held == b.Object {
				held.Restore(b.Raw)
				c.budget.Keep(held)
			}
		}
	})
}

// regain gives a stored object that has lost its body that of an equal one, which a new list has.
func (c *Cluster) regain(stored, listed *object.Object) {
	if raw := listed.Packed(); stored.Lost() && raw != nil {
		stored.Restore(raw)
		c.budget.Keep(stored)
	}
}

// reading notes whether the bodies of a list are being read from disk, or will be once its rows are there.
func (v *visits) reading(i *informer.Informer[*object.Object], is bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.reads == nil {
		v.reads = make(map[*informer.Informer[*object.Object]]bool)
	}
	if v.reads[i] = is; !is {
		delete(v.reads, i)
	}
}

// restores reports whether the bodies of a list come from disk.
func (v *visits) restores(i *informer.Informer[*object.Object]) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.reads[i]
}

// stepVisits saves the list that is due, if any. shown says whether a page on screen uses the cluster.
func (c *Cluster) stepVisits(now time.Time, shown bool) {
	v, w := &c.visits, c.client.Link().Welcome
	if v.disk == nil || c.relay != nil || w == nil {
		return
	}
	if w.NoDiskHistory != v.cleared {
		if v.cleared = w.NoDiskHistory; v.cleared {
			v.disk.Clear()
		}
	}
	hidden := v.shown && !shown
	if v.shown = shown; !hidden && now.Before(v.looked.Add(loop.Tick)) {
		return
	}
	v.looked = now
	c.pruneVisits()
	switch {
	case c.sessionOver() || c.userChanged() || v.cleared:
		v.closeVisits()
	case c.ready && !v.busy:
		if list, i := c.dueVisit(now, hidden); list != nil {
			v.busy = true
			endings := v.endings
			c.Start(func() { c.saveVisit(list, i, endings) })
		}
	}
}

// pruneVisits forgets the lists whose informers have ended.
func (c *Cluster) pruneVisits() {
	v, running := &c.visits, make(map[*informer.Informer[*object.Object]]bool)
	v.mu.Lock()
	ended := make([]*informer.Informer[*object.Object], 0, len(v.lists))
	for i := range v.lists {
		ended = append(ended, i)
	}
	v.mu.Unlock() // the factory calls trackVisit with its own lock held
	c.factory.Each(func(_ wire.Request, i *informer.Informer[*object.Object]) { running[i] = true })
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, i := range ended {
		if !running[i] {
			delete(v.lists, i)
			delete(v.reads, i)
		}
	}
}

// dueVisit returns a list that is live and due. If the page was just hidden, every changed list is. The
// visit of a list that may no longer be read is removed.
func (c *Cluster) dueVisit(now time.Time, hidden bool) (due *savedList, of *informer.Informer[*object.Object]) {
	v, link := &c.visits, c.link()
	v.mu.Lock()
	defer v.mu.Unlock()
	for i, list := range v.lists {
		s := i.State(now)
		switch fresh, _, _ := informer.Fresh(s, link, now); {
		case (fresh == informer.Denied || fresh == informer.Gone) && s.Objects == 0:
			if v.folder != nil && list.version != removed {
				v.folder.Remove(list.name)
				list.version = removed
			}
		case fresh == informer.Live && s.Unread == 0 && s.Settled != list.version && list.isDue(now, v.shown, hidden) && !now.Before(v.next):
			due, of = list, i
		}
	}
	return due, of
}

// removed is the version of a list whose visit was removed.
const removed = "removed"

// isDue reports whether a live list of another version than the last save is due.
func (l *savedList) isDue(now time.Time, shown, hidden bool) bool {
	changed := l.at.IsZero() || l.changes.Load() != l.saved
	switch {
	case l.due.IsZero():
		l.due = now.Add(saveFirst)
	case hidden && changed && !l.at.IsZero():
		l.due, l.soon = slices.MinFunc([]time.Time{l.due, l.at.Add(saveHidden)}, time.Time.Compare), true
	case (!changed || !shown && !l.soon) && !l.at.IsZero() && now.Before(l.at.Add(saveIdle)):
		return false
	}
	return !now.Before(l.due)
}

// saveVisit saves a list. It waits. If the session has ended meanwhile, what was saved is gone.
func (c *Cluster) saveVisit(list *savedList, i *informer.Informer[*object.Object], endings int) {
	begun, changes := time.Now(), list.changes.Load()
	version, bytes, err := c.writeVisit(list.name, i)
	c.Post(c.ctx, func() {
		v, now := &c.visits, time.Now()
		took := now.Sub(begun)
		if v.busy, v.failed, v.next = false, err, now.Add(savePause*took); v.endings != endings {
			return
		}
		list.due = now.Add(max(saveEvery, savePause*took, time.Duration(bytes/saveRate)*time.Second))
		if err != nil {
			list.due = now.Add(saveIdle)
			return
		}
		list.version, list.saved, list.at, list.soon = version, changes, now, false
	})
}

// writeVisit saves a list, and returns its version and size.
func (c *Cluster) writeVisit(name string, i *informer.Informer[*object.Object]) (version string, bytes int, err error) {
	folder := c.visitFolder(c.ctx)
	if folder == nil {
		return "", 0, nil
	}
	waiting, cancel := context.WithTimeout(c.ctx, snapshotWithin)
	defer cancel()
	s := i.State(time.Now())
	objects, version, err := i.Store().Snapshot(waiting)
	if err != nil || version == "" {
		return "", 0, err
	}
	w, err := folder.Create(c.ctx, name)
	if err != nil {
		return "", 0, err
	}
	about := visit.About{Version: version, Cluster: s.Cluster, At: time.Now(), Since: s.Tally.Since, Changes: s.Tally.Changes}
	if bytes, err = visit.Write(c.ctx, w, about, objects, c.Rest); err == nil {
		err = w.Commit(c.ctx)
	}
	if err != nil {
		w.Abort()
	}
	return version, bytes, err
}
