package detail

import (
	"slices"
	"strings"
	"sync"
	"time"

	"watchglass/internal/object"
)

// Seen is a version of an object, as this tab saw it.
type Seen struct {
	Object *object.Object
	// Columns are those of its cells.
	Columns []object.Column
	// At is when it came; zero of what was there when the tab began to look.
	At time.Time

	size int // as it was counted
}

const (
	// seenMost is how many versions of an object are kept.
	seenMost = 20
	// HistoryBudget is how many bytes are kept of all objects.
	HistoryBudget = 8 << 20
)

// History is what the tab has seen of each object: its last versions. They are kept as
// they came, and cost those who tell of them next to nothing; of all that is kept, the
// oldest goes first. It is safe for concurrent use.
type History struct {
	limit int

	mu     sync.Mutex
	bytes  int
	tracks map[string]*track // by the objects' UID
	live   int               // how many versions are kept
	order  []mark            // of them, the oldest first; some are gone
}

// track is what was seen of one object.
type track struct {
	uid  string
	seen []Seen
	gone int // how many of it are kept no more
}

// mark is a version of a track, by its number of all that were in it.
type mark struct {
	*track
	number int
}

// NewHistory keeps so many bytes.
func NewHistory(limit int) *History {
	return &History{limit: limit, tracks: make(map[string]*track)}
}

// SetLimit changes how many bytes are kept.
func (h *History) SetLimit(bytes int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.limit = bytes
	h.drop()
}

// Note records a change: what an object was, and what it is from now on. Columns are those
// of both.
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
	follows := t.seen[len(t.seen)-1].Object == before // as where one list alone has it
	if !follows {
		h.complete(t, before, columns)
	}
	if follows && before.Version() != after.Version() || !h.complete(t, after, columns) {
		h.keep(t, Seen{Object: after, Columns: columns, At: now})
		h.drop()
	}
}

// complete reports whether a version is known. Two lists may have it, and one of them no
// more than its row: then the other's stands for it.
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

// cost is how many bytes a version takes, about.
func cost(o *object.Object) int { return o.Size() + len(o.Packed()) }

// forget lets go of the oldest version of an object.
func (h *History) forget(t *track) {
	h.bytes -= t.seen[0].size
	h.live--
	t.seen[0] = Seen{}
	t.seen = t.seen[1:]
	if t.gone++; len(t.seen) == 0 {
		delete(h.tracks, t.uid)
	}
}

// kept reports whether what was marked is there.
func (m mark) kept() bool { return m.number >= m.gone }

// drop lets go of what is too much.
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

// Of are the versions of an object that are kept, the oldest first; none if nothing has
// happened to it.
func (h *History) Of(uid string) []Seen {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t := h.tracks[uid]; t != nil {
		return slices.Clone(t.seen)
	}
	return nil
}
