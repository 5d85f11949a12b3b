package reflector

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"watchglass/internal/wire"
)

// doubt is how much reason there is to think that the server that answers is not
// the one that was left: that it was restored from a backup, or that another
// stands in its place. Such a server accepts a watch from any version and is
// silent about all that it never had.
type doubt uint8

const (
	// sure: the watch ended as watches do, and the next was accepted.
	sure doubt = iota
	// broken: the connection broke, or the watch fell silent. The server is
	// asked for its version and its name, which costs it next to nothing.
	broken
	// outage: the apiserver could not be reached, or was out of sight for long
	// enough to be restored and to overtake the version that was reached. One
	// exact comparison follows the resume.
	outage
)

// How long the apiserver may be out of sight for no more doubt than that: a socket
// that went silent and was dialled anew is no reason to ask.
const (
	brokenAfter = 3 * wire.DeadAfter / 2
	outageAfter = time.Minute
)

// away is how long the apiserver was out of sight, by whichever clock says more:
// the one that cannot be set may stand still while a machine sleeps.
func away(seen, now time.Time) time.Duration {
	if seen.IsZero() {
		return 0
	}
	return max(now.Sub(seen), now.Round(0).Sub(seen.Round(0)))
}

// verify asks, where there is doubt, whether the server still has what was reached.
// If it has not, the next list takes whatever it has.
func (r *Reflector[T]) verify(ctx context.Context) error {
	switch gone := away(r.seen, time.Now()); {
	case gone > outageAfter:
		r.doubt = outage
	case gone > brokenAfter:
		r.doubt = max(r.doubt, broken)
	}
	if r.doubt == sure || r.version == "" {
		return nil
	}
	if err := r.probe(ctx); err != nil {
		return err
	}
	if err := r.sameCluster(ctx); err != nil {
		return err
	}
	r.beside.audit = r.beside.audit || r.doubt == outage
	r.doubt, r.seen = sure, time.Now()
	return nil
}

// anotherHistory is what makes a new list in which nothing counts as known.
type anotherHistory string

func (e anotherHistory) Error() string { return string(e) }

const (
	errRewound anotherHistory = "the server went back to before the version that was reached"
	errOther   anotherHistory = "another cluster answers"
	errDiffers anotherHistory = "the server has another history than the one that was followed"
)

// isAnother reports that an error is one of these.
func isAnother(err error) bool {
	var another anotherHistory
	return errors.As(err, &another)
}

// renew has the list fetched anew, of another history: whatever version the server
// has is good, and no object of it is one that was there.
func (r *Reflector[T]) renew(err error) error {
	r.unavailable, r.rewound = true, true
	r.change(func(s *State) { s.Rewinds++; s.Err = err })
	r.options.Checks.Renewed()
	return fmt.Errorf("%w: %w", errRelist, err)
}

// probeWithin is how long a probe may take.
const probeWithin = 10 * time.Second

// probe asks for the newest version there is, with one object of a list: that is
// read by quorum, so no replica that is behind answers with less. To ask for a list
// not older than what was reached would be the same question, but a server that went
// back waits three seconds for each answer to it.
func (r *Reflector[T]) probe(ctx context.Context) error {
	version, err := r.newest(ctx)
	switch {
	case err == nil && older(version, r.version):
		return errRewound
	case err == nil || mayYet(err) || ctx.Err() != nil:
		return err
	case wire.StatusOf(err) == nil:
		return err
	}
	return nil // it may not be asked; what the watch says has to do
}

// newest is the newest version that the server has.
func (r *Reflector[T]) newest(ctx context.Context) (string, error) {
	r.change(func(s *State) { s.Probes++ })
	probing, cancel := context.WithTimeout(ctx, probeWithin)
	defer cancel()
	stream, err := r.options.Source.Open(probing, r.request(wire.List, wire.ListOptions{Limit: 1}))
	if err != nil {
		return "", inTime(ctx, probing, err)
	}
	defer stream.Close()
	var meta wire.ListMeta
	err = r.items(probing, stream, func(e wire.Event) error {
		switch e.Type {
		case wire.ListEnd:
			return json.Unmarshal(e.Payload, &meta)
		case wire.Error:
			return statusOf(e.Payload)
		}
		return nil
	}, func(s Stream, b wire.Batch) { s.Credit(b.Bytes) })
	return meta.ResourceVersion, inTime(ctx, probing, err)
}

// inTime makes a Status of an answer that did not come in time.
func inTime(ctx, within context.Context, err error) error {
	if err != nil && within.Err() != nil && ctx.Err() == nil {
		return &wire.Status{Origin: wire.FromNetwork, Reason: wire.ReasonUnreachable, Message: "the apiserver did not say in time who it is"}
	}
	return err
}

// sameCluster asks which cluster answers, if it is known which was left.
func (r *Reflector[T]) sameCluster(ctx context.Context) error {
	was := r.beside.cluster
	if was == "" {
		return nil
	}
	name, err := r.cluster(ctx)
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case mayYet(err):
		return err
	case err != nil:
		return nil // it may not be read any more: State says so
	case name != was:
		return errOther
	}
	return nil
}

// mayYet reports that the same question may be answered later.
func mayYet(err error) bool {
	status := wire.StatusOf(err)
	return status != nil && (status.Transient() || status.TooManyRequests())
}

// errNoCluster is why nothing is known where nobody can ask.
var errNoCluster = errors.New("nobody here can ask for the cluster's name")

// cluster asks for the cluster's name, and notes why it cannot be told.
func (r *Reflector[T]) cluster(ctx context.Context) (name string, err error) {
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
