//go:build unix

package view

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"watchglass/internal/columns"
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
	var table columns.Table
	kept := newTexts(&table, Shape{}, new(columns.Dictionaries))
	x := &columns.Text{Place: -1, Of: func(*object.Object) string { return strings.Join(values, object.BetweenValues) }}
	kept.columns[0] = x
	table.AddColumn(x)
	table.Add(newMaker(t).make("ns", "web", "", 1, 0, "", ""))
	f := &facet{values: &columns.Values{Split: valuesIn}}
	var counts facetCounts
	least = cputest.Least(t, func() {
		f.values.Forget()
		counts.count(f, kept, table.Live(), nil)
	})
	if counts.live != n || counts.values[0].count != 1 {
		t.Errorf("%d values of %d", counts.live, n)
	}
	return least
}
