package hub

import (
	"slices"

	"watchglass/internal/detail"
	"watchglass/internal/object"
	"watchglass/internal/sorting"
)

// seenMost is the maximum number of versions shown of one object.
const seenMost = 50

// seen are the versions of an object that are remembered. Those that were read before are the same
// objects, which those who compare them rely on.
type seen struct {
	uid  string
	read map[string]detail.Seen // by version and time
}

// of returns the remembered versions of an open object up to the moment that is shown, oldest first;
// none if it has not changed.
func (s *seen) of(o *Object, uid string) (all []detail.Seen) {
	kind, ok := o.cluster.kinds.Find(o.asked.Resource)
	if !ok {
		return nil
	}
	o.cluster.kinds.Print(&kind)
	key := o.asked.Name
	if o.asked.Namespace != "" {
		key = o.asked.Namespace + "/" + key
	}
	if s.uid != uid {
		s.uid, s.read = uid, nil
	}
	before := s.read
	s.read = make(map[string]detail.Seen)
	for _, v := range o.cluster.tape().Versions(kind, key, uid, o.cluster.now(), seenMost) {
		id, err := object.ReadIdentity(v.Payload)
		stamp := id.Version + " " + v.At.String()
		known, have := before[stamp]
		if !have && err == nil {
			known, have = readVersion(kind, v)
		}
		if have {
			s.read[stamp] = known
			all = append(all, known)
		}
	}
	if all = merge(all); len(all) < 2 {
		return nil
	}
	return all
}

// fuller returns which of two versions with the same resource version has more of it.
func fuller(a, b detail.Seen) detail.Seen {
	if len(b.Object.Packed()) > len(a.Object.Packed()) {
		b.At = a.At
		return b
	}
	return a
}

// merge joins the versions of several streams, oldest first.
func merge(all []detail.Seen) []detail.Seen {
	out := all[:0]
	for _, s := range all {
		if i := slices.IndexFunc(out, func(o detail.Seen) bool { return o.Object.Version() == s.Object.Version() }); i >= 0 {
			out[i] = fuller(out[i], s)
			continue
		}
		out = append(out, s)
	}
	sorting.StableBy(out, func(a, b detail.Seen) int { return a.At.Compare(b.At) })
	return out
}
