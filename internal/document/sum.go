package document

import (
	"math"
	"math/bits"
	"strconv"
)

// Sum is a sum of thousandths. It is exact whatever is added and removed: it is high times carry plus
// low, which is less than carry in either direction and of the same sign.
type Sum struct{ high, low int64 }

// carry is half of what low could hold, so that nearly every addition is only that.
const carry = 1 << 62

// Add adds thousandths.
func (s *Sum) Add(milli int64) {
	if low := s.low + milli; s.high == 0 && milli < carry && milli > -carry && low < carry && low > -carry {
		s.low = low
		return
	}
	s.addLarge(milli)
}

// AddTimes adds thousandths a number of times, or removes them once if that is -1.
func (s *Sum) AddTimes(milli int64, times int) {
	product, quick := milli*int64(times), times == 1 || times == -1 || times < 1<<20 && milli < 1<<42 && milli > -1<<42
	if quick || product/int64(times) == milli { // a division takes long
		s.Add(product)
		return
	}
	s.AddTimes(milli, times/2)
	s.AddTimes(milli, times-times/2)
}

func (s *Sum) addLarge(milli int64) {
	s.low += milli % carry
	s.high += milli/carry + s.low/carry
	s.low %= carry
	switch {
	case s.high > 0 && s.low < 0:
		s.high, s.low = s.high-1, s.low+carry
	case s.high < 0 && s.low > 0:
		s.high, s.low = s.high+1, s.low-carry
	}
}

// Merge adds another sum.
func (s *Sum) Merge(o Sum) {
	s.high += o.high
	s.addLarge(o.low)
}

// Clamped returns the sum, clamped to what a quantity can be.
func (s Sum) Clamped() int64 {
	switch {
	case s.high > 1:
		return math.MaxInt64
	case s.high < -1:
		return -math.MaxInt64
	}
	return s.high*carry + s.low
}

// Float returns the sum, not in thousandths.
func (s Sum) Float() float64 { return (float64(s.high)*carry + float64(s.low)) / 1000 }

// Text formats the sum as kubectl formats a quantity, in Ki, Mi … if binary.
func (s Sum) Text(binary bool) string {
	if s.high >= -1 && s.high <= 1 {
		return NewQuantity(s.Clamped(), binary).String()
	}
	if high, low := bits.Mul64(uint64(max(s.high, 0)), carry); s.high > 0 && high < 1000 {
		if n, _ := bits.Div64(high, low+uint64(s.low), 1000); n <= math.MaxInt64 { // thousandths no longer matter
			return wholeText(int64(n), binary)
		}
	}
	return strconv.FormatFloat(s.Float(), 'g', 4, 64)
}
