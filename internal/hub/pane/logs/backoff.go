package logs

import "time"

// The wait before a stream is reopened doubles with each attempt.
const (
	firstWait = 500 * time.Millisecond
	maxWait   = 15 * time.Second
)

// backoff says when something is tried again. The zero backoff plans nothing and waits
// firstWait.
type backoff struct {
	at   time.Time // of the next attempt; zero if none is planned
	wait time.Duration
}

// plan plans the next attempt.
func (b *backoff) plan(now time.Time) {
	wait := max(b.wait, firstWait)
	b.at, b.wait = now.Add(wait), min(2*wait, maxWait)
}

// planned reports whether an attempt is planned, due whether it is time for it.
func (b *backoff) planned() bool          { return !b.at.IsZero() }
func (b *backoff) due(now time.Time) bool { return b.planned() && !now.Before(b.at) }

// cancel plans no attempt. The next wait stays what it was.
func (b *backoff) cancel() { b.at = time.Time{} }

// reset makes the next wait the first again.
func (b *backoff) reset() { b.wait = 0 }
