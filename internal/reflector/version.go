package reflector

import "watchglass/internal/wire"

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
