package recording

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"testing"
)

// TestSum checks that texts that differ in little, as versions do, have different checksums, and that equal ones
// do not.
func TestSum(t *testing.T) {
	known := make(map[uint64]string)
	add := func(b []byte) {
		t.Helper()
		if before, ok := known[sum(b)]; ok && before != string(b) {
			t.Fatalf("%q and %q have the same checksum", before, b)
		}
		known[sum(b)] = string(b)
		if sum(b) != sum(bytes.Clone(b)) || sum(b) == 0 {
			t.Fatalf("the checksum of %q", b)
		}
	}
	for length := range 70 {
		add(make([]byte, length))
		add(bytes.Repeat([]byte{0xff}, length))
		for at := range length { // one bit, and two bits 8 bytes apart
			for bit := range 8 {
				b := make([]byte, length)
				b[at] = 1 << bit
				add(b)
				if at+8 < length {
					b[at+8] = 1 << bit
					add(b)
				}
			}
		}
	}
	for version := range 100_000 {
		add(fmt.Appendf(nil, "the same before it %d and behind", version))
	}
}

// BenchmarkSum compares with hash/maphash: see sum.
func BenchmarkSum(b *testing.B) {
	payload := bytes.Repeat([]byte("a payload "), 300)
	b.Run("sum", func(b *testing.B) {
		for b.Loop() {
			sum(payload)
		}
	})
	seed := maphash.MakeSeed()
	b.Run("maphash", func(b *testing.B) {
		for b.Loop() {
			maphash.Bytes(seed, payload)
		}
	})
}
