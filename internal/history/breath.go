package history

import "time"

// A walk over what is remembered goes on for walkFor, and then rests: the browser delivers its events only
// while Go sleeps, and to go back an hour takes long.
const (
	walkFor = 4 * time.Millisecond
	restFor = time.Millisecond
)

// breath is how long a walk has gone on.
type breath struct {
	clock func() time.Time
	rest  func(time.Duration)
	since time.Time
}

func (m *Memory) breath() *breath {
	b := &breath{clock: m.clock, rest: m.rest}
	b.begin()
	return b
}

func (b *breath) begin() { b.since = b.clock() }

// due reports whether it is time to rest.
func (b *breath) due() bool { return b.clock().Sub(b.since) >= walkFor }

// take rests if it is time to. The memory must not be locked.
func (b *breath) take() {
	if b.due() {
		b.rest(restFor)
		b.begin()
	}
}
