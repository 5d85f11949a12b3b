package series

import "time"

// A series has a value for each Step of the last 15 minutes.
const (
	Step  = 15 * time.Second
	Steps = 60
)

// Unknown stands for a step of which nothing is known.
const Unknown = -1

// Blank returns a series of which nothing is known.
func Blank() []float32 {
	all := make([]float32, Steps)
	for i := range all {
		all[i] = Unknown
	}
	return all
}

// StepOf returns the number of the step that a moment is in, since 1970.
func StepOf(at time.Time) int64 { return at.UnixNano() / int64(Step) }

// Series holds the values of one number. Nothing is known of the zero Series.
type Series struct {
	newest int64 // step; 0: steps has not been set
	steps  [Steps]float32
}

// Record notes a number. A step keeps its largest, so that a short outage shows.
func (s *Series) Record(now time.Time, n float32) {
	s.advance(StepOf(now))
	last := &s.steps[Steps-1]
	*last = max(*last, n)
}

// Add counts: a step keeps the sum of its numbers.
func (s *Series) Add(now time.Time, n float32) {
	s.advance(StepOf(now))
	last := &s.steps[Steps-1]
	*last = max(*last, 0) + n
}

// advance moves on to a step. Steps in between are unknown.
func (s *Series) advance(to int64) {
	ahead := to - s.newest
	if ahead <= 0 {
		return
	}
	s.newest = to
	n := int(min(ahead, Steps))
	copy(s.steps[:], s.steps[n:])
	copy(s.steps[Steps-n:], Blank())
}

// Read returns the steps up to now, the newest last.
func (s *Series) Read(now time.Time) []float32 {
	s.advance(StepOf(now))
	return append([]float32(nil), s.steps[:]...)
}
