//go:build !js

package session

import (
	"testing"
	"time"
)

// TestRenew checks when a session is renewed, and when it cannot be extended.
func TestRenew(t *testing.T) {
	now := time.Now()
	l := Life{Session: 10 * time.Minute, Most: time.Hour}
	s := l.Begin(now)
	if s.Renew() != now.Add(7*time.Minute) {
		t.Errorf("%v", s.Renew().Sub(now))
	}
	late := l.Renew(s, now.Add(55*time.Minute))
	if late.Expires != now.Add(time.Hour) || late.Renew() != late.Expires {
		t.Errorf("%v, %v", late.Expires.Sub(now), late.Renew().Sub(now))
	}
	ends := s.RenewableUntil(now.Add(4 * time.Minute))
	if ends.Expires != now.Add(4*time.Minute) || ends.Renew() != ends.Expires || !s.RenewableUntil(time.Time{}).Expires.Equal(s.Expires) {
		t.Errorf("%v, %v", ends.Expires.Sub(now), ends.Renew().Sub(now))
	}
}
