package reflector

import (
	"context"
	"errors"
	"io"
	"iter"
	"strconv"
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

// resumeVersion returns the last version of which nothing is missing. From there, a watch may repeat deletions.
func (p *position) resumeVersion() string {
	if p.before != "" {
		return p.before
	}
	return p.version
}

// repeatedVersion returns the version whose deletions a watch from there repeats; empty if it repeats none.
func (p *position) repeatedVersion() string {
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

// minVersion returns the lowest version that the next list may have: the one that was reached, if it
// is available. Empty is the newest version there is, read by quorum.
func (p *position) minVersion() string {
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

// errShort is a watch that ended at once, with nothing.
var errShort = errors.New("the watch ended at once")

// errIdle is a watch on which nothing comes any more, not even bookmarks.
var errIdle = errors.New("no events or bookmarks for too long")

// errBroken is a watch whose connection broke. Everything that came of it is complete, but the
// next answer may come from another server.
var errBroken = errors.New("the watch was interrupted")

// ending is how a watch ended, or why it could not be opened.
type ending uint8

const (
	// The next watch is opened at once.
	closedByServer ending = iota
	connectionLost        // its connection broke
	wentIdle              // not even bookmarks came
	notAnswered           // it was not answered, the first time
	disconnected          // the tab lost its connection; Open waits for the next

	// The list is fetched again at once.
	historyChanged // another server answers, or it was rewound
	storeDiffers   // an audit found a difference
	versionExpired // the version is no longer kept
	backlogTooLong // a list is faster
	unresumable    // another error that is not a Status

	// The next watch is opened after a wait, unless this goes on.
	closedAtOnce      // with nothing
	resourceMissing   // there is no such resource
	cacheMissing      // the server has no cache of the resource
	notAllowed        // the user may not watch, or nobody may
	failedAtGateway   // something on the way failed it, or never answered it
	failedTemporarily // on the way, or for a while; a list would not help

	// The list is fetched again after a wait.
	failedPermanently
)

// endingOf classifies the error of a watch. The order matters if an error matches several cases: the
// Reflector's own errors come before the Status that they wrap.
func (r *Reflector[T]) endingOf(err error) ending {
	status := wire.StatusOf(err)
	switch {
	case errors.Is(err, errShort):
		return closedAtOnce
	case errors.Is(err, io.EOF):
		return closedByServer
	case errors.Is(err, errBroken):
		return connectionLost
	case errors.Is(err, errIdle):
		return wentIdle
	case unanswered(status) && r.server.buffering == notBuffered:
		return notAnswered
	case isHistoryError(err):
		return historyChanged
	case errors.As(err, new(difference)):
		return storeDiffers
	case errors.Is(err, errBacklogTooLong):
		return backlogTooLong
	case errors.Is(err, errRelist), status == nil:
		return unresumable
	}
	return endingOfStatus(status)
}

// endingOfStatus classifies a Status that came instead of a watch.
func endingOfStatus(status *wire.Status) ending {
	fromServer := status.Origin == wire.FromAPIServer
	switch {
	case status.Expired():
		return versionExpired
	case status.Origin == wire.FromSocket && status.Transient():
		return disconnected
	case status.NotFound():
		return resourceMissing
	case status.TooManyRequests() && !status.Throttled():
		return cacheMissing
	case status.Denied() && !status.Unauthorized(), status.Unwatchable():
		return notAllowed
	case unanswered(status), byGateway(status):
		return failedAtGateway
	case !fromServer, status.Transient(), status.TooManyRequests(), status.Unauthorized():
		return failedTemporarily
	}
	return failedPermanently
}

// noteEnding notes what the end of a watch says about the server, and reports the endings that no
// wait reports.
func (r *Reflector[T]) noteEnding(how ending, err error) {
	if errors.Is(err, errBroken) || errors.Is(err, errIdle) {
		r.contact.raise(broken)
	}
	r.server.watchEnded(how)
	switch how {
	case wentIdle:
		r.change(func(s *State) { s.Idles++ })
	case connectionLost, notAnswered:
	default:
		return
	}
	r.options.Failed(err)
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

// errBacklogTooLong is a watch that would take longer to bring all changes than a list takes.
var errBacklogTooLong = errors.New("so much has changed since the last version that a list is faster")

// expect returns how many changes there are between two versions, or 0 if that is unknown.
func (t Tally) expect(version, newest string) float64 {
	span := distance(t.Since, version)
	if span < tallySpan {
		return 0
	}
	return float64(t.Changes) / span * distance(version, newest)
}

// listIsFaster reports whether a list is faster than the backlog of a watch from the version that was reached.
func (r *Reflector[T]) listIsFaster() bool {
	expected := r.tally.expect(r.position.version, r.position.newest)
	return r.server.buffering == notBuffered && expected > shortBacklog && changeCosts*expected > float64(r.lastList.objects)
}

// skipBacklog prepares the list instead of the backlog. It has to be as new as the server was when it was asked. After
// an outage that a comparison would follow, no object of it counts as known: that server may have another history.
func (r *Reflector[T]) skipBacklog(err error) error {
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

// restore fills the sink from an earlier run, and reports whether the watch resumes from its version.
// State.AsOf is set until that watch opens. Nothing of the watch is read before the server has said which
// version and which cluster it has, since this run has not met it yet. If the version has expired, or the
// server is another one or was rewound, it lists.
func (r *Reflector[T]) restore(ctx context.Context) (resumes bool) {
	r.restored = true
	earlier, ok := r.options.Earlier(ctx)
	if !ok || ctx.Err() != nil {
		return false
	}
	r.change(func(s *State) { s.AsOf, s.Restored, s.Cluster = earlier.At, true, earlier.Cluster })
	c := r.newCollector()
	c.asOf = earlier.At
	for obj, err := range earlier.Objects {
		if err != nil || ctx.Err() != nil {
			if c.objects == 0 { // else those that were read stay marked as saved, and go if the list is refused
				r.change(func(s *State) { s.AsOf = time.Time{} })
			}
			return false
		}
		c.add(wire.Added, obj)
	}
	c.done(earlier.Version)
	r.tally = earlier.Tally
	r.change(func(s *State) { s.Tally = r.tally })
	r.lastList.unwatched = false // that the user may list is yet to be seen
	r.contact.seen = earlier.At
	r.contact.raise(broken)
	r.identity = identity{clusterAsked: earlier.Cluster != "", cluster: earlier.Cluster}
	return true
}

// unconfirmed reports whether the objects are those of an earlier run, to which this server has not
// answered yet.
func (r *Reflector[T]) unconfirmed() bool { return !r.State().AsOf.IsZero() }
