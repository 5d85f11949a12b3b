//go:build js

package indexer

import "testing"

// The tab has nothing of client-go to compare with.

func theirReplace(*testing.B, []*pod, []*pod)         {}
func theirUpdate(*testing.B, []*pod, []*pod)          {}
func theirByIndex(*testing.B, []*pod, string, string) {}
