package document

import (
	"math"
	"math/bits"
	"strconv"
)

// Sum is a sum of thousandths. It is exact whatever is added and removed, because it has 128 bits.
type Sum struct{ high, low uint64 } // two's complement

// Add adds thousandths.
func (s *Sum) Add(milli int64) {
	var carry uint64
	s.low, carry = bits.Add64(s.low, uint64(milli), 0)
	s.high, _ = bits.Add64(s.high, uint64(milli>>63), carry)
}

// Clamped returns the sum, clamped to what a quantity can be. Less than 0 is the most, too: a sum
// that large has wrapped.
func (s Sum) Clamped() int64 {
	if s.high == 0 && s.low <= math.MaxInt64 {
		return int64(s.low)
	}
	return math.MaxInt64
}

// Float returns the sum, not in thousandths.
func (s Sum) Float() float64 {
	return (float64(int64(s.high))*(1<<64) + float64(s.low)) / 1000
}

// Text formats the sum as kubectl formats a quantity, in Ki, Mi … if binary.
func (s Sum) Text(binary bool) string {
	switch {
	case s.high == 0 && s.low <= math.MaxInt64, s.high == math.MaxUint64 && s.low > math.MaxInt64:
		return NewQuantity(int64(s.low), binary).String()
	case s.high < 1000: // thousandths no longer matter
		if n, _ := bits.Div64(s.high, s.low, 1000); n <= math.MaxInt64 {
			return whole(int64(n), binary)
		}
	}
	return strconv.FormatFloat(s.Float(), 'g', 4, 64)
}
