package historytest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
)

// Shelf stores chapters in memory, as a browser's disk would.
type Shelf struct {
	mu       sync.Mutex
	chapters map[uint64][]byte
	Room     int64
	Fail     error // what each call answers; nil: it works
	Cleared  int
	Most     int64 // the most bytes at a time
}

// Open is shelf.Shelf's.
func (s *Shelf) Open(context.Context) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chapters = make(map[uint64][]byte)
	return s.Room, s.Fail
}

// Put is shelf.Shelf's.
func (s *Shelf) Put(_ context.Context, id uint64, data []byte) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Fail != nil || s.chapters == nil {
		return 0, errors.Join(s.Fail, errClosed)
	}
	s.chapters[id] = slices.Clone(data)
	s.Most = max(s.Most, s.bytes())
	return int64(len(data)), nil
}

var errClosed = errors.New("the shelf is closed")

// Get is shelf.Shelf's.
func (s *Shelf) Get(_ context.Context, id uint64) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, ok := s.chapters[id]
	if s.Fail != nil || !ok {
		return nil, errors.Join(s.Fail, errClosed)
	}
	return slices.Clone(data), nil
}

// Drop is shelf.Shelf's.
func (s *Shelf) Drop(id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.chapters, id)
}

// Clear is shelf.Shelf's.
func (s *Shelf) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.chapters = nil
	s.Cleared++
}

// Break changes a byte of each chapter.
func (s *Shelf) Break() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, data := range s.chapters {
		data[len(data)/2] ^= 1
	}
}

// Cut truncates each chapter.
func (s *Shelf) Cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, data := range s.chapters {
		s.chapters[id] = data[:len(data)*3/4]
	}
}

// IDs returns the chapters.
func (s *Shelf) IDs() []uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.chapters))
}

// Bytes returns how many bytes the chapters take.
func (s *Shelf) Bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes()
}

func (s *Shelf) bytes() (all int64) {
	for _, data := range s.chapters {
		all += int64(len(data))
	}
	return all
}
