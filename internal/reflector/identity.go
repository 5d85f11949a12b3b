package reflector

import (
	"context"
	"errors"
	"time"

	"watchglass/internal/wire"
)

// doubt is how likely it is that the server that answers is not the one that was followed: it
// may have been restored from a backup, or replaced by another. Such a server accepts a watch
// from any version, and says nothing of what it never had.
type doubt uint8

const (
	// sure: the watch ended as watches do, and the next was accepted.
	sure doubt = iota
	// lagging: nothing speaks against the server, but much may have happened that the next watch has to bring. The
	// server is asked for its version only, and the watch goes on without an answer.
	lagging
	// broken: the connection broke, or the watch fell silent. The server is asked for its
	// version and its name, which costs it next to nothing.
	broken
	// outage: the apiserver could not be reached, or was out of sight long enough to be restored
	// and to overtake the version that was reached. One exact comparison follows the resume.
	outage
)

// How long the apiserver may be out of sight before that raises a doubt. A socket that went
// silent and was dialed again does not.
const (
	brokenAfter = 3 * wire.DeadAfter / 2
	outageAfter = time.Minute
)

// contact is when the apiserver was last heard, and the doubt that it is still the same one.
type contact struct {
	doubt doubt
	seen  time.Time // zero until a watch has ended
}

// raise makes the doubt at least as large as d.
func (c *contact) raise(d doubt) { c.doubt = max(c.doubt, d) }

// confirm ends the doubt: the server is the one that was followed.
func (c *contact) confirm(now time.Time) { c.doubt, c.seen = sure, now }

// heard notes that the apiserver answered.
func (c *contact) heard(now time.Time) {
	if !c.seen.IsZero() {
		c.seen = now
	}
}

// note notes what an error says of the apiserver: that it is there, or that it was not.
func (c *contact) note(status *wire.Status, now time.Time) {
	switch {
	case status.Transient() && status.Origin != wire.FromSocket:
		c.doubt = outage
	case status.Origin == wire.FromAPIServer:
		c.heard(now)
	}
}

// noteSilence raises the doubt if the apiserver has been out of sight for too long.
func (c *contact) noteSilence(now time.Time) {
	switch silent := away(c.seen, now); {
	case silent > outageAfter:
		c.raise(outage)
	case silent > brokenAfter:
		c.raise(broken)
	}
}

// away returns how long the apiserver was out of sight, by whichever clock says more: the
// monotonic one may stand still while a machine sleeps.
func away(seen, now time.Time) time.Duration {
	if seen.IsZero() {
		return 0
	}
	return max(now.Sub(seen), now.Round(0).Sub(seen.Round(0)))
}

// identity is what is known of the server that the last list came from, and what is still to be
// checked. The background of an open watch owns it; while there is none, the run does.
type identity struct {
	clusterAsked bool   // for the name of the cluster
	cluster      string // that name; empty if nobody could say
	auditDue     bool   // the store has to be compared with the server, once
}

// mustVerify reports whether the server that accepted a watch may be another than the one that was
// followed. It first notes how long that one was out of sight.
func (r *Reflector[T]) mustVerify(now time.Time) bool {
	r.contact.noteSilence(now)
	return r.contact.doubt != sure && r.position.version != ""
}

// verify asks the server whether it still has the version that was reached, and which cluster it
// is. If it is another, or was rewound, the next list may be of any version. If so much has changed that a
// list is faster, it returns errBacklogTooLong.
func (r *Reflector[T]) verify(ctx context.Context) error {
	err := r.probe(ctx)
	if r.contact.doubt == lagging && !isHistoryError(err) {
		err = nil // without an answer, the watch goes on without a backlog
	} else if err == nil {
		err = r.sameCluster(ctx)
	}
	if err != nil {
		return err
	}
	r.identity.auditDue = r.identity.auditDue || r.contact.doubt == outage
	r.contact.confirm(time.Now())
	if r.listIsFaster() {
		return errBacklogTooLong
	}
	return nil
}

// historyError is an error that leads to a new list, of which no object counts as known.
type historyError string

func (e historyError) Error() string { return string(e) }

const (
	errRewound      historyError = "the server went back to before the version that was reached"
	errOtherCluster historyError = "another cluster answers"
	errOtherHistory historyError = "the server has another history than the one that was followed"
)

// isHistoryError reports that an error is one of these.
func isHistoryError(err error) bool {
	var another historyError
	return errors.As(err, &another)
}

// requiresList reports that an error of a check makes the source list again.
func requiresList(err error) bool { return isHistoryError(err) || errors.As(err, new(difference)) }

// newHistory returns errRelist for a list of another history: it may be of any version, and none of its
// objects is the same as one that was decoded before.
func (r *Reflector[T]) newHistory(err error) error {
	r.position.availability = rewound
	r.change(func(s *State) { s.Rewinds++; s.Err = err })
	r.options.Checks.Renewed()
	return listAgain(err)
}

// probeWithin is how long a probe may take.
const probeWithin = 10 * time.Second

// probe asks for the newest version, with a list of one object: that is read by quorum, so no
// replica that is behind answers with less. A list that is NotOlderThan the version that was
// reached would ask the same, but a server that went back takes three seconds to answer it.
func (r *Reflector[T]) probe(ctx context.Context) error {
	version, err := r.newestVersion(ctx)
	switch {
	case err == nil && older(version, r.position.version):
		return errRewound
	case err == nil:
		r.position.newest = version
		return nil
	}
	r.position.newest = ""
	if retryable(err) || ctx.Err() != nil || wire.StatusOf(err) == nil {
		return err
	}
	return nil // it may not be asked; what the watch says has to do
}

// newestVersion returns the newest version that the server has.
func (r *Reflector[T]) newestVersion(ctx context.Context) (string, error) {
	r.change(func(s *State) { s.Probes++ })
	probing, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	meta, err := r.readPage(probing, r.request(wire.List, wire.ListOptions{Limit: 1}), func([]byte) error { return nil })
	return meta.ResourceVersion, inTime(ctx, probing, err)
}

// inTime returns a Status if the error is that the answer did not come in time.
func inTime(ctx, within context.Context, err error) error {
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		return &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "the apiserver did not identify itself in time"}
	}
	return err
}

// sameCluster asks which cluster answers, if it is known which one was followed.
func (r *Reflector[T]) sameCluster(ctx context.Context) error {
	was := r.identity.cluster
	if was == "" {
		return nil
	}
	name, err := r.clusterName(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case retryable(err):
		return err
	case err != nil:
		return nil // it may not be read any more: State says so
	case name != was:
		return errOtherCluster
	}
	return nil
}

// retryable reports that the same question may be answered later.
func retryable(err error) bool {
	status := wire.StatusOf(err)
	return status != nil && (status.Transient() || status.TooManyRequests())
}

// errNoCluster is why the name is unknown where there is nothing to ask with.
var errNoCluster = errors.New("nobody here can ask for the cluster's name")

// clusterName asks for the cluster's name. State says what came of it.
func (r *Reflector[T]) clusterName(ctx context.Context) (name string, err error) {
	err = errNoCluster
	if r.options.Checks.Cluster != nil {
		asking, cancel := context.WithTimeout(ctx, probeWithin)
		defer cancel()
		name, err = r.options.Checks.Cluster(asking)
		err = inTime(ctx, asking, err)
	}
	r.change(func(s *State) { s.Cluster, s.Unchecked = name, err })
	return name, err
}

// identifyCluster asks which cluster the list came from, until that is answered or refused.
func (r *Reflector[T]) identifyCluster(ctx context.Context) {
	if r.identity.clusterAsked {
		return
	}
	name, err := r.clusterName(ctx)
	if ctx.Err() == nil && !retryable(err) { // else the next watch asks again
		r.identity.clusterAsked, r.identity.cluster = true, name
	}
}
