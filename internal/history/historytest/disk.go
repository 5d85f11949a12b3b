package historytest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
)

// Disk stores segments in memory, as a browser's disk would.
type Disk struct {
	mu       sync.Mutex
	segments map[uint64][]byte
	Room     int64
	Fail     error // what each call answers; nil: it works
	Cleared  int
	Most     int64 // the most bytes at a time
}

// Open is disk.Disk's.
func (s *Disk) Open(context.Context) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.segments = make(map[uint64][]byte)
	return s.Room, s.Fail
}

// Put is disk.Disk's.
func (s *Disk) Put(_ context.Context, id uint64, data []byte) (int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Fail != nil || s.segments == nil {
		return 0, errors.Join(s.Fail, errClosed)
	}
	s.segments[id] = slices.Clone(data)
	s.Most = max(s.Most, s.bytes())
	return int64(len(data)), nil
}

var errClosed = errors.New("the disk is closed")

// Get is disk.Disk's.
func (s *Disk) Get(_ context.Context, id uint64) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, ok := s.segments[id]
	if s.Fail != nil || !ok {
		return nil, errors.Join(s.Fail, errClosed)
	}
	return slices.Clone(data), nil
}

// Drop is disk.Disk's.
func (s *Disk) Drop(id uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.segments, id)
}

// Clear is disk.Disk's.
func (s *Disk) Clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.segments = nil
	s.Cleared++
}

// Break changes a byte of each segment.
func (s *Disk) Break() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, data := range s.segments {
		data[len(data)/2] ^= 1
	}
}

// Cut truncates each segment.
func (s *Disk) Cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, data := range s.segments {
		s.segments[id] = data[:len(data)*3/4]
	}
}

// IDs returns the segments.
func (s *Disk) IDs() []uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.segments))
}

// Bytes returns how many bytes the segments take.
func (s *Disk) Bytes() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes()
}

func (s *Disk) bytes() (all int64) {
	for _, data := range s.segments {
		all += int64(len(data))
	}
	return all
}
