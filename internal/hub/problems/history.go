package problems

import (
	"time"

	"watchglass/internal/port"
)

// history holds one number for each of the last steps.
type history struct {
	newest int64 // the number of the newest step since 1970
	steps  [port.HistorySteps]int
}

// unknown stands for a step of which nothing is known.
const unknown = -1

// newHistory returns a history of which nothing is known.
func newHistory() *history {
	h := new(history)
	for i := range h.steps {
		h.steps[i] = unknown
	}
	return h
}

// step returns the number of the step that a moment is in.
func step(now time.Time) int64 { return now.UnixNano() / int64(port.HistoryStep) }

// record notes a number. A step keeps its largest, so that a short outage shows.
func (h *history) record(now time.Time, n int) {
	h.advance(step(now))
	last := &h.steps[len(h.steps)-1]
	*last = max(*last, n)
}

// advance moves on to a step. Steps in between are unknown.
func (h *history) advance(to int64) {
	ahead := to - h.newest
	if ahead <= 0 {
		return
	}
	h.newest = to
	n := int(min(ahead, int64(len(h.steps))))
	copy(h.steps[:], h.steps[n:])
	for i := len(h.steps) - n; i < len(h.steps); i++ {
		h.steps[i] = unknown
	}
}

// read returns the steps up to now, the newest last.
func (h *history) read(now time.Time) []int {
	h.advance(step(now))
	return append([]int(nil), h.steps[:]...)
}
