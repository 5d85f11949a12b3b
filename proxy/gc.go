//go:build !js

package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// garbagePercent is the GOGC of the proxy. It produces little garbage, so collecting more often
// than usual costs little, and saves memory per tab.
const garbagePercent = 25

// gc returns memory to the operating system until the context ends: after each spike of
// allocations, such as creating the demo cluster or relaying a list. Go itself waits for the
// next collection, which an idle proxy may not reach for minutes.
func gc(ctx context.Context) {
	debug.SetGCPercent(garbagePercent)
	debug.FreeOSMemory()
	allocated := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	var s spike
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		metrics.Read(allocated)
		if s.over(allocated[0].Value.Uint64()) {
			runtime.GC() // a sync.Pool drops its items at the second collection
			debug.FreeOSMemory()
		}
	}
}

const (
	// lookEvery is how often gc checks whether a spike is over.
	lookEvery = time.Second

	// spikeBytes is the size from which allocations are a spike. It is over when less than
	// restBytes are allocated between two checks.
	spikeBytes = 2 << 20
	restBytes  = 256 << 10
)

// spike detects the end of a spike of allocations.
type spike struct {
	before uint64 // total at the last check
	much   uint64 // since the end of the last spike
}

// over reports whether a spike has just ended, given the total of allocated bytes. It is true
// once for each spike.
func (s *spike) over(allocated uint64) bool {
	since := allocated - s.before
	s.before = allocated
	s.much += since
	if s.much < spikeBytes || since > restBytes {
		return false
	}
	s.much = 0
	return true
}
