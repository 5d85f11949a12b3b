//go:build !js

package main

import (
	"bytes"
	"testing"
)

// TestReader refuses numbers that are cut off, or larger than an int.
func TestReader(t *testing.T) {
	large := append(bytes.Repeat([]byte{0xff}, 9), 1) // 2^64-1
	for _, b := range [][]byte{{}, {0x80}, {0xff, 0xff}, large, bytes.Repeat([]byte{0x80}, 11)} {
		r := reader{b: b}
		if n := r.uint(); !r.bad {
			t.Errorf("%x is a number without a sign: %d", b, n)
		}
	}
	for _, b := range [][]byte{{}, {0x80}, {0xff, 0xff}, bytes.Repeat([]byte{0x80}, 11)} {
		r := reader{b: b}
		if n := r.int(); !r.bad {
			t.Errorf("%x is a number with a sign: %d", b, n)
		}
	}
}
