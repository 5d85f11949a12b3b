package history

import (
	"sync"
	"time"

	"watchglass/internal/timeslice"
)

// Limit is how many bytes the histories of all clusters may take by default.
const Limit = 64 << 20

// Memory bounds the bytes of several Stores. Over the limit, the stream that takes most loses what is
// oldest of it, so that a busy kind leaves the others what they have.
type Memory struct {
	mu      sync.Mutex // of all its stores as well
	limit   int
	bytes   int
	dropped int // changes
	stores  []*Store
	differ  differ
	body    []byte // for records, and the scripts in them
	script  []byte
	steps   []step

	timer timeslice.Timer // of each walk
}

// walkFor is the maximum time between rests of a walk over history. Going back an hour takes longer than that.
const walkFor = 4 * time.Millisecond

// NewMemory returns a memory of limit bytes. Walks over its history rest regularly.
func NewMemory(limit int, rest timeslice.Rest) *Memory {
	return &Memory{limit: limit, timer: timeslice.Timer{For: walkFor, Rest: rest}}
}

// Used returns how many bytes are held, how many may be, and how many changes were dropped for that.
func (m *Memory) Used() (bytes, limit, dropped int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.bytes, m.limit, m.dropped
}

// trim drops the oldest of the largest streams until the rest fits.
func (m *Memory) trim() {
	for m.bytes > m.limit {
		var largest *stream
		for _, s := range m.stores {
			for _, t := range s.streams {
				if len(t.chains) > 0 && (largest == nil || t.bytes() > largest.bytes()) {
					largest = t
				}
			}
		}
		if largest == nil {
			return
		}
		m.bytes -= largest.bytes()
		m.dropped += largest.drop()
		m.bytes += largest.bytes()
	}
}

// packs is how many objects Tidy makes smaller.
const packs = 200

// Tidy makes what closed sources have left smaller, a little at a time, and reports whether there is more.
// It is to be called now and then.
func (s *Store) Tidy(now time.Time) (more bool) {
	s.memory.mu.Lock()
	defer s.memory.mu.Unlock()
	at, left := s.tick(now), packs
	for _, t := range s.streams {
		if t.cursor != nil && at-t.cursor.used > idle {
			t.cursor = nil
		}
		for ; left > 0 && len(t.loose) > 0; left-- {
			was := t.bytes()
			t.pack(t.loose[0])
			t.loose = t.loose[1:]
			s.memory.bytes += t.bytes() - was
		}
		more = more || len(t.loose) > 0
	}
	if at-s.settled > settleEvery {
		s.settled = at
		s.memory.settle()
	}
	return more
}

// settleEvery is how often bytes are looked for that objects have lost since, in milliseconds.
const settleEvery = 5000

// settle counts all bytes, and those of objects that have lost theirs since, and trims them.
func (m *Memory) settle() {
	m.bytes = 0
	for _, s := range m.stores {
		for _, t := range s.streams {
			for _, c := range t.chains {
				if c.shared != nil && c.counted == 0 && c.shared.Packed() == nil {
					c.counted = len(c.raw)
					t.own += c.counted
				}
			}
			m.bytes += t.bytes()
		}
	}
	m.trim()
}
