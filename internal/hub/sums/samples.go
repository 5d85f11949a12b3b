package sums

import (
	"sync"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/series"
)

// Samples keep what pods and nodes used in the last 15 minutes, from all metrics that are polled.
// They take 8 MB at most: beyond that, the oldest are dropped first. Its methods may be called from
// any goroutine.
type Samples struct {
	mu    sync.Mutex
	all   []sample          // oldest first
	first uint32            // the number of the first
	last  map[string]uint32 // the number of each object's last, by its key; it is in all
	keys  int               // bytes
}

// sample is a measurement. It has no pointers, since there are many.
type sample struct {
	before      uint32 // the number of the object's previous one; 0 is none
	received    uint32 // Unix seconds, by the tab's clock: the server's may be another
	measured    uint32 // Unix seconds
	cpu, memory float32
	joined      bool // the object has been polled since the previous one
}

// What samples may take, and what each is counted as: one with the room to grow, and an entry of a
// map besides its text. Some are kept longer than they show, since the next ones join them.
const (
	mostBytes   = 8 << 20
	sampleBytes = 30
	entryBytes  = 120
	kept        = uint32((series.Steps*series.Step + 4*time.Minute) / time.Second)
)

// NewSamples returns no samples.
func NewSamples() *Samples { return &Samples{first: 1, last: make(map[string]uint32)} }

// Apply notes what has been measured: changes of metrics that were polled, and how often they are.
func (s *Samples) Apply(metrics string, columns []object.Column, changes []Change, every time.Duration, now time.Time) {
	meter := newMeter(metrics, columns)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trimLocked(now)
	for _, c := range changes {
		if c.After == nil {
			continue
		}
		if m, ok := meter.read(c.After); ok {
			s.addLocked(c.After.Key(), sample{received: uint32(now.Unix()), measured: uint32(m.At), cpu: float32(m.CPU), memory: float32(m.Memory), joined: c.Before != nil}, every)
		}
	}
}

// mayTake is how long a measurement may be the last one of an object that is polled.
const mayTake = 90 * time.Second

// addLocked adds a sample, unless another source has brought it.
func (s *Samples) addLocked(key string, next sample, every time.Duration) {
	if s.bytesLocked()+sampleBytes+entryBytes+len(key) > mostBytes {
		s.forgetLocked(len(s.all)/4 + 1)
	}
	number, there := s.last[key]
	if there {
		before := &s.all[number-s.first]
		if before.measured == next.measured {
			return
		}
		next.before = number
		next.joined = next.joined && next.received-before.received <= uint32(max(2*every, mayTake)/time.Second)
	} else {
		s.keys += len(key)
	}
	s.last[key] = s.first + uint32(len(s.all))
	s.all = append(s.all, next)
}

func (s *Samples) bytesLocked() int {
	return len(s.all)*sampleBytes + len(s.last)*entryBytes + s.keys
}

// forgetLocked drops the oldest samples.
func (s *Samples) forgetLocked(n int) {
	s.first += uint32(n)
	if n == len(s.all) {
		s.all, s.keys, s.last = nil, 0, make(map[string]uint32)
		return
	}
	s.all = s.all[:copy(s.all, s.all[n:])]
	for key, number := range s.last {
		if number < s.first {
			delete(s.last, key)
			s.keys -= len(key)
		}
	}
}

// Trim drops samples that are too old to be shown.
func (s *Samples) Trim(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trimLocked(now)
}

// trimLocked drops samples that are too old, once they are a quarter.
func (s *Samples) trimLocked(now time.Time) {
	n, oldest := len(s.all)/4, uint32(now.Unix())-kept
	if len(s.all) == 0 || s.all[n].received >= oldest {
		return
	}
	for n < len(s.all) && s.all[n].received < oldest {
		n++
	}
	s.forgetLocked(n)
}

// Of returns what an object used, by its key and when it was created: CPU and memory in thousandths, one for each step.
// Steps in which it was not polled, or not measured, are unknown. What was measured before is of another object of that name.
func (s *Samples) Of(key string, created int64, now time.Time) (cpu, memory []float32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	cpu, memory = series.Blank(), series.Blank()
	place := func(at uint32) int {
		return series.Steps - 1 - int(series.StepOf(now)-series.StepOf(time.Unix(int64(at), 0)))
	}
	known := series.Steps // from this step on
	for number := s.last[key]; number >= s.first; {
		m := s.all[number-s.first]
		if int64(m.measured) < created {
			break
		}
		from := min(place(m.received), series.Steps-1)
		to := from
		if number = m.before; m.joined && number >= s.first {
			if before := s.all[number-s.first]; int64(before.measured) >= created {
				from = min(from, place(before.received)+1)
			}
		}
		for i := max(from, 0); i <= to; i++ {
			if i < known {
				cpu[i], memory[i] = m.cpu, m.memory
			}
		}
		if known = min(known, max(from, 0)); from < 0 {
			break
		}
	}
	return cpu, memory
}
