package document

import (
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// Quantity is an amount in thousandths, which is exact enough for pod requests. Larger amounts
// are clamped to the largest that fits.
type Quantity struct {
	Milli  int64
	binary bool // written with Ki, Mi …
}

// ParseQuantity parses a quantity as kubectl writes it. It returns zero for anything else.
//
//go:noinline
func ParseQuantity(text string) Quantity {
	end := len(text)
	for end > 0 && strings.IndexByte("0123456789.", text[end-1]) < 0 {
		end--
	}
	number, suffix := text[:end], text[end:]
	if strings.ContainsAny(number, "eE") { // 1e3
		n, _ := strconv.ParseFloat(number, 64)
		return Quantity{Milli: clamp(n * 1000)}
	}
	whole, part, _ := strings.Cut(number, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil && whole != "" && whole != "-" && whole != "+" {
		return Quantity{}
	}
	q := Quantity{binary: strings.HasSuffix(suffix, "i")}
	factor, ok := factors[suffix]
	if !ok {
		return Quantity{}
	}
	if part == "" && factor >= 1 && abs(n) <= math.MaxInt64/1000/int64(factor) {
		q.Milli = n * 1000 * int64(factor)
		return q
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return Quantity{}
	}
	q.Milli = clamp(ceil(f * factor * 1000))
	return q
}

// ceil rounds up, ignoring floating-point error: 29 × 0.001 × 1000 is slightly more than 29.
func ceil(f float64) float64 {
	const slack = 1e-15
	return math.Ceil(f - math.Abs(f)*slack)
}

func abs(n int64) int64 { return max(n, -n) }

func clamp(f float64) int64 {
	if f >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(max(f, -math.MaxInt64))
}

var factors = map[string]float64{
	"n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
	"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40, "Pi": 1 << 50, "Ei": 1 << 60,
}

// Plus returns the sum, in the notation of its first nonzero part.
//
//go:noinline
func (q Quantity) Plus(o Quantity) Quantity {
	if q.Milli == 0 {
		q.binary = o.binary
	}
	if sum := q.Milli + o.Milli; o.Milli < 0 || sum >= q.Milli {
		q.Milli = sum
	} else {
		q.Milli = math.MaxInt64
	}
	return q
}

// AtLeast returns the larger of the two.
func (q Quantity) AtLeast(o Quantity) Quantity {
	if o.Milli > q.Milli {
		return o
	}
	return q
}

// String formats the quantity as kubectl does: in the largest unit in which it is whole.
func (q Quantity) String() string {
	if q.Milli%1000 != 0 {
		return strconv.FormatInt(q.Milli, 10) + "m"
	}
	return wholeText(q.Milli/1000, q.binary)
}

// wholeText formats a whole number in the largest unit in which it is whole.
func wholeText(n int64, binary bool) string {
	step, units := int64(1000), []string{"", "k", "M", "G", "T", "P", "E"}
	if binary && abs(n) >= 1024 {
		step, units = 1024, []string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
	}
	unit := 0
	for n != 0 && n%step == 0 && unit < len(units)-1 {
		n /= step
		unit++
	}
	return strconv.FormatInt(n, 10) + units[unit]
}

// Percent returns q as a percentage of another quantity. It uses floats as kubectl describe
// does for a node, so that 29 of 100 is 28%.
func (q Quantity) Percent(of Quantity) string {
	if of.Milli == 0 {
		return "0%"
	}
	return strconv.FormatInt(int64(float64(q.Milli)/float64(of.Milli)*100), 10) + "%"
}

// ExactPercent returns q as a percentage of another quantity, rounded down. Neither may be
// negative.
func (q Quantity) ExactPercent(of Quantity) string {
	high, low := bits.Mul64(uint64(q.Milli), 100)
	if high >= uint64(of.Milli) {
		return strconv.FormatInt(math.MaxInt64, 10) + "%"
	}
	share, _ := bits.Div64(high, low, uint64(of.Milli))
	return strconv.FormatUint(share, 10) + "%"
}
