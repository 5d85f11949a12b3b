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
	"watchglass/internal/problem/kinds"
	"watchglass/internal/reflector"
	"watchglass/internal/series"
	"watchglass/internal/sorting"
	"watchglass/internal/wire"
)

// Kind is the kind of a row in the list of problems. No server has it.
var Kind = object.Kind{Version: "v1", Resource: port.Problems, Name: "Problem", Singular: "problem", Namespaced: true}

// Host is what a Monitor needs of its cluster. Any goroutine may call it.
type Host interface {
	// Find returns a kind by its ID. It does not find a kind whose objects the tab makes itself, such as Kind.
	Find(resource string) (object.Kind, bool)
	// Kinds returns the kinds that the server has.
	Kinds() []object.Kind
	// Lease leases the list of a kind in a namespace; "" is the whole cluster, or as much of it as
	// the proxy serves.
	Lease(kind object.Kind, namespace string) *source.Lease
	Link() informer.Link
	// Restore gives objects of a list back the bodies that they have lost, as far as they can be read, and
	// then calls done. It does not block.
	Restore(list *source.Lease, kind object.Kind, objects []*object.Object, done func(error))
	// Awaits reports whether a kind that is not found may turn out to be served, and why that is not
	// known if an API server does not respond.
	Awaits(resource string) (awaits bool, cause string)
	// Minor returns the server's minor version; 0 if it is not known.
	Minor() int
	// Recorded reports whether the cluster is a recording, or a moment of the past.
	Recorded() bool
	// LeftOut reports whether the cluster is a recording that may lack the objects of a namespace.
	LeftOut(namespace string) bool
	// Now returns the time in the cluster, which may be the past.
	Now() time.Time
	// Changed reports that the overview may have changed. It must not block.
	Changed()
}

// Monitor finds the problems of one cluster, while at least one stream of it is open. Its methods may
// be called from any goroutine.
type Monitor struct {
	host Host

	mu       sync.Mutex
	engine   *problem.Engine // nil: no stream is open
	readings []*reading
	wants    map[any]Wants             // by who wants it
	wanting  int                       // counts the changes of wants
	restarts bool                      // the engine is of another time
	version  int                       // of the last row sent
	history  map[string]*series.Series // by a total's name
	notify   chan struct{}             // holds one: the engine may have something new
}

// Wants is what one page wants the Monitor to read. The Monitor reads what any page wants.
type Wants struct {
	Kinds      []string // besides those of the rules, by ID: their conditions say what is wrong
	Namespaces []string // one by one, where the whole cluster may not be listed
}

// New returns a Monitor that reads nothing until a stream is open.
func New(h Host) *Monitor {
	return &Monitor{host: h, wants: make(map[any]Wants), history: make(map[string]*series.Series), notify: make(chan struct{}, 1)}
}

// Restart finds the problems anew, since time has jumped: rules, ages and sparklines rest on what came before.
func (m *Monitor) Restart() {
	m.mu.Lock()
	m.restarts = m.engine != nil
	clear(m.history)
	m.mu.Unlock()
	m.wake()
}

// restarting reports, once, that problems have to be found anew.
func (m *Monitor) restarting() (was bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	was, m.restarts = m.restarts, false
	return was
}

// Want replaces what a page wants. A page that wants nothing is forgotten.
func (m *Monitor) Want(who any, w Wants) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := m.wants[who]
	if slices.Equal(w.Kinds, before.Kinds) && slices.Equal(w.Namespaces, before.Namespaces) {
		return
	}
	m.wanting++
	m.wants[who] = Wants{slices.Clone(w.Kinds), slices.Clone(w.Namespaces)}
	if len(w.Kinds)+len(w.Namespaces) == 0 {
		delete(m.wants, who)
	}
	m.wake()
}

// wanted returns the kinds and the namespaces that anybody wants. The caller holds the lock.
func (m *Monitor) wanted() (all Wants) {
	for _, w := range m.wants {
		all.Kinds, all.Namespaces = append(all.Kinds, w.Kinds...), append(all.Namespaces, w.Namespaces...)
	}
	slices.Sort(all.Kinds)
	slices.Sort(all.Namespaces)
	return Wants{slices.Compact(all.Kinds), slices.Compact(all.Namespaces)}
}

// resources returns the kinds to read, by ID. The caller holds the lock.
func (m *Monitor) resources() []string {
	all := slices.Clip(kinds.Resources())
	for _, id := range m.wanted().Kinds {
		if !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return all
}

// Open opens the stream of rows. The informer of the list opens one at a time, and always from the
// start: what a closed stream had sent is not kept.
func (m *Monitor) Open(_ context.Context, r wire.Request) (reflector.Stream, error) {
	if r.Verb != wire.Watch || !r.SendInitialEvents {
		return nil, errNotKept
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.engine != nil {
		return nil, errOpen
	}
	m.engine = problem.New(problem.Options{ServerMinor: m.host.Minor, Lookup: m.host.Find, Synced: m.synced, Recorded: m.host.Recorded(), LeftOut: m.host.LeftOut})
	return &stream{monitor: m}, nil
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

// close releases the lists, which linger.
func (m *Monitor) close() {
	m.mu.Lock()
	readings := m.readings
	m.readings, m.engine = nil, nil
	m.mu.Unlock()
	for _, r := range readings { // without the lock: a change that is being applied waits for it
		for _, f := range r.inputs() {
			f.end()
		}
	}
}

// About returns the rows that are about an object, worst first.
func (m *Monitor) About(resource, namespace, name string) (all []problem.Row) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, r := range m.rows() {
		if r.Resource == resource && r.Namespace == namespace && r.Name == name {
			all = append(all, r)
		}
	}
	sorting.By(all, func(x, y problem.Row) int {
		return cmp.Or(strings.Compare(string(x.Severity), string(y.Severity)), strings.Compare(x.Reason, y.Reason)) // "failed" before "warning"
	})
	return all
}

// UsedAgain returns when a stored revision was seen to be used again; 0 if nobody saw that.
func (m *Monitor) UsedAgain(resource, namespace, name string) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.engine == nil {
		return 0
	}
	return m.engine.UsedAgain(resource, namespace, name)
}

// wake lets the stream look again.
func (m *Monitor) wake() {
	select {
	case m.notify <- struct{}{}:
	default:
	}
}

// idle returns how long nothing can change by time alone, at most lookEvery.
func (m *Monitor) idle() time.Duration {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.engine == nil {
		return lookEvery
	}
	if due := m.engine.Due(); !due.IsZero() {
		return max(gatherFor, min(lookEvery, due.Sub(m.host.Now())))
	}
	return lookEvery
}

// rows returns the rows that there are. The caller holds the lock.
func (m *Monitor) rows() map[string]problem.Row {
	if m.engine == nil {
		return nil
	}
	return m.engine.Rows()
}

// read has the engine read for a while, and reports whether objects are left.
func (m *Monitor) read() (left bool) {
	at := m.host.Now()
	for began := time.Now(); time.Since(began) < readFor; {
		m.mu.Lock()
		left = m.engine != nil && m.engine.Read(at, readAtOnce)
		m.mu.Unlock()
		if !left {
			return false
		}
	}
	return true
}

// drain returns the rows that changed, and those that are gone.
func (m *Monitor) drain(now time.Time) (changed, gone []problem.Row) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.engine == nil {
		return nil, nil
	}
	m.refresh(now)
	at := m.host.Now()
	changed, gone = m.engine.Changed(at)
	for _, r := range m.readings {
		r.judged(m.engine.Lost(r.resource))
		r.drained(m.engine.Queued(r.resource))
	}
	if due := m.engine.Due(); !due.IsZero() && !due.After(at) {
		m.wake()
	}
	return changed, gone
}
