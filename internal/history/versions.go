package history

import (
	"slices"
	"time"

	"watchglass/internal/object"
)

// Versions is Record's, and has those of single objects that are no part of the Record, too.
func (s *Store) Versions(kind object.Kind, key, uid string, at time.Time, most int) (all []Version) {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	for _, t := range s.streams {
		c := t.byKey[key]
		if c == nil || at.UnixMilli() < t.since() || t.about.Group != kind.Group || t.about.Resource != kind.Resource {
			continue
		}
		var some []Version
		v := t.newest(c)
		t.before(&v, at.UnixMilli())
		for more := true; more && len(some) < most; more = t.undo(&v) {
			if !v.ok || v.uid != uid {
				continue
			}
			w := Version{Payload: t.payload(v.raw), Columns: t.about.Columns}
			if v.back > t.journal.start() {
				w.At = moment(t.journal.at(v.back - 1).at)
			}
			some = append(some, w)
		}
		slices.Reverse(some)
		all = append(all, some...)
	}
	return all
}

// payload returns the payload of a version, in memory of its own.
func (t *stream) payload(raw []byte) []byte {
	if raw[0] == '{' {
		return slices.Clone(raw)
	}
	return t.kind.Wrap(nil, raw)
}
