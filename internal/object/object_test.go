package object

import (
	"testing"
	"unsafe"
)

// TestObjectSize limits the size of an Object, since there may be a million. The allocator's
// next size class after 112 bytes is 128.
func TestObjectSize(t *testing.T) {
	if n := unsafe.Sizeof(Object{}); n > 112 {
		t.Errorf("an Object has %d bytes", n)
	}
}
