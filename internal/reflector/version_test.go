package reflector

import (
	"math/big"
	"testing"

	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// agedPairs are pairs of which the first is older, or not.
var agedPairs = []struct {
	a, b string
	want bool
}{
	{"9", "10", true}, {"10", "9", false}, {"10", "10", false}, {"19", "20", true},
	{"", "1", false}, {"1", "", false}, {"a", "b", false}, {"0", "1", false}, {"1", "01", false}, {"-2", "1", false}, {"+1", "2", false}, {"1", "٢", false},
	{"99999999999999999999", "100000000000000000000", true},
}

func TestOlder(t *testing.T) {
	for _, c := range agedPairs {
		if older(c.a, c.b) != c.want {
			t.Error(c)
		}
	}
}

// FuzzOlder compares the order of versions with that of numbers of any length, and with
// apimachinery's.
func FuzzOlder(f *testing.F) {
	for _, c := range agedPairs {
		f.Add(c.a, c.b)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := number(a), number(b)
		want := x != nil && y != nil && x.Cmp(y) < 0
		if older(a, b) != want {
			t.Errorf("%q is older than %q: %v", a, b, !want)
		}
		if theirs, err := resourceversion.CompareResourceVersion(a, b); (err == nil && theirs < 0) != want {
			t.Errorf("%q and %q: apimachinery says %d, %v", a, b, theirs, err)
		}
	})
}

// number returns a version as a number, or nil.
func number(version string) *big.Int {
	n, ok := new(big.Int).SetString(version, 10)
	if !ok || n.Sign() <= 0 || n.String() != version {
		return nil
	}
	return n
}
