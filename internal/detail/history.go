package detail

import (
	"slices"
	"strings"
	"sync"
	"time"

	"watchglass/internal/object"
)

// Seen is a version of an object as this tab saw it.
type Seen struct {
	Object *object.Object
	// Columns are the columns of the object's cells.
	Columns []object.Column
	// At is when the version arrived; zero if it was there when the tab began to watch.
	At time.Time

	size int // as added to History.bytes
}

const (
	// seenMost is the maximum number of versions kept of one object.
	seenMost = 20
	// HistoryBudget is the maximum number of bytes kept of all objects.
	HistoryBudget = 8 << 20
)

// History keeps the last versions of each object that the tab has seen. It keeps the objects as
// they arrived, so recording a version costs almost nothing. When it is full, the oldest
// version of any object goes first. It is safe for concurrent use.
type History struct {
	limit int

	mu     sync.Mutex
	bytes  int
	tracks map[string]*track // by the object's UID
	live   int               // number of versions kept
	order  []mark            // versions, the oldest first; some are already dropped
}

// track holds the versions seen of one object.
type track struct {
	uid  string
	seen []Seen
	gone int // number of versions dropped
}

// mark identifies a version of a track by its number, counted from the first version ever
// recorded.
type mark struct {
	*track
	number int
}

// NewHistory returns a History that keeps at most limit bytes.
func NewHistory(limit int) *History {
	return &History{limit: limit, tracks: make(map[string]*track)}
}

// SetLimit changes the maximum number of bytes kept.
func (h *History) SetLimit(bytes int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.limit = bytes
	h.drop()
}

// Note records that an object changed from before to after. The columns are those of both
// versions.
func (h *History) Note(now time.Time, columns []object.Column, before, after *object.Object) {
	if before == nil || after == nil || before == after {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.tracks[after.UID()]
	if t == nil {
		if before.UID() != after.UID() || before.Version() == after.Version() {
			return
		}
		t = &track{uid: strings.Clone(after.UID())}
		h.tracks[t.uid] = t
		h.keep(t, Seen{Object: before, Columns: columns})
	}
	follows := t.seen[len(t.seen)-1].Object == before // as is usual with a single list
	if !follows {
		h.complete(t, before, columns)
	}
	if follows && before.Version() != after.Version() || !h.complete(t, after, columns) {
		h.keep(t, Seen{Object: after, Columns: columns, At: now})
		h.drop()
	}
}

// complete reports whether a version is already recorded. Two lists may hold the same version,
// one of them only as a table row; the fuller one is then kept.
func (h *History) complete(t *track, o *object.Object, columns []object.Column) bool {
	for i := len(t.seen) - 1; i >= 0; i-- {
		if s := &t.seen[i]; s.Object == o {
			return true
		} else if s.Object.Version() == o.Version() {
			if size := cost(o); len(o.Packed()) > len(s.Object.Packed()) {
				h.bytes += size - s.size
				s.Object, s.Columns, s.size = o, columns, size
			}
			return true
		}
	}
	return false
}

func (h *History) keep(t *track, s Seen) {
	s.size = cost(s.Object)
	h.order = append(h.order, mark{t, t.gone + len(t.seen)})
	t.seen = append(t.seen, s)
	h.bytes += s.size
	if h.live++; len(t.seen) > seenMost {
		h.forget(t)
	}
}

// cost returns the approximate size of a version in bytes.
func cost(o *object.Object) int { return o.Size() + len(o.Packed()) }

// forget drops the oldest version of an object.
func (h *History) forget(t *track) {
	h.bytes -= t.seen[0].size
	h.live--
	t.seen[0] = Seen{}
	t.seen = t.seen[1:]
	if t.gone++; len(t.seen) == 0 {
		delete(h.tracks, t.uid)
	}
}

// kept reports whether the marked version is still kept.
func (m mark) kept() bool { return m.number >= m.gone }

// drop drops the oldest versions until the rest is within the limit.
func (h *History) drop() {
	for h.bytes > h.limit && len(h.order) > 0 {
		m := h.order[0]
		h.order[0] = mark{}
		if h.order = h.order[1:]; m.kept() {
			h.forget(m.track)
		}
	}
	if len(h.order) > 2*h.live+1024 {
		h.order = slices.DeleteFunc(h.order, func(m mark) bool { return !m.kept() })
	}
}

// Of returns the recorded versions of an object, the oldest first; none if it has not changed.
func (h *History) Of(uid string) []Seen {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t := h.tracks[uid]; t != nil {
		return slices.Clone(t.seen)
	}
	return nil
}
