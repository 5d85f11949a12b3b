package recording

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/history/historytest"
)

// nodeOf returns the part of a payload that names its node.
func nodeOf(payload []byte) []byte {
	_, rest, _ := bytes.Cut(payload, []byte(`"nodeName":"`))
	node, _, _ := bytes.Cut(rest, []byte(`"`))
	return node
}

// TestVersions holds that all parts that the objects of a record ever had are passed, of a file and of any other record,
// that what is passed with them was passed before, and that a file passes few versions whose part is the same.
func TestVersions(t *testing.T) {
	for round := range uint64(8) {
		rng := rand.New(rand.NewPCG(round, 3))
		plain := randomRecord(rng, 800)
		from, to := plain.Span()
		file := reread(t, plain)
		for _, begin := range []time.Time{from, from.Add(to.Sub(from) / 3)} {
			for i := range file.streams {
				end := changeAfter(plain, i, begin.Add(to.Sub(from)/2))
				want := partsOf(plain, i, begin, end)
				for _, record := range []history.Record{plain, file} {
					w := newWalk(record, begin, end, Choices{}, func() error { return nil })
					if got, _ := versionsOf(t, w, i); !maps.Equal(got, want) {
						t.Fatalf("%T: %d parts, want %d", record, len(got), len(want))
					}
				}
			}
		}
	}
}

// changeAfter returns when the first change after a moment is.
func changeAfter(record history.Record, stream int, after time.Time) (at time.Time) {
	record.Between(stream, after, after.Add(time.Hour), func(c history.Change) bool {
		at = c.At
		return false
	})
	return at
}

// lossyRecord lacks every third change, as if there had been gaps.
type lossyRecord struct{ *historytest.Model }

// Between is history.Record's.
func (l lossyRecord) Between(stream int, from, to time.Time, yield func(history.Change) bool) {
	n := 0
	l.Model.Between(stream, from, to, func(c history.Change) bool {
		n++
		return n%3 == 0 || yield(c)
	})
}

// TestVersionsLost holds that a version which nobody has passed is not said to have been, even if the next one follows
// from it.
func TestVersionsLost(t *testing.T) {
	plain := randomRecord(rand.New(rand.NewPCG(6, 3)), 800)
	from, to := plain.Span()
	for i := range plain.Streams() {
		w := newWalk(lossyRecord{plain}, from, to, Choices{}, func() error { return nil })
		if _, n := versionsOf(t, w, i); n == 0 {
			t.Error("no versions")
		}
	}
}

// partsOf returns the parts of the objects of a stream in a time, by going through it.
func partsOf(record history.Record, stream int, from, to time.Time) map[string]bool {
	all := make(map[string]bool)
	record.At(stream, from, func(o history.Object) bool {
		all[o.Key+" "+string(nodeOf(o.Payload))] = true
		return true
	})
	record.Between(stream, from, to, func(c history.Change) bool {
		if c.After != nil {
			all[c.Key+" "+string(nodeOf(c.After))] = true
		}
		return true
	})
	return all
}

// versionsOf returns the parts of the versions that a walk passes, and the number of versions.
func versionsOf(t *testing.T, w *walk, stream int) (parts map[string]bool, n int) {
	t.Helper()
	parts, passed := make(map[string]bool), map[string]bool{"": true}
	err := w.eachVersion(stream, nodeOf, func(key string, had, payload []byte) {
		if !passed[string(nodeOf(had))] {
			t.Fatalf("%s: %q was not passed before", key, had)
		}
		passed[string(nodeOf(payload))] = true
		parts[key+" "+string(nodeOf(payload))] = true
		n++
	})
	if err != nil {
		t.Fatal(err)
	}
	return parts, n
}

// TestVersionsSkip holds that versions whose part is that of the one before are not passed, but for those that the file
// has whole, and that this is also so if other parts grow and shrink.
func TestVersionsSkip(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	plain := randomRecord(rng, 1)
	at := begun.Add(time.Second)
	for i := range 300 {
		at = at.Add(time.Second)
		plain.Put(0, at, "a/b", "uid", fmt.Appendf(nil, `{"metadata":{"resourceVersion":"%0*d"},"spec":{"nodeName":"node-%d"},"status":{"message":"%0*d"}}`, 1+rng.IntN(60), i, i/100, rng.IntN(9), i))
	}
	file := reread(t, plain)
	for name, record := range map[string]history.Record{"file": file, "another": plain} {
		pauses := 0
		parts, n := versionsOf(t, newWalk(record, begun.Add(time.Second), at, Choices{}, func() error { pauses++; return nil }), 0)
		if pauses < 300/portion {
			t.Errorf("%s: %d pauses in 300 changes", name, pauses)
		}
		most := 3
		if record == file {
			most += 300/wholeEvery + 1
		}
		if all := slices.Sorted(maps.Keys(parts)); n < 3 || n > most || !slices.Equal(all[len(all)-3:], []string{"a/b node-0", "a/b node-1", "a/b node-2"}) {
			t.Errorf("%s: %d versions: %q", name, n, all)
		}
	}
}
