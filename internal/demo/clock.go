//go:build !js

package demo

import (
	"container/heap"
	"math/rand/v2"
	"time"
)

// clock is the order in which things happen: by time, and of what falls on the
// same time, what was planned first.
type clock struct {
	now   time.Time // of the step at hand
	rng   *rand.Rand
	steps steps
	count uint64
}

type step struct {
	at    time.Time
	order uint64
	do    func()
}

// after plans a step.
func (c *clock) after(d time.Duration, do func()) {
	c.count++
	heap.Push(&c.steps, step{c.now.Add(d), c.count, do})
}

// every does something again and again, about every so often.
func (c *clock) every(d time.Duration, do func()) {
	c.after(c.about(d), func() {
		do()
		c.every(d, do)
	})
}

// next is the time of the next step. There always is one.
func (c *clock) next() time.Time { return c.steps[0].at }

// advance does every step up to a time.
func (c *clock) advance(to time.Time) {
	for len(c.steps) > 0 && !c.steps[0].at.After(to) {
		s := heap.Pop(&c.steps).(step)
		c.now = s.at
		s.do()
	}
	c.now = to
}

// about is a duration that is not always the same: half to one and a half.
func (c *clock) about(d time.Duration) time.Duration {
	return d/2 + time.Duration(c.rng.Float64()*float64(d))
}

// chance is true so many times out of a hundred.
func (c *clock) chance(percent float64) bool { return c.rng.Float64()*100 < percent }

// steps is a heap.
type steps []step

func (s steps) Len() int { return len(s) }
func (s steps) Less(i, j int) bool {
	return s[i].at.Before(s[j].at) || s[i].at.Equal(s[j].at) && s[i].order < s[j].order
}
func (s steps) Swap(i, j int) { s[i], s[j] = s[j], s[i] }
func (s *steps) Push(x any)   { *s = append(*s, x.(step)) }
func (s *steps) Pop() any {
	last := (*s)[len(*s)-1]
	(*s)[len(*s)-1] = step{} // let its closure go
	*s = (*s)[:len(*s)-1]
	return last
}
