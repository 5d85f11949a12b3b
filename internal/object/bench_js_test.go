//go:build js

package object

import "testing"

// theirDecode is native: the tab has nothing of client-go.
func theirDecode(*testing.B) {}
