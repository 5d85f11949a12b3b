//go:build !js

package main

import "testing"

func TestSpike(t *testing.T) {
	const small, large = 100 << 10, 10 << 20
	var s spike
	at := uint64(0)
	for i, step := range []struct {
		allocated uint64
		over      bool
	}{
		{small, false},
		{large, false}, // not over yet
		{large, false},
		{small, true},
		{small, false}, // once
		{large, false},
		{0, true},
	} {
		at += step.allocated
		if over := s.over(at); over != step.over {
			t.Errorf("check %d: over %v", i, over)
		}
	}
	over := 0
	for range 100 { // heartbeats and bookmarks add up
		at += small
		if s.over(at) {
			over++
		}
	}
	if over != 100*small/spikeBytes {
		t.Errorf("at rest memory is returned %d times in 100 checks", over)
	}
}
