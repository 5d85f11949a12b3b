package problems

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"watchglass/internal/hub/source"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/port"
	"watchglass/internal/problem"
	"watchglass/internal/reflector"
	"watchglass/internal/series"
	"watchglass/internal/wire"
)

// Kind is the kind of a row in the list of problems. No server has it.
var Kind = object.Kind{Version: "v1", Resource: port.Problems, Name: "Problem", Singular: "problem", Namespaced: true}

// Host is what a Board needs of its cluster. Any goroutine may call it.
type Host interface {
	// Find returns a kind by its ID.
	Find(resource string) (object.Kind, bool)
	// Lease leases the list of a kind in a namespace; "" is the whole cluster, or as much of it as
	// the proxy serves.
	Lease(kind object.Kind, namespace string) *source.Lease
	Link() informer.Link
	// Discovered reports whether it is known which kinds the server has.
	Discovered() bool
	// Minor returns the server's minor version; 0 if it is not known.
	Minor() int
	// Changed reports that the overview may have changed. It must not block.
	Changed()
}

// Board finds the problems of one cluster, while at least one stream of it is open. Its methods may
// be called from any goroutine.
type Board struct {
	host Host

	mu         sync.Mutex
	open       bool
	complete   bool // the first sources are leased, and what they held has been drained
	settled    bool // since then, all lists that can be read were complete and drained at once
	unread     bool // the engine has changes that have not been drained
	waits      bool // the engine waits for what may turn out to be a problem, as of the last drain
	engine     *problem.Engine
	sources    []*feed
	kinds      []string                  // read besides those of the rules
	namespaces map[any][]string          // listed one by one where the whole cluster may not be listed, by who named them
	version    int                       // of the last row sent
	history    map[string]*series.Series // by a total's name
	drained    time.Time                 // when nothing was left to read
	// since when the lists are current that a total rests on, by its name; "" is all lists.
	currentSince map[string]time.Time
	heard        map[string]time.Time // the last sign of life of each kind's lists while they were current
	notify       chan struct{}        // holds one: the engine may have something new
}

// New returns a Board that reads nothing until a stream is open.
func New(h Host) *Board {
	return &Board{host: h, namespaces: make(map[any][]string), history: make(map[string]*series.Series), currentSince: make(map[string]time.Time), heard: make(map[string]time.Time), notify: make(chan struct{}, 1)}
}

// SetNamespaces sets the namespaces that somebody wants to be read if the user may not list the whole
// cluster. All that anybody wants are read; without any, what somebody wanted is forgotten.
func (b *Board) SetNamespaces(who any, names []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if slices.Equal(names, b.namespaces[who]) {
		return
	}
	if b.namespaces[who] = slices.Clone(names); len(names) == 0 {
		delete(b.namespaces, who)
	}
	b.wake()
}

// SetKinds sets the kinds to read besides those of the rules, by ID. Their conditions say what is
// wrong.
func (b *Board) SetKinds(ids []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !slices.Equal(ids, b.kinds) {
		b.kinds = slices.Clone(ids)
		b.wake()
	}
}

// resources returns the kinds to read.
func (b *Board) resources() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := slices.Clip(problem.Resources())
	for _, id := range b.kinds {
		if !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return all
}

// Open opens the stream of rows. The informer of the list opens one at a time, and always from the
// start: what a closed stream had sent is not kept.
func (b *Board) Open(_ context.Context, r wire.Request) (reflector.Stream, error) {
	if r.Verb != wire.Watch || !r.SendInitialEvents {
		return nil, errNotKept
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open {
		return nil, errOpen
	}
	b.open, b.complete, b.settled = true, false, false
	clear(b.heard)
	clear(b.currentSince)
	b.drained = time.Time{}
	b.engine = problem.New(problem.Options{ServerMinor: b.host.Minor, Lookup: b.host.Find, Synced: b.synced})
	return &stream{board: b}, nil
}

// The engine reads readAtOnce objects at a time, and pauses after readFor, so that a thousand broken
// ones do not hold up the tab: each takes some 0.1 ms there.
const (
	readAtOnce = 20
	readFor    = 8 * time.Millisecond
)

var (
	errNotKept = &wire.Status{Origin: wire.FromTab, Code: 410, Reason: wire.ReasonExpired, Message: "the list of problems has no older versions"}
	errOpen    = &wire.Status{Origin: wire.FromTab, Code: 503, Message: "the list of problems is already being read"}
)

// close releases the sources, which linger.
func (b *Board) close() {
	b.mu.Lock()
	sources := b.sources
	for _, f := range sources {
		f.closed = true
	}
	b.open, b.complete, b.settled, b.sources, b.engine = false, false, false, nil, nil
	b.mu.Unlock()
	for _, f := range sources { // without the lock: a change that is being applied waits for it
		f.Unsubscribe(f.sub)
		f.Release()
	}
}

// About returns the rows that are about an object, worst first.
func (b *Board) About(resource, namespace, name string) (all []problem.Row) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, r := range b.rows() {
		if r.Resource == resource && r.Namespace == namespace && r.Name == name {
			all = append(all, r)
		}
	}
	slices.SortFunc(all, func(x, y problem.Row) int {
		return cmp.Or(strings.Compare(string(x.Severity), string(y.Severity)), strings.Compare(x.Reason, y.Reason)) // "failed" before "warning"
	})
	return all
}

// wake lets the stream look again.
func (b *Board) wake() {
	select {
	case b.notify <- struct{}{}:
	default:
	}
}

// idle returns how long nothing can change by time alone, at most lookEvery.
func (b *Board) idle(now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.engine == nil {
		return lookEvery
	}
	if due := b.engine.Due(); !due.IsZero() {
		return max(gatherFor, min(lookEvery, due.Sub(now)))
	}
	return lookEvery
}

// rows returns the rows that there are. The caller holds the lock.
func (b *Board) rows() map[string]problem.Row {
	if b.engine == nil {
		return nil
	}
	return b.engine.Rows()
}

// read has the engine read for a while, and reports whether objects are left.
func (b *Board) read() (left bool) {
	for began := time.Now(); time.Since(began) < readFor; {
		b.mu.Lock()
		left = b.engine != nil && b.engine.Read(began, readAtOnce)
		b.mu.Unlock()
		if !left {
			return false
		}
	}
	return true
}

// drain returns the rows that changed, and those that are gone.
func (b *Board) drain(now time.Time) (changed, gone []problem.Row) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.engine == nil {
		return nil, nil
	}
	changed, gone = b.engine.Changed(now)
	due := b.engine.Due()
	left := !due.IsZero() && !due.After(now)
	switch {
	case left:
		b.wake()
	case b.unread && !b.settled:
		b.host.Changed() // the rows may be complete now
	}
	if waits := b.engine.Waits(); waits != b.waits {
		b.waits = waits
		b.host.Changed()
	}
	if b.unread = left; !left {
		b.drained, b.complete = now, true
	}
	return changed, gone
}
