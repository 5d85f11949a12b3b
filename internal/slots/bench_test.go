package slots

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkLenAnd counts what two sets of slots below 100,000 share, with 30 % of them and with 0.1 %: as
// bitmaps, and with a map that is asked for each slot of a list.
func BenchmarkLenAnd(b *testing.B) {
	for _, perMille := range []int{300, 1} {
		var bitmaps [2]Bits
		var lists [2][]uint32
		asked := map[uint32]bool{}
		for slot := range uint32(100_000) {
			for i := range lists {
				if rand.IntN(1000) < perMille {
					bitmaps[i].Add(slot)
					lists[i] = append(lists[i], slot)
					asked[slot] = asked[slot] || i == 0
				}
			}
		}
		b.Run(fmt.Sprintf("%d/bits", perMille), func(b *testing.B) {
			for b.Loop() {
				bitmaps[0].LenAnd(&bitmaps[1])
			}
		})
		b.Run(fmt.Sprintf("%d/map", perMille), func(b *testing.B) {
			for b.Loop() {
				n := 0
				for _, slot := range lists[1] {
					if asked[slot] {
						n++
					}
				}
			}
		})
	}
}
