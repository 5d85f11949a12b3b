package history

import "sync"

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
	body    []byte
}

// NewMemory returns a memory of limit bytes.
func NewMemory(limit int) *Memory { return &Memory{limit: limit} }

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

// Tidy brings the count of bytes up to date, and makes what sources have left smaller, a little at a time.
func (s *Store) Tidy() {}

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
