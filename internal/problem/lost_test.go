//go:build !js

package problem

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"watchglass/internal/object"
	"watchglass/internal/problem/kinds"
	"watchglass/internal/problem/problemtest"
)

// bodies are those that objects have lost.
type bodies map[*object.Object][]byte

// drop drops the body of an object, as a full memory does.
func (b bodies) drop(o *object.Object) {
	if raw := o.Packed(); raw != nil {
		b[o] = raw
		object.NewBudget(0).Keep(o)
	}
}

// restore restores all bodies, as the disk or the server does.
func (b bodies) restore() {
	for o, raw := range b {
		o.Restore(raw)
	}
	clear(b)
}

// unjudged returns how many objects the engine says that it cannot judge.
func unjudged(c *cluster) (n int) {
	each := 0
	c.engine.EachLost(func(string, *object.Object) { each++ })
	for _, resource := range kinds.Resources() {
		n += c.engine.Lost(resource)
	}
	if each != n {
		c.Errorf("%d objects are lost, one by one %d", n, each)
	}
	return n
}

// TestLostModel drops bodies of objects at any moment: before they are read, afterwards, and all of them
// before another engine begins, as a reload does. An engine either has the rows of one that has read
// everything, or says that it has not. Once the bodies are there, the rows are the same.
func TestLostModel(t *testing.T) {
	judged, runs := 0, 12
	if os.Getenv("SOAK") != "" {
		runs = 1000
	}
	for seed := range runs {
		r, gone := rand.New(rand.NewPCG(uint64(seed), 11)), make(bodies)
		c, whole := newCluster(t), newCluster(t)
		c.now = problemtest.Noon.Add(-2 * time.Hour)
		for range 200 {
			states := palette[r.IntN(len(palette))]
			docs := strings.Split(states[r.IntN(len(states))], "\x00")
			next := decode(t, true, docs...)
			if r.IntN(4) == 0 {
				gone.drop(next.After)
			}
			whole.now = c.now
			c.apply(next)
			whole.apply(decode(t, true, docs...))
			if r.IntN(4) == 0 {
				c.text()
				whole.text()
				c.now = c.now.Add(time.Duration(r.IntN(40)) * time.Second)
			}
			if r.IntN(2) == 0 {
				gone.drop(change(c, r).After)
			}
			if r.IntN(20) == 0 {
				gone.restore()
			}
		}
		if seed%2 == 0 { // some are dropped after they were read
			gone.restore()
			c.text()
			gone.drop(change(c, r).After)
		}
		c.now, whole.now = problemtest.Noon.Add(-20*time.Minute), problemtest.Noon.Add(-20*time.Minute)
		c.text()
		whole.text()
		c.now, whole.now = problemtest.Noon.Add(-10*time.Minute), problemtest.Noon.Add(-10*time.Minute) // what was noticed just now counts then
		if c.text(); unjudged(c) == 0 {
			judged++
			if got, want := undated(c), undated(whole); got != want {
				t.Fatalf("seed %d: with bodies\n%s\nsaid to be complete\n%s", seed, want, got)
			}
		}
		after := c.reload(gone)
		if unjudged(after) == 0 {
			t.Errorf("seed %d: after a reload, %d objects without bodies are known", seed, len(gone))
		}
		gone.restore()
		fresh := c.reload(nil)
		for _, one := range []*cluster{c, whole, after, fresh} {
			one.text()
			one.now = problemtest.Noon
		}
		if got, want := undated(c), undated(whole); got != want || unjudged(c) != 0 {
			t.Fatalf("seed %d: with bodies\n%s\nonce they are back\n%s", seed, want, got)
		}
		if got, want := settled(after), settled(fresh); got != want || unjudged(after) != 0 {
			t.Fatalf("seed %d: in a fresh engine\n%s\nafter a reload\n%s", seed, want, got)
		}
	}
	if judged == 0 {
		t.Error("no run ended with everything judged")
	}
}

// change returns the last change of some object.
func change(c *cluster, r *rand.Rand) Change {
	keys := slices.Sorted(maps.Keys(c.objects))
	return c.objects[keys[r.IntN(len(keys))]]
}

// undated returns the settled rows of a cluster without times, which an engine has that reads each version,
// and without those that depend on such a time.
func undated(c *cluster) string {
	settled(c)
	rows := make(map[string]Row)
	for key, row := range c.rows {
		if row.Since = 0; row.Reason != "MissedSchedule" && row.Reason != "BelowDesired" {
			rows[key] = row
		}
	}
	return rowsText(rows)
}

// reload returns an engine that begins with the objects of another. Bodies are dropped into gone, unless
// it is nil.
func (c *cluster) reload(gone bodies) *cluster {
	fresh := newCluster(c.TB)
	fresh.now = c.now
	for _, change := range c.objects {
		if change.Before = nil; gone != nil {
			gone.drop(change.After)
		}
		fresh.apply(change)
	}
	fresh.text()
	return fresh
}

// TestLostSlices checks that Services whose EndpointSlices have no bodies yet are not said to have none:
// sixty were after a reload.
func TestLostSlices(t *testing.T) {
	gone, c := make(bodies), newCluster(t)
	c.engine.options.Synced = func(string) bool { return true }
	for i := range 60 {
		name := fmt.Sprint("web-", i)
		c.put(webService, named(name))
		slice := decode(t, true, webSlice, named(name+"-x"), `{"metadata":{"labels":{"kubernetes.io/service-name":"`+name+`"}}}`)
		gone.drop(slice.After)
		c.apply(slice)
	}
	c.text()
	c.now = c.now.Add(time.Hour)
	if rows := c.text(); rows != "" || c.engine.Lost(kinds.EndpointSlices) != 60 {
		t.Errorf("%d slices are not read, and the rows are\n%s", c.engine.Lost(kinds.EndpointSlices), rows)
	}
	gone.restore()
	if c.text(); c.text() != "" || c.engine.Lost(kinds.EndpointSlices) != 0 {
		t.Errorf("%d slices are not read, and the rows are\n%s", c.engine.Lost(kinds.EndpointSlices), c.text())
	}
}
