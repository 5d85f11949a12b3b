package detail

import (
	"math"
	"math/bits"
	"strconv"
	"strings"

	"watchglass/internal/document"
)

// quantity is an amount in thousandths, which is exact enough for pod requests. Larger amounts
// are clamped to the largest that fits.
type quantity struct {
	milli  int64
	binary bool // written with Ki, Mi …
}

// parseQuantity parses a quantity as kubectl writes it. It returns zero for anything else.
//
//go:noinline
func parseQuantity(text string) quantity {
	end := len(text)
	for end > 0 && strings.IndexByte("0123456789.", text[end-1]) < 0 {
		end--
	}
	number, suffix := text[:end], text[end:]
	if strings.ContainsAny(number, "eE") { // 1e3
		n, _ := strconv.ParseFloat(number, 64)
		return quantity{milli: clamp(n * 1000)}
	}
	whole, part, _ := strings.Cut(number, ".")
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil && whole != "" && whole != "-" && whole != "+" {
		return quantity{}
	}
	q := quantity{binary: strings.HasSuffix(suffix, "i")}
	factor, ok := factors[suffix]
	if !ok {
		return quantity{}
	}
	if part == "" && factor >= 1 && abs(n) <= math.MaxInt64/1000/int64(factor) {
		q.milli = n * 1000 * int64(factor)
		return q
	}
	f, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return quantity{}
	}
	q.milli = clamp(ceil(f * factor * 1000))
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

// plus returns the sum, in the notation of its first nonzero part.
//
//go:noinline
func (q quantity) plus(o quantity) quantity {
	if q.milli == 0 {
		q.binary = o.binary
	}
	if sum := q.milli + o.milli; o.milli < 0 || sum >= q.milli {
		q.milli = sum
	} else {
		q.milli = math.MaxInt64
	}
	return q
}

// atLeast returns the larger of the two.
func (q quantity) atLeast(o quantity) quantity {
	if o.milli > q.milli {
		return o
	}
	return q
}

// String formats the quantity as kubectl does: in the largest unit in which it is whole.
func (q quantity) String() string {
	if q.milli%1000 != 0 {
		return strconv.FormatInt(q.milli, 10) + "m"
	}
	n := q.milli / 1000
	step, units := int64(1000), []string{"", "k", "M", "G", "T", "P", "E"}
	if q.binary && abs(n) >= 1024 {
		step, units = 1024, []string{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
	}
	unit := 0
	for n != 0 && n%step == 0 && unit < len(units)-1 {
		n /= step
		unit++
	}
	return strconv.FormatInt(n, 10) + units[unit]
}

// percent returns q as a percentage of another quantity. It uses floats as kubectl describe
// does for a node, so that 29 of 100 is 28%.
func (q quantity) percent(of quantity) string {
	if of.milli == 0 {
		return "0%"
	}
	return strconv.FormatInt(int64(float64(q.milli)/float64(of.milli)*100), 10) + "%"
}

// exactPercent returns q as a percentage of another quantity, rounded down. Neither may be
// negative.
func (q quantity) exactPercent(of quantity) string {
	high, low := bits.Mul64(uint64(q.milli), 100)
	if high >= uint64(of.milli) {
		return strconv.FormatInt(math.MaxInt64, 10) + "%"
	}
	share, _ := bits.Div64(high, low, uint64(of.milli))
	return strconv.FormatUint(share, 10) + "%"
}

// quantities are amounts by resource name.
type quantities map[string]quantity

// add adds other quantities; with raise it takes the larger of each pair instead.
func (qs quantities) add(others quantities, raise bool) {
	for name, q := range others {
		if raise {
			q = qs[name].atLeast(q)
		} else {
			q = qs[name].plus(q)
		}
		qs[name] = q
	}
}

// listed returns the amounts of a resource list.
func listed(list document.Value) quantities {
	qs := quantities{}
	for _, name := range list.Keys() {
		qs[name] = parseQuantity(list.At(name).Text())
	}
	return qs
}

// podQuantities returns the requests or limits of a pod. That is the sum of its containers, or
// the needs of an init container together with the sidecars before it, if those are larger.
// Resources set for the pod as a whole override this. A running container counts with the
// resources it was allocated, if those are larger.
func podQuantities(pod document.Value, which string) quantities {
	given := make(map[string]document.Value)
	for _, s := range append(pod.ListAt("status.containerStatuses"), pod.ListAt("status.initContainerStatuses")...) {
		given[s.TextAt("name")] = s
	}
	sum, sidecars, starting := quantities{}, quantities{}, quantities{}
	for _, c := range pod.ListAt("spec.containers") {
		sum.add(containerQuantities(c, given[c.TextAt("name")], which), false)
	}
	for _, c := range pod.ListAt("spec.initContainers") {
		if c.TextAt("restartPolicy") != "Always" {
			own := containerQuantities(c, document.Value{}, which)
			own.add(sidecars, false)
			starting.add(own, true)
			continue
		}
		own := containerQuantities(c, given[c.TextAt("name")], which)
		sum.add(own, false)
		sidecars.add(own, false)
		starting.add(sidecars, true)
	}
	sum.add(starting, true)
	for name, q := range listed(pod.Get("spec.resources." + which)) {
		if name == "cpu" || name == "memory" || strings.HasPrefix(name, "hugepages-") {
			sum[name] = q
		}
	}
	for name, q := range listed(pod.Get("spec.overhead")) {
		if which == "requests" || sum[name].milli != 0 {
			sum[name] = sum[name].plus(q)
		}
	}
	return sum
}

func containerQuantities(c, given document.Value, which string) quantities {
	own := listed(c.Get("resources." + which))
	own.add(listed(given.Get("resources."+which)), true)
	if which == "requests" && given.Get("resources").Exists() {
		own.add(listed(given.Get("allocatedResources")), true)
	}
	return own
}
