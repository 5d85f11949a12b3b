//go:build unix

package view

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"testing"
	"time"

	"watchglass/internal/cputest"
	"watchglass/internal/object"
)

// TestFacetManyValues checks that the time to count an object grows with the number of its values, not with the square of
// it: a label or an image list may be as long as an object may be large.
func TestFacetManyValues(t *testing.T) {
	const short, long = 5_000, 40_000
	one, more := fastest(t, short), fastest(t, long)
	// Time that grows with the number would be 8 times as long, more if the values leave the cache, and with its square 64 times.
	if more > 24*max(one, 4*time.Millisecond) {
		t.Errorf("%d values take %v, %d values %v", short, one, long, more)
	}
}

// fastest returns the least processor time in which an object with n values is counted in three tries.
func fastest(t *testing.T, n int) (least time.Duration) {
	values := make([]string, n)
	for i := range values {
		values[i] = fmt.Sprint("registry/image-", i)
	}
	f := &facet{place: -1, shared: true, many: func(*object.Object) iter.Seq[string] { return slices.Values(values) }}
	f.reset()
	o := newMaker(t).make("ns", "web", "", 1, 0, "", "")
	f.add(o, +1, nil)
	f.turn = math.MaxUint32 // the number of the next object is 0
	least = cputest.Least(t, func() {
		f.add(o, -1, nil)
		f.add(o, +1, nil)
	})
	if again := f.counts[values[0]]; f.live != n || again.count != 1 {
		t.Errorf("%d values of %d, of the first %d objects", f.live, n, again.count)
	}
	return least
}
