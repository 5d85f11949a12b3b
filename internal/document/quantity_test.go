package document

import (
	"fmt"
	"math"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
)

// TestQuantity holds sums to apimachinery's.
func TestQuantity(t *testing.T) {
	all := []string{"0", "1", "100m", "1500m", "250m", "2", "1Gi", "512Mi", "1536Mi", "128974848", "129M", "1Ki", "1023", "10k", "3T", "64Gi", "100Mi", "1500Mi", "-5", "0.5Gi"}
	for _, a := range all {
		for _, b := range append(all, "") {
			want := resource.MustParse(a)
			sum := ParseQuantity(a)
			if b != "" {
				want.Add(resource.MustParse(b))
				sum = sum.Plus(ParseQuantity(b))
			}
			if got := sum.String(); got != want.String() {
				t.Errorf("%s + %s = %s, and should be %s", a, b, got, &want)
			}
		}
	}
	for n := range 10_000 { // every one of them: floats err only in some
		for _, text := range []string{fmt.Sprint(n, "m"), fmt.Sprintf("%d.%03d", n/1000, n%1000), fmt.Sprint(n, "000u"), fmt.Sprintf("%d.%03dk", n/1000, n%1000)} {
			want := resource.MustParse(text)
			if got := ParseQuantity(text); got.Milli != want.MilliValue() {
				t.Errorf("%s is %d thousandths, and should be %d", text, got.Milli, want.MilliValue())
			}
		}
	}
	if q := ParseQuantity("12E").Plus(ParseQuantity("1")); q.Milli != math.MaxInt64 {
		t.Errorf("more than fits is %d", q.Milli)
	}
	if q := ParseQuantity("129e6"); q.Milli != 129e9 {
		t.Error(q)
	}
	for _, none := range []string{"", "x", "1x", "Ki", "--1", "1.2.3"} {
		if q := ParseQuantity(none); q.Milli != 0 {
			t.Errorf("%q is %d", none, q.Milli)
		}
	}
}
