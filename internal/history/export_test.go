package history

import (
	"slices"
	"testing"
	"time"
)

// Check checks that bytes are counted as they are.
func (m *Memory) Check(t testing.TB) {
	t.Helper()
	m.mu.Lock()
	defer m.mu.Unlock()
	all := 0
	for _, s := range m.stores {
		for _, x := range s.streams {
			all += x.check(t)
		}
	}
	if all != m.bytes {
		t.Errorf("%d bytes, said to be %d", all, m.bytes)
	}
}

func (s *stream) check(t testing.TB) (all int) {
	t.Helper()
	journal, own, refs := 0, 0, make(map[uint64]int)
	for i, b := range s.journal.blocks {
		if i == 0 || s.journal.blocks[i-1] != b {
			journal += cap(b.buf) + blockCost
			for _, place := range b.places() {
				if r := b.at(place); r.kind == kindsDeleted {
					refs[number(r.body)]++
				}
			}
		}
	}
	for _, c := range s.chains {
		own += chainCost + len(c.key)
		switch {
		case c.kept != nil:
			own += len(c.kept)
			refs[number(c.kept)]++
		case c.shared == nil && !slices.Contains(s.loose, c), c.counted > 0 && c.shared.Packed() == nil:
			own += len(c.raw)
		}
	}
	for n, b := range s.bases {
		if own += baseCost + len(b.text); refs[n] != b.refs || b.refs == 0 {
			t.Errorf("a base is held %d times, said to be %d", refs[n], b.refs)
		}
	}
	for name := range s.siblings {
		own += len(name)
	}
	if journal != s.journal.bytes || own != s.own {
		t.Errorf("%d bytes of changes, said to be %d; %d others, said to be %d", journal, s.journal.bytes, own, s.own)
	}
	return journal + own
}

// Restless has walks over what the memory has read a clock that goes on by step whenever it is read, and
// returns how often they have rested.
func (m *Memory) Restless(step time.Duration) (rests func() int) {
	now, n := time.Time{}, 0
	m.timer.Clock = func() time.Time {
		now = now.Add(step)
		return now
	}
	m.timer.Rest = func() { n++ }
	return func() int { return n }
}

// places returns the places of the block's records.
func (b *block) places() (all []uint64) {
	for place := b.kept; place < b.end(); place += uint64(b.at(place).size) {
		all = append(all, place)
	}
	return all
}
