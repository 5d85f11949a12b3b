package informer

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"watchglass/internal/wire"
)

// TestPeers runs what broke other informers. Each name begins with the issue, as e2e/PEERS.md lists
// it.
func TestPeers(t *testing.T) {
	t.Run("fabric8-2994 what a new list lacks leaves the index", testRelist)
	t.Run("headlamp-5863 a storm of events takes no more memory than its objects", testStorm)
}

// testStorm sends 30 MB of changes of a hundred objects while the store is blocked: the heap grows by
// the objects, several times at most. Then the store has the last state of each.
func testStorm(t *testing.T) {
	const objects, changes, size, most = 100, 10_000, 3 << 10, 4 << 20
	padding := strings.Repeat("x", size)
	frame := func(kind wire.EventType, from int) (b wire.Batch) {
		for n := from; n < from+objects; n++ {
			payload := fmt.Appendf(nil, "%d@%d%s", n%objects, n, padding)
			b.Events, b.Bytes = append(b.Events, wire.Event{Type: kind, Payload: payload}), b.Bytes+len(payload)
		}
		return b
	}
	synctest.Test(t, func(t *testing.T) {
		src, blocked := newSource(), make(chan struct{})
		i := newInformer(src)
		st := start(t, i, src)
		st.frames <- frame(wire.Added, 0)
		st.send("@1!")
		i.Subscribe(func([]Change[*thing]) { <-blocked })
		before := heap()
		for from := objects; from < changes; from += objects {
			st.frames <- frame(wire.Modified, from)
			synctest.Wait()
		}
		if grown := heap() - before; grown > most {
			t.Errorf("the heap grew by %d KB for %d KB of changes", grown>>10, changes*size>>10)
		}
		close(blocked)
		synctest.Wait()
		for n := range objects {
			o, _ := i.Store().Get(fmt.Sprint(n))
			if want := fmt.Sprint(changes-objects+n) + padding; o == nil || o.version != want {
				t.Fatalf("object %d is %.20v, want %.10s", n, o, want)
			}
		}
	})
}

// heap returns the bytes that are in use.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
