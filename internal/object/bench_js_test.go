//go:build js

package object

import "testing"

// theirDecode is native only: the tab has no client-go.
func theirDecode(*testing.B) {}
