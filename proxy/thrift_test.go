//go:build !js

package main

import "testing"

func TestRush(t *testing.T) {
	const small, large = 100 << 10, 10 << 20
	var r rush
	at := uint64(0)
	for i, step := range []struct {
		allocated uint64
		over      bool
	}{
		{small, false},
		{large, false}, // it goes on
		{large, false},
		{small, true},
		{small, false}, // once
		{large, false},
		{0, true},
	} {
		at += step.allocated
		if over := r.over(at); over != step.over {
			t.Errorf("look %d: over %v", i, over)
		}
	}
	over := 0
	for range 100 { // what beats and bookmarks take adds up, too
		at += small
		if r.over(at) {
			over++
		}
	}
	if over != 100*small/rushBytes {
		t.Errorf("at rest it is given back %d times in 100 looks", over)
	}
}
