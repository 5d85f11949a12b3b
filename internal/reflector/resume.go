package reflector

import (
	"context"
	"errors"
	"iter"
	"strconv"
	"sync"
	"time"

	"watchglass/internal/wire"
)

// position is how far the source was followed.
type position struct {
	version      string // the last of which something was handed to the sink
	before       string // the one before it, if more may follow at version; else empty
	newest       string // what the server had when it was verified; empty once the store has it
	availability availability
}

// reach notes the version of an event. If objects expire, many may be deleted at one version, and a watch may end between
// two of them. A watch from the version before repeats what is no news.
func (p *position) reach(t wire.EventType, version string, expire bool) {
	switch {
	case version == p.version, p.before != "" && older(version, p.version):
		return
	case expire && t == wire.Deleted && older(p.version, version):
		p.before = p.version
	default:
		p.before = ""
	}
	p.version = version
}

// complete returns the last version of which nothing is missing. From there, a watch may repeat deletions.
func (p *position) complete() string {
	if p.before != "" {
		return p.before
	}
	return p.version
}

// repeated returns the version whose deletions a watch from there repeats; empty if it repeats none.
func (p *position) repeated() string {
	if p.before == "" {
		return ""
	}
	return p.version
}

// expires reports whether the server deletes objects when their time is over, many at one version: events only.
func (r *Reflector[T]) expires() bool { return r.options.Request.Resource == "events" }

// availability is whether the server can go on from a version.
type availability uint8

const (
	// available: it can, as far as is known.
	available availability = iota
	// unavailable: it no longer has the version, or not yet. The next list may be of any version.
	unavailable
	// rewound: it has another history, which State.Rewinds has counted. The next list may be of
	// any version.
	rewound
)

// least returns the lowest version that the next list may have: the one that was reached, if it
// is available. Empty is the newest version there is, read by quorum.
func (p *position) least() string {
	if p.availability != available {
		return ""
	}
	return p.version
}

// listed sets the position to the version of a complete list. It reports whether that is older
// than the one before, which means that the server was rewound and nothing else noticed.
func (p *position) listed(version string) (back bool) {
	back = older(version, p.version) && p.availability != rewound
	*p = position{version: version}
	return back
}

// behind reports whether the version of a list is older than it had to be.
func (p *position) behind(version string) bool {
	return p.availability == available && older(version, p.version)
}

// errBehind is a list that had to be as new as the version that was reached, and is older: a replica
// with an older cache sent it, or a server that went back. Its objects replace nothing. The next
// list may be of any version, and is read by quorum.
var errBehind = &wire.Status{Origin: wire.FromTab, Causes: []string{wire.CauseVersionTooLarge}, Message: "the list is older than requested"}

// versionGone returns errRelist if the server does not have the version that was requested, so
// that the next list may be of any version. If that was requested already, it returns err.
func (r *Reflector[T]) versionGone(err error) error {
	status := wire.StatusOf(err)
	if status == nil || !status.Expired() && !status.VersionTooLarge() {
		return err
	}
	if r.position.availability != available {
		return err
	}
	r.position.availability = unavailable
	if status.VersionTooLarge() {
		r.options.Checks.Renewed() // it may have gone back
	}
	return listAgain(err)
}

// older reports whether a version is older than another. It is false unless both are numbers, as
// the apiserver's are.
func older(a, b string) bool {
	if !isNumber(a) || !isNumber(b) {
		return false
	}
	return len(a) < len(b) || len(a) == len(b) && a < b
}

func isNumber(v string) bool {
	for i := range len(v) {
		if v[i] < '0' || v[i] > '9' {
			return false
		}
	}
	return v != "" && v[0] != '0'
}

// A watch that is resumed brings first what happened meanwhile: its backlog. Until that is in the
// store, the objects are older than what the server has answered, and the source is not live. The
// backlog ends with the version that the server had when it was verified. A kind in which nothing
// happens does not reach that version, so it also ends when nothing more comes. The next watch goes
// on with a backlog if the server ends the watch, as it does if that is read too slowly.

// backlog is what a resumed watch brings before it is live. A nil one is read.
type backlog struct {
	newest string        // the version that the server had
	over   chan struct{} // closed once it is read

	mu              sync.Mutex
	handed, applied int           // batches that the sink was given, and that are in the store
	last            int           // how many were handed over when newest was reached; -1 until then
	quiet           time.Duration // how long nothing has come, with all of it in the store
	stalled         bool          // the last wait took much longer than it should
}

func newBacklog(newest string) *backlog {
	return &backlog{newest: newest, over: make(chan struct{}), last: -1}
}

// await waits until the backlog is read, or the context ends.
func (b *backlog) await(ctx context.Context) {
	if b == nil {
		return
	}
	select {
	case <-b.over:
	case <-ctx.Done():
	}
}

// handOver notes a batch. The function that it returns has to be called when that is in the store.
func (b *backlog) handOver() (applied func()) {
	if b == nil {
		return func() {}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.handed++
	b.quiet, b.stalled = 0, false
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.applied++
	}
}

// reached reports whether all up to the version that the server had is in the store.
func (b *backlog) reached(version string) bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last < 0 && !older(version, b.newest) {
		b.last = b.handed
	}
	return b.last >= 0 && b.applied >= b.last
}

// silent notes that nothing came during a wait of pauseStep, and reports whether that has been so for a
// while. A wait does not count while the server may be waiting for credit, or if it is the first that took
// much longer: a tab has one thread, and what came meanwhile may not have been read. If all waits take that
// long, they have to be as many as for the longest pause.
func (b *backlog) silent(waited, pause time.Duration) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	again := b.stalled
	b.stalled = waited > 2*pauseStep
	if b.applied != b.handed || b.stalled && !again {
		b.quiet = 0
		return false
	}
	if b.stalled {
		pause = pauseMost
	}
	b.quiet += pauseStep
	return b.quiet >= pause
}

// step returns how long to wait for more of a backlog before looking at it again.
func (b *backlog) step() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.last >= 0 {
		return applyStep
	}
	return pauseStep
}

// After a backlog, nothing comes for half the time that it has been coming, but for pauseLeast at least and
// pauseMost at most. It is waited for in steps.
const (
	pauseLeast = 150 * time.Millisecond
	pauseMost  = 3 * time.Second
	pauseStep  = 50 * time.Millisecond
	// applyStep is how often the store is looked at that has yet to apply the end of a backlog.
	applyStep = 5 * time.Millisecond
)

// errPaused ends a wait for more of a backlog.
var errPaused = errors.New("nothing more comes")

// pause returns how long nothing comes once the backlog of a watch is read.
func (w *watching) pause() time.Duration {
	if w.events == 0 {
		return pauseLeast
	}
	return min(max(pauseLeast, w.last.Sub(w.first)/2), pauseMost)
}

// caughtUp ends the backlog: the watch is live.
func (r *Reflector[T]) caughtUp(w *watching) {
	close(w.backlog.over)
	w.backlog, r.position.newest = nil, ""
	r.setPhase(Watching)
}

// A version counts all that is written to a server, of every kind. A Tally says how much of that was of one
// source, so it tells how long a backlog is before it is read.

// Tally is how many changes of a source came since a version.
type Tally struct {
	Since   string
	Changes int
}

const (
	// tallySpan is how many versions a Tally has to span before it tells anything.
	tallySpan = 1000
	// shortBacklog is how many changes are read even if there are fewer objects.
	shortBacklog = 1000
	// changeCosts is how much longer it takes to read a change than an object of a list, as the soak has measured.
	changeCosts = 1.5
)

// errOutrun is a watch that would take longer to bring all changes than a list takes.
var errOutrun = errors.New("so much has changed since the last version that a list is faster")

// expect returns how many changes there are between two versions, or 0 if that is unknown.
func (t Tally) expect(version, newest string) float64 {
	span := distance(t.Since, version)
	if span < tallySpan {
		return 0
	}
	return float64(t.Changes) / span * distance(version, newest)
}

// outrun reports whether a list is faster than the backlog of a watch from the version that was reached.
func (r *Reflector[T]) outrun() bool {
	expected := r.tally.expect(r.position.version, r.position.newest)
	return r.learned.held == nothing && expected > shortBacklog && changeCosts*expected > float64(r.lastList.objects)
}

// overtake prepares the list instead of the backlog. It has to be as new as the server was when it was asked. After
// an outage that a comparison would follow, no object of it counts as known: that server may have another history.
func (r *Reflector[T]) overtake(err error) error {
	r.position.version = r.position.newest
	if r.identity.auditDue {
		r.options.Checks.Renewed()
	}
	return listAgain(err)
}

// noteChange counts a change, and with it the objects.
func (r *Reflector[T]) noteChange(t wire.EventType) {
	r.tally.Changes++
	switch t {
	case wire.Added:
		r.lastList.objects++
	case wire.Deleted:
		r.lastList.objects--
	}
}

// recount replaces the tally.
func (r *Reflector[T]) recount(t Tally) {
	r.tally = t
	r.change(func(s *State) { s.Tally = t })
}

// distance returns by how much a version is older than another, or 0 if that is unknown.
func distance(a, b string) float64 {
	if !older(a, b) {
		return 0
	}
	from, err := strconv.ParseUint(a, 10, 64)
	to, also := strconv.ParseUint(b, 10, 64)
	if err != nil || also != nil {
		return 0
	}
	return float64(to - from)
}

// Earlier is the saved result of an earlier run.
type Earlier[T any] struct {
	// Objects yields every object at Version. After an error, the reflector lists as usual.
	Objects iter.Seq2[T, error]
	Version string
	At      time.Time // when the server last had them
	Cluster string    // unique name of their cluster; "" if unknown
	Tally   Tally     // of that run
}

// restore fills the sink from an earlier run, and resumes the watch from its version. State.AsOf is set
// until that watch opens. Nothing of the watch is read before the server has said which version and which
// cluster it has, since this run has not met it yet. If the version has expired, or the server is another
// one or was rewound, it lists.
func (r *Reflector[T]) restore(ctx context.Context) runState {
	r.restored = true
	earlier, ok := r.options.Earlier(ctx)
	if !ok || ctx.Err() != nil {
		return starting{}
	}
	r.change(func(s *State) { s.AsOf, s.Restored, s.Cluster = earlier.At, true, earlier.Cluster })
	c := r.collect()
	c.asOf = earlier.At
	for obj, err := range earlier.Objects {
		if err != nil || ctx.Err() != nil {
			if c.objects == 0 { // else those that were read stay marked as saved, and go if the list is refused
				r.change(func(s *State) { s.AsOf = time.Time{} })
			}
			return starting{}
		}
		c.add(wire.Added, obj)
	}
	c.done(earlier.Version)
	r.recount(earlier.Tally)
	r.lastList.unfollowed = false // that the user may list is yet to be seen
	r.contact.seen = earlier.At
	r.contact.raise(broken)
	r.identity = identity{asked: earlier.Cluster != "", cluster: earlier.Cluster}
	return opening{watches{opened: 1}}
}

// unconfirmed reports whether the objects are those of an earlier run, to which this server has not
// answered yet.
func (r *Reflector[T]) unconfirmed() bool { return !r.State().AsOf.IsZero() }
