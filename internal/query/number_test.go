//go:build !js

package query

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
)

// FuzzNumber holds numbers to apimachinery's quantities: what both take is the
// same number. Here there are also parts of a hundred and fractions, and an
// exponent may stand before a suffix; but a number has digits, and is a float64.
func FuzzNumber(f *testing.F) {
	for _, text := range []string{"0", "5", "-1", "+1", "0.5", ".5", "5.", "500m", "1500m", "10Ki", "1.5Gi", "7k", "2M", "1E", "1e3", "1E3", "1E-3", "3Ei", "100n", "100u", "1K", "1Kii", "", "-", ".", "1_0", "0x1", "inf", "NaN", "1e", "12345678901", "999999999", "1ki"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 100 || len(text) > 8 && strings.ContainsAny(text, "eE") {
			return // no float64; and apimachinery takes its time
		}
		got, ok := parseNumber(text)
		q, err := resource.ParseQuantity(text)
		if ours := strings.ContainsAny(text, "%/eE") || !strings.ContainsAny(text, "0123456789"); ok != (err == nil) && !ours {
			t.Fatalf("%q: apimachinery says %v", text, err)
		}
		want := q.AsApproximateFloat64()
		if ok && err == nil && math.Abs(got-want) > 1e-9*math.Abs(want)+1e-9 && math.Abs(want) < 9e18 {
			t.Fatalf("%q is %v, and apimachinery has %v", text, got, want)
		}
	})
}

func TestAmounts(t *testing.T) {
	for text, want := range map[string]float64{"1/2": .5, "50%": .5, "0/0": 1, "2/4": .5, "500m": .5, "1Gi": 1 << 30, "1e3": 1000, "1E": 1e18, "1E3": 1000, "12345678901": 12345678901, "3/0": math.Inf(1)} {
		if got, ok := parseNumber(text); !ok || got != want {
			t.Errorf("%q is %v", text, got)
		}
	}
	for n := range 10_000 {
		thousandths, percent := fmt.Sprintf("%d.%03d", n/1000, n%1000), fmt.Sprintf("%d.%02d", n/100, n%100)
		for text, same := range map[string]string{fmt.Sprint(n, "m"): thousandths, fmt.Sprint(n, "000u"): thousandths, fmt.Sprint(n, "%"): percent} {
			got, _ := parseNumber(text)
			if want, _ := parseNumber(same); got != want {
				t.Errorf("%s is not %s", text, same)
			}
		}
	}
	for text, want := range map[string][2]float64{"90s": {90, 1}, "1h30m": {5400, 60}, "3d": {259200, 86400}, "2w": {1209600, 604800}, "1y2d": {31708800, 86400}, "1.5h": {5400, 3600}, "0": {0, 1}} {
		if got, unit, ok := parseDuration(text); !ok || got != want[0] || unit != want[1] {
			t.Errorf("%q is %v to %v", text, got, unit)
		}
	}
	for _, text := range []string{"", "5", "1x", "m", "1m1h", "1m1m", "-1m", "1h 2m", "h1", "1.2.3h"} {
		if _, _, ok := parseDuration(text); ok {
			t.Errorf("%q is a duration", text)
		}
	}
}
