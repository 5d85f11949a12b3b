//go:build !js

package limit

import (
	"testing"
	"testing/synctest"
	"time"
)

// TestLimiters checks that the number of addresses and sessions with a limit of their own is bounded.
func TestLimiters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newLimiters[int](AddressRate, AddressBurst)
		for key := range maxLimiters {
			s.get(1 + key).Allow()
		}
		newcomer := maxLimiters + 1
		for range AddressBurst {
			s.get(newcomer).Allow()
			newcomer++
		}
		if s.get(newcomer).Allow() {
			t.Error("beyond the bound newcomers have a share each")
		}
		if len(s.byKey) > maxLimiters+1 {
			t.Errorf("%d keys", len(s.byKey))
		}
		time.Sleep(time.Minute)
		if s.get(newcomer); len(s.byKey) != 1 {
			t.Errorf("%d keys are remembered for nothing", len(s.byKey))
		}
	})
}
