package object

import (
	"testing"
	"unsafe"
)

// TestObjectSize limits the size of an Object, since there may be a million. The allocator's
// next size class after 128 bytes is 144.
func TestObjectSize(t *testing.T) {
	if n := unsafe.Sizeof(Object{}); n > 128 {
		t.Errorf("an Object has %d bytes", n)
	}
}
