package focus

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/detail"
	"watchglass/internal/object"
)

// TestMerge checks that a version of which one source has a row and another all is the whole one, as of when
// it was first seen.
func TestMerge(t *testing.T) {
	kind := object.Kind{Group: "example.com", Version: "v1", Resource: "things", Name: "Thing"}
	decoder := object.NewDecoder(kind, true)
	version := func(n, size, second int) detail.Observation {
		o, err := decoder.Decode(fmt.Appendf(nil, `{"kind":"Thing","apiVersion":"example.com/v1","metadata":{"name":"a","resourceVersion":"%d"},"x":%q}`, n, strings.Repeat("x", size)))
		if err != nil {
			t.Fatal(err)
		}
		return detail.Observation{Object: o, At: time.Unix(int64(second), 0)}
	}
	var got []string
	for _, s := range merge([]detail.Observation{version(1, 0, 1), version(2, 0, 2), version(4, 0, 4), version(2, 50, 3), version(3, 50, 3)}) {
		got = append(got, fmt.Sprint(s.Object.Version(), "@", s.At.Unix(), ":", len(s.Object.Packed()) > 100))
	}
	if want := []string{"1@1:false", "2@2:true", "3@3:true", "4@4:false"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
