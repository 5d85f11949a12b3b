package reflector

import (
	"errors"
	"strconv"

	"watchglass/internal/wire"
)

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
