package replay

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"watchglass/internal/history"
	"watchglass/internal/informer"
	"watchglass/internal/object"
	"watchglass/internal/wire"
)

// heldObjects is a store of a source.
type heldObjects map[string]*object.Object

func (s heldObjects) List() []*object.Object                { return slices.Collect(maps.Values(s)) }
func (s heldObjects) Get(key string) (*object.Object, bool) { o, ok := s[key]; return o, ok }

// busyCluster is a cluster whose pods change so much that memory drops their oldest changes. The history of its nodes,
// which never change, goes back to the beginning.
type busyCluster struct {
	t       *testing.T
	begin   time.Time
	second  int
	store   *history.Store
	pods    heldObjects
	feed    *history.Input
	decoder *object.Decoder
}

func newBusyCluster(t *testing.T) *busyCluster {
	c := &busyCluster{t: t, begin: time.Now().Truncate(time.Second), pods: heldObjects{}, store: history.NewStore(history.NewMemory(300_000, nil))}
	c.join("nodes", heldObjects{})
	c.feed, c.decoder = c.join("pods", c.pods)
	return c
}

func (c *busyCluster) join(resource string, s heldObjects) (*history.Input, *object.Decoder) {
	kind, _ := object.Builtin(resource)
	d := object.NewDecoder(kind, true)
	f := c.store.NewInput(history.Source{Kind: kind, Decoder: d, Held: func(g func(history.Objects)) { g(s) }})
	f.Join(c.begin, s)
	return f, d
}

func (c *busyCluster) now() time.Time { return c.begin.Add(time.Duration(c.second) * time.Second) }

// put changes a pod, a second later.
func (c *busyCluster) put(name string) {
	c.second++
	o, err := c.decoder.Decode([]byte(strings.Replace(string(podJSON("a", name, "n", c.second)), `"Running"`, fmt.Sprintf("%q", "Running "+strings.Repeat(fmt.Sprint(c.second), 20)), 1)))
	if err != nil {
		c.t.Fatal(err)
	}
	before := c.pods[o.Key()]
	c.pods[o.Key()] = o
	c.feed.Note(c.now(), before, o)
}

// remove deletes a pod, a second later.
func (c *busyCluster) remove(name string) {
	c.second++
	o := c.pods["a/"+name]
	delete(c.pods, o.Key())
	c.feed.Note(c.now(), o, nil)
}

// keysAt returns the pods of a moment.
func (c *busyCluster) keysAt(at time.Time) (keys []string) {
	c.store.At(1, at, func(o history.Object) bool { keys = append(keys, o.Key); return true })
	slices.Sort(keys)
	return keys
}

// TestDroppedMeanwhile goes to a moment after changes that memory dropped while an earlier moment was on screen: the
// informer has what was there, not what those changes removed.
func TestDroppedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newBusyCluster(t)
		for i := range 10 {
			c.put(fmt.Sprint("old-", i))
		}
		for range 500 {
			c.put("busy")
		}
		// The page goes back to this moment.
		at := c.now()
		r := New(c.store, Options{})
		i := followed(t, client(t, r), wire.Request{Version: "v1", Resource: "pods"})
		r.Seek(at)
		time.Sleep(time.Second)
		synctest.Wait()
		// Meanwhile pods are replaced, and the cluster goes on.
		for k := range 5 {
			c.remove(fmt.Sprint("old-", k))
			c.put(fmt.Sprint("new-", k))
		}
		for range 3000 {
			c.put("busy")
		}
		later := c.now().Add(-10 * time.Second)
		if gaps := c.store.Gaps(1); len(gaps) == 0 || !gaps[0].To.After(at) || !gaps[0].To.Before(later) {
			t.Fatalf("memory dropped %v, which does not end between %v and %v", gaps, at, later)
		}
		r.Seek(later)
		time.Sleep(time.Second)
		synctest.Wait()
		got, want := slices.Sorted(maps.Keys(held(i))), c.keysAt(r.At())
		if !slices.Equal(got, want) {
			t.Errorf("on screen: %v; at that moment: %v", got, want)
		}
	})
}

// TestDropped goes to a moment whose changes of pods were dropped: nothing is known of them then, whatever is asked for,
// until the page goes to a later moment.
func TestDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newBusyCluster(t)
		for range 3000 {
			c.put("busy")
		}
		early := c.begin.Add(10 * time.Second)
		r := New(c.store, Options{})
		tab := client(t, r)
		i := followed(t, tab, wire.Request{Version: "v1", Resource: "pods"})
		time.Sleep(time.Second)
		r.Seek(early)
		time.Sleep(time.Second)
		synctest.Wait()
		const why = "the history of pods at this time was dropped"
		s := i.State(time.Now())
		if _, _, cause := informer.Fresh(s, informer.Link{Connected: true, Online: true, Heard: tab.Link().Heard}, time.Now()); s.Objects != 0 || cause.Message != why || !r.At().Equal(early) {
			t.Errorf("%d pods at %v: %v", s.Objects, r.At(), cause)
		}
		for _, q := range []wire.Request{{Verb: wire.List}, {Verb: wire.Watch}, {Verb: wire.Get, Namespace: "a", Name: "busy"}} {
			q.Version, q.Resource = "v1", "pods"
			if _, err := tab.Open(t.Context(), q); err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("%c: %v", q.Verb[0], err)
			}
		}
		r.Seek(c.now())
		i.Wake()
		time.Sleep(time.Second)
		synctest.Wait()
		if got, want := slices.Sorted(maps.Keys(held(i))), c.keysAt(r.At()); !slices.Equal(got, want) {
			t.Errorf("on screen: %v; at that moment: %v", got, want)
		}
	})
}

// TestDroppedPage reads a list page by page, and memory drops its moment in between: it ends with the reason, and not as
// if there were no more.
func TestDroppedPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newBusyCluster(t)
		for i := range 10 {
			c.put(fmt.Sprint("old-", i))
		}
		r := New(c.store, Options{})
		tab := client(t, r)
		q := wire.Request{Verb: wire.List, Version: "v1", Resource: "pods", ListOptions: wire.ListOptions{Limit: 7}}
		q.Continue = r.Version() + " a/old-3"
		for range 3000 {
			c.put("busy")
		}
		r.Seek(c.now())
		if _, err := tab.Open(t.Context(), q); err == nil || !strings.Contains(err.Error(), "dropped") {
			t.Errorf("the second page: %v", err)
		}
	})
}
