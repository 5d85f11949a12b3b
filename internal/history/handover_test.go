package history_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"watchglass/internal/history"
)

// TestLeaderLeavesInGap checks that a change is remembered which only the second of two sources has seen, if the first one ends while
// changes may be missing.
func TestLeaderLeavesInGap(t *testing.T) {
	for _, chained := range []bool{false, true} {
		store := history.NewStore(history.NewMemory(1<<30, nil))
		a, b := newSource(t, "configmaps"), newSource(t, "configmaps")
		fa, fb := a.feed(store), b.feed(store)
		doc := func(v int) []byte {
			return fmt.Appendf(nil, `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x","namespace":"shop","uid":"u","resourceVersion":"%d"},"data":{"v":"w%d"}}`, v, v)
		}
		now := time.UnixMilli(1_000_000)
		a.set(doc(1))
		b.set(doc(1))
		fa.Join(now, a)
		fb.Join(now, b)
		if chained {
			now = now.Add(time.Second)
			fa.Note(now, first(a.set(doc(2))), a.objects["shop/x"])
			fb.Note(now, first(b.set(doc(2))), b.objects["shop/x"])
		}
		calm := now.Add(30 * time.Second) // both are live
		fa.Live(calm)
		fb.Live(calm)
		now = now.Add(time.Minute)
		fa.Miss(now, history.Away) // its watch ended, and is being resumed
		now = now.Add(time.Second)
		before, after := b.set(doc(3))
		fb.Note(now, before, after)
		now = now.Add(time.Second)
		fa.Leave(now, a.List()) // the column was added a minute ago: nobody needs the first any more
		now = now.Add(time.Second)
		if fb.Joined() {
			t.Fatalf("chained %v: its objects have not been compared", chained)
		}
		fb.Join(now, b)
		fb.Live(now)
		now = now.Add(time.Minute)
		fb.Live(now)
		want := map[time.Time]string{calm: "w1", now: "w3"}
		if chained {
			want[calm] = "w2"
		}
		for at, w := range want {
			o, ok := store.Find(0, "shop/x", at)
			if !ok || !strings.Contains(string(o.Payload), `"`+w+`"`) {
				t.Errorf("chained %v: at %v it was %s, and the record has %s, gaps %v", chained, at.UnixMilli(), w, o.Payload, store.Gaps(0))
			}
		}
	}
}

func first[A, B any](a A, _ B) A { return a }
