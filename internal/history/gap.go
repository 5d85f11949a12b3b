package history

import (
	"time"

	"watchglass/internal/sorting"
)

// gapsMost is how many gaps of a stream are kept. Older ones are joined.
const gapsMost = 256

// miss begins a gap, unless there is one of the same reason.
func (t *stream) miss(from time.Time, why Why) {
	if n := len(t.gaps); n > 0 && t.gaps[n-1].To.IsZero() {
		if t.gaps[n-1].Why == why {
			return
		}
		t.gaps[n-1].To = from
	}
	if len(t.gaps) >= gapsMost {
		t.gaps[1].From = t.gaps[0].From
		t.gaps = append(t.gaps[:0:0], t.gaps[1:]...)
	}
	t.gaps = append(t.gaps, Gap{From: from.Round(0), Why: why})
}

// misses reports whether changes may be missing since a moment.
func (t *stream) misses() bool {
	n := len(t.gaps)
	return n > 0 && t.gaps[n-1].To.IsZero()
}

// denied reports whether the right to read is lost.
func (t *stream) denied() bool {
	return len(t.gaps) > 0 && t.gaps[0].Why == Denied && t.gaps[0].From.IsZero()
}

// heal ends the gap that is open.
func (t *stream) heal(at time.Time) {
	if t.misses() {
		t.gaps[len(t.gaps)-1].To = at.Round(0)
	}
}

// Miss says that changes may be missing since a moment, until Live.
func (in *Input) Miss(from time.Time, why Why) {
	in.store.memory.mu.Lock()
	defer in.store.memory.mu.Unlock()
	if t := in.stream; t != nil && t.lead() == in {
		t.miss(from, why)
	}
}

// Live says that all changes up to now are reported.
func (in *Input) Live(now time.Time) {
	in.store.memory.mu.Lock()
	defer in.store.memory.mu.Unlock()
	at := in.store.tick(now)
	if t := in.stream; t != nil && t.lead() == in {
		t.looked = at
		t.heal(now)
	}
}

// Forget forgets all that the source has reported: the right to read it was lost. What was remembered before of
// the same objects, or of more or fewer of them, goes as well unless it is watched: whether it may still be read
// is not known.
func (in *Input) Forget(now time.Time) {
	m := in.store.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	at := in.store.tick(now)
	t := in.stream
	if t == nil {
		t = in.store.streamOf(in)
	}
	in.stream = nil
	t.deny(at)
	for _, other := range in.store.streams {
		if other != t && len(other.inputs) == 0 && (other.includes(t) || t.includes(other)) {
			other.deny(at)
		}
	}
	m.settle()
}

// includes reports whether the objects of another stream are among those of this one.
func (t *stream) includes(other *stream) bool {
	return t.about.Group == other.about.Group && t.about.Resource == other.about.Resource && t.scope == "" && (t.about.Namespace == "" || t.about.Namespace == other.about.Namespace)
}

// deny forgets everything, since the right to read it was lost.
func (t *stream) deny(at int64) {
	t.reset()
	t.forgotten++
	t.inputs, t.gaps, t.opened, t.known = nil, nil, 0, 0
	t.looked = at
	t.gaps = []Gap{{Why: Denied}}
}

// Merge puts gaps in order, and makes one of those that touch. It changes and returns the argument.
func Merge(gaps []Gap) []Gap {
	sorting.By(gaps, func(a, b Gap) int { return a.From.Compare(b.From) })
	n := 0
	for _, g := range gaps {
		if n > 0 && !g.From.After(gaps[n-1].To) {
			if g.To.After(gaps[n-1].To) {
				gaps[n-1].To = g.To
			}
			continue
		}
		gaps[n] = g
		n++
	}
	return gaps[:n]
}
