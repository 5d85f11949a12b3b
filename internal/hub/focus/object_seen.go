package focus

import (
	"slices"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/history"
	"watchglass/internal/hub/cluster"
	"watchglass/internal/object"
	"watchglass/internal/sorting"
)

// seenMost is the maximum number of versions shown of one object.
const seenMost = 50

// seenVersions are the versions of an object that are remembered. Those that were read before are the same
// objects, which those who compare them rely on.
type seenVersions struct {
	uid  string
	read map[string]detail.Observation // by version and time
}

// of returns the remembered versions of an open object up to the moment that is shown, oldest first;
// none if it has not changed.
func (s *seenVersions) of(o *Object, uid string) (all []detail.Observation) {
	kind, ok := o.cluster.Kinds.Find(o.asked.Resource)
	if !ok {
		return nil
	}
	o.cluster.Kinds.Print(&kind)
	key := o.asked.Name
	if o.asked.Namespace != "" {
		key = o.asked.Namespace + "/" + key
	}
	if s.uid != uid {
		s.uid, s.read = uid, nil
	}
	before := s.read
	s.read = make(map[string]detail.Observation)
	for _, v := range o.cluster.Record().Versions(kind, key, uid, o.cluster.Now(), seenMost) {
		id, err := object.ReadIdentity(v.Payload)
		stamp := id.Version + " " + v.At.String()
		known, have := before[stamp]
		if !have && err == nil {
			known, have = cluster.ReadVersion(kind, v)
		}
		if have {
			s.read[stamp] = known
			known.Since = unwatchedSince(o.cluster.Record(), kind, o.asked.Namespace, v.At)
			all = append(all, known)
		}
	}
	if all = merge(all); len(all) < 2 {
		return nil
	}
	return all
}

// unwatchedSince returns since when changes may have been missing at the moment at which a version arrived; zero if a
// stream had them all.
func unwatchedSince(record history.Record, kind object.Kind, namespace string, at time.Time) (since time.Time) {
	if at.IsZero() {
		return since
	}
	for i, s := range record.Streams() {
		if s.Group != kind.Group || s.Resource != kind.Resource || s.Namespace != "" && s.Namespace != namespace {
			continue
		}
		gaps := record.Gaps(i)
		n := slices.IndexFunc(gaps, func(g history.Gap) bool { return g.From.Before(at) && (g.To.IsZero() || !g.To.Before(at)) })
		if n < 0 {
			return time.Time{}
		}
		if from := gaps[n].From; from.After(since) {
			since = from
		}
	}
	return since
}

// since returns since when the changes of the object are remembered: since its source began, or since the last that
// were dropped or forgotten. It is zero in the past, whose source is as young as the visit to it.
func (o *Object) since() (since time.Time) {
	if o.tracked == nil || o.cluster.Relay != nil {
		return time.Time{}
	}
	for i, s := range o.cluster.History.Streams() {
		if s.Group != o.kind.Group || s.Resource != o.kind.Resource || s.Namespace != "" && s.Namespace != o.asked.Namespace {
			continue
		}
		if _, known, _ := o.cluster.History.Known(i); since.IsZero() || known.Before(since) {
			since = known
		}
	}
	if begun := o.tracked.Begun(); begun.After(since) {
		return begun
	}
	return since
}

// fuller returns which of two versions with the same resource version has more of it.
func fuller(a, b detail.Observation) detail.Observation {
	if len(b.Object.Packed()) > len(a.Object.Packed()) {
		b.At = a.At
		return b
	}
	return a
}

// merge joins the versions of several streams, oldest first.
func merge(all []detail.Observation) []detail.Observation {
	out := all[:0]
	for _, s := range all {
		if i := slices.IndexFunc(out, func(o detail.Observation) bool { return o.Object.Version() == s.Object.Version() }); i >= 0 {
			out[i] = fuller(out[i], s)
			continue
		}
		out = append(out, s)
	}
	sorting.StableBy(out, func(a, b detail.Observation) int { return a.At.Compare(b.At) })
	return out
}
