package object

import (
	"testing"
	"unsafe"
)

// TestObjectSize holds what each of a million objects costs: the allocator's next
// class behind 112 bytes is 128.
func TestObjectSize(t *testing.T) {
	if n := unsafe.Sizeof(Object{}); n > 112 {
		t.Errorf("an Object has %d bytes", n)
	}
}
