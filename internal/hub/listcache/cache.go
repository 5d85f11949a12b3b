package listcache

import (
	"context"
	"fmt"
	"hash/fnv"
	"net/url"
	"slices"
	"sync"
	"time"

	"watchglass/internal/hub/loop"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/savedlist"
	"watchglass/internal/socket"
	"watchglass/internal/wire"
)

const (
	// SaveFirst is how long a list must be live before its first save.
	SaveFirst = 5 * time.Second
	// SaveEvery is how often a list that changes is saved while a page is on screen.
	SaveEvery = 2 * time.Minute
	// SaveIdle is the same for a list that does not change, whose version moves on, and while no page is
	// on screen. A save that failed is tried again after it.
	SaveIdle = 15 * time.Minute
	// SaveHidden is the least time between two saves because the page was hidden: it may be closed next.
	SaveHidden = 30 * time.Second
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
	// MaxAge is how old a visit may be.
	MaxAge = 24 * time.Hour
)

// Host is the cluster as its Cache sees it. UserChanged is for the loop; any goroutine may call the other methods.
type Host interface {
	// Link returns the state of the connection to the proxy.
	Link() informer.Link
	// Scope returns the widest scope that the proxy serves.
	Scope() string
	// IdentityMismatch reports whether a proxy serves another user than the one that the pages named.
	IdentityMismatch(w *wire.Welcome) bool
	// UserChanged reports whether the proxy serves another cluster or user than when sources were opened.
	UserChanged() bool
	// SessionOver reports whether the proxy refuses the session.
	SessionOver() bool
}

// Options of a Cache.
type Options struct {
	Disk    savedlist.Disk // nil: nothing is saved
	Place   string         // whose visits these are: the context of the kubeconfig
	Host    Host
	Loop    *loop.Loop
	Context context.Context // ends with the cluster
	Client  *socket.Client
	Factory *informer.Factory[*object.Object]
	Budget  *object.Budget // of the bodies
}

// Cache saves a cluster's lists for the next visit of this browser, and restores those of the last. Step, Clear and
// Failed are for the loop; any goroutine may call the other methods.
type Cache struct {
	Options

	opening sync.Mutex // held while the disk opens a folder

	mu     sync.Mutex
	key    string // the folder's
	folder savedlist.Folder
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

// noisy are kinds whose lists change all the time, and are of little use once they are old.
var noisy = []string{"events", "events.events.k8s.io", "leases.coordination.k8s.io"}

// New returns a cache without lists.
func New(o Options) *Cache {
	return &Cache{
		Options: o, lists: make(map[*informer.Informer[*object.Object]]*savedList),
		reads: make(map[*informer.Informer[*object.Object]]bool), ran: make(map[wire.Request]bool),
	}
}

// Saves reports whether a source is saved, unless the hub makes its rows: whole lists of built-in kinds. Secrets are
// never saved.
func (c *Cache) Saves(r wire.Request, kind *object.Kind) bool {
	whole := r.LabelSelector == "" && r.FieldSelector == "" && r.Encoding == ""
	return c.Disk != nil && whole && kind.Printed() && kind.Resource != "secrets" && kind.Name != "Secret" &&
		!slices.Contains(noisy, kind.ID())
}

// Name names the visits of a source. An empty namespace means all that the proxy serves; visits.js
// looks for that one.
func (c *Cache) Name(r wire.Request, variant string) string {
	if r.Namespace == c.Host.Scope() {
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

// Track saves the list of an informer from now on.
func (c *Cache) Track(name string, i *informer.Informer[*object.Object]) {
	list := &savedList{name: name}
	i.Subscribe(func(changes []informer.Change[*object.Object]) { list.changes.Add(int64(len(changes))) })
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lists[i] = list
}

// open returns the folder of the session, or nil if there is none. It waits for the disk.
func (c *Cache) open(ctx context.Context) savedlist.Folder {
	key, w := c.Client.VisitKey(), c.Client.Link().Welcome
	if key == "" || w == nil || c.Host.IdentityMismatch(w) || c.Host.SessionOver() {
		return nil
	}
	c.opening.Lock()
	defer c.opening.Unlock()
	c.mu.Lock()
	folder, known := c.folder, c.key == key
	c.mu.Unlock()
	if known {
		return folder
	}
	folder, err := c.Disk.Open(ctx, c.Place, key, w.Identity())
	if err != nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.key, c.folder = key, folder
	return folder
}

// Hold lets lists pause after a screenful, like a list of the server's, while the starting page needs the
// processor more.
func (c *Cache) Hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.held = make(chan struct{})
}

// Release lets them go on.
func (c *Cache) Release() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.held != nil {
		close(c.held)
		c.held = nil
	}
}

// Clear removes the visits of the session: it is over, or another user's. If the session was renewed after all,
// each list is saved again as if for the first time.
func (c *Cache) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.folder == nil {
		return
	}
	c.folder.Close()
	c.folder, c.key = nil, ""
	c.endings++
	for _, list := range c.lists {
		list.due, list.at, list.version, list.soon = time.Time{}, time.Time{}, "", false
	}
}

// Failed returns why the last save failed; nil if it did not.
func (c *Cache) Failed() error { return c.failed }

// Len returns how many lists are saved.
func (c *Cache) Len() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.lists)
}
