package listcache

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"watchglass/internal/hub/loop"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/savedlist"
	"watchglass/internal/wire"
)

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

// Step saves the list that is due, if any. ready says whether sources may be opened, and shown whether a page on screen
// uses the cluster.
func (c *Cache) Step(now time.Time, ready, shown bool) {
	w := c.Client.Link().Welcome
	if c.Disk == nil || w == nil {
		return
	}
	if w.NoDiskHistory != c.cleared {
		if c.cleared = w.NoDiskHistory; c.cleared {
			c.Disk.Clear()
		}
	}
	hidden := c.shown && !shown
	if c.shown = shown; !hidden && now.Before(c.looked.Add(loop.Tick)) {
		return
	}
	c.looked = now
	c.prune()
	switch {
	case c.Host.SessionOver() || c.Host.UserChanged() || c.cleared:
		c.Clear()
	case ready && !c.busy:
		if list, i := c.due(now, hidden); list != nil {
			c.busy = true
			endings := c.endings
			c.Loop.Start(func() { c.save(list, i, endings) })
		}
	}
}

// prune forgets the lists whose informers have ended.
func (c *Cache) prune() {
	running := make(map[*informer.Informer[*object.Object]]bool)
	c.mu.Lock()
	ended := make([]*informer.Informer[*object.Object], 0, len(c.lists))
	for i := range c.lists {
		ended = append(ended, i)
	}
	c.mu.Unlock() // the factory calls Track with its own lock held
	c.Factory.Each(func(_ wire.Request, i *informer.Informer[*object.Object]) { running[i] = true })
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, i := range ended {
		if !running[i] {
			delete(c.lists, i)
			delete(c.reads, i)
		}
	}
}

// due returns a list that is live and due. If the page was just hidden, every changed list is. The
// visit of a list that may no longer be read is removed.
func (c *Cache) due(now time.Time, hidden bool) (due *savedList, of *informer.Informer[*object.Object]) {
	link := c.Host.Link()
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, list := range c.lists {
		s := i.State(now)
		switch fresh, _, _ := informer.Fresh(s, link, now); {
		case (fresh == informer.Denied || fresh == informer.Gone) && s.Objects == 0:
			if c.folder != nil && list.version != removed {
				c.folder.Remove(list.name)
				list.version = removed
			}
		case fresh == informer.Live && s.Unread == 0 && s.Settled != list.version && list.isDue(now, c.shown, hidden) && !now.Before(c.next):
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
		l.due = now.Add(SaveFirst)
	case hidden && changed && !l.at.IsZero():
		l.due, l.soon = slices.MinFunc([]time.Time{l.due, l.at.Add(SaveHidden)}, time.Time.Compare), true
	case (!changed || !shown && !l.soon) && !l.at.IsZero() && now.Before(l.at.Add(SaveIdle)):
		return false
	}
	return !now.Before(l.due)
}

// save saves a list. It waits. If the session has ended meanwhile, what was saved is gone.
func (c *Cache) save(list *savedList, i *informer.Informer[*object.Object], endings int) {
	begun, changes := time.Now(), list.changes.Load()
	version, bytes, err := c.write(list.name, i)
	c.Loop.Post(c.Context, func() {
		now := time.Now()
		took := now.Sub(begun)
		if c.busy, c.failed, c.next = false, err, now.Add(savePause*took); c.endings != endings {
			return
		}
		list.due = now.Add(max(SaveEvery, savePause*took, time.Duration(bytes/saveRate)*time.Second))
		if err != nil {
			list.due = now.Add(SaveIdle)
			return
		}
		list.version, list.saved, list.at, list.soon = version, changes, now, false
	})
}

// write saves a list, and returns its version and size.
func (c *Cache) write(name string, i *informer.Informer[*object.Object]) (version string, bytes int, err error) {
	folder := c.open(c.Context)
	if folder == nil {
		return "", 0, nil
	}
	waiting, cancel := context.WithTimeout(c.Context, snapshotWithin)
	defer cancel()
	s := i.State(time.Now())
	objects, version, err := i.Store().Snapshot(waiting)
	if err != nil || version == "" {
		return "", 0, err
	}
	w, err := folder.Create(c.Context, name)
	if err != nil {
		return "", 0, err
	}
	about := savedlist.About{Version: version, Cluster: s.Cluster, At: time.Now(), Since: s.Tally.Since, Changes: s.Tally.Changes}
	if bytes, err = savedlist.Write(c.Context, w, about, objects, c.Loop.Rest); err == nil {
		err = w.Commit(c.Context)
	}
	if err != nil {
		w.Abort()
	}
	return version, bytes, err
}
