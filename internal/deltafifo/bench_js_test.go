//go:build js

package deltafifo

import "testing"

// benchTheirs is native: the tab has nothing of client-go.
func benchTheirs(*testing.B, int, []*bench) {}
