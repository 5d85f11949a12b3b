package rule

import (
	"watchglass/internal/object/tone"
)

// Cause is one thing that is wrong with one object.
type Cause struct {
	Reason   string // short, as Kubernetes names it: "OOMKilled"
	Severity tone.Tone
	Words    string // what is wrong: "container api: OOMKilled (limit 512Mi), exit code 137, 14 restarts"
	Brief    string // the part of Words that many pods share: "OOMKilled (limit 512Mi)"; "" is Words
	Evidence string // the field or event that says so
	Since    int64  // unix seconds

	// From and Until limit when it holds, in unix seconds; 0 is no limit.
	From, Until int64

	Tab       string // where to read on: a tab of the object's drawer
	Container string // whose logs explain it

	// Effect says that it follows from something else: it is left out while the pods of the same
	// owner have causes of their own, or cannot be created.
	Effect bool
	// Shortage is an Effect for which unready pods account even before they have causes.
	Shortage bool
	// Retried says that it is over once the owner has succeeded later: a failed job of a schedule.
	Retried bool

	// Undated says that the object does not say since when, so that it counts from when it was
	// first seen. It holds from then on if it is Final, else only after MayLack.
	Undated, Final bool
	// routine says that it begins unless its object changes again, as it does all the time.
	routine bool
	// Moving says that it holds for a moment after each change, so that one that is not dated has to
	// last for a while here.
	Moving bool
	// OnNode is the node from which it follows if that is not ready; "" if it follows from none.
	OnNode string
	// Hint says that it is no row of its own, but says more about a failed Job.
	Hint bool
	// Over says that the object has ended: it explains nothing that is wrong with others.
	Over bool
}

// Holds reports whether the cause holds at a time, in unix seconds.
func (c *Cause) Holds(now int64) bool {
	return (c.From == 0 || c.From <= now) && (c.Until == 0 || now < c.Until)
}

// mostGrace is the longest time that an object is given to become well, in seconds.
const mostGrace = 10 * 60

// Waits reports whether the cause does not hold yet, but soon will.
func (c *Cause) Waits(now int64) bool {
	return c.From > now && c.From <= now+mostGrace && !c.routine
}

// Next returns when the cause begins or ceases to hold after now; 0 is never.
func (c *Cause) Next(now int64) int64 {
	switch {
	case c.From > now:
		return c.From
	case c.Until > now:
		return c.Until
	}
	return 0
}

// Short returns the words for a group of objects.
func (c *Cause) Short() string {
	if c.Brief != "" {
		return c.Brief
	}
	return c.Words
}

// Sooner returns the earlier of two times; 0 is never.
func Sooner(a, b int64) int64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
