//go:build !js

package demo

import (
	"container/heap"
	"math/rand/v2"
	"time"
)

// clock runs steps in order of time. Steps due at the same time run in the order they were
// scheduled.
type clock struct {
	now   time.Time // of the current step
	rng   *rand.Rand
	steps steps
	count uint64
}

type step struct {
	at    time.Time
	order uint64
	do    func()
}

// after schedules a step.
func (c *clock) after(d time.Duration, do func()) {
	c.count++
	heap.Push(&c.steps, step{c.now.Add(d), c.count, do})
}

// every repeats a step at intervals of about d.
func (c *clock) every(d time.Duration, do func()) {
	c.after(c.about(d), func() {
		do()
		c.every(d, do)
	})
}

// next returns the time of the next step. There always is one.
func (c *clock) next() time.Time { return c.steps[0].at }

// advance runs every step up to a time.
func (c *clock) advance(to time.Time) {
	for len(c.steps) > 0 && !c.steps[0].at.After(to) {
		s := heap.Pop(&c.steps).(step)
		c.now = s.at
		s.do()
	}
	c.now = to
}

// about returns a random duration between half and one and a half times d.
func (c *clock) about(d time.Duration) time.Duration {
	return d/2 + time.Duration(c.rng.Float64()*float64(d))
}

// chance returns true with the given probability in percent.
func (c *clock) chance(percent float64) bool { return c.rng.Float64()*100 < percent }

// steps is a heap, earliest step first.
type steps []step

func (s steps) Len() int { return len(s) }
func (s steps) Less(i, j int) bool {
	return s[i].at.Before(s[j].at) || s[i].at.Equal(s[j].at) && s[i].order < s[j].order
}
func (s steps) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s *steps) Push(x any)   { *s = append(*s, x.(step)) }
func (s *steps) Pop() any {
	last := (*s)[len(*s)-1]
	(*s)[len(*s)-1] = step{} // release its closure
	*s = (*s)[:len(*s)-1]
	return last
}
