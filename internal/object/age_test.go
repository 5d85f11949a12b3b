//go:build !js

package object

import (
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

// TestAge compares ages with kubectl's, for every second of ten days and for samples beyond.
func TestAge(t *testing.T) {
	check := func(s int64) {
		if got, want := string(appendAge(nil, s)), duration.HumanDuration(time.Duration(s)*time.Second); got != want {
			t.Fatalf("%d seconds: want %s, got %s", s, want, got)
		}
	}
	for s := int64(-5); s < 10*day; s++ {
		check(s)
	}
	for s := int64(10 * day); s < 12*year; s += 997 {
		check(s)
	}
}
