//go:build !js

package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// garbagePercent is how much garbage may lie about, of what is in use. The proxy
// makes little, so looking for it more often than usual costs next to nothing; it
// is what memory a tab takes for no use.
const garbagePercent = 25

// thrift keeps the proxy small until the context ends: what it took to make a demo
// cluster, or to pass a list on, is given back when that is done. Go on its own
// waits for the next collection, which a proxy at rest may not reach for minutes.
func thrift(ctx context.Context) {
	debug.SetGCPercent(garbagePercent)
	debug.FreeOSMemory()
	allocated := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	var r rush
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		metrics.Read(allocated)
		if r.over(allocated[0].Value.Uint64()) {
			runtime.GC() // a pool lets go of what it holds at the second collection
			debug.FreeOSMemory()
		}
	}
}

const (
	// lookEvery is how often thrift looks whether a rush is over.
	lookEvery = time.Second

	// rushBytes are what makes a rush, and restBytes what may be allocated between
	// two looks at rest.
	rushBytes = 2 << 20
	restBytes = 256 << 10
)

// rush tells when much has been allocated and no more is.
type rush struct {
	before uint64 // what had been allocated at the last look
	much   uint64 // since the last rush was over
}

// over takes what has been allocated so far. It is true once for each rush.
func (r *rush) over(allocated uint64) bool {
	since := allocated - r.before
	r.before = allocated
	r.much += since
	if r.much < rushBytes || since > restBytes {
		return false
	}
	r.much = 0
	return true
}
